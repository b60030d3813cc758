//! Reads a script.

use super::PlayError;
use super::script::{Block, Condition, Statement, Step};
use super::variables::unknown_name;
use ralph_core::signal::Ending;
use std::str::FromStr;

/// How often a `repeat` may play its lines, and lines of a flood: a minute of output, no endless loop through a typing error.
const MOST_TIMES: u32 = 10_000_000;
/// Longest pause, in milliseconds.
const LONGEST_PAUSE: u64 = 60_000;
/// `repeat` within `repeat`.
const DEEPEST: usize = 8;

/// Every block of a script, in order.
pub fn parse(text: &str) -> Result<Vec<Block>, PlayError> {
    let mut lines = Lines { lines: text.lines().collect(), next: 0 };
    let mut blocks: Vec<Block> = Vec::new();
    while let Some((line, text)) = lines.next() {
        if let Some(header) = text.strip_prefix('[') {
            let header = header.strip_suffix(']').ok_or_else(|| fault(line, "a header ends with ']'"))?;
            blocks.push(Block { conditions: conditions(line, header)?, steps: Vec::new() });
            continue;
        }
        if blocks.is_empty() {
            blocks.push(Block { conditions: Vec::new(), steps: Vec::new() });
        }
        let step = step(line, text, &mut lines, 0)?;
        if let Some(block) = blocks.last_mut() {
            block.steps.push(step);
        }
    }
    Ok(blocks)
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    /// The next line that is not empty, and its number.
    fn next(&mut self) -> Option<(usize, &'a str)> {
        loop {
            let text = self.raw()?.trim();
            if !text.is_empty() && !text.starts_with('#') {
                return Some((self.next, text));
            }
        }
    }

    fn raw(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.next)?;
        self.next += 1;
        Some(line)
    }
}

fn fault(line: usize, fault: impl Into<String>) -> PlayError {
    PlayError::Line { line, fault: fault.into() }
}

fn conditions(line: usize, header: &str) -> Result<Vec<Condition>, PlayError> {
    let mut conditions = Vec::new();
    let mut rest = header.trim();
    if rest == "*" {
        return Ok(conditions);
    }
    while !rest.is_empty() {
        let (name, after) = word(rest);
        let (value, quoted, after) = match after.strip_prefix('"') {
            Some(text) => {
                let (value, after) = text.split_once('"').ok_or_else(|| fault(line, "quoted words end with '\"'"))?;
                (value, true, after.trim_start())
            }
            None => {
                let (value, after) = word(after);
                (value, false, after)
            }
        };
        conditions.push(match (name, quoted) {
            ("task", true) => Condition::Title(value.to_owned()),
            ("task", false) => Condition::Task(number(line, value, "a task's number, or a part of its title in quotes")?),
            ("feature", _) if !value.is_empty() => Condition::Feature(value.to_owned()),
            ("told", true) if !value.is_empty() => Condition::Told(value.to_owned()),
            ("attempt", false) => Condition::Attempt(number(line, value, "the number of an attempt")?),
            ("iteration", false) => Condition::Iteration(number(line, value, "the number of an iteration")?),
            _ => return Err(fault(line, format!("'{name}' is not a condition; use task, feature, attempt, iteration, told, or [*]"))),
        });
        rest = after;
    }
    match conditions.is_empty() {
        true => Err(fault(line, "a header without a condition; write [*] for a block that is always meant")),
        false => Ok(conditions),
    }
}

/// The first word and what follows it.
fn word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

fn number<T: FromStr>(line: usize, text: &str, what: &str) -> Result<T, PlayError> {
    text.parse().map_err(|_| fault(line, format!("'{text}' is not {what}")))
}

fn times(line: usize, text: &str) -> Result<u32, PlayError> {
    let times = number(line, text, "a number of times")?;
    if times > MOST_TIMES { Err(fault(line, format!("{times} is more than {MOST_TIMES}"))) } else { Ok(times) }
}

