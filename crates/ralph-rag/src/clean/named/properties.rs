//! Files of properties: `spring.mail.password=wonderwall`. There a word is a password, where in code it would be the name of a variable.

use super::{ends_its_line, is_a_word};
use crate::clean::value;
use crate::words::is_listed;

/// Parts of names of displayed texts.
const SHOWN: &str = "label labels error errors message messages msg form forms field fields title hint placeholder text tooltip help validation \
    validator i18n ui page view translation translations locale lang";

/// Whether a property is set to a password. With fewer dots, or with blanks around the sign, a word may be the name of a variable, but not letters
/// that a generator made.
pub(super) fn is_set(name: &str, before: &str, told: &str, after: &str) -> bool {
    let is_joined = before.ends_with('=') && !before.ends_with(" =");
    let is_deep = name.matches('.').count() > 1;
    is_property(name) && (value::is_jumbled(told) || (is_joined && is_deep && ends_its_line(after) && is_a_word(told)))
}

/// `spring.mail.password`: configures something; neither a text that is shown, as `form.errors.password`, nor a part of a value in code.
fn is_property(name: &str) -> bool {
    let Some((parts, last)) = name.rsplit_once('.') else { return false };
    let is_last = last.bytes().all(|byte| byte.is_ascii_lowercase());
    is_last && !value::is_reference(name) && !parts.split('.').any(|part| is_listed(SHOWN, part))
}
