//! Laws of the estimators over random tables: spans of up to 2,000 Elo, no draws to draws alone, sparse and one-sided
//! pairs, priors, anchors, and advantages given and fitted.
//!
//! Values and errors are those of [`plain`](super::plain); no difference depends on an anchor, its rating, a mean, or
//! the order of players and rows; and more games of the same results divide variances correspondingly.

use super::plain::{self, Model, Plain};
use gauntlet_games::base::{Rng, Seed};
use gauntlet_ratings::bradley_terry::{Advantage, BradleyTerry, Draws, ErrorSource, Fit, FitError};
use gauntlet_ratings::compare::{EloEstimate, expected_score};
use gauntlet_ratings::{GameResult, Ladder, MatchTable, Tally};
use rand::RngExt as _;

/// A game or pair of games, from the point of view of the first player.
#[derive(Clone, Copy)]
pub struct Entry {
    pub players: [usize; 2],
    pub results: [GameResult; 2],
    /// A pair, a game with known colours, or a game without.
    pub kind: usize,
}

pub const TABLES: u64 = 10_000;

/// The entries of a random tournament.
pub fn tournament(rng: &mut Rng) -> (usize, Vec<Entry>) {
    let n = rng.random_range(2..8);
    let span = [100.0, 400.0, 1000.0, 2000.0][rng.random_range(0..4)];
    let drawishness: f64 = [0.0, 0.3, 0.9, 1.0][rng.random_range(0..4)];
    let density = rng.random_range(0.3..1.0);
    let (most, kinds) = (rng.random_range(1..40), rng.random_range(1..4));
    let truth: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..span)).collect();
    let mut entries = Vec::new();
    for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let games = if rng.random_bool(density) { rng.random_range(0..=most) } else { 0 };
        let p = expected_score(truth[a] - truth[b]);
        // At a drawishness of 1 nearly every game between equals is drawn.
        let draw = drawishness * 2.0 * p.min(1.0 - p);
        let mut result = || match rng.random::<f64>() {
            luck if luck < p - 0.5 * draw => GameResult::Win,
            luck if luck < p + 0.5 * draw => GameResult::Draw,
            _ => GameResult::Loss,
        };
        let results: Vec<[GameResult; 2]> = (0..games).map(|_| [result(), result()]).collect();
        let players = if rng.random_bool(0.5) { [a, b] } else { [b, a] };
        let entry = |results| Entry { players, results, kind: rng.random_range(0..kinds) };
        entries.extend(results.into_iter().map(entry));
    }
    (n, entries)
}

/// A table of these entries, each repeated `times` times, for renamed players.
pub fn table(n: usize, entries: &[Entry], times: u64, rename: impl Fn(usize) -> usize) -> MatchTable {
    let mut table = MatchTable::new(n);
    for Entry { players, results, kind } in entries {
        let [a, b] = players.map(&rename);
        let tally = match results[0] {
            GameResult::Win => Tally::new(times, 0, 0),
            GameResult::Draw => Tally::new(0, times, 0),
            GameResult::Loss => Tally::new(0, 0, times),
        };
        match kind {
            0 => (0..times).for_each(|_| table.add_pair(a, b, *results).expect("two players")),
            1 => table.add_coloured(a, b, tally).expect("two players"),
            _ => table.add(a, b, tally).expect("two players"),
        }
    }
    table
}

fn settings(rng: &mut Rng, n: usize) -> BradleyTerry {
    let prior = if rng.random_bool(0.4) { rng.random_range(0.01..4.0) } else { 0.0 };
    let draws = if rng.random_bool(0.3) { Draws::RaoKupper(rng.random_range(20.0..300.0)) } else { Draws::HalfWin };
    let advantage = match rng.random_range(0..3) {
        0 => Advantage::Fixed(0.0),
        1 => Advantage::Fixed(rng.random_range(-200.0..200.0)),
        _ => Advantage::Fitted,
    };
    let errors = if rng.random_bool(0.5) { ErrorSource::Fisher } else { ErrorSource::Sandwich };
    let anchors = (0..rng.random_range(0..3)).map(|k| (k, rng.random_range(0.0..2000.0))).take(n).collect();
    BradleyTerry { mean: rng.random_range(-3000.0..3000.0), draws, advantage, prior, anchors, errors }
}

fn model<'a>(how: &'a BradleyTerry, table: &'a MatchTable) -> Model<'a> {
    let advantage = if let Advantage::Fixed(elo) = how.advantage { Some(elo) } else { None };
    let sandwich = how.errors == ErrorSource::Sandwich;
    Model { table, draws: how.draws, prior: how.prior, advantage, anchors: &how.anchors, sandwich }
}

/// Whether two differences are equal: the values within a millionth of the error.
pub fn same(one: Option<EloEstimate>, other: Option<EloEstimate>) -> bool {
    let errors = |one: EloEstimate, other: EloEstimate| match (one.error, other.error) {
        (Some(one), Some(other)) => (one / other - 1.0).abs() < 1e-6,
        (one, other) => one == other,
    };
    match (one, other) {
        (Some(one), Some(other)) => {
            (one.elo - other.elo).abs() <= 1e-6 * (1.0 + one.error.unwrap_or(0.0)) && errors(one, other)
        }
        (one, other) => one == other,
    }
}

fn differences(ladder: &Ladder) -> Vec<Option<EloEstimate>> {
    let n = ladder.n_players();
    (0..n * n).map(|k| ladder.difference(k / n, k % n)).collect()
}

