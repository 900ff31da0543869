//! Self-play: many games of an agent against itself at once, and the examples that they leave.
//!
//! Ben-Assayag and El-Yaniv 2021, section 3.3 and appendix A.2. All games under way are searched in lockstep, so that
//! the network sees their leaves as one batch. A game is a function of its index, the seed and the weights: neither
//! of the games beside it nor of the number of threads. No weights change here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Examples, LearningError};
use crate::arena::Cohort;
use crate::base::{Interrupted, Outcome, Rng, Seed, Side, Stop};
use crate::encoders::{Batch, Encoder};
use crate::games::{Game, Position};
use crate::nets::deep::Inference;
use crate::players::GuidedAgent;
use crate::search::{Effort, Evaluator, Findings, Searcher, Task, Tree};

/// What the value of a position should have been, for the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ValueTarget {
    /// The outcome of the game.
    #[default]
    Outcome,
    /// `sum_a pi(a) Q(a)`, what the search expected.
    Search,
}

/// What the policy in a position should have been.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyTarget {
    /// In proportion to the visits.
    #[default]
    Visits,
    /// As the move was drawn: with the temperature of its ply.
    Played,
}

/// A board that games are played on, and how often, compared with the others.
#[derive(Clone)]
pub struct Board {
    /// The rules on this board.
    pub game: Arc<dyn Game>,
    /// Weight of the board when one is drawn, above 0.
    pub weight: f64,
}

/// A board drawn in proportion to the weights.
pub fn draw_board(boards: &[Board], rng: &mut Rng) -> usize {
    let mut left = rng.random::<f64>() * boards.iter().map(|board| board.weight).sum::<f64>();
    for (index, board) in boards.iter().enumerate() {
        left -= board.weight;
        if left < 0.0 {
            return index;
        }
    }
    boards.len() - 1
}

/// How games of an agent against itself are played.
pub struct SelfPlay<'a> {
    /// Who plays both sides.
    pub agent: &'a GuidedAgent,
    /// The boards that every game draws one of.
    pub boards: &'a [Board],
    /// What values should have been.
    pub value: ValueTarget,
    /// What policies should have been.
    pub policy: PolicyTarget,
}

/// One game, and what can be learned from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// An example for each of its plies, in order.
    pub examples: Examples,
    /// How it ended.
    pub outcome: Outcome,
    /// Sum over plies of the entropy of the policy targets, nats.
    pub entropy: f64,
    /// Sum over plies of `|v - z|`, where v is what the search found and z the outcome.
    pub surprise: f64,
}

/// Hears how many games are over.
pub type Tell<'a> = &'a mut dyn FnMut(u64) -> Result<(), Interrupted>;

impl SelfPlay<'_> {
    /// Plays so many games, one thread for each of the networks at play, all of which are the same function.
    ///
    /// The games come back in order, with what searching them took; of that, `work` alone does not depend on threads.
    /// `tell` is called now and then, on the caller's thread.
    ///
    /// # Errors
    /// When a position cannot be evaluated, when `tell` interrupts, and when `stop` is requested.
    ///
    /// # Panics
    /// Without boards or without networks.
    pub fn play(
        &self,
        inferences: Vec<Box<dyn Inference>>,
        games: u64,
        seed: &Seed,
        stop: &Stop,
        tell: Tell<'_>,
    ) -> Result<(Vec<Lesson>, Effort), LearningError> {
        let (threads, done, stop) = (inferences.len() as u64, AtomicU64::new(0), stop.child());
        let mut tables = inferences.into_iter().map(|inference| self.table(inference, seed, &done, &stop));
        let mut own = tables.next().expect("somebody has to play");
        let (mut lessons, effort) = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .zip(tables)
                .map(|(first, mut table)| {
                    let share = (first..games).step_by(threads as usize);
                    scope.spawn(move || table.play(share, &mut |_| Ok(())))
                })
                .collect();
            let mut all = own.play((0..games).step_by(threads as usize), tell);
            if all.is_err() {
                stop.request();
            }
            for other in others {
                let theirs = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all = all.and_then(|(mut all, mut effort)| {
                    let (lessons, more) = theirs?;
                    all.extend(lessons);
                    effort += more;
                    Ok((all, effort))
                });
            }
            all
        })?;
        lessons.sort_unstable_by_key(|(game, _)| *game);
        Ok((lessons.into_iter().map(|(_, lesson)| lesson).collect(), effort))
    }

    fn table<'b>(
        &'b self,
        inference: Box<dyn Inference>,
        seed: &'b Seed,
        done: &'b AtomicU64,
        stop: &Stop,
    ) -> Table<'b> {
        let games: Vec<Arc<dyn Game>> = self.boards.iter().map(|board| Arc::clone(&board.game)).collect();
        let encoder = self.agent.encoder(&games);
        let evaluator = self.agent.evaluator(&games, inference, seed);
        let (searcher, batch) =
            (Searcher::new(self.agent.search.clone()).until(stop.clone()), Batch::new(encoder.dims()));
        Table { rules: self, encoder, evaluator, searcher, batch, seed, done, idle: Vec::new() }
    }
}

