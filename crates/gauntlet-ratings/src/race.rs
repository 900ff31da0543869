//! A race: which of several settings is best, with as few games as the answer needs.
//!
//! All settings play rounds, and a round gives each the same number of units: pairs of games from the same openings,
//! with a score from 0 to 1, or one unit for each run. After each round a setting is out if another one is better, by a test
//! that may be repeated after every round: [`betting`] for pairs of games, and a [t-test](super::anytime_t) for runs, as
//! these are few and vary little. Those that are left play on, until one is left, no other can be better by more than a
//! margin, or the budget is spent.
//!
//! A race may have rungs, such as the lengths of a training: all rounds of the first one, then those of the next one with
//! the settings that are left. Each rung has e-processes of its own, and an equal share of the error.
//!
//! The error covers all statements of a race together: every pair of settings has a share of it in each direction
//! (Bonferroni). So with a probability of at least `1 - error`, these hold at whatever round one looks: each setting that
//! is out is worse, at its rung, than the one that beat it; the best one of the rung is left; and intervals of differences
//! have the true ones. Differences are those of units of the same opening, so that its noise cancels.
//!
//! Successive elimination: E. Even-Dar, S. Mannor and Y. Mansour, JMLR 7 (2006); races of O. Maron and A. Moore (1994).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::anytime_t;
use super::betting::{self, Capital};
use super::intervals::Interval;

/// The rule of a race.
#[derive(Debug, Clone, PartialEq)]
pub struct RaceRule {
    /// Probability that a setting which is out was not worse, or that an interval misses, in the whole race; in
    /// (0, 1/2).
    pub error: f64,
    /// The race also ends when no other setting can be better than the leader by more than this, in units of the result;
    /// 0: it goes on.
    pub within: f64,
    /// The games or jobs of all settings together; no round begins that would exceed it.
    pub budget: Option<RaceBudget>,
    /// What is assumed of the differences between units.
    pub units: RaceUnits,
}

/// What is assumed of the differences between the units of two settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceUnits {
    /// Nothing but their range: pairs of games.
    Bounded,
    /// A normal distribution: mean scores of runs, each of which trains or draws a network of its own.
    Runs,
    /// The same without a range: other numbers of runs, such as losses.
    Numbers,
}

impl RaceRule {
    /// Whether a race of this size can end with one setting left, or none other that is better by more than the margin: if
    /// one setting has the best results that there are, and all others the worst. `count` is the number of units of a round.
    #[must_use]
    pub fn can_decide(&self, size: RaceSize, count: usize) -> bool {
        let units = |setting: usize, round: usize| {
            // Runs that are exactly alike would prove nothing.
            let noise = (round % 2) as f64;
            Some(match (self.units, setting) {
                (RaceUnits::Bounded, 0) => vec![1.0; count],
                (RaceUnits::Bounded, _) => vec![0.0; count],
                (RaceUnits::Runs, 0) => vec![1.0 - 1e-9 * noise],
                (RaceUnits::Numbers, 0) => vec![1e9 + noise],
                (RaceUnits::Runs | RaceUnits::Numbers, _) => vec![0.0],
            })
        };
        matches!(Course::of(self, size, units).state, RaceState::Decided | RaceState::Within)
    }
}

/// The budget of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RaceBudget {
    /// Games of all settings.
    Games(u64),
    /// Jobs of all settings.
    Jobs(u64),
}

impl RaceRule {
    /// Checks the rule.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn check(&self) -> Result<(), String> {
        match *self {
            RaceRule { error, .. } if !(error > 0.0 && error < 0.5) => {
                Err(format!("an error of {error} is not between 0 and 0.5"))
            }
            RaceRule { within, units: RaceUnits::Numbers, .. } if within.is_finite() && within >= 0.0 => Ok(()),
            RaceRule { within, units: RaceUnits::Numbers, .. } => Err(format!("a margin of {within} is below 0")),
            RaceRule { within, .. } if !(0.0..=1.0).contains(&within) => {
                Err(format!("a margin of {within} is no score from 0 to 1"))
            }
            _ => Ok(()),
        }
    }
}

