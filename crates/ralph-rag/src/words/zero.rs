//! "Zero" used as a denial.

use super::{Token, TokenKind, is_listed, unit_of};

/// Words after which "zero" says how many there are.
const HAVING: &str = "has have had having with are is was were be allow allows permit permits tolerate tolerates need needs take takes \
    contain contains leave leaves report reports return returns accept accepts expect expects";

/// "It has zero retries" says that it has none. Elsewhere zero is a number: "zero amounts are refused".
pub(super) fn deny(tokens: &mut [Token], text: &str) {
    for at in 1..tokens.len().saturating_sub(1) {
        let (before, zero, behind) = (&tokens[at - 1], &tokens[at], &tokens[at + 1]);
        if !text[zero.range.clone()].eq_ignore_ascii_case("zero") {
            continue;
        }
        let counts = behind.kind == TokenKind::Plain && behind.is_content() && unit_of(&behind.lower).is_none();
        let has = is_listed(HAVING, &before.lower) && !before.ends_clause && !zero.ends_clause;
        if has && counts {
            (tokens[at].lower, tokens[at].kind) = ("no".to_owned(), TokenKind::Negator);
        }
    }
}
