//! The index in memory beside the store's own full-text tables, over real prose: a long-lived process finds by words and fragments exactly
//! what a process finds that asks once.
#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]

use ralph_app::{FreshIndex, index_of};
use ralph_core::recall::{Reach, TextIndex, Tuning};
use ralph_core::time::Timestamp;
use ralph_rag::recall::{Index, Question};
use sqlite_db::Db;
use sqlite_db::table::{NewDocument, NewSection};
use std::collections::BTreeMap;
use std::sync::Arc;

const MODEL: &str = "none";

/// Prose, tables, code, two sentences a line; and what only full-text tables care about.
const TEXTS: [(&str, &str); 6] = [
    ("pairs.tsv", include_str!("../../ralph-rag/src/calibrate/pairs.tsv")),
    ("architecture.md", include_str!("../../../ARCHITECTURE.md")),
    ("measurements.md", include_str!("../../../docs/measurements.md")),
    ("question.rs", include_str!("../../ralph-rag/src/recall/question.rs")),
    ("recall.md", include_str!("../../../docs/decisions/006-recall.md")),
    (
        "odd.txt",
        "naïve café CAFÉ cafe\u{301} Straße STRASSE ﬁnd\nΣίσυφος σισυφοσ Σ\nпоиск ПОИСК\n数据库 检索 数据\n数据库连接池最大为 20，超过会报错\nデータベースのマイグレーションは手動で実行する\n마이그레이션은 수동으로\nマイグレーションの手順\nİstanbul ıstanbul\n\u{200b}zero\u{200b}width\n\
         aaaaaa aaaa AAAA\nx² ½ ①\nسلام\u{64e} שָׁלוֹם\nfoo_bar fooBar FOO-BAR foo.bar\n\n\"quoted\" 'single' (refund*) ^caret: {brace}\n\
         agreed agreement agreeing ponies ties caresses controlling relational hopefulness sky\nmicro µ and μ",
    ),
];

fn put(db: &Db, path: &str, text: &str) {
    let line = |(at, text): (usize, &str)| NewSection { line: at as u32 + 1, heading: String::new(), text: text.to_owned() };
    let sections: Vec<NewSection> = text.lines().enumerate().map(line).collect();
    let document = NewDocument { path, feature_id: None, stamp: "", digest: "", read: Timestamp(0), sections: &sections };
    db.writer().unwrap().transaction(|tx| tx.put_document(&document)).unwrap();
}

/// Compares every answer for a question, and tells how many there were.
fn compare(db: &Db, index: &Index, text: &str) -> usize {
    let question = Question::of(text, &Tuning { trigger: 0.1, ..Tuning::default() });
    let none = Vec::new();
    // Those of two letters are for the index alone.
    let for_tables = |fragments: &[String]| fragments.iter().filter(|f| f.chars().count() > 2).cloned().collect::<Vec<_>>();
    let (fragments, of_subject) = (for_tables(&question.fragments), for_tables(&question.subject.fragments));
    let asked = [
        (TextIndex::Words, &question.phrases, &question.subject.phrases),
        (TextIndex::Terms, &question.triggers, &none),
        (TextIndex::Words, &question.paths, &none),
        (TextIndex::Trigrams, &fragments, &of_subject),
        // A subject that names more than the question finds nothing by itself.
        (TextIndex::Words, &question.subject.phrases, &question.phrases),
    ];
    let mut answers = 0;
    for (which, phrases, subject) in asked {
        let found = index.search(which, phrases, subject).unwrap();
        let mut here: Vec<(i64, f64)> = index.rows_of(&found).map(|(row, score)| (row, f64::from(score))).collect();
        let ask = |phrases: &[String]| db.read(|r| r.search_passages(which, Reach::Knowledge, phrases)).unwrap();
        let (mut there, more) = (ask(phrases), ask(subject).into_iter().collect::<BTreeMap<_, _>>());
        there.iter_mut().for_each(|(row, score)| *score += more.get(row).copied().unwrap_or_default());
        here.sort_by_key(|(row, _)| *row);
        there.sort_by_key(|(row, _)| *row);
        let rows = |hits: &[(i64, f64)]| hits.iter().map(|(row, _)| *row).collect::<Vec<_>>();
        assert_eq!(rows(&here), rows(&there), "{which:?} for {phrases:?}");
        for ((row, here), (_, there)) in here.iter().zip(&there) {
            assert!((here - there).abs() <= 1e-6 * there.abs().max(1.0), "{which:?} of row {row} for {phrases:?}: {here} and {there}");
        }
        answers += here.len();
    }
    answers
}

#[test]
fn the_index_finds_what_the_full_text_tables_find_with_the_same_scores_also_after_changes() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&folder.path().join("ralph.db")).unwrap();
    TEXTS.iter().for_each(|(path, text)| put(&db, path, text));
    let mut fresh = FreshIndex::default();
    let mut get = || db.read(|r| fresh.get(r, MODEL, Reach::Knowledge)).unwrap();
    assert!(!get().knows_words(), "who asks once needs no lists");
    let index: Arc<Index> = get();
    assert!(index.knows_words());
    let questions = || TEXTS.iter().flat_map(|(_, text)| text.lines()).filter(|line| !line.trim().is_empty());
    let ask_all = |index: &Index| questions().step_by(5).chain(TEXTS[5].1.lines()).map(|text| compare(&db, index, text)).sum::<usize>();
    assert!(ask_all(&index) > 10_000);
    drop(index);
    // Passages go, and others come.
    put(&db, "measurements.md", "What was measured\nis told in another place\nrefund_retry in src/refund_table.rs");
    put(&db, "odd.txt", TEXTS[5].1);
    put(&db, "new.md", "One more refund that is retried\nthe table of refunds");
    let index = get();
    let anew = db.read(|r| index_of(r, MODEL, Reach::Knowledge)).unwrap();
    assert_eq!(index.passages(), anew.passages());
    assert!(ask_all(&index) > 5_000);
    assert!(compare(&db, &index, "refund_retry in src/refund_table.rs") > 0);
}

