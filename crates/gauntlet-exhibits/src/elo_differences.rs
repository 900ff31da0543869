//! Differences between the paper's ratings and other estimates from the same games, player by player (AlphaGateau,
//! appendix A.3 and Figure 8).

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::ladder::{compression, ladder, notes, point};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, blank, config_ids};
use gauntlet_play::measure::{Rated, RatedLadder};
use gauntlet_ratings::intervals::mean;

/// Accessor of a player's estimate.
type Estimate = fn(&Rated) -> Option<f64>;

/// The other estimates: their names in the table and the panel.
const OTHERS: [(&str, Estimate); 2] =
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
        let mut draft = Draft::of(&facts);
        for (colour, (name, other)) in OTHERS.into_iter().enumerate() {
            let both = both(&ladder, other);
            draft.row(name, summary(name, &both, &ladder, &facts));
            let spots = both.iter().map(|(_, x, y)| Vertex::at(*x, x - y));
            draft.points.extend(both.iter().map(|(rated, x, y)| Point {
                x: Some(*x),
                metric: "difference".to_owned(),
                value: Some(x - y),
                error: None,
                ..point((&rated.name, name), rated, None, &facts)
            }));
            let names = both.iter().map(|(rated, ..)| rated.name.clone()).collect();
            let dots = Series { names, ..Series::new("", Mark::Dot, colour, spots) };
            let series = [Series::rule([(-1500.0, 0.0), (1500.0, 0.0)]), dots];
            let x = Axis::linear("paper's rating, mean 0 (Elo)");
            let y = Axis::linear("paper's rating minus the other (Elo)");
            draft.panels.push(Panel::new(format!("Against {name}"), x, y, series));
        }
        let caption = format!(
            "Each dot is one player, with the mean rating of all players taken off every estimate. BayesElo is its model \
             with the defaults (prior 2, draw Elo 97.3) and its scale. The published results carry no colours, so no \
             first-player advantage is fitted. Points below zero on the right are strong players, which the paper's \
             method underrates. {}",
            compression(&ladder)
        );
        draft.notes.extend(notes(&ladder));
        draft.content("Paper's estimator against", METRICS, 2, caption)
    }
}

/// A player with both ratings.
type Both<'a> = (&'a Rated, f64, f64);

/// Every player with both ratings, and both ratings minus their means.
fn both(ladder: &RatedLadder, other: Estimate) -> Vec<Both<'_>> {
    let rated: Vec<Both<'_>> =
        ladder.players.iter().filter_map(|rated| Some((rated, rated.wls?[0], other(rated)?))).collect();
    let centre = |pick: fn(&Both<'_>) -> f64| mean(&rated.iter().map(pick).collect::<Vec<_>>()).unwrap_or(0.0);
    let (x_mean, y_mean) = (centre(|both| both.1), centre(|both| both.2));
    rated.into_iter().map(|(rated, x, y)| (rated, x - x_mean, y - y_mean)).collect()
}

fn summary(name: &str, both: &[Both<'_>], ladder: &RatedLadder, facts: &[Fact<'_>]) -> [Point; METRICS.len()] {
    let span = |pick: fn(&Both<'_>) -> f64| {
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