/// Games by their index, and what searching them took.
type Played = (Vec<(u64, Lesson)>, Effort);

/// Where one thread plays its games.
struct Table<'a> {
    rules: &'a SelfPlay<'a>,
    encoder: Box<dyn Encoder>,
    evaluator: Box<dyn Evaluator>,
    searcher: Searcher,
    batch: Batch,
    seed: &'a Seed,
    /// Games that are over, at all tables.
    done: &'a AtomicU64,
    /// Trees of no game, whose memory the next ones take.
    idle: Vec<Tree>,
}

/// A game under way.
struct Seat {
    game: u64,
    position: Box<dyn Position>,
    tree: Tree,
    seed: Seed,
    rng: Rng,
    /// The side to move of each example.
    sides: Vec<Side>,
    /// What the search found in each example.
    found: Vec<f32>,
    examples: Examples,
    entropy: f64,
}

impl Table<'_> {
    fn play(&mut self, games: impl Iterator<Item = u64>, tell: Tell<'_>) -> Result<Played, LearningError> {
        let (mut waiting, mut lessons) = (games, Vec::new());
        let mut seats: Vec<Seat> = Vec::new();
        loop {
            while seats.len() < Cohort::SLOTS
                && let Some(game) = waiting.next()
            {
                seats.push(self.seat(game));
            }
            if seats.is_empty() {
                return Ok((lessons, self.searcher.effort()));
            }
            self.turn(&mut seats)?;
            for at in (0..seats.len()).rev() {
                if let Some(outcome) = seats[at].position.outcome() {
                    let mut seat = seats.remove(at);
                    seat.tree.clear();
                    self.idle.push(std::mem::take(&mut seat.tree));
                    lessons.push((seat.game, seat.end(outcome, self.rules.value)));
                    self.done.fetch_add(1, Ordering::Relaxed);
                }
            }
            tell(self.done.load(Ordering::Relaxed))?;
        }
    }

    fn seat(&mut self, game: u64) -> Seat {
        let seed = self.seed.child("game", game);
        let mut rng = seed.rng();
        let board = draw_board(self.rules.boards, &mut rng);
        let (position, tree) = (self.rules.boards[board].game.start(), self.idle.pop().unwrap_or_default());
        let examples = Examples::new(self.encoder.dims());
        Seat { game, position, tree, seed, rng, sides: Vec::new(), found: Vec::new(), examples, entropy: 0.0 }
    }

    /// One ply of every game.
    fn turn(&mut self, seats: &mut [Seat]) -> Result<(), LearningError> {
        let positions: Vec<&dyn Position> = seats.iter().map(|seat| &*seat.position).collect();
        self.encoder.encode(&positions, &mut self.batch);
        let mut tasks: Vec<Task<'_>> = seats.iter_mut().map(Seat::task).collect();
        self.searcher.search(&mut tasks, &mut *self.evaluator)?;
        for (index, seat) in seats.iter_mut().enumerate() {
            let found = seat.tree.findings();
            let tau = self.searcher.spec().temperature.at(seat.sides.len() as u32);
            seat.note(&found, &self.batch, index, self.rules, tau);
            let action = found.choose(tau, &mut seat.rng).expect("a game that is not over has an action");
            seat.position.play(action);
            seat.tree.played(action);
        }
        Ok(())
    }
}

