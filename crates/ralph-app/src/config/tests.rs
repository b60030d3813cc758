use super::*;
use ralph_core::settings::{AutomaticLearning, RANGES};
use std::path::PathBuf;

fn load(path: &Path) -> Result<Settings, ConfigFault> {
    read(path, &std::fs::read_to_string(path).expect("reads"))
}

/// Saves what differs from the file, or from its defaults where it can't be read.
fn save(path: &Path, settings: &Settings) -> Result<(), ConfigFault> {
    save_from(path, &load(path).unwrap_or_default(), settings)
}

fn save_from(path: &Path, base: &Settings, settings: &Settings) -> Result<(), ConfigFault> {
    super::save(ProjectFiles::of(path.parent().expect("a folder")), path, base, settings)
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    Stamp::of(ProjectFiles::of(path.parent().expect("a folder")), path)
}

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).expect("writes");
    (folder, path)
}

#[test]
fn the_template_holds_the_defaults() {
    let (_folder, path) = file(TEMPLATE);
    let new = Settings { automatic_learning: AutomaticLearning::of_a_new_project(), ..Settings::default() };
    assert_eq!(load(&path).expect("loads"), new);
    assert_eq!(read(&path, "").expect("reads"), Settings::default());
}

#[test]
fn keys_that_are_no_settings_are_found() {
    let unknown =
        |text: &str| unknown_keys(Path::new("config.toml"), text).expect("parses").iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(unknown(TEMPLATE), [""; 0]);
    let misspelt = "max_iteration = 3\nchexk = \"make\"\nmodel = \"opus\"\nfuture = 1\nmode = \"minimal\"\n\"a\\n\\u001b[1m\" = 1\n[recalls]\nk = 1\n[recall]\n";
    assert_eq!(
        unknown(misspelt),
        [
            "max_iteration (did you mean max_iterations?)",
            "chexk (did you mean check?)",
            "future",
            "mode (did you mean the one below [automatic_learning]?)",
            "a\\n\\u{1b}[1m",
            "recalls (did you mean recall?)",
        ]
    );
}

#[test]
fn every_key_stands_in_the_template_and_every_number_has_a_range() {
    let template: DocumentMut = TEMPLATE.parse().expect("parses");
    let of_the_file: Vec<&str> = template.iter().filter(|(_, item)| item.is_value()).map(|(key, _)| key).collect();
    let mut settings = Settings::default();
    let keys = keys(&mut settings);
    for key in &of_the_file {
        assert!(keys.iter().any(|(known, _)| known == key), "{key} fills nothing");
    }
    for (key, slot) in &keys {
        assert!(of_the_file.contains(key), "{key} is in no template");
        assert_eq!(matches!(slot, Slot::Number(_)), RANGES.iter().any(|range| range.key == *key), "{key}");
    }
}

#[test]
fn an_extractor_that_can_not_be_asked_is_refused_by_name() {
    let (_folder, path) = file("");
    let says = |keys: &str| read(&path, &format!("[automatic_learning]\n{keys}\n"));
    let endpoint = "extractor = \"endpoint\"\nextractor_model = \"m\"\n";
    let fine = says(&format!("{endpoint}extractor_usd = 1\nextractor_batch = true")).expect("reads").automatic_learning;
    assert!(fine.extractor_batch && fine.extractor_usd == 1.0 && fine.extractor_calls == limits::EXTRACTOR_CALLS, "{fine:?}");
    for (keys, named) in [
        ("extractor = \"endpoint\"", "extractor_model"),
        ("extractor = \"cloud\"", "cloud"),
        ("extractor = \"agent\"\nextractor_model = \"--auto\"", "extractor_model"),
        ("extractor_calls = 0", "extractor_calls"),
        ("extractor_usd = -1", "extractor_usd"),
        ("extractor_usd = nan", "extractor_usd"),
        ("extractor_seconds = 601", "extractor_seconds"),
        ("extractor_key = \"sk\"", "extractor_key"),
    ] {
        let fault = says(keys).expect_err(keys).to_string();
        assert!(fault.contains(named) && fault.contains("automatic_learning"), "{keys}: {fault}");
    }
}

#[test]
fn comments_order_and_unknown_keys_survive_an_edit() {
    let (_folder, path) = file("# mine\nfuture = 1\nmodel = \"opus\" # the strong one\ncheck = \"make test\"\n");
    let mut settings = load(&path).expect("loads");
    settings.model = "haiku".into();
    save(&path, &settings).expect("saves");
    let text = std::fs::read_to_string(&path).expect("reads");
    assert!(text.starts_with("# mine\nfuture = 1\nmodel = \"haiku\" # the strong one\ncheck = \"make test\"\n"), "{text}");
    assert_eq!(load(&path).expect("loads"), settings);
}

