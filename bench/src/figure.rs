//! A figure with its floor and aim, medians with intervals, and how they are printed.

use ralph_core::stats::{SplitMix64, resampled_interval};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::Instant;

/// With fewer rounds the spread is unknown, and no interval is given.
const LEAST_ROUNDS: usize = 5;
/// Resamples of the bootstrap (Efron 1979), and the seed of their draws.
const RESAMPLES: usize = 1_000;
const SEED: u64 = 1;

/// What a figure should reach. A bound on the ratio is independent of the machine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Aim {
    /// Value ÷ floor at most this.
    RatioAtMost(f64),
    /// Value ÷ floor at least this.
    RatioAtLeast(f64),
    /// The value itself at least this, in its unit.
    ValueAtLeast(f64),
    /// The value itself at most this, in its unit.
    ValueAtMost(f64),
    /// No aim.
    None,
}

/// The samples of one side, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Samples(Vec<f64>);

impl From<f64> for Samples {
    fn from(value: f64) -> Samples {
        Samples(vec![value])
    }
}

impl From<Vec<f64>> for Samples {
    fn from(values: Vec<f64>) -> Samples {
        Samples(values)
    }
}

impl Samples {
    /// Every sample in another unit.
    pub fn map(&self, to: impl Fn(f64) -> f64) -> Samples {
        Samples(self.0.iter().copied().map(to).collect())
    }

    /// Every sample minus the other side's of the same round.
    pub fn minus(&self, other: &Samples) -> Samples {
        Samples(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    /// The quantile of `share`, 0..=1; NaN without samples.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(self.0.clone(), share)
    }

    fn median(&self) -> f64 {
        median(self.0.clone())
    }
}

/// One line of the result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// Unit of value and floor.
    pub unit: String,
    /// Median of Ralph.
    pub value: f64,
    /// What the floor is.
    pub floor_name: String,
    /// Median of the floor.
    pub floor: f64,
    /// Value ÷ floor.
    pub ratio: f64,
    /// Interval of 95 % of the ratio, by bootstrap over the rounds; `None` with fewer than five rounds.
    pub interval: Option<(f64, f64)>,
    /// Rounds of Ralph's side.
    pub rounds: usize,
    /// Percentage of all processors used by other programs meanwhile; `None` if the system does not say.
    pub others_pct: Option<f64>,
    /// The aim in words; empty when there is none.
    pub aim: String,
    /// Whether the aim is met; `None` when there is none.
    pub met: Option<bool>,
}

impl Figure {
    /// A figure of `name`: the samples of Ralph against those of the floor.
    pub fn new(name: impl Into<String>, unit: &str, value: impl Into<Samples>, floor: (&str, impl Into<Samples>), aim: Aim) -> Figure {
        let (values, floors): (Samples, Samples) = (value.into(), floor.1.into());
        let (value, bare) = (values.median(), floors.median());
        let ratio = value / bare;
        let (aim, met) = match aim {
            Aim::RatioAtMost(bound) => (format!("≤ {bound} ×"), Some(ratio <= bound)),
            Aim::RatioAtLeast(bound) => (format!("≥ {bound} ×"), Some(ratio >= bound)),
            Aim::ValueAtLeast(bound) => (format!("≥ {} {unit}", digits(bound)), Some(value >= bound)),
            Aim::ValueAtMost(bound) => (format!("≤ {} {unit}", digits(bound)), Some(value <= bound)),
            Aim::None => (String::new(), None),
        };
        Figure {
            name: name.into(),
            unit: unit.to_owned(),
            value,
            floor_name: floor.0.to_owned(),
            floor: bare,
            ratio,
            interval: interval(&values.0, &floors.0),
            rounds: values.0.len(),
            others_pct: None,
            aim,
            met,
        }
    }
}

/// The figures as a Markdown table.
pub fn table(figures: &[Figure]) -> String {
    let mut out = String::from(
        "| figure | median | floor | median of the floor | ratio (95 %) | rounds | aim | met |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for f in figures {
        let met = match f.met {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let spread = f.interval.map(|(low, high)| format!(" ({} to {})", digits(low), digits(high))).unwrap_or_default();
        let (value, floor, ratio, unit) = (digits(f.value), digits(f.floor), digits(f.ratio), &f.unit);
        out += &format!(
            "| {} | {value} {unit} | {} | {floor} {unit} | {ratio}{spread} | {} | {} | {met} |\n",
            f.name, f.floor_name, f.rounds, f.aim
        );
    }
    out
}

/// Three significant digits.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.places$}")
}

