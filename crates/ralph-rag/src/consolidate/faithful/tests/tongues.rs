//! Entries in other languages: unchanged they land; in other words a person compares them.

use super::labelled::weighed_one;

const GERMAN: &str = "Rückerstattungen werden in der Zeitzone des Anbieters verglichen, sonst kommt jede Zahlung zu spät an";
const RUSSIAN: &str = "Никогда не запускайте миграции до остановки сервера `worker`, иначе очередь теряется";
const FRENCH: &str = "Il ne faut jamais lancer les migrations avant d'arrêter le serveur";
const CHINESE: &str = "退款窗口按照支付提供商的时区进行比较，否则会晚一天";
const JAPANESE: &str = "キャッシュを消す前に必ずサーバーを止めること、そうしないと壊れる";

#[test]
fn other_words_of_another_language_are_for_a_person_to_compare() {
    for (entry, reworded) in [
        (GERMAN, "Vergleiche Rückerstattungen in der Zeitzone des Anbieters, sonst kommt jede Zahlung zu spät an"),
        (RUSSIAN, "Миграции нельзя запускать, пока не остановлен сервер `worker`: иначе очередь теряется"),
        (FRENCH, "Arrêter le serveur avant de lancer les migrations, jamais après"),
        (CHINESE, "退款窗口要按支付提供商的时区比较，否则会晚一天"),
        (JAPANESE, "サーバーを必ず止めてからキャッシュを消すこと。そうしないと壊れる"),
        // These say the opposite, which no rule here knows.
        (GERMAN, "Rückerstattungen werden nicht in der Zeitzone des Anbieters verglichen, sonst kommt jede Zahlung zu spät an"),
        (RUSSIAN, "Запускайте миграции до остановки сервера `worker`, иначе очередь теряется"),
        (FRENCH, "Il faut lancer les migrations avant d'arrêter le serveur"),
        (CHINESE, "退款窗口不按照支付提供商的时区进行比较，否则会晚一天"),
    ] {
        let found = weighed_one(entry, &format!("- {reworded} <!-- ralph:L1 -->\n"));
        assert_eq!(found.faults, Vec::<String>::new(), "{reworded}");
        assert!(found.divergences.iter().any(|of| of.text.contains("not in English")), "{reworded}: {:?}", found.divergences);
        let same = weighed_one(entry, &format!("- {entry} <!-- ralph:L1 -->\n"));
        assert!(same.faults.is_empty() && same.divergences.is_empty(), "{:?} {:?}", same.faults, same.divergences);
    }
    let other = weighed_one(CHINESE, "- 缓存必须在重启之前清除 <!-- ralph:L1 -->\n");
    assert!(other.faults.iter().any(|fault| fault.contains("hardly a word")), "{:?}", other.faults);
}
