//! Tests that 95 % intervals cover the truth in 95 % of simulated games, runs and tournaments, for every interval
//! that reports and `gauntlet rate` print (order statistics, and Clopper and
//! Pearson's: `src/intervals.rs` of this crate; SPRT: `src/stopped.rs`; equivalence: `equivalence.rs`). The bounds are
//! at least three standard errors of a share of this number of rounds away from the result of many more rounds.
//!
//! Ratings: a round robin of ten evenly spaced players with 60 games in 30 pairs per match. The expected score is the
//! logistic `p` of the rating difference; a game is drawn with probability `drawishness * 2 min(p, 1 - p)`, where 1
//! is the maximum that `p` allows. In three of ten pairs the second game mirrors the luck of the first, as with a
//! lopsided opening. The number of tournaments a case is 450, or the value of `COVERAGE_ROUNDS`.

use gauntlet_games::base::{Rng, Seed};
use gauntlet_ratings::bootstrap::{BootstrapSettings, bootstrap};
use gauntlet_ratings::bradley_terry::{Advantage, BradleyTerry};
use gauntlet_ratings::compare::expected_score;
use gauntlet_ratings::correlation::pearson;
use gauntlet_ratings::intervals::{student_t, wilson};
use gauntlet_ratings::wls::{Errors, anchored_wls};
use gauntlet_ratings::{GameResult, Ladder, MatchTable, MeanScore, Tally, WinMatrix};
use rand::RngExt as _;

const PLAYERS: usize = 10;
const PAIRS: usize = 30;