/// The middle value; of an even number of values the mean of the two in the middle, and NaN of none.
pub fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

/// Between two values it is interpolated, as in NumPy's default.
fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.sort_by(f64::total_cmp);
    let place = share * (values.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    values[below] + (values[above] - values[below]) * place.fract()
}

/// Interval of 95 % of the ratio of the medians. Rounds that were measured in turns are drawn together.
fn interval(values: &[f64], floors: &[f64]) -> Option<(f64, f64)> {
    if values.len() < LEAST_ROUNDS || floors.len() < LEAST_ROUNDS {
        return None;
    }
    let paired = values.len() == floors.len();
    // The same draws for the same rounds, so that intervals are reproducible.
    let mut chance = SplitMix64(SEED);
    let mut places = |length: usize| -> Vec<usize> { (0..length).map(|_| chance.index(length)).collect() };
    let at = |side: &[f64], places: &[usize]| median(places.iter().map(|place| side[*place]).collect());
    let interval = resampled_interval(RESAMPLES, || {
        let drawn = places(values.len());
        let below = if paired { at(floors, &drawn) } else { at(floors, &places(floors.len())) };
        at(values, &drawn) / below
    });
    Some((interval.low, interval.high))
}

/// Milliseconds that `work` takes, and what it returns.
pub fn millis<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let value = work()?;
    Ok((start.elapsed().as_secs_f64() * 1_000.0, value))
}

/// Milliseconds of both in each round, measured in turns; who begins changes with every round. What they give is dropped once the clock
/// has stopped.
pub fn in_turns<T, U>(
    rounds: usize,
    mut value: impl FnMut() -> Result<T, Box<dyn Error>>,
    mut floor: impl FnMut() -> Result<U, Box<dyn Error>>,
) -> Result<(Samples, Samples), Box<dyn Error>> {
    let (mut values, mut floors) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            values.push(millis(&mut value)?.0);
            floors.push(millis(&mut floor)?.0);
        } else {
            floors.push(millis(&mut floor)?.0);
            values.push(millis(&mut value)?.0);
        }
    }
    Ok((Samples(values), Samples(floors)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn an_aim_bounds_the_ratio_or_the_value() {
        for (value, floor, aim, met) in [
            (3.0, 2.0, Aim::RatioAtMost(1.5), Some(true)),
            (3.1, 2.0, Aim::RatioAtMost(1.5), Some(false)),
            (1.0, 2.0, Aim::RatioAtLeast(0.5), Some(true)),
            (0.9, 2.0, Aim::RatioAtLeast(0.5), Some(false)),
            (5.0, 9.0, Aim::ValueAtLeast(5.0), Some(true)),
            (5.0, 9.0, Aim::None, None),
        ] {
            assert_eq!(Figure::new("f", "ms", value, ("floor", floor), aim).met, met, "{value} {floor} {aim:?}");
        }
    }

    #[test]
    fn a_missed_aim_is_seen_in_the_table() {
        let row = table(&[Figure::new("append", "ms", 31.26, ("insert", 7.0), Aim::RatioAtMost(3.0))]);
        assert!(row.ends_with("| append | 31.3 ms | insert | 7.00 ms | 4.47 | 1 | ≤ 3 × | NO |\n"), "{row}");
    }

    #[test]
    fn the_interval_holds_the_ratio_and_narrows_with_the_spread() {
        let of = |spread: f64| {
            let values: Vec<f64> = (0..9).map(|round| 20.0 + spread * f64::from(round % 3 - 1)).collect();
            let figure = Figure::new("f", "ms", values, ("floor", vec![10.0; 9]), Aim::None);
            (figure.ratio, figure.interval.expect("nine rounds"))
        };
        let ((wide, (low, high)), (narrow, inside)) = (of(6.0), of(1.0));
        assert_eq!((wide, narrow), (2.0, 2.0));
        assert!(low < inside.0 && inside.0 <= 2.0 && 2.0 <= inside.1 && inside.1 < high, "{low} {inside:?} {high}");
    }

    #[test]
    fn four_rounds_give_no_interval() {
        assert_eq!(Figure::new("f", "ms", vec![1.0; 4], ("floor", vec![1.0; 4]), Aim::None).interval, None);
    }
}
