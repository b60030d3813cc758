//! Ages against a slow reference implementation, on generated histories and on oddities of real ones.

use super::{commit, git, git_on, sample, write};
use crate::{Ages, Repo};
use ralph_core::active_days::Day;
use ralph_core::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn ages(repo: &Repo, path: &str) -> Ages {
    repo.learning_ages(Some((Path::new(path), "digest")), Ages::default()).expect("ages")
}

/// Ages of the lines in active days.
fn in_days(ages: &Ages) -> Vec<Option<u32>> {
    ages.lines().iter().map(|written| written.map(|day| ages.days.after(day))).collect()
}

#[test]
fn active_days_are_distinct_author_dates() {
    let (_directory, repo) = sample();
    for (number, date) in ["2026-01-31T23:30:00+0900", "2026-01-31T08:00:00+0000", "2025-12-24T12:00:00+0000"].iter().enumerate() {
        write(&repo, "a.txt", &number.to_string());
        git_on(repo.root(), &["commit", "-qam", "x"], date);
    }
    let days = repo.active_days().expect("days");
    let expected = ["2025-12-24", "2026-01-31", "2026-03-04"].iter().filter_map(|day| Day::parse(day)).collect();
    assert_eq!(days, expected);
}

#[test]
fn a_list_of_ignored_commits_that_is_missing_costs_no_ages() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "a lesson\n");
    git_on(repo.root(), &["commit", "-qam", "x"], "2026-01-31T08:00:00+0000");
    let expected = ages(&repo, "a.txt").lines().to_vec();
    assert!(!expected.is_empty() && expected.iter().all(Option::is_some), "{expected:?}");
    git(repo.root(), &["config", "blame.ignoreRevsFile", ".git-blame-ignore-revs"]);
    assert_eq!(ages(&repo, "a.txt").lines(), expected);
}

#[test]
fn a_commit_of_any_time_leaves_the_days_of_the_others_known() {
    let (_directory, repo) = sample();
    let mut known = repo.learning_ages(None, Ages::default()).expect("ages");
    for date in ["@0 -0800", "@253402300800 +0000", "@1772618400 -0330"] {
        git_on(repo.root(), &["commit", "-q", "--allow-empty", "-m", "x"], date);
        known = repo.learning_ages(None, known).expect("ages");
    }
    let of = |seconds: i64, zone| Day::of(Timestamp(seconds * 1_000), zone);
    let expected = [of(0, -480), of(253_402_300_800, 0), of(1_772_618_400, -210)].into_iter().collect();
    assert_eq!((&known.days, repo.active_days().expect("days").count()), (&expected, 3), "the last one is of the day of the first commit");
    assert_eq!(repo.active_days().expect("days"), expected);
    assert_eq!(of(0, -480).to_string(), "1969-12-31");
}

#[test]
fn an_encoding_of_the_output_changes_no_age() {
    let (_directory, repo) = sample();
    let expected = ages(&repo, "a.txt");
    for encoding in ["UTF-16", "UTF-7"] {
        git(repo.root(), &["config", "i18n.logOutputEncoding", encoding]);
        assert_eq!(ages(&repo, "a.txt"), expected, "{encoding}");
    }
}

#[test]
fn a_commit_that_is_named_for_blame_to_pass_over_is_passed_over_at_the_next_look() {
    let (_directory, repo) = sample();
    write(&repo, "a.txt", "Seeds live in the folder db, since the importer reads no other\n");
    git_on(repo.root(), &["commit", "-qam", "learnt"], "2026-04-01T10:00:00+0000");
    write(&repo, "a.txt", "SEEDS LIVE IN THE FOLDER DB, SINCE THE IMPORTER READS NO OTHER\n");
    git_on(repo.root(), &["commit", "-qam", "another style"], "2026-05-01T10:00:00+0000");
    let look = |known: Ages| repo.learning_ages(Some((Path::new("a.txt"), "digest")), known).expect("ages");
    let day = |date| Some(Day::parse(date).expect("a day"));
    let seen = look(Ages::default());
    assert_eq!(seen.lines(), [day("2026-05-01")]);
    write(&repo, "list", "");
    git(repo.root(), &["config", "blame.ignoreRevsFile", "list"]);
    let seen = look(seen);
    assert_eq!(seen.lines(), [day("2026-05-01")], "it names none yet");
    write(&repo, "list", &git(repo.root(), &["rev-parse", "HEAD"]));
    let seen = look(seen);
    assert_eq!(seen.lines(), [day("2026-04-01")]);
    git(repo.root(), &["config", "--unset", "blame.ignoreRevsFile"]);
    assert_eq!(look(seen).lines(), [day("2026-05-01")]);
}

