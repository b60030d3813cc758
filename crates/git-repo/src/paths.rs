//! Paths as git reads and writes them.

use std::io;
use std::path::{Path, PathBuf};

/// The absolute path without links, in the form in which git, agents and people write it. On Windows the system returns it in another form,
/// which none of them understands, and in which no file is below its own folder.
///
/// # Errors
/// If there is nothing, or it can't be accessed.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let found = path.canonicalize()?;
    Ok(found.to_str().and_then(in_usual_form).map_or(found, PathBuf::from))
}

/// A path without the prefix that makes Windows take it literally; `None` if it has no prefix, or can't be written without it. The
/// standard library adds the prefix to a long path again where the system needs it.
fn in_usual_form(path: &str) -> Option<String> {
    let literal = path.strip_prefix(r"\\?\")?;
    match literal.strip_prefix(r"UNC\") {
        Some(share) => Some(format!(r"\\{share}")),
        None => literal.get(1..3).is_some_and(|disk| disk == r":\").then(|| literal.to_owned()),
    }
}

/// Paths in git's input format: their bytes, each followed by a NUL.
pub(crate) fn bytes_of_paths<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_os_str().as_encoded_bytes());
        bytes.push(0);
    }
    bytes
}

/// Paths in git's other input format: one per line and quoted, so that they may contain any byte.
pub(crate) fn lines_of_paths<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<u8> {
    let mut lines = Vec::new();
    for path in paths {
        lines.push(b'"');
        for &byte in path.as_os_str().as_encoded_bytes() {
            match byte {
                b'"' | b'\\' => lines.extend([b'\\', byte]),
                0..=0x1f => lines.extend(format!("\\{byte:03o}").bytes()),
                _ => lines.push(byte),
            }
        }
        lines.extend(b"\"\n");
    }
    lines
}

/// A path as a text from which [`path_from_text`] makes the same path: what is not UTF-8, and `%`, is written as `%XX`.
pub fn path_to_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text += &chunk.valid().replace('%', "%25");
        chunk.invalid().iter().for_each(|byte| text += &format!("%{byte:02X}"));
    }
    text
}

/// The path that such a text denotes.
pub fn path_from_text(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let byte = escaped.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { &escaped[2..] } else { escaped };
    }
    bytes.extend_from_slice(rest.as_bytes());
    path_from_bytes(&bytes)
}

/// Paths are stored as such texts.
pub(crate) mod as_text {
    use super::{Path, PathBuf, path_from_text, path_to_text};
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&path_to_text(path))
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<PathBuf, D::Error> {
        String::deserialize(deserializer).map(|text| path_from_text(&text))
    }
}

/// The same for the keys of a map.
pub(crate) mod keys_as_text {
    use super::{PathBuf, path_from_text, path_to_text};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(crate) fn serialize<T: Serialize, S: Serializer>(map: &BTreeMap<PathBuf, T>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(path, value)| (path_to_text(path), value)))
    }

    pub(crate) fn deserialize<'d, T: Deserialize<'d>, D: Deserializer<'d>>(deserializer: D) -> Result<BTreeMap<PathBuf, T>, D::Error> {
        let map = BTreeMap::<String, T>::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(text, value)| (path_from_text(&text), value)).collect())
    }
}

/// A path from git's output: bytes, which on Unix need not be UTF-8.
pub(crate) fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_windows_takes_literally_is_named_as_people_write_it() {
        for (told, written) in [
            (r"\\?\C:\Users\dev\shop", Some(r"C:\Users\dev\shop")),
            (r"\\?\d:\", Some(r"d:\")),
            (r"\\?\UNC\server\share\shop", Some(r"\\server\share\shop")),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\shop", None),
            (r"C:\Users\dev", None),
            ("/home/dev/shop", None),
        ] {
            assert_eq!(in_usual_form(told).as_deref(), written, "{told}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_real_path_has_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let top = real_path(folder.path()).unwrap();
        std::fs::create_dir(top.join("there")).unwrap();
        std::os::unix::fs::symlink("there", top.join("link")).unwrap();
        assert_eq!(real_path(&top.join("link/../link")).unwrap(), top.join("there"));
        assert!(real_path(&top.join("gone")).is_err());
    }

    #[test]
    fn a_path_survives_as_text_whatever_its_bytes_are() {
        for name in [&b"a/b.rs"[..], b"caf\xe9.txt", b"100%", b"%41", "\u{fc}%zz".as_bytes(), b"\xff\xfe%"] {
            // Where names are Unicode, the bytes of others have no path.
            let path = path_from_bytes(name);
            assert_eq!(path_from_text(&path_to_text(&path)), path, "{name:?}");
        }
        assert_eq!(path_to_text(Path::new("a/b c.rs")), "a/b c.rs");
    }
}
