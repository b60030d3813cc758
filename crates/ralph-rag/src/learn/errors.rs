//! What the error of an operation tells.

use super::Operation;
use ralph_core::text::cut;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Characters of an error that a lesson repeats.
const ERROR_CHARS: usize = 160;
/// Words that identify the error line in an output.
const ERROR_WORDS: [&str; 10] =
    ["error", "err!", "failed", "panicked", "not found", "no such", "cannot", "could not", "exception", "denied"];
/// Lines that only say that something failed, or give its number, beside others that say what.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:npm (?:error|err!) (?:code|errno|syscall|path)\b.*|(?:failure: )?build failed(?: in [\w. ]+| with an exception)?\.?)$",
    )
    .expect("a constant pattern")
});

/// How a line begins that names what failed, or the place.
static OF_FAILURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:FAIL\b|FAILED\b|--- FAIL|[✗✖×●]|-->|E )").expect("a constant pattern"));
/// Lines with the words of failures that tell of what worked, or only count: `PASS errors.test.ts`, `1 failed, 4 passed`, `Found 2 errors.`.
static OF_WHAT_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:PASS|ok|Compiling|Checking|Running|Downloading|Building|\[INFO\]|✓|√)\b|^[✓√]|\b(?:ok|passed)$|\bPASSED\b",
        r"|could not compile|\b\d+ (?:\w+ )?(?:failed|failures?|errors?|problems?|passed|previous errors?)\b|\b(?:failures?|errors?|failed): *\d",
    ))
    .expect("a constant pattern")
});

/// Refusals for want of a permission, as the agents and Ralph word them: what works then some other way goes round what a person, or their
/// rule, said.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)has been denied|permissions? to use|requires approval|rejected by user|user (?:rejected|doesn't want)|a rule which prevents",
        r"|PreToolUse:\S+ (?:hook|denied)|was blocked\. For security|so this is not allowed\.|the person said no\.",
    ))
    .expect("a constant pattern")
});
/// Faults of the network, or of who is at its other end: that it works later has no cause in what was called. Of hosts those with a dot,
/// since others are the project's own, and may be missing because of a mistake.
static OF_NETWORK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)ECONNRESET|ENETUNREACH|gateway time-?out|status code (?:429|5\d\d)|rate limit|too ?many ?requests|service unavailable|bad gateway",
        r"|\b(?:HTTP (?:status|error):? ?|returned error: |code E)(?:429|50[234])\b|spurious network error|connection (?:reset by peer|aborted)",
        r"|could ?n.t resolve host(?: name\b|: [\w-]+\.)|lookup [\w-]+(?:\.[\w-]+)+(?: on \S+)?: no such host|ENOTFOUND [\w-]+\.",
        r"|(?:resolve host address|Hostadresse) \W?[\w-]+\.|(?:name or service|servname provided, or) not known \([\w-]+\.",
        r"|failed to connect to [\w.-]+\.[a-z]{2,} port (?:80|443)\b|temporary failure (?:in name resolution|resolving)|TLS handshake timeout",
        r"|network is unreachable|kex_exchange_identification|RPC failed; curl|\bearly EOF\b",
    ))
    .expect("a constant pattern")
});
/// Other failures that pass by themselves: only what was called otherwise may have helped.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)interrupted by|EAI_AGAIN|ETIMEDOUT|timed? ?out|deadline exceeded|temporary failure|could not get lock|index\.lock",
        r"|database is locked|acquiring the state lock|no space left on device|kein Speicherplatz|aucun espace disponible",
    ))
    .expect("a constant pattern")
});
/// The program itself is missing.
static NO_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)command not found|: (?:\S+: )?not found|no such file or directory|is not recognized").expect("a constant pattern")
});
/// The code that was run is wrong.
static WRONG_CODE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:Attribute|Name|Type|Syntax|Indentation|Reference|Key|Index|Value|Range|Assertion|ZeroDivision|NoMethod)Error\b")
        .expect("a constant pattern")
});

