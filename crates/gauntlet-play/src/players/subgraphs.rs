//! Subgraph sampling: priors refined by the same network's output on random parts of the board.
//!
//! Ben-Assayag and El-Yaniv 2021, section 3.2 and Algorithm 1, which disagree; both laws are settings. With p1 the
//! network's probabilities on the whole board and p2 the scatter mean (or maximum) of its probabilities on k sampled
//! subgraphs, the priors are, renormalised over the legal actions:
//!
//! ```text
//! text        (p1 + p1 o p2) / 2     size of a subgraph in [(m-1)^2, m^2]
//! algorithm   (p1 + p2) / 2          size of a subgraph in [(m-1)^2, (m+1)^2]
//! subgraphs   p2                     model4
//! ```
//!
//! All probabilities are a softmax over the legal actions of their graph. The mean is over the subgraphs in which an
//! action's node was sampled; an action that never was has p2 = 0. So under `subgraphs` its prior is 0 and the search
//! may never try it; if no legal action was sampled, the priors are uniform. The text's law changes a prior by at most
//! a factor of two before renormalisation; the divergence in [`EvaluationCost`] measures the actual change. A pass is
//! the subgraphs' dummy node. Without dummy nodes p2 = p1 there, or 0 under `subgraphs`; `pass` selects p1 or 0
//! everywhere.
//!
//! A position has the same subgraphs at every evaluation. In the paper's code base, likewise, the tree keeps the
//! evaluation of a position for a whole game. Other seeds sample others: every iteration of a training, and every run.

mod spec;

use std::sync::Arc;

use super::evaluator::work;
use crate::search::{EvaluationCost, Evaluations, Evaluator, Leaf, Pure, SearchError};
use gauntlet_games::base::{Action, Rng, Seed};
use gauntlet_games::games::{Lookback, Position};
use gauntlet_nets::encoders::{Batch, Encoder as _, Graph, GraphEncoder, Graphs};
use gauntlet_nets::nets::deep::{Answers, Inference};
use gauntlet_nets::nets::softmax;
pub use spec::{Combine, NodeLaw, PassLaw, PriorLaw, Rounding, SizeLaw, SubgraphSpec, ValueFrom};

/// Priors by a graph network and subgraphs, in one batch.
pub struct SubgraphPriors {
    spec: SubgraphSpec,
    encoder: GraphEncoder,
    inference: Box<dyn Inference>,
    /// With a position, it determines the sampled subgraphs.
    seed: Seed,
    boards: Batch,
    batch: Batch,
    answers: Answers,
    /// The sites of every subgraph of the batch.
    samples: Vec<Vec<u32>>,
}

impl SubgraphPriors {
    /// An evaluator for the square boards that the encoder supports.
    #[must_use]
    pub fn new(spec: SubgraphSpec, encoder: GraphEncoder, inference: Box<dyn Inference>, seed: Seed) -> SubgraphPriors {
        let (boards, batch) = (Batch::new(encoder.dims()), Batch::new(encoder.dims()));
        let (answers, samples) = (Answers::default(), Vec::new());
        SubgraphPriors { spec, encoder, inference, seed, boards, batch, answers, samples }
    }

