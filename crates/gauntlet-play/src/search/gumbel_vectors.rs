//! Comparison of the Gumbel search with mctx, its authors' library, on a synthetic game. Test code.
//!
//! The numbers lie in `shared` beside the checkout, with the rules of that game. Actions that are illegal in mctx are
//! legal here with a prior of 0: no search follows them, and they have the mixed value as in mctx.

use std::io::Read as _;
use std::num::NonZeroU32;

use serde::Deserialize;

use super::halving::Halving;
use super::improved::Completed;
use super::storage::{Node, ROOT, TreeStorage};
use super::value::Value;
use super::{Evaluations, Evaluator, Gumbel, Leaf, Rule, SearchError, SearchResult, SearchSpec, Tree, ValueRange};
use gauntlet_games::base::{Action, Outcome, Seed, Side};
use gauntlet_games::games::{State, View};

/// Tolerance for floats.
const CLOSE: f32 = 1e-5;

#[derive(Deserialize)]
struct Vectors {
    searches: Vec<SearchCase>,
    qtransform: Vec<NodeCase>,
    considered_visits: Vec<Sequence>,
}

#[derive(Deserialize)]
struct Sequence {
    m: u32,
    sims: u32,
    seq: Vec<u32>,
}

#[derive(Deserialize)]
struct NodeCase {
    raw_value: f64,
    /// `None` if the action is illegal.
    logits: Vec<Option<f32>>,
    visits: Vec<u32>,
    q: Vec<f64>,
    v_mix: f64,
    completed_q: Vec<f64>,
    sigma: Vec<f64>,
    improved_policy: Vec<f64>,
}

#[derive(Deserialize)]
struct SearchCase {
    id: u32,
    #[serde(rename = "A")]
    actions: u32,
    sims: u32,
    m: NonZeroU32,
    legal_threshold: u32,
    terminal_threshold: u32,
    root_state: u32,
    gumbel: Vec<f64>,
    root_legal: Vec<u8>,
    root_logits: Vec<Option<f32>>,
    root_raw_value: f32,
    visits: Vec<u32>,
    action: u32,
    weights: Vec<f32>,
    root_value: f32,
    root_q: Vec<f32>,
    sim_parent: Vec<usize>,
    sim_action: Vec<u32>,
}

/// The vectors; `None` if the file is missing.
fn vectors() -> Option<Vectors> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/oracles/alphagateau/gumbel_vectors.json.gz");
    let Ok(file) = std::fs::File::open(path) else {
        eprintln!("skipped: {path} is not there");
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a gzip file");
    Some(serde_json::from_str(&text).expect("the vectors are well-formed"))
}

fn rule(considered: NonZeroU32) -> Gumbel {
    Gumbel { considered, range: ValueRange::Legal, ..Gumbel::default() }
}

