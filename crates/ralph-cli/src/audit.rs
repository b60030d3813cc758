//! `ralph audit`.

use crate::key::given_unseen;
use crate::output::{Answered, Output, table, unbroken};
use clap::Args;
use ralph_app::{App, AppError, AuditPass};
use ralph_core::audit::{AuditClass, AuditDay, AuditFinding, AuditPlace, AuditRetired, AuditUndone};
use ralph_core::text::{counted, counted_are};

/// Default of `--days`.
const DAYS: &str = "30";

#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Look for this class only: duplicate, near_duplicate, never_used, boilerplate, recall_loop, secret, dead_end or stale_fact.
    #[arg(long)]
    class: Option<AuditClass>,
    /// Remove secrets: database, journals, logs, prompts, exports and backups are rewritten.
    #[arg(long)]
    wash: bool,
    /// Look for a text in place of secrets, and with --wash take it out: it is read from standard input; at a terminal it is asked for.
    #[arg(long, conflicts_with_all = ["class", "retire", "undo", "days"])]
    text: bool,
    /// Put away the memories of a class in one act: they are no longer recalled. Protected ones stay.
    #[arg(long, value_name = "CLASS", conflicts_with_all = ["class", "wash"])]
    retire: Option<AuditClass>,
    /// Include protected ones: written by a person, reviewed, or well supported.
    #[arg(long, requires = "retire")]
    with_protected: bool,
    /// Restore the class that was put away last, or what an act put away.
    #[arg(long, value_name = "ACT", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["class", "wash", "retire"])]
    undo: Option<String>,
    /// How much was junk on each of the past days.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = DAYS, value_parser = clap::value_parser!(u16).range(1..), conflicts_with_all = ["class", "wash", "retire", "undo"])]
    days: Option<u16>,
}

/// Runs `ralph audit`.
pub fn audit(app: &App, args: &AuditArgs, output: Output) -> Answered {
    let pass = if args.wash { AuditPass::Wash } else { AuditPass::Look };
    if let Some(class) = args.retire {
        let retired = app.retire_class(class, args.with_protected)?;
        output.answer(&retired, || retired_in_words(&retired));
    } else if let Some(act) = &args.undo {
        let undone = app.undo_audit(Some(act.as_str()).filter(|act| !act.is_empty()))?;
        output.answer(&undone, || undone_in_words(&undone));
    } else if let Some(days) = args.days {
        let days = app.audit_days(i64::from(days))?;
        output.answer(&days, || table(&days.iter().map(day_in_words).collect::<Vec<_>>(), "no day was looked at: `ralph audit` looks"));
    } else if args.text {
        let text = given_unseen("Text to look for: ").map_err(|fault| AppError::io("standard input", fault))?;
        let finding = app.audit_text(&text, pass)?;
        output.answer(&finding, || text_in_words(&finding));
    } else {
        let audit = app.audit(args.class, pass)?;
        output.answer(&audit, || audit.0.iter().map(|(class, finding)| text(*class, finding)).collect::<Vec<_>>().join("\n"));
    }
    Ok(())
}

/// The finding about a text that only the person knows: it is reported like secrets.
fn text_in_words(finding: &AuditFinding) -> String {
    told("this text", AuditClass::Secret, "`ralph audit --text --wash` takes it out", finding)
}

fn text(class: AuditClass, finding: &AuditFinding) -> String {
    told(&class.to_string(), class, "`ralph audit --wash` takes them out", finding)
}

