//! Languages that the rules can't read: there neither the tables nor the vectors of an English model tell a denial from what it denies.
//!
//! Each language denies in more ways than a list can hold, and some by an ending. What can be told is whether a text is English: by its
//! words of grammar.

use super::frame::{is_grammar, is_weightless};
use crate::words::{Token, TokenKind, Words, is_listed};
use std::collections::HashSet;

/// English words of grammar that are also words of another language, or of languages like it: a text is English by those which no row
/// holds all of. "Is" of Hungarian is in none: "a", then "is" begins most English sentences.
const SHARED: [&str; 14] = [
    // German and its dialects.
    "all also am an do her in just so still via was will",
    // Dutch and Afrikaans.
    "an as at by even had he in is my of over so via was we",
    // Danish, Norwegian, Swedish and Icelandic.
    "all an as at be by do for have her i in no of on over so till to under via",
    // French.
    "a all an as but if in no on or via",
    // Spanish and Catalan.
    "a as can do has he i no on once or so via",
    // Portuguese and Italian.
    "a as do for i in no or so via",
    // Romanian.
    "a am an are as i in no or our via",
    // Slavic languages.
    "a by do had i its my no on one so the to via was we",
    // Hungarian.
    "a be via",
    // Finnish and Estonian.
    "all had he i is no on so via",
    // Turkish.
    "an as at her in is of on",
    // Vietnamese, without its marks too.
    "an at do he him in no on so them then to",
    // Indonesian, Malay and Filipino.
    "am an as at in is may no on so via",
    // The Baltic languages, Albanian, Irish and Welsh.
    "a an as be do i it no on so to via",
];
/// Words for each of which a text needs at least one of grammar: of an English sentence they are more than a third.
const WORDS_OF_ONE: usize = 8;

/// Whether the rules understand what two texts differ in: one of them is English, and what only one says is in Latin letters. Texts of
/// another language can be read where they have the same words in the same order.
pub(super) fn can_read(one: &Words, other: &Words) -> bool {
    let said = |words: &Words| -> HashSet<String> { words.tokens().iter().map(|token| token.lower.clone()).collect() };
    let of_another_script = || said(one).symmetric_difference(&said(other)).any(|word| word.chars().any(is_of_another_script));
    let known = is_english(one) || is_english(other) || weighty(one).eq(weighty(other));
    known && !of_another_script()
}

/// Whether a text is English beyond doubt.
fn is_english(words: &Words) -> bool {
    let plain = words.tokens().iter().filter(|token| !matches!(token.kind, TokenKind::Exact | TokenKind::Number));
    let of_grammar = |token: &&Token| token.kind != TokenKind::Plain || is_grammar(&token.lower) || is_weightless(&token.lower);
    let (of_grammar, others): (Vec<&Token>, Vec<&Token>) = plain.partition(of_grammar);
    let is_of = |row: &&str| of_grammar.iter().all(|token| is_listed(row, &token.lower));
    // The first row takes a text without any.
    of_grammar.len() * WORDS_OF_ONE >= of_grammar.len() + others.len() && !SHARED.iter().any(|row| is_of(&row))
}

fn weighty(words: &Words) -> impl Iterator<Item = &str> {
    words.tokens().iter().map(|token| token.lower.as_str()).filter(|word| !is_weightless(word))
}

