//! A *simulated world*, which is called that wherever its figures are shown: tasks with hidden pitfalls, and an agent that is helped by the
//! right lesson and misled by a wrong one. It measures whether what Ralph tells an agent keeps failures from coming back.
//!
//! Ralph, its database, its prompts and the processes of the agent are real; only the agent's judgement is played, by a script that
//! decides from the prompt alone. Keys (which task has which pitfall) stand in the script and in the world's own log, never in a task,
//! a lesson or a report, so that recall has only the words that people and agents would use.
//!
//! - A pitfall belongs to a part of the imagined program. Several tasks work on that part, and some call it by another name.
//! - An attempt falls into its task's pitfall, unless its prompt holds the lesson, or by luck.
//! - After a fall the agent sometimes finds the cause: it reports it and hands in the lesson. Sometimes it believes the opposite, and hands
//!   in that. Else it reports what it saw.
//! - An attempt that is told the wrong lesson does the wrong thing. Told both, it follows one of them, by the toss of a coin.
//! - All coin tosses depend on the world's seed, the task and the attempt: the same in each arm.

mod life;
mod script;
mod words;

pub use life::{Event, Life, Step};

use ralph_core::stats::SplitMix64;
use words::{COMPONENTS, Component, ELSEWHERE, FACTS, THINGS, TRAPS};

/// Percentage of attempts that avoid their pitfall without its lesson.
const LUCK: u64 = 15;
/// Percentage of falls whose cause the agent finds.
const FINDS_CAUSE: u64 = 50;
/// Percentage of falls after which the agent believes the opposite of the lesson.
const BELIEVES_WRONG: u64 = 15;
/// Percentage of attempts that follow the wrong lesson when given both.
const FOLLOWS_WRONG: u64 = 50;
/// Percentage of tasks that call their component by its other name.
const ALIASED: u64 = 25;

/// What an agent's memory holds in a life of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arm {
    /// Nothing: the agent leaves no report and no lesson, and none are there to begin with.
    NoMemory,
    /// Lessons of other work, and all that the agent reports and learns.
    Memory,
    /// The same, but each report and lesson of the agent is replaced by one of as many characters about something else.
    Irrelevant,
}

impl Arm {
    /// Every arm.
    pub const ALL: [Arm; 3] = [Arm::NoMemory, Arm::Memory, Arm::Irrelevant];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Arm::NoMemory => "no memory",
            Arm::Memory => "memory",
            Arm::Irrelevant => "irrelevant lessons",
        }
    }
}

/// How large a world is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Pitfalls, at most 12: each is one component with one trap.
    pub pitfalls: usize,
    /// Tasks that hide the same pitfall, at most 12.
    pub tasks_per_pitfall: usize,
    /// Unhelpful lessons per pitfall about the same component or the same tasks.
    pub distractors: usize,
    /// Iterations after which the simulation ends.
    pub iterations: u32,
}

impl Size {
    /// More work than 100 iterations can complete, so that each arm uses all of them.
    pub const FULL: Size = Size { pitfalls: 12, tasks_per_pitfall: 10, distractors: 12, iterations: 100 };
    /// For a test: the same shape in a few seconds.
    pub const SMALL: Size = Size { pitfalls: 5, tasks_per_pitfall: 7, distractors: 10, iterations: 36 };
}

/// One seeded world.
pub struct World {
    seed: u64,
    size: Size,
    /// In the order in which they are worked on.
    tasks: Vec<Task>,
    pitfalls: Vec<Pitfall>,
    distractors: Vec<String>,
}

struct Task {
    title: String,
    description: String,
    pitfall: usize,
}

struct Pitfall {
    component: usize,
    trap: usize,
}

impl Pitfall {
    /// What a prompt holds when it tells the lesson.
    fn right(&self) -> String {
        format!("must {} in the {}", TRAPS[self.trap].remedy, COMPONENTS[self.component].name)
    }

    /// What a prompt holds when it tells the opposite.
    fn wrong(&self) -> String {
        format!("must not {} in the {}", TRAPS[self.trap].remedy, COMPONENTS[self.component].name)
    }

    fn lesson(&self, of: &str) -> String {
        format!("You {of}, because {}.", TRAPS[self.trap].cause)
    }

    fn file(&self) -> String {
        format!("src/{}.rs", COMPONENTS[self.component].name.replace(' ', "_"))
    }
}

impl World {
    /// The world of a seed.
    pub fn new(seed: u64, size: Size) -> World {
        let mut chance = SplitMix64(seed);
        let components = shuffled(COMPONENTS.len(), &mut chance);
        let traps = shuffled(TRAPS.len(), &mut chance);
        let pitfalls: Vec<Pitfall> =
            components.into_iter().zip(traps).map(|(component, trap)| Pitfall { component, trap }).take(size.pitfalls).collect();
        let mut tasks = Vec::new();
        for (number, pitfall) in pitfalls.iter().enumerate() {
            for thing in shuffled(THINGS.len(), &mut chance).into_iter().take(size.tasks_per_pitfall) {
                tasks.push(task(number, &COMPONENTS[pitfall.component], THINGS[thing], falls(&mut chance, ALIASED)));
            }
        }
        let order = shuffled(tasks.len(), &mut chance);
        let mut places: Vec<(usize, Task)> = order.into_iter().zip(tasks).collect();
        places.sort_by_key(|(place, _)| *place);
        let tasks = places.into_iter().map(|(_, task)| task).collect();
        let distractors = distractors(&pitfalls, size.distractors, &mut chance);
        World { seed, size, tasks, pitfalls, distractors }
    }

