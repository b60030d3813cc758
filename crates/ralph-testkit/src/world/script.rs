//! What the agent of a world does, as a script of the scripted agent: it decides by the words of its prompt.

use super::{Arm, Pitfall, Question, TRAPS, Task, World, elsewhere};

/// Consecutive failures after which a task waits for a person, so that no later attempt is ever played.
const MAX_ATTEMPTS: u32 = 5;
/// Lessons per iteration: below the number that Ralph accepts from one.
const LESSONS_AT_ONCE: usize = 40;
/// Where the agent writes what it did, as numbers: below `.ralph/`, so that it is never evidence and no prompt tells of it.
pub(super) const LOG: &str = ".ralph/world.log";

/// Mark in the log of a failed attempt whose cause the agent found.
pub(super) const KNOWS_CAUSE: &str = " cause";

/// What a fall leaves in the agent's mind.
struct Mind {
    /// Whether it knows the cause now; the log tells it, so that a lesson that was there and not told can be counted.
    knows_cause: bool,
    why: String,
    lesson: Option<String>,
    suggestion: Option<String>,
}

impl World {
    /// Scripts of the iterations that report the lessons of earlier work.
    pub(super) fn earlier_work(&self) -> Vec<String> {
        let learn = |text: &String| format!("learn convention shop: {text}\n");
        let script = |lessons: &[String]| format!("[*]\n{}done\n", lessons.iter().map(learn).collect::<String>());
        self.distractors.chunks(LESSONS_AT_ONCE).map(script).collect()
    }

    /// The script of the tasks with these numbers.
    pub(super) fn script(&self, arm: Arm, numbers: &[u64]) -> String {
        let mut script = String::new();
        for (place, (task, number)) in self.tasks.iter().zip(numbers).enumerate() {
            for attempt in 1..=MAX_ATTEMPTS {
                script.push_str(&self.attempt(arm, place, task, &format!("task {number} attempt {attempt}"), attempt));
            }
        }
        script
    }

    /// The blocks of one attempt: misled, helped, or without a lesson.
    fn attempt(&self, arm: Arm, place: usize, task: &Task, header: &str, attempt: u32) -> String {
        let pitfall = &self.pitfalls[task.pitfall];
        let coin = |question| self.coin(place, attempt, question);
        let finds_cause = coin(Question::FindsCause);
        let right = format!("[{header} told \"{}\"]\n{}", pitfall.right(), works(pitfall, task, "told"));
        let misled =
            format!("[{header} told \"{}\"]\n{}", pitfall.wrong(), fails(arm, pitfall, task, "misled", &misled(pitfall, finds_cause)));
        let alone = if coin(Question::Luck) {
            works(pitfall, task, "luck")
        } else {
            fails(arm, pitfall, task, "fell", &fell(pitfall, finds_cause, coin(Question::BelievesWrong)))
        };
        let (first, second) = if coin(Question::FollowsWrong) { (misled, right) } else { (right, misled) };
        format!("{first}{second}[{header}]\n{alone}")
    }
}

fn fell(pitfall: &Pitfall, finds_cause: bool, believes_wrong: bool) -> Mind {
    let (trap, seen) = (&TRAPS[pitfall.trap], TRAPS[pitfall.trap].symptom);
    match (finds_cause, believes_wrong) {
        (true, _) => Mind {
            knows_cause: true,
            why: format!("{seen}, because {}", trap.cause),
            lesson: Some(pitfall.lesson(&pitfall.right())),
            suggestion: Some(format!("You {}", pitfall.right())),
        },
        (false, true) => Mind {
            knows_cause: false,
            why: seen.to_owned(),
            lesson: Some(pitfall.lesson(&pitfall.wrong())),
            suggestion: Some(format!("You {}", pitfall.wrong())),
        },
        (false, false) => Mind { knows_cause: false, why: seen.to_owned(), lesson: None, suggestion: None },
    }
}

fn misled(pitfall: &Pitfall, finds_cause: bool) -> Mind {
    let mind = fell(pitfall, finds_cause, false);
    Mind { why: format!("{}, also after doing as the notes say", mind.why), ..mind }
}

fn works(pitfall: &Pitfall, task: &Task, event: &str) -> String {
    format!("{}append {} {}\ndone\n", log(event), pitfall.file(), task.title)
}

fn fails(arm: Arm, pitfall: &Pitfall, task: &Task, event: &str, mind: &Mind) -> String {
    let mut block = log(&format!("{event}{}", if mind.knows_cause { KNOWS_CAUSE } else { "" }));
    if arm != Arm::NoMemory {
        let say = |text: &str| if arm == Arm::Irrelevant { elsewhere(key(text), text.chars().count()) } else { text.to_owned() };
        let tried = say(&format!("Did it the obvious way: {}", task.title));
        block += &format!("sigil <failure-report>\nsigil what_was_tried: {tried}\nsigil why_it_failed: {}\n", say(&mind.why));
        let file = if arm == Arm::Irrelevant {
            format!("{}.rs", elsewhere(key(&pitfall.file()), pitfall.file().len() - 3))
        } else {
            pitfall.file()
        };
        block += &format!("sigil error_category: test failure\nsigil relevant_files: {file}\n");
        if let Some(suggestion) = &mind.suggestion {
            block += &format!("sigil retry_suggestion: {}\n", say(suggestion));
        }
        block += "sigil </failure-report>\n";
        if let Some(lesson) = &mind.lesson {
            block += &format!("learn pitfall shop: {}\n", say(lesson));
        }
    }
    block + "failed\n"
}

fn log(event: &str) -> String {
    format!("append {LOG} ${{iteration}} ${{task}} {event}\n")
}

/// The same text is always replaced by the same other one: a lesson reported twice stays one.
fn key(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
