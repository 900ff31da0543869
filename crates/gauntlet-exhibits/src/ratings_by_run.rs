//! Ratings of players that every run trains: the tournament of each seed is rated separately, and the table shows means
//! over these runs, with errors over trainings.

use std::collections::BTreeSet;

use super::context::titled;
use super::draft::Draft;
use super::estimate::{blank, few_runs};
use super::league::{League, leagues_by_run, notes_by_run};
use super::rated_run::{LEAST_SQUARES, LIKELIHOOD, MEAN, RatedRun, both_ratings, heading, mean_over_runs};
use super::sheet::{ConfidenceInterval, Panel, Point};
use super::{Content, Context, ErrorBars, Fact};

const COLUMNS: [&str; 6] = ["Elo", "Elo by WLS", "Above the next", "Runs", "Games", "Score in %"];

const CAPTION: &str = "Elo by maximum likelihood (Bradley and Terry, a draw as half a win), and by weighted least squares \
    as in the AlphaGateau paper (one virtual draw a match). The tournament of each run is rated by itself, and shown are \
    means over runs. The lead over the next player of the table is by maximum likelihood, run by run.";

pub(super) fn render(context: &Context<'_>, league: &League, anchor: Option<&str>) -> Content {
    let facts = context.facts.stage(&league.stage);
    let anchor = anchor.map(|anchor| context.show(anchor));
    let mut draft = Draft::of(&facts);
    for runs in leagues_by_run(context, league) {
        let runs = runs.into_iter().map(RatedRun::new).collect();
        let rated = RatedRuns::new(runs, &facts, anchor.as_deref());
        for (label, own) in rated.rows() {
            draft.row(label, own.into_iter().map(|point| context.with_published(point)));
        }
        draft.panels.push(rated.panel(context.errors));
        draft.notes.extend(rated.notes());
    }
    draft.notes.extend(few_runs(draft.points.iter()));
    let zero = match &anchor {
        Some(anchor) => format!("Ratings are differences from {anchor}."),
        None => format!("In each run the players that all runs rate have a mean of {MEAN}."),
    };
    let caption = format!("{CAPTION} {zero} {}", draft.errors(context, "runs", "Student's t"));
    draft.content("Player", COLUMNS, 0, caption)
}

/// The players of a stage with the means of their ratings by maximum likelihood, the strongest first, and the notes on players
/// without one.
pub(super) fn elo(context: &Context<'_>, league: &League, anchor: Option<&str>) -> (Vec<(String, Point)>, Vec<String>) {
    let facts = context.facts.stage(&league.stage);
    let anchor = anchor.map(|anchor| context.show(anchor));
    let (mut players, mut notes) = (Vec::new(), Vec::new());
    for runs in leagues_by_run(context, league) {
        let rated = RatedRuns::new(runs.into_iter().map(RatedRun::new).collect(), &facts, anchor.as_deref());
        players.extend(rated.order.iter().map(|name| (name.clone(), rated.rating(LIKELIHOOD, name))));
        notes.extend(rated.notes());
    }
    (players, notes)
}

/// The runs of one panel.
struct RatedRuns<'a> {
    runs: Vec<RatedRun>,
    facts: &'a [Fact<'a>],
    anchor: Option<&'a str>,
    /// The players that all runs rate.
    rated: Vec<String>,
    /// The players of all runs, in descending order of strength; those without a rating last, but
    /// first if they won all their games.
    order: Vec<String>,
}

impl<'a> RatedRuns<'a> {
    fn new(runs: Vec<RatedRun>, facts: &'a [Fact<'a>], anchor: Option<&'a str>) -> RatedRuns<'a> {
        let is_rated = |name: &&String| runs.iter().all(|run| run.linked_names().any(|linked| linked == *name));
        let names: BTreeSet<&String> = runs.iter().flat_map(|run| &run.league.names).collect();
        let rated = names.iter().copied().filter(is_rated).cloned().collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let mut all = RatedRuns { runs, facts, anchor, rated, order: Vec::new() };
        let total = |run: &RatedRun, name: &String| {
            let at = run.league.names.iter().position(|own| own == name)?;
            Some(run.league.total(at))
        };
        let has_won_all = |name: &String| {
            let mut totals = all.runs.iter().filter_map(|run| total(run, name));
            totals.all(|total| total.games() > 0 && total.wins == total.games())
        };
        let unrated = |name: &String| if has_won_all(name) { f64::INFINITY } else { f64::NEG_INFINITY };
        let elo = |name: &String| all.rating(LIKELIHOOD, name).value.unwrap_or_else(|| unrated(name));
        let mut players: Vec<(f64, String)> = names.into_iter().map(|name| (elo(&name), name)).collect();
        players.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.order = players.into_iter().map(|(_, name)| name).collect();
        all
    }

