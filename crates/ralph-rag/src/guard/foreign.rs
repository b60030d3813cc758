//! Languages that the rules can't read: there neither the tables nor the vectors of an English model tell a denial from what it denies.

use crate::words::{Words, is_listed};
use std::collections::HashSet;

/// Words that deny in languages written as English is. Endings that deny ("-me-") are words in another's place, which the frame sees.
const NEGATORS: &str = "nicht nichts kein keine keinen keinem keiner keines nie niemals ohne weder | ne pas jamais rien aucun aucune sans ni \
    | nunca jamás ningún ninguna tampoco sin | não nao nenhum nenhuma jamais sem | niet geen nooit niets zonder | non nessun nessuna senza \
    | nigdy żaden żadna żadne bez | ikke aldri aldrig ingen inget inga inte utan uden uten | ei eivät älä ilman koskaan | nem soha nélkül \
    | nu niciodată fără | nikdy žádný žádná žádné | değil asla yok | không đừng chưa | tidak jangan bukan tanpa";

/// Whether each word that one of the texts lacks is one that the rules may know.
pub(super) fn can_read(one: &Words, other: &Words) -> bool {
    let said = |words: &Words| -> HashSet<String> { words.tokens().iter().map(|token| token.lower.clone()).collect() };
    !said(one).symmetric_difference(&said(other)).any(|word| is_listed(NEGATORS, word) || word.chars().any(is_of_another_script))
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
        ] {
            let (older, newer) = (Words::of(a), Words::of(b));
            assert_ne!(older.relation(&newer), Relation::Duplicate, "{a} | {b}");
            let verdict = judge_pair(&older, &newer, 1.0, Calibration::MINI_LM).verdict;
            assert_eq!(verdict, PairVerdict::Related, "{a} | {b}");
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
