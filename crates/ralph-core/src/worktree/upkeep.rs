//! When a worktree may be removed, and which ports it has.

use super::WorktreeState;

/// The highest port number.
const LAST_PORT: u32 = 65_535;

/// What decides whether a worktree may be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Upkeep {
    /// Its state.
    pub state: WorktreeState,
    /// Whether its folder is gone although its work is not over.
    pub is_missing: bool,
    /// Days since somebody worked in it.
    pub unused_days: u64,
    /// Days after which it may go.
    pub keep_days: u32,
    /// Whether all worktrees together exceed their room.
    pub over_limit: bool,
}

impl Upkeep {
    fn is_old(self) -> bool {
        self.unused_days >= u64::from(self.keep_days)
    }

    /// Whether its folder may go, if nothing would be lost.
    pub fn may_folder_go(self) -> bool {
        self.state == WorktreeState::Merged || self.is_missing || self.is_old() || self.over_limit
    }

    /// Whether its branch may be deleted with the folder: discarded work can be restored as long as the branch is kept.
    pub fn may_branch_go(self) -> bool {
        match self.state {
            WorktreeState::Merged => true,
            WorktreeState::Discarded => self.is_old(),
            WorktreeState::Making | WorktreeState::Ready => false,
        }
    }
}

/// The first port from `first` on of `count` that are free; `taken` are others' first ports and the ones after their last. `None` if there
/// are too few.
pub fn free_ports(taken: &[(u32, u32)], first: u32, count: u32) -> Option<u32> {
    let mut port = first;
    while let Some((_, end)) = taken.iter().find(|(from, to)| port < *to && *from < port + count.max(1)) {
        port = *end;
    }
    (count == 0 || port + count - 1 <= LAST_PORT).then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_goes_with_its_work_with_time_or_for_want_of_room_and_a_branch_never_before_its_work() {
        use WorktreeState::{Discarded, Making, Merged, Ready};
        let (there, gone) = (false, true);
        let (fits, full) = (false, true);
        for (state, is_missing, unused_days, over_limit, folder, branch) in [
            (Ready, there, 13, fits, false, false),
            (Ready, there, 14, fits, true, false),
            (Ready, there, 0, full, true, false),
            (Ready, gone, 0, fits, true, false),
            (Making, there, 13, fits, false, false),
            (Making, there, 14, full, true, false),
            (Merged, there, 0, fits, true, true),
            (Discarded, there, 13, fits, false, false),
            (Discarded, there, 13, full, true, false),
            (Discarded, there, 14, fits, true, true),
        ] {
            let upkeep = Upkeep { state, is_missing, unused_days, keep_days: 14, over_limit };
            assert_eq!((upkeep.may_folder_go(), upkeep.may_branch_go()), (folder, branch), "{upkeep:?}");
        }
    }

    #[test]
    fn ports_are_the_first_that_no_other_has() {
        for (taken, first, count, expected) in [
            (&[][..], 4_000, 10, Some(4_000)),
            (&[(4_000, 4_010)], 4_000, 10, Some(4_010)),
            (&[(4_010, 4_020), (4_000, 4_010)], 4_000, 10, Some(4_020)),
            (&[(4_000, 4_010), (4_020, 4_030)], 4_000, 10, Some(4_010)),
            (&[(4_000, 4_010), (4_015, 4_025)], 4_000, 10, Some(4_025)),
            (&[(3_995, 4_001)], 4_000, 10, Some(4_001)),
            (&[(4_000, 4_010)], 4_000, 0, Some(4_010)),
            (&[], 65_526, 10, Some(65_526)),
            (&[], 65_527, 10, None),
            (&[(65_000, 65_535)], 65_000, 0, Some(65_535)),
        ] {
            assert_eq!(free_ports(taken, first, count), expected, "{count} from {first} on beside {taken:?}");
        }
    }
}
