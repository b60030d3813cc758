//! Private key blocks in PEM and PuTTY formats, complete or torn, with or without numbered lines.

use memchr::memmem;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Id of the rule.
pub(super) const ID: &str = "private-key";
/// Bytes between the two marker lines beyond which they do not belong together: an RSA key of 16,384 bits needs 13 kB.
const MAX_BLOCK_BYTES: usize = 32_768;

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)-{3,5} ?BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)? ?-{3,5}").expect("a constant pattern"));
static END: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)-{3,5} ?END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)? ?-{3,5}").expect("a constant pattern"));
/// Blanks and line ends, also escaped, with the numbers and signs that `cat -n`, `grep -n`, diffs and agents' tools put before a line.
const BETWEEN: &str = r"(?:(?:\n|\\+n)[ \t]{0,8}\d{1,6}(?:\t|\\+t|[ \t]{0,2}(?:[:|→]|\\+u2192)|-|  )|[\s+>|]|\\+[nrt])*";
/// Key material after the first marker: encoded runs and PEM headers; then a shorter run at the end of the text or string. It
/// includes no quote.
static BODY: LazyLock<Regex> = LazyLock::new(|| {
    let between = BETWEEN;
    Regex::new(&format!(
        r#"^(?P<runs>(?:{between}(?:Proc-Type:[^\n\\"]{{0,60}}|DEK-Info:[^\n\\"]{{0,100}}|[A-Za-z0-9+/=]{{16,}}))*)(?:(?P<last>{between}[A-Za-z0-9+/=]{{4,}})(?:\s*$|\\*["'`]))?"#
    ))
    .expect("a constant pattern")
});
/// The private part of a PuTTY key: as many encoded lines as announced, and the MAC.
static PUTTY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"Private-Lines:[ \t]{{0,3}}\d{{1,3}}(?P<runs>(?:{BETWEEN}[A-Za-z0-9+/=]{{8,}})+)(?:{BETWEEN}Private-(?:MAC|Hash):[ \t]{{0,3}}[0-9a-fA-F]{{8,}})?"
    ))
    .expect("a constant pattern")
});
/// A key with percent signs for its blanks and line ends, as in a form or a URL, up to where they end.
static PERCENT_ENCODED: LazyLock<Regex> = LazyLock::new(|| {
    let blank = r"(?:%20|\+)";
    Regex::new(&format!(
        r"(?i)-----BEGIN{blank}(?:[A-Z0-9]{{1,12}}{blank}){{0,3}}PRIVATE{blank}KEY-----(?:[A-Za-z0-9+/=-]|%[0-9A-F]{{2}}){{40,}}"
    ))
    .expect("a constant pattern")
});
/// The static key of OpenVPN: lines of hexadecimal digits.
static OPENVPN: LazyLock<Regex> = LazyLock::new(|| {
    let line = format!(r"{BETWEEN}[0-9a-f]{{32,}}");
    Regex::new(&format!(r"-----BEGIN OpenVPN Static key V1-----(?:{line})+(?:{BETWEEN}-----END OpenVPN Static key V1-----)?"))
        .expect("a constant pattern")
});
/// A run that only occurs in key material; prose between two mentioned markers has none.
static RUN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/=]{20,}").expect("a constant pattern"));

/// Finds every block from its first marker to its last, or as far as key material follows the marker of a torn block.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> =
        if text.contains("Private-Lines:") { PUTTY.find_iter(text).map(|found| found.range()).collect() } else { Vec::new() };
    // Both markers contain it, most texts do not, and the patterns examine every byte.
    if memmem::find(text.as_bytes(), b"---").is_none() {
        return blocks;
    }
    let ends: Vec<Range<usize>> = END.find_iter(text).map(|end| end.range()).collect();
    for begin in BEGIN.find_iter(text) {
        if blocks.last().is_some_and(|block| begin.start() < block.end) {
            continue;
        }
        let next_end = ends.get(ends.partition_point(|end| end.start < begin.end()));
        let whole = next_end.filter(|end| {
            let between = &text[begin.end()..end.start];
            // A brace: two mentions in different records of a log, and the text between them must not be redacted.
            between.len() <= MAX_BLOCK_BYTES && RUN.is_match(between) && !between.contains(['{', '}'])
        });
        let end = match whole {
            Some(end) => end.end,
            None => {
                let body = BODY.captures(&text[begin.end()..]);
                begin.end() + body.and_then(|body| body.name("last").or(body.name("runs"))).map_or(0, |part| part.end())
            }
        };
        // A marker alone, as in a sentence about key files, is not a secret.
        if end > begin.end() {
            blocks.push(begin.start()..end);
        }
    }
    for (sign, pattern) in [("KEY-----%", &PERCENT_ENCODED), ("OpenVPN Static key", &OPENVPN)] {
        if text.contains(sign) {
            blocks.extend(pattern.find_iter(text).map(|found| found.range()));
        }
    }
    blocks
}
