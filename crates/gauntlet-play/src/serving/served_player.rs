//! The player that an engine plays with, before it has a game.

use std::sync::Arc;

use crate::players::{PlayOverrides, Player, PlayerSpec, Source};
use crate::search::{MOST_SIMULATIONS, SearchBudget};
use gauntlet_games::base::Seed;
use gauntlet_games::games::Game;

/// A player with its name and its weights.
#[derive(Debug, Clone)]
pub struct ServedPlayer {
    /// Its name.
    pub name: String,
    /// The player.
    pub player: PlayerSpec,
    /// Its trained weights, if it has any.
    pub weights: Option<Arc<[u8]>>,
    /// Most simulations of a search, also of one that is limited by time; `None` for no such limit.
    pub most: Option<u32>,
}

impl ServedPlayer {
    /// The player, ready for a game.
    ///
    /// # Errors
    /// If it cannot play the game, or has no weights that fit; the message is a sentence.
    pub fn player(&self, game: &Arc<dyn Game>, seed: &Seed) -> Result<Box<dyn Player>, String> {
        self.player.check(game)?;
        self.player.build(game, &self.source(seed)).map_err(|error| error.to_string())
    }

    /// The sources of its weights.
    #[must_use]
    pub fn source<'a>(&'a self, seed: &'a Seed) -> Source<'a> {
        Source { seed, checkpoint: self.weights.as_deref() }
    }

    /// Sets the simulations of its search.
    ///
    /// # Errors
    /// If it does not search, or the number is out of range; the message is a sentence.
    pub fn set_simulations(&mut self, number: u64) -> Result<(), String> {
        let name = self.player.name();
        let wanted = u32::try_from(number).ok().filter(|number| (1..=MOST_SIMULATIONS).contains(number));
        let wanted = wanted.ok_or_else(|| format!("a search has 1 to {MOST_SIMULATIONS} simulations, not {number}"))?;
        let PlayOverrides { simulations, .. } = self.player.agent_mut().play_overrides();
        *simulations.ok_or_else(|| format!("{name} has no simulations"))? = SearchBudget::Simulations(wanted);
        Ok(())
    }

    /// Sets the temperature of its moves.
    ///
    /// # Errors
    /// If it has none, or the number is out of range; the message is a sentence.
    pub fn set_temperature(&mut self, tau: f64) -> Result<(), String> {
        let name = self.player.name();
        if !(tau.is_finite() && tau >= 0.0) {
            return Err(format!("a temperature is a number from 0, not {tau}"));
        }
        let PlayOverrides { temperature, .. } = self.player.agent_mut().play_overrides();
        *temperature.ok_or_else(|| format!("{name} has no temperature"))? = tau;
        Ok(())
    }
}
