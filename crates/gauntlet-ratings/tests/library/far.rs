//! Tests of ladders whose maximum lies far from the starting point, and of those without a reachable maximum.

use gauntlet_games::base::Seed;
use gauntlet_ratings::bradley_terry::{Advantage, BradleyTerry, Draws, FitError, LARGEST_RATING};
use gauntlet_ratings::compare::ELO_PER_LOGIT;
use gauntlet_ratings::compare::{elo_of_score, residuals};
use gauntlet_ratings::{GameResult, Ladder, MatchTable, Tally};
use rand::RngExt as _;

fn table(n_players: usize, rows: &[(usize, usize, [u64; 3])]) -> MatchTable {
    let mut table = MatchTable::new(n_players);
    for &(a, b, [wins, draws, losses]) in rows {
        table.add(a, b, Tally::new(wins, draws, losses)).expect("the rows are fine");
    }
    table
}

fn anchored(anchors: &[(usize, f64)]) -> BradleyTerry {
    BradleyTerry { anchors: anchors.to_vec(), ..BradleyTerry::default() }
}

/// A match with 82 losses and only 10 draws, all as second player, as between engines of very different strength.
#[test]
fn one_difference_is_the_same_from_every_anchor() {
    let mut games = MatchTable::new(2);
    for k in 0..82 {
        let second = if k < 10 { GameResult::Draw } else { GameResult::Loss };
        games.add_pair(0, 1, [GameResult::Loss, second]).expect("two players");
    }
    let expected = elo_of_score(5.0 / 164.0);
    assert!((expected + 601.0).abs() < 0.1);
    for (player, sign) in [(0, -1.0), (1, 1.0)] {
        for anchor in [0.0, 1000.0, -2500.0, 40_000.0, -1e6, 1e9] {
            let ladder = anchored(&[(player, anchor)]).fit(&games).expect("one difference").ladder;
            let found = sign * (ladder.rating(1 - player).unwrap() - anchor);
            assert!((found - expected).abs() < 1e-9 * (1.0 + anchor.abs()), "{anchor}: {found}");
            assert_eq!(ladder.rating(player), Some(anchor));
        }
    }
}

/// Eight players, each of whom scores 24 % against the next, and against others as this implies.
fn steps() -> MatchTable {
    let counts = [[48, 0, 152], [18, 0, 182], [6, 0, 194], [2, 0, 198], [1, 0, 199], [0, 0, 200], [0, 0, 200]];
    let pairs = (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b, counts[b - a - 1])));
    table(8, &pairs.collect::<Vec<_>>())
}

#[test]
fn a_ladder_of_steps_is_the_same_from_every_anchor() {
    let free = BradleyTerry::default().fit(&steps()).expect("a maximum").ladder;
    for player in 0..8 {
        for rating in [0.0, 1000.0, -20_000.0] {
            let held = anchored(&[(player, rating)]).fit(&steps()).expect("the same maximum").ladder;
            for other in (0..8).filter(|&other| other != player) {
                let [one, two] = [&free, &held].map(|ladder| ladder.difference(other, player).unwrap());
                assert!(
                    (one.elo - two.elo).abs() < 1e-7 && (one.error.unwrap() / two.error.unwrap() - 1.0).abs() < 1e-8
                );
            }
        }
    }
}

#[test]
fn anchors_far_apart_are_met_in_the_middle_or_not_at_all() {
    // Equally many wins over the lower player and losses to the upper one: half way between them.
    let between = table(3, &[(0, 1, [20, 0, 0]), (0, 2, [0, 0, 20])]);
    for apart in [100.0, 3000.0, 20_000.0, 80_000.0] {
        let ladder = anchored(&[(1, 0.0), (2, apart)]).fit(&between).expect("a maximum").ladder;
        assert!((ladder.rating(0).unwrap() - 0.5 * apart).abs() < 1e-5, "{apart} {:?}", ladder.rating(0));
    }
    // Probabilities of e^-1000 are 0 in floating point, so ratings cannot be distinguished.
    assert_eq!(anchored(&[(1, 0.0), (2, 1e6)]).fit(&between).err(), Some(FitError::NotConverged));
    let crossed = table(3, &[(0, 1, [0, 0, 20]), (0, 2, [20, 0, 0])]);
    for apart in [100.0, 3000.0, 20_000.0] {
        let ladder = anchored(&[(1, 0.0), (2, apart)]).fit(&crossed).expect("a maximum").ladder;
        assert!((ladder.rating(0).unwrap() - 0.5 * apart).abs() < 1e-5, "{apart} {:?}", ladder.rating(0));
    }
}

