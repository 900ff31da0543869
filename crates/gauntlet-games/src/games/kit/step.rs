//! What an action does to the board, as far as it does the same in every position.
//!
//! Checked on paper against chess (squares, and what a pawn becomes), Lasca (a column of men is a piece on several levels;
//! a capture of several men is several actions, each a step) and Minishogi (a drop has an arrival alone, and the kind in
//! `aux`): each gives all of its actions steps of their own.

/// Where an action begins and ends. A law of the conformance kit: no two actions of a game have the same step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Step {
    /// The site that is left; none where something is put on the board.
    pub from: Option<u32>,
    /// The site that is reached; none of a pass.
    pub to: Option<u32>,
    /// Tells apart what else begins and ends there, in the game's own fixed order: 0 for the plain move.
    pub aux: u16,
}

/// An action that leaves all sites as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Offsite {
    /// The side to move does nothing.
    Pass,
    /// The sides are exchanged.
    Swap,
    /// One of the proposals of the rules is made, from 0.
    Propose(u8),
    /// The side votes for one of them.
    Vote(u8),
}

impl Step {
    /// Something is put on a site.
    #[must_use]
    #[inline]
    pub fn placement(site: usize) -> Step {
        Step { to: Some(site as u32), ..Step::default() }
    }

    /// Something goes from one site to another.
    #[must_use]
    #[inline]
    pub fn movement(from: usize, to: usize) -> Step {
        Step { from: Some(from as u32), to: Some(to as u32), aux: 0 }
    }

    /// The same step on a board that is turned: site `s` lies at `map[s]`.
    #[must_use]
    #[inline]
    pub fn turned(self, map: &[u32]) -> Step {
        let turned = |site: Option<u32>| site.map(|site| map[site as usize]);
        Step { from: turned(self.from), to: turned(self.to), ..self }
    }
}
