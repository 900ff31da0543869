//! Hints for the user: the opponent's policy and value in the user's position, those of the network beside those of
//! the search, if it has both.

use std::sync::Arc;

use crate::app::Opponent;
use crate::cli::output::table;
use gauntlet_games::base::{Action, Seed};
use gauntlet_games::games::{Game, Position};
use gauntlet_play::players::{Agent, Decision, Player, PlayerError, Source, Turn};

/// Number of moves in a hint.
const SHOWN: usize = 8;

/// Players that give hints without playing, each with its heading.
pub struct Adviser {
    explainers: Vec<(&'static str, Box<dyn Player>)>,
}

impl Adviser {
    /// The advisers of an opponent.
    ///
    /// # Errors
    /// See [`PlayerSpec::build`].
    pub fn new(opponent: &Opponent, game: &Arc<dyn Game>, source: &Source<'_>) -> Result<Adviser, PlayerError> {
        let voice = |(word, agent): (_, Box<dyn Agent>)| Ok((word, agent.build(game, source)?));
        let mut explainers =
            opponent.player.agent().explainers().into_iter().map(voice).collect::<Result<Vec<_>, PlayerError>>()?;
        if explainers.is_empty() {
            explainers.push(("player", opponent.player.build(game, source)?));
        }
        Ok(Adviser { explainers })
    }

    /// A table of the most probable moves, and the values.
    ///
    /// # Errors
    /// If a player fails.
    pub fn advise(&mut self, game: &dyn Game, position: &dyn Position, seed: &Seed) -> Result<String, PlayerError> {
        let mut decisions = Vec::new();
        for (word, player) in &mut self.explainers {
            let mut rng = seed.rng();
            let mut turns = [Turn::new(0, position, &mut rng)];
            player.decide(&mut turns)?;
            let [turn] = turns;
            decisions.push((*word, turn.decision));
            player.forget(0);
        }
        let name = |action| game.write_move(position, action);
        Ok(describe(&name, &decisions))
    }
}

fn describe(name: &dyn Fn(Action) -> String, decisions: &[(&str, Decision)]) -> String {
    let (_, last) = decisions.last().expect("there is a voice");
    if last.policy.is_empty() {
        let action = last.action.map_or("nothing".to_owned(), name);
        return format!("it would play {action}; it computes no policy and no value");
    }
    let mut policy: Vec<(Action, f32)> = last.considered().collect();
    policy.sort_by(|(a, p), (b, q)| q.total_cmp(p).then(a.cmp(b)));
    let share = |decision: &Decision, action: Action| {
        let found = decision.considered().find(|(other, _)| *other == action);
        found.map_or("-".to_owned(), |(_, p)| format!("{:.1} %", 100.0 * p))
    };
    let row = |&(action, _): &(Action, f32)| {
        std::iter::once(name(action)).chain(decisions.iter().map(|(_, it)| share(it, action))).collect()
    };
    let value = |decision: &Decision| decision.value.map_or("-".to_owned(), |value| format!("{value:+.2}"));
    let values = std::iter::once("value".to_owned()).chain(decisions.iter().map(|(_, it)| value(it))).collect();
    let header: Vec<&str> = std::iter::once("move").chain(decisions.iter().map(|(word, _)| *word)).collect();
    let rows: Vec<Vec<String>> = policy.iter().take(SHOWN).map(row).chain([values]).collect();
    table(&header, rows) + "(value: -1 a loss, 1 a win for who is to move)"
}
