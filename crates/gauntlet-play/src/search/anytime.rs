//! A search of one position that can be watched and stopped at any time: one leaf at a time.
//!
//! With a number of simulations it finds the same as [`super::Searcher`]. Without one it goes on until it is stopped. A
//! Gumbel search plans its simulations ahead: without a number it starts again with twice as many, and the last complete
//! round counts.

use super::rules::Rule;
use super::spec::SearchSpec;
use super::storage::{Node, TreeStorage};
use super::tree::Tree;
use super::{Evaluations, Evaluator, SearchBudget, SearchError, SearchResult};
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::Position;

/// Simulations without an evaluation after which a step returns.
const PATIENCE: u32 = 256;

/// Visits of a root that no search reaches.
const ENDLESS: u32 = u32::MAX / 4;

/// The first round of a search with a limit of time.
const FIRST_ROUND: SearchBudget = SearchBudget::Simulations(16);

/// Simulations of a round after which there is no other. A round whose simulations all end the game is one step.
const LARGEST_ROUND: u32 = 1 << 20;

/// A search of one position.
pub struct Anytime {
    /// The settings as given.
    own: SearchSpec,
    /// The settings of the search under way, with its number of simulations.
    spec: SearchSpec,
    evaluator: Box<dyn Evaluator>,
    evaluations: Evaluations,
    tree: Tree,
    /// Visits of the root at which the search is complete.
    goal: u32,
    /// The rounds of a search that plans ahead and has no end; `None` for other searches.
    rounds: Option<Rounds>,
    deepest: usize,
}

/// Rounds with more and more simulations.
struct Rounds {
    position: Box<dyn Position>,
    seed: Seed,
    /// Simulations of the complete rounds.
    simulations: u32,
    /// The result of the last complete round, and its principal variation.
    last: Option<(SearchResult, Vec<Action>)>,
}

impl Anytime {
    /// A search with these settings.
    #[must_use]
    pub fn new(spec: SearchSpec, evaluator: Box<dyn Evaluator>) -> Anytime {
        let (evaluations, tree) = (Evaluations::recording(spec.rule.hinted().is_some()), Tree::new());
        Anytime { own: spec.clone(), spec, evaluator, evaluations, tree, goal: 0, rounds: None, deepest: 0 }
    }

    /// The budget of its settings.
    #[must_use]
    pub fn usual(&self) -> SearchBudget {
        self.own.simulations
    }

    /// Starts a search of a position that is not over: with a number of simulations, or without an end.
    pub fn begin(&mut self, position: &dyn Position, seed: Seed, simulations: Option<u32>) {
        let plans = matches!(self.own.rule, Rule::Gumbel(_));
        self.rounds = (plans && simulations.is_none()).then(|| Rounds {
            position: position.fork(),
            seed,
            simulations: 0,
            last: None,
        });
        self.deepest = 0;
        let usual = if self.rounds.is_some() && self.own.simulations.time().is_some() {
            FIRST_ROUND
        } else {
            self.own.simulations
        };
        let budget = simulations.map_or(usual, SearchBudget::Simulations);
        self.spec = SearchSpec { simulations: budget, ..self.own.clone() };
        self.tree.begin(position, seed, &self.spec);
        self.goal = if simulations.is_some() || plans { self.tree.target() } else { ENDLESS };
    }

    /// Evaluates one more leaf. Returns whether the search goes on.
    ///
    /// # Errors
    /// If the evaluator fails. The tree can then only start a new search.
    pub fn step(&mut self) -> Result<bool, SearchError> {
        if !matches!(self.spec.rule, Rule::Gumbel(_)) {
            self.tree.end_at(self.goal.min(self.tree.visits().saturating_add(PATIENCE)));
        }
        let waits = self.tree.gather(&self.spec);
        self.deepest = self.deepest.max(self.tree.depth());
        if !waits {
            let is_open = self.tree.visits() < self.goal && !self.tree.is_solved();
            let goes_on = is_open && self.rounds.is_none() && !matches!(self.spec.rule, Rule::Gumbel(_));
            return Ok(goes_on || self.next_round());
        }
        let leaves = [self.tree.leaf().expect("a leaf waits")];
        self.evaluations.prepare(&leaves);
        self.evaluator.evaluate(&leaves, &mut self.evaluations)?;
        self.tree.apply(self.evaluations.priors(0), self.evaluations.value(0), &self.spec)?;
        self.evaluations.playouts(0).for_each(|playout| self.tree.learn(playout));
        Ok(true)
    }

    /// Starts the next round of a search with rounds. Returns false for other searches, and after the largest round.
    fn next_round(&mut self) -> bool {
        let (found, line) = (self.tree.search_result(), self.tree.line(None));
        let Some(rounds) = &mut self.rounds else { return false };
        rounds.simulations = rounds.simulations.saturating_add(self.tree.visits());
        rounds.last = Some((found, line));
        if self.tree.visits() >= LARGEST_ROUND {
            return false;
        }
        let simulations = self.tree.visits().saturating_mul(2).max(1);
        self.tree.begin(
            &*rounds.position,
            rounds.seed,
            &SearchSpec { simulations: SearchBudget::Simulations(simulations), ..self.spec.clone() },
        );
        true
    }

    /// Records that this action was played, so that the next search may continue from the tree.
    pub fn played(&mut self, action: Action) {
        self.tree.played(action);
    }

