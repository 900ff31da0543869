//! Do 95 % intervals of ratings hold the truth 95 times of 100? Simulated tournaments with known ratings.
//!
//! Ten evenly spaced players, every two of whom play 60 games in 30 pairs. The expected score is the logistic `p` of
//! the rating difference; a game is drawn with probability `drawishness * 2 min(p, 1 - p)`, the most that `p` allows
//! at 1. In three of ten pairs the second game mirrors the luck of the first, as a lopsided opening does. The number
//! of tournaments a case is 450, or what `COVERAGE_ROUNDS` says.

use gauntlet::base::{Outcome, Rng, Seed, Side};
use gauntlet::ratings::bradley_terry::{Advantage, BradleyTerry};
use gauntlet::ratings::compare::expected_score;
use gauntlet::ratings::{Ladder, MatchTable};
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
}

impl Case {
    fn truth(&self, player: usize) -> f64 {
        self.span * (player as f64 / (PLAYERS - 1) as f64 - 0.5)
    }

    /// The result of a game between players `elo` apart, for `luck` in `[0, 1)`: low is good for the first side.
    fn outcome(&self, elo: f64, luck: f64) -> Outcome {
        let p = expected_score(elo + self.advantage);
        let draw = self.drawishness * 2.0 * p.min(1.0 - p);
        match luck {
            _ if luck < p - 0.5 * draw => Outcome::Win(Side::First),
            _ if luck < p + 0.5 * draw => Outcome::Draw,
            _ => Outcome::Win(Side::Second),
        }
    }

    fn tournament(&self, rng: &mut Rng) -> MatchTable {
        let mut table = MatchTable::new(PLAYERS);
        for (a, b) in (0..PLAYERS).flat_map(|a| (a + 1..PLAYERS).map(move |b| (a, b))) {
            let elo = self.truth(a) - self.truth(b);
            for _ in 0..PAIRS {
                let luck: f64 = rng.random();
                // The same opening: the side that was lucky once is lucky again, and it is the other player.
                let again = if rng.random_bool(0.3) { luck } else { rng.random() };
                let games = [self.outcome(elo, luck), self.outcome(-elo, again)];
                table.add_pair(a, b, games).expect("two different players");
            }
        }
        table
    }

    /// Shares of the intervals of ratings and of differences that hold the truth, over `rounds` tournaments.
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

    /// Whether the interval of a rating (`a == b`) or of a difference holds the truth.
    fn covers(&self, ladder: &Ladder, a: usize, b: usize) -> Option<(usize, bool)> {
        if a != b {
            let interval = ladder.difference(a, b)?.interval(0.95)?;
            return Some((1, interval.contains(self.truth(a) - self.truth(b))));
        }
        // A group's zero is its mean, so the truth is only known of a complete ladder.
        let distance = ladder.rating(a)? - 1000.0 - self.truth(a);
        ladder.is_complete().then_some((0, distance.abs() <= 1.959_964 * ladder.error(a)?))
    }
}

#[test]
fn intervals_of_the_default_estimator_cover() {
    for (number, span) in [360.0, 1080.0, 3000.0].into_iter().enumerate() {
        for (k, drawishness) in [0.0, 0.35, 0.8].into_iter().enumerate() {
            let case = Case { span, drawishness, advantage: 0.0 };
            let seed = Seed::new(17).child("case", (3 * number + k) as u64);
            let found = case.coverage(&BradleyTerry::default(), rounds(), seed);
            eprintln!("span {span}, drawishness {drawishness}: ratings and differences cover {found:.3?}");
            assert!(found.iter().all(|share| (0.935..=0.965).contains(share)), "{span} {drawishness} {found:?}");
        }
    }
}

#[test]
fn a_fitted_advantage_keeps_the_coverage() {
    let case = Case { span: 720.0, drawishness: 0.35, advantage: 60.0 };
    let estimator = BradleyTerry { advantage: Advantage::Fitted, ..BradleyTerry::default() };
    let found = case.coverage(&estimator, rounds(), Seed::new(18));
    eprintln!("with an advantage: {found:.3?}");
    assert!(found.iter().all(|share| (0.935..=0.965).contains(share)), "{found:?}");
}
