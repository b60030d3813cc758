//! Languages that the rules can't read: there neither the tables nor the vectors of an English model tell a denial from what it denies.
//!
//! Each language denies in more ways than a list can hold, and some by an ending. What can be recognized is whether a text is English, by
//! its function words.

use super::frame::{is_grammar, is_weightless};
use super::{senses, stem};
use crate::words::{Token, TokenKind, Words, is_listed};
use std::collections::HashSet;

/// English function words that are also words of another language, a row for each language: texts are English if no row holds all of
/// theirs. The Hungarian and Irish "is" is in none: "a", then "is" begins most English sentences.
const SHARED: [&str; 20] = [
    // German, Dutch, Afrikaans.
    "all also am an do her in just so still via was will",
    "an at even had he in is of over via was we",
    "as by in is my of over so via was we",
    // Danish and Norwegian, Swedish.
    "an as at be by do for have her i no of on over so to under via",
    "all an i in over so till under via",
    // French, Spanish, Catalan, Portuguese, Italian, Romanian.
    "a an as but if no on or via",
    "a as has he no once so via",
    "a as can has he i no on or so via",
    "a as do for no so via",
    "a do i in no or so via",
    "a am an are as in no or our via",
    // Polish; Czech, Slovak and the languages south of them.
    "a by do i my no on one to via was we",
    "a by do had i my no on one so to via",
    // Hungarian; Finnish and Estonian; Turkish.
    "a be via",
    "all he no on so via",
    "an as at her in is of on",
    // Vietnamese without its marks; Filipino and Indonesian.
    "an at do he in no on so them then to",
    "am an as at in is may no on so via",
    // Latvian and Lithuanian; Albanian, Irish and Welsh.
    "as be i is it no to via",
    "a an as do i so via",
];
/// Two texts need at least one word of grammar per this many words: in English sentences they are more than a third.
const WORDS_OF_ONE: usize = 8;
/// Share of English words, in fifths, from which texts without words of grammar count as English. The others are names ("pnpm").
const FIFTHS_KNOWN: usize = 3;
/// Words of the English tables that deny in another language.
const DENY_ELSEWHERE: &str = "ne nu pas ni nie non sin sem sans mai nem nei ei ez en et cap nada point";

/// Whether the rules understand what two texts differ in: they are English, and what only one says is in Latin letters. Texts of another
/// language can be read where they have the same words in the same order.
pub(super) fn can_read(one: &Words, other: &Words) -> bool {
    let differing = differing(one, other);
    if differing.iter().any(|word| word.chars().any(is_of_another_script)) {
        return false;
    }
    are_english(one, other) || are_of_english_words(one, other, &differing) || weighty(one).eq(weighty(other))
}

/// Whether the rules understand what a different order of words means: only in English, where any word may be the one that matters.
pub(super) fn is_order_read(one: &Words, other: &Words) -> bool {
    let all = one.tokens().iter().chain(other.tokens()).map(|token| token.lower.as_str()).collect();
    are_english(one, other) || are_of_english_words(one, other, &all)
}

/// The words that only one of two texts has.
fn differing<'w>(one: &'w Words, other: &'w Words) -> HashSet<&'w str> {
    let said = |words: &'w Words| -> HashSet<&'w str> { words.tokens().iter().map(|token| token.lower.as_str()).collect() };
    &said(one) ^ &said(other)
}

/// Whether two texts, which are of one language if they say the same, are English by their words of grammar.
fn are_english(one: &Words, other: &Words) -> bool {
    let (of_grammar, others): (Vec<&Token>, Vec<&Token>) = plain(one, other).partition(|token| is_of_grammar(token));
    let is_of = |row: &&str| of_grammar.iter().all(|token| is_listed(row, &token.lower));
    of_grammar.len() * WORDS_OF_ONE >= of_grammar.len() + others.len() && !SHARED.iter().any(is_of)
}

/// Whether most words of two texts, and all in which they differ, are English: a headline, an order in a few words.
fn are_of_english_words(one: &Words, other: &Words, differing: &HashSet<&str>) -> bool {
    let is_known = |token: &&Token| senses::is_known(&stem(&token.lower)) && !is_listed(DENY_ELSEWHERE, &token.lower);
    let (known, unknown): (Vec<&Token>, Vec<&Token>) = plain(one, other).filter(|token| !is_of_grammar(token)).partition(is_known);
    known.len() * 5 >= (known.len() + unknown.len()) * FIFTHS_KNOWN
        && !known.is_empty()
        && !unknown.iter().any(|token| differing.contains(token.lower.as_str()))
}

/// The words of two texts that are not names, paths or numbers.
fn plain<'t>(one: &'t Words, other: &'t Words) -> impl Iterator<Item = &'t Token> {
    let tokens = one.tokens().iter().chain(other.tokens());
    tokens.filter(|token| !matches!(token.kind, TokenKind::Exact | TokenKind::Number))
}

fn is_of_grammar(token: &Token) -> bool {
    token.kind != TokenKind::Plain || is_grammar(&token.lower) || is_weightless(&token.lower)
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
    fn two_texts_are_english_by_their_words() {
        for (a, b, expected) in [
            ("A man is playing a guitar", "A man plays the guitar", true),
            ("Prices must be in cents", "Store prices in cents", true),
            ("Use pnpm to install packages", "Install packages using pnpm", true),
            ("Retry the refunds", "Retry refunds later", true),
            ("Delete old files", "Remove old files", true),
            ("Fire in hospital kills guests", "Guests killed in hospital fire", true),
            ("De server start in de container", "De server start niet in de container", false),
            ("Zet de prijs in centen of in euro", "Zet de prijs nimmer in centen of in euro", false),
            ("Serviciul are nevoie de jeton", "Serviciul nu are nevoie de jeton", false),
            ("Kører i test for at undgå fejl", "Kører ej i test for at undgå fejl", false),
            ("Włącz dla wszystkich połączeń z bazą limit and timeout", "Wyłącz dla wszystkich połączeń z bazą limit and timeout", false),
            ("Cache test via server", "Cache test icke via server", false),
            ("", "Delete", true),
        ] {
            assert_eq!(can_read(&Words::of(a), &Words::of(b)), expected, "{a} | {b}");
        }
    }

    #[test]
    fn another_order_of_another_language_is_no_contradiction() {
        for (a, b) in [
            ("Nach dem Deploy wird der Index neu gebaut", "Der Index wird nach dem Deploy neu gebaut"),
            ("Im Container läuft der Worker als root", "Der Worker läuft im Container als root"),
            ("En CI il faut lancer npm ci", "Il faut lancer npm ci en CI"),
            ("Nei test non si usa il database reale", "Il database reale non si usa nei test"),
        ] {
            let (older, newer) = (Words::of(a), Words::of(b));
            assert_eq!(older.relation(&newer), Relation::Distinct, "{a} | {b}");
            assert_eq!(judge_pair(&older, &newer, 1.0, Calibration::MINI_LM).verdict, PairVerdict::Related, "{a} | {b}");
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
