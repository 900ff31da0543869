//! Ratings in the text of a paper, by its own estimator and by maximum likelihood (AlphaGateau, section 5).

use schemars::JsonSchema;
use serde::Deserialize;

use super::ladder::{band, beside, compression, ladder, notes, player, point};
use super::rated_run::{ESTIMATORS, LEAST_SQUARES, LIKELIHOOD};
use super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Kind, Need, lost};

/// Ratings of single players that the text of a paper names.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloTable {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
    /// The players, top to bottom.
    pub players: Vec<NamedPlayer>,
}

/// One player of a ladder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NamedPlayer {
    /// Its display name.
    pub label: String,
    /// Its name in the ladder.
    pub player: String,
    /// The rating that the paper prints.
    pub published: Option<f64>,
    /// The half width of the two-sigma band that the paper prints.
    pub two_sigma: Option<f64>,
}

impl Kind for EloTable {
    fn about(&self) -> About<'_> {
        About::of_stage("ratings", Basis::PublishedData, &self.stage, Need::Ladder)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let ladder = ladder(&facts);
        let (mut points, mut rows, mut remarks) = (Vec::new(), Vec::new(), Vec::from_iter(lost(&facts)));
        for named in &self.players {
            let Some(rated) = player(&ladder, &named.player) else {
                remarks.extend((!ladder.players.is_empty()).then(|| format!("There is no player {}.", named.player)));
                rows.push((named.label.clone(), vec![None, None]));
                continue;
            };
            let papers = point((&named.label, ESTIMATORS[LEAST_SQUARES]), rated, rated.wls, &facts);
            let papers = match named.published {
                Some(value) => beside(context, papers, value, named.two_sigma.map(|width| band(width / 2.0))),
                None => papers,
            };
            rows.push((named.label.clone(), vec![Some(points.len()), Some(points.len() + 1)]));
            let likelihood = point((&named.label, ESTIMATORS[LIKELIHOOD]), rated, rated.ml, &facts);
            points.extend([papers, likelihood]);
        }
        remarks.extend(notes(&ladder));
        let chart = chart(&self.players, &points);
        let columns = ESTIMATORS.map(str::to_owned).to_vec();
        let table = Table { corner: "Player".to_owned(), columns, rows, digits: 2 };
        let caption = format!("Computed from the games that the authors published. {}", compression(&ladder));
        Content { points, table: Some(table), chart, notes: remarks, caption }
    }
}

/// Players from top to bottom, each with its printed rating and both estimates.
fn chart(players: &[NamedPlayer], points: &[Point]) -> Chart {
    let row = |point: &Point| players.iter().position(|named| named.label == point.row).unwrap_or(0) as f64;
    let mark = |y: f64, x: f64, error: Option<f64>| Vertex {
        x,
        y,
        low: error.map(|error| x - 2.0 * error),
        high: error.map(|error| x + 2.0 * error),
        over_games: false,
    };
    let of = |column: &str| {
        let own = points.iter().filter(|point| point.column == column);
        own.filter_map(|point| Some(mark(row(point), point.value?, point.error.map(|error| error.size)))).collect()
    };
    let printed = points.iter().filter_map(|point| {
        let published = point.published?;
        Some(mark(row(point), published.value, published.error.map(|error| error.size)))
    });
    let series = [
        ("printed in the paper, 2σ", Mark::Diamond, 1, printed.collect()),
        ("weighted least squares, residual-scaled 2σ", Mark::Dot, 0, of(ESTIMATORS[LEAST_SQUARES])),
        ("maximum likelihood, 2σ", Mark::Dot, 2, of(ESTIMATORS[LIKELIHOOD])),
    ];
    let series = series.map(|(name, mark, colour, points): (&str, Mark, usize, Vec<Vertex>)| Series {
        name: name.to_owned(),
        mark,
        names: Vec::new(),
        colour,
        points,
    });
    let names = players.iter().map(|named| named.label.clone()).collect();
    let (x, y) = (Axis::linear("Elo"), Axis::categories(names));
    Chart::of(vec![Panel { title: String::new(), x, y, series: series.into() }])
}