/// The finding about `what`, reported like others of its class; `takes_out` is the command for what only a wash removes.
fn told(what: &str, class: AuditClass, takes_out: &str, finding: &AuditFinding) -> String {
    if finding.count == 0 && finding.places.is_empty() {
        return format!("{what}: none found");
    }
    let places = finding.places.iter().map(|place| {
        let note = match place {
            AuditPlace { count: 0, .. } => "damaged, not looked at: remove it unless you need it",
            AuditPlace { yours: true, .. } => "your own file: change it by hand",
            _ => "",
        };
        vec![format!("  {}", place.count), place.place.clone(), note.to_owned()]
    });
    let memories = finding.memories.iter().map(|memory| {
        let protected = if memory.protected { " (protected)" } else { "" };
        vec![format!("  {}", memory.id), format!("{}{protected}", memory.kind), unbroken(&memory.text), memory.why.clone()]
    });
    let share = 100.0 * finding.share;
    let yours: u32 = finding.places.iter().filter(|place| place.yours).map(|place| place.count).sum();
    let but = if yours > 0 { format!(", but for {yours} in files of yours") } else { String::new() };
    let head = match class {
        AuditClass::Secret if finding.count == 0 => "none found where Ralph could look".to_owned(),
        AuditClass::Secret if finding.count == yours => format!("{yours} found, in files of yours alone"),
        AuditClass::Secret if finding.washed => format!("{} found, in {share:.1} % of all texts; taken out{but}", finding.count),
        AuditClass::Secret => format!("{} found, in {share:.1} % of all texts; {takes_out}{but}", finding.count),
        _ => format!("{}, {share:.1} % of all memories; `ralph audit --retire {class}` puts them away", finding.count),
    };
    let tables = [places.collect::<Vec<_>>(), memories.collect()].map(|rows| table(&rows, ""));
    let lines: Vec<String> = tables.into_iter().filter(|rows| !rows.is_empty()).collect();
    format!("{what}: {head}\n{}", lines.join("\n"))
}

fn retired_in_words(retired: &AuditRetired) -> String {
    let AuditRetired { act, class, retired, kept } = retired;
    let kept = match kept.len() {
        0 => String::new(),
        count => format!("; {count} protected stay (`--with-protected` puts them away, too): {}", kept.join(", ")),
    };
    let undo = act.as_ref().map(|act| format!("; `ralph audit --undo {act}` brings them back")).unwrap_or_default();
    format!("{class}: {} put away{undo}{kept}", retired.len())
}

fn undone_in_words(undone: &AuditUndone) -> String {
    let AuditUndone { class, returned, left } = undone;
    let left = match left.len() {
        0 => String::new(),
        count => format!("; {count} are not, since something else became of them or their feature is full: {}", left.join(", ")),
    };
    format!("{class}: {} told again{left}", counted_are(returned.len(), "memory"))
}

fn day_in_words(day: &AuditDay) -> Vec<String> {
    let AuditDay { memories, junk, .. } = day;
    let share = 100.0 * f64::from(*junk) / f64::from((*memories).max(1));
    let classes: Vec<String> = day.classes.iter().map(|(class, count)| format!("{class} {count}")).collect();
    vec![day.day.clone(), counted(*memories, "memory"), format!("{share:.1} % junk"), classes.join(", ")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_its_person_can_take_out_is_not_called_taken_out() {
        let place = |count, yours| AuditPlace { place: "rules.md".into(), count, yours };
        for (places, washed, told) in [
            (vec![place(2, true)], true, "2 found, in files of yours alone"),
            (vec![place(2, true)], false, "2 found, in files of yours alone"),
            (vec![place(1, false), place(2, true)], true, "3 found, in 50.0 % of all texts; taken out, but for 2 in files of yours"),
            (vec![place(1, false)], true, "1 found, in 50.0 % of all texts; taken out"),
        ] {
            let count = places.iter().map(|place| place.count).sum();
            let finding = AuditFinding { count, share: 0.5, memories: Vec::new(), places, washed };
            assert_eq!(text(AuditClass::Secret, &finding).lines().next(), Some(format!("secret: {told}").as_str()));
        }
    }

    #[test]
    fn a_text_that_is_looked_for_is_told_with_its_own_command() {
        let places = vec![AuditPlace { place: "memories.text".into(), count: 1, yours: false }];
        let finding = AuditFinding { count: 1, share: 0.5, memories: Vec::new(), places, washed: false };
        let told = text_in_words(&finding);
        assert_eq!(told.lines().next(), Some("this text: 1 found, in 50.0 % of all texts; `ralph audit --text --wash` takes it out"));
        assert_eq!(text_in_words(&AuditFinding::default()), "this text: none found");
    }

    #[test]
    fn one_memory_is_not_told_as_several() {
        let undone = |ids: &[&str]| {
            let returned = ids.iter().map(|id| (*id).to_owned()).collect();
            undone_in_words(&AuditUndone { class: AuditClass::Duplicate, returned, left: Vec::new() })
        };
        assert_eq!(undone(&["A"]), "duplicate: 1 memory is told again");
        assert_eq!(undone(&["A", "B"]), "duplicate: 2 memories are told again");
        let day = AuditDay { day: "2026-11-28".to_owned(), memories: 1, junk: 0, classes: Default::default() };
        assert_eq!(day_in_words(&day)[1], "1 memory");
    }
}
