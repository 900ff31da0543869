//! The kinds of exhibits. One file is one kind: from facts to a [`Sheet`].
//!
//! To add one: a file, a variant of `manifest::exhibit::Show`, and an arm of [`render`].

mod abscissa;
mod boards;
mod correlations;
mod criteria;
mod crosstable;
mod curves;
mod elo_curves;
mod elo_differences;
mod elo_table;
mod embeddings;
mod estimate;
mod ladder;
mod league;
mod matrices;
mod means;
mod numbers;
mod percentiles;
mod positions;
mod progress;
mod progress_by_run;
mod published;
mod published_only;
mod rated_run;
mod ratings;
mod ratings_by_run;
mod running_times;
mod scatter;
mod scene;
mod shown;
#[cfg(test)]
mod tests;
mod titles;
pub(super) mod verdicts;

pub use criteria::judged;
pub(super) use estimate::blank;

use super::facts::{config_ids, lost};
use super::sheet::Sheet;
use super::{resignations, sequential};
use crate::manifest::exhibit::Show;
use scene::Content;
pub use scene::Scene;

/// Whether an exhibit computes numbers again from the very data that the paper had: chance has no part in it.
fn is_recomputed(show: &Show) -> bool {
    matches!(show, Show::EloTable(_) | Show::EloCurves(_) | Show::EloDifferences(_) | Show::RunningTimes(_))
}

/// Renders an exhibit.
#[must_use]
pub fn render(scene: &Scene<'_>) -> Sheet {
    let mut content = match &scene.exhibit.show {
        Show::Correlations(show) => correlations::render(scene, show),
        Show::Percentiles(show) => percentiles::render(scene, show),
        Show::Curves(show) => curves::render(scene, show),
        Show::Scatter(show) => scatter::render(scene, show),
        Show::Means(show) => means::render(scene, show),
        Show::Ratings(show) => ratings::render(scene, show),
        Show::Crosstable(show) => crosstable::render(scene, show),
        Show::EloTable(show) => elo_table::render(scene, show),
        Show::EloCurves(show) => elo_curves::render(scene, show),
        Show::EloDifferences(show) => elo_differences::render(scene, show),
        Show::RunningTimes(show) => running_times::render(scene, show),
        Show::WinMatrix(show) => matrices::render_wins(scene, show),
        Show::ScoreMatrix(show) => matrices::render_scores(scene, show),
        Show::Boards(show) => boards::render(scene, show),
        Show::Positions(show) => positions::render(scene, show),
        Show::Numbers(show) => numbers::render(scene, show),
        Show::Embeddings(show) => embeddings::render(scene, show),
        Show::Progress(show) => progress::render(scene, show),
    };
    published_only::append(scene, &mut content);
    let plan = scene.facts.plan();
    let written = &plan.written;
    let name = match &scene.exhibit.name {
        Some(name) => written.name.sibling(name),
        None => written.name.clone(),
    };
    let heading = scene.heading();
    let published = written.paper.as_ref().and_then(|paper| paper.artefact.as_ref());
    let title = match published {
        Some(artefact) if scene.exhibit.title.is_none() => format!("{artefact}. {heading}"),
        _ => heading,
    };
    let mut notes = content.notes;
    notes.extend(scene.doubts(&content.points));
    notes.extend(
        Some(&content.points).filter(|_| !is_recomputed(&scene.exhibit.show)).and_then(|all| verdicts::note(all)),
    );
    notes.extend(resignations::note(&scene.shown()));
    notes.extend(sequential::notes(&scene.shown()));
    notes.extend(scene.few_runs(&content.points, content.table.as_ref()));
    let caption = [scene.exhibit.caption.trim(), content.caption.as_str(), &scene.scale()];
    let caption: Vec<&str> = caption.into_iter().filter(|part| !part.is_empty()).collect();
    Sheet {
        artefact: name.to_string(),
        title,
        caption: caption.join(" "),
        profile: plan.profile.clone(),
        points: content.points,
        table: content.table,
        chart: content.chart,
        errors: scene.exhibit.errors,
        criteria: criteria::decide(scene),
        notes,
    }
}
