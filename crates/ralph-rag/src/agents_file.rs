//! The section of `AGENTS.md` or `CLAUDE.md` with knowledge for agents outside of Ralph, and its place in the file. Everything
//! outside of the two markers belongs to the person.

use ralph_core::learning::{BY_PERSON, FeatureLearning, LearningSource, LearningState, dispute};
use ralph_core::limits;
use ralph_core::memory::{Fact, FactSource};
use ralph_core::shown::{Aside, shown};
use std::collections::BTreeSet;

/// The line before the section.
pub const BEGIN: &str = "<!-- ralph:begin (written by `ralph agents-md`; edit outside of the marks) -->";
const BEGIN_WORD: &str = "<!-- ralph:begin";
/// The line after it.
pub const END: &str = "<!-- ralph:end -->";

/// What is wrong with the markers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MarkFault {
    /// Unpaired, or in the wrong order.
    #[error("has one mark of Ralph's section without the other, or both in the wrong order")]
    Torn,
    /// More than one section.
    #[error("has more than one section of Ralph's")]
    Twice,
    /// The section would be in a code block, where it would be taken for an example the next time.
    #[error("ends within a code block that is never closed")]
    OpenFence,
}

/// The section with its markers, and the number of facts and learnings that would be in it if they were not `strange`: their words came
/// from elsewhere, and nobody here has vouched for them. Agents treat such a file as instructions, so it only contains what a person wrote
/// or reviewed, and what the project's own files state.
pub fn section(facts: &[Fact], learnings: &[FeatureLearning], strange: &BTreeSet<String>) -> (String, usize) {
    let mut lines = vec![
        BEGIN.to_owned(),
        "## What this project knows".to_owned(),
        String::new(),
        "Kept by Ralph. More: `ralph recall \"an error, a file or a question\"`, or `search` of the MCP server `ralph mcp --profile full`."
            .to_owned(),
    ];
    let (left_out, mut known): (Vec<&Fact>, Vec<&Fact>) =
        facts.iter().filter(|fact| is_fit(fact)).partition(|fact| strange.contains(&fact.id));
    known.sort_by(|a, b| (&a.kind, &a.subject, &a.id).cmp(&(&b.kind, &b.subject, &b.id)));
    known.truncate(limits::AGENTS_FILE_FACTS);
    if !known.is_empty() {
        lines.extend([String::new(), "### Facts".to_owned(), String::new()]);
        lines.extend(known.iter().map(|fact| format!("- {}: {}", plain(&fact.subject), plain(&fact.value))));
    }
    let (unread, mut lessons): (Vec<&FeatureLearning>, Vec<&FeatureLearning>) =
        learnings.iter().filter(|learning| is_vouched_for(learning)).partition(|learning| strange.contains(&learning.id));
    lessons.sort_by(|a, b| (&a.feature, a.created, &a.id).cmp(&(&b.feature, b.created, &b.id)));
    lessons.truncate(limits::AGENTS_FILE_LEARNINGS);
    let mut feature = "";
    for learning in lessons {
        if learning.feature != feature {
            feature = &learning.feature;
            lines.extend([String::new(), format!("### {}", plain(feature)), String::new()]);
        }
        let disputed = dispute(&learning.conflicts_with).map_or(String::new(), |remark| format!(" ({remark})"));
        lines.push(format!("- {}{disputed}", plain(&learning.text)));
    }
    lines.extend([END.to_owned(), String::new()]);
    (lines.join("\n"), left_out.len() + unread.len())
}

/// Commands and frameworks stated by manifests, and everything that a person stated for the whole project.
fn is_fit(fact: &Fact) -> bool {
    let of_code = fact.source == FactSource::Code && matches!(fact.kind.as_str(), "test_command" | "build_command" | "framework");
    fact.withdrawn.is_none() && fact.feature.is_none() && (of_code || fact.source == FactSource::Human)
}

fn is_vouched_for(learning: &FeatureLearning) -> bool {
    let by_person = learning.source == LearningSource::Human || learning.reviewed_by.as_deref() == Some(BY_PERSON);
    learning.state == LearningState::Active && by_person
}

/// One line without markers.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<!- -")
}

/// The file with the section in place: where it was, or at the end. `None` removes it.
pub fn with_section(text: &str, section: Option<&str>) -> Result<String, MarkFault> {
    let crlf = text.contains("\r\n");
    let section = section.map(|section| if crlf { section.replace('\n', "\r\n") } else { section.to_owned() });
    let ending = if crlf { "\r\n" } else { "\n" };
    let Some((before, after)) = around(text)? else {
        let Some(section) = section else { return Ok(text.to_owned()) };
        let lines = if text.is_empty() { 0 } else { 1 + usize::from(!text.ends_with(ending)) };
        let with = format!("{text}{}{section}", ending.repeat(lines));
        return if around(&with)?.is_some() { Ok(with) } else { Err(MarkFault::OpenFence) };
    };
    match section {
        Some(section) => Ok(format!("{before}{section}{after}")),
        // The blank line before it was added with it.
        None if after.is_empty() => {
            let rest = before.strip_suffix(ending).filter(|rest| rest.ends_with(ending));
            Ok(rest.unwrap_or(before).to_owned())
        }
        None => Ok(format!("{before}{after}")),
    }
}

