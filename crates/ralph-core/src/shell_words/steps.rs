//! The steps of a shell command, as a shell would split it: whatever is quoted or substituted is one word; comments and the bodies of
//! heredocs are not words.

/// Words before a command that are followed by another command.
const PREFIXES: [&str; 16] =
    ["exec", "env", "time", "timeout", "nice", "nohup", "command", "sudo", "if", "then", "else", "elif", "while", "until", "do", "!"];
/// Shells, whose scripts are read in their place.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// A word of a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text, without its quotes; substitutions are kept as written.
    pub text: String,
    /// Whether any part of it is quoted.
    pub quoted: bool,
}

/// A part of a command between two operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Its words, without redirections; never empty.
    pub words: Vec<Word>,
    /// What it reads from the command itself: the bodies of heredocs, each with its line breaks.
    pub input: String,
    /// The operator behind it: a line break, `;`, `|`, `|&`, `||`, `&` or `&&`; empty at the end.
    pub operator: &'static str,
    /// Where its input comes from and its output goes to, each with its sign: `< a.txt`, `2> log`.
    pub redirections: Vec<String>,
    /// Whether it reads a heredoc.
    heredoc: bool,
}

impl Step {
    /// Its words from the program on: without what precedes that, such as `if`, `sudo` and variable assignments.
    pub fn command(&self) -> &[Word] {
        let at = self.words.iter().position(|word| !leads(&word.text)).unwrap_or(self.words.len());
        &self.words[at..]
    }

    /// Whether another part of a pipe follows.
    pub fn is_piped(&self) -> bool {
        matches!(self.operator, "|" | "|&")
    }

    /// The script that it hands to a shell, with the number of words before it: `sh -c SCRIPT`, `bash -lc SCRIPT`.
    fn script(&self) -> Option<(usize, &str)> {
        let from = self.words.len() - self.command().len();
        let shell = self.command().first()?.text.rsplit('/').next().unwrap_or_default();
        let options = self.words.get(from + 1..).filter(|_| SHELLS.contains(&shell))?;
        let is_code = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c');
        let at = options.iter().position(is_code)?;
        // A script of a file comes before its own options; the name of an option of the shell does not (`-o pipefail`, `+O extglob`).
        let is_option = |word: &Word| word.text.starts_with(['-', '+']);
        let names_option = |word: &Word| is_option(word) && word.text.ends_with(['o', 'O']) && !word.text.starts_with("--");
        let to_shell = (0..at).all(|at| is_option(&options[at]) || at.checked_sub(1).is_some_and(|before| names_option(&options[before])));
        let script = options.get(at + 1).filter(|_| to_shell)?;
        Some((from + 1 + at + 1, &script.text))
    }
}

/// Whether a word precedes the program of a step.
pub(super) fn leads(word: &str) -> bool {
    let assigns = word.split_once('=').is_some_and(|(name, _)| is_name(name));
    // `timeout 60`, `nice -n 10`.
    let number = word.trim_end_matches(['s', 'm', 'h', 'd']);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    PREFIXES.contains(&word) || assigns || is_number || word.starts_with('-')
}

/// Whether a word can name a variable.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The steps of a command, in order; if it passes a script to a shell, the steps of the script instead.
pub fn steps(command: &str) -> Vec<Step> {
    let mut found = Vec::new();
    for step in Reader::read(command) {
        let Some((_, script)) = step.script() else {
            found.push(step);
            continue;
        };
        let mut inner = steps(script);
        if let Some(last) = inner.last_mut().filter(|_| !step.operator.is_empty()) {
            last.operator = step.operator;
        }
        // What precedes the shell precedes the first program of its script.
        let leading = step.words.len() - step.command().len();
        if let Some(first) = inner.first_mut() {
            first.words.splice(0..0, step.words[..leading].iter().cloned());
        }
        found.extend(inner);
    }
    found
}

