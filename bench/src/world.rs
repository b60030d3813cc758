//! Does memory help? The simulated world of the testkit, lived through over many seeds in three arms.
//!
//! Not a measure of time: the same seeds give the same figures on every machine.

use ralph_testkit::world::{Arm, Life, Size, World};
use serde::Serialize;
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Worlds simulated concurrently; each is mostly processes that wait for each other.
const AT_ONCE: usize = 2;

/// The result of one arm over all seeds.
#[derive(Serialize)]
pub struct Row {
    arm: &'static str,
    seeds: usize,
    attempts: usize,
    /// Percent of the attempts that failed as an earlier one had: over all, and the least and most of a seed.
    repeated_percent: [f64; 3],
    /// Tasks done in 100 iterations: over all, and the least and most of a seed.
    done_per_100: [f64; 3],
    /// Percent of the attempts that did the wrong thing because they were told to, by thirds of a life.
    misled_percent_by_thirds: [f64; 3],
    /// Seeds in which this arm has at least twice the repeated failures of the arm with memory.
    memory_halves_in: usize,
    /// Percent of the attempts that fell although the lesson had been handed in: those that recall did not tell it.
    untold_percent: f64,
    memory_chars_per_prompt: f64,
}

/// Simulates every seed in every arm, and sums up.
pub fn measure(quick: bool) -> Result<Vec<Row>, Box<dyn Error>> {
    let (seeds, size) = if quick { (2, Size::SMALL) } else { (12, Size::FULL) };
    let lives = lives(seeds, size)?;
    let of = |arm: Arm| lives.iter().filter(move |(lived, _)| *lived == arm).map(|(_, life)| life);
    let with: Vec<usize> = of(Arm::Memory).map(Life::repeated_failures).collect();
    Ok(Arm::ALL.iter().map(|arm| row(*arm, &of(*arm).collect::<Vec<&Life>>(), &with)).collect())
}

/// One life per arm and seed: arm by arm, seeds in order.
fn lives(seeds: usize, size: Size) -> Result<Vec<(Arm, Life)>, Box<dyn Error>> {
    let wanted: Vec<(Arm, u64)> = Arm::ALL.iter().flat_map(|arm| (1..=seeds as u64).map(move |seed| (*arm, seed))).collect();
    let lived = Mutex::new(vec![None; wanted.len()]);
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((arm, seed)) = wanted.get(place).copied() else { break };
            eprintln!("living: {}, seed {seed}", arm.name());
            let life = World::new(seed, size).live(arm);
            lived.lock().expect("no life panics while it is kept")[place] = Some((arm, life));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a life ended in a fault, told above"))
    })?;
    Ok(lived.into_inner()?.into_iter().flatten().collect())
}

fn row(arm: Arm, lives: &[&Life], with_memory: &[usize]) -> Row {
    let repeated: Vec<usize> = lives.iter().map(|life| life.repeated_failures()).collect();
    let attempts: usize = lives.iter().map(|life| life.steps.len()).sum();
    let share = |count: fn(&Life) -> usize| {
        let of = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let each = lives.iter().map(|life| of(count(life), life.steps.len()));
        [of(lives.iter().map(|life| count(life)).sum(), attempts), each.clone().fold(f64::MAX, f64::min), each.fold(0.0, f64::max)]
    };
    let thirds = lives
        .iter()
        .map(|life| life.misled_by_thirds())
        .fold([(0, 0); 3], |sum, life| [0, 1, 2].map(|third: usize| (sum[third].0 + life[third].0, sum[third].1 + life[third].1)));
    Row {
        arm: arm.name(),
        seeds: lives.len(),
        attempts,
        repeated_percent: share(Life::repeated_failures),
        done_per_100: share(|life| life.done),
        misled_percent_by_thirds: thirds.map(|(attempts, misled)| 100.0 * misled as f64 / attempts.max(1) as f64),
        untold_percent: share(Life::untold)[0],
        memory_halves_in: repeated.iter().zip(with_memory).filter(|(own, with)| **own >= 2 * **with).count(),
        memory_chars_per_prompt: lives.iter().map(|life| life.memory_chars).sum::<usize>() as f64 / attempts.max(1) as f64,
    }
}

/// The rows as a Markdown table.
pub fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "| arm (simulated world) | seeds | attempts | repeated failures | done tasks per 100 iterations | misled, by thirds of the run | fell untold | \
         at least twice those with memory | characters of memory in a prompt |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let [repeated, least, most] = row.repeated_percent;
        let [done, least_done, most_done] = row.done_per_100;
        let [first, second, third] = row.misled_percent_by_thirds;
        let halves = if row.arm == Arm::Memory.name() { String::new() } else { format!("{} of {} seeds", row.memory_halves_in, row.seeds) };
        out += &format!(
            "| {} | {} | {} | {repeated:.1} % ({least:.0} to {most:.0}) | {done:.1} ({least_done:.0} to {most_done:.0}) | \
             {first:.1} %, {second:.1} %, {third:.1} % | {:.1} % | {halves} | {:.0} |\n",
            row.arm, row.seeds, row.attempts, row.untold_percent, row.memory_chars_per_prompt
        );
    }
    out
}