#[test]
fn one_win_in_a_million_is_found() {
    for games in [1_000, 1_000_000, 1_000_000_000_000] {
        let chain = table(4, &[(0, 1, [1, 0, games]), (1, 2, [1, 0, games]), (2, 3, [1, 0, games])]);
        let step = elo_of_score(1.0 / (games as f64 + 1.0));
        for settings in [BradleyTerry::default(), anchored(&[(3, 0.0)])] {
            let ladder = settings.fit(&chain).expect("a maximum").ladder;
            let found = ladder.difference(0, 3).unwrap();
            assert!((found.elo / (3.0 * step) - 1.0).abs() < 1e-9 && found.error.unwrap() > 100.0, "{games} {found:?}");
        }
    }
}

#[test]
fn settings_beyond_reach_are_refused_and_none_diverges() {
    let games = table(3, &[(0, 1, [20, 3, 10]), (1, 2, [5, 5, 5])]);
    let with = |draws, advantage, prior| BradleyTerry { draws, advantage, prior, ..BradleyTerry::default() };
    let fixed = Advantage::Fixed;
    for (settings, expected) in [
        (with(Draws::HalfWin, fixed(2e9), 0.0), Some(FitError::BadSetting(2e9))),
        (with(Draws::RaoKupper(3e9), fixed(0.0), 0.0), Some(FitError::BadSetting(3e9))),
        (with(Draws::HalfWin, fixed(0.0), 1e300), Some(FitError::BadSetting(1e300))),
        (BradleyTerry { mean: -1e10, ..BradleyTerry::default() }, Some(FitError::BadSetting(-1e10))),
        (anchored(&[(0, 2.0 * LARGEST_RATING)]), Some(FitError::BadAnchor(0))),
        (with(Draws::HalfWin, fixed(-1e9), 0.0), None),
        (with(Draws::RaoKupper(1e4), fixed(0.0), 0.0), None),
        (with(Draws::RaoKupper(1e4), fixed(0.0), 10.0), None),
        (with(Draws::RaoKupper(1e4), fixed(0.0), 1e9), None),
    ] {
        let found = settings.fit(&games);
        assert_eq!(found.as_ref().err(), expected.as_ref(), "{settings:?}");
        assert!(
            found.is_err_and(|error| Some(error) == expected)
                || settings.fit(&games).is_ok_and(|fit| is_proper(&fit.ladder))
        );
    }
    // By the settings the first player wins for certain, but three games contradict this with their full weight.
    let mut coloured = games.clone();
    coloured.add_coloured(0, 1, Tally::new(3, 0, 3)).expect("two players");
    for advantage in [5e3, 1e9] {
        let ladder = with(Draws::HalfWin, fixed(advantage), 0.0).fit(&coloured).expect("a maximum").ladder;
        let expected = elo_of_score(18.5 / 33.0);
        assert!(is_proper(&ladder) && (ladder.difference(0, 1).unwrap().elo - expected).abs() < 1e-6, "{advantage}");
    }
}

fn is_proper(ladder: &Ladder) -> bool {
    (0..ladder.n_players())
        .filter_map(|player| ladder.estimate(player))
        .all(|found| found.elo.is_finite() && found.error.is_none_or(f64::is_normal))
}

