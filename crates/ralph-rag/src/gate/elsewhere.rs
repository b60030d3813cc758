//! Sentences that occur in every session, in other languages than English.

/// "All tests are green", "no problems found", "nothing to report" in German, Spanish, French, Portuguese, Italian, Japanese and Chinese.
pub(super) const FINE: &str = r"alle tests (?:sind|waren|laufen|liefen)(?: jetzt| nun| wieder)* (?:grün|durch|erfolgreich|bestanden)|(?:es wurden |es gab |es gibt )?keine (?:weiteren |neuen |besonderen )*(?:probleme|fehler|erkenntnisse|auffälligkeiten)(?: gefunden| aufgetreten)?|todas las pruebas (?:pasan|pasaron|han pasado)|todos los tests (?:pasan|pasaron)|(?:no hay|no se encontraron|sin) (?:nuevos |nuevas )?(?:problemas|errores|novedades)|tous les tests (?:passent|sont verts|ont réussi)|aucun (?:problème|apprentissage)(?: trouvé| rencontré)?|todos os testes (?:passam|passaram)|(?:nenhum|sem) (?:problemas?|erros?)(?: encontrados?)?|tutti i test (?:passano|sono passati)|(?:すべての)?テストは?(?:すべて|全て)?(?:成功|合格|通過)(?:した|しました)?|問題(?:は)?(?:ありません|なし)(?:でした)?|(?:所有|全部)?测试(?:全部|都)?(?:已)?通过(?:了)?|没有(?:发现)?问题";
/// How a refusal begins in the same languages, and in Russian and Korean.
pub(super) const REFUSED: &str = r"(?:es )?tut mir (?:sehr )?leid\b|ich kann (?:dir |ihnen )?(?:dabei|damit|das|leider)\b.{0,40}\bnicht\b|als (?:eine? )?ki\b|lo siento\b|no puedo (?:ayudar|asistir)|como (?:una )?(?:ia|modelo de lenguaje)\b|(?:je suis )?désolée?\b|je ne peux pas (?:vous |t['’])?aider|en tant qu['’](?:ia|intelligence|assistant)|(?:me )?desculpe\b|não posso ajudar|mi dispiace\b|non posso aiutar|申し訳(?:ありません|ございません)|(?:お手伝い|お答え)(?:は)?できません|(?:很)?抱歉|对不起|我(?:无法|不能)(?:帮|协助|提供)|죄송합니다|도와드릴 수 없|(?:извините|простите)\b|к сожалению,? я не могу";

#[cfg(test)]
mod tests {
    use crate::gate::inspect;
    use ralph_core::quality::GateFault::{self, Boilerplate, Refusal};

    #[test]
    fn what_is_no_lesson_in_other_languages_is_named_and_lessons_pass() {
        let faults = |text: &str| -> Vec<GateFault> { inspect(text, None, &[]).faults };
        for (text, fault) in [
            ("Alle Tests sind jetzt grün.", Boilerplate),
            ("Es wurden keine Probleme gefunden", Boilerplate),
            ("Todas las pruebas pasan", Boilerplate),
            ("Aucun problème rencontré.", Boilerplate),
            ("テストはすべて成功した", Boilerplate),
            ("所有测试都已通过", Boilerplate),
            ("Es tut mir leid, dabei kann ich nicht helfen", Refusal),
            ("Lo siento, no puedo ayudar con eso", Refusal),
            ("Je suis désolé, mais je ne peux pas vous aider", Refusal),
            ("申し訳ありませんが、お手伝いできません", Refusal),
        ] {
            assert!(faults(text).contains(&fault), "{text}: {:?}", faults(text));
        }
        for text in [
            "Alle Tests sind grün, sobald TZ=UTC gesetzt ist",
            "Keine Fehler beim Schließen verschlucken, sonst bleibt der Socket offen",
            "Todas las pruebas pasan solo con LANG=C",
            "テストはすべてUTCで実行すること",
            "Ein Lock muss her, sonst tut der Cache nichts",
        ] {
            assert_eq!(faults(text), [], "{text}");
        }
    }
}