/// Whether it says that the code that was run is wrong.
pub(super) fn is_wrong_code(operation: &Operation) -> bool {
    WRONG_CODE.is_match(text_of(operation))
}

/// Whether it is the kind of error that passes, or that no other attempt of the same agent can mend.
pub(super) fn is_passing(operation: &Operation) -> bool {
    has_no_cure(operation) || PASSING.is_match(text_of(operation))
}

/// Whether nothing that an agent does otherwise mends it: a permission is missing, or the network.
pub(super) fn has_no_cure(operation: &Operation) -> bool {
    REFUSED.is_match(text_of(operation)) || OF_NETWORK.is_match(text_of(operation))
}

/// Whether it says that the program itself is missing.
pub(super) fn lacks_its_program(operation: &Operation) -> bool {
    NO_PROGRAM.is_match(text_of(operation))
}

fn text_of(operation: &Operation) -> &str {
    operation.error.as_deref().unwrap_or_default()
}

/// Whether two failures are the same apart from numbers: one contains the other, or they share most of their lines. Where both have lines
/// that tell what failed, those alone: what else was compiled and which tests passed is most of an output, whatever failed.
pub(super) fn same_error(one: &Operation, other: &Operation) -> bool {
    let lines = |operation: &Operation, which: fn(&str) -> bool| -> BTreeSet<String> {
        let plain = |line: &str| line.trim().chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        text_of(operation).lines().filter(|line| which(line.trim())).map(plain).filter(|line| !line.is_empty()).collect()
    };
    let (telling, others) = (lines(one, tells_what_failed), lines(other, tells_what_failed));
    let both = !telling.is_empty() && !others.is_empty();
    let (one, other) = if both { (telling, others) } else { (lines(one, |_| true), lines(other, |_| true)) };
    let shared = one.intersection(&other).count();
    let all = one.union(&other).count();
    if one.is_empty() || other.is_empty() {
        // Failures without a message are the same.
        return one.is_empty() && other.is_empty();
    }
    one.is_subset(&other) || other.is_subset(&one) || 2 * shared >= all
}

/// Whether a line of an output tells what failed, and not only that something did, or how much.
fn tells_what_failed(line: &str) -> bool {
    let has_word = || ERROR_WORDS.iter().any(|word| line.to_ascii_lowercase().contains(word));
    (OF_FAILURE.is_match(line) || has_word()) && !OF_WHAT_ELSE.is_match(line) && !BARE.is_match(line)
}

/// The most informative line of an error.
pub(super) fn error_of(operation: &Operation) -> &str {
    let text = text_of(operation);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    let telling = |line: &&str| ERROR_WORDS.iter().any(|word| line.to_ascii_lowercase().contains(word));
    let line = lines().find(|line| telling(line) && !BARE.is_match(line));
    let line = line.or_else(|| lines().find(telling)).or_else(|| lines().next()).or_else(|| text.lines().next()).unwrap_or_default();
    if line.trim().is_empty() { "without a word" } else { cut(line.trim(), ERROR_CHARS) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Timestamp;
    use serde_json::json;

    #[test]
    fn the_line_that_says_what_is_wrong_is_told() {
        for (error, line) in [
            (
                "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not determine java version from '21'.\n\nBUILD FAILED in 2s",
                "Could not determine java version from '21'.",
            ),
            (
                "npm error code ENOENT\nnpm error syscall open\nnpm error enoent Could not read package.json",
                "npm error enoent Could not read package.json",
            ),
            (
                "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree",
                "npm ERR! ERESOLVE unable to resolve dependency tree",
            ),
            ("npm error code E401", "npm error code E401"),
            ("Exit code 1\nCompiling pay\nerror[E0308]: mismatched types", "error[E0308]: mismatched types"),
            ("one\ntwo", "one"),
            ("", "without a word"),
        ] {
            let operation = Operation {
                tool: "Bash".into(),
                arguments: json!({}),
                error: Some(error.into()),
                exit_code: None,
                at: Timestamp(1),
                duration_ms: 1,
                asked: false,
            };
            assert_eq!(error_of(&operation), line);
        }
    }
}
