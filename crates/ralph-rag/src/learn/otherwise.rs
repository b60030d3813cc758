//! What two commands say otherwise, as far as that can be why one of them works and the other one does not.

use crate::words::is_listed;
use ralph_core::shell_words::{Step, Word, steps};
use ralph_core::text::cut;

/// Options by which a program tells more or less of the same work, alone or with a value behind "=".
const REPORTING: &str =
    "-v -vv -vvv -q --verbose --nocapture --show-output --stacktrace --full-stacktrace --info --tb --color --no-color --log-level";
/// Variables that do no more.
const REPORTING_VARIABLES: &str = "RUST_BACKTRACE RUST_LOG TF_LOG V VERBOSE PYTHONUNBUFFERED NO_COLOR FORCE_COLOR";
/// Repeats what worked before; what failed is repeated anyway.
const REPEATING: &str = "-count=1";

/// Whether a word changes only what is told of the work, or that it is done once more.
pub(super) fn only_reports(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    word == REPEATING || is_listed(REPORTING, name) || name.len() < word.len() && is_listed(REPORTING_VARIABLES, name)
}

/// Whether two commands say something else to a shell: by their words, by what they are given to read, by where that is read from, or by
/// what one step has to do with the next. What is written to a file as well is as it was; what is written to another file is not. A wait, a
/// limit of time, and how much is told of the work say nothing.
pub(super) fn says_other(old: &str, new: &str) -> bool {
    let (old, new) = (steps(old), steps(new));
    let written = |steps: &[Step]| -> Vec<String> { steps.iter().flat_map(writes).collect() };
    let (before, after) = (written(&old), written(&new));
    said(&old) != said(&new) || !before.is_empty() && !after.is_empty() && before != after
}

/// Whether the words of two commands differ, and not only what they read and write.
pub(super) fn differ_in_words(old: &str, new: &str) -> bool {
    let (old, new) = (steps(old), steps(new));
    said(&old).iter().map(|said| &said.words).ne(said(&new).iter().map(|said| &said.words))
}

/// What a step says.
#[derive(PartialEq)]
struct Said<'s> {
    words: Vec<&'s str>,
    input: &'s str,
    /// Where that is read from.
    from: Vec<&'s str>,
    /// Whether the next step runs only if this one works.
    decides: bool,
}

fn said(steps: &[Step]) -> Vec<Said<'_>> {
    let waits = |step: &&Step| step.command().first().is_some_and(|program| program.text == "sleep");
    let of_step = |step| Said { words: words_of(step), input: &step.input, from: reads(step), decides: step.operator == "&&" };
    let mut said: Vec<Said<'_>> = steps.iter().filter(|step| !waits(step)).map(of_step).collect();
    if let Some(last) = said.last_mut() {
        last.decides = false;
    }
    said
}

/// The words of a step that make a difference.
fn words_of(step: &Step) -> Vec<&str> {
    let (leading, words) = step.words.split_at(step.words.len() - step.command().len());
    let is_limited = leading.iter().any(|word| word.text == "timeout");
    let of_limit = |word: &Word| word.text == "timeout" || word.text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let leading = leading.iter().filter(|word| word.text != "time" && !(is_limited && of_limit(word)));
    let words = leading.chain(words).filter(|word| word.quoted || !only_reports(&word.text));
    let mut words: Vec<&str> = words.map(|word| word.text.as_str()).collect();
    // It parts the words before it from those after it, of which there are none.
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

/// Two commands as they are told, each with at most so many characters: of long ones what begins shortly before the first word that differs.
/// `None` if that doesn't show it.
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
            assert!(!says_other(one, other) && !says_other(other, one), "{one}\n{other}");
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
            assert!(says_other(one, other) && says_other(other, one), "{one}\n{other}");
        }
        assert!(differ_in_words("npm start", "PORT=3001 npm start") && !differ_in_words("sh check.sh < old.txt", "sh check.sh < new.txt"));
    }
}