#[test]
fn what_was_written_into_the_file_meanwhile_stays() {
    let (_folder, path) = file("model = \"opus\"\ncheck = \"make test\"\nmax_usd = 5\n");
    let seen = load(&path).expect("loads");
    std::fs::write(&path, "model = \"opus\"\ncheck = \"make all\"\nmax_usd = 5\n\n[automatic_learning]\nenabled = true\n").expect("writes");
    save_from(&path, &seen, &Settings { model: "haiku".into(), max_usd: 5.0, ..seen.clone() }).expect("saves");
    let text = std::fs::read_to_string(&path).expect("reads");
    assert_eq!(text, "model = \"haiku\"\ncheck = \"make all\"\nmax_usd = 5\n\n[automatic_learning]\nenabled = true\n");
}

#[test]
fn a_list_keeps_the_lines_and_comments_of_what_stays() {
    let lines = "models = [\n  # cheap first\n  \"small\", # for chores\n  'middle', # mostly\n  \"big\" # when stuck\n  # no more\n]\nhold_out = 0\n";
    for (models, expected) in [
        (vec!["small", "middle", "big"], lines.to_owned()),
        (vec!["small", "big"], lines.replace("  'middle', # mostly\n", "").replace("\"big\" #", "\"big\", #")),
        (vec!["middle", "big"], lines.replace("  # cheap first\n  \"small\", # for chores\n", "").replace("\"big\" #", "\"big\", #")),
        (vec!["small", "middle", "big", "huge"], lines.replace("\"big\" # when stuck\n", "\"big\", # when stuck\n  \"huge\",\n")),
    ] {
        for text in [lines.to_owned(), lines.replace('\n', "\r\n")] {
            let (_folder, path) = file(&text);
            let models: Vec<String> = models.iter().map(|model| (*model).to_owned()).collect();
            let was = load(&path).expect("loads");
            save(&path, &Settings { models: models.clone(), hold_out: 7, ..was }).expect("saves");
            let saved = std::fs::read_to_string(&path).expect("reads");
            let expected = expected.replace("hold_out = 0", "hold_out = 7");
            assert_eq!(saved, if text.contains('\r') { expected.replace('\n', "\r\n") } else { expected });
            assert_eq!(load(&path).expect("loads").models, models);
        }
    }
    for (text, expected) in [
        ("models = [\"small\",\"big\"] # two\n", "models = [\"big\", \"huge\"] # two\n"),
        ("models = [\"big\" # the only\n]\n", "models = [\"big\", # the only\n  \"huge\",\n]\n"),
        ("models = [ # ours\n  \"small\", \"big\", # both\n]\n", "models = [ # ours\n  \"big\", # both\n  \"huge\",\n]\n"),
        ("models = [] # none\n", "models = [\"big\", \"huge\"] # none\n"),
    ] {
        let (_folder, path) = file(text);
        save(&path, &Settings { models: vec!["big".into(), "huge".into()], ..load(&path).expect("loads") }).expect("saves");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), expected);
    }
}

#[test]
fn a_file_that_was_changed_just_now_is_not_trusted_to_stay() {
    let (_folder, path) = file("model = \"opus\"\n");
    let stamp = stamp_of(&path).expect("a file has one");
    let changed = stamp.changed.duration_since(UNIX_EPOCH).expect("after 1970");
    let at = |later: i64| Timestamp(i64::try_from(changed.as_millis()).expect("fits") + later);
    assert!(stamp.is_older_than(at(2_001)) && !stamp.is_older_than(at(2_000)) && !stamp.is_older_than(at(-5_000)));
    assert_eq!(stamp_of(Path::new("/nonexistent/config.toml")), None);
}

#[test]
fn faults_name_the_key_or_the_line() {
    for (text, named) in [
        ("agent = \"cat\"", "agent"),
        ("max_learnings = 2", "max_learnings"),
        ("stuck_after = 0", "stuck_after"),
        ("max_usd = -1", "max_usd"),
        ("allowed_tools = [1]", "allowed_tools"),
        ("check = 3", "check"),
        ("feedback = \"always\"", "feedback"),
        ("feedback_shadow_days = 6", "feedback_shadow_days"),
        ("pass_env = [\"A=1\"]", "pass_env"),
        ("pass_env = [\"RALPH_TASK\"]", "pass_env"),
        ("review = \"nobody\"", "review"),
        ("permissions = \"all\"", "permissions"),
        ("permission_mode = \"acceptEdit\"", "one of acceptEdits, default, "),
        ("permission_mode = \" \"", "permission_mode"),
        ("dependencies = \"soon\"", "dependencies"),
        ("resolve = \"me\"", "resolve"),
        ("reviewer = \"cat\"", "reviewer"),
        ("reviewer_send_backs = 21", "reviewer_send_backs"),
        ("worktree_folder = \"here\"", "worktree_folder"),
        ("worktree_branch = \"main\"", "worktree_branch"),
        ("worktree_branch = \"a b/{task}\"", "can't be the name of a branch"),
        ("worktree_branch = \"-{task}\"", "can't be the name of a branch"),
        ("worktree_branch = \"x{task}..y\"", "can't be the name of a branch"),
        ("worktree_branch = \"ralph//{task}\"", "can't be the name of a branch"),
        ("bring_along = [\"../x\"]", "bring_along"),
        ("worktree_port = 99999", "worktree_port"),
        ("learnings_file = \"/etc/x.md\"", "learnings_file"),
        ("learnings_file = \"docs/knowledge/learnings.md\"", "learnings_file"),
        ("knowledge_folder = \"../docs\"", "knowledge_folder"),
        ("knowledge_folder = \"docs/knowledge/\"", "knowledge_folder"),
        ("knowledge_folder = \"docs//knowledge\"", "knowledge_folder"),
        ("consolidate_stale_days = 7", "consolidate_stale_days"),
        ("consolidate_fresh_days = 14", "consolidate_stale_days"),
        ("consolidate_min_entries = 0", "consolidate_min_entries"),
        ("consolidate_review = \"nobody\"", "consolidate_review"),
        ("consolidate_model = \"\"", "consolidate_model"),
        ("model = \"--attach=http://127.0.0.1:1\"", "model"),
        ("models = [\"haiku\", \"--auto\"]", "models"),
        ("reviewer_model = \"-c\"", "reviewer_model"),
        ("consolidate_model = \"a b\"", "consolidate_model"),
        ("model = ", "line 1"),
    ] {
        let (_folder, path) = file(text);
        let error = load(&path).expect_err(text).to_string();
        assert!(error.contains(named), "{text}: {error}");
    }
}

