//! Two scales of strength beside each other: the rating of a player among its opponents, and the share of its moves that
//! keep the exact value, which needs no opponent.

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::estimate::{ErrorOverPositions, Sample, is_without_spread, over_positions, over_runs};
use super::league::League;
use super::rated_run::RATING;
use super::run_values::{OutcomeScale, Shown};
use super::sheet::{Axis, Mark, Panel, Point, Series};
use super::uncertainty::ANYWHERE;
use super::{
    About, Basis, Content, Context, Fact, FactGroup, Kind, Need, Stages, Unit, group, ratings, ratings_by_run,
};

const COLUMNS: [&str; 2] = ["Elo", "Optimal moves in %"];
const PERCENT: [f64; 2] = [0.0, 100.0];
const MARKS: [Mark; 3] = [Mark::Dot, Mark::Diamond, Mark::Cross];

const CAPTION: &str = "Elo is by maximum likelihood among the players of the tournament. Optimal are the moves that keep the \
    exact value of a solved position.";

/// Ratings of the players of a tournament against the share of their optimal moves, a mark a player.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scales {
    /// The stage of the tournament.
    pub ratings: String,
    /// The stages of `measure.optimal`, whose agents have the names of players.
    pub optimal: Stages,
    /// The player whose rating is 0. Default: ratings average to 1000.
    pub anchor: Option<String>,
    /// Whether the tournament of each seed is rated separately; ratings are then means, with errors over these runs.
    /// Default: the games of all seeds are added up.
    #[serde(default)]
    pub by_run: bool,
}

impl Kind for Scales {
    fn about(&self) -> About<'_> {
        let optimal = self.optimal.all();
        let stages = optimal.iter().map(|stage| (*stage, vec![Need::Optimality]));
        let stages = std::iter::once((self.ratings.as_str(), vec![Need::Meetings])).chain(stages).collect();
        let tables = vec![vec![self.ratings.as_str()], optimal];
        let about = About::new("two scales of strength", Basis::Results, stages);
        About { tables, unit: Unit::Players, anchor: self.anchor.as_deref(), ..about }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let (league, anchor) = (League::of(&self.ratings, &[]), self.anchor.as_deref());
        let (ratings, unrated) = match self.by_run {
            true => ratings_by_run::elo(context, &league, anchor),
            false => ratings::elo(context, &league, anchor),
        };
        let measured = context.facts.stages(&self.optimal.all());
        let moves: Vec<(String, Point)> =
            group(&measured, &["agent".to_owned()]).iter().map(|own| optimal(context, own)).collect();
        let facts = [context.facts.stage(&self.ratings), measured].concat();
        let (mut draft, mut series) = (Draft::of(&facts), Vec::new());
        for (at, (name, rating)) in ratings.into_iter().enumerate() {
            let found = moves.iter().find(|(known, _)| *known == name).map(|(_, share)| share.clone());
            let place = found.as_ref().and_then(|share| rating.vertex(share.value?, context.errors, ANYWHERE));
            series.extend(place.map(|place| Series::new(&name, MARKS[at % MARKS.len()], at, [place])));
            draft.row(name, [Some(rating), found].map(|point| Some(context.with_published(point?))));
        }
        draft.notes.extend(unrated);
        let alone = moves.iter().map(|(name, _)| name.as_str());
        let alone: Vec<&str> = alone.filter(|name| draft.rows.iter().all(|(known, _)| known != name)).collect();
        let note = (!alone.is_empty()).then(|| format!("No player of the tournament: {}.", alone.join(", ")));
        draft.notes.extend(note);
        let units = if self.by_run { "runs" } else { "games for Elo, and over runs for moves" };
        let errors = draft.errors(context, units, METHOD);
        let caption = format!("{CAPTION} {errors} Where nothing was trained, those of moves are over positions.");
        let (x, y) = (Axis::linear(COLUMNS[1].to_lowercase()), Axis::linear(RATING));
        draft.panels.push(Panel::new("", x, y, series));
        draft.content("Player", COLUMNS, 1, caption)
    }
}

/// The methods of the intervals.
const METHOD: &str = "Student's t over runs, normal over games, Wilson's over positions";

/// The name of an agent, and its share of optimal moves.
fn optimal(context: &Context<'_>, own: &FactGroup<'_>) -> (String, Point) {
    let name = context.phrase(&own.labels);
    let percent = |fact: &Fact<'_>| Some(100.0 * Shown::Optimal.value(OutcomeScale::Outcome, fact)?);
    let sample = Sample::of(&own.facts, percent);
    let point = over_runs(PERCENT, [COLUMNS[1], &name, COLUMNS[1]], &own.facts, &sample);
    let point = match Shown::Optimal.error_over_positions(&own.facts) {
        Some(error) => over_positions(point, PERCENT, ErrorOverPositions { size: 100.0 * error.size, ..error }),
        None if is_without_spread(sample.values()) => Point { error: None, interval: None, ..point },
        None => point,
    };
    (name, point)
}
