//! The result of a ladder job on published results, and the common texts and drawings of all ladder exhibits.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::number::thousands;
use super::sheet::{Agreement, ErrorKind, Point, Published, Spread};
use super::{Context, Fact, blank, config_ids};

/// A rating with one standard error.
pub type Rating = [f64; 2];

/// The result of a `measure.ladder` job.
#[derive(Debug, Default, Deserialize)]
pub struct LadderResult {
    pub players: Vec<RatedPlayer>,
    pub pairs: u64,
    pub games: u64,
    pub draws: u64,
}

/// One rated player.
#[derive(Debug, Deserialize)]
pub struct RatedPlayer {
    pub name: String,
    pub games: u64,
    pub wls: Option<Rating>,
    pub ml: Option<Rating>,
    pub bayeselo: Option<f64>,
    pub stored: Option<Rating>,
}

impl LadderResult {
    /// The ladder of a stage; empty if its job has no result.
    pub fn of(facts: &[Fact<'_>]) -> LadderResult {
        facts.first().and_then(Fact::read).unwrap_or_default()
    }

    /// The caption's explanation why the two estimators differ. 60-0 shows 833 Elo: 400 log10(60.5 / 0.5).
    pub fn compression(&self) -> String {
        let spans = self.span(|rated| rated.wls).zip(self.span(|rated| rated.ml)).map(|(papers, ours)| {
            let whole = |elo: f64| thousands(elo.round_ties_even() as u64);
            let (n, papers, ours) = (thousands(self.players.len() as u64), whole(papers), whole(two_digits(ours)));
            format!(
                " Over all {n} published players, the paper's ratings span {papers} Elo, and maximum likelihood about \
                 {ours} on the same games."
            )
        });
        format!(
            "The paper's least squares compress wide ladders, partly by the virtual draw that they add to every match. \
             With it, not even 60-0 shows more than 833 Elo.{} The paper's band is the authors': two \
             standard errors scaled by the residuals of the fit. Bands are match noise alone: each curve is one training run.",
            spans.unwrap_or_default()
        )
    }

    /// The difference between the highest and the lowest rating.
    fn span(&self, pick: fn(&RatedPlayer) -> Option<Rating>) -> Option<f64> {
        let ratings = self.players.iter().filter_map(pick).map(|[elo, _]| elo);
        let ends = |(low, high): (f64, f64), elo: f64| (low.min(elo), high.max(elo));
        let (low, high) = ratings.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        (low <= high).then_some(high - low)
    }

    /// The player with a name.
    pub fn player(&self, name: &str) -> Option<&RatedPlayer> {
        self.players.iter().find(|player| player.name == name)
    }

    /// The players of a run with their iterations (`run/017`), ascending.
    pub fn run(&self, run: &str, last: Option<u32>) -> Vec<(u32, &RatedPlayer)> {
        let iteration = |player: &RatedPlayer| player.name.strip_prefix(run)?.strip_prefix('/')?.parse::<u32>().ok();
        let players = self.players.iter().filter_map(|player| Some((iteration(player)?, player)));
        let mut players: Vec<_> = players.filter(|(at, _)| last.is_none_or(|last| *at <= last)).collect();
        players.sort_by_key(|(at, _)| *at);
        players
    }

    /// The notes: the published games, and the agreement with the stored ratings.
    pub fn notes(&self) -> Vec<String> {
        let stored = self.players.iter().filter_map(|player| Some((player.wls?, player.stored?)));
        let (mut same, mut all, mut worst) = (0, 0, 0.0_f64);
        for ([elo, error], [stored_elo, stored_error]) in stored {
            all += 1;
            same += usize::from(elo.trunc() == stored_elo);
            worst = worst.max((error / stored_error - 1.0).abs());
        }
        let LadderResult { players, pairs, games, draws } = self;
        let share = 100.0 * *draws as f64 / (*games).max(1) as f64;
        let n = players.len();
        vec![
            format!("Published results: {n} players, {pairs} pairs of them, {games} games, {share:.1} % drawn."),
            format!(
                "The paper's estimator yields {same} of the {all} ratings that the authors stored (cut to whole \
                 numbers). The largest relative difference of a standard error is {worst:.0e}."
            ),
        ]
    }
}

/// Hours of training and self-play by run and iteration, from a `measure.hours` job.
#[derive(Debug, Default, Deserialize)]
pub struct StoredHours {
    runs: BTreeMap<String, Vec<(u32, f64)>>,
}

impl StoredHours {
    /// The hours of a stage; empty if its job has no result.
    pub fn of(facts: &[Fact<'_>]) -> StoredHours {
        facts.first().and_then(Fact::read).unwrap_or_default()
    }

    /// Hours up to the end of an iteration.
    pub fn at(&self, run: &str, iteration: u32) -> Option<f64> {
        self.runs.get(run)?.iter().find(|(at, _)| *at == iteration).map(|(_, hours)| *hours)
    }

    /// The last iteration up to a limit, and the hours until its end.
    pub fn last(&self, run: &str, limit: Option<u32>) -> Option<(u32, f64)> {
        self.runs.get(run)?.iter().rfind(|(at, _)| limit.is_none_or(|limit| *at <= limit)).copied()
    }
}

/// The note on results that are missing or unreadable, if there are any.
pub fn unread<T: DeserializeOwned>(facts: &[Fact<'_>]) -> Option<String> {
    let lost = facts.iter().filter(|fact| fact.read::<T>().is_none()).count();
    (lost > 0).then(|| format!("{lost} of {} jobs have no result.", facts.len()))
}

/// A number above 0, rounded to two significant digits.
fn two_digits(number: f64) -> f64 {
    let unit = 10f64.powf(number.max(1.0).log10().floor() - 1.0);
    (number / unit).round() * unit
}

/// A standard error over games.
pub fn band(size: f64) -> Spread {
    Spread { size, kind: ErrorKind::TwoSigma }
}

/// A rating as a point; its error is one standard error over games.
pub fn point(place: (&str, &str), rated: &RatedPlayer, rating: Option<Rating>, facts: &[Fact<'_>]) -> Point {
    Point {
        value: rating.map(|[elo, _]| elo),
        error: rating.map(|[_, error]| band(error)),
        n_runs: 1,
        n_requested: 1,
        n_games: rated.games,
        config_ids: config_ids(facts),
        ..blank("elo", place.0, place.1)
    }
}

/// Puts a printed number beside a point, judged against the combined errors.
pub fn beside(context: &Context<'_>, point: Point, value: f64, error: Option<Spread>) -> Point {
    let verdict: Agreement = context.verdict(&point, value, error);
    Point { published: Some(Published { value, error, is_doubted: false }), verdict: Some(verdict), ..point }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use gauntlet_play::measure::{Hours, Rated, RatedLadder};

    #[test]
    fn the_results_of_the_jobs_are_read() {
        let rated = Rated {
            name: "run/003".to_owned(),
            games: 60,
            opponents: 1,
            wls: Some([1.0, 2.0]),
            ml: None,
            bayeselo: Some(3.0),
            stored: Some([4.0, 5.0]),
        };
        let written = json!(RatedLadder { players: vec![rated], pairs: 7, games: 60, draws: 2, groups: 1, df: 0 });
        let read = LadderResult::deserialize(&written).unwrap();
        let (iteration, own) = read.run("run", None)[0];
        assert_eq!((iteration, own.wls, own.ml), (3, Some([1.0, 2.0]), None));
        assert_eq!((own.bayeselo, own.stored, own.games), (Some(3.0), Some([4.0, 5.0]), 60));
        assert_eq!((read.pairs, read.games, read.draws), (7, 60, 2));
        let written = json!(Hours { runs: BTreeMap::from([("run".to_owned(), vec![(0, 1.5), (1, 2.5)])]) });
        assert_eq!(StoredHours::deserialize(&written).unwrap().last("run", None), Some((1, 2.5)));
    }
}
