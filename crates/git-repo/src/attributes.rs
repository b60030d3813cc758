//! What `.gitattributes` says about files.

use crate::paths::bytes_of_paths;
use crate::{GitError, Repo};
use std::path::Path;

impl Repo {
    /// The value of one attribute for each of these files, in git's words: `unspecified` where nothing is said.
    pub(crate) fn attribute<'a>(&self, name: &str, files: impl IntoIterator<Item = &'a Path>) -> Result<Vec<(String, String)>, GitError> {
        let told = self.reading().args(["check-attr", "-z", "--stdin", name]).input(bytes_of_paths(files)).output("check-attr")?;
        let mut fields = told.split(|&byte| byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
        let mut values = Vec::new();
        while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
            values.push((path, value));
        }
        Ok(values)
    }
}