/// A commit of a generated history: its additions are in it and in all descendants.
#[derive(Clone)]
struct Made {
    parents: Vec<usize>,
    seconds: i64,
    /// Minutes ahead of UTC.
    zone: i64,
    /// Numbers of the entries that its file holds, each with the commit that wrote it first.
    entries: BTreeMap<u32, usize>,
    /// How its lines begin and end.
    style: (&'static str, &'static str),
    path: &'static str,
}

const STYLES: [(&str, &str); 4] = [("", "\n"), ("", "\r\n"), ("  ", "\n"), ("\t", "  \r\n")];

/// A seeded random source.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Sprints of many commits a day, weeks of vacation, authors all over the world, branches merged by two and by three,
/// cherry-picks that keep their author date, commits of nothing but white space or line ends, and a rename.
fn history(seed: u64) -> Vec<Made> {
    let mut dice = Dice(seed);
    let mut now = 1_700_000_000;
    let mut made: Vec<Made> =
        vec![Made { parents: vec![], seconds: now, zone: 0, entries: BTreeMap::new(), style: STYLES[0], path: "learnings.md" }];
    let mut heads = vec![0];
    for number in 1..60_u32 {
        now += match dice.below(10) {
            0 => 20 * 86_400,
            1..=3 => 86_400,
            _ => 1_200,
        };
        let zone = [-660, -210, 0, 60, 330, 780][dice.below(6) as usize];
        let at = made.len();
        let of = heads[dice.below(heads.len() as u64) as usize];
        match dice.below(8) {
            0 if heads.len() < 4 => heads.push(of),
            1 if heads.len() > 1 => {
                let parents: BTreeSet<usize> = heads.iter().copied().collect();
                let entries = parents.iter().flat_map(|parent| made[*parent].entries.clone()).collect();
                made.push(Made {
                    parents: parents.into_iter().collect(),
                    seconds: now,
                    zone,
                    entries,
                    style: made[of].style,
                    path: made[0].path,
                });
                heads = vec![at];
            }
            2 if heads.len() > 1 => {
                // Cherry-picks the last commit of another branch: the author date is kept.
                let other = heads[dice.below(heads.len() as u64) as usize];
                let Some((entry, by)) = made[other].entries.iter().next_back().map(|(e, by)| (*e, *by)) else { continue };
                if made[of].entries.contains_key(&entry) {
                    continue;
                }
                let mut entries = made[of].entries.clone();
                entries.insert(entry, by);
                made.push(Made { parents: vec![of], entries, style: made[of].style, ..made[by].clone() });
                heads.iter_mut().filter(|head| **head == of).for_each(|head| *head = at);
            }
            3 => {
                let style = STYLES[dice.below(4) as usize];
                made.push(Made { parents: vec![of], seconds: now, zone, style, ..made[of].clone() });
                heads.iter_mut().filter(|head| **head == of).for_each(|head| *head = at);
            }
            _ => {
                let mut entries = made[of].entries.clone();
                entries.insert(number, at);
                made.push(Made { parents: vec![of], seconds: now, zone, entries, style: made[of].style, path: made[0].path });
                heads.iter_mut().filter(|head| **head == of).for_each(|head| *head = at);
            }
        }
    }
    let parents: BTreeSet<usize> = heads.into_iter().collect();
    let entries: BTreeMap<u32, usize> = parents.iter().flat_map(|parent| made[*parent].entries.clone()).collect();
    made.push(Made {
        parents: parents.into_iter().collect(),
        seconds: now + 5,
        zone: 0,
        entries: entries.clone(),
        style: STYLES[1],
        path: made[0].path,
    });
    made.push(Made { parents: vec![made.len() - 1], seconds: now + 90_000, zone: 0, entries, style: STYLES[1], path: "docs/learnt.md" });
    made
}