#[test]
fn a_snapshot_answers_as_the_index_it_is_of_and_catches_up() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&folder.path().join("ralph.db")).unwrap();
    put(&db, "pairs.tsv", TEXTS[0].1);
    db.writer().unwrap().transaction(|tx| (1..=50).try_for_each(|row| tx.set_vector(row, MODEL, &[1.0, row as f32, 0.5]))).unwrap();
    let mut fresh = FreshIndex::default();
    let get = |fresh: &mut FreshIndex| db.read(|r| fresh.get(r, MODEL, Reach::Knowledge)).unwrap();
    let before = get(&mut fresh).passages();
    let without_words = fresh.snapshot("mark").unwrap();
    assert!(get(&mut fresh).knows_words());
    let bytes = fresh.snapshot("mark").unwrap();
    put(&db, "new.md", "One more refund that is retried\nan unheard-of word");
    put(&db, "odd.txt", TEXTS[5].1);
    db.writer().unwrap().transaction(|tx| tx.set_vector(51, MODEL, &[1.0, 2.0, 3.0])).unwrap();
    let begun = |bytes: &[u8]| {
        let snapshot = ralph_app::Snapshot::of(bytes).unwrap();
        assert_eq!(snapshot.mark, "mark");
        let mut next = FreshIndex::default();
        next.begin(snapshot);
        get(&mut next)
    };
    let (index, plain) = (begun(&bytes), begun(&without_words));
    assert_eq!((plain.passages(), plain.with_vector(), plain.knows_words()), (index.passages(), 51, false));
    assert_eq!((index.passages() > before + 2, index.with_vector(), index.knows_words()), (true, 51, true));
    let questions = TEXTS[0].1.lines().step_by(5).chain(TEXTS[5].1.lines()).chain(["an unheard-of word", "One refund that is retried"]);
    assert!(questions.filter(|line| !line.trim().is_empty()).map(|text| compare(&db, &index, text)).sum::<usize>() > 5_000);
    assert!(ralph_app::Snapshot::of(&bytes[..bytes.len() - 1]).is_none());
    assert!(ralph_app::Snapshot::of(b"").is_none());
}

#[test]
fn the_last_document_is_found_by_its_words_of_now_after_every_edit() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&folder.path().join("ralph.db")).unwrap();
    TEXTS.iter().take(2).for_each(|(path, text)| put(&db, path, text));
    put(&db, "last.md", "quokkas reconcile the zebra invoices");
    let get = |fresh: &mut FreshIndex| db.read(|r| fresh.get(r, MODEL, Reach::Knowledge)).unwrap();
    let mut fresh = FreshIndex::default();
    assert!(!get(&mut fresh).knows_words() && get(&mut fresh).knows_words());
    let bytes = fresh.snapshot("mark").unwrap();
    let counts = |index: &Index| ["quokkas", "axolotl", "narwhal"].map(|word| compare(&db, index, word) > 0);
    assert_eq!(counts(&get(&mut fresh)), [true, false, false]);
    for (text, found) in [("the axolotl ledger", [false, true, false]), ("a narwhal closes it", [false, false, true])] {
        put(&db, "last.md", text);
        let mut next = FreshIndex::default();
        next.begin(ralph_app::Snapshot::of(&bytes).unwrap());
        assert_eq!((counts(&get(&mut fresh)), counts(&get(&mut next))), (found, found), "{text}");
    }
    // What is taken out of a text can no longer be found in an index that had it.
    let wash: sqlite_db::Wash = std::sync::Arc::new(|_, text| text.replace("narwhal", "[redacted]"));
    let taken_out = db.writer().unwrap().wash(&wash).unwrap();
    assert_eq!((taken_out, counts(&get(&mut fresh))), (1, [false, false, false]));
    assert!(compare(&db, &get(&mut fresh), "redacted") > 0);
}

#[test]
fn words_of_two_letters_are_found_in_a_sentence_without_spaces() {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&folder.path().join("ralph.db")).unwrap();
    put(&db, "odd.txt", TEXTS[5].1);
    let mut fresh = FreshIndex::default();
    let [_, index] = [0; 2].map(|_| db.read(|r| fresh.get(r, MODEL, Reach::Knowledge)).unwrap());
    for (asked, found) in [("連接", 0), ("连接", 1), ("手動", 1), ("マイグレーション手順", 2), ("로그", 0), ("수동", 1)]
    {
        let question = Question::of(asked, &Tuning::default());
        assert!(question.needs_lists());
        let hits = index.search(TextIndex::Trigrams, &question.fragments, &[]).unwrap();
        assert_eq!(index.rows_of(&hits).count(), found, "{asked}");
    }
}