    /// A random decision that is the same in every arm: for one attempt at one task, and one question.
    fn coin(&self, task: usize, attempt: u32, question: Question) -> bool {
        let mut chance = SplitMix64(self.seed ^ (task as u64) << 32 ^ u64::from(attempt) << 16 ^ question as u64);
        // The first number of neighboring seeds is mixed well enough, the second is safe.
        chance.next_u64();
        falls(
            &mut chance,
            match question {
                Question::Luck => LUCK,
                Question::FindsCause => FINDS_CAUSE,
                Question::BelievesWrong => BELIEVES_WRONG,
                Question::FollowsWrong => FOLLOWS_WRONG,
            },
        )
    }
}

/// What a coin decides.
#[derive(Clone, Copy)]
enum Question {
    Luck,
    FindsCause,
    BelievesWrong,
    FollowsWrong,
}

fn task(pitfall: usize, component: &Component, thing: &str, aliased: bool) -> Task {
    let name = if aliased { component.alias } else { component.name };
    Task {
        title: format!("Add {thing} to: {name}"),
        description: format!("People ask for {thing} where {name} is concerned. Extend what is there and keep its tests green."),
        pitfall,
    }
}

/// Lessons that share a component, or the subject of the tasks, with each pitfall, and help against none.
fn distractors(pitfalls: &[Pitfall], per_pitfall: usize, chance: &mut SplitMix64) -> Vec<String> {
    let mut lessons = Vec::new();
    for pitfall in pitfalls {
        let name = COMPONENTS[pitfall.component].name;
        let facts = shuffled(FACTS.len() * THINGS.len(), chance);
        for (number, place) in facts.into_iter().take(per_pitfall).enumerate() {
            let ((subject, statement), thing) = (FACTS[place % FACTS.len()], THINGS[place / FACTS.len()]);
            let file = format!("docs/{}/{}.md", name.replace(' ', "-"), number + 1);
            lessons.push(format!("{subject} {thing} in the {name} {statement}, see {file}."));
        }
    }
    lessons
}

/// A sentence about something else, exactly `chars` characters long; the same for the same `key`.
fn elsewhere(key: u64, chars: usize) -> String {
    let mut chance = SplitMix64(key);
    let mut text = String::from("Every");
    while text.chars().count() < chars {
        text.push(' ');
        text.push_str(ELSEWHERE[chance.index(ELSEWHERE.len())]);
    }
    let cut: String = text.chars().take(chars.saturating_sub(1)).collect();
    // A blank at the end would be lost on the way.
    format!("{}.", cut.strip_suffix(' ').map_or(cut.clone(), |cut| format!("{cut}s")))
}

/// Whether something with this percentage happens.
fn falls(chance: &mut SplitMix64, percent: u64) -> bool {
    chance.next_u64() % 100 < percent
}

/// The numbers below `length` in a seeded order.
fn shuffled(length: usize, chance: &mut SplitMix64) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..length).collect();
    for last in (1..length).rev() {
        numbers.swap(last, chance.index(last + 1));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_gives_the_same_world_and_another_seed_another() {
        let script = |seed| World::new(seed, Size::SMALL).script(Arm::Memory, &(1..=35).collect::<Vec<u64>>());
        assert_eq!(script(1), script(1));
        assert_ne!(script(1), script(2));
    }

    #[test]
    fn a_world_has_its_tasks_and_ten_other_lessons_for_each_that_helps() {
        for size in [Size::SMALL, Size::FULL] {
            let world = World::new(7, size);
            assert_eq!((world.pitfalls.len(), world.tasks.len()), (size.pitfalls, size.pitfalls * size.tasks_per_pitfall));
            assert!(world.distractors.len() >= 10 * world.pitfalls.len());
            assert_eq!(world.distractors.iter().collect::<BTreeSet<_>>().len(), world.distractors.len());
            for pitfall in &world.pitfalls {
                let (right, wrong) = (pitfall.right(), pitfall.wrong());
                let given = world.tasks.iter().map(|task| format!("{} {}", task.title, task.description));
                for text in given.chain(world.distractors.iter().cloned()).chain([pitfall.lesson(&wrong)]) {
                    assert!(!text.contains(&right), "{text}");
                }
            }
        }
    }

    #[test]
    fn irrelevant_texts_are_as_long_as_what_they_replace() {
        for chars in 20..200 {
            let text = elsewhere(chars as u64, chars);
            assert_eq!((text.chars().count(), text.trim().len()), (chars, text.len()), "{text}");
        }
        assert_eq!(elsewhere(3, 80), elsewhere(3, 80));
    }

    #[test]
    fn coins_fall_about_as_often_as_they_should() {
        let world = World::new(3, Size::FULL);
        let luck = (0..2_000).filter(|place| world.coin(*place, 1, Question::Luck)).count();
        assert!(luck.abs_diff(20 * LUCK as usize) < 60, "{luck}");
        assert!((0..100).any(|place| world.coin(place, 1, Question::FindsCause) != world.coin(place, 2, Question::FindsCause)));
    }
}
