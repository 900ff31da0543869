//! The policy and the value of a recorded game's players in its positions, computed now: records hold actions alone.
//!
//! The players are those of the job's settings, with the weights that the job read if these are in the same results
//! tree.

use std::sync::Arc;

use serde_json::{Value, json};

use super::RecordedGame;
use gauntlet_games::base::{Action, Key, Seed};
use gauntlet_games::games::{Game, Position};
use gauntlet_plan::manifest::plan::identity::KeyInputs;
use gauntlet_play::players::{Agent, Player, Source, Turn};
use gauntlet_run::scheduler::weights_file;
use gauntlet_store::{Store, read_path};

/// Most moves of a policy that are shown.
const MOST_MOVES: usize = 12;

/// The advisers of one player, each with its heading: its network, its search.
pub struct Advisers {
    game: Arc<dyn Game>,
    advisers: Vec<(&'static str, Box<dyn Player>)>,
    seed: Seed,
}

impl Advisers {
    /// The advisers of the player at a place of a job's list; `None` if it explains nothing, or its weights are not here.
    pub fn new(store: &Store, directory: &str, place: usize) -> Option<Advisers> {
        let inputs: KeyInputs = store.key_inputs_in(directory).ok().flatten()?;
        let job = inputs.spec.job();
        let game: Arc<dyn Game> = job.game()?.build();
        let players = job.players();
        // By its name in a tournament, by its role elsewhere.
        let (name, spec) = players.get(place)?;
        let seed = Seed::new(inputs.seed);
        // Without its weights, a player takes random ones, and its advice is wrong.
        let weights = match upstream(&inputs.upstream, name) {
            Some((key, iteration)) => Some(weights(store, key, iteration)?),
            None if spec.weights_file().is_some() => return None,
            None => None,
        };
        let source = Source { seed: &seed, checkpoint: weights.as_deref() };
        let build = |(word, agent): (&'static str, Box<dyn Agent>)| Some((word, agent.build(&game, &source).ok()?));
        let advisers: Vec<_> = spec.agent().explainers().into_iter().filter_map(build).collect();
        (!advisers.is_empty()).then_some(Advisers { game, advisers, seed })
    }

    /// The policies and values in the position before an action of a game.
    pub fn advise(&mut self, game: &RecordedGame, ply: usize) -> Option<Value> {
        let played = *game.record.actions.get(ply)?;
        let mut position = self.game.begin(game.record.start.as_deref()).ok()?;
        game.record.actions[..ply].iter().for_each(|&action| position.play(action));
        let advisers = &mut self.advisers;
        let advice: Vec<Value> = advisers
            .iter_mut()
            .filter_map(|(word, player)| one(word, &mut **player, &*self.game, &*position, played, &self.seed))
            .collect();
        (!advice.is_empty()).then(|| json!(advice))
    }
}

/// The policy and the value of one adviser.
fn one(
    word: &str,
    player: &mut dyn Player,
    game: &dyn Game,
    position: &dyn Position,
    played: Action,
    seed: &Seed,
) -> Option<Value> {
    let mut rng = seed.rng();
    let mut turns = [Turn::new(0, position, &mut rng)];
    let decided = player.decide(&mut turns);
    let [turn] = turns;
    player.forget(0);
    decided.ok()?;
    let mut policy: Vec<(Action, f32)> = turn.decision.considered().collect();
    policy.sort_by(|(a, p), (b, q)| q.total_cmp(p).then(a.cmp(b)));
    let share = |(action, share): &(Action, f32)| json!({ "move": game.write_move(position, *action), "share": share, "played": *action == played });
    // The played move is shown, however improbable it is.
    let shown = policy.iter().enumerate().filter(|(at, (action, _))| *at < MOST_MOVES || *action == played);
    let moves: Vec<Value> = shown.map(|(_, entry)| share(entry)).collect();
    (!moves.is_empty()).then(|| json!({ "by": word, "value": turn.decision.value, "moves": moves }))
}

/// The training whose weights a job read for a player, and the iteration: its own one, or the only one.
fn upstream<'a>(upstream: &'a Value, player: &str) -> Option<(&'a str, Option<u32>)> {
    match upstream {
        Value::String(key) => Some((key, None)),
        named => {
            let iteration = named[player]["iteration"].as_u64().and_then(|iteration| u32::try_from(iteration).ok());
            Some((named[player]["job"].as_str()?, iteration))
        }
    }
}

/// The weights of a training; `None` if they are not here.
fn weights(store: &Store, key: &str, iteration: Option<u32>) -> Option<Vec<u8>> {
    let key: Key = key.parse().ok()?;
    let ending = format!("-{key}");
    let directory = store.directories().ok()?.into_iter().find(|name| name.ends_with(&ending))?;
    read_path(&store.root().join("jobs").join(directory).join(weights_file(iteration))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_has_the_weights_of_its_own_training_or_of_the_only_one() {
        let named = json!({ "a": { "job": "k1", "iteration": 3 }, "b": { "job": "k2", "iteration": null } });
        assert_eq!(upstream(&named, "a"), Some(("k1", Some(3))));
        assert_eq!(upstream(&named, "b"), Some(("k2", None)));
        assert_eq!(upstream(&named, "c"), None);
        assert_eq!(upstream(&json!("k"), "agent"), Some(("k", None)));
        assert_eq!(upstream(&Value::Null, "agent"), None);
    }
}
