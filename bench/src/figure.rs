//! A figure with its floor and aim, medians, and how they are printed.

use serde::Serialize;
use std::time::Instant;

/// What a figure should reach. A bound on the ratio says that it has to do with the machine.
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
    /// Only to be known.
    None,
}

/// One line of the result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// Unit of value and floor.
    pub unit: &'static str,
    /// Median of Ralph.
    pub value: f64,
    /// What the floor is.
    pub floor_name: String,
    /// Median of the floor.
    pub floor: f64,
    /// Value ÷ floor.
    pub ratio: f64,
    /// The aim in words; empty when there is none.
    pub aim: String,
    /// Whether the aim is met; `None` when there is none.
    pub met: Option<bool>,
}

impl Figure {
    /// A figure of `name`: the median `value` of Ralph against the median `floor`.
    pub fn new(name: impl Into<String>, unit: &'static str, value: f64, floor: (&str, f64), aim: Aim) -> Figure {
        let ratio = value / floor.1;
        let (aim, met) = match aim {
            Aim::RatioAtMost(bound) => (format!("≤ {bound} ×"), Some(ratio <= bound)),
            Aim::RatioAtLeast(bound) => (format!("≥ {bound} ×"), Some(ratio >= bound)),
            Aim::ValueAtLeast(bound) => (format!("≥ {} {unit}", digits(bound)), Some(value >= bound)),
            Aim::ValueAtMost(bound) => (format!("≤ {} {unit}", digits(bound)), Some(value <= bound)),
            Aim::None => (String::new(), None),
        };
        Figure { name: name.into(), unit, value, floor_name: floor.0.to_owned(), floor: floor.1, ratio, aim, met }
    }
}

/// The figures as a Markdown table.
pub fn table(figures: &[Figure]) -> String {
    let mut out = String::from(
        "| figure | median | floor | median of the floor | ratio | aim | met |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for f in figures {
        let met = match f.met {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "",
        };
        let (value, floor, unit) = (digits(f.value), digits(f.floor), f.unit);
        out += &format!("| {} | {value} {unit} | {} | {floor} {unit} | {:.2} | {} | {met} |\n", f.name, f.floor_name, f.ratio, f.aim);
    }
    out
}

/// Three digits that tell something.
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
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// Milliseconds that `work` takes, and what it returns.
pub fn millis<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let value = work()?;
    Ok((start.elapsed().as_secs_f64() * 1_000.0, value))
}

/// Medians of both in milliseconds, measured in turns; who begins changes with every round.
pub fn in_turns<E>(
    rounds: usize,
    mut value: impl FnMut() -> Result<(), E>,
    mut floor: impl FnMut() -> Result<(), E>,
) -> Result<(f64, f64), E> {
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
    Ok((median(values), median(floors)))
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
        assert!(row.ends_with("| append | 31.3 ms | insert | 7.00 ms | 4.47 | ≤ 3 × | NO |\n"), "{row}");
    }
}
