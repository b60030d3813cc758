//! Tasks from a list that a person wrote: shown before they are created, and created all at once.

use crate::app::App;
use crate::error::{AppError, Result};
use crate::rows::find_feature;
use crate::secrets::check_input;
use ralph_core::authority::Act;
use ralph_core::task::{ImportedTasks, LeftOut, ListedTask, ListedTasks, NewTask, TaskFilter, TaskList};
use ralph_core::text::counted;
use ralph_core::{TaskId, limits};
use sqlite_db::Read;
use std::collections::BTreeMap;

impl App {
    /// The tasks that a list would become. No feature needs to be chosen yet.
    pub fn listed_tasks(&self, list: &TaskList) -> Result<ListedTasks> {
        self.db.read(|r| listed(r, list))
    }

    /// Creates the tasks of a list, in its order: all of them, or none. A list with nothing new is not an error; a text without a list is.
    pub fn import_tasks(&self, list: &TaskList) -> Result<ImportedTasks> {
        let now = self.clock.now();
        let new = |title, description| NewTask {
            feature: list.feature.clone(),
            title,
            description,
            priority: list.priority,
            ..NewTask::default()
        };
        self.allowed(&Act::CreateTask(&new(String::new(), String::new())))?;
        self.write(|tx| {
            let ListedTasks { tasks, left_out } = listed(tx, list)?;
            if tasks.is_empty() && left_out.is_empty() {
                return Err(AppError::invalid("text", "holds no list", "begin the line of each task with `- `, `1. ` or `- [ ]`"));
            }
            // By line, also those that were there before.
            let mut known: BTreeMap<u32, TaskId> = left_out.iter().filter_map(|item| Some((item.line, item.task?))).collect();
            let mut made = Vec::with_capacity(tasks.len());
            for item in tasks {
                let before = known.range(..item.line).next_back().map(|(_, task)| *task);
                let depends_on = before.filter(|_| list.chained).into_iter().collect();
                let task = self.insert_task(tx, &NewTask { depends_on, ..new(item.title, item.description) }, now)?;
                known.insert(item.line, task.id);
                made.push(task);
            }
            Ok(ImportedTasks { tasks: made, left_out })
        })
    }
}

/// The tasks of a list. Those whose titles the feature has already are left out, so that a plan that has grown can be imported again.
fn listed(r: &Read<'_>, list: &TaskList) -> Result<ListedTasks> {
    if list.text.len() > limits::TASK_LIST_BYTES {
        let fault = format!("is longer than {} bytes", limits::TASK_LIST_BYTES);
        return Err(AppError::invalid("text", fault, "import it in parts"));
    }
    let mut there = BTreeMap::new();
    if !list.feature.is_empty() {
        let feature = Some(find_feature(r, &list.feature)?.name);
        there = r.tasks(&TaskFilter { feature, ..TaskFilter::default() })?.into_iter().map(|task| (task.title, task.id)).collect();
    }
    let ListedTasks { tasks, mut left_out } = ListedTasks::read(&list.text);
    let mut listed = ListedTasks::default();
    for item in tasks {
        let line = item.line;
        let title = check_input::title("title", &item.title).map_err(|error| in_line(line, error))?;
        let description = check_input::long("description", &item.description).map_err(|error| in_line(line, error))?;
        match there.get(&title) {
            Some(task) => left_out.push(LeftOut { line, title, why: format!("task #{task} already"), task: Some(*task) }),
            None => listed.tasks.push(ListedTask { line, title, description }),
        }
    }
    if listed.tasks.len() > limits::TASKS_AT_ONCE {
        let fault = format!("holds {}; at most {} are made at once", counted(listed.tasks.len(), "task"), limits::TASKS_AT_ONCE);
        return Err(AppError::invalid("text", fault, "import it in parts"));
    }
    left_out.sort_by_key(|item| item.line);
    Ok(ListedTasks { left_out, ..listed })
}