fn step(line: usize, text: &str, lines: &mut Lines<'_>, depth: usize) -> Result<Step, PlayError> {
    known_names(line, text)?;
    let (name, rest) = word(text);
    let needs = |what: &str| if rest.is_empty() { Err(fault(line, format!("'{name}' needs {what}"))) } else { Ok(rest.to_owned()) };
    let statement = match name {
        "say" if rest.starts_with("<<") => Statement::Say(text_up_to(line, rest[2..].trim(), lines)?),
        "say" => Statement::Say(needs("words")?),
        "think" => Statement::Think(needs("words")?),
        "sigil" => Statement::Say(sigil(needs("the sigil")?, lines)?),
        "done" => Statement::Say("<task-done>${task}</task-done>".to_owned()),
        "failed" => Statement::Say("<task-failed>${task}</task-failed>".to_owned()),
        "learn" => learn(line, rest)?,
        "edit" => edit(line, rest, lines)?,
        "append" => {
            let (path, text) = word(rest);
            needs("a path and a text")?;
            Statement::Append { path: path.to_owned(), text: text.to_owned() }
        }
        "run" => Statement::Run(needs("a command")?),
        "commit" => Statement::Commit(needs("a message")?),
        "mcp" => {
            let (tool, arguments) = word(rest);
            needs("a tool")?;
            Statement::Mcp { tool: tool.to_owned(), arguments: if arguments.is_empty() { "{}" } else { arguments }.to_owned() }
        }
        "usage" => usage(line, rest)?,
        "expect" => Statement::Expect(needs("words")?),
        "pause" => Statement::Pause(number::<u64>(line, rest, "a number of milliseconds")?.min(LONGEST_PAUSE)),
        "repeat" => Statement::Repeat { times: times(line, rest)?, body: body(line, lines, depth + 1)? },
        "flood" => Statement::Flood(times(line, rest)?),
        "garble" => Statement::Garble(times(line, rest)?),
        "result" => Statement::Result,
        "turn" => Statement::Turn,
        "rate-limit" if rest.is_empty() => Statement::RateLimit(None),
        "rate-limit" => Statement::RateLimit(Some(number(line, rest, "a number of seconds")?)),
        "ends" => {
            let (ending, text) = word(rest);
            let ending = Ending::from_str(ending).map_err(|unknown| fault(line, unknown.to_string()))?;
            Statement::Ends { ending, text: text.to_owned() }
        }
        "ignore-signals" => Statement::IgnoreSignals,
        "hang" => Statement::Hang,
        "exit" => Statement::Exit(number(line, rest, "an exit code from 0 to 255")?),
        "crash" => Statement::Crash,
        "end" => return Err(fault(line, "'end' without a 'repeat'")),
        _ => return Err(fault(line, format!("'{name}' is not a statement"))),
    };
    Ok(Step { line, statement })
}

fn body(opened: usize, lines: &mut Lines<'_>, depth: usize) -> Result<Vec<Step>, PlayError> {
    if depth > DEEPEST {
        return Err(fault(opened, format!("more than {DEEPEST} 'repeat' within each other")));
    }
    let mut steps = Vec::new();
    loop {
        match lines.next() {
            Some((_, "end")) => return Ok(steps),
            Some((line, text)) if !text.starts_with('[') => steps.push(step(line, text, lines, depth)?),
            _ => return Err(fault(opened, "'repeat' without an 'end'")),
        }
    }
}

fn learn(line: usize, rest: &str) -> Result<Statement, PlayError> {
    let (head, text) = rest.split_once(": ").ok_or_else(|| fault(line, "'learn' is written: learn CATEGORY TAGS: TEXT"))?;
    let (category, tags) = word(head);
    Ok(Statement::Say(format!("<learning category=\"{category}\" tags=\"{tags}\">{text}</learning>")))
}

/// A sigil over several lines: one text, since parts said in several texts are not one sigil.
fn sigil(mut text: String, lines: &mut Lines<'_>) -> Result<String, PlayError> {
    loop {
        let here = lines.next;
        match lines.next().map(|(line, text)| (line, word(text))) {
            Some((line, ("sigil", rest))) => {
                known_names(line, rest)?;
                text.push('\n');
                text.push_str(rest);
            }
            _ => {
                lines.next = here;
                return Ok(text);
            }
        }
    }
}

/// Raw lines up to the one that holds only `mark`.
fn text_up_to(line: usize, mark: &str, lines: &mut Lines<'_>) -> Result<String, PlayError> {
    if mark.is_empty() {
        return Err(fault(line, "after '<<' stands the word that ends the text"));
    }
    let mut content = String::new();
    loop {
        let text = lines.raw().ok_or_else(|| fault(line, format!("no line '{mark}' ends this text")))?;
        if text.trim() == mark {
            break;
        }
        content.push_str(text);
        content.push('\n');
    }
    known_names(line, &content)?;
    Ok(content)
}

/// Refuses unknown variables.
fn known_names(line: usize, text: &str) -> Result<(), PlayError> {
    match unknown_name(text) {
        Some(name) => Err(fault(line, format!("${{{name}}} is not a variable; write $${{{name}}} for the plain words"))),
        None => Ok(()),
    }
}

fn edit(line: usize, rest: &str, lines: &mut Lines<'_>) -> Result<Statement, PlayError> {
    let wrong = || fault(line, "'edit' is written: edit PATH <<WORD, then lines up to WORD");
    let (path, mark) = rest.rsplit_once("<<").ok_or_else(wrong)?;
    let (path, mark) = (path.trim(), mark.trim());
    if path.is_empty() || mark.is_empty() {
        return Err(wrong());
    }
    Ok(Statement::Edit { path: path.to_owned(), content: text_up_to(line, mark, lines)? })
}

