//! Hours of trainings, as stored and as a paper prints them (AlphaGateau, section 5 and Figure 7).

use schemars::JsonSchema;
use serde::Deserialize;

use super::ladder::hours;
use super::sheet::{Axis, Chart, Mark, Panel, Point, Published, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, blank, config_ids, lost};

const COLUMNS: [&str; 2] = ["Hours", "Iterations"];

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
        let (mut points, mut rows): (Vec<Point>, Vec<_>) = (Vec::new(), Vec::new());
        for run in &self.runs {
            let is_shown = |at: u32| run.last.is_none_or(|last| at <= last);
            let last = hours.runs.get(&run.run).and_then(|own| own.iter().rfind(|(at, _)| is_shown(*at)).copied());
            let values = [last.map(|(_, hours)| hours), last.map(|(iteration, _)| f64::from(iteration) + 1.0)];
            rows.push((run.label.clone(), vec![Some(points.len())]));
            for (value, column) in values.into_iter().zip(COLUMNS) {
                let metric = column.to_lowercase();
                let config_ids = config_ids(&facts);
                let point =
                    Point { value, n_runs: 1, n_requested: 1, config_ids, ..blank(&metric, &run.label, column) };
                points.push(match run.published.filter(|_| column == COLUMNS[0]) {
                    Some(value) => {
                        Point { published: Some(Published { value, error: None, is_doubted: false }), ..point }
                    }
                    None => point,
                });
            }
        }
        let chart = chart(self, &points);
        let table = Table { corner: "Training".to_owned(), columns: vec![COLUMNS[0].to_owned()], rows, digits: 1 };
        let caption = "Hours of training and self-play that the authors stored for every iteration, against the durations \
            that the paper prints. The two disagree, and nothing published says why; they are no estimates and have no errors, \
            so that there is no verdict. Hours are of the GPUs that the run used."
            .to_owned();
        Content { points, table: Some(table), chart, notes: lost(&facts).into_iter().collect(), caption }
    }
}

fn chart(show: &RunningTimes, points: &[Point]) -> Chart {
    let dot = |row: usize, hours: f64| Vertex::at(hours, row as f64);
    let own = |row: usize| points.iter().find(|point| point.row == show.runs[row].label && point.column == COLUMNS[0]);
    let rows = 0..show.runs.len();
    let stored = rows.clone().filter_map(|row| Some(dot(row, own(row)?.value?))).collect();
    let printed = rows.filter_map(|row| Some(dot(row, own(row)?.published?.value))).collect();
    let series = vec![
        Series {
            name: "stored by the authors".to_owned(),
            mark: Mark::Dot,
            names: Vec::new(),
            colour: 0,
            points: stored,
        },
        Series {
            name: "printed in the paper".to_owned(),
            mark: Mark::Diamond,
            names: Vec::new(),
            colour: 1,
            points: printed,
        },
    ];
    let names = show.runs.iter().map(|run| run.label.clone()).collect();
    Chart::of(vec![Panel { title: String::new(), x: Axis::linear("hours"), y: Axis::categories(names), series }])
}
