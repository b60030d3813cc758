//! How two commands differ, as far as that can explain why one works and the other does not.

use crate::words::is_listed;
use ralph_core::shell_words::{Step, Word, steps};
use ralph_core::text::cut;

/// Options that make a program say more or less about the same work, alone or with a value behind "=".
const REPORTING: &str =
    "-v -vv -vvv -q --verbose --nocapture --show-output --stacktrace --full-stacktrace --info --tb --color --no-color --log-level";
/// Variables that do nothing else.
const REPORTING_VARIABLES: &str = "RUST_BACKTRACE RUST_LOG TF_LOG V VERBOSE PYTHONUNBUFFERED NO_COLOR FORCE_COLOR";
/// Programs that take texts for people to read, such as a commit message, and the options that hold them.
const TELLING_PEOPLE: [(&str, &str); 5] =
    [("git", OF_MESSAGES), ("hg", OF_MESSAGES), ("jj", OF_MESSAGES), ("gh", OF_REQUESTS), ("glab", OF_REQUESTS)];
const OF_MESSAGES: &str = "-m -am --message -F --file";
const OF_REQUESTS: &str = "-t -b -n -F --title --body --notes --description --body-file --notes-file";
/// Words of an error that is about such a text.
const ABOUT_TEXTS: [&str; 7] = ["commit-msg", "commitlint", "subject", "message", "title", "body", "description"];
/// Repeats what worked before; what failed is repeated anyway.
const REPEATING: &str = "-count=1";

/// Whether a word changes only how much is said about the work, or only repeats it.
pub(super) fn only_reports(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    word == REPEATING || is_listed(REPORTING, name) || name.len() < word.len() && is_listed(REPORTING_VARIABLES, name)
}

/// Whether two commands mean different things to a shell: by their words, by their input, by where that comes from, or by how one step
/// depends on the next. Output that also goes to a file is the same; output that goes to a different file is not. Waits, time limits and
/// verbosity make no difference; nor do texts for people, unless the first one's error is about them.
pub(super) fn says_other(old: &str, new: &str, error: &str) -> bool {
    let texts = is_about_texts(error);
    let (old, new) = (steps(old), steps(new));
    let written = |steps: &[Step]| -> Vec<String> { steps.iter().flat_map(writes).collect() };
    let (before, after) = (written(&old), written(&new));
    said(&old, texts) != said(&new, texts) || !before.is_empty() && !after.is_empty() && before != after
}

/// Whether the words of two commands differ, and not only what they read and write.
pub(super) fn differ_in_words(old: &str, new: &str, error: &str) -> bool {
    let texts = is_about_texts(error);
    let (old, new) = (steps(old), steps(new));
    said(&old, texts).iter().map(|said| &said.words).ne(said(&new, texts).iter().map(|said| &said.words))
}

fn is_about_texts(error: &str) -> bool {
    let error = error.to_lowercase();
    ABOUT_TEXTS.iter().any(|word| error.contains(word))
}

/// What a step says.
#[derive(PartialEq)]
struct Said<'s> {
    words: Vec<&'s str>,
    input: &'s str,
    /// Where its input is read from.
    from: Vec<&'s str>,
    /// Whether the next step runs only if this one works.
    decides: bool,
}

/// What steps say; with or without the texts for people.
fn said(steps: &[Step], texts: bool) -> Vec<Said<'_>> {
    let waits = |step: &&Step| step.command().first().is_some_and(|program| program.text == "sleep");
    let of_step = |step| {
        let of_texts = text_options(step).filter(|_| !texts);
        let input = if of_texts.is_some() { "" } else { &step.input };
        Said { words: words_of(step, of_texts), input, from: reads(step), decides: step.operator == "&&" }
    };
    let mut said: Vec<Said<'_>> = steps.iter().filter(|step| !waits(step)).map(of_step).collect();
    if let Some(last) = said.last_mut() {
        last.decides = false;
    }
    said
}

/// The options of a step's program whose values are texts for people.
fn text_options(step: &Step) -> Option<&'static str> {
    let program = step.command().first()?.text.rsplit('/').next()?;
    TELLING_PEOPLE.iter().find(|(name, _)| *name == program).map(|(_, options)| *options)
}

/// The words of a step that make a difference, without the values of these options.
fn words_of<'s>(step: &'s Step, without: Option<&str>) -> Vec<&'s str> {
    let (leading, words) = step.words.split_at(step.words.len() - step.command().len());
    let is_limited = leading.iter().any(|word| word.text == "timeout");
    let of_limit = |word: &Word| word.text == "timeout" || word.text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let leading = leading.iter().filter(|word| word.text != "time" && !(is_limited && of_limit(word)));
    let has_text = |option: &str| without.is_some_and(|options| is_listed(options, option));
    let mut is_text = false;
    let words = leading.chain(words).filter(|word| word.quoted || !only_reports(&word.text)).filter_map(|word| {
        if std::mem::replace(&mut is_text, has_text(&word.text)) {
            return None;
        }
        let option = word.text.split('=').next().filter(|option| has_text(option));
        Some(option.unwrap_or(&word.text))
    });
    let mut words: Vec<&str> = words.collect();
    // It separates the words before it from those after it, and there are none after it.
    words.pop_if(|last| *last == "--");
    words
}

