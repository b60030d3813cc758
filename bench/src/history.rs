//! The figures of each commit, in `docs/bench/history.jsonl`, with a drawing beside it.

use crate::figure::Figure;
use crate::machine::BUSY_PCT;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

const FILE: &str = "history.jsonl";
const DRAWING: &str = "history.svg";
const PAGE: &str = "README.md";
/// Commits in the drawing: as many as can be distinguished on a line.
const DRAWN: usize = 40;
/// Pixels of the drawing: a row, and where its line of points begins and ends.
const ROW: usize = 30;
const LEFT: f64 = 470.0;
const WIDTH: f64 = 300.0;

/// One commit's figures, each as it was measured last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    commit: String,
    figures: Vec<Figure>,
}

/// Adds the figures to those of their commit, and draws all of them anew.
///
/// # Errors
/// When the history can't be read or written; nothing is dropped from one that can't be read.
pub fn keep(folder: &Path, commit: &str, figures: &[Figure]) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join(FILE);
    let text = if file.exists() { std::fs::read_to_string(&file)? } else { String::new() };
    let mut entries = text.lines().map(serde_json::from_str).collect::<Result<Vec<Entry>, _>>()?;
    add(&mut entries, commit, figures);
    let mut lines = String::new();
    for entry in &entries {
        writeln!(lines, "{}", serde_json::to_string(entry)?)?;
    }
    std::fs::write(file, lines)?;
    std::fs::write(folder.join(DRAWING), drawing(&entries))?;
    std::fs::write(folder.join(PAGE), page(&entries))?;
    Ok(())
}

fn add(entries: &mut Vec<Entry>, commit: &str, figures: &[Figure]) {
    if !entries.iter().any(|entry| entry.commit == commit) {
        entries.push(Entry { commit: commit.to_owned(), figures: Vec::new() });
    }
    for entry in entries.iter_mut().filter(|entry| entry.commit == commit) {
        entry.figures.retain(|known| figures.iter().all(|figure| figure.name != known.name || figure.floor_name != known.floor_name));
        entry.figures.extend_from_slice(figures);
    }
}

/// Every figure's ratio over the commits, in the order in which the figures were measured first.
fn lines(entries: &[Entry]) -> Vec<(String, Vec<&Figure>)> {
    let mut lines: Vec<(String, Vec<&Figure>)> = Vec::new();
    for figure in entries.iter().rev().take(DRAWN).rev().flat_map(|entry| &entry.figures) {
        let name = format!("{}, beside {}", figure.name, figure.floor_name);
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(figure),
            None => lines.push((name, vec![figure])),
        }
    }
    lines
}

/// One row per figure: its ratios from left to right between the least and the most of them. A hollow point was measured beside other work,
/// a red one misses its aim.
fn drawing(entries: &[Entry]) -> String {
    let lines = lines(entries);
    let height = ROW * (lines.len() + 1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#777\">\n"
    );
    for (row, (name, points)) in lines.iter().enumerate() {
        let middle = (row * ROW + ROW) as f64;
        let (least, most) = points.iter().fold((f64::MAX, f64::MIN), |(l, m), point| (l.min(point.ratio), m.max(point.ratio)));
        let place = |number: usize, ratio: f64| {
            let across = if points.len() == 1 { 1.0 } else { number as f64 / (points.len() - 1) as f64 };
            let up = if most > least { (ratio - least) / (most - least) } else { 0.5 };
            (LEFT + across * WIDTH, middle + 8.0 - up * 16.0)
        };
        let path: Vec<String> = points.iter().enumerate().map(|(n, p)| place(n, p.ratio)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        out += &format!("<text x=\"4\" y=\"{:.0}\">{}</text>\n", middle + 4.0, escaped(&shortened(name)));
        out += &format!("<polyline points=\"{}\" fill=\"none\" stroke=\"#999\"/>\n", path.join(" "));
        for (number, point) in points.iter().enumerate() {
            let (x, y) = place(number, point.ratio);
            let colour = if point.met == Some(false) { "#d33" } else { "#3a8" };
            let fill = if point.others_pct.is_some_and(|pct| pct >= BUSY_PCT) { "none" } else { colour };
            out += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{fill}\" stroke=\"{colour}\"/>\n");
        }
        if let Some(last) = points.last() {
            out += &format!(
                "<text x=\"{:.0}\" y=\"{:.0}\">{:.2} × {}</text>\n",
                LEFT + WIDTH + 12.0,
                middle + 4.0,
                last.ratio,
                escaped(&last.aim)
            );
        }
    }
    out + "</svg>\n"
}

fn page(entries: &[Entry]) -> String {
    let mut out = String::from(
        "# Bench history\n\nWritten by `cargo xtask bench` from `history.jsonl`, which has a line per commit; not to be edited. Each row is the ratio\n\
         of a figure to its floor over the commits, between its least and its most; what the floors are stands in\n\
         [measurements](../measurements.md). A red point misses its aim, a hollow one was measured while other programs took a tenth of\n\
         the processors or more.\n\n![Ratios over commits](history.svg)\n",
    );
    for entry in entries.iter().rev().take(DRAWN) {
        let _ = write!(out, "\n## {}\n\n{}", entry.commit, crate::figure::table(&entry.figures));
    }
    out
}

fn shortened(name: &str) -> String {
    const CHARS: usize = 84;
    if name.chars().count() <= CHARS { name.to_owned() } else { name.chars().take(CHARS - 1).chain(['…']).collect() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Aim;

    fn figure(name: &str, value: f64, others: f64) -> Figure {
        Figure { others_pct: Some(others), ..Figure::new(name, "ms", value, ("a <floor>", 1.0), Aim::RatioAtMost(2.0)) }
    }

    #[test]
    fn a_commit_has_one_line_and_each_figure_as_measured_last() {
        let folder = tempfile::tempdir().expect("a folder");
        keep(folder.path(), "one", &[figure("append", 3.0, 0.0), figure("start", 1.0, 0.0)]).expect("is kept");
        keep(folder.path(), "two", &[figure("append", 1.5, 50.0)]).expect("is kept");
        keep(folder.path(), "one", &[figure("append", 2.5, 0.0)]).expect("is kept");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("is there");
        let entries: Vec<Entry> = read(FILE).lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        assert_eq!(entries.iter().map(|e| (e.commit.as_str(), e.figures.len())).collect::<Vec<_>>(), [("one", 2), ("two", 1)]);
        assert_eq!(entries[0].figures[1].value, 2.5);
        let drawn = read(DRAWING);
        assert!(drawn.contains("a &lt;floor&gt;") && drawn.contains("fill=\"none\" stroke=\"#3a8\"") && drawn.contains("#d33"), "{drawn}");
        assert!(read(PAGE).find("## two") < read(PAGE).find("## one"));
    }

    #[test]
    fn a_history_that_can_t_be_read_is_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(FILE), "junk\n").expect("is written");
        assert!(keep(folder.path(), "one", &[figure("append", 3.0, 0.0)]).is_err());
        assert_eq!(std::fs::read_to_string(folder.path().join(FILE)).expect("is there"), "junk\n");
    }
}
