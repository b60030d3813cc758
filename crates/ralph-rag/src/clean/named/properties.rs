//! Files of properties: `spring.mail.password=wonderwall`. There a word is a password, where in code it would be the name of a variable.

use super::{ends_its_line, is_a_word};
use crate::clean::value;
use crate::words::is_listed;

/// Parts of names of displayed texts.
const SHOWN: &str = "label labels error errors message messages msg form forms field fields title hint placeholder text tooltip help validation \
    validator i18n ui page view translation translations locale lang";

/// Beginnings of the names of properties that configure a connection.
const CONNECTIONS: &str = "mail smtp imap spring jdbc datasource database db redis ldap proxy ftp sftp hibernate quarkus javax server";
/// Parts of names of values in code.
const IN_CODE: &str = "user users account accounts client config conf cfg options opts settings state req request res response body data \
    model input params props args connection session instance current";

/// Whether a property is set to a password. With fewer dots, or with blanks around the sign, a word may be the name of a variable, unless
/// the name begins as those of connections do, but not letters that a generator made.
pub(super) fn is_set(name: &str, before: &str, told: &str, after: &str) -> bool {
    let is_joined = before.ends_with('=') && !before.ends_with(" =");
    let is_deep = name.matches('.').count() > 1;
    let is_word = || is_deep && (is_joined || is_of_a_connection(name)) && ends_its_line(after) && is_a_word(told);
    is_property(name) && (value::is_jumbled(told) || is_word())
}

/// `mail.smtp.password`, but not `db.user.password`, which can be assigned a variable.
fn is_of_a_connection(name: &str) -> bool {
    let mut parts = name.split('.');
    // In JSON the `n` of an escaped end of line stands before the name.
    let is_first = |first: &str| [first, first.trim_start_matches('n')].into_iter().any(|first| is_listed(CONNECTIONS, first));
    parts.next().is_some_and(is_first) && !parts.any(|part| is_listed(IN_CODE, part))
}

/// `spring.mail.password`: configures something; neither a text that is shown, as `form.errors.password`, nor a part of a value in code.
fn is_property(name: &str) -> bool {
    let Some((parts, last)) = name.rsplit_once('.') else { return false };
    let is_last = last.bytes().all(|byte| byte.is_ascii_lowercase());
    is_last && !value::is_reference(name) && !parts.split('.').any(|part| is_listed(SHOWN, part))
}
