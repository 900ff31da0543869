//! Evaluations of a training: every few iterations, its network plays an opponent and a panel of opponents.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::TrainingState;
use super::{EvaluationSpec, Iteration, LearningError, Trainer};
use crate::arena::{Encounter, Openings, OpeningsSpec, PlayedPair, Standing, fitness, play_pairs_from};
use crate::engines::EngineFacts;
use crate::players::{Player, PlayerSpec, Setting, Source};
use gauntlet_games::base::{Seed, Sink};
use gauntlet_games::games::{Game, GameSpec};
use gauntlet_nets::nets::deep::DeepCheckpoint;

/// The results of the network against one opponent of the panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PanelScore {
    /// The opponent; `iteration 10` is a past self.
    pub opponent: String,
    /// Mean score of the network, -1 to 1.
    pub score: f64,
    /// Pairs of games, `pairs[x][y]`: `x` is the network's result moving first, `y` moving second (0 loss, 1 draw, 2 win).
    pub pairs: [[u64; 3]; 3],
    /// Number of different games.
    pub distinct: u64,
    /// Actions played in all games.
    pub plies: u64,
    /// Facts about the opponent, if it is an engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineFacts>,
}

/// The results of one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Mean score against the opponent, or against the panel if there is none, -1 to 1.
    pub score: Option<f64>,
    /// The results against the panel.
    pub panel: Vec<PanelScore>,
}

/// The name of a training's network after some iterations.
pub(super) fn iteration(number: u32) -> String {
    format!("iteration {number}")
}

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
            Some(opponent @ PlayerSpec::Engine(_)) => {
                let own =
                    self.meet(state, &arena, &opponent.name(), self.built(opponent, "opponent", &arena)?, sink)?;
                let score = own.score;
                panel.insert(0, own);
                Some(score)
            }
            Some(opponent) => Some(self.score(state, opponent, &arena, sink)?),
            None => {
                let scores: Vec<f64> = panel.iter().map(|against| against.score).collect();
                gauntlet_ratings::intervals::mean(&scores)
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
        let mut agent = self.contender(&state.network("")?, &[Arc::clone(game)], seed, sink)?;
        let mut opponent = opponent.build(game, &Source { seed, checkpoint: self.upstream.of("opponent") })?;
        opponent.helped_by(&sink.cores());
        if wanted.openings == OpeningsSpec::None {
            return Ok(fitness(&**game, &mut agent, &mut *opponent, wanted.games, seed)?.mean());
        }
        let pairs = wanted.games.get() / 2;
        let played = play_pairs_from(&**game, [&mut agent, &mut *opponent], pairs, openings, seed)?;
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
        let mut agent = self.contender(&state.network("")?, &[Arc::clone(game)], &seed, sink)?;
        opponent.helped_by(&sink.cores());
        opponent.begin(&Setting { game: &arena.spec, stop: sink.stop() })?;
        let pairs = arena.wanted.games.get() / 2;
        let played = play_pairs_from(&**game, [&mut agent, &mut *opponent], pairs, &arena.openings, &seed)?;
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

/// All games of the evaluations as those of a tournament between the networks and their opponents; `None` without a panel.
pub(super) fn standing(untrained: Option<&Evaluated>, curve: &[Iteration]) -> Option<Standing> {
    let before = untrained.map(|evaluated| (0, &evaluated.panel));
    let evaluated: Vec<(u32, &Vec<PanelScore>)> =
        before.into_iter().chain((1..).zip(curve).map(|(number, entry)| (number, &entry.panel))).collect();
    let (mut players, mut engines) = (Vec::new(), BTreeMap::new());
    let mut meetings = Vec::new();
    let mut place = |name: &str| {
        players.iter().position(|known| known == name).unwrap_or_else(|| {
            players.push(name.to_owned());
            players.len() - 1
        })
    };
    let (mut plies, mut games, mut distinct) = (0, 0, 0);
    for (number, against) in
        evaluated.into_iter().flat_map(|(number, panel)| panel.iter().map(move |one| (number, one)))
    {
        let both = [place(&iteration(number)), place(&against.opponent)];
        let meeting = Encounter::counted(both, against.pairs, against.distinct);
        (plies, games, distinct) = (plies + against.plies, games + meeting.games, distinct + meeting.distinct);
        meetings.push(meeting);
        if let Some(facts) = &against.engine {
            let known: &mut EngineFacts = engines.entry(against.opponent.clone()).or_insert_with(|| facts.clone());
            known.repeatable &= facts.repeatable;
        }
    }
    if meetings.is_empty() {
        return None;
    }
    Some(Standing { games, distinct, plies, meetings, engines, ..Standing::new(players, &[], None) })
}