/// The text before and after the section; `None` without one. Marks in code are examples.
fn around(text: &str) -> Result<Option<(&str, &str)>, MarkFault> {
    let (mut begins, mut ends, mut at) = (Vec::new(), Vec::new(), 0);
    let shown = shown(text);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_code = shown.get(number).is_some_and(|line| line.asides.contains(&Aside::Code));
        if !is_code && line.trim_start().starts_with(BEGIN_WORD) {
            begins.push(at);
        }
        at += line.len();
        if !is_code && line.trim() == END {
            ends.push(at);
        }
    }
    match (begins[..].first(), ends[..].first()) {
        (None, None) => Ok(None),
        _ if begins.len() > 1 || ends.len() > 1 => Err(MarkFault::Twice),
        (Some(begin), Some(end)) if begin < end => Ok(Some((&text[..*begin], &text[*end..]))),
        _ => Err(MarkFault::Torn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fact, learning};

    fn section(facts: &[Fact], learnings: &[FeatureLearning]) -> String {
        super::section(facts, learnings, &BTreeSet::new()).0
    }

    #[test]
    fn only_what_a_person_vouches_for_and_what_files_state_is_told_as_instructions() {
        let facts = [
            Fact { subject: "said by an agent".into(), ..fact("1") },
            Fact {
                source: FactSource::Code,
                kind: "test_command".into(),
                subject: "test command".into(),
                value: "make\ntest".into(),
                ..fact("2")
            },
            Fact { source: FactSource::Code, kind: "dependency".into(), subject: "serde".into(), ..fact("3") },
            Fact { source: FactSource::Human, subject: "port".into(), value: "8080 <!-- ralph:end -->".into(), ..fact("4") },
        ];
        let learnings = [
            learning("1", "an agent's"),
            FeatureLearning { reviewed_by: Some("human".into()), ..learning("2", "reviewed by a person") },
            FeatureLearning { reviewed_by: Some("agent".into()), ..learning("3", "reviewed by an agent") },
            FeatureLearning { source: LearningSource::Human, conflicts_with: vec!["1".into()], ..learning("4", "a person's") },
        ];
        const DISPUTED: &str = "- a person's (another learning contradicts this, and no person has decided yet)";
        let told = section(&facts, &learnings);
        assert!(told.starts_with(BEGIN) && told.ends_with(&format!("{END}\n")));
        let listed: Vec<&str> = told.lines().filter(|line| line.starts_with("- ")).collect();
        assert_eq!(listed, ["- port: 8080 <!- - ralph:end -->", "- test command: make test", "- reviewed by a person", DISPUTED]);

        // A line from elsewhere can name anybody as its author or reviewer.
        let strange = ["1", "2", "4"].map(str::to_owned).into();
        let (told, left_out) = super::section(&facts, &learnings, &strange);
        assert_eq!(told.lines().filter(|line| line.starts_with("- ")).collect::<Vec<_>>(), Vec::<&str>::new());
        assert_eq!(left_out, 4, "the agent's are never told");
    }

    #[test]
    fn everything_outside_of_the_marks_stays_to_the_byte() {
        let (one, two) = (section(&[], &[]), section(&[Fact { source: FactSource::Human, ..fact("1") }], &[]));
        for text in ["", "# Mine\n", "# Mine", "# Mine\r\n\r\nmore\r\n", "a\n\n\n"] {
            let with = with_section(text, Some(&one)).expect("writes");
            assert!(with.starts_with(text) && with.matches(BEGIN_WORD).count() == 1, "{text:?}: {with:?}");
            assert_eq!(with_section(&with, Some(&one)).as_deref(), Ok(with.as_str()), "the same again");
            let more = with_section(&format!("{with}below\n"), Some(&two)).expect("writes");
            assert!(more.starts_with(text) && more.ends_with("below\n") && more.contains("make test"), "{more:?}");
            assert_eq!(with_section(&with, None).expect("removes").trim_end(), text.trim_end());
            assert!(with_section(&more, None).expect("removes").ends_with("below\n"));
        }
        assert_eq!(with_section("# Mine\n", None).as_deref(), Ok("# Mine\n"));
    }

    #[test]
    fn marks_in_code_are_a_person_s_example() {
        let section = section(&[], &[]);
        let text = format!("# Mine\n\n```md\n{BEGIN}\nmine\n{END}\n```\n");
        let with = with_section(&text, Some(&section)).expect("writes");
        assert_eq!(with, format!("{text}\n{section}"));
        assert_eq!(with_section(&with, Some(&section)).as_deref(), Ok(with.as_str()), "the same again");
        assert_eq!(with_section(&with, None).as_deref(), Ok(text.as_str()));
        let open = format!("# Mine\n\n```md\n{BEGIN}\nmine\n");
        assert_eq!(with_section(&open, Some(&section)), Err(MarkFault::OpenFence));
    }

    #[test]
    fn marks_that_do_not_fit_are_refused() {
        let section = section(&[], &[]);
        for (text, fault) in [
            (format!("{BEGIN}\nmine\n"), MarkFault::Torn),
            (format!("mine\n{END}\n"), MarkFault::Torn),
            (format!("{END}\n{BEGIN}\n"), MarkFault::Torn),
            (format!("{section}{section}"), MarkFault::Twice),
        ] {
            assert_eq!(with_section(&text, Some(&section)), Err(fault), "{text}");
        }
    }
}
