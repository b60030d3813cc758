//! `ralph saturation`: how full each feature's knowledge is.

use crate::output::{Answered, Output, table};
use ralph_app::App;
use ralph_core::saturation::FeatureSaturation;

/// Answers `ralph saturation`.
pub fn saturation(app: &App, output: Output) -> Answered {
    let all = app.get_feature_saturations()?;
    let row = |s: &FeatureSaturation| {
        vec![
            s.feature.clone(),
            format!("{}/{}", s.learnings_count, s.max_learnings),
            format!("{}%", s.saturation_pct),
            s.level.to_string(),
            format!("{} protected", s.protected_count),
        ]
    };
    output.answer(&all, || table(&all.iter().map(row).collect::<Vec<_>>(), "no features yet"));
    Ok(())
}
