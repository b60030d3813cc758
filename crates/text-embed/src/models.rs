//! Location of the bundled model.

use crate::error::EmbedError;
use std::path::{Path, PathBuf};

/// The model's name: its id, and its folder in each models folder.
pub const NAME: &str = "all-MiniLM-L6-v2";

/// Vector dimension.
pub const DIMENSION: usize = 384;

/// Names a models folder that takes precedence over all others.
const VARIABLE: &str = "RALPH_MODELS";

/// The tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The weights.
pub const WEIGHTS: &str = "model.safetensors";

/// The first folder that contains the whole model. If the person names one, it must.
///
/// # Errors
/// [`EmbedError::Named`] for a folder in `RALPH_MODELS` without it; otherwise [`EmbedError::Missing`], which names every folder
/// searched.
pub fn find() -> Result<PathBuf, EmbedError> {
    let named = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    found(named, program.as_deref())
}

fn found(named: Option<PathBuf>, program: Option<&Path>) -> Result<PathBuf, EmbedError> {
    match named {
        // Other folders are not what was meant, and would be used silently.
        Some(folder) => first_whole(vec![folder.clone()]).map_err(|_| EmbedError::Named { folder: folder.join(NAME) }),
        None => first_whole(folders(program)),
    }
}

fn first_whole(folders: Vec<PathBuf>) -> Result<PathBuf, EmbedError> {
    let whole = |folder: &PathBuf| [TOKENIZER, WEIGHTS].iter().all(|file| folder.join(NAME).join(file).is_file());
    match folders.iter().find(|folder| whole(folder)) {
        Some(folder) => Ok(folder.join(NAME)),
        None => Err(EmbedError::Missing { looked: folders }),
    }
}

/// Models folders in search order: next to the program as the installers of Linux, Windows and
/// macOS put it, and the checkout that the program was built in.
fn folders(program: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(beside) = program.and_then(Path::parent) {
        folders.push(beside.join("models"));
        if let Some(above) = beside.parent() {
            folders.push(above.join("lib/Ralph/models"));
            folders.push(above.join("Resources/models"));
        }
    }
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_was_installed_with_the_program_comes_first_and_the_checkout_last() {
        let program = Path::new("/opt/app/usr/bin/ralph");
        let asked = folders(Some(program));
        let expected = ["/opt/app/usr/bin/models", "/opt/app/usr/lib/Ralph/models", "/opt/app/usr/Resources/models"];
        assert_eq!(asked[..3], expected.map(PathBuf::from));
        assert!(asked[3].ends_with("crates/text-embed/../../models") && asked.len() == 4);
    }

    #[test]
    fn a_named_folder_without_the_model_is_a_fault_whatever_lies_elsewhere() {
        let room = tempfile::tempdir().unwrap();
        let (whole, program) = (room.path().join("models"), room.path().join("ralph"));
        fs::create_dir_all(whole.join(NAME)).unwrap();
        [TOKENIZER, WEIGHTS].iter().for_each(|file| fs::write(whole.join(NAME).join(file), "").unwrap());
        assert_eq!(found(Some(whole.clone()), None).unwrap(), whole.join(NAME));
        let fault = found(Some(room.path().join("wrong")), Some(&program)).unwrap_err();
        assert!(matches!(fault, EmbedError::Named { .. }) && fault.to_string().contains("RALPH_MODELS"), "{fault}");
    }

    #[test]
    fn a_folder_without_all_files_is_passed_over() {
        let room = tempfile::tempdir().unwrap();
        let [half, whole] = ["half", "whole"].map(|name| room.path().join(name));
        for (folder, files) in [(&half, &[TOKENIZER][..]), (&whole, &[TOKENIZER, WEIGHTS][..])] {
            fs::create_dir_all(folder.join(NAME)).unwrap();
            files.iter().for_each(|file| fs::write(folder.join(NAME).join(file), "").unwrap());
        }
        assert_eq!(first_whole(vec![half.clone(), whole.clone()]).unwrap(), whole.join(NAME));
        let missing = first_whole(vec![half.clone()]).unwrap_err();
        assert!(missing.to_string().contains(&half.display().to_string()) && missing.way_out().contains(VARIABLE), "{missing}");
    }
}
