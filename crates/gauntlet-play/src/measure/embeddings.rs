//! Embeddings of a good and a bad action of the same form in a graph network, on boards of many sizes.
//!
//! Ben-Assayag and El-Yaniv 2021, section 4.2 and Figure 4: on constructed Othello boards from 6 x 6 to 350 x 350,
//! dark's good action is the top left corner, which takes all discs of the first column, its bad one the bottom right
//! corner, which takes nothing. The network's embeddings of both, over all sizes, are projected on their first two
//! principal components. The bad action is illegal: nothing is masked, and nothing is played.
//!
//! The paper leaves two points open: the other discs on the boards, which only its picture shows ([`Form`]), and the
//! embedding layer: here the input of the heads.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeasureError;
use crate::jobs::{Files, Given, Job, JobError, result};
use crate::players::{Agent as _, GuidedAgent, PlayerError, PlayerSpec, Source};
use gauntlet_games::base::{Event, Seed, Side, Sink};
use gauntlet_games::games::{Game, GameSpec, Piece, Position};
use gauntlet_nets::encoders::{Batch, BoardGraphs};
use gauntlet_nets::nets::CheckpointError;
use gauntlet_nets::nets::deep::{InputKind, Net, on_device};
use gauntlet_ratings::pca::{Components, principal_components};

/// Measures a network's embeddings of the two corners.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EmbeddingsJob {
    /// Othello; its size does not matter.
    pub game: GameSpec,
    /// The player whose network is measured: a guided player with a graph network.
    pub agent: PlayerSpec,
    /// Rows and columns of the boards.
    pub sizes: Vec<u32>,
    /// The other discs on them.
    #[serde(default)]
    pub form: Form,
}

/// The discs on the boards besides the good action's column, which has light's discs below the top left corner and a
/// dark one at the bottom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// No other discs.
    #[default]
    Column,
    /// Light's discs in the last column too, from the second square down to the one above the bad action. The two
    /// corners then look alike nearby; they differ in what stands at the other end of their columns.
    Mirrored,
}

/// Both actions on all boards, in the order of the sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Embedded {
    /// The sizes.
    pub sizes: Vec<u32>,
    /// The good actions along the first two components.
    pub good: Vec<[f64; 2]>,
    /// The bad ones.
    pub bad: Vec<[f64; 2]>,
    /// Share of the variance along the first component, and along the second.
    pub shares: [f64; 2],
    /// Share of the points, of both kinds, that lie on the side of their kind in the plane of the two components:
    /// of Fisher's line between both kinds, computed without the points of their own board. One half if the kinds
    /// coincide.
    pub separated: f64,
}

/// Embeds both actions on all boards.
///
/// # Errors
/// If there are no weights, or those of another network, and if the sink interrupts.
pub fn embed(
    job: &EmbeddingsJob,
    seed: &Seed,
    checkpoint: Option<&[u8]>,
    sink: &mut dyn Sink,
) -> Result<Embedded, MeasureError> {
    let agent = job.agent().map_err(MeasureError::Board)?;
    let mut points = Vec::with_capacity(2 * job.sizes.len());
    for (done, &size) in job.sizes.iter().enumerate() {
        let game = job.resized(size).map_err(MeasureError::Board)?;
        let boards = [Arc::clone(&game)];
        let net = agent.net(&boards, &Source { seed, checkpoint })?;
        points.extend(corners(job.form, agent, &*net, &game)?);
        sink.record(Event::Progress { done: done as u64 + 1, total: job.sizes.len() as u64 })?;
    }
    seen(&job.sizes, &points)
        .ok_or_else(|| MeasureError::Board("the embeddings of the network are not finite".to_owned()))
}

/// The embeddings of the good and of the bad action on one board.
fn corners(
    form: Form,
    agent: &GuidedAgent,
    net: &dyn Net,
    game: &Arc<dyn Game>,
) -> Result<[Vec<f64>; 2], MeasureError> {
    let position = set_up(form, &**game)?;
    let mut encoder = agent.encoder(&[Arc::clone(game)]);
    let mut batch = Batch::new(encoder.dims());
    encoder.encode(&[&*position], &mut batch);
    let last = game.topology().sites() - 1;
    let rows = on_device(|| net.embeddings(&batch, &[0, last]))
        .map_err(|error| PlayerError::from(CheckpointError::from(error)))?;
    let [good, bad] = <[Vec<f64>; 2]>::try_from(rows).expect("two nodes have two embeddings");
    Ok([good, bad])
}