    /// Writes boards and subgraphs into one batch: for each leaf the board, if required, then its subgraphs.
    fn prepare(&mut self, leaves: &[Leaf<'_>]) {
        let positions: Vec<_> = leaves.iter().map(|leaf| leaf.position).collect();
        self.encoder.encode(&positions, &mut self.boards);
        let (Batch::Graphs(boards), Batch::Graphs(batch)) = (&self.boards, &mut self.batch) else {
            unreachable!("both were made for graphs");
        };
        batch.clear();
        self.samples.clear();
        for (index, leaf) in leaves.iter().enumerate() {
            let (graph, values) = (boards.graph(index), &boards.values()[boards.span(index)]);
            if self.spec.wants_full() {
                batch.push(graph, values[..graph.sites()].iter().copied());
            }
            let (n, mut rng) = (graph.sites().isqrt(), stream(&self.seed, leaf.position));
            for _ in 0..self.spec.subgraphs(n) {
                let sites = self.spec.draw(n, &mut rng);
                push_part(batch, graph, &sites, values, self.spec.dummy);
                self.samples.push(sites);
            }
        }
    }
}

/// The random stream of a position.
fn stream(seed: &Seed, position: &dyn Position) -> Rng {
    let key = position.key();
    seed.child("subgraphs", (key >> 64) as u64 ^ key as u64).rng()
}

fn push_part(batch: &mut Graphs, graph: &Graph, sites: &[u32], values: &[f32], dummy: bool) {
    let part = Arc::new(graph.subgraph(sites, dummy));
    batch.push(&part, sites.iter().map(|&site| values[site as usize]));
}

impl Evaluator for SubgraphPriors {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        self.prepare(leaves);
        self.inference.infer(&self.batch, &mut self.answers).map_err(SearchError::evaluator)?;
        let (mut graph, mut sample) = (0, 0);
        for (index, leaf) in leaves.iter().enumerate() {
            let sites = self.boards.span(index).len() - 1;
            let (parts, first) = (self.spec.subgraphs(sites.isqrt()), graph);
            let full = self.spec.wants_full().then_some(graph);
            graph += usize::from(full.is_some());
            let subgraphs = Parts { batch: &self.batch, answers: &self.answers, first: graph, board: sites };
            let samples = &self.samples[sample..sample + parts];
            let p1 = full.map(|full| subgraphs.whole(full, leaf.actions));
            let p2 = subgraphs.combined(samples, leaf.actions, &self.spec, p1.as_deref());
            let priors = out.priors_mut(index);
            combine(self.spec.priors, p1.as_deref(), &p2, priors);
            let moved = p1.and_then(|p1| divergence(&p1, priors));
            let values = &self.answers.values[graph..graph + parts];
            let value = match (self.spec.value, full) {
                (ValueFrom::Full, Some(full)) => self.answers.values[full],
                _ => values.iter().sum::<f32>() / parts.max(1) as f32,
            };
            out.set_value(index, value);
            let work = work(&*self.inference, &self.batch, first..graph + parts);
            out.set_work(
                index,
                EvaluationCost { divergence: moved.unwrap_or(0), compared: moved.is_some().into(), ..work },
            );
            (graph, sample) = (graph + parts, sample + parts);
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Evaluator>> {
        Some(self.fork_pure()?)
    }
}

impl Pure for SubgraphPriors {
    fn lookback(&self) -> Lookback {
        self.encoder.lookback()
    }

    fn fork_pure(&self) -> Option<Box<dyn Pure>> {
        let (encoder, inference) = (self.encoder.clone(), self.inference.fork()?);
        Some(Box::new(SubgraphPriors::new(self.spec, encoder, inference, self.seed)))
    }
}

/// The network outputs for one leaf's graphs.
struct Parts<'a> {
    batch: &'a Batch,
    answers: &'a Answers,
    /// The first subgraph.
    first: usize,
    /// Sites of the whole board; the action behind the last is the pass.
    board: usize,
}

impl Parts<'_> {
    /// p1: probabilities on the whole board, in the order of the actions.
    fn whole(&self, graph: usize, actions: &[Action]) -> Vec<f32> {
        let logits = &self.answers.policy_logits[self.batch.span(graph)];
        let mut p1: Vec<f32> = actions.iter().map(|action| logits[action.index()]).collect();
        softmax(&mut p1);
        p1
    }

    /// p2: combined probabilities on the subgraphs, in the order of the actions.
    fn combined(&self, samples: &[Vec<u32>], actions: &[Action], spec: &SubgraphSpec, p1: Option<&[f32]>) -> Vec<f32> {
        let (mut sums, mut times) = (vec![0.0f32; actions.len()], vec![0u32; actions.len()]);
        let (mut at, mut part) = (Vec::new(), Vec::new());
        for (index, sites) in samples.iter().enumerate() {
            let logits = &self.answers.policy_logits[self.batch.span(self.first + index)];
            at.clear();
            at.extend((0..actions.len()).filter_map(|action| Some((action, self.node(actions[action], sites, spec)?))));
            part.clear();
            part.extend(at.iter().map(|&(_, node)| logits[node]));
            softmax(&mut part);
            for (&(action, _), &probability) in at.iter().zip(&part) {
                times[action] += 1;
                match spec.combine {
                    Combine::Mean => sums[action] += probability,
                    Combine::Max => sums[action] = sums[action].max(probability),
                }
            }
        }
        if spec.combine == Combine::Mean {
            sums.iter_mut().zip(&times).for_each(|(sum, &times)| *sum /= times.max(1) as f32);
        }
        // The pass is the last action.
        if let (true, Some(p1), Some(last)) = (spec.passes_as_full(), p1, actions.last())
            && last.index() == self.board
        {
            sums[actions.len() - 1] = p1[actions.len() - 1];
        }
        sums
    }

    /// The node of an action in a subgraph of these sites, if it has one.
    fn node(&self, action: Action, sites: &[u32], spec: &SubgraphSpec) -> Option<usize> {
        match action.index() == self.board {
            true => spec.has_pass().then_some(sites.len()),
            false => sites.binary_search(&action.0).ok(),
        }
    }
}