/// The size of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaceSize {
    /// The number of settings, at least one.
    pub settings: usize,
    /// The most rounds, of all rungs.
    pub rounds: usize,
    /// The number of rungs, at least one, each with equally many rounds.
    pub rungs: usize,
    /// The jobs of a round of one setting.
    pub jobs: u64,
    /// The games of a round of one setting; 0 if it plays none.
    pub games: u64,
}

impl RaceSize {
    /// The unit of its length, games or jobs, and their number in a round of one setting.
    #[must_use]
    pub fn unit(&self) -> (&'static str, u64) {
        if self.games > 0 { ("games", self.games) } else { ("jobs", self.jobs) }
    }

    /// The rung of a round, both from 0.
    #[must_use]
    pub fn rung(&self, round: usize) -> usize {
        round * self.rungs / self.rounds.max(1)
    }

    /// Whether a round is the first of its rung.
    fn begins_rung(&self, round: usize) -> bool {
        round == 0 || self.rung(round) > self.rung(round - 1)
    }
}

/// How a race stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceState {
    /// The round of this number, from 0, lacks results.
    Waits(usize),
    /// One setting is left.
    Decided,
    /// No other setting can be better than the leader by more than the margin.
    Within,
    /// The budget is spent, and several are left.
    Spent,
    /// All rounds are played, and several are left.
    Played,
}

/// The course of a race as far as its results go.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// How it stands.
    pub state: RaceState,
    /// The settings.
    pub settings: Vec<Racer>,
    /// For every complete round, the settings that played it.
    pub rounds: Vec<Vec<usize>>,
    /// The setting with the best mean of those that are left; `None` before the first round.
    pub leader: Option<usize>,
    /// The size of the race.
    pub size: RaceSize,
}

/// The e-process of a pair of settings: evidence that one is better than the other, which may be read after every round.
#[derive(Debug, Clone)]
enum EProcess {
    Bounded(Capital),
    Runs(anytime_t::LikelihoodRatio),
}

impl EProcess {
    fn add(&mut self, differences: &[f64]) {
        match self {
            EProcess::Bounded(capital) => capital.bet(differences),
            EProcess::Runs(ratio) => ratio.add(differences),
        }
    }

    fn log(&self) -> f64 {
        match self {
            EProcess::Bounded(capital) => capital.log(),
            EProcess::Runs(ratio) => ratio.log(),
        }
    }
}

impl RaceUnits {
    fn e_process(self) -> EProcess {
        match self {
            RaceUnits::Bounded => EProcess::Bounded(Capital::default()),
            RaceUnits::Runs | RaceUnits::Numbers => EProcess::Runs(anytime_t::LikelihoodRatio::default()),
        }
    }

    /// A lower bound of the mean difference. Equal runs show no spread, so that the range alone bounds them.
    fn lower_bound(self, differences: &[f64], error: f64) -> f64 {
        let differ = differences.iter().any(|own| *own != differences[0]);
        match self {
            RaceUnits::Runs if differ => anytime_t::lower_bound(differences, error).max(-1.0),
            RaceUnits::Numbers if differ => anytime_t::lower_bound(differences, error),
            RaceUnits::Numbers => f64::NEG_INFINITY,
            _ => betting::lower_bound(differences, error),
        }
    }

    /// Whether that bound lies above a mean.
    fn is_above(self, mean: f64, differences: &[f64], error: f64) -> bool {
        match self {
            RaceUnits::Bounded => betting::is_above(mean, differences, error),
            RaceUnits::Runs | RaceUnits::Numbers => self.lower_bound(differences, error) > mean,
        }
    }
}

/// A setting in a race.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Racer {
    /// The result of every unit of its last rung that it played before it was out.
    pub units: Vec<f64>,
    /// The round after which it was out, from 0, and the setting that beat it with the largest evidence.
    pub out: Option<(usize, usize)>,
}

impl Racer {
    /// The mean result; `None` without units.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.units.is_empty()).then(|| mean(&self.units))
    }
}

fn mean(units: &[f64]) -> f64 {
    units.iter().sum::<f64>() / units.len() as f64
}

