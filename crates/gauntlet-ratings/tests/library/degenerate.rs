//! Tests of uninformative results: every estimator has a defined result, and no error is ever 0 or infinite.

use gauntlet_ratings::bradley_terry::{self, Advantage, BradleyTerry, Draws, FitError};
use gauntlet_ratings::compare::ELO_PER_LOGIT;
use gauntlet_ratings::wls::{Errors, anchored_wls, wls};
use gauntlet_ratings::{GameResult, Ladder, MatchTable, Tally};

fn table(n_players: usize, rows: &[(usize, usize, [u64; 3])]) -> MatchTable {
    let mut table = MatchTable::new(n_players);
    for &(a, b, [wins, draws, losses]) in rows {
        table.add(a, b, Tally::new(wins, draws, losses)).expect("the rows are fine");
    }
    table
}

fn likeliest(table: &MatchTable) -> Ladder {
    BradleyTerry::default().fit(table).expect("no shared parameters").ladder
}

fn with_prior(table: &MatchTable) -> Ladder {
    BradleyTerry { prior: 2.0, ..BradleyTerry::default() }.fit(table).expect("no shared parameters").ladder
}

fn least_squares(table: &MatchTable) -> [Ladder; 2] {
    [Errors::FixedScale, Errors::ResidualScaled].map(|errors| wls(table, errors, 1000.0))
}

fn all(table: &MatchTable) -> Vec<Ladder> {
    let [fixed, scaled] = least_squares(table);
    vec![likeliest(table), with_prior(table), fixed, scaled]
}

/// Checks that every number of a ladder is finite.
fn assert_proper(ladder: &Ladder) {
    for a in 0..ladder.n_players() {
        assert!(ladder.rating(a).is_none_or(f64::is_finite));
        assert!(ladder.error(a).is_none_or(|error| error.is_normal() && error > 0.1), "{a} {:?}", ladder.error(a));
        for b in 0..ladder.n_players() {
            let error = ladder.difference(a, b).and_then(|difference| difference.error);
            assert!(error.is_none_or(|error| error.is_normal() && error > 0.1), "{a} {b} {error:?}");
        }
    }
}

#[test]
fn nobody_and_nothing() {
    for table in [table(0, &[]), table(3, &[]), table(3, &[(0, 1, [0, 0, 0])])] {
        for ladder in all(&table) {
            assert!(ladder.groups().is_empty() && !ladder.is_complete());
            assert_eq!(ladder.n_players(), table.n_players());
        }
    }
}

#[test]
fn disconnected_groups_stand_apart() {
    for ladder in all(&table(4, &[(0, 1, [30, 10, 20]), (2, 3, [50, 5, 5])])) {
        assert_proper(&ladder);
        assert_eq!(ladder.groups().len(), 2);
        assert_eq!((ladder.difference(0, 2), ladder.is_complete()), (None, false));
        for group in ladder.groups() {
            assert!((group.ratings.iter().sum::<f64>() - 2000.0).abs() < 1e-9);
        }
    }
}

#[test]
fn isolated_players_get_no_rating() {
    for ladder in all(&table(4, &[(0, 1, [30, 10, 20]), (0, 2, [40, 10, 10]), (1, 2, [33, 14, 13]), (2, 3, [0, 0, 0])]))
    {
        assert_proper(&ladder);
        assert_eq!((ladder.rating(3), ladder.error(3), ladder.group_of(3)), (None, None, None));
        assert!(ladder.rating(0).is_some() && ladder.groups()[0].df == 1);
    }
}

#[test]
fn two_players_and_trees_have_no_residuals() {
    let star = table(4, &[(0, 1, [40, 0, 20]), (0, 2, [30, 10, 20]), (0, 3, [10, 10, 40])]);
    for table in [table(2, &[(0, 1, [40, 0, 20])]), star] {
        let [fixed, scaled] = least_squares(&table);
        let likeliest = likeliest(&table);
        assert_proper(&fixed);
        assert_proper(&likeliest);
        assert_eq!((scaled.groups()[0].df, scaled.error(0)), (0, None));
        assert!(fixed.error(0).is_some() && likeliest.error(0).is_some());
        assert_eq!(fixed.rating(0), scaled.rating(0));
    }
}