/// The script that a command hands to a shell, if that is all it does: `npm test` of `/bin/bash -lc 'npm test'`.
pub fn script_of(command: &str) -> Option<String> {
    let steps = Reader::read(command);
    let [step] = steps.as_slice() else { return None };
    let (at, script) = step.script()?;
    let alone = step.command().len() == step.words.len()
        && at + 1 == step.words.len()
        && !step.heredoc
        && step.redirections.is_empty()
        && step.operator.is_empty();
    alone.then(|| script.to_owned())
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Word,
    /// It is where a redirection goes.
    Target,
    /// It is read as input.
    Input,
}

/// A heredoc whose body is still to come.
struct Heredoc {
    /// Number of the step that reads it.
    step: usize,
    end: String,
    /// Whether tabs before its end don't matter.
    indented: bool,
}

struct Reader<'c> {
    rest: &'c str,
    /// The character before the rest.
    before: char,
    /// What closes the quotes and substitutions that are open, outermost first.
    open: Vec<char>,
    heredocs: Vec<Heredoc>,
    word: Option<Word>,
    next: Next,
    step: Step,
    steps: Vec<Step>,
}

impl<'c> Reader<'c> {
    fn read(command: &'c str) -> Vec<Step> {
        let (step, steps) = (Step::default(), Vec::new());
        let mut reader =
            Reader { rest: command, before: '\n', open: Vec::new(), heredocs: Vec::new(), word: None, next: Next::Word, step, steps };
        while let Some(c) = reader.rest.chars().next() {
            let taken = reader.take(c).max(c.len_utf8()).min(reader.rest.len());
            reader.before = reader.rest[..taken].chars().next_back().unwrap_or(c);
            reader.rest = &reader.rest[taken..];
        }
        reader.end_step("");
        reader.steps
    }

    /// Reads what begins with this character, and returns its bytes.
    fn take(&mut self, c: char) -> usize {
        let rest = self.rest;
        // Within a substitution the text is kept as it is.
        let raw = self.open.contains(&')');
        match (self.open.last().copied(), c) {
            (_, '\\') => return self.take_escaped(raw),
            (Some(close), _) if c == close => {
                self.open.pop();
                if raw || c != '"' {
                    self.push(c);
                }
            }
            (inside, '$') if rest.starts_with("$((") && inside != Some('}') => return self.take_through("))", 0, true),
            (_, '$') if rest.starts_with("$(") => return self.opens(')', "$("),
            (Some('"' | '}'), _) => self.push(c),
            (_, '$') if rest.starts_with("${") => return self.opens('}', "${"),
            (_, '\'') => return self.take_through("'", 1, raw),
            (_, '`') => return self.take_through("`", 1, true),
            (_, '"') => {
                self.quote();
                if raw {
                    self.push(c);
                }
                self.open.push('"');
            }
            (_, '#') if self.before.is_whitespace() || matches!(self.before, ';' | '&' | '|' | '(') => {
                return rest.find('\n').unwrap_or(rest.len());
            }
            (_, '<') if rest.starts_with("<<") && !rest.starts_with("<<<") => return self.take_heredoc(raw),
            (_, '\n') if !self.heredocs.is_empty() => return self.take_bodies(raw),
            (Some(_), '(') => return self.opens(')', "("),
            (Some(_), _) => self.push(c),
            (None, '<' | '>') if rest[1..].starts_with('(') => return self.opens(')', &rest[..2]),
            (None, '<' | '>') => return self.take_redirection(),
            (None, '&') if rest.starts_with("&>") => return 1,
            (None, '\n' | ';' | '|' | '&') => {
                let operator = ["&&", "||", "|&", "\n", ";", "|", "&"].into_iter().find(|operator| rest.starts_with(operator));
                let operator = operator.unwrap_or_default();
                self.end_step(operator);
                return operator.len();
            }
            (None, c) if c.is_whitespace() || matches!(c, '(' | ')') => self.end_word(),
            (None, _) => self.push(c),
        }
        c.len_utf8()
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().text.push(c);
    }

    fn quote(&mut self) {
        self.word.get_or_insert_default().quoted = true;
    }

    fn opens(&mut self, close: char, with: &str) -> usize {
        self.open.push(close);
        self.word.get_or_insert_default().text.push_str(with);
        with.len()
    }

