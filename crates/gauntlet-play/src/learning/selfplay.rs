//! Self-play: an agent plays many games against itself at once and records examples.
//!
//! Ben-Assayag and El-Yaniv 2021, section 3.3 and appendix A.2. All games under way are searched in lockstep, so that
//! the network evaluates their leaves in few batches. A game is a function of its index, the seed and the weights, not
//! of the games beside it or the number of cores. Weights do not change here.

mod amount;
mod trajectory;

use std::sync::Arc;

use rand::RngExt as _;

use super::LearningError;
use crate::arena::{Cohort, RunningGame, Streams, Terms};
use crate::players::{GuidedAgent, Player as _};
use crate::search::Effort;
pub use amount::{Amount, PliesSpec};
use gauntlet_games::base::{Cores, Record, Rng, Seed, Stop};
use gauntlet_games::games::Game;
use gauntlet_nets::nets::deep::Inference;
use trajectory::Recorder;
pub use trajectory::{OnProgress, PolicyTarget, Trajectory, ValueTarget};

/// A board for games, with its relative frequency.
#[derive(Clone)]
pub struct WeightedBoard {
    /// The rules on this board.
    pub game: Arc<dyn Game>,
    /// Weight of the board when one is drawn, above 0.
    pub weight: f64,
}

/// A board drawn in proportion to the weights.
pub fn draw_board(boards: &[WeightedBoard], rng: &mut Rng) -> usize {
    let mut left = rng.random::<f64>() * boards.iter().map(|board| board.weight).sum::<f64>();
    for (index, board) in boards.iter().enumerate() {
        left -= board.weight;
        if left < 0.0 {
            return index;
        }
    }
    boards.len() - 1
}

/// Settings of self-play.
pub struct SelfPlay<'a> {
    /// The player of both sides.
    pub agent: &'a GuidedAgent,
    /// The boards; every game draws one.
    pub boards: &'a [WeightedBoard],
    /// Target of the values.
    pub value: ValueTarget,
    /// Target of the policies.
    pub policy: PolicyTarget,
}

