//! Evaluations of a training: every few iterations, its network plays an opponent and a panel of opponents.

use std::sync::Arc;

use super::panel::{Evaluated, PanelScore, iteration};
use super::state::TrainingState;
use super::{EvaluationSpec, LearningError, Trainer};
use crate::arena::{Openings, OpeningsSpec, PlayedPair, fitness, play_pairs_from};
use crate::players::{Player, PlayerSpec, Setting, Source};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::nets::deep::DeepCheckpoint;

/// The surroundings of one evaluation.
struct Arena<'a> {
    wanted: &'a EvaluationSpec,
    spec: GameSpec,
    game: Arc<dyn Game>,
    openings: Openings,
    seed: Seed,
}

impl Trainer<'_> {
    /// The results of the network, if an evaluation is due after iteration `number`, counted from 0.
    pub(super) fn evaluate(
        &self,
        state: &TrainingState,
        number: u64,
        sink: &dyn Sink,
    ) -> Result<Option<Evaluated>, LearningError> {
        let due = |every: u32| (number + 1).is_multiple_of(u64::from(every));
        let wanted = self.job.settings.evaluation.as_ref().filter(|wanted| due(wanted.every.get()));
        let evaluated = |wanted| self.results(state, wanted, self.seed.child("evaluation", number), sink);
        wanted.map(evaluated).transpose()
    }

    /// The results of the untrained network, if `untrained` is set. A continued training plays these games
    /// again: they are a function of the seed.
    pub(super) fn evaluate_untrained(
        &self,
        state: &TrainingState,
        sink: &dyn Sink,
    ) -> Result<Option<Evaluated>, LearningError> {
        let wanted = self.job.settings.evaluation.as_ref().filter(|wanted| wanted.untrained);
        let seed = self.seed.child("evaluation untrained", 0);
        wanted.map(|wanted| self.results(state, wanted, seed, sink)).transpose()
    }

    fn results(
        &self,
        state: &TrainingState,
        wanted: &EvaluationSpec,
        seed: Seed,
        sink: &dyn Sink,
    ) -> Result<Evaluated, LearningError> {
        let spec = self.job.arena(wanted).expect("the plan has checked the size");
        let openings = wanted.openings.build(&spec).expect("the plan has checked the openings");
        let arena = Arena { wanted, game: spec.build(), spec, openings, seed };
        let mut panel = self.panel(state, &arena, sink)?;
        let score = match &wanted.opponent {
            // Its games are counted as those of the panel, with the facts about it.
            Some(opponent) if matches!(opponent.untuned(), PlayerSpec::Engine(_)) => {
                let own =
                    self.meet(state, &arena, &opponent.name(), self.built(opponent, "opponent", &arena)?, sink)?;
                let score = own.score;
                panel.insert(0, own);
                Some(score)
            }
            Some(opponent) => Some(self.score(state, opponent, &arena, sink)?),
            None => {
                // Past selves join later: a mean with them would be of other opponents in each evaluation.
                let fixed = &panel[..wanted.panel.len()];
                (!fixed.is_empty()).then(|| fixed.iter().map(|one| one.score).sum::<f64>() / fixed.len() as f64)
            }
        };
        Ok(Evaluated { score, panel })
    }

    /// The mean score against the opponent.
    fn score(
        &self,
        state: &TrainingState,
        opponent: &PlayerSpec,
        arena: &Arena<'_>,
        sink: &dyn Sink,
    ) -> Result<f64, LearningError> {
        let Arena { wanted, game, openings, seed, .. } = arena;
        let mut agent = self.learner(state, game, seed, sink)?;
        let mut opponent = opponent.build(game, &Source { seed, checkpoint: self.upstream.of("opponent") })?;
        opponent.helped_by(&sink.cores());
        if wanted.openings == OpeningsSpec::None {
            return Ok(fitness(&**game, &mut agent, &mut *opponent, wanted.games, seed)?.mean());
        }
        let pairs = wanted.games.get() / 2;
        let played = play_pairs_from(&**game, [&mut agent, &mut *opponent], 0..pairs, openings, seed)?;
        Ok(played.iter().map(PlayedPair::score).sum::<f64>() / pairs as f64)
    }

    /// The results against all opponents of the panel, and against the past selves that there are.
    fn panel(
        &self,
        state: &TrainingState,
        arena: &Arena<'_>,
        sink: &dyn Sink,
    ) -> Result<Vec<PanelScore>, LearningError> {
        let mut results = Vec::new();
        for entrant in &arena.wanted.panel {
            let opponent = self.built(&entrant.agent, &entrant.name, arena)?;
            results.push(self.meet(state, arena, &entrant.name, opponent, sink)?);
        }
        let done = state.curve.len() as u32;
        for past in arena.wanted.past.iter().map(|past| past.get()).filter(|&past| past <= done) {
            let Some(kept) = state.kept.iter().find(|kept| kept.iteration == past) else { continue };
            let network = DeepCheckpoint::from_bytes(kept.weights.bytes())?;
            let seed = arena.seed.child("past", u64::from(past));
            let opponent = Box::new(self.contender(&network, &[Arc::clone(&arena.game)], &seed, sink)?);
            results.push(self.meet(state, arena, &iteration(past), opponent, sink)?);
        }
        Ok(results)
    }

    /// An opponent with weights of its own name.
    fn built(
        &self,
        opponent: &PlayerSpec,
        name: &str,
        Arena { game, seed, .. }: &Arena<'_>,
    ) -> Result<Box<dyn Player>, LearningError> {
        let seed = seed.child("opponent", 0).child(name, 0);
        Ok(opponent.build(game, &Source { seed: &seed, checkpoint: self.upstream.of(name) })?)
    }

    /// The games of the network against one opponent. They depend on the opponent's name, not on its place.
    fn meet(
        &self,
        state: &TrainingState,
        arena: &Arena<'_>,
        name: &str,
        mut opponent: Box<dyn Player>,
        sink: &dyn Sink,
    ) -> Result<PanelScore, LearningError> {
        let (game, seed) = (&arena.game, arena.seed.child("panel", 0).child(name, 0));
        let mut agent = self.learner(state, game, &seed, sink)?;
        opponent.helped_by(&sink.cores());
        opponent.begin(&Setting { game: &arena.spec, stop: sink.stop() })?;
        let pairs = arena.wanted.games.get() / 2;
        let played = play_pairs_from(&**game, [&mut agent, &mut *opponent], 0..pairs, &arena.openings, &seed)?;
        let engine = opponent.end()?;
        let (mut counts, mut lines) = ([[0; 3]; 3], Vec::new());
        for pair in &played {
            let [first, second] = pair.points.map(usize::from);
            counts[first][second] += 1;
            // Games with other sides are others.
            lines.extend(pair.lines.into_iter().enumerate());
        }
        lines.sort_unstable();
        lines.dedup();
        Ok(PanelScore {
            opponent: name.to_owned(),
            score: played.iter().map(PlayedPair::score).sum::<f64>() / pairs as f64,
            pairs: counts,
            distinct: lines.len() as u64,
            plies: played.iter().map(|pair| u64::from(pair.plies)).sum(),
            engine,
        })
    }
}
