//! Numbers as Ralph itself writes them: a task is `3` or `#3`, an errand `3` or `e3`.

/// What was given in place of a number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not the number of {whose}; write it as 3 or {mark}3")]
pub struct NotANumber {
    text: String,
    whose: &'static str,
    mark: char,
}

/// The number of a task.
pub fn task(text: &str) -> Result<u32, NotANumber> {
    number(text, "a task", '#')
}

/// The number of an errand.
pub fn errand(text: &str) -> Result<u32, NotANumber> {
    number(text, "an errand", 'e')
}

fn number(text: &str, whose: &'static str, mark: char) -> Result<u32, NotANumber> {
    let digits = text.strip_prefix(mark).unwrap_or(text);
    digits.parse().map_err(|_| NotANumber { text: text.to_owned(), whose, mark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_as_it_is_told() {
        assert_eq!((task("3"), task("#3"), errand("3"), errand("e3")), (Ok(3), Ok(3), Ok(3), Ok(3)));
        for text in ["", "#", "##3", "e3", "-3", "3.5", "Refund"] {
            let fault = task(text).map_err(|fault| fault.to_string());
            assert_eq!(fault, Err(format!("'{text}' is not the number of a task; write it as 3 or #3")));
        }
        assert!(errand("#3").is_err_and(|fault| fault.to_string().contains("an errand; write it as 3 or e3")));
    }
}