#[test]
fn all_draws_are_equality_with_doubt() {
    let table = table(3, &[(0, 1, [0, 60, 0]), (0, 2, [0, 60, 0]), (1, 2, [0, 60, 0])]);
    let [fixed, scaled] = least_squares(&table);
    for ladder in [&likeliest(&table), &with_prior(&table), &fixed] {
        assert_proper(ladder);
        assert!((0..3).all(|player| (ladder.rating(player).expect("linked") - 1000.0).abs() < 1e-9));
        assert!(ladder.error(0).is_some());
    }
    // The meetings fit together perfectly, which gives no estimate of the error.
    assert_eq!(scaled.error(0), None);
}

#[test]
fn perfect_scores_are_out_of_reach_without_a_prior() {
    let table = table(3, &[(0, 1, [60, 0, 0]), (0, 2, [60, 0, 0]), (1, 2, [33, 14, 13])]);
    let ladder = likeliest(&table);
    assert_proper(&ladder);
    assert_eq!((ladder.rating(0), ladder.group_of(1)), (None, Some(0)));
    assert!((ladder.difference(1, 2).expect("linked").elo - 120.41).abs() < 0.01);
    for ladder in [with_prior(&table), least_squares(&table)[0].clone()] {
        assert_proper(&ladder);
        assert!(ladder.is_complete() && ladder.difference(0, 1).expect("linked").elo > 500.0);
    }
}

#[test]
fn one_game_each_says_next_to_nothing() {
    let table = table(3, &[(0, 1, [1, 0, 0]), (0, 2, [0, 1, 0]), (1, 2, [0, 0, 1])]);
    let ladder = likeliest(&table);
    assert_proper(&ladder);
    // Player 1 lost everything; the two others drew.
    assert_eq!((ladder.rating(1), ladder.rating(0)), (None, Some(1000.0)));
    assert!(ladder.error(0).expect("one draw") > 50.0);
    assert_proper(&with_prior(&table));
    assert_eq!(least_squares(&table)[1].error(0), None);
}

#[test]
fn rock_paper_scissors_is_three_equals() {
    for ladder in all(&table(3, &[(0, 1, [50, 0, 10]), (1, 2, [50, 0, 10]), (2, 0, [50, 0, 10])])) {
        assert_proper(&ladder);
        assert!((0..3).all(|player| (ladder.rating(player).expect("linked") - 1000.0).abs() < 1e-9));
    }
}