impl Course {
    /// Runs a race over known results: the units of a setting in a round, of which more is better; `None` if they
    /// are not known yet. Results after a setting was out are not read.
    #[must_use]
    pub fn of(rule: &RaceRule, size: RaceSize, units: impl Fn(usize, usize) -> Option<Vec<f64>>) -> Course {
        let settings = vec![Racer::default(); size.settings];
        let mut course = Course { state: RaceState::Played, settings, rounds: Vec::new(), leader: None, size };
        let none = || vec![rule.units.e_process(); size.settings * size.settings];
        let mut evidence = none();
        for round in 0..size.rounds {
            let left = course.left();
            if let Some(state) = course.end(rule, &left) {
                course.state = state;
                return course;
            }
            let Some(new) = left.iter().map(|&own| units(own, round)).collect::<Option<Vec<_>>>() else {
                course.state = RaceState::Waits(round);
                return course;
            };
            if size.begins_rung(round) {
                evidence = none();
                left.iter().for_each(|&own| course.settings[own].units.clear());
            }
            for (&own, units) in left.iter().zip(&new) {
                course.settings[own].units.extend(units);
                for (&other, theirs) in left.iter().zip(&new).filter(|(other, _)| **other != own) {
                    let differences: Vec<f64> = units.iter().zip(theirs).map(|(own, theirs)| own - theirs).collect();
                    evidence[own * size.settings + other].add(&differences);
                }
            }
            course.settle(round, &left, &evidence, rule);
            course.rounds.push(left);
        }
        let left = course.left();
        course.state = course.end(rule, &left).unwrap_or(RaceState::Played);
        course
    }

    /// The settings that are not out.
    #[must_use]
    pub fn left(&self) -> Vec<usize> {
        (0..self.settings.len()).filter(|&own| self.settings[own].out.is_none()).collect()
    }

    /// The rounds that all settings played in sum, and the number of settings that are left: at the start, and at each round
    /// before and after its eliminations.
    #[must_use]
    pub fn left_over(&self) -> Vec<[usize; 2]> {
        let (mut played, mut points) = (0, vec![[0, self.settings.len()]]);
        for (round, own) in self.rounds.iter().enumerate() {
            played += own.len();
            let left = self.rounds.get(round + 1).map_or_else(|| self.left().len(), Vec::len);
            points.extend([own.len(), left].map(|left| [played, left]));
        }
        points.dedup();
        points
    }

    /// Whether a setting plays a round, from 0; `None` if that is not decided yet.
    #[must_use]
    pub fn plays(&self, setting: usize, round: usize) -> Option<bool> {
        let is_left = self.settings[setting].out.is_none_or(|(last, _)| round <= last);
        match self.state {
            _ if !is_left => Some(false),
            RaceState::Waits(next) if round > next => None,
            RaceState::Waits(_) => Some(true),
            _ => Some(round < self.rounds.len()),
        }
    }

