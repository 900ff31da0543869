//! Hours of trainings, as stored and as a paper prints them (AlphaGateau, section 5 and Figure 7).

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::ladder::{hours, sideways};
use super::sheet::{Mark, Point, Published};
use super::{About, Basis, Content, Context, Kind, Need, blank, config_ids};

/// The column of the table.
const HOURS: &str = "Hours";

/// Hours of trainings, beside those that a paper prints.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunningTimes {
    /// The stage, of `measure.hours` jobs.
    pub stage: String,
    /// The trainings, top to bottom.
    pub runs: Vec<RunningTime>,
}

/// One training.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunningTime {
    /// Its display name.
    pub label: String,
    /// Its name in the file.
    pub run: String,
    /// The last iteration that counts. Default: all.
    pub last: Option<u32>,
    /// Hours that the paper prints.
    pub published: Option<f64>,
}

impl Kind for RunningTimes {
    fn about(&self) -> About<'_> {
        About::of_stage("running times", Basis::PublishedData, &self.stage, Need::Hours)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let hours = hours(&facts);
        let mut draft = Draft::of(&facts);
        for run in &self.runs {
            let is_shown = |at: u32| run.last.is_none_or(|last| at <= last);
            let last = hours.runs.get(&run.run).and_then(|own| own.iter().rfind(|(at, _)| is_shown(*at)).copied());
            let point = |column: &str, value| {
                let (n_runs, n_requested, config_ids) = (1, 1, config_ids(&facts));
                Point { value, n_runs, n_requested, config_ids, ..blank(&column.to_lowercase(), &run.label, column) }
            };
            let published = run.published.map(|value| Published { value, error: None, is_doubted: false });
            draft.row(&run.label, [Point { published, ..point(HOURS, last.map(|(_, hours)| hours)) }]);
            draft.add(point("Iterations", last.map(|(iteration, _)| f64::from(iteration) + 1.0)));
        }
        let series = [("stored by the authors", Mark::Dot, 0, 0), ("printed in the paper", Mark::Diamond, 1, 0)];
        draft.panels.push(sideways(&draft, "hours", series));
        let caption = "Hours of training and self-play that the authors stored for every iteration, against the durations \
            that the paper prints. The two disagree, and nothing published says why; they are no estimates and have no errors, \
            so that there is no verdict. Hours are of the GPUs that the run used.";
        draft.content("Training", [HOURS], 1, caption)
    }
}
