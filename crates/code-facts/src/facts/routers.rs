//! What ties the endpoints of one file to another that mounts their router.

use serde::{Deserialize, Serialize};

/// What serves an endpoint, by the name under which another file can mount it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Router {
    /// Its name in its file, or the one that it is exported by.
    pub name: String,
    /// The prefix that it was made with, a part of the endpoint's path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub own: String,
    /// Whether it serves the endpoint without any path of its own, not even a slash.
    #[serde(default)]
    pub bare: bool,
    /// Whether its file doesn't show that it is a router: it is one if another file makes it, or hands one to its function.
    #[serde(default)]
    pub supposed: bool,
}

/// A router of another file that a file mounts; the path is the subject of its fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// The file, without its ending: from the root of the project, or the end of such a path.
    pub module: String,
    /// Whether the path is from the root.
    pub exact: bool,
    /// The router in it.
    pub name: String,
    /// The router of this file that it is mounted on.
    pub on: String,
    /// Whether the path takes the place of the prefix that the router was made with.
    #[serde(default)]
    pub replaces: bool,
}