impl Seat {
    fn task(&mut self) -> Task<'_> {
        let Seat { tree, position, seed, sides, .. } = self;
        Task { tree, position: &**position, seed: seed.child("ply", sides.len() as u64) }
    }

    fn note(&mut self, found: &Findings, positions: &Batch, index: usize, rules: &SelfPlay<'_>, tau: f64) {
        let policy = found.policy(if rules.policy == PolicyTarget::Visits { 1.0 } else { tau });
        self.entropy -= policy.iter().filter(|&&p| p > 0.0).map(|&p| f64::from(p * p.ln())).sum::<f64>();
        let value = found.expectation(&policy);
        let actions = found.branches.iter().map(|branch| branch.action.index());
        self.examples.push(positions, index, actions.zip(policy), value);
        self.found.push(found.value);
        self.sides.push(self.position.side());
    }

    fn end(mut self, outcome: Outcome, target: ValueTarget) -> Lesson {
        let outcomes: Vec<f32> = self.sides.iter().map(|&side| outcome.score(side) as f32).collect();
        let surprise = self.found.iter().zip(&outcomes).map(|(v, z)| f64::from((v - z).abs())).sum();
        if target == ValueTarget::Outcome {
            self.examples.values_mut().copy_from_slice(&outcomes);
        }
        Lesson { examples: self.examples, outcome, entropy: self.entropy, surprise }
    }
}

