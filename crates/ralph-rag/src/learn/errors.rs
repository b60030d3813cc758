//! What the error of an operation reveals.

use super::Operation;
use ralph_core::text::cut;
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Characters of an error that a lesson repeats.
const ERROR_CHARS: usize = 160;
/// Whole words that identify the error line in an output: `src/errors.test.ts` and `error-handling` have none.
static ERROR_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)err!|\b(?:failed|panicked|fatal|unable|missing|denied|refused|no such|cannot|can['’]t|could ?n[o'’]t|no rule|undefined)\b",
        r"|\b(?:unknown|invalid|unsupported|unresolved|unavailable|not (?:found|available|installed|set|supported|allowed|permitted))\b",
        r"|\w*(?:error|exception|fehler|erreur)s?(?:[^\w.\-/]|\.?$|\.\s)",
        r"|\b(?:introuvable|aucun fichier|non accordée|nicht (?:gefunden|möglich)|kann nicht|konnte nicht|verweigert|keine regel|no encontrad[ao])\b",
    ))
    .expect("a constant pattern")
});
/// Lines that only say that something failed, or give its number, while others say what.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:npm (?:error|err!) (?:code|errno|syscall|path|lifecycle script)\b.*|npm (?:error|err!)(?: command failed.*)?",
        r"|(?:failure: )?build failed(?: in [\w. ]+| with an exception)?\.?|failed: \S+ ?",
        r"|(?:execution failed for|could not determine the dependencies of) task '\S+'\.",
        r"|(?:error )?command failed\b.*|ELIFECYCLE\b.*|(?:make|gmake|ninja)(?:\[\d+\])?: (?:\*\*\* \[.*|build stopped: subcommand failed\.)",
        r"|error: (?:script|recipe) .* (?:exited with code|failed on line) .*|your requirements could not be resolved to an installable .*",
        r"|\[ERROR\] compilation error :?|\S+:\d+: \w+)$",
    ))
    .expect("a constant pattern")
});
/// What Maven puts before the reason, and after it.
static OF_MAVEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\[ERROR\] Failed to execute goal (?:\S+:\S+ (?:\([^)]*\) )?)?on project \S+: | -> \[Help \d+\]$")
        .expect("a constant pattern")
});

/// How a line begins that names what failed, or the place.
static OF_FAILURE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:FAIL\b|FAILED\b|--- FAIL|[✗✖×●]|-->|E )").expect("a constant pattern"));
/// Lines with words of failure that are about what worked, or only count: `PASS errors.test.ts`, `1 failed, 4 passed`, `Found 2
/// errors.`.
static OF_WHAT_ELSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:PASS|ok|Compiling|Checking|Running|Downloading|Building|\[INFO\]|✓|√)\b|^[✓√]|^\[INFO\]|\b(?:ok|passed)$|\bPASSED\b",
        r"|could not compile|\b\d+ (?:\w+ )?(?:failed|failures?|errors?|problems?|passed|previous errors?)\b|\b(?:failures?|errors?|failed): *\d",
        r"|\b\d+ (?:error|failure)\(s\)|^g?make(?:\[\d+\])? ?: (?:Entering|Leaving|Verzeichnis|on entre|on quitte)\b",
        r"|^Problem \d+$|^[=\-─]{3}.*[=\-─]{3}$",
    ))
    .expect("a constant pattern")
});