fn reads(step: &Step) -> Vec<&str> {
    let reads = step.redirections.iter().filter(|to| to.starts_with(['<', '0']) && !to.contains('>'));
    reads.map(String::as_str).collect()
}

fn writes(step: &Step) -> impl Iterator<Item = String> {
    step.redirections.iter().filter(|to| to.contains('>') && !to.contains(">&") && !to.ends_with("/dev/null")).cloned()
}

/// Two commands as a lesson quotes them, each with at most so many characters. Long ones are cut to begin shortly before the first word
/// that differs; `None` if even that doesn't show the difference.
pub(super) fn told_apart(old: &str, new: &str, most_chars: usize) -> Option<(String, String)> {
    let differs = old.char_indices().zip(new.chars()).find(|((_, one), other)| one != other);
    let shared = &old[..differs.map_or(old.len().min(new.len()), |((at, _), _)| at)];
    let word = shared.rfind(' ').map_or(0, |at| at + 1);
    let before = shared[..word].chars().count().saturating_sub(most_chars / 4);
    let fit = [old, new].iter().all(|command| cut(command, most_chars) == *command);
    let from = if fit { 0 } else { cut(shared, before).len() };
    let told = |command: &str| format!("{}{}", if from > 0 { "…" } else { "" }, cut(&command[from..], most_chars));
    let (old, new) = (told(old), told(new));
    (old != new).then_some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_is_told_a_wait_and_a_limit_of_time_say_nothing_else() {
        for (one, other) in [
            ("pytest t.py", "pytest -v t.py"),
            ("pytest", "pytest -q --tb=short"),
            ("cargo test -p store", "RUST_BACKTRACE=1 cargo test -p store"),
            ("cargo test", "cargo test -- --nocapture"),
            ("cargo test -- --test-threads=1", "cargo test -- --nocapture --test-threads=1"),
            ("make", "make V=1"),
            ("go test ./...", "go test -v ./... -count=1"),
            ("./gradlew build", "./gradlew build --info --stacktrace"),
            ("apt-get install -y jq", "sleep 30; apt-get install -y jq"),
            ("cd web && npm test", "cd web && sleep 5 && time npm test"),
            ("A=1 npm test", "A=1 timeout -k 5 60s npm test"),
            ("sh check.sh", "sh check.sh > log 2>&1"),
        ] {
            assert!(!says_other(one, other, "") && !says_other(other, one, ""), "{one}\n{other}");
        }
        for (one, other) in [
            ("npm test", "npm test -- -i"),
            ("npm test --runInBand", "npm test -- --runInBand"),
            ("npm start", "PORT=3001 npm start"),
            ("cargo test", "cargo test --features sqlite"),
            ("docker run -v /a:/a web", "docker run web"),
            ("psql -v x=1", "psql -v x=2"),
            ("go test ./...", "go test ./... -race"),
            ("npm test", "ulimit -n 4096; npm test"),
            ("npm test", "cd web && npm test"),
            ("sh check.sh < old.txt", "sh check.sh < new.txt"),
            ("docker compose up -d", "docker compose up"),
        ] {
            assert!(says_other(one, other, "") && says_other(other, one, ""), "{one}\n{other}");
        }
        let differ = |one, other| differ_in_words(one, other, "");
        assert!(differ("npm start", "PORT=3001 npm start") && !differ("sh check.sh < old.txt", "sh check.sh < new.txt"));
    }

    #[test]
    fn a_text_for_people_makes_a_difference_only_where_the_error_is_about_it() {
        let (lint, subject) = ("error  'total' is never used", "✖   subject may not be empty");
        for (one, other) in [
            ("git commit -m 'cart: round'", "git commit -m 'cart: round once'"),
            ("git commit -am a", "git commit -am b"),
            ("git commit --message=a", "git commit --message=b"),
            ("git commit -F - <<'EOF'\na\nEOF", "git commit -F - <<'EOF'\nb\nEOF"),
            ("gh pr create --title A --body x", "gh pr create --title B --body y"),
        ] {
            assert!(!says_other(one, other, lint) && says_other(one, other, subject), "{one}\n{other}");
        }
        for (one, other) in
            [("git commit -m a", "git commit -m a src"), ("python -m a", "python -m b"), ("docker run -m 1g a", "docker run -m 2g a")]
        {
            assert!(says_other(one, other, lint), "{one}\n{other}");
        }
    }
}