/// `softmax` of the logits; 0 for illegal actions.
fn priors(logits: &[Option<f32>]) -> Vec<f32> {
    let greatest = logits.iter().flatten().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = logits.iter().map(|logit| logit.map_or(0.0, |logit| (logit - greatest).exp())).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

#[track_caller]
fn assert_close(ours: impl IntoIterator<Item = f32>, theirs: impl IntoIterator<Item = f32>, what: &str) {
    let (ours, theirs): (Vec<f32>, Vec<f32>) = (ours.into_iter().collect(), theirs.into_iter().collect());
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let near = ours.iter().zip(&theirs).all(|(one, other)| (one - other).abs() <= CLOSE * other.abs().max(1.0));
    assert!(near, "{what}: {ours:?} instead of {theirs:?}");
}

#[test]
fn visits_are_considered_as_in_mctx() {
    for case in vectors().into_iter().flat_map(|vectors| vectors.considered_visits) {
        let ours: Vec<u32> = Halving::new(case.m, case.sims).take(case.sims as usize).collect();
        assert_eq!(ours, case.seq, "{} of {} actions", case.sims, case.m);
    }
}

#[test]
fn q_is_completed_as_in_mctx() {
    for (index, case) in vectors().into_iter().flat_map(|vectors| vectors.qtransform).enumerate() {
        let (storage, order) = stored(&case);
        let at = &storage.nodes[ROOT];
        let completed = Completed::of(&storage, at, &rule(NonZeroU32::MIN));
        let weights = completed.weights(&storage, at, &mut Vec::new());
        assert_close([completed.mixed as f32], [case.v_mix as f32], &format!("case {index}, mixed value"));
        let of = |ours: &dyn Fn(usize) -> f64, theirs: &[f64], what: &str| {
            let theirs = order.iter().map(|&action| theirs[action] as f32);
            assert_close(at.edges().map(|edge| ours(edge) as f32), theirs, &format!("case {index}, {what}"));
        };
        let q = |edge| if at.opened().contains(&edge) { case.q[order[edge]] } else { completed.mixed };
        of(&q, &case.completed_q, "completed Q");
        of(&|edge| completed.sigma_of(&storage, at, edge), &case.sigma, "sigma");
        of(&|edge| weights.probability(&storage, at, edge), &case.improved_policy, "improved policy");
    }
}

/// A tree of this node alone, and the action of each edge: visited ones come first.
fn stored(case: &NodeCase) -> (TreeStorage, Vec<usize>) {
    let (mut storage, all) = (TreeStorage::default(), 0..case.visits.len());
    let (visited, others): (Vec<usize>, Vec<usize>) = all.partition(|&action| case.visits[action] > 0);
    let order: Vec<usize> = visited.iter().chain(&others).copied().collect();
    let priors = priors(&case.logits);
    storage.nodes.push(Node::new(Side::First));
    storage.nodes[ROOT].value = Value::of(Side::First, case.raw_value);
    storage.actions.extend(order.iter().map(|&action| Action::from(action)));
    storage.expand(ROOT, 0, &order.iter().map(|&action| priors[action]).collect::<Vec<_>>());
    for (edge, &action) in visited.iter().enumerate() {
        storage.open(ROOT, Node::new(Side::Second));
        (0..case.visits[action]).for_each(|_| storage.visit(ROOT, edge, Value::of(Side::First, case.q[action])));
    }
    (storage, order)
}

/// A position of the game of the vectors.
#[derive(Clone)]
struct Synthetic {
    state: u32,
    side: Side,
    outcome: Option<Outcome>,
    actions: u32,
    legal_threshold: u32,
    terminal_threshold: u32,
}

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

impl Synthetic {
    fn hash(&self, key: u32) -> u32 {
        mix(self.state ^ 0x85EB_CA6B_u32.wrapping_mul(key))
    }

    fn logit(&self, action: u32) -> Option<f32> {
        let legal = self.hash(100 + action) & 255 < self.legal_threshold || action == self.hash(99) % self.actions;
        legal.then(|| ((self.hash(1000 + action) & 255) as f32 - 128.0) / 32.0)
    }
}

impl State for Synthetic {
    fn side(&self) -> Side {
        self.side
    }
    fn actions(&self, into: &mut Vec<Action>) {
        if self.outcome.is_none() {
            into.extend((0..self.actions).map(Action));
        }
    }
    fn play(&mut self, action: Action) {
        let mover = self.side;
        self.state = mix(self.state.wrapping_add(0x9E37_79B9_u32.wrapping_mul(action.0 + 1)));
        self.side = mover.opponent();
        self.outcome = (self.hash(13) & 255 < self.terminal_threshold).then(|| match self.hash(17) & 3 {
            0 | 1 => Outcome::Win(mover),
            2 => Outcome::Draw,
            _ => Outcome::Win(mover.opponent()),
        });
    }
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }
    fn view(&self, view: &mut View) {
        *view = View { side: self.side, ..View::new() };
    }
}

/// The evaluations of that game.
struct SyntheticEvaluator;

