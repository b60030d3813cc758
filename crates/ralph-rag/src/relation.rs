//! How two texts are related, judged by their words: the same lesson, its opposite, or something else.

use crate::guard;
use crate::words::{FAR_JACCARD, SAME_SUBJECT_JACCARD, Words};
use ralph_core::quality::HitKind;

/// How two texts relate by their words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They say the same.
    Duplicate,
    /// They say the opposite about the same subject.
    Opposite,
    /// They say different things.
    Distinct,
}

impl Words {
    /// How two texts relate.
    pub fn relation(&self, other: &Words) -> Relation {
        if self.has_no_content() && other.has_no_content() {
            let same = self.has_the_words_of(other);
            return if same { Relation::Duplicate } else { Relation::Distinct };
        }
        let similarity = self.jaccard(other);
        if similarity <= FAR_JACCARD || self.names_differ(other) {
            return Relation::Distinct;
        }
        let hits = guard::hits(self, other);
        // What is contradicted is the statement, not the subject.
        let said: Vec<&str> =
            hits.iter().filter(|h| h.kind == HitKind::Antonym).flat_map(|h| [h.older.as_str(), h.newer.as_str()]).collect();
        if self.jaccard_without(other, &said) <= SAME_SUBJECT_JACCARD || hits.iter().any(|h| h.kind == HitKind::Other) {
            return Relation::Distinct;
        }
        match hits.is_empty() {
            false => Relation::Opposite,
            true if guard::can_read(self, other) => Relation::Duplicate,
            true => Relation::Distinct,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(a: &str, b: &str) -> Relation {
        let (a, b) = (Words::of(a), Words::of(b));
        let forth = a.relation(&b);
        assert_eq!(forth, b.relation(&a), "the relation is symmetric");
        forth
    }

    #[test]
    fn the_same_lesson_in_other_case_or_with_small_words_changed_is_a_duplicate() {
        for (a, b) in [
            ("Run the migrations before the tests", "run the migrations before the tests."),
            ("Run the migrations before the tests", "RUN THE MIGRATIONS BEFORE THE TESTS!"),
            ("Ändere nie die Uhr in Übergabetests", "ÄNDERE NIE DIE UHR IN ÜBERGABETESTS!"),
            ("Refund windows are compared in the provider time zone", "Refund windows get compared in the provider time zone"),
            ("Never mock the system clock in tests", "never mock the system clock in the tests"),
            ("Always run CI before merging", "always run ci before merging"),
            ("Retry refunds three times with backoff", "Retry refunds 3 times with backoff"),
            ("Send the notification after the payment settles", "Send a notification after the payment settles"),
            ("Do not use mocks here because they hide failures", "Don't use mocks here since they hide failures"),
        ] {
            assert_eq!(relation(a, b), Relation::Duplicate, "{a} | {b}");
        }
    }

    #[test]
    fn different_paths_identifiers_names_and_numbers_are_never_duplicates() {
        for (a, b) in [
            ("Settings are read from config.ts at start-up of the server", "Settings are read from settings.ts at start-up of the server"),
            ("Retry refunds 3 times with exponential backoff", "Retry refunds 5 times with exponential backoff"),
            ("Retry refunds two times with exponential backoff", "Retry refunds four times with exponential backoff"),
            ("Call getUser before any request to the server", "Call getAdmin before any request to the server"),
            ("The file src/db/read.rs holds all the queries", "The file src/db/write.rs holds all the queries"),
            ("Webhooks from Stripe are retried for three days", "Webhooks from Adyen are retried for three days"),
            ("The endpoint answers GET requests with a redirect", "The endpoint answers POST requests with a redirect"),
            ("Pass `alpha` to the builder of the index", "Pass `beta` to the builder of the index"),
            ("Tests need the port 8080 to be free", "Tests need the port to be free"),
        ] {
            assert_eq!(relation(a, b), Relation::Distinct, "{a} | {b}");
        }
    }

    #[test]
    fn a_condition_or_an_exception_more_is_no_duplicate() {
        let rule = "Payments settle at night in the provider time zone";
        for more in [
            "unless disputed",
            "or on demand",
            "if available",
            "but not on Sundays",
            "except refunds",
            "only when captured",
            "after capture",
            "once captured",
            "provided they are captured",
            "assuming a capture",
            "as long as captured",
            "during sales",
            "where allowed",
            "before closing",
            "since the move",
            "in case of doubt",
        ] {
            assert_eq!(relation(rule, &format!("{rule} {more}")), Relation::Distinct, "{more}");
        }
        assert_eq!(relation("The timeout of a call must be 30 seconds", "The timeout of a call must be < 30 seconds"), Relation::Distinct);
        assert_eq!(relation("Pass the buffer as `*mut` to the library", "Pass the buffer as `mut` to the library"), Relation::Distinct);
        assert_eq!(relation("The age must be > 18", "The age must be >= 18"), Relation::Distinct);
    }

    #[test]
    fn opposite_polarity_is_a_conflict() {
        for (a, b) in [
            ("timeout must be < 30 seconds in src/pay.rs", "timeout must be > 30 seconds in src/pay.rs"),
            ("timeout must be <30 seconds in src/pay.rs", "timeout must be > 30 seconds in src/pay.rs"),
            ("Reject the form if age > limit", "Reject the form if age < limit"),
            ("The amount must be >= 0", "The amount must be <= 0"),
            ("Retry where status == 200", "Retry where status != 200"),
            ("<= 3 retries are enough for the upload", ">= 3 retries are enough for the upload"),
            ("< 5 workers read the queue of refunds", "> 5 workers read the queue of refunds"),
            ("<18 is the age of a minor", ">18 is the age of a minor"),
            ("never wait 5 \u{b5}s", "wait 5 \u{3bc}s"),
            ("The nightly job starts at 9 am", "The nightly job starts at 9 pm"),
            ("Port 80 is up", "Port 80 is down"),
            ("Never mock the clock in tests", "Mock the clock in tests"),
            ("Use pnpm, never npm", "Use npm, never pnpm"),
            ("Do not run the migrations by hand", "Run the migrations by hand"),
            ("The cache can be shared between workers", "The cache can't be shared between workers"),
            ("Run the migrations before the tests", "Run the migrations after the tests"),
            ("Always enable the query cache here", "Always disable the query cache here"),
            ("Use tabs instead of spaces in makefiles", "Use spaces instead of tabs in makefiles"),
        ] {
            assert_eq!(relation(a, b), Relation::Opposite, "{a} | {b}");
        }
    }

    #[test]
    fn empty_and_wordless_texts_do_not_panic() {
        assert_eq!(relation("", ""), Relation::Duplicate);
        assert_eq!(relation("...", "!!!"), Relation::Duplicate);
        assert_eq!(relation("a b", "a c"), Relation::Distinct);
        assert_eq!(relation("", "Use the clock"), Relation::Distinct);
    }
}
