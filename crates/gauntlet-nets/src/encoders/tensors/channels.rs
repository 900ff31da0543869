//! Channels of a state.

use gauntlet_games::games::Piece;

/// Number of levels of a column of pieces that are shown from the bottom, and from the top.
pub(super) const LEVELS: usize = 5;

/// The properties of a game that determine the shapes of its tensors, apart from its board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TensorFacts {
    /// The kinds of pieces, each with its owner, in the order of the rules.
    pub pieces: Vec<Piece>,
    /// Whether several pieces can be stacked.
    pub stacks: bool,
    /// Whether several equal pieces can be on one site.
    pub counts: bool,
    /// Whether the sides may be exchanged.
    pub swap: bool,
    /// Whether pieces move, so that moves have an origin.
    pub moves: bool,
    /// Number of proposals that can be made and voted for.
    pub proposals: usize,
}

/// One channel of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Ones on the sites of this piece.
    Piece(Piece),
    /// Ones on its sites on this level from the bottom, from 0.
    Bottom(Piece, u8),
    /// Ones on its sites this number of levels below the top.
    Top(Piece, u8),
    /// Height of the stack.
    Height,
    /// Number of pieces on a site.
    Count,
    /// Ones everywhere if this side is to move: 0 for the first.
    Mover(u8),
    /// Ones everywhere after a swap.
    Swapped,
    /// Ones on the sites of the board (0) or of a hand.
    Container(u8),
    /// A one at the origin of the last move (0), or of the one before (1).
    From(u8),
    /// A one at its destination.
    To(u8),
}

impl TensorFacts {
    /// The channels of a state, in order, with this number of hands.
    #[must_use]
    pub fn channels(&self, hands: usize) -> Vec<Channel> {
        let mut channels: Vec<Channel> = self.pieces.iter().flat_map(|&piece| self.of_piece(piece)).collect();
        channels.extend(self.stacks.then_some(Channel::Height));
        channels.extend(self.counts.then_some(Channel::Count));
        channels.extend([0, 1].map(Channel::Mover));
        channels.extend(self.swap.then_some(Channel::Swapped));
        channels.extend((0..=hands as u8).map(Channel::Container));
        channels.extend([0, 1].into_iter().flat_map(|ago| [Channel::From(ago), Channel::To(ago)]));
        channels
    }

    fn of_piece(&self, piece: Piece) -> Vec<Channel> {
        let levels = || 0..LEVELS as u8;
        if self.stacks {
            levels()
                .map(|level| Channel::Bottom(piece, level))
                .chain(levels().map(|level| Channel::Top(piece, level)))
                .collect()
        } else {
            vec![Channel::Piece(piece)]
        }
    }
}