    /// Forgets the game.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.rounds = None;
    }

    /// The result so far.
    #[must_use]
    pub fn found(&self) -> SearchResult {
        match &self.rounds {
            Some(Rounds { last: Some((found, _)), .. }) => found.clone(),
            _ => self.tree.search_result(),
        }
    }

    /// The principal variation: the most visited actions from the root on, or from a first action.
    #[must_use]
    pub fn line(&self, first: Option<Action>) -> Vec<Action> {
        match &self.rounds {
            Some(Rounds { last: Some((_, line)), .. }) if first.is_none_or(|first| line.first() == Some(&first)) => {
                line.clone()
            }
            Some(Rounds { last: Some(_), .. }) => first.into_iter().collect(),
            _ => self.tree.line(first),
        }
    }

    /// Simulations so far, including those of a kept tree.
    #[must_use]
    pub fn simulations(&self) -> u32 {
        self.rounds.as_ref().map_or(0, |rounds| rounds.simulations).saturating_add(self.tree.visits())
    }

    /// Length of the longest path so far.
    #[must_use]
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// Approximate memory of the tree in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.tree.memory()
    }
}

impl Tree {
    /// The most visited actions from the root on; the first one may be given.
    fn line(&self, first: Option<Action>) -> Vec<Action> {
        let storage = self.storage();
        let (mut line, mut wanted) = (Vec::new(), first.or_else(|| self.recommended()));
        let mut node = storage.nodes.first();
        while let Some(edge) = node.and_then(|node| likeliest(storage, node, wanted.take())) {
            line.push(storage.actions[edge]);
            node = storage.nodes.get(storage.child(edge));
        }
        line
    }
}

/// The most visited action of a node that has been followed, or the wanted one.
fn likeliest(storage: &TreeStorage, node: &Node, wanted: Option<Action>) -> Option<usize> {
    let mut opened = node.opened();
    match wanted {
        Some(action) => opened.find(|&edge| storage.actions[edge] == action),
        None => opened.rev().max_by_key(|&edge| storage.visits[edge]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Noughts, grow, spec};
    use super::super::{Rollouts, Uniform};
    use super::*;

    fn finish(search: &mut Anytime, most: usize) -> usize {
        (0..most).take_while(|_| search.step().expect("sound")).count()
    }

    #[test]
    fn a_number_of_simulations_gives_the_usual_result() {
        for text in [
            "simulations = 90",
            "simulations = 90\nrule.uct = {}\nties = \"random\"",
            "simulations = 90\nrule.gumbel = {}",
            "simulations = 90\nrule.uct.rave = { ref = 5 }",
            "simulations = 90\ncount-root = true\nsolve = true",
            "simulations = 90\nrule.gumbel = { endings = \"free\" }",
        ] {
            for played in [&[][..], &[0, 1, 2, 3, 4, 6, 5]] {
                let position = Noughts::after(played);
                let expected = grow(&position, &spec(text), &mut Uniform).search_result();
                let mut search = Anytime::new(SearchSpec { simulations: 7.into(), ..spec(text) }, Box::new(Uniform));
                for _ in 0..2 {
                    search.begin(&position, Seed::new(5), Some(90));
                    finish(&mut search, usize::MAX);
                    assert_eq!(search.found(), expected, "{text} after {played:?}");
                }
            }
        }
    }

    #[test]
    fn without_a_number_it_goes_on_until_it_is_stopped() {
        let playouts = || Box::new(Rollouts { count: std::num::NonZeroU32::MIN, most_plies: 9 });
        for text in ["simulations = 20", "simulations = 20\nrule.gumbel = {}"] {
            let (mut search, position) = (Anytime::new(spec(text), playouts()), Noughts::after(&[]));
            search.begin(&position, Seed::new(1), None);
            assert_eq!(finish(&mut search, 1000), 1000, "{text}");
            assert!(search.simulations() > 500 && search.memory() > 1000, "{text}");
            let (line, found) = (search.line(None), search.found());
            assert!(line.len() > 1 && line.len() <= search.deepest(), "{text}: {line:?}");
            let best = found.improved.as_ref().map_or_else(
                || found.children.iter().max_by_key(|child| child.visits).map(|child| child.action),
                |improved| Some(improved.action),
            );
            assert_eq!(line.first().copied(), best, "{text}");
            assert_eq!(search.line(Some(Action(3))).first(), Some(&Action(3)));
        }
    }

    #[test]
    fn a_solved_position_ends_it() {
        let mut search = Anytime::new(spec("solve = true"), Box::new(Uniform));
        let position = Noughts::after(&[0, 1, 2, 3, 4]);
        search.begin(&position, Seed::new(1), None);
        assert!(finish(&mut search, 100_000) < 10_000);
        assert!(search.found().exact && !search.line(None).is_empty());
    }

    /// Every leaf ends the game, so that nothing is evaluated: a step returns all the same.
    #[test]
    fn a_step_is_short_although_nothing_is_evaluated() {
        let mut search = Anytime::new(spec(""), Box::new(Uniform));
        search.begin(&Noughts::after(&[0, 1, 2, 3, 4, 6, 5, 8]), Seed::new(1), None);
        assert_eq!(finish(&mut search, 50), 50);
        assert!(search.simulations() <= 50 * PATIENCE);
    }
}
