//! Patterns of the gate: sentences that occur in every session, and words that carry a lesson.

use super::elsewhere::{FINE, REFUSED};
use ralph_core::quality::GateFault;
use regex::Regex;
use std::sync::LazyLock;

/// What is tested, built or checked, and the result: a line of only these has no content.
const CHECKS: &str = r"(?:(?:all|the|unit|integration|e2e|new|existing|\d+)\s+)*(?:tests?|checks?|lint(?:er|ing)?|type-?checks?|type ?checking|builds?|ci|suite|clippy|formatting)";
/// Other things that a closing line reports as finished.
const WORK: &str = r"(?:(?:all|the|this|my|our)\s+)*(?:work|task|story|feature|implementation|change|iteration|session|job|everything)s?";
const WENT_WELL: &str = r"(?:(?:now|still|all|is|are|was|were|have|has)\s+)*(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|successful(?:ly)?|clean|ok|fine|works?|complete[sd]?|done|finished|ready)(?:\s+(?:now|successfully|locally|again|too))*";

/// How a sentence that says what everybody knows begins.
const REMEMBER: &str = r"(?:(?:(?:key )?(?:lessons?|learnings?|takeaways?|tips?|notes?)(?: learn(?:ed|t))?: |(?:i|we) (?:have |also )?(?:learn(?:ed|t)|realized|realised|found|noticed)(?: out)? (?:that |to )?|always |remember to |make sure to |be sure to |it(?: is|['’]s) (?:always )?(?:important|best|good|better|essential) to |you should |one should ))*";
/// What everybody considers important.
const CRAFT: &str = r"(?:(?:good|clean|clear|careful|thorough|proper|readable|automated|unit|regular) )*(?:tests?|testing|documentation|docs|communication|planning|code(?: quality| reviews?)?|naming|error handling|debugging|refactoring|consistency)";
/// What everybody would do anyway.
const PLATITUDE: &str = r"(?:(?:write|keep|have) (?:the )?(?:clean|good|readable|maintainable|simple)(?:,? (?:and )?\w+)? code|follow (?:the |all )?(?:best practices?|conventions|guidelines|instructions|standards)|(?:test|review|check|double[- ]check|verify) (?:your|the|all|my) (?:code|changes?|work)(?: (?:thoroughly|carefully|properly|well|first))*|read the (?:code|docs|documentation|instructions|requirements)(?: (?:first|carefully|thoroughly))*(?: before (?:you )?(?:chang|edit|touch|modify|writ)\w*(?: (?:it|them|code|anything))?)?|think before (?:you )?(?:code|coding|acting|act)|keep (?:it|things|the code|code) (?:simple|clean)|be (?:careful|thorough|patient)|handle errors(?: (?:gracefully|properly|correctly))?|write (?:good |more |unit )*tests)";

/// What a program counts at its end: "45 passed, 0 failed in 3.2s", "2 files changed, 10 insertions(+)".
const COUNTED: &str = r"(?:tests?(?: suites?| files?)?\W{1,3})?[0-9]+ (?:[a-z]+ )?(?:passed|passing|failed|failing|skipped|ignored)(?:\W{1,3}[0-9]+ (?:[a-z]+ )?[a-z]+)*(?: in [0-9.]+ ?m?s)?|[0-9]+ files? changed(?:, [0-9]+ [a-z]+(?:\([+-]\))?)*";
/// A command that went through: "`cargo test` passed in 3.2s".
const RAN: &str = r"`?(?:[0-9a-z_./:-]+ ){1,5}?[0-9a-z_./:-]*`? ?(?:passed|succeeded|finished|completed|ran)(?: successfully| cleanly)?(?: (?:in|after) [0-9.]+ ?(?:ms|s|m|min|minutes?|seconds?)| with exit code 0)";
/// How the work was stored: "Commit 3fa9c1d was pushed".
const STORED: &str = r"(?:the |my |all )?(?:commits?|branch|pull request|pr|mr|merge request|changes?|work)\b[^.;,]{0,40}\b(?:was|were|is|are|has been|have been) (?:now )?(?:pushed|committed|merged|opened)(?: to \S+)?";
/// What was done to one file: "The file src/main.rs was edited".
const TOUCHED: &str = r"(?:the )?(?:files? )?[0-9a-z_./-]*[./][0-9a-z_./-]+ (?:was|were|has been|have been) (?:now )?(?:edited|updated|created|modified|changed|removed|deleted|added|renamed)";
/// An offer to the reader.
const OFFERED: &str = r"(?:please )?let me know (?:if|how|what|whether|when)\b.{0,80}|(?:is there )?anything else (?:i|you|we)\b.{0,60}|(?:i am|i['’]m|i['’]d be)? ?happy to help\b.{0,60}";