/// The fault of an item, with its line.
fn in_line(line: u32, error: AppError) -> AppError {
    match error {
        AppError::Invalid { field, fault, hint } => AppError::invalid("text", format!("line {line}: the {field} {fault}"), hint),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use ralph_core::feature::NewFeature;
    use ralph_core::task::{Priority, TaskPatch};
    use ralph_core::time::Timestamp;

    fn app() -> (tempfile::TempDir, App) {
        let folder = tempfile::tempdir().unwrap();
        let app = App::init(folder.path(), Clock::from_fn(|| Timestamp(1_000))).unwrap();
        app.create_feature(&NewFeature { name: "pay".to_owned(), display_name: "Pay".to_owned(), ..NewFeature::default() }).unwrap();
        (folder, app)
    }

    fn list(text: &str) -> TaskList {
        TaskList { feature: "pay".to_owned(), text: text.to_owned(), ..TaskList::default() }
    }

    #[test]
    fn a_plan_that_has_grown_is_imported_again_and_only_what_is_new_is_made() {
        let (_folder, app) = app();
        let key = ["AKIA", "Q3EGT2ZLR6XWMB5K"].concat();
        let plan = format!("- [ ] Store  refunds\n  One row each.\n- [x] Folder\n- [ ] Key {key}\n");
        let first = app.import_tasks(&TaskList { chained: true, priority: Some(Priority::High), ..list(&plan) }).unwrap();
        let made: Vec<_> =
            first.tasks.iter().map(|task| (&*task.title, &*task.description, task.depends_on.clone(), task.priority)).collect();
        assert_eq!(made[0], ("Store refunds", "One row each.", vec![], Priority::High));
        assert!(!made[1].0.contains("AKIA") && made[1].2 == [first.tasks[0].id], "{made:?}");
        app.update_task(first.tasks[0].id, &TaskPatch { status: Some(ralph_core::task::TaskStatus::Skipped), ..TaskPatch::default() })
            .unwrap();
        let grown = TaskList { chained: true, ..list(&format!("{plan}- [ ] Retry\n")) };
        let shown = app.listed_tasks(&grown).unwrap();
        let again = app.import_tasks(&grown).unwrap();
        assert_eq!(again.tasks.iter().map(|task| (&*task.title, &*task.depends_on)).collect::<Vec<_>>(), [("Retry", &[2][..])]);
        assert_eq!(again.left_out, shown.left_out);
        assert_eq!(again.left_out.iter().map(|item| &*item.why).collect::<Vec<_>>(), ["task #1 already", "ticked", "task #2 already"]);
        assert_eq!(app.tasks(&TaskFilter::default()).unwrap().len(), 3);
        assert_eq!(app.import_tasks(&grown).unwrap().tasks, []);
    }

    #[test]
    fn a_list_is_made_whole_or_not_at_all_and_the_fault_names_the_line() {
        let (_folder, app) = app();
        let long = format!("- one\n- two\n  {}\n", "word ".repeat(limits::LONG_TEXT_CHARS / 4));
        let fault = app.import_tasks(&list(&long)).unwrap_err().to_string();
        assert!(fault.contains("line 2: the description is longer"), "{fault}");
        let many = app.import_tasks(&list(&"- again\n".repeat(limits::TASKS_AT_ONCE + 1))).unwrap_err().to_string();
        assert!(many.contains("501 tasks"), "{many}");
        assert!(app.import_tasks(&list("words")).unwrap_err().to_string().contains("holds no list"));
        assert!(app.import_tasks(&TaskList { feature: "none".to_owned(), ..list("- a") }).is_err());
        assert_eq!(app.tasks(&TaskFilter::default()).unwrap(), []);
        assert_eq!(app.listed_tasks(&TaskList { feature: String::new(), ..list("- a\n- b") }).unwrap().tasks.len(), 2, "not chosen yet");
    }
}