    fn mean(&self, place: [&str; 3], name: &str, number: impl Fn(&RatedRun) -> Option<f64>) -> Point {
        mean_over_runs(&self.runs, self.facts, number, |run| run.games(name), place)
    }

    /// The rating of a player.
    fn rating(&self, estimator: usize, name: &str) -> Point {
        let column = if estimator == LIKELIHOOD { COLUMNS[0] } else { COLUMNS[1] };
        self.mean(["elo", &self.titled(name), column], name, |run| match self.anchor {
            Some(anchor) => run.difference(estimator, name, anchor),
            None => run.rating(estimator, name, &self.rated),
        })
    }

    /// The label of every player, with its points by column.
    fn rows(&self) -> Vec<(String, Vec<Point>)> {
        let row = |(at, name): (usize, &String)| {
            let label = self.titled(name);
            let next = self.order.get(at + 1);
            let cell = ["lead in Elo", &label, COLUMNS[2]];
            let lead = match next {
                Some(next) => self.mean(cell, name, |run| run.difference(LIKELIHOOD, name, next)),
                None => blank(cell[0], cell[1], cell[2]),
            };
            let score = |run: &RatedRun| {
                let total = run.league.total(run.place(name)?);
                (total.games() > 0).then(|| 100.0 * total.points() / total.games() as f64)
            };
            let score = self.mean([COLUMNS[5], &label, COLUMNS[5]], name, score);
            let inside = |found: ConfidenceInterval| ConfidenceInterval {
                low: found.low.max(0.0),
                high: found.high.min(100.0),
                ..found
            };
            let score = Point { interval: score.interval.map(inside), ..score };
            let elo = self.rating(LIKELIHOOD, name);
            let count = |column: &str, value: u64| Point {
                value: Some(value as f64),
                error: None,
                interval: None,
                metric: column.to_owned(),
                column: column.to_owned(),
                ..score.clone()
            };
            let (runs, games) = (count(COLUMNS[3], elo.n_runs), count(COLUMNS[4], score.n_games));
            (label, vec![elo, self.rating(LEAST_SQUARES, name), lead, runs, games, score])
        };
        self.order.iter().enumerate().map(row).collect()
    }

    fn titled(&self, text: &str) -> String {
        titled(heading(&self.runs), text)
    }

    fn panel(&self, errors: ErrorBars) -> Panel {
        let rating = |estimator, at: usize| self.rating(estimator, &self.order[at]);
        both_ratings(heading(&self.runs), self.order.clone(), errors, rating)
    }

    /// The notes: meetings without games, adjudicated draws, an anchor that is not a player, and players without a rating in
    /// some run.
    fn notes(&self) -> Vec<String> {
        let notes = notes_by_run(self.runs.iter().map(|run| &run.league)).into_iter();
        let mut notes: Vec<String> = notes.map(|note| self.titled(&note)).collect();
        if let Some(anchor) = self.anchor.filter(|anchor| self.order.iter().all(|name| name != anchor)) {
            notes.push(self.titled(&format!("There is no player {anchor}, and no rating without it.")));
            return notes;
        }
        let played = |name: &String| self.runs.iter().filter(|run| run.games(name) > 0).count() as u64;
        let lacks = |name: &&String| self.rating(LIKELIHOOD, name).n_runs < played(name);
        let missing: Vec<&str> = self.order.iter().filter(lacks).map(String::as_str).collect();
        if !missing.is_empty() {
            notes.push(self.titled(&format!(
                "In some runs no chain of wins and draws in both directions links {} to the others: means are over the \
                 other runs, without those in which they won, or lost, all games. Rate the games of all runs together instead.",
                missing.join(", ")
            )));
        }
        notes
    }
}
