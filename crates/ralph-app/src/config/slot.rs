//! A field of the settings: how a key of the file fills it, and how it is written back.

use ralph_core::run::AgentKind;
use ralph_core::settings::range_of;
use ralph_core::text::UnknownWord;
use std::fmt::Display;
use std::str::FromStr;
use toml_edit::{Array, Item, Value};

/// A field, by the kind of value that its key takes.
pub(super) enum Slot<'a> {
    Text(&'a mut String),
    /// Within the range that is listed for the key.
    Number(&'a mut u32),
    Dollars(&'a mut f64),
    Flag(&'a mut bool),
    List(&'a mut Vec<String>),
    Word(&'a mut dyn Word),
    /// Empty = none.
    Agent(&'a mut Option<AgentKind>),
}

/// What is wrong with a value, for a person who sees its key before it.
#[derive(Debug, thiserror::Error)]
pub(super) enum SlotFault {
    #[error("must be a text in quotes")]
    Text,
    #[error("must be a whole number between {least} and {most}")]
    Number { least: u32, most: u32 },
    #[error("must be a number of dollars, 0 or more")]
    Dollars,
    #[error("must be true or false")]
    Flag,
    #[error("must be a list of texts in quotes, for example [\"one\", \"two\"]")]
    List,
    #[error("{0}")]
    Word(#[from] UnknownWord),
    #[error("is '{0}'; name an agent, \"claude\", \"codex\", \"opencode\" or \"scripted\", or leave it empty for none")]
    Agent(String),
}

/// One of the words of an enum.
pub(super) trait Word {
    fn word(&self) -> String;
    fn set(&mut self, word: &str) -> Result<(), UnknownWord>;
}

impl<T: FromStr<Err = UnknownWord> + Display> Word for T {
    fn word(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, word: &str) -> Result<(), UnknownWord> {
        *self = word.parse()?;
        Ok(())
    }
}

impl Slot<'_> {
    /// Takes the value of the file.
    ///
    /// # Errors
    /// If it is of another kind, not a word of the enum, or out of range.
    pub(super) fn set(self, key: &str, item: &Item) -> Result<(), SlotFault> {
        let text = || item.as_str().ok_or(SlotFault::Text);
        match self {
            Slot::Text(field) => text()?.clone_into(field),
            Slot::Number(field) => {
                let number = item.as_integer().and_then(|number| u32::try_from(number).ok());
                *field = number.filter(|number| range_of(key).contains(number)).ok_or_else(|| range_fault(key))?;
            }
            #[allow(clippy::cast_precision_loss, reason = "dollars")]
            Slot::Dollars(field) => {
                *field = item.as_float().or_else(|| item.as_integer().map(|number| number as f64)).ok_or(SlotFault::Dollars)?;
            }
            Slot::Flag(field) => *field = item.as_bool().ok_or(SlotFault::Flag)?,
            Slot::List(field) => {
                let texts = |array: &Array| array.iter().map(|value| value.as_str().map(str::to_owned)).collect();
                *field = item.as_array().and_then(texts).ok_or(SlotFault::List)?;
            }
            Slot::Word(field) => field.set(text()?)?,
            Slot::Agent(field) => {
                let word = text()?;
                *field = if word.is_empty() { None } else { Some(word.parse().map_err(|_| SlotFault::Agent(word.to_owned()))?) };
            }
        }
        Ok(())
    }

    /// The value as the file holds it.
    pub(super) fn value(&self) -> Value {
        match self {
            Slot::Text(field) => field.as_str().into(),
            Slot::Number(field) => i64::from(**field).into(),
            Slot::Dollars(field) => (**field).into(),
            Slot::Flag(field) => (**field).into(),
            Slot::List(field) => Value::Array(field.iter().collect()),
            Slot::Word(field) => field.word().into(),
            Slot::Agent(field) => field.map_or("", AgentKind::as_str).into(),
        }
    }

    /// What is wrong with a number that did not come from the file.
    pub(super) fn check(&self, key: &str) -> Result<(), SlotFault> {
        match self {
            Slot::Number(field) if !range_of(key).contains(&**field) => Err(range_fault(key)),
            Slot::Dollars(field) if !field.is_finite() || **field < 0.0 => Err(SlotFault::Dollars),
            _ => Ok(()),
        }
    }
}

fn range_fault(key: &str) -> SlotFault {
    let range = range_of(key);
    SlotFault::Number { least: *range.start(), most: *range.end() }
}