#[cfg(test)]
mod golden;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{BitOthello, GameSpec, GridGame, Piece, State};
    use crate::players::{PlayerSpec, Source};

    fn board(text: &str, weight: f64) -> Board {
        Board { game: toml::from_str::<GameSpec>(text).unwrap().build(), weight }
    }

    fn agent(text: &str) -> GuidedAgent {
        let text = format!("guided = {{ network = {{ saz = {{ hidden = 8 }} }}, {text} }}");
        match toml::from_str(&text).unwrap() {
            PlayerSpec::Guided(agent) => *agent,
            _ => panic!("a guided agent"),
        }
    }

    fn play(rules: &SelfPlay<'_>, games: u64, threads: usize) -> Vec<Lesson> {
        play_counted(rules, games, threads).0
    }

    fn play_counted(rules: &SelfPlay<'_>, games: u64, threads: usize) -> (Vec<Lesson>, Effort) {
        let boards: Vec<Arc<dyn Game>> = rules.boards.iter().map(|board| Arc::clone(&board.game)).collect();
        let seed = Seed::new(1);
        let net = rules.agent.net(&boards, &Source { seed: &seed, checkpoint: None }).unwrap();
        let inferences = (0..threads).map(|_| net.inference().unwrap()).collect();
        let mut last = 0;
        let lessons = rules.play(inferences, games, &seed, &Stop::default(), &mut |done| {
            last = done;
            Ok(())
        });
        assert!(threads > 1 || last == games);
        lessons.unwrap()
    }

    #[test]
    fn games_are_the_same_on_any_number_of_threads_and_in_any_company() {
        let boards = [board("othello = { size = 4 }", 1.0), board("othello = { size = 5 }", 2.0)];
        let agent =
            agent("subgraphs = {}, search = { simulations = 6, root-noise = { alpha = 0.3 }, reuse = \"keep\" }");
        let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
        let rules = SelfPlay { agent: &agent, boards: &boards, value, policy };
        let lessons = play(&rules, 9, 1);
        assert_eq!(play(&rules, 9, 3), lessons);
        assert_eq!(play(&rules, 4, 2), lessons[..4]);
        let large = lessons.iter().filter(|lesson| lesson.examples.sites(0) == 25).count();
        assert!((1..9).contains(&large), "both boards are played on");
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
            let (lessons, effort) = &played[0];
            assert_eq!(effort.remembered, 0);
            assert!(played[3].1.remembered > effort.evaluations / 3, "{:?}", played[3].1);
            for (others, remembering) in &played[1..] {
                assert_eq!((others, remembering.work), (lessons, effort.work));
            }
        }
    }

    /// Of 10,000 draws every board has its share within four standard deviations.
    #[test]
    fn boards_are_drawn_in_proportion_to_their_weights() {
        const DRAWS: usize = 10_000;
        for weights in [&[0.4, 0.3, 0.2, 0.1][..], &[1.0, 7.0], &[3.0]] {
            let boards: Vec<Board> = weights.iter().map(|&weight| board("othello = { size = 4 }", weight)).collect();
            let (mut counts, mut rng) = (vec![0.0; weights.len()], Seed::new(1).rng());
            (0..DRAWS).for_each(|_| counts[draw_board(&boards, &mut rng)] += 1.0);
            for (count, weight) in counts.iter().zip(weights) {
                let p = weight / weights.iter().sum::<f64>();
                let (mean, deviation) = (p * DRAWS as f64, (p * (1.0 - p) * DRAWS as f64).sqrt());
                assert!((count - mean).abs() <= 4.0 * deviation, "{weights:?}: {counts:?}");
            }
        }
    }

    /// Games of Othello on 4x4 whose every move is forced: who wins for the first side, x, then each ply's board, row
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

    /// Own discs are 1 and the opponent's -1 for whoever is to move, also where it passes and after it; the value is the
    /// outcome for that side, and 0 of a drawn game.
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
            let boards = [Board { game, weight: 1.0 }];
            let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
            let lessons = play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 1, 1);
            let [lesson] = lessons.as_slice() else { panic!("one game") };
            assert_eq!(lesson.outcome.score(Side::First) as f32, first);
            assert_eq!(lesson.examples.len(), plies.len());
            let Batch::Graphs(graphs) = lesson.examples.batch() else { panic!("SAZ reads graphs") };
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
                let targets = lesson.examples.targets();
                assert_eq!(targets.values[ply], sign * first, "{rows}");
                let only: Vec<bool> = (0..17).map(|at| at == action).collect();
                assert_eq!(targets.legal[span.clone()], only, "{rows}");
                assert_eq!(targets.policy[span.start + action], 1.0);
            }
        }
    }

    /// In three in a row on 3x3 sides alternate, so that a won game is worth 1 and -1 in turns, the last ply 1.
    #[test]
    fn the_outcome_is_seen_by_the_side_to_move() {
        let boards = [board("mnk = { rows = 3, columns = 3, row = 3 }", 1.0)];
        let agent = agent("search = { simulations = 12 }");
        let (value, policy) = (ValueTarget::Outcome, PolicyTarget::Visits);
        for lesson in play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 30, 1) {
            let values = &lesson.examples.targets().values;
            let decided = f32::from(u8::from(lesson.outcome != Outcome::Draw));
            let expected: Vec<f32> =
                (0..values.len()).rev().map(|left| if left % 2 == 0 { decided } else { -decided }).collect();
            assert_eq!(*values, expected);
            if let Outcome::Win(side) = lesson.outcome {
                assert_eq!(values[0], Outcome::Win(side).score(Side::First) as f32);
            }
        }
    }

    #[test]
    fn targets_are_the_searchs() {
        let boards = [board("mnk = { rows = 3, columns = 3, row = 3 }", 1.0)];
        let agent = agent("search = { simulations = 40, temperature = { plies = 2 } }");
        let (value, policy) = (ValueTarget::Search, PolicyTarget::Played);
        for lesson in play(&SelfPlay { agent: &agent, boards: &boards, value, policy }, 8, 1) {
            let targets = lesson.examples.targets();
            for (ply, (policy, legal)) in targets.policy.chunks(10).zip(targets.legal.chunks(10)).enumerate() {
                assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert_eq!(legal.iter().filter(|&&legal| legal).count(), 9 - ply);
                assert!(policy.iter().zip(legal).all(|(&p, &legal)| legal || p == 0.0));
                let most = policy.iter().copied().fold(0.0, f32::max);
                assert!(ply < 2 || policy.iter().all(|&p| p == 0.0 || p == most), "after two plies tau is 0");
            }
            // Who is about to win expects to.
            assert!(lesson.outcome == Outcome::Draw || targets.values[targets.values.len() - 1] > 0.5);
            assert!(targets.values.iter().any(|value| value.fract() != 0.0));
        }
    }
}
