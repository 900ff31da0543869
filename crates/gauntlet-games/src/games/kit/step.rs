//! The effect of an action on the board, as far as it is the same in every position.
//!
//! Designed to cover chess (squares, and promotion), Lasca (a column of men is a piece on several levels; a capture
//! of several men is several actions, each a step) and Minishogi (a drop has only an arrival, and the kind in `aux`).
//! In each of them, all actions have distinct steps.

/// Origin and destination of an action. A law of the conformance kit: no two actions of a game have the same step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Step {
    /// The origin; `None` if a piece is placed.
    pub from: Option<u32>,
    /// The destination; `None` for a pass.
    pub to: Option<u32>,
    /// Distinguishes actions with the same sites, in the game's own fixed order: 0 for the plain move.
    pub aux: u16,
}

/// An action that changes no site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Offsite {
    /// The side to move does nothing.
    Pass,
    /// The sides are exchanged.
    Swap,
    /// The side makes a proposal defined by the rules, from 0.
    Propose(u8),
    /// The side votes for a proposal.
    Vote(u8),
}

impl Step {
    /// A placement on a site.
    #[must_use]
    #[inline]
    pub fn placement(site: usize) -> Step {
        Step { to: Some(site as u32), ..Step::default() }
    }

    /// A move from one site to another.
    #[must_use]
    #[inline]
    pub fn movement(from: usize, to: usize) -> Step {
        Step { from: Some(from as u32), to: Some(to as u32), aux: 0 }
    }

    /// The same step on a turned board: site `s` lies at `map[s]`.
    #[must_use]
    #[inline]
    pub fn turned(self, map: &[u32]) -> Step {
        let turned = |site: Option<u32>| site.map(|site| map[site as usize]);
        Step { from: turned(self.from), to: turned(self.to), ..self }
    }
}
