//! Tools for sources of knowledge: projects, documents. Part of the full profile.

use super::{AUTO_LEARN, Effect, LIMIT, OFFSET, Page, Session, Tool, value};
use crate::answer::{Part, Shape};
use crate::arguments::{Arguments, Field, Kind};
use crate::refused::Refused;
use ralph_app::{Recent, ScanCause};
use ralph_core::view::ProjectInfo;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PROJECT: &[Part] = &[Part::new("name", Shape::Text), Part::new("path", Shape::Text)];
const SOURCE: &[Part] = &[Part::new("path", Shape::Text), Part::new("sections", Shape::Number)];

pub(super) const LIST_PROJECTS: Tool = Tool {
    name: "list_projects",
    title: "List projects",
    about: "This project, first, and those that its person opened last.",
    fields: &[AUTO_LEARN],
    answer: &[Part::new("projects", Shape::Objects(PROJECT))],
    effect: Effect::Reads,
    run: list_projects,
};

pub(super) const LIST_SOURCES: Tool = Tool {
    name: "list_sources",
    title: "List sources",
    about: "Documents that are searched, by path.",
    fields: &[LIMIT, OFFSET, AUTO_LEARN],
    answer: &[Part::new("sources", Shape::Objects(SOURCE)), Part::new("more", Shape::Number)],
    effect: Effect::Reads,
    run: list_sources,
};

pub(super) const INGEST_FILE: Tool = Tool {
    name: "ingest_file",
    title: "Bring a file in",
    about: "Bring a file or folder of the project in as documents; later changes are found by themselves.",
    fields: &[Field::new("path", Kind::Text, "").required(), AUTO_LEARN],
    answer: &[Part::new("ingested", Shape::Objects(SOURCE))],
    effect: Effect::Replaces,
    run: ingest_file,
};

fn list_projects(session: &Session, _: Arguments) -> Result<Value, Refused> {
    let own = session.app.project();
    let mut projects = Recent::of_this_person().projects();
    projects.retain(|project| project.path != own.path);
    projects.insert(0, own);
    let row = |project: &ProjectInfo| json!({"name": project.name, "path": project.path});
    Ok(json!({ "projects": projects.iter().map(row).collect::<Vec<_>>() }))
}

fn list_sources(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let page = Page::take(&mut arguments)?;
    page.of(
        "sources",
        &session.app.documents()?,
        |document| json!({"path": document.path, "sections": document.sections, "feature": document.feature}),
    )
}

/// Whether what was skipped is what was asked for, rather than the only file of a folder. Files outside are named by their whole path.
fn is_of(skipped: &str, asked: &Path) -> bool {
    Path::new(skipped).file_name() == asked.file_name() || Path::new(skipped).is_absolute()
}

fn ingest_file(session: &Session, mut arguments: Arguments) -> Result<Value, Refused> {
    let path: String = arguments.take_required("path")?;
    if path.trim().is_empty() {
        return Err(Refused::argument("path", "is empty", "give a file or folder of the project; \".\" is all of it"));
    }
    let path = PathBuf::from(path);
    let ingested = session.app.ingest(std::slice::from_ref(&path))?;
    let nothing = match (ingested.ingested.as_slice(), ingested.skipped.as_slice()) {
        ([], [skipped]) if is_of(&skipped.path, &path) => Some(skipped.reason.clone()),
        _ => None,
    };
    let mut answer = value(ingested)?;
    let mut states_facts = false;
    if session.auto_learn != Some(false) {
        // The facts that the file states, besides its text; most files state none.
        let cause = if session.auto_learn == Some(true) { ScanCause::Asked } else { ScanCause::Settings };
        let mut scan = session.app.learn_facts_of(&path, cause)?;
        // That prose states no facts is not a fault, and whatever else was skipped is reported beside this.
        scan.skipped.retain(|_| scan.files > 0);
        states_facts = scan.files > 0;
        answer["facts"] = value(scan)?;
    }
    match nothing.filter(|_| !states_facts) {
        Some(why) => Err(Refused::argument("path", why, "give a text file or a folder of the project; \".\" is all of it")),
        None => Ok(answer),
    }
}