impl SelfPlay<'_> {
    /// Plays this amount of self-play on these cores.
    ///
    /// The games are returned in order, with their search cost; of that, only `work` and `searches` are independent of
    /// the cores. Environment `e` of `n` plays the games `e`, `e + n`, ...; all of them move at once, so that each
    /// spends its plies. `on_progress` is called regularly.
    ///
    /// # Errors
    /// If a position cannot be evaluated, if `on_progress` interrupts, and if `stop` is requested.
    ///
    /// # Panics
    /// If there are no boards.
    pub fn play(
        &self,
        inference: Box<dyn Inference>,
        amount: Amount,
        seed: &Seed,
        (cores, stop): (&Cores, &Stop),
        on_progress: OnProgress<'_>,
    ) -> Result<(Vec<Trajectory>, Effort), LearningError> {
        let boards: Vec<Arc<dyn Game>> = self.boards.iter().map(|board| Arc::clone(&board.game)).collect();
        let mut player = self.agent.self_player(&boards, inference, seed).until(stop);
        player.helped_by(cores);
        let mut played = 0;
        let mut count = |more, record: Option<&Record>| {
            played += more;
            on_progress(played, record)
        };
        let targets = (self.value, self.policy);
        let mut recorder = Recorder::new(self.agent.encoder(&boards), targets, amount, &mut count);
        let terms = Terms { keep_actions: true, ..Terms::default() };
        let mut run = |cohort: Cohort, next: &mut dyn FnMut(Option<usize>) -> Option<u64>| {
            cohort.run(&mut [&mut player], |over| next(over).map(|game| self.begin(game, seed)), &mut recorder)
        };
        match amount {
            Amount::Games(games) => {
                let mut left = 0..games;
                run(Cohort { terms, ..Cohort::default() }, &mut |_| left.next())?;
            }
            Amount::Plies(PliesSpec { environments, .. }) => {
                let (environments, plies) = (u64::from(environments.get()), Some(amount.units()));
                let (mut first, games_at_once) = (0..environments, environments as usize);
                let restart = |game| Some(game as u64 + environments);
                run(Cohort { games_at_once, plies, terms }, &mut |over| over.map_or_else(|| first.next(), restart))?;
            }
        }
        let trajectories = recorder.trajectories().into_iter().map(|(_, trajectory)| trajectory).collect();
        Ok((trajectories, player.effort()))
    }

    /// Starts a game on a board that its own stream draws.
    fn begin(&self, game: u64, seed: &Seed) -> RunningGame {
        let seed = seed.child("game", game);
        let mut rng = seed.rng();
        let board = &self.boards[draw_board(self.boards, &mut rng)];
        RunningGame::new(game as usize, [0; 2], board.game.start(), Streams::Shared(rng, seed))
    }
}

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::players::{PlayerSpec, Source};
    use gauntlet_games::base::{Outcome, Side};
    use gauntlet_games::games::{BitOthello, GameSpec, GridGame, Piece, State};
    use gauntlet_nets::encoders::Batch;
    use gauntlet_nets::nets::NumberFormat;

    fn board(text: &str, weight: f64) -> WeightedBoard {
        WeightedBoard { game: toml::from_str::<GameSpec>(text).unwrap().build(), weight }
    }

    fn agent(text: &str) -> GuidedAgent {
        let text = format!("guided = {{ network = {{ saz = {{ hidden = 8 }} }}, {text} }}");
        match toml::from_str(&text).unwrap() {
            PlayerSpec::Guided(agent) => *agent,
            _ => panic!("a guided agent"),
        }
    }

    fn play(rules: &SelfPlay<'_>, games: u64, cores: usize) -> Vec<Trajectory> {
        play_counted(rules, games, cores).0
    }

    fn play_counted(rules: &SelfPlay<'_>, games: u64, cores: usize) -> (Vec<Trajectory>, Effort) {
        let boards: Vec<Arc<dyn Game>> = rules.boards.iter().map(|board| Arc::clone(&board.game)).collect();
        let seed = Seed::new(1);
        let net = rules.agent.net(&boards, &Source { seed: &seed, checkpoint: None }).unwrap();
        let (mut last, help) = (0, (&Cores::alone(cores), &Stop::default()));
        let trajectories =
            rules.play(net.inference(NumberFormat::F32).unwrap(), Amount::Games(games), &seed, help, &mut |done, _| {
                last = done;
                Ok(())
            });
        assert_eq!(last, games);
        trajectories.unwrap()
    }

    #[test]
    fn games_are_the_same_on_any_number_of_cores_and_in_any_company() {
        let boards = [board("othello = { size = 4 }", 1.0), board("othello = { size = 5 }", 2.0)];
        let agent =
            agent("subgraphs = {}, search = { simulations = 6, root-noise = { alpha = 0.3 }, reuse = \"keep\" }");
        let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
        let rules = SelfPlay { agent: &agent, boards: &boards, value, policy };
        let trajectories = play(&rules, 9, 1);
        assert_eq!(play(&rules, 9, 3), trajectories);
        assert_eq!(play(&rules, 4, 2), trajectories[..4]);
        let large = trajectories.iter().filter(|trajectory| trajectory.examples.unpacked().sites(0) == 25).count();
        assert!((1..9).contains(&large), "both boards are played on");
    }

    /// Three environments restart games until each has spent 40 plies. They play the same games as one by one;
    /// unfinished games are cut off.
    #[test]
    fn games_may_restart_until_plies_are_spent() {
        let boards = [board("othello = { size = 4 }", 1.0)];
        let agent = agent("search = { simulations = 6, reuse = \"keep\" }");
        for value in [ValueTarget::Outcome, ValueTarget::Search] {
            let rules = SelfPlay { agent: &agent, boards: &boards, value, policy: PolicyTarget::Visits };
            let whole = play(&rules, 15, 1);
            let three = NonZeroU32::new(3).unwrap();
            let amount = Amount::Plies(PliesSpec { environments: three, each: NonZeroU32::new(40).unwrap() });
            let in_plies = |cores: usize| {
                let (seed, mut last, help) = (Seed::new(1), 0, (&Cores::alone(cores), &Stop::default()));
                let net = agent.net(&[Arc::clone(&boards[0].game)], &Source { seed: &seed, checkpoint: None }).unwrap();
                let mut on_progress = |done, _: Option<&Record>| {
                    last = done;
                    Ok(())
                };
                let played = rules
                    .play(net.inference(NumberFormat::F32).unwrap(), amount, &seed, help, &mut on_progress)
                    .unwrap();
                assert_eq!((last, played.1.searches), (120, 120));
                played.0
            };
            let trajectories = in_plies(1);
            assert_eq!(trajectories.iter().map(|trajectory| trajectory.examples.len()).sum::<usize>(), 120);
            let (over, cut): (Vec<&Trajectory>, Vec<&Trajectory>) =
                trajectories.iter().partition(|trajectory| trajectory.outcome.is_some());
            assert!(over.len() >= 6 && (1..=3).contains(&cut.len()), "{} and {}", over.len(), cut.len());
            assert!(over.iter().all(|trajectory| whole.contains(trajectory)));
            for trajectory in cut {
                let (dense, known) = (trajectory.examples.unpacked(), value == ValueTarget::Search);
                assert_eq!(dense.targets().unknown.len(), if known { 0 } else { dense.len() });
                let begun = |other: &&Trajectory| {
                    let other = other.examples.unpacked();
                    other.targets().policy.starts_with(&dense.targets().policy)
                };
                assert!(whole.iter().any(|other| begun(&other)), "it begins as a game that is played to its end");
            }
            let bytes = |trajectories: &[Trajectory]| -> Vec<Vec<u8>> {
                let bytes = |one: &Trajectory| one.examples.freeze(Vec::new()).segment().bytes().to_vec();
                trajectories.iter().map(bytes).collect()
            };
            assert_eq!(bytes(&in_plies(3)), bytes(&trajectories));
        }
    }

    #[test]
    fn a_cache_changes_neither_games_nor_what_is_counted() {
        let boards = [board("othello = { size = 4 }", 1.0), board("othello = { size = 5 }", 1.0)];
        let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
        for subgraphs in ["", "subgraphs = {}, "] {
            let played = [0, 2, 50, 10_000].map(|cache| {
                let agent = agent(&format!("{subgraphs}cache = {cache}, search = {{ simulations = 12 }}"));
                play_counted(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 8, 1)
            });
            let (trajectories, effort) = &played[0];
            assert_eq!(effort.remembered, 0);
            assert!(played[3].1.remembered > effort.evaluations / 3, "{:?}", played[3].1);
            for (others, remembering) in &played[1..] {
                assert_eq!((others, remembering.work), (trajectories, effort.work));
            }
        }
    }

    /// In 10,000 draws every board has its share within four standard deviations.
    #[test]
    fn boards_are_drawn_in_proportion_to_their_weights() {
        const DRAWS: usize = 10_000;
        for weights in [&[0.4, 0.3, 0.2, 0.1][..], &[1.0, 7.0], &[3.0]] {
            let boards: Vec<WeightedBoard> =
                weights.iter().map(|&weight| board("othello = { size = 4 }", weight)).collect();
            let (mut counts, mut rng) = (vec![0.0; weights.len()], Seed::new(1).rng());
            (0..DRAWS).for_each(|_| counts[draw_board(&boards, &mut rng)] += 1.0);
            for (count, weight) in counts.iter().zip(weights) {
                let p = weight / weights.iter().sum::<f64>();
                let (mean, deviation) = (p * DRAWS as f64, (p * (1.0 - p) * DRAWS as f64).sqrt());
                assert!((count - mean).abs() <= 4.0 * deviation, "{weights:?}: {counts:?}");
            }
        }
    }

    /// Games of Othello on 4x4 with only forced moves: the outcome for the first side, x, then each ply's board, row
    /// after row, and its only action; 16 is the pass.
    const FORCED: [(f32, [(&str, usize); 5]); 3] = [
        (
            1.0,
            [
                ("o.xx .oxx o..x xooo", 4),
                ("o.xx xxxx x..x xooo", 10),
                ("o.xx xoxx x.ox xooo", 9),
                ("o.xx xoxx xxxx xooo", 16),
                ("o.xx xoxx xxxx xooo", 1),
            ],
        ),
        (
            -1.0,
            [
                (".xo. xxxo o..o oxoo", 3),
                (".xxx xxxo o..o oxoo", 0),
                ("oxxx oxxo o..o oxoo", 16),
                ("oxxx oxxo o..o oxoo", 10),
                ("oxxx ooxo o.oo oxoo", 9),
            ],
        ),
        (
            0.0,
            [
                ("xo.. .ooo xooo o.oo", 2),
                ("xxx. .xoo xooo o.oo", 4),
                ("xxx. oooo oooo o.oo", 13),
                ("xxx. oxoo oxoo oxoo", 16),
                ("xxx. oxoo oxoo oxoo", 3),
            ],
        ),
    ];

    /// Own discs are 1 and the opponent's -1 for the side to move, also at a pass and after it; the value is the
    /// outcome for that side, and 0 in a drawn game.
    #[test]
    fn a_pass_turns_discs_and_outcome_round_as_a_move_does() {
        let agent = agent("search = { simulations = 8 }");
        let discs = |rows: &str| -> Vec<char> { rows.chars().filter(|drawn| *drawn != ' ').collect() };
        for (first, plies) in FORCED {
            let piece = |drawn| match drawn {
                'x' => Piece::stone(Side::First),
                'o' => Piece::stone(Side::Second),
                _ => Piece::EMPTY,
            };
            let pieces: Vec<Piece> = discs(plies[0].0).into_iter().map(piece).collect();
            let start = BitOthello::<1>::new(4).set_up(&pieces, Side::First).unwrap();
            let game: Arc<dyn Game> = Arc::new(GridGame::new("othello 4x4".to_owned(), [4, 4], start).with_pass());
            let boards = [WeightedBoard { game, weight: 1.0 }];
            let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
            let trajectories = play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 1, 1);
            let [trajectory] = trajectories.as_slice() else { panic!("one game") };
            assert_eq!(trajectory.outcome.unwrap().score(Side::First) as f32, first);
            assert_eq!(trajectory.examples.len(), plies.len());
            let examples = trajectory.examples.unpacked();
            let Batch::Graphs(graphs) = examples.batch() else { panic!("SAZ reads graphs") };
            for (ply, (rows, action)) in plies.into_iter().enumerate() {
                let (own, sign) = if ply % 2 == 0 { ('x', 1.0) } else { ('o', -1.0) };
                let seen = |drawn| {
                    if drawn == '.' {
                        0.0
                    } else if drawn == own {
                        1.0
                    } else {
                        -1.0
                    }
                };
                let span = graphs.span(ply);
                // The dummy node, whose logit is the pass, holds nothing.
                let expected: Vec<f32> = discs(rows).into_iter().map(seen).chain([0.0]).collect();
                assert_eq!(graphs.values()[span.clone()], expected, "{rows}");
                let targets = examples.targets();
                assert_eq!(targets.values[ply], sign * first, "{rows}");
                let only: Vec<bool> = (0..17).map(|at| at == action).collect();
                assert_eq!(targets.legal[span.clone()], only, "{rows}");
                assert_eq!(targets.policy[span.start + action], 1.0);
            }
        }
    }

    /// In three in a row on 3x3 sides alternate, so that the value of a won game alternates between 1 and -1, with 1
    /// at the last ply.
    #[test]
    fn the_outcome_is_seen_by_the_side_to_move() {
        let boards = [board("mnk = { rows = 3, columns = 3, row = 3 }", 1.0)];
        let agent = agent("search = { simulations = 12 }");
        let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
        for trajectory in play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 30, 1) {
            let examples = trajectory.examples.unpacked();
            let values = &examples.targets().values;
            let decided = f32::from(u8::from(trajectory.outcome != Some(Outcome::Draw)));
            let expected: Vec<f32> =
                (0..values.len()).rev().map(|left| if left % 2 == 0 { decided } else { -decided }).collect();
            assert_eq!(*values, expected);
            if let Some(Outcome::Win(side)) = trajectory.outcome {
                assert_eq!(values[0], Outcome::Win(side).score(Side::First) as f32);
            }
        }
    }

    #[test]
    fn targets_are_the_searchs() {
        let boards = [board("mnk = { rows = 3, columns = 3, row = 3 }", 1.0)];
        let agent = agent("search = { simulations = 40, temperature = { plies = 2 } }");
        let (value, policy) = (ValueTarget::Search, PolicyTarget::Played);
        for trajectory in play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 8, 1) {
            let examples = trajectory.examples.unpacked();
            let targets = examples.targets();
            for (ply, (policy, legal)) in targets.policy.chunks(10).zip(targets.legal.chunks(10)).enumerate() {
                assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert_eq!(legal.iter().filter(|&&legal| legal).count(), 9 - ply);
                assert!(policy.iter().zip(legal).all(|(&p, &legal)| legal || p == 0.0));
                let most = policy.iter().copied().fold(0.0, f32::max);
                assert!(ply < 2 || policy.iter().all(|&p| p == 0.0 || p == most), "after two plies tau is 0");
            }
            // A side about to win expects a win.
            assert!(trajectory.outcome == Some(Outcome::Draw) || targets.values[targets.values.len() - 1] > 0.5);
            assert!(targets.values.iter().any(|value| value.fract() != 0.0));
        }
    }
}
