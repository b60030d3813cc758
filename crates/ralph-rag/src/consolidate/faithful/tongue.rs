//! Entries in other languages than English: the rules about what words deny, restrict and oppose know only English, so whatever
//! another language says in other words is for a person to compare.

use crate::guard::is_grammar;
use crate::words::{TokenKind, Words, is_listed, is_unspaced};
use std::collections::BTreeSet;

/// Frequent small words of other languages that English does not have.
const FOREIGN: &str = "und nicht oder aber wird werden wurde wurden ist sind der das dem des eine einen einem einer kein keine nie immer muss \
    müssen darf nur nach ohne wenn sonst weil bis beim zum zur auf mit \
    les une est sont pas jamais toujours avec dans que qui doit doivent faut avant après sans sinon avoir être aux \
    los las una para nunca siempre debe deben antes después porque cuando hay muy \
    che non gli della sono deve devono mai sempre prima dopo quando nella \
    não uma são nunca sempre deve devem depois quando sem \
    het een niet altijd nooit moet moeten zonder voor worden zijn wordt \
    och inte alltid aldrig måste utan eller jest nie się przed zawsze nigdy";

/// Whether a text says something in other words than an entry, and one of the two is in another language than English.
pub(super) fn is_reworded(entry: &str, said: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = Words::of(text);
        words.tokens().iter().map(|token| token.lower.clone()).filter(|word| word.contains(char::is_alphanumeric)).collect()
    };
    !(is_english(entry) && is_english(said)) && words(entry) != words(said)
}

/// Whether a text is in English, or in no language at all, as a command is.
fn is_english(text: &str) -> bool {
    let words = Words::of(text);
    let plain = words.tokens().iter().filter(|token| !matches!(token.kind, TokenKind::Number));
    let plain: BTreeSet<&str> = plain.map(|token| token.lower.as_str()).collect();
    let is_foreign = |word: &&&str| is_listed(FOREIGN, word) || word.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
    let foreign = plain.iter().filter(is_foreign).count();
    let english = plain.iter().filter(|word| is_grammar(word) && !is_listed(FOREIGN, word)).count();
    // One foreign word may be a name.
    foreign <= english || foreign < 2 && 2 * foreign < plain.len()
}

/// The parts by which a word is compared in a script without spaces between words; none in other scripts.
pub(super) fn pairs(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphanumeric()).collect();
    if !letters.iter().copied().any(is_unspaced) {
        return Vec::new();
    }
    letters.windows(2).map(|pair| pair.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart_by_their_small_words_and_letters() {
        for english in [
            "Refund windows are compared in the provider time zone",
            "Retry refunds with `Idempotency-Key`",
            "Run `make serve`",
            "The menu of the café is cached for a day",
            "Set LANG to de_DE.UTF-8",
            "Port 8080",
            "",
        ] {
            assert!(is_english(english), "{english}");
        }
        for foreign in [
            "Rückerstattungen werden in der Zeitzone des Anbieters verglichen",
            "Migrationen nie nach dem Neustart starten",
            "Il ne faut jamais lancer les migrations avant le serveur",
            "Las migraciones nunca se lanzan antes del servidor `worker`",
            "Никогда не запускайте миграции до остановки сервера `worker`",
            "退款窗口按照支付提供商的时区进行比较，否则会晚一天",
            "キャッシュを消す前に必ず `server` を止めること",
        ] {
            assert!(!is_english(foreign), "{foreign}");
        }
    }

    #[test]
    fn words_without_blanks_between_them_are_compared_in_pairs() {
        assert_eq!(pairs("退款窗口，按"), ["退款", "款窗", "窗口", "口按"]);
        assert_eq!((pairs("refund"), pairs("сервер")), (vec![], vec![]));
    }
}