/// A letter that is not Latin.
fn is_of_another_script(c: char) -> bool {
    c.is_alphabetic() && !(c < '\u{250}' || ('\u{1e00}'..='\u{1eff}').contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibrate::Calibration;
    use crate::reconcile::judge_pair;
    use crate::relation::Relation;
    use ralph_core::quality::PairVerdict;

    #[test]
    fn a_denial_in_another_language_is_never_the_same_however_near_its_vector() {
        for (a, b) in [
            ("Используйте кеш в тестах", "Не используйте кеш в тестах"),
            ("Il faut activer le cache dans les tests", "Il ne faut pas activer le cache dans les tests"),
            ("Die Migration darf parallel laufen", "Die Migration darf nicht parallel laufen"),
            ("A migração deve rodar em paralelo", "A migração não deve rodar em paralelo"),
            ("De migratie mag parallel draaien", "De migratie mag niet parallel draaien"),
            ("परीक्षणों में कैश का उपयोग करें", "परीक्षणों में कैश का उपयोग न करें"),
            ("必ず冪等キーを使うこと", "冪等キーを使ってはならない"),
            ("必须启用缓存", "必须禁用缓存"),
            ("用户表的主键是整数", "订单表的主键是整数"),
            ("테스트에서 캐시를 사용하세요", "테스트에서 캐시를 사용하지 마세요"),
            ("استخدم ذاكرة التخزين في الاختبارات", "لا تستخدم ذاكرة التخزين في الاختبارات"),
            ("השתמשו במטמון בבדיקות", "אל תשתמשו במטמון בבדיקות"),
            ("Χρησιμοποιήστε την κρυφή μνήμη στις δοκιμές", "Μη χρησιμοποιήστε την κρυφή μνήμη στις δοκιμές"),
            ("Używaj pamięci podręcznej w testach", "Nie używaj pamięci podręcznej w testach"),
            ("Hãy bật bộ nhớ đệm trong kiểm thử", "Không bật bộ nhớ đệm trong kiểm thử"),
            ("Die Migration darf parallel laufen", "Die Migration darf keinesfalls parallel laufen"),
            ("Der Zeitstempel ist in der Tabelle eindeutig", "Der Zeitstempel ist in der Tabelle keineswegs eindeutig"),
            ("Die Sitzung wird im Cache gehalten", "Die Sitzung wird nirgends im Cache gehalten"),
            ("Activez le cache dans les tests", "N'activez plus le cache dans les tests"),
            ("I test devono girare in parallelo", "I test mai devono girare in parallelo"),
            ("Migreringen får köras parallellt", "Migreringen får icke köras parallellt"),
            ("Kör migreringen före testerna", "Kör ej migreringen före testerna"),
            ("Można czyścić pamięć podręczną", "Zabrania się czyścić pamięć podręczną"),
            ("Guarde los importes en céntimos", "Evite guardar los importes en céntimos"),
            ("Gem altid beløb i øre i databasen", "Gem under ingen omstændigheder beløb i øre i databasen"),
            ("Testler önbelleği kullanmalı", "Testler önbelleği kullanmamalı"),
            ("Sla bedragen op in centen", "Sla bedragen allerminst op in centen"),
            ("Tallenna summat sentteinä", "Älkää tallentako summat sentteinä"),
        ] {
            let (older, newer) = (Words::of(a), Words::of(b));
            assert_ne!(older.relation(&newer), Relation::Duplicate, "{a} | {b}");
            let verdict = judge_pair(&older, &newer, 1.0, Calibration::MINI_LM).verdict;
            assert_eq!(verdict, PairVerdict::Related, "{a} | {b}");
        }
    }

    #[test]
    fn a_text_is_english_by_its_words_of_grammar() {
        for (text, expected) in [
            ("A man is playing a guitar", true),
            ("Run the tests before a commit", true),
            ("Run migrations in order", false),
            ("Retry refunds 3 times", false),
            ("Prices must be in cents", true),
            ("Serviciul are nevoie de jeton", false),
            ("Zet de prijs in centen of in euro", false),
            ("Kører i test for at undgå fejl", false),
            ("Włącz dla wszystkich połączeń z bazą danych limit and timeout", false),
            ("", false),
        ] {
            assert_eq!(is_english(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn equal_words_are_the_same_in_every_language() {
        for (a, b) in [
            ("Используйте кеш в тестах", "используйте кеш в тестах."),
            ("必须启用缓存", "必须启用缓存。"),
            ("Größen stehen in Byte", "größen stehen in Byte"),
        ] {
            let (older, newer) = (Words::of(a), Words::of(b));
            assert_eq!(older.relation(&newer), Relation::Duplicate, "{a} | {b}");
            assert_eq!(judge_pair(&older, &newer, 1.0, Calibration::MINI_LM).verdict, PairVerdict::Observed, "{a} | {b}");
        }
    }
}