/// Refusals for lack of permission, as the agents and Ralph word them: what then works in another way evades what a person, or their rule,
/// decided.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)has been denied|permissions? to use|requires approval|rejected by user|user (?:rejected|doesn't want)|a rule which prevents",
        r"|PreToolUse:\S+ (?:hook|denied)|was blocked\. For security|so this is not allowed\.|the person said no\.",
    ))
    .expect("a constant pattern")
});
/// Faults of the network, or of the server at its other end: if it works later, that has nothing to do with the call. Only hosts with a
/// dot, since others are the project's own, and may be missing because of a mistake.
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
/// Other failures that pass by themselves: only a difference in the call may have helped.
static PASSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)interrupted by|EAI_AGAIN|ETIMEDOUT|timed? ?out|deadline exceeded|temporary failure|could not get lock|index\.lock",
        r"|database is locked|acquiring the state lock|no space left on device|kein Speicherplatz|aucun espace disponible",
    ))
    .expect("a constant pattern")
});
/// The program itself is missing.
static NO_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)command not found|: (?:\S+: )?not found|no such file or directory|is not recognized",
        r"|(?:Kommando|Befehl) nicht gefunden|commande introuvable|(?:orden|comando) no encontrad|comando não encontrado|未找到命令",
    ))
    .expect("a constant pattern")
});
/// The program may not be run.
static NO_RIGHT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)permission denied|keine berechtigung|permission non accordée").expect("a constant pattern"));
/// The requested version of a package does not exist.
static NO_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)no matching (?:versions?|distribution)|could ?n[o']t find a version|unknown revision|could ?n[o']t find package \S+ with version",
        r"|in registry index with version|failed to select a version|manifest unknown|manifest for \S+ not found|could ?n[o']t find a valid gem",
        r"|no candidate version|version solving failed",
    ))
    .expect("a constant pattern")
});
/// Something is not there that the work needs, or does not answer.
static LACKING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)cannot find (?:module|package)|no module named|not (?:found|installed|set|available)\b|no such file|\brefused|must be set|denied",
        r"|unresolved (?:import|module)|could ?n[o't]+ (?:be )?(?:resolve|find|found|connect|load|locate)|unable to (?:locate|resolve|find|load)",
        r"|\bmissing\b|doesn['’]t exist|does not exist|undeclared crate|no required module|ENOENT|EADDRINUSE|already in use|unsupported|out of memory",
        r"|\bversion\b|timed? ?out|no package called",
    ))
    .expect("a constant pattern")
});
/// A name that is not in scope is a fault of the code.
const IN_NO_SCOPE: &str = "not found in this scope";
/// A test found another value than the expected one.
static ASSERTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bassert|assertion|\bexpect(?:ed)?\b|left == right|--- FAIL|\d+ (?:tests? )?fail").expect("a constant pattern")
});
/// Machines of the project's own: what does not answer there may have to be started.
static OWN_HOSTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:10|127)(?:\.\d{1,3}){3}\b|\b192\.168\.\d|\b172\.(?:1[6-9]|2\d|3[01])\.\d|\blocalhost\b|ETIMEDOUT [\w-]+:\d")
        .expect("a constant pattern")
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

/// Whether it says that the program may not be run.
pub(super) fn may_not_run(operation: &Operation) -> bool {
    NO_RIGHT.is_match(text_of(operation))
}

/// Whether it says that there is no such version.
pub(super) fn lacks_its_version(operation: &Operation) -> bool {
    NO_VERSION.is_match(text_of(operation))
}

/// Whether it says that something is not there, or does not answer.
pub(super) fn says_that_it_lacks(operation: &Operation) -> bool {
    LACKING.is_match(&text_of(operation).replace(IN_NO_SCOPE, ""))
}

/// Whether a test found what it did not expect.
pub(super) fn asserts(operation: &Operation) -> bool {
    ASSERTING.is_match(text_of(operation))
}

/// Whether it waited for a machine of the project's own.
pub(super) fn waited_for_its_own(operation: &Operation) -> bool {
    OWN_HOSTS.is_match(text_of(operation))
}

fn text_of(operation: &Operation) -> &str {
    operation.error.as_deref().unwrap_or_default()
}

/// Whether two failures are the same apart from numbers: one contains the other, or they share most of their lines. If both have lines
/// that say what failed, only those count: most of an output is about what else was compiled and which tests passed, whatever failed.
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

/// Whether a line of an output says what failed, and not only that something did, or how much.
fn tells_what_failed(line: &str) -> bool {
    (OF_FAILURE.is_match(line) || ERROR_WORDS.is_match(line)) && !OF_WHAT_ELSE.is_match(line) && !BARE.is_match(line)
}

/// The lines of an error that say what failed.
pub(super) fn telling_lines(operation: &Operation) -> impl Iterator<Item = &str> {
    text_of(operation).lines().map(str::trim).filter(|line| tells_what_failed(line))
}

