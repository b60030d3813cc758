//! sqlite-db