fn usage(line: usize, rest: &str) -> Result<Statement, PlayError> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [input, output, usd] = words[..] else { return Err(fault(line, "'usage' is written: usage IN OUT USD")) };
    let usd: f64 = number(line, usd, "a number of dollars")?;
    if !usd.is_finite() || usd < 0.0 {
        return Err(fault(line, format!("{usd} is not a number of dollars")));
    }
    let count = |text| number(line, text, "a number of tokens");
    Ok(Statement::Usage { input: count(input)?, output: count(output)?, usd })
}

#[cfg(test)]
mod tests {
    use super::super::script::choose;
    use super::super::variables::Variables;
    use super::*;

    fn chosen(script: &str, variables: &Variables) -> Option<usize> {
        chosen_when_told(script, variables, "")
    }

    fn chosen_when_told(script: &str, variables: &Variables, prompt: &str) -> Option<usize> {
        let blocks = parse(script).unwrap();
        choose(&blocks, variables, prompt).map(|block| blocks.iter().position(|other| std::ptr::eq(other, block)).unwrap())
    }

    #[test]
    fn the_first_block_whose_conditions_all_hold_is_played() {
        let script = "[task 3 attempt 2]\nhang\n[task \"login page\"]\nhang\n[feature auth iteration 9]\nhang\n[attempt 3]\nhang\n";
        let of = |task, title: &str, attempt, iteration| Variables {
            task,
            title: title.into(),
            feature: "auth".into(),
            attempt,
            iteration,
            ..Variables::default()
        };
        assert_eq!(chosen(script, &of(3, "x", 2, 1)), Some(0));
        assert_eq!(chosen(script, &of(3, "x", 1, 1)), None);
        assert_eq!(chosen(script, &of(4, "Add a login page", 2, 1)), Some(1));
        assert_eq!(chosen(script, &of(4, "x", 1, 9)), Some(2));
        assert_eq!(chosen(script, &of(4, "x", 3, 9)), Some(2));
        assert_eq!(chosen("say hi", &of(1, "", 1, 1)), Some(0));
        assert_eq!(chosen("", &of(1, "", 1, 1)), None);
    }

    #[test]
    fn what_the_prompt_tells_chooses_a_block() {
        let script = "[task 3 told \"never lock\"]\nhang\n[told \"lock the row\"]\nhang\n[*]\nhang\n";
        let task = |task| Variables { task, ..Variables::default() };
        assert_eq!(chosen_when_told(script, &task(3), "One must never lock, or lock the row"), Some(0));
        assert_eq!(chosen_when_told(script, &task(4), "One must never lock, or lock the row"), Some(1));
        assert_eq!(chosen_when_told(script, &task(3), "Lock the row"), Some(2));
    }

    #[test]
    fn a_text_of_several_lines_is_one_text() {
        let said = |script: &str| -> Vec<String> {
            let steps = parse(script).unwrap().remove(0).steps.into_iter();
            steps.map(|step| if let Statement::Say(text) = step.statement { text } else { String::new() }).collect()
        };
        assert_eq!(said("sigil <a>\nsigil b\n\n# remark\nsigil </a>\nsay c\nsigil d"), ["<a>\nb\n</a>", "c", "d"]);
        assert_eq!(said("say <<EOF\n  a\n\n# b\nEOF\nsay c"), ["  a\n\n# b\n", "c"]);
    }

    #[test]
    fn a_fault_names_its_line() {
        let cases = [
            ("say hi\n\n# remark\nsya ho", "line 4: 'sya' is not a statement"),
            ("[task]\nhang", "line 1: '' is not a task's number"),
            ("[colour red]", "line 1: 'colour' is not a condition"),
            ("[told lock]", "line 1: 'told' is not a condition"),
            ("[told \"lock]", "line 1: quoted words end with"),
            ("[task 1", "line 1: a header ends with ']'"),
            ("[]", "line 1: a header without a condition"),
            ("say", "line 1: 'say' needs words"),
            ("say ${who}", "line 1: ${who} is not a variable"),
            ("edit a.txt\nx", "line 1: 'edit' is written"),
            ("edit a.txt <<EOF\nx", "line 1: no line 'EOF' ends this text"),
            ("say <<EOF\nx", "line 1: no line 'EOF' ends this text"),
            ("say <<\nx", "line 1: after '<<' stands the word that ends the text"),
            ("sigil a\n# remark\nsigil ${who}", "line 3: ${who} is not a variable"),
            ("repeat 2\nsay x", "line 1: 'repeat' without an 'end'"),
            ("end", "line 1: 'end' without a 'repeat'"),
            ("repeat many\nend", "line 1: 'many' is not a number of times"),
            ("usage 1 2", "line 1: 'usage' is written"),
            ("usage 1 2 NaN", "line 1: NaN is not a number of dollars"),
            ("ends badly", "line 1: 'badly' is not an ending"),
            ("exit 256", "line 1: '256' is not an exit code"),
        ];
        for (script, told) in cases {
            let error = parse(script).unwrap_err().to_string();
            assert!(error.starts_with(told), "{script:?}: {error}");
        }
    }
}
