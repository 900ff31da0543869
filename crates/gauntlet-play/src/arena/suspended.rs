//! Games that an interruption suspends: they go on from their last decision, and end as if nothing had happened.
//!
//! A decision depends on the position and on a random stream. So the actions, and how far each stream has been used,
//! are the whole state, unless a player remembers earlier decisions: see [`crate::players::Player::remembers`].

use rand::Rng as _;
use serde::{Deserialize, Serialize};

use super::adjudicate::Agreement;
use super::resign::Streaks;
use gauntlet_games::base::{Action, Rng, Seed, Side};
use gauntlet_games::formats::Opening;
use gauntlet_games::games::Game;

/// A game under way, without its players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspendedGame {
    /// Index of the game.
    pub(super) game: usize,
    /// Its actions, with those of its opening.
    pub(super) actions: Vec<Action>,
    /// Numbers that the first and the second side have drawn from their streams.
    pub(super) drawn: [u64; 2],
    pub(super) streaks: Streaks,
    pub(super) agreement: Agreement,
    /// The side that would have resigned first, if resigning is off.
    pub(super) would_resign: Option<Side>,
}

impl SuspendedGame {
    /// Whether it can be a game that began with this opening, and is not over.
    #[must_use]
    pub fn fits(&self, game: &dyn Game, opening: &Opening) -> bool {
        let Ok(mut position) = game.begin(opening.start.as_deref()) else { return false };
        let mut legal = Vec::new();
        let mut plays = |&action: &Action| {
            legal.clear();
            position.actions(&mut legal);
            let is_legal = legal.contains(&action);
            if is_legal {
                position.play(action);
            }
            is_legal
        };
        self.actions.starts_with(&opening.actions)
            && self.actions.iter().all(&mut plays)
            && position.outcome().is_none()
    }
}

/// Numbers that were drawn from the stream with this seed until its generator was `now`.
pub(super) fn drawn(seed: &Seed, now: &Rng) -> u64 {
    let mut rng = seed.rng();
    let mut count = 0;
    while rng != *now {
        rng.next_u64();
        count += 1;
    }
    count
}

/// Draws this many numbers.
pub(super) fn draw(count: u64, rng: &mut Rng) {
    (0..count).for_each(|_| {
        rng.next_u64();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt as _;

    #[test]
    fn a_stream_goes_on_after_the_numbers_that_were_drawn() {
        let seed = Seed::new(1);
        let mut rng = seed.rng();
        assert_eq!(drawn(&seed, &rng), 0);
        let _: (u64, u32, bool, f32) = (rng.random(), rng.random(), rng.random(), rng.random());
        let _: u32 = rng.random_range(0..3);
        let mut bytes = [0; 13];
        rng.fill_bytes(&mut bytes);
        let mut other = seed.rng();
        draw(drawn(&seed, &rng), &mut other);
        assert_eq!(other, rng);
        assert!(drawn(&seed, &rng) >= 6);
    }
}