/// Games without known colours, and their part of a prior, say nothing about the first move.
#[test]
fn an_advantage_changes_nothing_without_colours() {
    let games = table(3, &[(0, 1, [5, 0, 0]), (1, 2, [5, 5, 5])]);
    for draws in [Draws::HalfWin, Draws::RaoKupper(97.0)] {
        let fit = |elo: f64| {
            let advantage = Advantage::Fixed(elo);
            let settings = BradleyTerry { draws, advantage, prior: 2.0, ..BradleyTerry::default() };
            let ladder = settings.fit(&games).expect("a maximum").ladder;
            [0, 1, 2].map(|player| ladder.estimate(player).map(|found| (found.elo, found.error)))
        };
        for advantage in [-800.0, 35.0, 200.0, 5e3] {
            for (found, free) in fit(advantage).into_iter().zip(fit(0.0)) {
                let ((elo, error), (of, its)) = (found.expect("rated"), free.expect("rated"));
                let is_near = |one: f64, other: f64| (one - other).abs() < 1e-6;
                assert!(is_near(elo, of) && is_near(error.unwrap(), its.unwrap()), "{draws:?} {advantage}: {elo} {of}");
            }
        }
    }
}

#[test]
fn an_advantage_that_is_strength_as_well_is_no_estimate() {
    let fitted = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    let mut games = MatchTable::new(3);
    games.add_coloured(0, 1, Tally::new(10, 2, 5)).expect("two players");
    games.add_coloured(0, 2, Tally::new(8, 2, 5)).expect("two players");
    assert_eq!(fitted.fit(&games).err(), Some(FitError::Inseparable));
    assert!(BradleyTerry { prior: 0.5, ..fitted.clone() }.fit(&games).is_ok());
    // The first player always won or drew: a circle in which the advantage goes to infinity.
    let mut circle = MatchTable::new(3);
    [(0, 1), (1, 2), (2, 0)].iter().for_each(|&(a, b)| circle.add_coloured(a, b, Tally::new(5, 0, 0)).unwrap());
    assert_eq!(fitted.fit(&circle).err(), Some(FitError::Unbounded));
    circle.add_coloured(0, 1, Tally::new(0, 0, 1)).unwrap();
    assert_eq!(fitted.fit(&circle).err(), Some(FitError::Unbounded), "1 is better by two advantages");
    circle.add_coloured(1, 0, Tally::new(0, 0, 1)).unwrap();
    let fit = fitted.fit(&circle).expect("games the other way");
    assert!(fit.advantage.is_some_and(|found| found.elo > 0.0 && found.error.is_some_and(f64::is_normal)), "{fit:?}");
    // Draws alone give an advantage of 0, with the error of the virtual unit: M = 0.5 * 9 / 10 * 9 / 6, H = 4.5.
    let mut drawn = MatchTable::new(2);
    (0..9).for_each(|_| drawn.add_pair(0, 1, [GameResult::Draw; 2]).unwrap());
    let advantage = fitted.fit(&drawn).expect("a maximum").advantage.expect("colours are known");
    let error = 0.675_f64.sqrt() / 4.5 * ELO_PER_LOGIT;
    assert!(advantage.elo == 0.0 && (advantage.error.expect("has one") / error - 1.0).abs() < 1e-9, "{advantage:?}");
}

/// Thousands of players converge in reasonable time, with or without weak links.
#[test]
fn thousands_of_players_on_a_wide_ladder() {
    let n = 3000;
    let mut games = MatchTable::new(n);
    let mut rng = Seed::new(7).rng();
    for player in 1..n {
        let below = rng.random_range(player.saturating_sub(4)..player);
        games.add(player, below, Tally::new(rng.random_range(20..60), 3, 1)).expect("two players");
    }
    let start = std::time::Instant::now();
    let [free, held] =
        [BradleyTerry::default(), anchored(&[(0, 0.0)])].map(|how| how.fit(&games).expect("a maximum").ladder);
    eprintln!("{n} players in {:?}", start.elapsed());
    let [one, two] = [&free, &held].map(|ladder| ladder.difference(n - 1, 0).unwrap());
    assert!((one.elo / two.elo - 1.0).abs() < 1e-9 && one.elo > 10_000.0, "{one:?} {two:?}");
    assert!(residuals(&free, &games).iter().all(|residual| residual.z.is_finite()));
}
