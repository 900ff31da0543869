//! Differences between the paper's ratings and other estimates from the same games, player by player (AlphaGateau,
//! appendix A.3 and Figure 8).

use schemars::JsonSchema;
use serde::Deserialize;

use super::ladder::{compression, ladder, notes, point};
use super::sheet::{Axis, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, blank, config_ids, lost};
use gauntlet_play::measure::{Rated, RatedLadder};
use gauntlet_ratings::intervals::mean;

/// Accessor of a player's estimate.
type Pick = fn(&Rated) -> Option<f64>;

/// The other estimates: their names in the table and the panel.
const OTHERS: [(&str, Pick); 2] =
    [("BayesElo", |rated| rated.bayeselo), ("maximum likelihood", |rated| Some(rated.ml?[0]))];
const METRICS: [&str; 4] = ["Span of the paper's", "Span", "Slope against the paper's", "Largest difference"];

/// The paper's estimate of every player of a ladder against other estimates.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EloDifferences {
    /// The stage, of `measure.ladder` jobs.
    pub stage: String,
}

impl Kind for EloDifferences {
    fn about(&self) -> About<'_> {
        About::of_stage("differences of ratings", Basis::PublishedData, &self.stage, Need::Ladder)
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let ladder = ladder(&facts);
        let (mut points, mut panels, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (colour, (name, other)) in OTHERS.into_iter().enumerate() {
            let both = both(&ladder, other);
            rows.push((name.to_owned(), (points.len()..points.len() + METRICS.len()).map(Some).collect()));
            points.extend(summary(name, &both, &ladder, &facts));
            let spots: Vec<Vertex> = both.iter().map(|(_, x, y)| Vertex::at(*x, x - y)).collect();
            points.extend(both.iter().map(|(rated, x, y)| Point {
                x: Some(*x),
                metric: "difference".to_owned(),
                value: Some(x - y),
                error: None,
                ..point((&rated.name, name), rated, None, &facts)
            }));
            let names = both.iter().map(|(rated, ..)| rated.name.clone()).collect();
            let series = vec![
                Series::rule([(-1500.0, 0.0), (1500.0, 0.0)]),
                Series { name: String::new(), mark: Mark::Dot, names, colour, points: spots },
            ];
            let x = Axis::linear("paper's rating, mean 0 (Elo)");
            let y = Axis::linear("paper's rating minus the other (Elo)");
            panels.push(Panel { title: format!("Against {name}"), x, y, series });
        }
        let columns = METRICS.map(str::to_owned).to_vec();
        let table = Table { corner: "Paper's estimator against".to_owned(), columns, rows, digits: 2 };
        let caption = format!(
            "Each dot is one player, with the mean rating of all players taken off every estimate. BayesElo is its model \
             with the defaults (prior 2, draw Elo 97.3) and its scale. The published results carry no colours, so no \
             first-player advantage is fitted. Points below zero on the right are strong players, which the paper's \
             method underrates. {}",
            compression(&ladder)
        );
        let notes = lost(&facts).into_iter().chain(notes(&ladder)).collect();
        Content { points, table: Some(table), chart: Chart::of(panels), notes, caption }
    }
}

/// Every player with both ratings, and both ratings minus their means.
fn both(ladder: &RatedLadder, other: Pick) -> Vec<(&Rated, f64, f64)> {
    let rated: Vec<(&Rated, f64, f64)> =
        ladder.players.iter().filter_map(|rated| Some((rated, rated.wls?[0], other(rated)?))).collect();
    let centre =
        |pick: fn(&(&Rated, f64, f64)) -> f64| mean(&rated.iter().map(pick).collect::<Vec<_>>()).unwrap_or(0.0);
    let (x_mean, y_mean) = (centre(|both| both.1), centre(|both| both.2));
    rated.into_iter().map(|(rated, x, y)| (rated, x - x_mean, y - y_mean)).collect()
}

fn summary(
    name: &str,
    both: &[(&Rated, f64, f64)],
    ladder: &RatedLadder,
    facts: &[Fact<'_>],
) -> [Point; METRICS.len()] {
    let span = |pick: fn(&(&Rated, f64, f64)) -> f64| {
        let (low, high) = both.iter().map(pick).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        (!both.is_empty()).then_some(high - low)
    };
    let product: f64 = both.iter().map(|(_, x, y)| x * y).sum();
    let square: f64 = both.iter().map(|(_, x, _)| x * x).sum();
    let largest = both.iter().map(|(_, x, y)| (x - y).abs()).reduce(f64::max);
    let slope = (square > 0.0).then(|| product / square);
    let mut values = [span(|both| both.1), span(|both| both.2), slope, largest].into_iter();
    METRICS.map(|metric| Point {
        value: values.next().flatten(),
        n_games: ladder.games,
        config_ids: config_ids(facts),
        ..blank(&metric.to_lowercase(), name, metric)
    })
}
