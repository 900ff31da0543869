//! The ratings of published results, and the common texts and drawings of all ladder exhibits.

use super::draft::Draft;
use super::number::thousands;
use super::sheet::{Axis, ErrorKind, Mark, Panel, Point, Published, Series, Spread, Vertex};
use super::{Context, Fact, JobResult, blank, config_ids};
use gauntlet_play::measure::{Hours, Rated, RatedLadder};

/// A rating with one standard error.
pub type Rating = [f64; 2];

/// The ladder of a stage; empty if its job has no result.
pub fn ladder(facts: &[Fact<'_>]) -> RatedLadder {
    let own = facts.first().and_then(|fact| fact.result());
    if let Some(JobResult::Ladder(ladder)) = own { ladder.clone() } else { RatedLadder::default() }
}

/// The caption's explanation why the two estimators differ. 60-0 shows 833 Elo: 400 log10(60.5 / 0.5).
pub fn compression(ladder: &RatedLadder) -> String {
    // Maximum likelihood rates no player that lost every game.
    let both: Vec<[Rating; 2]> = ladder.players.iter().filter_map(|rated| Some([rated.wls?, rated.ml?])).collect();
    let (all, both_rate) = if both.len() == ladder.players.len() { ("all ", "") } else { ("the ", " that both rate") };
    let spans = span(&both, 0).zip(span(&both, 1)).map(|(papers, ours)| {
        let whole = |elo: f64| thousands(elo.round_ties_even() as u64);
        let (n, papers, ours) = (thousands(both.len() as u64), whole(papers), whole(two_digits(ours)));
        format!(
            " Over {all}{n} published players{both_rate}, the paper's ratings span {papers} Elo, and maximum likelihood about \
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

/// The difference between the highest and the lowest rating of an estimator.
fn span(both: &[[Rating; 2]], estimator: usize) -> Option<f64> {
    let ratings = both.iter().map(|ratings| ratings[estimator][0]);
    let ends = |(low, high): (f64, f64), elo: f64| (low.min(elo), high.max(elo));
    let (low, high) = ratings.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    (low <= high).then_some(high - low)
}

/// The player with a name.
pub fn player<'a>(ladder: &'a RatedLadder, name: &str) -> Option<&'a Rated> {
    ladder.players.iter().find(|player| player.name == name)
}

/// The players of a run with their iterations (`run/017`), ascending.
pub fn run<'a>(ladder: &'a RatedLadder, run: &str, last: Option<u32>) -> Vec<(u32, &'a Rated)> {
    let iteration = |player: &Rated| player.name.strip_prefix(run)?.strip_prefix('/')?.parse::<u32>().ok();
    let players = ladder.players.iter().filter_map(|player| Some((iteration(player)?, player)));
    let mut players: Vec<_> = players.filter(|(at, _)| last.is_none_or(|last| *at <= last)).collect();
    players.sort_by_key(|(at, _)| *at);
    players
}

/// The notes: the published games, and the agreement with the stored ratings; none without players.
pub fn notes(ladder: &RatedLadder) -> Vec<String> {
    let RatedLadder { players, pairs, games, draws, .. } = ladder;
    if players.is_empty() {
        return Vec::new();
    }
    let stored = players.iter().filter_map(|player| Some((player.wls?, player.stored?)));
    let (mut same, mut all, mut worst) = (0, 0, 0.0_f64);
    for ([elo, error], [stored_elo, stored_error]) in stored {
        all += 1;
        same += usize::from(elo.trunc() == stored_elo);
        worst = worst.max((error / stored_error - 1.0).abs());
    }
    let share = 100.0 * *draws as f64 / (*games).max(1) as f64;
    let n = players.len();
    let stored = (all > 0).then(|| {
        format!(
            "The paper's estimator yields {same} of the {all} ratings that the authors stored (cut to whole \
             numbers). The largest relative difference of a standard error is {worst:.0e}."
        )
    });
    let results = format!("Published results: {n} players, {pairs} pairs of them, {games} games, {share:.1} % drawn.");
    std::iter::once(results).chain(stored).collect()
}

/// The hours of training and self-play of a stage by run and iteration; empty if its job has no result.
pub fn hours(facts: &[Fact<'_>]) -> Hours {
    let own = facts.first().and_then(|fact| fact.result());
    if let Some(JobResult::Hours(hours)) = own { hours.clone() } else { Hours::default() }
}

/// A number above 0, rounded to two significant digits.
fn two_digits(number: f64) -> f64 {
    let unit = 10f64.powf(number.max(1.0).log10().floor() - 1.0);
    (number / unit).round() * unit
}

/// A standard error over games.
fn band(size: f64) -> Spread {
    Spread { size, kind: ErrorKind::TwoSigma }
}

/// A rating as a point; its error is one standard error over games.
pub fn point(place: (&str, &str), rated: &Rated, rating: Option<Rating>, facts: &[Fact<'_>]) -> Point {
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

/// Puts a printed number beside a point, if there is one, judged against the combined errors.
pub fn beside(context: &Context<'_>, point: Point, value: Option<f64>, two_sigma: Option<f64>) -> Point {
    let Some(value) = value else { return point };
    let error = two_sigma.map(|width| band(width / 2.0));
    let verdict = Some(context.verdict(&point, value, error));
    Point { published: Some(Published { value, error, is_doubted: false }), verdict, ..point }
}

/// A panel of the rows from top to bottom, with series by name, mark, colour and column: diamonds are printed numbers, all
/// others measured ones. Bars are two standard errors.
pub fn sideways<const N: usize>(draft: &Draft, label: &str, series: [(&str, Mark, usize, usize); N]) -> Panel {
    let series = series.map(|(name, mark, colour, column)| {
        let vertex = |(row, point): (usize, &Point)| {
            let (x, error) = if mark == Mark::Diamond { point.printed() } else { point.measured() }?;
            let [low, high] = [-2.0, 2.0].map(|width| error.map(|error| x + width * error));
            Some(Vertex { low, high, ..Vertex::at(x, row as f64) })
        };
        Series::new(name, mark, colour, draft.column(column).filter_map(vertex))
    });
    let names: Vec<String> = draft.rows.iter().map(|(name, _)| name.clone()).collect();
    Panel::new("", Axis::linear(label), Axis::categories("", names), series)
}