    /// The best setting, if the race is over.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        if matches!(self.state, RaceState::Waits(_)) { None } else { self.leader }
    }

    /// Whether another setting that is left has the leader's mean: the first one of them leads.
    #[must_use]
    pub fn is_tied(&self) -> bool {
        let of = |at: usize| mean(&self.settings[at].units);
        self.leader.is_some_and(|leader| self.left().into_iter().any(|at| at != leader && of(at) == of(leader)))
    }

    /// The interval of the leader's advantage over a setting, in units of the result, from the units that both played. It holds
    /// together with the other intervals and eliminations, with the probability `1 - error`. `None` before the first round, or
    /// if the setting was out at an earlier rung.
    #[must_use]
    pub fn behind(&self, setting: usize, rule: &RaceRule) -> Option<Interval> {
        let leader = self.leader.filter(|&leader| self.last_rung(leader) == self.last_rung(setting))?;
        let differences = self.differences(leader, setting);
        let error = self.share(rule);
        let reversed: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let [low, below] = [&differences, &reversed].map(|numbers| rule.units.lower_bound(numbers, error));
        Some(Interval { low, high: -below })
    }

    /// The rung of a setting's units, from 0.
    #[must_use]
    pub fn last_rung(&self, setting: usize) -> usize {
        let last = self.settings[setting].out.map(|(round, _)| round).or(self.rounds.len().checked_sub(1));
        last.map_or(0, |round| self.size.rung(round))
    }

    /// The error of one direction of a pair of settings at one rung.
    fn share(&self, rule: &RaceRule) -> f64 {
        let settings = self.size.settings;
        rule.error / ((settings * settings.saturating_sub(1)).max(1) * self.size.rungs.max(1)) as f64
    }

    fn differences(&self, one: usize, other: usize) -> Vec<f64> {
        self.settings[one].units.iter().zip(&self.settings[other].units).map(|(one, other)| one - other).collect()
    }

    /// Why no further round begins, if none does.
    fn end(&self, rule: &RaceRule, left: &[usize]) -> Option<RaceState> {
        if left.len() == 1 {
            return Some(RaceState::Decided);
        }
        let (size, error) = (self.size, self.share(rule));
        // At an earlier rung, no difference says that the race may end.
        let leader = self.leader.filter(|&leader| rule.within > 0.0 && self.last_rung(leader) + 1 == size.rungs);
        let is_within = |&other: &usize| {
            leader.is_some_and(|leader| {
                other == leader || rule.units.is_above(-rule.within, &self.differences(leader, other), error)
            })
        };
        if leader.is_some() && left.iter().all(is_within) {
            return Some(RaceState::Within);
        }
        let played: usize = self.rounds.iter().map(Vec::len).sum();
        let next = (played + left.len()) as u64;
        let is_spent = match rule.budget {
            None => false,
            Some(RaceBudget::Games(most)) => next * size.games > most,
            Some(RaceBudget::Jobs(most)) => next * size.jobs > most,
        };
        is_spent.then_some(RaceState::Spent)
    }

    /// Takes out the settings that another one beats, and finds the leader.
    fn settle(&mut self, round: usize, left: &[usize], evidence: &[EProcess], rule: &RaceRule) {
        let (n, error) = (self.settings.len(), self.share(rule));
        let mut beaten = Vec::new();
        for &own in left {
            let against = |&other: &usize| evidence[other * n + own].log();
            // Runs without any spread are no evidence of a t-test: only their range bounds them.
            let beats = |other: &usize| {
                against(other) >= -error.ln()
                    && (rule.units == RaceUnits::Bounded
                        || rule.units.lower_bound(&self.differences(*other, own), error) > 0.0)
            };
            let others = left.iter().copied().filter(|&other| other != own).filter(beats);
            let strongest = others.max_by(|one, other| against(one).total_cmp(&against(other)));
            beaten.extend(strongest.map(|other| (own, other)));
        }
        beaten.into_iter().for_each(|(own, other)| self.settings[own].out = Some((round, other)));
        let means = self.left().into_iter().map(|own| (own, mean(&self.settings[own].units)));
        self.leader = means.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(own, _)| own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::expected_score;
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    const RULE: RaceRule = RaceRule { error: 0.05, within: 0.0, budget: None, units: RaceUnits::Bounded };

    /// The mean score of a pair of games of a player that is `elo` stronger than its opponent, with this share of
    /// draws, as far as the score leaves room for it. The opening favours one side by up to 200 Elo.
    fn pair(rng: &mut StdRng, elo: f64, draws: f64, opening: f64) -> f64 {
        let game = |rng: &mut StdRng, elo: f64| {
            let score = expected_score(elo);
            let draws = draws.min(2.0 * score.min(1.0 - score));
            match rng.random::<f64>() {
                x if x < score - 0.5 * draws => 1.0,
                x if x < score + 0.5 * draws => 0.5,
                _ => 0.0,
            }
        };
        0.5 * (game(rng, elo + opening) + game(rng, elo - opening))
    }

    /// A race of settings with these strengths: its course.
    fn race(elos: &[f64], draws: f64, rule: &RaceRule, rounds: usize, seed: u64) -> Course {
        let size = RaceSize { settings: elos.len(), rounds, rungs: 1, jobs: 1, games: 8 };
        Course::of(rule, size, |setting, round| {
            let mut of_round = StdRng::seed_from_u64(seed * 10_000 + round as u64);
            let openings: [f64; 4] = std::array::from_fn(|_| of_round.random_range(-200.0..200.0));
            let mut own = StdRng::seed_from_u64((seed * 10_000 + round as u64) * 100 + 1 + setting as u64);
            Some(openings.iter().map(|&opening| pair(&mut own, elos[setting], draws, opening)).collect())
        })
    }

    /// The best one loses at most as often as stated, ties included, and no statement "worse" is wrong more often.
    #[test]
    fn the_best_survives_in_the_promised_share_of_races() {
        use rayon::prelude::*;
        for draws in [0.0, 0.4, 0.8] {
            for gap in [0.0, 10.0, 30.0, 100.0] {
                let elos: Vec<f64> = (0..6).map(|at| -gap * f64::from(at)).collect();
                let rule = RaceRule { error: 0.2, ..RULE };
                let wrong = |seed: u64| {
                    let course = race(&elos, draws, &rule, 60, 1 + seed);
                    let is_wrong =
                        |(own, racer): (usize, &Racer)| racer.out.is_some_and(|(_, by)| elos[by] <= elos[own]);
                    course.settings.iter().enumerate().any(is_wrong)
                };
                let wrong = (0..500_u64).into_par_iter().filter(|&seed| wrong(seed)).count();
                println!("gap {gap}, draws {draws}: {wrong} of 500 races with a wrong elimination");
                assert!(wrong <= 100, "gap {gap}, draws {draws}: {wrong} of 500 races");
            }
        }
    }

    /// The differences of the intervals hold together as often as promised.
    #[test]
    fn intervals_hold_at_whatever_round_a_race_stops() {
        let elos = [0.0, -10.0, -60.0, 0.0];
        let truth = |elo: f64| {
            let mut rng = StdRng::seed_from_u64(3);
            let scores = (0..200_000).map(|_| {
                let opening = rng.random_range(-200.0..200.0);
                0.5 * (expected_score(elo + opening) + expected_score(elo - opening))
            });
            scores.sum::<f64>() / 200_000.0
        };
        let truths = elos.map(truth);
        let rule = RaceRule { error: 0.2, within: 0.04, ..RULE };
        let mut missed = 0;
        let mut within = 0;
        for seed in 0..200 {
            let course = race(&elos, 0.3, &rule, 300, seed + 1);
            let leader = course.leader.expect("rounds were played");
            let holds = (0..4).all(|own| {
                let Interval { low, high } = course.behind(own, &rule).expect("rounds were played");
                (low..=high).contains(&(truths[leader] - truths[own]))
            });
            missed += usize::from(!holds);
            if course.state == RaceState::Within {
                within += 1;
                let best = truths.iter().copied().fold(0.0, f64::max);
                missed += usize::from(holds && best - truths[leader] > 0.04);
            }
        }
        assert!(missed <= 40, "{missed} of 200");
        assert!(within > 100, "most races end within the margin: {within}");
    }

    /// Differences without any spread are no evidence of a t-test, however many: their range alone bounds them.
    #[test]
    fn runs_without_spread_are_judged_by_their_range() {
        let race = |units: RaceUnits, difference: f64, rounds: usize| {
            let (rule, size) =
                (RaceRule { units, ..RULE }, RaceSize { settings: 2, rounds, rungs: 1, jobs: 1, games: 0 });
            Course::of(&rule, size, |setting, _| Some(vec![0.5 + difference * setting as f64]))
        };
        let close = race(RaceUnits::Runs, 0.01, 100);
        assert_eq!((close.state, close.left()), (RaceState::Played, vec![0, 1]));
        let far = race(RaceUnits::Runs, 0.5, 100);
        let last = far.rounds.len() - 1;
        assert_eq!((far.state, far.settings[0].out), (RaceState::Decided, Some((last, 1))));
        assert!(far.behind(0, &RULE).is_some_and(|range| range.low > 0.0) && last > 6, "{far:?}");
        let numbers = race(RaceUnits::Numbers, 50.0, 100);
        assert_eq!(numbers.left(), [0, 1], "numbers have no range");
        // A setting whose lead has no spread does not hide one that beats the loser.
        let mut rng = StdRng::seed_from_u64(1);
        let noise: Vec<f64> = (0..40).map(|_| rng.random::<f64>()).collect();
        let rule = RaceRule { units: RaceUnits::Numbers, ..RULE };
        let size = RaceSize { settings: 3, rounds: 40, rungs: 1, jobs: 1, games: 0 };
        let units = |setting: usize, round: usize| Some(vec![[0.0, 5.0, 4.0 + noise[round]][setting]]);
        let course = Course::of(&rule, size, units);
        assert!(course.settings[0].out.is_some_and(|(_, by)| by == 2), "{course:?}");
        // Whatever is out has an interval above 0.
        for seed in 0..40 {
            let mut rng = StdRng::seed_from_u64(seed);
            let noise: Vec<f64> = (0..40).map(|_| if rng.random::<f64>() < 0.9 { 0.05 } else { -0.45 }).collect();
            let (rule, size) = (
                RaceRule { units: RaceUnits::Runs, ..RULE },
                RaceSize { settings: 2, rounds: 40, rungs: 1, jobs: 1, games: 0 },
            );
            let course = Course::of(&rule, size, |setting, round| Some(vec![0.6 + noise[round] * setting as f64]));
            if let Some((_, by)) = course.settings.iter().find_map(|racer| racer.out) {
                let behind = course.behind(1 - by, &rule).expect("it has played");
                assert!(behind.low > 0.0, "seed {seed}: {behind:?}");
            }
        }
    }

    /// Twenty settings, most of them clearly worse: the games of a race, and those of a grid whose every setting plays as
    /// many as the last one in the race.
    #[test]
    fn a_race_needs_a_third_of_the_games_of_a_grid() {
        let elos: Vec<f64> = (0..20).map(|at| -20.0 * f64::from(at)).collect();
        let (mut raced, mut full) = (0, 0);
        for seed in 0..5 {
            let course = race(&elos, 0.3, &RULE, 4_000, seed + 1);
            assert_eq!(course.left(), [0]);
            raced += course.rounds.iter().map(Vec::len).sum::<usize>();
            full += 20 * course.rounds.len();
        }
        println!("a race of 20 settings, 20 Elo apart: {raced} of the {full} rounds of a grid");
        assert!(3 * raced <= full, "{raced} of {full}");
    }

    #[test]
    fn the_score_of_a_winner_is_too_high_and_fresh_games_are_not() {
        let (elos, rounds) = ([0.0; 10], 10);
        let (mut chosen, mut fresh) = (0.0, 0.0);
        for seed in 0..200 {
            let course = race(&elos, 0.3, &RULE, rounds, seed + 1);
            let winner = course.winner().expect("the rounds are spent");
            chosen += course.settings[winner].mean().expect("it played") - 0.5;
            let again = race(&elos, 0.3, &RULE, rounds, seed + 100_001);
            fresh += again.settings[winner].mean().expect("it played") - 0.5;
        }
        println!("the winner of ten equal settings: {} too high", chosen / 200.0);
        // A pair's standard deviation is below 0.35, so 200 times 40 pairs have an error of 0.004.
        assert!(chosen / 200.0 > 0.03, "{}", chosen / 200.0);
        assert!((fresh / 200.0).abs() < 0.012, "{}", fresh / 200.0);
    }

    /// Trainings: each round is a run of each setting, with a normally distributed score and a common part of a seed.
    #[test]
    fn few_runs_decide_about_large_differences() {
        use rand_distr::{Distribution as _, Normal};
        let rule = RaceRule { error: 0.1, units: RaceUnits::Runs, ..RULE };
        let normal = Normal::new(0.0, 0.08).expect("a distribution");
        let race = |means: &[f64], seed: u64| {
            let size = RaceSize { settings: means.len(), rounds: 30, rungs: 1, jobs: 1, games: 0 };
            Course::of(&rule, size, |setting, round| {
                let mut rng = StdRng::seed_from_u64((seed * 1_000 + round as u64) * 100 + setting as u64);
                Some(vec![(means[setting] + normal.sample(&mut rng)).clamp(0.0, 1.0)])
            })
        };
        let (mut wrong, mut rounds) = ([0, 0], 0);
        for seed in 1..=500 {
            let same = race(&[0.6; 5], seed);
            wrong[0] += usize::from(same.left().len() < 5);
            let means = [0.8, 0.5, 0.4, 0.3, 0.2];
            let course = race(&means, seed);
            let is_wrong = |(own, racer): (usize, &Racer)| racer.out.is_some_and(|(_, by)| means[by] <= means[own]);
            wrong[1] += usize::from(course.settings.iter().enumerate().any(is_wrong));
            rounds += course.settings.iter().map(|racer| racer.units.len()).sum::<usize>();
        }
        println!("equal recipes: {wrong:?} of 500 races wrong; {} runs in the mean for five recipes", rounds / 500);
        assert!(wrong.iter().all(|wrong| *wrong <= 50), "{wrong:?} of 500");
        assert!(rounds / 500 < 45, "five recipes take {} runs", rounds / 500);
    }

    /// Fixed units: setting 0 always wins, 1 always draws, 2 always loses.
    fn fixed(rule: &RaceRule, rounds: usize, known: usize) -> Course {
        let size = RaceSize { settings: 3, rounds, rungs: 1, jobs: 2, games: 8 };
        Course::of(rule, size, |setting, round| (round < known).then(|| vec![1.0 - 0.5 * setting as f64; 4]))
    }

    #[test]
    fn a_race_waits_for_results_and_ends_with_its_budget() {
        let start = fixed(&RULE, 100, 0);
        assert_eq!((start.state, start.leader, start.winner()), (RaceState::Waits(0), None, None));
        assert_eq!([0, 1].map(|round| start.plays(2, round)), [Some(true), None]);
        let begun = fixed(&RULE, 100, 2);
        assert_eq!((begun.state, begun.leader), (RaceState::Waits(2), Some(0)));
        let over = fixed(&RULE, 100, 100);
        assert_eq!((over.state, over.winner(), over.left()), (RaceState::Decided, Some(0), vec![0]));
        let (last, by) = over.settings[2].out.expect("it lost every game");
        assert_eq!((by, over.settings[2].units.len()), (0, 4 * (last + 1)));
        assert_eq!([last, last + 1].map(|round| over.plays(2, round)), [Some(true), Some(false)]);
        assert_eq!(over.plays(0, over.rounds.len()), Some(false), "nobody is left to play against");
        for (budget, rounds) in [(RaceBudget::Games(47), 1), (RaceBudget::Games(48), 2), (RaceBudget::Jobs(5), 0)] {
            let course = fixed(&RaceRule { budget: Some(budget), ..RULE }, 3, 100);
            assert_eq!((course.state, course.rounds.len()), (RaceState::Spent, rounds), "{budget:?}");
        }
        // More rounds continue the same race.
        assert_eq!(fixed(&RULE, 100, 3).rounds, fixed(&RULE, 3, 100).rounds);
    }

    #[test]
    fn equal_settings_are_not_told_apart() {
        let size = RaceSize { settings: 2, rounds: 50, rungs: 1, jobs: 1, games: 8 };
        let course = Course::of(&RaceRule { within: 0.1, ..RULE }, size, |_, _| Some(vec![1.0; 4]));
        assert_eq!((course.state, course.left().len(), course.winner()), (RaceState::Within, 2, Some(0)));
        let alone = Course::of(&RULE, RaceSize { settings: 1, ..size }, |_, _| Some(vec![0.5; 4]));
        assert_eq!((alone.state, alone.rounds.len()), (RaceState::Decided, 0));
    }

    #[test]
    fn equal_runs_have_no_interval_of_width_0() {
        let rule = RaceRule { units: RaceUnits::Runs, within: 0.05, ..RULE };
        let size = RaceSize { settings: 2, rounds: 8, rungs: 1, jobs: 1, games: 0 };
        let course = Course::of(&rule, size, |_, _| Some(vec![1.0]));
        let Interval { low, high } = course.behind(1, &rule).expect("rounds were played");
        assert!(low < -0.05 && high > 0.05, "{low} to {high}");
        assert_eq!((course.state, course.left().len()), (RaceState::Played, 2));
    }

    #[test]
    fn rules_are_checked() {
        assert!(RULE.check().is_ok());
        for error in [0.0, 0.5, f64::NAN, -1.0] {
            assert!(RaceRule { error, ..RULE }.check().is_err(), "{error}");
        }
        for within in [-0.1, 1.1, f64::NAN] {
            assert!(RaceRule { within, ..RULE }.check().is_err(), "{within}");
        }
    }

    /// Learning curves that end at these scores, and are the nearer to 0.5 the earlier the rung.
    fn rungs(ends: &[f64], rungs: usize, rule: &RaceRule, seed: u64) -> Course {
        use rand_distr::{Distribution as _, Normal};
        let normal = Normal::new(0.0, 0.05).expect("a distribution");
        let size = RaceSize { settings: ends.len(), rounds: 12 * rungs, rungs, jobs: 1, games: 0 };
        Course::of(rule, size, |setting, round| {
            let mut rng = StdRng::seed_from_u64((seed * 1_000 + round as u64) * 100 + setting as u64);
            let part = (size.rung(round) + 1) as f64 / rungs as f64;
            Some(vec![0.5 + part * (ends[setting] - 0.5) + normal.sample(&mut rng)])
        })
    }

    #[test]
    fn rungs_keep_the_promise_and_save_long_trainings() {
        let rule = RaceRule { error: 0.1, units: RaceUnits::Numbers, ..RULE };
        let (ends, mut wrong, mut last) = ([0.9, 0.85, 0.6, 0.5, 0.4, 0.3], [0, 0], 0);
        for seed in 1..=500 {
            wrong[0] += usize::from(rungs(&[0.7; 6], 3, &rule, seed).left().len() < 6);
            let course = rungs(&ends, 3, &rule, seed);
            let is_wrong = |(own, racer): (usize, &Racer)| racer.out.is_some_and(|(_, by)| ends[by] <= ends[own]);
            wrong[1] += usize::from(course.settings.iter().enumerate().any(is_wrong));
            last += course
                .rounds
                .iter()
                .enumerate()
                .filter(|(round, _)| course.size.rung(*round) == 2)
                .map(|own| own.1.len())
                .sum::<usize>();
        }
        println!("three rungs: {wrong:?} of 500 races wrong; {} of 72 trainings at the last rung", last / 500);
        assert!(wrong.iter().all(|wrong| *wrong <= 50), "{wrong:?} of 500");
        assert!(last / 500 < 36, "{} trainings at the last rung", last / 500);
    }

    #[test]
    fn a_rung_has_units_and_intervals_of_its_own() {
        let rule = RaceRule { units: RaceUnits::Bounded, within: 0.5, ..RULE };
        let size = RaceSize { settings: 3, rounds: 40, rungs: 2, jobs: 1, games: 8 };
        assert_eq!([0, 19, 20, 39].map(|round| size.rung(round)), [0, 0, 1, 1]);
        // The third one loses at the first rung; the others differ at the second one alone.
        let units = |setting: usize, round: usize| match (setting, size.rung(round)) {
            (2, _) => Some(vec![0.0; 4]),
            (1, 1) => Some(vec![0.8; 4]),
            _ => Some(vec![1.0; 4]),
        };
        let course = Course::of(&rule, size, units);
        let (out, _) = course.settings[2].out.expect("it lost every game");
        assert!(out < 20, "{course:?}");
        assert_eq!([0, 1, 2].map(|own| course.last_rung(own)), [1, 1, 0]);
        assert!(course.rounds.len() > 20, "equal settings do not end the first rung: {course:?}");
        assert_eq!(course.settings[0].units.len(), 4 * (course.rounds.len() - 20));
        assert!(course.behind(2, &rule).is_none() && course.behind(1, &rule).is_some());
        // A race of one rung is the same with half the error.
        let waits = Course::of(&rule, size, |setting, round| (round < 20).then(|| units(setting, round))?);
        let single = RaceSize { rounds: 20, rungs: 1, ..size };
        let alone = Course::of(&RaceRule { error: 0.5 * rule.error, within: 0.0, ..rule }, single, units);
        assert_eq!(
            (waits.state, &waits.rounds, &waits.settings),
            (RaceState::Waits(20), &alone.rounds, &alone.settings)
        );
        for (rounds, rungs) in [(1, 1), (7, 7), (30, 3), (100, 1)] {
            let size = RaceSize { rounds, rungs, ..size };
            let counts: Vec<usize> =
                (0..rungs).map(|at| (0..rounds).filter(|&own| size.rung(own) == at).count()).collect();
            assert!(counts.iter().all(|count| *count == rounds / rungs), "{counts:?}");
        }
    }
}
