//! `ralph saturation`: how full each feature's knowledge is, and was.

use crate::output::{Answered, Output, table};
use clap::Args;
use ralph_app::App;
use ralph_core::saturation::{FeatureSaturation, SaturationHistory, SaturationPoint};

/// Arguments of `ralph saturation`.
#[derive(Debug, Args)]
pub struct SaturationArgs {
    /// Only this feature.
    #[arg(long)]
    feature: Option<String>,
    /// Over time: each change, oldest first, from the journals.
    #[arg(long)]
    history: bool,
}

/// Runs `ralph saturation`.
pub fn saturation(app: &App, args: &SaturationArgs, output: Output) -> Answered {
    if args.history {
        return history(app, args.feature.as_deref(), output);
    }
    let mut all = app.get_feature_saturations()?;
    if let Some(name) = &args.feature {
        let name = app.feature(name)?.name;
        all.retain(|saturation| saturation.feature == name);
    }
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

fn history(app: &App, feature: Option<&str>, output: Output) -> Answered {
    let histories = app.saturation_history(feature)?;
    let row = |history: &SaturationHistory, p: &SaturationPoint| {
        vec![
            history.feature.clone(),
            p.at.to_string(),
            format!("{}/{}", p.learnings_count, p.max_learnings),
            format!("{}%", p.saturation_pct),
            p.level.to_string(),
            format!("{} protected", p.protected_count),
        ]
    };
    let rows = || histories.iter().flat_map(|history| history.points.iter().map(|point| row(history, point))).collect::<Vec<_>>();
    output.answer(&histories, || table(&rows(), "the journals tell of no saturation yet"));
    Ok(())
}
