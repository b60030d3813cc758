//! Numbers as Ralph itself writes them: a task is `3` or `#3`, an errand `3` or `e3`.

/// The number of a task.
pub fn task(text: &str) -> Result<u32, String> {
    number(text, "a task", '#')
}

/// The number of an errand.
pub fn errand(text: &str) -> Result<u32, String> {
    number(text, "an errand", 'e')
}

fn number(text: &str, whose: &str, mark: char) -> Result<u32, String> {
    let digits = text.strip_prefix(mark).unwrap_or(text);
    digits.parse().map_err(|_| format!("'{text}' is not the number of {whose}; write it as 3 or {mark}3"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_as_it_is_told() {
        assert_eq!((task("3"), task("#3"), errand("3"), errand("e3")), (Ok(3), Ok(3), Ok(3), Ok(3)));
        for text in ["", "#", "##3", "e3", "-3", "3.5", "Refund"] {
            assert_eq!(task(text), Err(format!("'{text}' is not the number of a task; write it as 3 or #3")));
        }
        assert!(errand("#3").is_err_and(|fault| fault.contains("an errand") && fault.contains("e3")));
    }
}