    fn take_escaped(&mut self, raw: bool) -> usize {
        let Some(escaped) = self.rest.chars().nth(1) else { return 1 };
        let stays = raw || self.open.last() == Some(&'"') && !matches!(escaped, '"' | '\\' | '$' | '`' | '\n');
        if stays {
            self.push('\\');
        }
        if stays || escaped != '\n' {
            self.push(escaped);
        }
        1 + escaped.len_utf8()
    }

    /// Text up to what closes it, or to the end; including both delimiters if it is kept as it is.
    fn take_through(&mut self, close: &str, opening: usize, raw: bool) -> usize {
        let from = opening.min(self.rest.len());
        let closing = self.rest[from..].find(close).map(|at| from + at);
        let (end, taken) = closing.map_or((self.rest.len(), self.rest.len()), |at| (at, at + close.len()));
        let text = if raw { &self.rest[..taken] } else { &self.rest[from..end] };
        self.word.get_or_insert_default().text.push_str(text);
        self.quote();
        taken
    }

    /// `<<EOF`, `<<-'EOF'`: its body begins on the next line.
    fn take_heredoc(&mut self, raw: bool) -> usize {
        let from = if self.rest.starts_with("<<-") { 3 } else { 2 };
        let blank = self.rest[from..].len() - self.rest[from..].trim_start_matches([' ', '\t']).len();
        let word = &self.rest[from + blank..];
        let length = word.find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')')).unwrap_or(word.len());
        let taken = from + blank + length;
        let end = word[..length].replace(['\'', '"', '\\'], "");
        if raw {
            self.word.get_or_insert_default().text.push_str(&self.rest[..taken]);
        } else {
            self.end_word();
            self.step.heredoc = true;
        }
        self.heredocs.push(Heredoc { step: self.steps.len(), end, indented: from == 3 });
        taken
    }

    /// The bodies of the heredocs of the line that ends here. The line break before the next line is left.
    fn take_bodies(&mut self, raw: bool) -> usize {
        let mut at = 0;
        for heredoc in std::mem::take(&mut self.heredocs) {
            while let Some(rest) = self.rest.get(at + 1..) {
                let line = rest.split('\n').next().unwrap_or_default();
                at += 1 + line.len();
                let said = if heredoc.indented { line.trim_start_matches('\t') } else { line };
                if said.trim_end_matches('\r') == heredoc.end {
                    break;
                }
                if !raw {
                    let step = self.steps.get_mut(heredoc.step).unwrap_or(&mut self.step);
                    step.input.push_str(line);
                    step.input.push('\n');
                }
            }
        }
        if raw {
            self.word.get_or_insert_default().text.push_str(&self.rest[..at.min(self.rest.len())]);
        }
        at
    }

    /// `> file`, `2>&1`, `<<< text`.
    fn take_redirection(&mut self) -> usize {
        let number = self.word.take_if(|word| !word.quoted && word.text.chars().all(|c| c.is_ascii_digit()));
        self.end_word();
        let operator = ["<<<", ">>", ">&", "<&", ">|", "<>", ">", "<"].into_iter().find(|operator| self.rest.starts_with(operator));
        let operator = operator.unwrap_or_default();
        self.next = if operator == "<<<" { Next::Input } else { Next::Target };
        self.step.redirections.push(format!("{}{operator}", number.unwrap_or_default().text));
        operator.len().max(1)
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.next, Next::Word) {
            Next::Target => {
                if let Some(redirection) = self.step.redirections.last_mut() {
                    redirection.push(' ');
                    redirection.push_str(&word.text);
                }
            }
            Next::Input => self.step.input.push_str(&word.text),
            Next::Word if !word.quoted && matches!(word.text.as_str(), "{" | "}") => {}
            Next::Word => self.step.words.push(word),
        }
    }

    fn end_step(&mut self, operator: &'static str) {
        self.end_word();
        self.next = Next::Word;
        let step = Step { operator, ..std::mem::take(&mut self.step) };
        if !step.words.is_empty() {
            self.steps.push(step);
        }
    }
}