/// Writes the priors, which sum to 1.
fn combine(law: PriorLaw, p1: Option<&[f32]>, p2: &[f32], priors: &mut [f32]) {
    let p1 = p1.unwrap_or(p2);
    for ((prior, &p1), &p2) in priors.iter_mut().zip(p1).zip(p2) {
        *prior = match law {
            PriorLaw::Text => (p1 + p1 * p2) / 2.0,
            PriorLaw::Algorithm => (p1 + p2) / 2.0,
            PriorLaw::Subgraphs => p2,
        };
    }
    let sum: f32 = priors.iter().sum();
    match sum > 0.0 {
        true => priors.iter_mut().for_each(|prior| *prior /= sum),
        false => priors.fill(1.0 / priors.len() as f32),
    }
}

/// The divergence of the priors from p1: `KL(p1 || priors)` in 10^-9 nats, rounded; `None` if it is infinite because a
/// possible action has prior 0.
fn divergence(p1: &[f32], priors: &[f32]) -> Option<u64> {
    let term = |(&p1, &prior): (&f32, &f32)| match p1 > 0.0 {
        true => f64::from(p1) * (f64::from(p1) / f64::from(prior)).ln(),
        false => 0.0,
    };
    let sum: f64 = p1.iter().zip(priors).map(term).sum();
    // Rounding in the priors can make the sum slightly negative.
    sum.is_finite().then(|| (sum.max(0.0) * 1e9).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::{Game, GameSpec};
    use gauntlet_nets::encoders::Topology;
    use gauntlet_nets::nets::deep::DeepError;

    /// Answers with the stone of each node as its logit and the number of nodes as the value.
    struct Echo;

    impl Inference for Echo {
        fn infer(&mut self, batch: &Batch, answers: &mut Answers) -> Result<(), DeepError> {
            let Batch::Graphs(graphs) = batch else { panic!("graphs") };
            answers.policy_logits = (0..graphs.nodes()).map(|node| (node % 7) as f32 * 0.3).collect();
            answers.values = (0..graphs.positions()).map(|i| graphs.graph(i).nodes() as f32 / 100.0).collect();
            Ok(())
        }

        fn flops(&self, batch: &Batch, index: usize) -> u64 {
            batch.span(index).len() as u64
        }
    }

    fn evaluate(spec: SubgraphSpec, size: usize) -> (Vec<f32>, f32, Option<f64>) {
        judge(spec, &*toml::from_str::<GameSpec>(&format!("gomoku = {{ size = {size} }}")).unwrap().build())
    }

    fn judge(spec: SubgraphSpec, game: &dyn Game) -> (Vec<f32>, f32, Option<f64>) {
        let (encoder, seed) = (GraphEncoder::new([game.topology()]), Seed::new(4));
        let mut evaluator = SubgraphPriors::new(spec, encoder, Box::new(Echo), seed);
        let (position, mut actions) = (game.start(), Vec::new());
        position.actions(&mut actions);
        let leaves = [Leaf { position: &*position, actions: &actions, seed: &seed, simulation: 1 }];
        let mut out = Evaluations::new();
        out.prepare(&leaves);
        evaluator.evaluate(&leaves, &mut out).unwrap();
        (out.priors(0).to_vec(), out.value(0), out.work(0).mean_divergence())
    }

    #[test]
    fn the_published_laws_of_number_and_size() {
        let spec = SubgraphSpec::default();
        assert_eq!([5, 6, 7, 8, 9, 16, 17].map(|n| spec.subgraphs(n)), [2, 3, 4, 4, 4, 8, 8]);
        let up = SubgraphSpec { rounding: Rounding::Up, ..spec };
        assert_eq!([5, 6, 7, 8, 9].map(|n| up.subgraphs(n)), [3, 3, 4, 4, 5]);
        assert_eq!(spec.sizes(8), (36, 49));
        assert_eq!(SubgraphSpec { sizes: SizeLaw::Algorithm, ..spec }.sizes(8), (36, 64));
        assert_eq!(SubgraphSpec { margin: 2, sizes: SizeLaw::Algorithm, ..spec }.sizes(8), (25, 49));
    }

    #[test]
    fn samples_have_the_size_and_shape_of_their_law() {
        let mut rng = Seed::new(1).rng();
        for nodes in [NodeLaw::Uniform, NodeLaw::Window] {
            let spec = SubgraphSpec { nodes, ..SubgraphSpec::default() };
            let mut sizes = std::collections::BTreeSet::new();
            for _ in 0..400 {
                let sites = spec.draw(6, &mut rng);
                assert!(sites.windows(2).all(|pair| pair[0] < pair[1]) && sites[sites.len() - 1] < 36);
                sizes.insert(sites.len());
                let part = Graph::board(&Topology::square(6)).subgraph(&sites, false);
                let alone = (0..part.sites()).filter(|&site| part.neighbours(site).is_empty()).count();
                assert!(nodes == NodeLaw::Uniform || alone == 0);
            }
            assert_eq!(sizes, (16..=25).collect());
        }
    }

    #[test]
    fn priors_by_hand() {
        let (p1, p2) = ([0.5, 0.3, 0.2], [0.8, 0.0, 0.2]);
        let mut priors = [0.0; 3];
        let mut check = |law, expected: [f32; 3]| {
            combine(law, Some(&p1), &p2, &mut priors);
            let sum: f32 = expected.iter().sum();
            assert!(priors.iter().zip(expected).all(|(prior, e)| (prior - e / sum).abs() < 1e-6), "{law:?} {priors:?}");
        };
        check(PriorLaw::Text, [0.9, 0.3, 0.24]);
        check(PriorLaw::Algorithm, [1.3, 0.3, 0.4]);
        check(PriorLaw::Subgraphs, p2);
        combine(PriorLaw::Subgraphs, None, &[0.0; 3], &mut priors);
        assert_eq!(priors, [1.0 / 3.0; 3]);
    }

    #[test]
    fn the_divergence_is_that_of_the_definition() {
        let (p1, priors) = ([0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.5, 0.0]);
        // 1/2 ln 2 + 0 + 1/4 ln (1/2) = 1/4 ln 2
        assert_eq!(divergence(&p1, &priors), Some(173_286_795));
        assert_eq!((divergence(&p1, &p1), divergence(&[0.5, 0.5], &[1.0, 0.0])), (Some(0), None));
    }

    #[test]
    fn the_texts_law_moves_a_prior_by_at_most_a_factor_of_two() {
        let none = evaluate(SubgraphSpec { count: Some(0), ..SubgraphSpec::default() }, 7);
        assert!(none.2.unwrap() < 1e-6);
        let text = evaluate(SubgraphSpec::default(), 7);
        assert!(text.0.iter().zip(&none.0).all(|(a, b)| a / b < 2.0 && b / a < 2.0));
        let algorithm = evaluate(SubgraphSpec { priors: PriorLaw::Algorithm, ..SubgraphSpec::default() }, 7);
        assert!(text.2.unwrap() > 0.0 && algorithm.2 > text.2);
        assert_eq!((none.1, text.1), (0.5, 0.5));
    }

    #[test]
    fn model_four_sees_subgraphs_alone() {
        let spec = SubgraphSpec {
            count: Some(1),
            priors: PriorLaw::Subgraphs,
            value: ValueFrom::Subgraphs,
            ..SubgraphSpec::default()
        };
        let (priors, value, divergence) = evaluate(spec, 7);
        let sampled = priors.iter().filter(|&&prior| prior > 0.0).count();
        assert!((25..=36).contains(&sampled) && (value - (sampled + 1) as f32 / 100.0).abs() < 1e-6);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(divergence, None);
        let with_full = evaluate(SubgraphSpec { value: ValueFrom::Full, ..spec }, 7);
        assert_eq!((with_full.1, with_full.2), (0.5, None));
    }

    /// Sites 1 and 4 lie in both samples, 3 in none; 7 is sampled and not legal, so it takes no probability.
    #[test]
    fn probabilities_of_overlapping_samples_by_hand() {
        let game = toml::from_str::<GameSpec>("go = { size = 3 }").unwrap().build();
        let (board, samples) = (Graph::board(game.topology()), [vec![0, 1, 4, 7], vec![1, 4, 8]]);
        let mut graphs = Graphs::new(1);
        push_part(&mut graphs, &board, &(0..9).collect::<Vec<_>>(), &[0.0; 9], true);
        samples.iter().for_each(|sites| push_part(&mut graphs, &board, sites, &[0.0; 9], true));
        // Ten nodes of the board, then those of the samples with their dummy nodes, in tenths.
        let parts = [&[1.0; 10][..], &[1.0, 2.0, 3.0, 5e3, 4.0], &[5.0, 2.0, 2.0, 1.0]].concat();
        let policy_logits = parts.iter().map(|part: &f32| part.ln()).collect();
        let (batch, answers) = (Batch::Graphs(graphs), Answers { policy_logits, ..Answers::default() });
        let parts = Parts { batch: &batch, answers: &answers, first: 1, board: 9 };
        let actions = [0, 1, 3, 4, 8, 9].map(Action);
        let check = |combine, expected: [f32; 6]| {
            let spec = SubgraphSpec { combine, ..SubgraphSpec::default() };
            let p2 = parts.combined(&samples, &actions, &spec, Some(&[1.0 / 6.0; 6]));
            assert!(p2.iter().zip(expected).all(|(p2, e)| (p2 - e).abs() < 1e-6), "{combine:?}: {p2:?}");
        };
        check(Combine::Mean, [0.1, (0.2 + 0.5) / 2.0, 0.0, (0.3 + 0.2) / 2.0, 0.2, (0.4 + 0.1) / 2.0]);
        check(Combine::Max, [0.1, 0.5, 0.0, 0.3, 0.2, 0.4]);
        assert!(parts.whole(0, &actions).iter().all(|p1| (p1 - 1.0 / 6.0).abs() < 1e-6));
    }

    /// A pass is the dummy node of every subgraph; without dummy nodes it has the whole board's probability.
    #[test]
    fn a_pass_has_a_node_only_with_the_dummy() {
        let parts = Parts {
            batch: &Batch::new(gauntlet_nets::encoders::Dims::Graphs { features: 1 }),
            answers: &Answers::default(),
            first: 0,
            board: 25,
        };
        let with = SubgraphSpec::default();
        let without = SubgraphSpec { dummy: false, ..with };
        assert_eq!(parts.node(Action(25), &[3, 8], &with), Some(2));
        assert_eq!(parts.node(Action(25), &[3, 8], &without), None);
        assert_eq!((parts.node(Action(8), &[3, 8], &without), parts.node(Action(9), &[3, 8], &with)), (Some(1), None));
        let p2 = |spec: &SubgraphSpec| parts.combined(&[], &[Action(3), Action(25)], spec, Some(&[0.4, 0.6]));
        assert_eq!(p2(&without), [0.0, 0.6]);
        assert_eq!(p2(&SubgraphSpec { priors: PriorLaw::Subgraphs, ..without }), [0.0, 0.0]);
        for dummy in [true, false] {
            let full = SubgraphSpec { dummy, pass: PassLaw::Full, priors: PriorLaw::Subgraphs, ..with };
            let none = SubgraphSpec { dummy, pass: PassLaw::None, ..with };
            assert_eq!((p2(&full), p2(&none)), (vec![0.0, 0.6], vec![0.0, 0.0]));
            assert_eq!((parts.node(Action(25), &[3, 8], &full), parts.node(Action(25), &[3, 8], &none)), (None, None));
            assert!(SubgraphSpec { value: ValueFrom::Subgraphs, ..full }.wants_full());
        }
    }

    /// On a board with a pass: the subgraphs' dummy nodes take probability from their sites.
    #[test]
    fn every_law_of_the_pass_gives_it_other_priors() {
        let game = toml::from_str::<GameSpec>("go = { size = 5 }").unwrap().build();
        let [dummy, full, none] = [PassLaw::Dummy, PassLaw::Full, PassLaw::None].map(|pass| {
            let spec = SubgraphSpec { pass, priors: PriorLaw::Algorithm, ..SubgraphSpec::default() };
            let priors = judge(spec, &*game).0;
            assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5 && priors.len() == 26);
            priors[25]
        });
        assert!(dummy != full && none < full && none < dummy, "{dummy} {full} {none}");
    }

    /// The table of [`SubgraphSpec`].
    #[test]
    fn the_defaults_are_those_of_the_table() {
        let spec = SubgraphSpec::default();
        let written = serde_json::json!({
            "rounding": "even", "margin": 1, "sizes": "text", "priors": "text", "combine": "mean", "nodes": "uniform",
            "dummy": true, "value": "full",
        });
        assert_eq!((serde_json::to_value(spec).unwrap(), spec.pass), (written, PassLaw::Dummy));
        assert_eq!(serde_json::from_str::<SubgraphSpec>("{}").unwrap(), spec);
    }

    /// The keys of jobs from before this setting existed do not change.
    #[test]
    fn the_default_of_the_pass_is_not_written() {
        let text = |pass| serde_json::to_string(&SubgraphSpec { pass, ..SubgraphSpec::default() }).unwrap();
        assert!(!text(PassLaw::Dummy).contains("pass") && text(PassLaw::Full).contains("\"pass\":\"full\""));
        let read: SubgraphSpec = serde_json::from_str(&text(PassLaw::None)).unwrap();
        assert_eq!(read.pass, PassLaw::None);
    }
}