/// What makes a text a lesson although a pattern matches it.
#[derive(Clone, Copy)]
pub(super) enum Excuse {
    /// Nothing.
    None,
    /// A cause: a status that names its cause is a lesson in the form of a story.
    Cause,
    /// A condition, or a modal verb about what must not exist: a rule that begins with "no".
    Rule,
    /// A verb after the gerund that begins the text: the text says what that activity does.
    MainVerb,
    /// A cause in the text, of something that it names: what can't be reached, or has to be provided, is reported, not requested.
    CauseOfSomething,
}

/// A pattern of texts that are not lessons.
pub(super) struct Pattern {
    /// The fault it shows.
    pub(super) fault: GateFault,
    pub(super) excuse: Excuse,
    pub(super) pattern: Regex,
}

/// Patterns of texts that are not lessons. If the number of letters is bounded, the class is ASCII letters plus everything beyond ASCII:
/// the letters of all scripts need hundreds of states at each place, which took four fifths of the time to compile all of this.
pub(super) static FAULTS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let excused = |fault, excuse, pattern: &str| Pattern {
        fault,
        excuse,
        pattern: Regex::new(&format!("(?i){pattern}")).expect("a constant pattern"),
    };
    let compiled = |fault, pattern: &str| excused(fault, if fault == GateFault::Transient { Excuse::Cause } else { Excuse::None }, pattern);
    let check = format!(r"(?:{CHECKS}|{WORK})\s+{WENT_WELL}");
    vec![
        compiled(GateFault::Boilerplate, &format!(r"^\W*{check}(?:(?:[\s,;.+&]|\band\b)+(?:{check}|{CHECKS}|{WENT_WELL}))*\W*$")),
        excused(
            GateFault::Boilerplate,
            Excuse::Rule,
            r"^\W*(?:there (?:is|are|was|were) )?no (?:new |further |other |particular |specific |notable |relevant )*(?:learnings?|lessons?|issues?|problems?|changes?|notes?|findings?|errors?)\b.{0,60}$",
        ),
        compiled(
            GateFault::Boilerplate,
            r"(?:there is no|there's no|no|missing|could not find an?|did not find an?) [`'\x22]?(?:agents|claude|gemini|readme|progress)\.(?:md|txt)[`'\x22]?",
        ),
        compiled(GateFault::Boilerplate, r"^\W*(?:n/?a|none|nothing(?: to (?:report|add|note))?|tbd|todo|lorem ipsum.*)\W*$"),
        compiled(
            GateFault::Boilerplate,
            r"^\W*(?:key )?(?:learnings?|lessons?(?: learned)?|notes?|summary|patterns?|gotchas?)(?: (?:for|from|of|in)(?: (?-i:[0-9A-Za-z_[:^ascii:]]){1,20}){1,4})?\W*$",
        ),
        compiled(
            GateFault::Boilerplate,
            r"^\s*[\[<{].{0,20}\b(?:describe|insert|your|add|write|fill|learning|lesson|placeholder|example)\b.{0,80}[\]>}]\s*$",
        ),
        compiled(
            GateFault::Boilerplate,
            &format!(
                r"^\W*(?:everything|all(?: of it)?|it(?: all)?|things?|this|that)(?: just)? (?:(?:went|goes|turned out|came out|looks?|is|are|was|were|runs?|ran|seems?) )?(?:(?:very|all|quite|really|pretty) )*(?:{WENT_WELL}|well|good|great|smooth(?:ly)?|perfect(?:ly)?|as expected|as planned)(?: as (?:expected|planned|intended))?(?: now)?\W*$"
            ),
        ),
        compiled(
            GateFault::Boilerplate,
            &format!(
                r"^\W*{REMEMBER}{CRAFT}(?: (?:is|are) (?:very |always |really )*(?:important|essential|key|crucial|critical|helpful|useful|valuable|necessary|good)| matters?| helps?)(?:,? and {CRAFT}.{{0,40}})?\W*$"
            ),
        ),
        compiled(GateFault::Boilerplate, &format!(r"^\W*{REMEMBER}(?:(?:,? and )?{PLATITUDE})+\W*$")),
        compiled(
            GateFault::Refusal,
            r"\b(?:i['’]?m|i am) (?:sorry|unable|not able)\b|\bi (?:can['’]?t|cannot|can not|won['’]?t) (?:help|assist|comply|continue|complete)\b|\bas an ai\b|\bi (?:do not|don['’]?t) have (?:access|enough|permission|the ability)\b|\bwould you like me to\b",
        ),
        excused(
            GateFault::Refusal,
            Excuse::CauseOfSomething,
            r"\bi (?:can['’]?t|cannot|can not|won['’]?t) (?:do|provide|access|see|read)\b|\b(?:please|could you|can you) (?:provide|share|clarify|confirm|paste|specify)\b",
        ),
        compiled(
            GateFault::Transient,
            r"^\W*(?:i|we)(?:['’]ve| have| just| also| now| successfully)* (?:implemented|added|fixed|finished|completed|updated|created|wrote|ran|removed|made|refactored|committed|pushed|merged|started)\b",
        ),
        compiled(
            GateFault::Transient,
            r"^\W*(?:user )?(?:(?:story|task|issue|feature|ticket|iteration|step|phase)\W{0,3}[0-9a-z_#-]{0,12} (?:is |was |has been )?|(?:stories|(?:task|issue|feature|ticket|iteration|step|phase)s)\W{0,3}[0-9a-z_#,-]{0,12} (?:are |were |have been )?)(?:now )?(?:done|complete[d]?|finished|implemented|in progress|blocked|pending)\b.{0,40}$",
        ),
        compiled(
            GateFault::Transient,
            r"\b(?:is|are) (?:still|currently|now) (?:running|building|in progress|pending|waiting|working)\b|^\W*(?:next|now|then),? (?:i|we)(?:['’]ll| will| am| are| need| should)|^\W*(?:i|we)(?:['’]ll| will| am going to| are going to)\b",
        ),
        compiled(GateFault::Transient, &format!(r"^\W*(?:{COUNTED}|{RAN}|{STORED}|{TOUCHED})\W*$")),
        compiled(GateFault::Boilerplate, &format!(r"^\W*(?:{OFFERED}|{FINE})\W*$")),
        compiled(GateFault::Refusal, &format!(r"^\W*(?:{REFUSED})")),
        excused(GateFault::Transient, Excuse::MainVerb, r"^\W*(?:working|continuing|waiting|starting) (?:on|with|for|to)\b"),
        compiled(
            GateFault::Injected,
            r"previous attempts\b.{0,20}$|learnings from previous iterations|stuck loop warning|###? ?loop status|ralph[- ]observations|failed the same way \d+ times|observations, not instructions|^\W*how (?:to report|you work)\b.{0,20}$|</?‹?(?:task-done|task-failed|failure-report|retry-suggestion|difficulty-estimate)",
        ),
    ]
});

static CAUSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:because|since|so that|otherwise|or else|due to|therefore|hence|thus|as it|as they|so it|so they|causes?d?|leads? to|results? in|prevents?|fails?|breaks?|which (?:is|are|means|breaks|causes|fails)|in order to|to avoid|to prevent|unless|without|if not|or (?:the|it|ci|tests?|builds?|they|you)\b|that is why|reason)\b|[,;:] (?:so|as|else)\b",
    )
    .expect("a constant pattern")
});

static RULE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:without|unless|until)\b|^\W*no (?:\w+ ){1,3}(?:may|must|shall|should|can)\b").expect("a constant pattern")
});

static MAIN_VERB: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:needs|works|takes|makes|breaks|requires|fails|means|costs|leaves|gives|returns)\b").expect("a constant pattern")
});

/// A cause that is about who says it.
static SPEAKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:i|me|my|mine|myself|denied|permissions?)\b|\bi['’]|\bthis (?:chat|conversation|session)\b")
        .expect("a constant pattern")
});

/// Questions that are asked only if an answer is expected.
static ASKED_OF: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\?\W*$|\b(?:me|my|myself)\b|\bcould you\b|[.!;] +(?:please|can you|would you|let me)\b[^.!;]*\W*$")
        .expect("a constant pattern")
});

static ACTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:must|should|shall|need(?:s|ed)?|requires?d?|has to|have to|always|never|avoid|do not|don['’]t|instead|prefer|remember|ensure|make sure|only|can(?:not|['’]t)?|may|forbidden|allowed)\b|(?:^|[.;:,(]\s*|\b(?:then|and|so|to|or|by) )(?:use|run|set|add|check|call|pass|keep|put|read|write|import|export|wrap|mock|wait|close|open|start|stop|restart|reload|install|update|upgrade|pin|remove|delete|rename|move|copy|create|make|define|declare|register|include|exclude|enable|disable|store|save|load|return|handle|catch|throw|retry|quote|escape|validate|convert|format|test|build|commit|review|follow|place|extend|inject|batch|page|look|give|name|treat|compare|sort|log|export|apply|provide|specify|configure|override|specify|split|merge|seed|stream|lock|cast|clear|reset|skip|mark|leave|send|fetch|bump|verify)\b",
    )
    .expect("a constant pattern")
});

/// Unspecific words.
const GENERIC: &str = "the and for with that this these those from into onto are was were been being have has had will would can could should must may might \
    not its our your their them they then than when while where which what who how why all any some each every more most less many much very also just only even \
    still such like other another same thing things stuff something anything everything nothing way ways lot code work works working worked task tasks issue issues \
    problem problems project file files good better best bad well nice great careful important sure properly correctly right wrong new now here there done make makes \
    made use uses used using get gets got set fix fixed fixes change changes changed update updated add added implement implemented implementation feature features \
    function functionality need needs always never after before too about out off over under again ensure remember note please want does did doing one two both";

/// Whether a text gives a cause or a consequence.
pub(super) fn gives_cause(text: &str) -> bool {
    CAUSE.is_match(text)
}

/// Whether a text that begins with "no" says what must not be, rather than what was not found.
pub(super) fn rules(text: &str) -> bool {
    RULE.is_match(text)
}

/// Whether a text that begins with a gerund has a verb for it.
pub(super) fn is_about_its_gerund(text: &str) -> bool {
    MAIN_VERB.is_match(text)
}

/// Whether a text gives a cause that is not about who says it, and asks for nothing.
pub(super) fn gives_cause_of_something(text: &str) -> bool {
    CAUSE.find(text).is_some_and(|cause| !SPEAKER.is_match(&text[cause.end()..])) && !ASKED_OF.is_match(text)
}

/// Whether a text says what to do or to avoid.
pub(super) fn acts(text: &str) -> bool {
    ACTION.is_match(text)
}

/// Whether a lower-case word is unspecific.
pub(super) fn is_generic(word: &str) -> bool {
    static WORDS: LazyLock<std::collections::HashSet<&str>> = LazyLock::new(|| GENERIC.split_whitespace().collect());
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a process compiles before it can judge the first lesson. A bound on letters of all scripts alone took 4 MB, and 40 ms.
    #[test]
    fn no_pattern_is_large() {
        for Pattern { pattern, .. } in FAULTS.iter() {
            let compiled = regex::RegexBuilder::new(pattern.as_str()).size_limit(512 << 10).build();
            assert!(compiled.is_ok(), "{pattern}");
        }
    }
}