fn rounds() -> u64 {
    std::env::var("COVERAGE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(450)
}

struct Case {
    /// Rating difference of the best and the worst player.
    span: f64,
    drawishness: f64,
    /// Elo for moving first.
    advantage: f64,
    /// The share of pairs of games whose opening decides both.
    mirrored: f64,
}

/// A realistic tournament: the opening decides three pairs of ten.
const USUAL: Case = Case { span: 720.0, drawishness: 0.35, advantage: 0.0, mirrored: 0.3 };

impl Case {
    fn truth(&self, player: usize) -> f64 {
        self.span * (player as f64 / (PLAYERS - 1) as f64 - 0.5)
    }

    /// The result of a game for the player who moves first and is `elo` stronger, for `luck` in `[0, 1)`: low is
    /// good.
    fn result(&self, elo: f64, luck: f64) -> GameResult {
        let p = expected_score(elo + self.advantage);
        let draw = self.drawishness * 2.0 * p.min(1.0 - p);
        match luck {
            _ if luck < p - 0.5 * draw => GameResult::Win,
            _ if luck < p + 0.5 * draw => GameResult::Draw,
            _ => GameResult::Loss,
        }
    }

    fn tournament(&self, rng: &mut Rng) -> MatchTable {
        let mut table = MatchTable::new(PLAYERS);
        self.add_tournament(&mut table, rng);
        table
    }

    fn add_tournament(&self, table: &mut MatchTable, rng: &mut Rng) {
        for (a, b) in (0..PLAYERS).flat_map(|a| (a + 1..PLAYERS).map(move |b| (a, b))) {
            let elo = self.truth(a) - self.truth(b);
            for _ in 0..PAIRS {
                let luck: f64 = rng.random();
                // The opening favours the same side again, which is now the other player.
                let again = if rng.random_bool(self.mirrored) { luck } else { rng.random() };
                let games = [self.result(elo, luck), self.result(-elo, again).reversed()];
                table.add_pair(a, b, games).expect("two different players");
            }
        }
    }

    /// Coverage of the intervals of ratings and of differences, over `rounds` tournaments.
    fn coverage(&self, estimator: &BradleyTerry, rounds: u64, seed: Seed) -> [f64; 2] {
        let (mut hits, mut tries) = ([0.0; 2], [0.0; 2]);
        for round in 0..rounds {
            let table = self.tournament(&mut seed.child("tournament", round).rng());
            let ladder = estimator.fit(&table).expect("advantages are moderate").ladder;
            for a in 0..PLAYERS {
                for b in 0..=a {
                    if let Some((kind, hit)) = self.covers(&ladder, a, b) {
                        hits[kind] += f64::from(u8::from(hit));
                        tries[kind] += 1.0;
                    }
                }
            }
        }
        [hits[0] / tries[0], hits[1] / tries[1]]
    }

    /// Whether the interval of a rating (`a == b`) or of a difference covers the truth.
    fn covers(&self, ladder: &Ladder, a: usize, b: usize) -> Option<(usize, bool)> {
        if a != b {
            let interval = ladder.difference(a, b)?.interval(0.95)?;
            return Some((1, interval.contains(self.truth(a) - self.truth(b))));
        }
        // A group's zero is its mean, so the truth is only known for a complete ladder.
        let distance = ladder.rating(a)? - 1000.0 - self.truth(a);
        ladder.is_complete().then_some((0, distance.abs() <= 1.959_964 * ladder.error(a)?))
    }
}

#[test]
fn intervals_of_the_default_estimator_cover() {
    for (number, span) in [360.0, 1080.0, 3000.0].into_iter().enumerate() {
        for (k, drawishness) in [0.0, 0.35, 0.8].into_iter().enumerate() {
            let case = Case { span, drawishness, ..USUAL };
            let seed = Seed::new(17).child("case", (3 * number + k) as u64);
            let found = case.coverage(&BradleyTerry::default(), rounds(), seed);
            eprintln!("span {span}, drawishness {drawishness}: ratings and differences cover {found:.3?}");
            assert!(found.iter().all(|share| (0.935..=0.965).contains(share)), "{span} {drawishness} {found:?}");
        }
    }
}

#[test]
fn a_fitted_advantage_keeps_the_coverage() {
    let case = Case { advantage: 60.0, ..USUAL };
    let estimator = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    let found = case.coverage(&estimator, rounds(), Seed::new(18));
    eprintln!("with an advantage: {found:.3?}");
    assert!(found.iter().all(|share| (0.935..=0.965).contains(share)), "{found:?}");
}

/// Coverage of the intervals of differences from the weakest player, by weighted least squares.
fn coverage_of_wls(case: &Case, games: u64, rounds: u64, seed: Seed) -> f64 {
    let (mut hits, mut tries) = (0.0, 0.0);
    for round in 0..rounds {
        let mut rng = seed.child("tournament", round).rng();
        let mut table = MatchTable::new(PLAYERS);
        (0..games).for_each(|_| case.add_tournament(&mut table, &mut rng));
        let ladder = anchored_wls(&table, Errors::FixedScale, 0.0, &[(0, 0.0)]);
        for player in 1..PLAYERS {
            let interval = ladder.estimate(player).and_then(|found| found.interval(0.95)).expect("everybody played");
            hits += f64::from(u8::from(interval.contains(case.truth(player) - case.truth(0))));
            tries += 1.0;
        }
    }
    hits / tries
}

/// Weighted least squares have calibrated errors, up to the span at which the virtual draws compress the ladder.
#[test]
fn least_squares_cover_differences_from_the_anchor_on_narrow_ladders() {
    let coins = |span| Case { span, drawishness: 0.0, advantage: 0.0, mirrored: 0.0 };
    let cases =
        [(180.0, 0.93..=0.975), (360.0, 0.92..=0.96), (540.0, 0.88..=0.94), (720.0, 0.82..=0.9), (1080.0, 0.6..=0.75)];
    for (number, (span, expected)) in cases.into_iter().enumerate() {
        let seed = |seed| Seed::new(seed).child("case", number as u64);
        let drawish = Case { drawishness: 0.8, ..coins(span) };
        let found = coverage_of_wls(&coins(span), 1, rounds(), seed(21));
        let drawn = coverage_of_wls(&drawish, 1, rounds(), seed(22));
        let ten = coverage_of_wls(&coins(span), 10, rounds() / 5, seed(23));
        eprintln!("span {span}: {found:.3}, with many draws {drawn:.3}, with ten times the games {ten:.3}");
        assert!(expected.contains(&found) && drawn > found && ten > 0.88, "{span}: {found} {drawn} {ten}");
    }
}

/// The span from the weakest to the strongest player on a wide ladder without draws: by least squares, by maximum
/// likelihood with as many virtual draws, and by maximum likelihood without. The draws explain only a part of the
/// compression.
#[test]
fn least_squares_pull_wide_ladders_together_by_more_than_their_virtual_draws() {
    let case = Case { span: 1080.0, drawishness: 0.0, advantage: 0.0, mirrored: 0.0 };
    let span = |ladder: &Ladder| ladder.difference(PLAYERS - 1, 0).expect("everybody met").elo;
    let spans: Vec<[f64; 3]> = (0..30)
        .map(|round| {
            let mut table = case.tournament(&mut Seed::new(24).child("tournament", round).rng());
            let fit =
                |table: &MatchTable| span(&BradleyTerry::default().fit(table).expect("nobody moves first").ladder);
            let (squares, likely) = (span(&anchored_wls(&table, Errors::FixedScale, 0.0, &[(0, 0.0)])), fit(&table));
            for (a, b) in (0..PLAYERS).flat_map(|a| (a + 1..PLAYERS).map(move |b| (a, b))) {
                table.add(a, b, Tally::new(0, 1, 0)).expect("two different players");
            }
            [squares, fit(&table), likely]
        })
        .collect();
    let [squares, drawn, likely] = [0, 1, 2].map(|kind| spans.iter().map(|span| span[kind]).sum::<f64>() / 30.0);
    eprintln!("spans: least squares {squares:.0}, likelihood with draws {drawn:.0}, without {likely:.0}");
    assert!(squares + 20.0 < drawn && drawn + 20.0 < likely, "{squares} {drawn} {likely}");
    assert!((likely - case.span).abs() < 30.0, "{likely}");
}

/// Points of a pair of games. Each is won with probability `p` and drawn with `draw`; the second repeats the first
/// one's luck for the same player with probability `together`.
fn pair_points(p: f64, draw: f64, together: f64, rng: &mut Rng) -> usize {
    let points = |luck: f64| if luck < p - 0.5 * draw { 2 } else { usize::from(luck < p + 0.5 * draw) };
    let luck: f64 = rng.random();
    let again = if rng.random_bool(together) { luck } else { rng.random() };
    points(luck) + points(again)
}

#[test]
fn intervals_of_mean_scores_cover_up_to_the_ends() {
    let (rounds, mut all) = (4 * rounds(), Vec::new());
    for (number, p) in [0.5_f64, 0.8, 0.9, 0.97, 0.99].into_iter().enumerate() {
        for (k, (drawishness, together)) in [(0.0, 0.0), (0.5, 0.0), (0.0, 0.4)].into_iter().enumerate() {
            for pairs in [10, 50] {
                let mut rng = Seed::new(31).child("case", (10 * number + k) as u64).child("pairs", pairs).rng();
                let draw = drawishness * 2.0 * p.min(1.0 - p);
                let hits = (0..rounds).filter(|_| {
                    let mut counts = [0; 5];
                    (0..pairs).for_each(|_| counts[pair_points(p, draw, together, &mut rng)] += 1);
                    MeanScore::of_pairs(counts).is_some_and(|score| score.interval(0.95).contains(p))
                });
                let found = hits.count() as f64 / rounds as f64;
                eprintln!("score {p}, draws {drawishness}, together {together}, {pairs} pairs: {found:.3}");
                // Scores are whole points, so that no interval has exactly 95 % coverage everywhere.
                assert!((0.9..=0.99).contains(&found), "{p} {drawishness} {together} {pairs}: {found}");
                all.push(found);
            }
        }
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((0.94..=0.965).contains(&mean), "{mean}");
}

#[test]
fn intervals_of_differences_between_scores_cover_up_to_the_ends() {
    let rounds = 4 * rounds();
    for (number, [p, q]) in [[0.5_f64, 0.5], [0.9, 0.6], [0.97, 0.9], [0.99, 0.99]].into_iter().enumerate() {
        for pairs in [10, 50] {
            let mut rng = Seed::new(37).child("case", number as u64).child("pairs", pairs).rng();
            let mut score = |p: f64| {
                let mut counts = [0; 5];
                (0..pairs).for_each(|_| counts[pair_points(p, p.min(1.0 - p), 0.2, &mut rng)] += 1);
                MeanScore::of_pairs(counts).expect("pairs were played")
            };
            let hits = (0..rounds).filter(|_| score(p).interval_less(&score(q), 0.95).contains(p - q));
            let found = hits.count() as f64 / rounds as f64;
            eprintln!("{p} less {q}, {pairs} pairs: {found:.3}");
            // For few games that are nearly all won, the intervals are wide.
            assert!(found >= 0.92 && (found <= 0.98 || pairs == 10 || p > 0.95), "{p} {q} {pairs}: {found}");
        }
    }
}

#[test]
fn intervals_over_runs_cover() {
    let rounds = 4 * rounds();
    for runs in [2, 3, 5, 10] {
        // Training runs with varying strength, each measured in 100 games.
        let mut rng = Seed::new(41).child("runs", runs).rng();
        let hits = (0..rounds).filter(|_| {
            let shares: Vec<f64> = (0..runs)
                .map(|_| {
                    let strength = rng.random_range(0.5..0.9);
                    (0..100).filter(|_| rng.random_bool(strength)).count() as f64 / 100.0
                })
                .collect();
            student_t(&shares, 0.95).is_some_and(|interval| interval.within([0.0, 1.0]).contains(0.7))
        });
        let found = hits.count() as f64 / rounds as f64;
        eprintln!("{runs} runs: {found:.3}");
        assert!((0.91..=0.97).contains(&found), "{runs}: {found}");
    }
}

#[test]
fn intervals_of_win_rates_and_scores_by_colour_cover() {
    let rounds = 4 * rounds();
    for (number, [win, lose]) in [[0.5, 0.4], [0.8, 0.1], [0.95, 0.02]].into_iter().enumerate() {
        for games in [20, 100] {
            let mut rng = Seed::new(51).child("case", number as u64).child("games", games).rng();
            let (mut rates, mut scores) = (0, 0);
            for _ in 0..rounds {
                let mut matrix = WinMatrix::new(2);
                for [a, b] in [[0, 1], [1, 0]] {
                    for _ in 0..games {
                        let luck: f64 = rng.random();
                        let (w, l) = (u64::from(luck < win), u64::from(luck >= 1.0 - lose));
                        matrix.add(a, b, Tally::new(w, 1 - w - l, l));
                    }
                }
                let wins = matrix.tally(0, 1).wins as f64;
                rates += u64::from(wilson(wins, games as f64, 0.95).is_some_and(|interval| interval.contains(win)));
                let score = matrix.score(0, 1).expect("both colours were played");
                let reach = 1.959_964 * score.error.expect("two players");
                scores += u64::from(score.value.abs() <= reach);
            }
            let [rates, scores] = [rates, scores].map(|hits| hits as f64 / rounds as f64);
            eprintln!("wins {win}, {games} games: rates {rates:.3}, scores {scores:.3}");
            assert!(
                (0.9..=0.985).contains(&rates) && (0.92..=1.0).contains(&scores),
                "{win} {games}: {rates} {scores}"
            );
        }
    }
}

#[test]
fn bootstrap_intervals_of_correlations_cover() {
    let rounds = rounds();
    for (number, rho) in [0.0, 0.6, 0.9].into_iter().enumerate() {
        let mut rng = Seed::new(61).child("case", number as u64).rng();
        let hits = (0..rounds).filter(|&round| {
            let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
            let (xs, noise): (Vec<f64>, Vec<f64>) = (0..50).map(|_| (normal(), normal())).unzip();
            let ys: Vec<f64> = xs.iter().zip(&noise).map(|(x, e)| rho * x + (1.0_f64 - rho * rho).sqrt() * e).collect();
            let at = |units: &[usize]| {
                let (a, b): (Vec<f64>, Vec<f64>) = units.iter().map(|&unit| (xs[unit], ys[unit])).unzip();
                pearson(&a, &b)
            };
            let settings = BootstrapSettings { resamples: 400, ..BootstrapSettings::default() };
            let found = bootstrap(xs.len(), settings, Seed::new(62).child("round", round).rng(), at);
            found.and_then(|found| found.interval).is_some_and(|interval| interval.contains(rho))
        });
        let found = hits.count() as f64 / rounds as f64;
        eprintln!("correlation {rho}: {found:.3}");
        assert!((0.91..=0.975).contains(&found), "{rho}: {found}");
    }
}

/// Among pairs with a likelihood of superiority of 90 %, the first is the stronger player in 90 %.
#[test]
fn the_likelihood_of_superiority_is_one() {
    let mut by_tenth = [[0.0; 3]; 10];
    for round in 0..4 * rounds() {
        let mut rng = Seed::new(71).child("round", round).rng();
        let lead = rng.random_range(-150.0..150.0);
        let case = Case { drawishness: 0.3, ..USUAL };
        let mut table = MatchTable::new(2);
        for _ in 0..PAIRS {
            let games = [case.result(lead, rng.random()), case.result(-lead, rng.random()).reversed()];
            table.add_pair(0, 1, games).expect("two players");
        }
        let ladder = BradleyTerry::default().fit(&table).expect("no advantage").ladder;
        let Some(likely) = ladder.difference(0, 1).and_then(|found| found.superiority()) else { continue };
        let tenth = &mut by_tenth[((10.0 * likely) as usize).min(9)];
        (tenth[0], tenth[1], tenth[2]) =
            (tenth[0] + 1.0, tenth[1] + likely, tenth[2] + f64::from(u8::from(lead > 0.0)));
    }
    for [n, likely, stronger] in by_tenth {
        let (said, found) = (likely / n, stronger / n);
        eprintln!("{n} times: said {said:.3}, found {found:.3}");
        // Four standard errors of a share.
        assert!(
            (said - found).abs() < 4.0 * (said.clamp(0.1, 0.9) * (1.0 - said.clamp(0.1, 0.9)) / n).sqrt(),
            "{said} {found}"
        );
    }
}