/// The most informative line of an error: one with a word for failure, else one that names what failed, else any other, but last of all one
/// about what worked.
pub(super) fn error_of(operation: &Operation) -> Cow<'_, str> {
    let text = told_by_gradle(text_of(operation));
    let is_framed = |c: char| c.is_whitespace() || matches!(c, '│' | '╷' | '╵');
    let lines = || text.lines().map(|line| line.trim_matches(is_framed)).filter(|line| !line.is_empty() && !line.starts_with("Exit code"));
    let telling = || lines().filter(|line| tells_what_failed(line));
    let with_word = |line: &&str| ERROR_WORDS.is_match(line) && !OF_WHAT_ELSE.is_match(line);
    // A line that ends in a colon only introduces it.
    let line = telling().find(|line| with_word(line) && !line.ends_with(':')).or_else(|| telling().find(with_word));
    let line = line.or_else(|| telling().next()).or_else(|| lines().find(with_word));
    let line =
        line.or_else(|| lines().find(|line| !OF_WHAT_ELSE.is_match(line))).or_else(|| lines().next()).or_else(|| text.lines().next());
    let line = line.unwrap_or_default().trim();
    match OF_MAVEN.replace_all(line, "") {
        reason if reason.trim().is_empty() => Cow::Borrowed(if line.is_empty() { "without a word" } else { cut(line, ERROR_CHARS) }),
        Cow::Borrowed(reason) => Cow::Borrowed(cut(reason, ERROR_CHARS)),
        Cow::Owned(reason) => Cow::Owned(cut(&reason, ERROR_CHARS).to_owned()),
    }
}

/// The part of an output in which Gradle says what went wrong; the whole of any other.
fn told_by_gradle(text: &str) -> &str {
    let said = text.split_once("* What went wrong:").map(|(_, said)| said.split("\n* ").next().unwrap_or(said));
    said.filter(|said| !said.trim().is_empty()).unwrap_or(text)
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
            (
                "PASS src/errors.test.ts\nFAIL src/cart.test.ts\n  ● rounds\n    Cannot find module 'zod' from 'src/cart.ts'",
                "Cannot find module 'zod' from 'src/cart.ts'",
            ),
            ("Compiling thiserror v1.0.50\nerror[E0308]: mismatched types", "error[E0308]: mismatched types"),
            ("tests/test_errors.py::test_not_found PASSED\nE   assert 19 == 7\ntests/test_tax.py:5: AssertionError", "E   assert 19 == 7"),
            (
                "[INFO] Running com.shop.ErrorHandlerTest\n[ERROR] COMPILATION ERROR : \n[ERROR] A.java:[3,8] cannot find symbol",
                "[ERROR] A.java:[3,8] cannot find symbol",
            ),
            (
                "[ERROR] Failed to execute goal org.x:maven-compiler-plugin:3.11:compile (default-compile) on project api: Fatal error \
                 compiling: error: invalid target release: 21 -> [Help 1]",
                "Fatal error compiling: error: invalid target release: 21",
            ),
            ("    0 Error(s)\nMSB1003: Specify a project or solution file.", "MSB1003: Specify a project or solution file."),
            ("the error-handling module is built\nit is over", "the error-handling module is built"),
            (
                "Your requirements could not be resolved to an installable set of packages.\n  Problem 1\n    - ext-intl is missing",
                "- ext-intl is missing",
            ),
            (
                "make: Verzeichnis „/src“ wird betreten\nmake: protoc: Datei oder Verzeichnis nicht gefunden\nmake: *** [a] Fehler 127",
                "make: protoc: Datei oder Verzeichnis nicht gefunden",
            ),
            ("make : on entre dans le répertoire « /src »\nprotoc : commande introuvable", "protoc : commande introuvable"),
            (
                "FAILURE: Build failed with an exception.\n\n* What went wrong:\nJava heap space\n\n* Try:\n> Run with --info",
                "Java heap space",
            ),
            (
                "* What went wrong:\nCould not determine the dependencies of task ':app:x'.\n> Failed to install the SDK packages",
                "> Failed to install the SDK packages",
            ),
            ("Error: cabal: Could not resolve dependencies:\n[__0] unknown package: aeson", "[__0] unknown package: aeson"),
            ("╷\n│ Error: no provider\n│ x", "Error: no provider"),
            ("", "without a word"),
        ] {
            let operation = Operation { error: Some(error.into()), ..Operation::of("Bash", json!({}), Timestamp(1)) };
            assert_eq!(error_of(&operation), line);
        }
    }
}
