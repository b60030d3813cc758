//! Sigils: what an agent says to Ralph in its own words. One parser for all agents (RULINGS 003.1).
