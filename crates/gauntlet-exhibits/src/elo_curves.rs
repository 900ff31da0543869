//! Ratings of trainings along their iterations or hours, one panel for each estimator
//! (AlphaGateau, Figures 5 to 7, and 10, 12 and 14 over running time).

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::ladder::{Rating, beside, compression, hours, ladder, notes, point, run};
use super::rated_run::{ESTIMATORS, LEAST_SQUARES};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, lost};
use gauntlet_play::measure::Rated;

/// Accessor of a player's rating.
type Pick = fn(&Rated) -> Option<Rating>;

/// The accessors of the estimators.
const RATINGS: [Pick; 2] = [|rated| rated.wls, |rated| rated.ml];
/// The number of GPUs to which the paper scales its hours.
const GPUS: f64 = 8.0;

/// Ratings of trainings whose checkpoints are players of a ladder, named `run/iteration`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloCurves {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
    /// The stage of `measure.hours` jobs. Default: none, and the abscissa is iterations.
    pub hours: Option<String>,
    /// The curves.
    pub curves: Vec<EloCurve>,
}

/// One training.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloCurve {
    /// Its name in the legend.
    pub label: String,
    /// Its name in the ladder.
    pub run: String,
    /// The last iteration that is shown. Default: all.
    pub last: Option<u32>,
    /// The number of GPUs that it ran on: hours are scaled to 8.
    #[serde(default = "eight")]
    pub gpus: u32,
    /// The rating of its last checkpoint that the paper prints. Default: the table shows the stored one.
    pub published: Option<f64>,
    /// The two-sigma band that the paper prints beside it.
    pub two_sigma: Option<f64>,
}

fn eight() -> u32 {
    8
}

impl Kind for EloCurves {
    fn about(&self) -> About<'_> {
        let hours = self.hours.as_deref().map(|stage| (stage, vec![Need::Hours]));
        let stages = std::iter::once((self.stage.as_str(), vec![Need::Ladder])).chain(hours).collect();
        About::new("ratings along the trainings", Basis::PublishedData, stages)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let ladder = ladder(&facts);
        let hour_facts = self.hours.as_ref().map(|stage| context.facts.stage(stage));
        let hours = hour_facts.as_ref().map(|facts| hours(facts));
        let abscissa = |curve: &EloCurve, iteration: u32| match &hours {
            None => Some(f64::from(iteration)),
            Some(hours) => {
                let (_, hours) = hours.runs.get(&curve.run)?.iter().find(|(at, _)| *at == iteration)?;
                Some(hours * f64::from(curve.gpus) / GPUS)
            }
        };
        let mut draft = Draft::of(&facts);
        draft.notes.extend(hour_facts.as_ref().and_then(|facts| lost(facts)));
        draft.rows = self.curves.iter().map(|curve| (curve.label.clone(), Vec::new())).collect();
        for (estimator, rating) in ESTIMATORS.into_iter().zip(RATINGS) {
            let (is_papers, mut series) = (estimator == ESTIMATORS[LEAST_SQUARES], Vec::new());
            for (colour, curve) in self.curves.iter().enumerate() {
                let start = draft.points.len();
                let mut vertices = Vec::new();
                for (iteration, rated) in run(&ladder, &curve.run, curve.last) {
                    let (Some(x), Some(own)) = (abscissa(curve, iteration), rating(rated)) else { continue };
                    vertices.push(Vertex::around(x, own[0], Some(2.0 * own[1])));
                    let point = Point { x: Some(x), ..point((&curve.label, estimator), rated, Some(own), &facts) };
                    let stored = rated.stored.filter(|_| is_papers);
                    draft.add(beside(context, point, stored.map(|own| own[0]), stored.map(|own| 2.0 * own[1])));
                }
                let end = (start..draft.points.len()).next_back();
                draft.rows[colour].1.push(end);
                if let Some(last) = draft.points[start..].last_mut().filter(|_| is_papers) {
                    *last = beside(context, last.clone(), curve.published, curve.two_sigma);
                }
                series.push(Series::new(&curve.label, Mark::Line, colour, vertices));
            }
            let x = if hours.is_some() { "running time, hours on 8 GPUs" } else { "iteration" };
            draft.panels.push(Panel::new(estimator, Axis::linear(x), Axis::linear("Elo"), series));
        }
        let time = match hours {
            Some(_) => {
                "Hours are those of training and self-play that the authors stored, times GPUs / 8 as in the paper. "
            }
            None => "",
        };
        let caption = format!(
            "Lines join the checkpoints that were rated; bands are two standard errors. {time}The table compares the last \
             checkpoint with the rating that the paper prints, or else with the one that the authors stored. {}",
            compression(&ladder)
        );
        draft.notes.extend(notes(&ladder));
        draft.content("Last checkpoint shown", ESTIMATORS, 0, caption)
    }
}
