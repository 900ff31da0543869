//! What the channels of a state show.

use gauntlet_games::games::Piece;

/// Levels of a column of pieces that are shown from the bottom, and from the top.
pub(super) const LEVELS: usize = 5;

/// What decides the shapes of a game's tensors, apart from its board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TensorFacts {
    /// The kinds of pieces that there are, each with its owner, in the order of the rules.
    pub pieces: Vec<Piece>,
    /// Whether several pieces can stand on one another.
    pub stacks: bool,
    /// Whether several equal pieces can lie on one site.
    pub counts: bool,
    /// Whether the sides may be exchanged.
    pub swap: bool,
    /// Whether pieces move, so that moves begin somewhere.
    pub moves: bool,
    /// How many things can be proposed and voted for.
    pub proposals: usize,
}

/// One channel of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Ones where this piece stands.
    Piece(Piece),
    /// Ones where it stands on this level from the bottom, from 0.
    Bottom(Piece, u8),
    /// Ones where it stands so many levels below the top.
    Top(Piece, u8),
    /// How many pieces stand on one another.
    Height,
    /// How many pieces lie on a site.
    Count,
    /// Ones everywhere if this side is to move: 0 for the first.
    Mover(u8),
    /// Ones everywhere after a swap.
    Swapped,
    /// Ones where the board (0) or a hand has a site.
    Container(u8),
    /// A one where the last move (0), or the one before (1), began.
    From(u8),
    /// A one where it ended.
    To(u8),
}

impl TensorFacts {
    /// The channels of a state, in order, with so many hands.
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