/// Every difference of two ladders, of which the second has renamed players.
pub fn assert_same(one: &Ladder, other: &Ladder, rename: impl Fn(usize) -> usize, what: &str) {
    for (k, found) in differences(one).into_iter().enumerate() {
        let (a, b) = (k / one.n_players(), k % one.n_players());
        let again = other.difference(rename(a), rename(b));
        assert!(same(found, again), "{what}: {a} {b} {found:?} {again:?}");
    }
}

fn assert_plain(fit: &Fit, plain: &Plain, what: &str) {
    let n = fit.ladder.n_players();
    for (k, found) in differences(&fit.ladder).into_iter().enumerate() {
        let (a, b) = (k / n, k % n);
        let c = &plain.covariance;
        let variance = c[a][a] + c[b][b] - c[a][b] - c[b][a];
        let error = (variance > 1e-9).then(|| variance.sqrt());
        let expected = EloEstimate { elo: plain.elo[a] - plain.elo[b], error };
        let expected = (a != b && plain.groups[a] == plain.groups[b]).then_some(expected);
        assert!(same(found, expected), "{what}: {a} {b} {found:?} {expected:?}");
    }
    let error = Some(plain.covariance[n][n]).filter(|variance| *variance > 1e-9).map(f64::sqrt);
    let advantage = fit.advantage.map(|_| EloEstimate { elo: plain.elo[n], error });
    assert!(same(fit.advantage, advantage), "{what}: {:?} {advantage:?}", fit.advantage);
}

/// The expected error of a fit, if any.
fn failure(how: &BradleyTerry, table: &MatchTable) -> Option<FitError> {
    let groups = plain::groups(table, how.prior == 0.0, &how.anchors);
    let is_coloured = table
        .meetings()
        .filter(|meeting| groups[meeting.a] == groups[meeting.b])
        .any(|meeting| meeting.by_colour()[..2].iter().any(|tally| tally.games() > 0));
    if how.advantage != Advantage::Fitted || how.prior > 0.0 || !is_coloured {
        return None;
    }
    match plain::runs(table, &groups, &how.anchors) {
        [false, false] => None,
        [true, true] => Some(FitError::Inseparable),
        _ => Some(FitError::Unbounded),
    }
}

#[test]
fn likelihoods_have_the_maximum_and_the_errors_of_the_textbook() {
    let (mut fits, mut refused) = (0, 0);
    for round in 0..TABLES {
        let mut rng = Seed::new(101).child("table", round).rng();
        let (n, entries) = tournament(&mut rng);
        let (how, table) = (settings(&mut rng, n), table(n, &entries, 1, |k| k));
        let what = format!("{round}: {how:?}");
        match (how.fit(&table), failure(&how, &table)) {
            (Ok(fit), None) => {
                assert_plain(&fit, &model(&how, &table).fit(), &what);
                fits += 1;
            }
            (found, expected) => {
                assert_eq!(found.err(), expected, "{what}");
                refused += 1;
            }
        }
    }
    eprintln!("{fits} fits, {refused} refused");
    assert!(fits > 8000 && refused > 50);
}

#[test]
fn differences_depend_on_no_anchor_no_mean_and_no_order() {
    for round in 0..TABLES {
        let mut rng = Seed::new(102).child("table", round).rng();
        let (n, entries) = tournament(&mut rng);
        let (how, plain) = (settings(&mut rng, n), table(n, &entries, 1, |k| k));
        let free = BradleyTerry { anchors: Vec::new(), ..how.clone() };
        let Ok(fit) = free.fit(&plain) else { continue };
        let far = 10_f64.powf(rng.random_range(0.0..6.0)) * if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let what = format!("{round} {far}: {how:?}");

        let moved = BradleyTerry { mean: far, ..free.clone() }.fit(&plain).expect(&what);
        assert_same(&fit.ladder, &moved.ladder, |k| k, &what);
        let anchor = rng.random_range(0..n);
        let held = BradleyTerry { anchors: vec![(anchor, far)], ..free.clone() }.fit(&plain).expect(&what).ladder;
        assert_same(&fit.ladder, &held, |k| k, &what);
        assert!(
            held.rating(anchor).is_none_or(|rating| rating == far) && held.error(anchor).is_none(),
            "{what} {:?}",
            held.estimate(anchor)
        );

        let mut rows = entries.clone();
        rows.reverse();
        let turned = free.fit(&table(n, &rows, 1, |k| n - 1 - k)).expect(&what);
        assert_same(&fit.ladder, &turned.ladder, |k| n - 1 - k, &what);
        assert!(same(fit.advantage, turned.advantage), "{what}");
    }
}

#[test]
fn the_same_games_again_divide_variances() {
    for round in 0..TABLES / 4 {
        let mut rng = Seed::new(103).child("table", round).rng();
        let (n, entries) = tournament(&mut rng);
        let how = BradleyTerry { prior: 0.0, errors: ErrorSource::Fisher, ..settings(&mut rng, n) };
        let times = rng.random_range(2..50);
        let Ok(fit) = how.fit(&table(n, &entries, 1, |k| k)) else { continue };
        let more = how.fit(&table(n, &entries, times, |k| k)).expect("the same maximum");
        let divided =
            |found: EloEstimate| EloEstimate { error: found.error.map(|error| error / (times as f64).sqrt()), ..found };
        for (one, other) in differences(&fit.ladder).into_iter().zip(differences(&more.ladder)) {
            assert!(same(one.map(divided), other), "{round} {how:?}: {times} {one:?} {other:?}");
        }
        assert!(same(fit.advantage.map(divided), more.advantage), "{round} {how:?}");
        let sandwich = BradleyTerry { errors: ErrorSource::Sandwich, ..how.clone() };
        let many = table(n, &entries, times, |k| k);
        assert_plain(&sandwich.fit(&many).expect("the same"), &model(&sandwich, &many).fit(), "sandwich");
    }
}