/// The board of one form and size, dark to move.
fn set_up(form: Form, game: &dyn Game) -> Result<Box<dyn Position>, MeasureError> {
    let size = game.topology().rows();
    let mut pieces = vec![Piece::EMPTY; size * size];
    for row in 1..size - 1 {
        pieces[row * size] = Piece::stone(Side::Second);
        if form == Form::Mirrored {
            pieces[row * size + size - 1] = Piece::stone(Side::Second);
        }
    }
    pieces[(size - 1) * size] = Piece::stone(Side::First);
    game.set_up(&pieces, Side::First).map_err(|error| MeasureError::Board(error.to_string()))
}

/// The points, alternating good and bad, along their first two components.
fn seen(sizes: &[u32], points: &[Vec<f64>]) -> Option<Embedded> {
    let Components { points, shares } = principal_components(points, 2)?;
    let pair = |numbers: &[f64]| [numbers[0], numbers.get(1).copied().unwrap_or(0.0)];
    let points: Vec<[f64; 2]> = points.iter().map(|point| pair(point)).collect();
    let [good, bad] = [0, 1].map(|first| points.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
    let separated = separated(&good, &bad);
    Some(Embedded { sizes: sizes.to_vec(), good, bad, shares: pair(&shares), separated })
}

/// See [`Embedded::separated`].
fn separated(good: &[[f64; 2]], bad: &[[f64; 2]]) -> f64 {
    let others = |points: &[[f64; 2]], at: usize| [&points[..at], &points[at + 1..]].concat();
    let right = |at: usize| {
        let side = line(&others(good, at), &others(bad, at));
        usize::from(side(good[at]) > 0.0) + usize::from(side(bad[at]) <= 0.0)
    };
    (0..good.len()).map(right).sum::<usize>() as f64 / (2 * good.len()) as f64
}

/// Fisher's linear discriminant of two kinds of points: above 0 on the side of the first kind. R. A. Fisher, Annals of
/// Eugenics 7 (1936).
fn line(one: &[[f64; 2]], two: &[[f64; 2]]) -> impl Fn([f64; 2]) -> f64 + use<> {
    let mean = |points: &[[f64; 2]]| {
        [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64)
    };
    let means = [mean(one), mean(two)];
    // Within-kind scatter [[a, b], [b, d]]; a fraction of its trace on the diagonal makes it regular for collinear
    // points.
    let (mut a, mut b, mut d) = (0.0, 0.0, 0.0);
    for (points, mean) in [one, two].into_iter().zip(means) {
        for point in points {
            let [x, y] = [0, 1].map(|axis| point[axis] - mean[axis]);
            (a, b, d) = (a + x * x, b + x * y, d + y * y);
        }
    }
    let ridge = 1e-9 * (a + d) + f64::MIN_POSITIVE;
    (a, d) = (a + ridge, d + ridge);
    let [x, y] = [0, 1].map(|axis| means[0][axis] - means[1][axis]);
    // Proportional to the inverse of the scatter times the difference of the means.
    let normal = [d * x - b * y, a * y - b * x];
    let middle = [0, 1].map(|axis| (means[0][axis] + means[1][axis]) / 2.0);
    move |point| normal[0] * (point[0] - middle[0]) + normal[1] * (point[1] - middle[1])
}

impl Job for EmbeddingsJob {
    fn slug(&self) -> String {
        format!("embeddings {}", self.agent.name())
    }

    fn check(&self) -> Result<(), String> {
        let agent = self.agent()?;
        let boards = self.sizes.iter().map(|&size| self.board(size)).collect::<Result<Vec<_>, _>>()?;
        // Only the smallest board decides whether a network can read it, and large ones take time to build.
        let least = self.sizes.iter().zip(&boards).min_by_key(|(size, _)| **size);
        match least {
            Some((_, least)) if boards.len() > 1 => agent.check(&least.build()),
            _ => Err("embeddings need at least two sizes: add more".to_owned()),
        }
    }

    fn run(&self, given: &Given<'_>, sink: &mut dyn Sink) -> Result<Files, JobError> {
        let embedded = embed(self, &Seed::new(given.seed), given.upstream.of("agent"), sink)?;
        Ok(vec![result(&embedded)?])
    }

    fn game(&self) -> Option<GameSpec> {
        Some(self.game.clone())
    }

    fn players(&self) -> Vec<(&str, &PlayerSpec)> {
        vec![("agent", &self.agent)]
    }

    /// Embeddings are `f32` products of the matrix library, whatever the format of the player.
    fn is_portable(&self) -> bool {
        false
    }
}

impl EmbeddingsJob {
    /// Approximate number of multiply-adds of evaluating all boards.
    #[must_use]
    pub fn macs(&self) -> f64 {
        let Ok(agent) = self.agent() else { return 0.0 };
        let macs = |side: u32| agent.network.architecture().board_macs(BoardGraphs::of(side.pow(2) as usize));
        self.sizes.iter().map(|&side| macs(side)).sum()
    }

    fn agent(&self) -> Result<&GuidedAgent, String> {
        let agent = if let PlayerSpec::Guided(agent) = &self.agent { Some(&**agent) } else { None };
        let none = || format!("{} has no graph network, which embeddings need", self.agent.name());
        agent.filter(|agent| agent.network.reads() == InputKind::Graphs).ok_or_else(none)
    }

    fn resized(&self, size: u32) -> Result<Arc<dyn Game>, String> {
        Ok(self.board(size)?.build())
    }

    fn board(&self, size: u32) -> Result<GameSpec, String> {
        if !matches!(self.game, GameSpec::Othello(_)) {
            return Err("embeddings are measured on boards of Othello".to_owned());
        }
        match size {
            0..4 => Err(format!("board size {size} is outside 4 to 350")),
            4.. => self.game.resized(size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::{Action, Silent};

    fn job(form: &str, sizes: &str) -> EmbeddingsJob {
        let agent = r#"{"guided":{"network":{"saz":{"hidden":8}}}}"#;
        let text = format!(r#"{{"game":{{"othello":{{"size":8}}}},"agent":{agent},"sizes":{sizes},"form":"{form}"}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_good_action_takes_its_column_and_the_bad_one_is_illegal() {
        for form in [Form::Column, Form::Mirrored] {
            let game = job("column", "[6, 7]").resized(7).unwrap();
            let mut position = set_up(form, &*game).unwrap();
            let mut actions = Vec::new();
            position.actions(&mut actions);
            assert!(actions.contains(&Action(0)) && !actions.contains(&Action(48)), "{form:?} {actions:?}");
            let before = position.lead(Side::First).unwrap();
            position.play(Action(0));
            assert_eq!(position.lead(Side::First).unwrap() - before, 2.0 * 5.0 + 1.0);
        }
    }

    #[test]
    fn every_size_has_both_actions_and_the_seed_their_weights() {
        let job = job("mirrored", "[6, 9, 40]");
        job.check().unwrap();
        let of = |seed| embed(&job, &Seed::new(seed), None, &mut Silent).unwrap();
        let found = of(1);
        assert_eq!((found.good.len(), found.bad.len(), found.sizes.len()), (3, 3, 3));
        assert!(found.shares[0] >= found.shares[1] && found.shares[0] + found.shares[1] <= 1.0 + 1e-9);
        assert!((0.0..=1.0).contains(&found.separated) && found.good != found.bad);
        assert_eq!(found, of(1));
        assert_ne!(found, of(2));
    }

    #[test]
    fn a_line_separates_what_it_was_not_drawn_by() {
        // Two parallel rows; the points spread much more along them than the rows are apart.
        let row = |y: f64| (0..10).map(|x| [x as f64, y + 0.01 * f64::from(x % 3)]).collect::<Vec<_>>();
        assert_eq!(separated(&row(0.2), &row(0.0)), 1.0);
        assert_eq!(separated(&row(0.0), &row(0.2)), 1.0);
        assert_eq!(separated(&row(0.0), &row(0.0)), 0.5, "the kinds coincide");
        assert_eq!(separated(&[[1.0, 0.0], [1.0, 0.0]], &[[0.0, 0.0], [0.0, 0.0]]), 1.0);
    }

    #[test]
    fn invalid_measures_report_key_and_range() {
        let refused = |job: &EmbeddingsJob| job.check().unwrap_err();
        assert!(refused(&job("column", "[6]")).contains("at least two sizes"));
        assert!(refused(&job("column", "[400]")).contains("board size 400 is outside 4 to 350"));
        assert!(refused(&job("column", "[3, 6]")).contains("board size 3 is outside 4 to 350"));
        let mut other = job("column", "[6, 7]");
        other.agent = serde_json::from_str(r#"{"naive":{}}"#).unwrap();
        assert!(refused(&other).contains("naive has no graph network"));
        other = EmbeddingsJob {
            game: serde_json::from_str(r#"{"gomoku":{"size":9}}"#).unwrap(),
            ..job("column", "[6, 7]")
        };
        assert!(refused(&other).contains("Othello"));
    }
}
