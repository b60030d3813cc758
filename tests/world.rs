//! Does memory help? In a simulated world: the agent's judgement is played; Ralph, the prompts and the processes are real.

use ralph_testkit::world::{Arm, Life, Size, World};

/// Seeds that are lived through here; `cargo xtask bench --world` takes more of them and a larger world.
const SEEDS: [u64; 2] = [1, 2];

#[test]
fn in_a_simulated_world_memory_at_least_halves_the_failures_that_come_back() {
    let [without, with, irrelevant] = std::thread::scope(|scope| {
        let lives = |arm| scope.spawn(move || SEEDS.map(|seed| World::new(seed, Size::SMALL).live(arm)));
        Arm::ALL.map(lives).map(|lives| lives.join().expect("lives through the world"))
    });
    let repeated = |lives: &[Life]| lives.iter().map(Life::repeated_failures).sum::<usize>();
    let done = |lives: &[Life]| lives.iter().map(|life| life.done).sum::<usize>();
    for other in [&without, &irrelevant] {
        assert!(2 * repeated(&with) <= repeated(other), "{} against {}", repeated(&with), repeated(other));
        assert!(done(&with) > done(other), "{} against {}", done(&with), done(other));
    }
    let chars = |lives: &[Life]| lives.iter().map(|life| life.memory_chars as f64 / life.steps.len() as f64).sum::<f64>();
    let ratio = chars(&irrelevant) / chars(&with);
    assert!((0.9..1.2).contains(&ratio), "the irrelevant lessons take as much of the prompts: {ratio}");
}
