//! git-repo