fn line(entry: u32) -> String {
    format!("- entry {entry:03} says something that no other line of this file says, number {}", u64::from(entry) * 7_919)
}

/// Imports the history into git.
fn import(repo: &Repo, history: &[Made]) {
    let mut stream = String::new();
    for (at, one) in history.iter().enumerate() {
        let (sign, zone) = (if one.zone < 0 { '-' } else { '+' }, one.zone.abs());
        let (indent, end) = one.style;
        let content: String = one.entries.keys().map(|entry| format!("{indent}{}{end}", line(*entry))).collect();
        let _ = write!(
            stream,
            "commit refs/heads/made\nmark :{}\nauthor A <a@example.org> {} {sign}{:02}{:02}\ncommitter C <c@example.org> {} +0000\ndata 1\nx\n",
            at + 1,
            one.seconds,
            zone / 60,
            zone % 60,
            1_800_000_000 + at,
        );
        for (place, parent) in one.parents.iter().enumerate() {
            let _ = writeln!(stream, "{} :{}", if place == 0 { "from" } else { "merge" }, parent + 1);
        }
        let _ = write!(stream, "deleteall\nM 100644 inline {}\ndata {}\n{content}\n", one.path, content.len());
    }
    let mut child = Command::new("git")
        .current_dir(repo.root())
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("git runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), stream.as_bytes()).expect("writes");
    assert!(child.wait().expect("ends").success(), "{stream}");
    git(repo.root(), &["checkout", "-q", "-f", "made"]);
}

/// The local date of a commit, computed independently.
fn local_day(one: &Made) -> i64 {
    (one.seconds + one.zone * 60).div_euclid(86_400)
}

#[test]
fn ages_are_what_a_slow_count_over_the_whole_history_says() {
    for seed in 1..=6 {
        let directory = TempDir::new().expect("temporary folder");
        let repo = Repo::init(directory.path()).expect("init");
        let history = history(seed);
        import(&repo, &history);
        let last = history.last().expect("some");
        let days: BTreeSet<i64> = history.iter().map(local_day).collect();
        let slow: Vec<Option<u32>> =
            last.entries.values().map(|by| Some(days.iter().filter(|day| **day > local_day(&history[*by])).count() as u32)).collect();
        let found = ages(&repo, last.path);
        assert!(!found.shallow && last.entries.len() > 15, "seed {seed}");
        assert_eq!(in_days(&found), slow, "seed {seed}");
    }
}

#[test]
fn a_second_look_reads_only_what_is_new_and_says_the_same() {
    let directory = TempDir::new().expect("temporary folder");
    let repo = Repo::init(directory.path()).expect("init");
    import(&repo, &history(9));
    let path = Path::new("docs/learnt.md");
    let first = ages(&repo, "docs/learnt.md");
    write(&repo, "other.txt", "x");
    let date = "2027-01-01T12:00:00+0000";
    git(repo.root(), &["add", "-A"]);
    git_on(repo.root(), &["commit", "-q", "-m", "later"], date);
    let second = repo.learning_ages(Some((path, "digest")), first.clone()).expect("ages");
    assert_eq!(second, ages(&repo, "docs/learnt.md"));
    assert_eq!(second.days.count(), first.days.count() + 1);
    // The file or the history changed: nothing stale is returned.
    std::fs::write(repo.root().join(path), "- new\n").expect("writes");
    let changed = repo.learning_ages(Some((path, "other")), second.clone()).expect("ages");
    assert_eq!(changed.lines(), [None]);
    git(repo.root(), &["checkout", "-q", "-f", "-B", "elsewhere", "made~5"]);
    let elsewhere = repo.learning_ages(None, second).expect("ages");
    assert_eq!(elsewhere.days, repo.active_days().expect("days"));
    assert_eq!(repo.learning_ages(Some((path, "digest")), elsewhere.clone()).expect("ages").lines(), [], "it is not there");
    let mut stranger = elsewhere;
    stranger.head = Some("0123456789012345678901234567890123456789".into());
    assert_eq!(repo.learning_ages(None, stranger).expect("ages").days, repo.active_days().expect("days"));
}

#[test]
fn a_history_whose_commits_are_replaced_is_read_again() {
    let (_directory, repo) = sample();
    for day in ["2026-04-01", "2026-04-02", "2026-04-03"] {
        write(&repo, "a.txt", day);
        git_on(repo.root(), &["commit", "-qam", "x"], &format!("{day}T10:00:00+0000"));
    }
    let look = |known: Ages| repo.learning_ages(None, known).expect("ages");
    let whole = look(Ages::default());
    git(repo.root(), &["replace", "--graft", "HEAD~1"]);
    let cut = look(whole.clone());
    assert_eq!((whole.days.count() > 2, cut.days.count()), (true, 2));
    git(repo.root(), &["pack-refs", "--all"]);
    assert_eq!(look(whole.clone()).days, cut.days);
    git(repo.root(), &["replace", "-d", git(repo.root(), &["rev-parse", "HEAD~1"]).trim()]);
    assert_eq!(look(cut), whole);
}

#[test]
fn what_is_not_committed_has_no_day_and_a_rebase_keeps_the_authors() {
    let (_directory, repo) = sample();
    let text = "## One thing that is long enough to be known again\n- because of a reason that nobody else has written down\n";
    assert_eq!(ages(&repo, "learnings.md").lines(), []);
    write(&repo, "learnings.md", text);
    assert_eq!(ages(&repo, "learnings.md").lines(), [], "it is untracked");
    git(repo.root(), &["checkout", "-q", "-b", "side"]);
    git(repo.root(), &["add", "-A"]);
    git_on(repo.root(), &["commit", "-q", "-m", "learnt"], "2026-03-05T23:30:00-0500");
    git(repo.root(), &["checkout", "-q", "main"]);
    write(&repo, "b.txt", "more");
    git(repo.root(), &["commit", "-qam", "meanwhile"]);
    git_on(repo.root(), &["rebase", "-q", "main", "side"], "2026-05-01T00:00:00+0000");
    write(&repo, "learnings.md", &format!("{text}- not committed\r\n"));
    let written = Some(Day::of(Timestamp::parse("2026-03-05T12:00:00Z").expect("a time"), 0));
    assert_eq!(ages(&repo, "learnings.md").lines(), [written, written, None]);
    assert_eq!(in_days(&ages(&repo, "learnings.md")), [Some(0), Some(0), None]);
}

#[test]
fn a_shallow_clone_says_so_and_is_read_again_when_it_is_deepened() {
    let (directory, repo) = sample();
    for day in ["2026-04-01", "2026-04-02", "2026-04-03"] {
        write(&repo, "a.txt", day);
        git_on(repo.root(), &["commit", "-qam", "x"], &format!("{day}T10:00:00+0000"));
    }
    let from = format!("file://{}", repo.root().display());
    git(directory.path(), &["clone", "-q", "--depth", "1", &from, "shallow"]);
    let clone = Repo::discover(&directory.path().join("shallow")).expect("a repository");
    let seen = ages(&clone, "b.txt");
    assert!(seen.shallow && seen.days.count() == 1, "{seen:?}");
    git(clone.root(), &["fetch", "-q", "--unshallow"]);
    let all = clone.learning_ages(Some((Path::new("b.txt"), "digest")), seen).expect("ages");
    assert!(!all.shallow && in_days(&all) == [Some(3)], "{all:?}");
}

#[test]
fn no_program_that_the_repository_names_is_run_to_read_a_file() {
    let (_directory, repo) = sample();
    git(repo.root(), &["config", "diff.odd.textconv", "touch ran; cat"]);
    write(&repo, ".gitattributes", "*.txt diff=odd\n");
    commit(&repo, "attributes");
    assert_eq!(in_days(&ages(&repo, "a.txt")), [Some(0)]);
    assert!(!repo.root().join("ran").exists());
}