#[test]
fn the_permission_modes_of_claude_code_are_taken_and_none_is_its_own() {
    for mode in CLAUDE_MODES.into_iter().chain([""]) {
        let settings = read(Path::new("config.toml"), &format!("permission_mode = \"{mode}\"")).expect("is known");
        assert_eq!(settings.permission_mode, mode);
    }
}

#[test]
fn what_is_learnt_is_saved_with_its_comments_and_a_file_without_the_table_stays_so() {
    let (_folder, path) = file("model = \"opus\"\n\n[automatic_learning]\n# ours\nenabled = true # yes\nmode = \"minimal\"\n");
    let mut settings = load(&path).expect("loads");
    settings.automatic_learning = AutomaticLearning {
        mode: ralph_core::settings::LearningMode::Aggressive,
        min_episode_confidence: 0.8,
        track_tasks: false,
        ..settings.automatic_learning
    };
    save(&path, &settings).expect("saves");
    let text = std::fs::read_to_string(&path).expect("reads");
    assert!(text.contains("[automatic_learning]\n# ours\nenabled = true # yes\nmode = \"aggressive\"\n"), "{text}");
    assert!(text.contains("track_tasks = false") && text.contains("min_episode_confidence = 0.8"), "{text}");
    assert!(!text.contains("track_operations"), "what was never said stays unsaid: {text}");
    assert_eq!(load(&path).expect("loads"), settings);

    let (_folder, path) = file("model = \"opus\"\n");
    let mut settings = load(&path).expect("loads");
    save(&path, &settings).expect("saves");
    assert!(!std::fs::read_to_string(&path).expect("reads").contains("automatic_learning"));
    settings.automatic_learning.enabled = true;
    save(&path, &settings).expect("saves");
    assert!(std::fs::read_to_string(&path).expect("reads").ends_with("[automatic_learning]\nenabled = true\n"));
}

#[test]
fn a_value_of_another_kind_is_told_with_its_key_and_the_kind_that_is_wanted() {
    for (text, told) in [
        ("[recall]\ntrigram = \"x\"", "'recall' trigram: must be a number"),
        ("[recall]\ntrigram = 1\ntrigrams = 1", "unknown field `trigrams`"),
        ("recall = 3", "'recall' must be a table of its own, below a line [recall]"),
        ("[automatic_learning]\nmode = 3", "'automatic_learning' mode: must be a text in quotes"),
        ("[automatic_learning]\nextractor_calls = -1", "'automatic_learning' extractor_calls: must be a whole number from 0"),
        ("[automatic_learning]\nextractor_calls = 1.5", "'automatic_learning' extractor_calls: must be a whole number from 0"),
        ("[automatic_learning]\nenabled = 1", "'automatic_learning' enabled: must be true or false"),
        ("models = \"opus\"", "'models' must be a list of texts in quotes, for example [\"one\", \"two\"]"),
    ] {
        let fault = read(Path::new("config.toml"), text).expect_err(text).to_string();
        assert!(fault.contains(told), "{text}: {fault}");
    }
}

#[test]
fn a_key_of_automatic_learning_that_can_not_be_used_is_named() {
    for (text, names) in [
        ("mode = \"wild\"", "mode"),
        ("enabled = \"yes\"", "enabled"),
        ("track_task = true", "track_task"),
        ("min_episode_confidence = 2.0", "min_episode_confidence"),
        ("min_episode_confidence = \"high\"", "min_episode_confidence"),
    ] {
        let fault = read(Path::new("config.toml"), &format!("[automatic_learning]\n{text}\n")).expect_err(text).to_string();
        assert!(fault.contains("automatic_learning") && fault.contains(names), "{text}: {fault}");
    }
}
