//! `ralph notice`: what a person is asked to look at, and their decision.

use crate::output::Output;
use clap::Subcommand;
use ralph_app::App;
use ralph_core::notice::{Notice, NoticeKind};
use ralph_core::view::CommandError;

/// What to do with notices.
#[derive(Debug, Subcommand)]
pub enum NoticeCommand {
    /// Notices that wait for you: proposals of agents, and what an iteration did to the repository.
    List {
        /// Include the settled ones.
        #[arg(long)]
        all: bool,
    },
    /// Make the proposed change; a notice that proposes nothing is marked as seen.
    Accept { id: u32 },
    /// Change nothing; a notice that proposes nothing is marked as seen.
    Dismiss { id: u32 },
    /// Let a dismissed proposal, or a notice that was seen, wait again.
    Reopen { id: u32 },
}

/// Lists notices, or settles one.
pub fn notice(app: &App, command: &NoticeCommand, output: Output) -> Result<(), CommandError> {
    match *command {
        NoticeCommand::List { all } => {
            let notices = app.notices(all)?;
            output.answer(&notices, || {
                if notices.is_empty() {
                    "nothing waits for you".to_owned()
                } else {
                    notices.iter().map(in_words).collect::<Vec<_>>().join("\n")
                }
            });
        }
        NoticeCommand::Accept { id } => settled(&app.settle_notice(id, true)?, output),
        NoticeCommand::Dismiss { id } => settled(&app.settle_notice(id, false)?, output),
        NoticeCommand::Reopen { id } => settled(&app.reopen_notice(id)?, output),
    }
    Ok(())
}

fn settled(notice: &Notice, output: Output) {
    output.answer(notice, || format!("notice {} is {}", notice.id, standing(notice)));
}

fn standing(notice: &Notice) -> &'static str {
    match (notice.accepted, notice.kind) {
        (None, _) => "open",
        (Some(true), NoticeKind::Proposal) => "accepted",
        (Some(false), NoticeKind::Proposal) => "dismissed",
        (Some(_), _) => "seen",
    }
}

fn in_words(notice: &Notice) -> String {
    let detail: String = notice.detail.lines().map(|line| format!("\n      {line}")).collect();
    let act = if notice.kind == NoticeKind::Proposal { "accept|dismiss" } else { "dismiss" };
    let acts = if notice.accepted.is_none() { format!("\n      ralph notice {act} {}", notice.id) } else { String::new() };
    format!("{:>4}  {} · {}  {}{detail}{acts}", notice.id, notice.kind, standing(notice), notice.title)
}