#[test]
fn anchors_hold() {
    let table = table(4, &[(0, 1, [30, 10, 20]), (1, 2, [30, 10, 20]), (2, 3, [60, 0, 0])]);
    let fit =
        |anchors: &[(usize, f64)]| BradleyTerry { anchors: anchors.to_vec(), ..BradleyTerry::default() }.fit(&table);
    let free = likeliest(&table);
    let one = fit(&[(0, 1500.0)]).expect("fine").ladder;
    assert_proper(&one);
    assert_eq!((one.rating(0), one.error(0)), (Some(1500.0), None));
    let [held, loose] = [&one, &free].map(|ladder| ladder.difference(0, 2).expect("linked"));
    assert!((held.elo - loose.elo).abs() < 1e-6 && (held.error.unwrap() / loose.error.unwrap() - 1.0).abs() < 0.02);
    // Two anchors contradict the games, and link a player whom the games do not link.
    let two = fit(&[(0, 1500.0), (3, 1000.0)]).expect("fine").ladder;
    assert_proper(&two);
    assert!(two.is_complete() && two.rating(2).expect("linked") > one.rating(2).expect("linked"));
    let all = fit(&[(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]).expect("fine").ladder;
    assert_eq!((all.rating(3), all.error(3), all.difference(3, 0).expect("linked").error), (Some(4.0), None, None));
    for bad in [&[(4, 0.0)][..], &[(1, f64::NAN)], &[(1, 0.0), (1, 5.0)]] {
        assert!(matches!(fit(bad), Err(FitError::BadAnchor(_))));
    }
}

#[test]
fn errors_of_least_squares_shrink_as_results_are_added() {
    let rows = |times: u64| {
        [(0, 1, [30, 10, 20]), (1, 2, [30, 10, 20]), (2, 3, [40, 0, 20]), (0, 3, [50, 5, 5])]
            .map(|(a, b, counts)| (a, b, counts.map(|count| times * count)))
    };
    let error =
        |times, errors| anchored_wls(&table(4, &rows(times)), errors, 0.0, &[(0, 0.0)]).error(2).expect("linked");
    assert!((error(1, Errors::FixedScale) / error(10, Errors::FixedScale) - 10.0_f64.sqrt()).abs() < 0.05);
    // The error of the paper does not.
    assert!((error(1, Errors::ResidualScaled) / error(10, Errors::ResidualScaled) - 1.0).abs() < 0.1);
}

#[test]
fn anchors_hold_least_squares_too() {
    let table = table(4, &[(0, 1, [30, 10, 20]), (1, 2, [30, 10, 20]), (2, 3, [60, 0, 0])]);
    let fit = |anchors: &[(usize, f64)]| anchored_wls(&table, Errors::FixedScale, 1000.0, anchors);
    let (free, one) = (fit(&[]), fit(&[(0, 1500.0)]));
    assert_proper(&one);
    assert_eq!((one.rating(0), one.error(0), one.groups()[0].df), (Some(1500.0), None, 0));
    for player in 1..4 {
        let (loose, held) = (free.difference(player, 0).expect("linked"), one.estimate(player).expect("linked"));
        assert!(
            (loose.elo - (held.elo - 1500.0)).abs() < 1e-6
                && (loose.error.unwrap() / held.error.unwrap() - 1.0).abs() < 1e-9
        );
    }
    // Two anchors contradict the games; anchors for all players leave nothing to rate.
    let two = fit(&[(0, 1500.0), (3, 1000.0)]);
    assert!(two.rating(2) > one.rating(2) && two.rating(3) == Some(1000.0) && two.groups()[0].df == 1);
    assert_eq!(fit(&[(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]).error(3), None);
    // Another zero changes ratings and errors, but no difference.
    let moved = free.centred_on(0.0, |player| player < 2);
    assert!((moved.rating(0).unwrap() + moved.rating(1).unwrap()).abs() < 1e-9);
    let [loose, same] = [&free, &moved].map(|ladder| ladder.difference(1, 3).expect("linked"));
    assert!((loose.elo - same.elo).abs() < 1e-9 && (loose.error.unwrap() - same.error.unwrap()).abs() < 1e-9);
    let half = free.difference(0, 1).expect("linked").error.unwrap() / 2.0;
    assert!(
        (moved.error(0).unwrap() - half).abs() < 1e-9,
        "against the middle of two, half of their difference's error"
    );
}

/// Players who each met five earlier ones, always with the same results.
fn crowd(n_players: usize, results: Tally) -> MatchTable {
    let mut table = MatchTable::new(n_players);
    for newcomer in 1..n_players {
        for k in 0..newcomer.min(5) {
            let opponent = (newcomer * 7919 + k * 104_729) % newcomer;
            table.add(newcomer, opponent, results).expect("two players");
        }
    }
    table
}

#[test]
fn a_crowd_whose_matrices_fit_in_no_memory_has_errors() {
    let table = crowd(11_000, Tally::new(2, 1, 2));
    for ladder in [likeliest(&table), least_squares(&table)[0].clone()] {
        let (veteran, newcomer) = (ladder.error(0).expect("an error"), ladder.error(10_999).expect("an error"));
        assert!(1.0 < veteran && veteran < newcomer && newcomer < 400.0, "{veteran} {newcomer}");
    }
}

#[test]
fn errors_of_a_crowd_are_those_of_each_and_halve_with_four_times_the_games() {
    let [once, often] = [1, 4].map(|times| crowd(2_100, Tally::new(2 * times, times, times)));
    let fisher = BradleyTerry { errors: bradley_terry::ErrorSource::Fisher, ..BradleyTerry::default() };
    let [once, often] = [once, often].map(|table| fisher.fit(&table).expect("no shared parameters").ladder);
    let told = std::sync::atomic::AtomicUsize::new(0);
    let errors = once.errors(&|players| {
        told.fetch_add(players, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!((told.into_inner(), errors.len()), (2_100, 2_100));
    for (player, error) in errors.iter().enumerate().step_by(97) {
        assert_eq!(*error, once.error(player));
        let ratio = error.expect("an error") / often.error(player).expect("an error");
        assert!((ratio - 2.0).abs() < 1e-6, "{player}: {ratio}");
    }
}

#[test]
fn impossible_settings_are_refused() {
    let table = table(2, &[(0, 1, [1, 1, 1])]);
    let settings = |draws, prior| BradleyTerry { draws, prior, ..BradleyTerry::default() };
    for bad in [settings(Draws::HalfWin, -1.0), settings(Draws::RaoKupper(0.0), 0.0)] {
        assert!(matches!(bad.fit(&table), Err(FitError::BadSetting(_))));
    }
}

#[test]
fn whoever_moves_first_always_wins() {
    let mut table = MatchTable::new(2);
    (0..20).for_each(|_| table.add_pair(0, 1, [GameResult::Win, GameResult::Loss]).expect("fine"));
    let fitted = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    assert_eq!(fitted.fit(&table).err(), Some(FitError::Unbounded));
    // Without an advantage the pairs are all 1-1: equal players, with smaller errors than from 40 coin flips.
    let ladder = likeliest(&table);
    assert_proper(&ladder);
    assert_eq!(ladder.rating(0), Some(1000.0));
    assert!(ladder.error(0).expect("played") < 10.0);
}

#[test]
fn an_advantage_without_colours_is_not_fitted() {
    let fitted = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    let fit = fitted.fit(&table(2, &[(0, 1, [5, 1, 3])])).expect("fine");
    assert_eq!(fit.advantage, None);
    assert_proper(&fit.ladder);
}

#[test]
fn a_sweep_with_a_prior_is_as_uncertain_as_its_posterior() {
    // The curvature of n wins and two virtual draws at their maximum, p = (n + 1) / (n + 2).
    for n in [1, 10, 50, 1000] {
        let ladder = with_prior(&table(2, &[(0, 1, [n, 0, 0])]));
        let p = (n as f64 + 1.0) / (n as f64 + 2.0);
        let error = ELO_PER_LOGIT / ((n as f64 + 2.0) * p * (1.0 - p)).sqrt();
        let found = ladder.difference(0, 1).and_then(|found| found.error).expect("a prior rates both");
        // A single game counts as two, as a unit is fitted.
        assert!(found > error * (1.0 - 1e-9) && (n == 1 || found < error * (1.0 + 1e-9)), "{n}: {found} {error}");
        // One loss tells more.
        let mixed = with_prior(&table(2, &[(0, 1, [n, 0, 1])])).difference(0, 1).and_then(|found| found.error);
        assert!(mixed.expect("it has one") < found, "{n}");
    }
}

#[test]
fn intervals_with_a_prior_cover_a_far_stronger_player() {
    // Twenty games, by the binomial distribution; the prior's pull costs some coverage.
    for (elo, least) in [(0.0, 0.93), (400.0, 0.89), (600.0, 0.87)] {
        let p = 1.0 / (1.0 + (-elo / ELO_PER_LOGIT).exp());
        let mut chance = (1.0_f64 - p).powi(20);
        let mut covered = 0.0;
        for won in 0..=20_u64 {
            let found = with_prior(&table(2, &[(0, 1, [won, 0, 20 - won])])).difference(0, 1).expect("rated");
            let is_covered = (found.elo - elo).abs() <= 1.96 * found.error.expect("it has one");
            covered += if is_covered { chance } else { 0.0 };
            chance *= (20 - won) as f64 / (won + 1) as f64 * p / (1.0 - p);
        }
        assert!(covered > least, "{elo}: {covered}");
    }
}

#[test]
fn the_advantage_has_its_whole_error() {
    // A circle of 19 players, each with white against the next nine; it beats six of them. Colours and ratings are
    // orthogonal, and all players are equal.
    let mut circle = MatchTable::new(19);
    for white in 0..19 {
        for step in 1..=9 {
            let tally = if step <= 6 { Tally::new(1, 0, 0) } else { Tally::new(0, 0, 1) };
            circle.add_coloured(white, (white + step) % 19, tally).expect("two players");
        }
    }
    let fitted = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    let error = fitted.fit(&circle).expect("a maximum").advantage.and_then(|found| found.error).expect("it has one");
    let (games, parameters, p) = (171.0_f64, 20.0, 2.0 / 3.0);
    let expected = ELO_PER_LOGIT / (games * p * (1.0 - p)).sqrt() * (games / (games - parameters)).sqrt();
    assert!((error / expected - 1.0).abs() < 1e-9, "{error} {expected}");
}

#[test]
fn errors_of_a_group_do_not_depend_on_other_groups() {
    let alone = likeliest(&table(2, &[(0, 1, [1, 0, 3])]));
    let beside = likeliest(&table(4, &[(0, 1, [1, 0, 3]), (2, 3, [5000, 0, 5000])]));
    assert_eq!((alone.estimate(0), alone.estimate(1)), (beside.estimate(0), beside.estimate(1)));
}

#[test]
fn an_anchor_without_links_has_its_rating() {
    let games = table(3, &[(0, 1, [1, 0, 0])]);
    let anchored = BradleyTerry { anchors: vec![(0, 2000.0)], ..BradleyTerry::default() };
    let ladder = anchored.fit(&games).expect("nothing is fitted").ladder;
    assert_eq!([ladder.rating(0), ladder.rating(1), ladder.rating(2)], [Some(2000.0), None, None]);
    assert_eq!(ladder.error(0), None);
}