impl Evaluator for SyntheticEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], out: &mut Evaluations) -> Result<(), SearchError> {
        for (index, leaf) in leaves.iter().enumerate() {
            let position = leaf.position.state::<Synthetic>().expect("a position of this game");
            let logits: Vec<Option<f32>> = leaf.actions.iter().map(|action| position.logit(action.0)).collect();
            out.priors_mut(index).copy_from_slice(&priors(&logits));
            out.set_value(index, ((position.hash(7) & 511) as f32 - 256.0) / 256.0);
        }
        Ok(())
    }
}

impl SearchCase {
    fn position(&self) -> Synthetic {
        let SearchCase { root_state: state, actions, legal_threshold, terminal_threshold, .. } = *self;
        Synthetic { state, side: Side::First, outcome: None, actions, legal_threshold, terminal_threshold }
    }

    /// The tree of the search with the noise of the case.
    fn grow(&self) -> Tree {
        let settings = rule(self.m);
        let spec = SearchSpec { simulations: self.sims.into(), rule: Rule::Gumbel(settings), ..SearchSpec::default() };
        let (mut tree, mut out, mut is_root) = (Tree::new(), Evaluations::new(), true);
        tree.begin(&self.position(), Seed::new(0), &spec);
        while tree.gather(&spec) {
            let leaves = [tree.leaf().expect("a leaf waits")];
            out.prepare(&leaves);
            SyntheticEvaluator.evaluate(&leaves, &mut out).expect("an answer");
            let (logits, value) = (priors(&self.root_logits), self.root_raw_value);
            match is_root {
                true => tree.apply(&logits, value, &spec),
                false => tree.apply(out.priors(0), out.value(0), &spec),
            }
            .expect("the evaluation is sound");
            if std::mem::take(&mut is_root) {
                tree.restart(|root, storage| {
                    root.begin_with(storage, &settings, self.sims, |action| self.gumbel[action.index()]);
                });
            }
        }
        tree
    }

    /// The nodes that the reference expands within the game, as parent and action, and the visits of each node where
    /// the game is over: mctx continues simulations below those.
    fn expanded(&self, is_over: impl Fn(usize) -> bool) -> (Vec<(usize, u32)>, Vec<u32>) {
        // For each reference node: our node that it is or lies below.
        let (mut ours, mut nodes, mut visits) = (vec![ROOT], vec![], vec![1]);
        for (&parent, &action) in self.sim_parent.iter().zip(&self.sim_action) {
            let parent = ours[parent];
            if is_over(parent) {
                ours.push(parent);
                visits[parent] += 1;
            } else {
                nodes.push((parent, action));
                ours.push(nodes.len());
                visits.push(1);
            }
        }
        (nodes, visits)
    }
}

#[test]
fn searches_are_those_of_mctx() {
    for case in vectors().into_iter().flat_map(|vectors| vectors.searches) {
        let (tree, what) = (case.grow(), format!("search {}", case.id));
        let ours = tree.expanded();
        let is_over = |node: usize| node > 0 && ours.get(node - 1).is_some_and(|(.., visits)| visits.is_some());
        let (nodes, visits) = case.expanded(is_over);
        assert_eq!(ours.iter().map(|&(parent, action, _)| (parent, action.0)).collect::<Vec<_>>(), nodes, "{what}");
        for (node, (.., ended)) in ours.iter().enumerate() {
            assert!(ended.is_none_or(|ended| ended == visits[node + 1]), "{what}: simulations that end at {node}");
        }
        let SearchResult { children, value, improved, .. } = tree.search_result();
        let improved = improved.expect("a Gumbel search improves the policy");
        assert_eq!(children.iter().map(|child| child.visits).collect::<Vec<_>>(), case.visits, "{what}");
        assert_eq!(improved.action, Action(case.action), "{what}");
        assert!(improved.policy.iter().zip(&case.root_legal).all(|(&p, &legal)| legal == 1 || p < 1e-30), "{what}");
        assert_close(improved.policy, case.weights, &what);
        assert_close([value], [case.root_value], &what);
        assert_close(children.iter().map(|child| child.value.unwrap_or(0.0)), case.root_q, &what);
    }
}
