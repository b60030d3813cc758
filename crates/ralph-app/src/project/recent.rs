//! The most recently opened projects of the window.

use crate::files::{Readers, write_whole};
use crate::outside::user_data::{self, make_private};
use ralph_core::view::ProjectInfo;
use std::path::{Path, PathBuf};

/// Maximum number of projects.
const KEPT: usize = 20;

/// A small file with one path per line, newest first.
#[derive(Debug)]
pub struct Recent {
    file: Option<PathBuf>,
}

impl Recent {
    /// The current user's list.
    pub fn of_this_person() -> Recent {
        Recent::at(user_data::folder())
    }

    /// The list in `folder`; without one nothing is stored.
    fn at(folder: Option<PathBuf>) -> Recent {
        Recent { file: folder.map(|folder| folder.join("recent-projects.txt")) }
    }

    /// Paths that still contain a project, newest first.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.written().into_iter().filter(|path| is_there(path)).collect()
    }

    /// All of them: a project on a drive that is not there just now is listed again once it is.
    fn written(&self) -> Vec<PathBuf> {
        let text = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        text.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
    }

    /// The same for the picker. Branches are omitted: running git for every one would delay the picker.
    pub fn projects(&self) -> Vec<ProjectInfo> {
        self.paths()
            .into_iter()
            .map(|path| ProjectInfo {
                name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
                path: path.to_string_lossy().into_owned(),
                branch: None,
            })
            .collect()
    }

    /// Moves a project to the front. Failing to write the list is harmless.
    pub fn put_first(&self, project: &Path) {
        let Some(file) = &self.file else { return };
        let mut paths = self.written();
        paths.retain(|path| path != project);
        paths.insert(0, project.to_owned());
        if paths.len() > KEPT {
            paths.remove(paths.iter().rposition(|path| !is_there(path)).unwrap_or(KEPT));
        }
        let text = paths.iter().map(|path| format!("{}\n", path.display())).collect::<String>();
        // In one step: a kill or a full disk amid it would take the list away.
        let written = file.parent().map_or(Ok(()), make_private).and_then(|()| write_whole(file, text.as_bytes(), Readers::Owner));
        if let Err(fault) = written {
            tracing::warn!("the list of recent projects was not written: {fault}");
        }
    }
}

fn is_there(project: &Path) -> bool {
    project.join(".ralph").is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_comes_first_once_and_what_is_gone_is_left_out() {
        let home = tempfile::tempdir().expect("a folder");
        let project = |name: &str| {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.join(".ralph")).expect("a project");
            path
        };
        let recent = Recent::at(Some(home.path().join("data")));
        assert_eq!(recent.paths(), Vec::<PathBuf>::new());
        let (a, b) = (project("a"), project("b"));
        for path in [&a, &b, &a] {
            recent.put_first(path);
        }
        assert_eq!(recent.paths(), [a.clone(), b]);
        std::fs::remove_dir_all(&a).expect("removed");
        assert_eq!(recent.projects().into_iter().map(|p| p.name).collect::<Vec<_>>(), ["b"]);
        recent.put_first(&project("c"));
        project("a");
        assert_eq!(recent.projects().into_iter().map(|p| p.name).collect::<Vec<_>>(), ["c", "a", "b"], "on a drive that is back");
    }

    #[test]
    fn a_new_list_takes_the_place_of_the_old_one_as_a_whole() {
        let home = tempfile::tempdir().expect("a folder");
        let recent = Recent::at(Some(home.path().to_owned()));
        recent.put_first(&home.path().join("a"));
        let (list, before) = (home.path().join("recent-projects.txt"), home.path().join("before"));
        std::fs::hard_link(&list, &before).expect("a second name");
        recent.put_first(&home.path().join("b"));
        let lines = |file| std::fs::read_to_string(file).expect("reads").lines().count();
        assert_eq!((lines(&before), lines(&list)), (1, 2), "what was there is not written over");
    }
}
