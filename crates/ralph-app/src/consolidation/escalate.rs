//! After a run: a source that is too long, with too few eligible entries, becomes a notice for a person.

use crate::app::App;
use crate::consolidation::preview::asks;
use crate::error::Result;
use crate::notices::put_before_person;
use ralph_core::limits;
use ralph_core::notice::{NewNotice, NoticeKind};
use ralph_core::text::one_line;
use sqlite_db::Read;

/// Time after which a settled notice may be repeated.
const QUIET_MILLIS: u64 = 7 * 86_400_000;

impl App {
    /// Checks every source. Open or recently settled notices are not repeated.
    pub(crate) fn escalate_consolidation(&self) -> Result<()> {
        let settings = self.settings()?.consolidation;
        let sources = self.sources(None, &settings)?;
        let now = self.clock.now();
        for source in sources.all.iter().map(|source| asks(source, &settings)).filter(|source| source.needs_person) {
            let title =
                one_line(&format!("The learnings in {} are too many, and too young for a document", source.source), limits::TITLE_CHARS);
            let detail = format!(
                "{}\n\nWhat has proved itself could become part of a document, but too little has. Shorten it by hand: retire what is wrong \
                 or of one incident only, merge what says the same. Or wait: `ralph learning ages` shows what comes next.",
                source.why
            );
            self.write(|tx| {
                if !is_known(tx, &title, now.0)? {
                    put_before_person(tx, NewNotice::new(NoticeKind::Consolidation, title, detail), now)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Whether there is such a notice, open or recently settled.
fn is_known(r: &Read<'_>, title: &str, now: i64) -> Result<bool> {
    let of_kind = |notice: &ralph_core::notice::Notice| notice.kind == NoticeKind::Consolidation && notice.title == title;
    let quiet_since = now.saturating_sub_unsigned(QUIET_MILLIS);
    let all = r.notices(limits::NOTICE_ROWS)?;
    Ok(all.iter().filter(|notice| of_kind(notice)).any(|notice| notice.settled.is_none_or(|settled| settled.0 > quiet_since)))
}
