//! The instructions of a compiled game. They refer to each other by number and are stored in flat tables: no
//! instruction owns another.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)] pub struct $name(pub u16);)*
    };
}

ids! {
    /// A number or site.
    IntId,
    /// A condition.
    BoolId,
    /// A set of sites.
    RegionId,
    /// A generator of moves.
    MovesId,
    /// An effect.
    EffectId,
    /// A set of directions.
    DirsId,
    /// A set of sites that is known at compile time.
    MaskId,
    /// A set of sites for every site, known at compile time.
    NearId,
}

/// An owner of pieces or moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// A colour: 1 or 2; 0 for no player.
    Colour(u8),
    /// The colour to move.
    Mover,
    /// The other colour.
    Opponent,
    /// The colour that moves next: the mover if it moves again.
    Next,
    /// Both colours.
    Both,
}

/// A site that rules read during evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// The origin of a move.
    From,
    /// The destination, or a candidate for it.
    To,
    /// The site in between.
    Between,
    /// The current site of a loop.
    Site,
}

/// Directions; bit `d` of a word is compass direction `d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dirs {
    /// Constant directions, by colour to move (0 unused).
    Fixed([u16; 3]),
    /// The direction of the last move.
    Same,
    /// The opposite direction of the last move.
    Opposite,
    /// The direction from a site to another.
    Towards(IntId, IntId),
}

/// Numbers; -1 stands for no site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Int {
    Const(i32),
    Register(Register),
    LastTo,
    LastFrom,
    Colour(Who),
    WhoAt(IntId),
    WhatAt(IntId),
    /// The owner of the piece on a level of a stack.
    WhoAtLevel(IntId, IntId),
    /// The piece on a level of a stack.
    WhatAtLevel(IntId, IntId),
    /// The lowest site with one of these kinds of pieces (bits).
    Where(u64),
    /// By colour to move.
    WhereOfMover([u64; 3]),
    TopLevel(IntId),
    CountAt(IntId),
    Moves,
    Turns,
    Counter,
    /// Pieces of an owner and of kinds (bits), by colour to move.
    Pieces(Who, u64),
    /// Those of them in a set of sites.
    PiecesIn(Who, u64, RegionId),
    /// Connected components of a set of sites.
    Groups(RegionId, NearId),
    Size(RegionId),
    Liberties(IntId, NearId),
    Ahead(IntId, IntId, DirsId),
    Column(IntId),
    Row(IntId),
    HandSite(Who, IntId),
    /// An entry of a table.
    Entry(u16, IntId),
    Max(IntId, IntId),
    Min(IntId, IntId),
    Plus(IntId, IntId),
    Minus(IntId, IntId),
    Times(IntId, IntId),
}

/// Conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Bool {
    Const(bool),
    In(IntId, RegionId),
    /// Whether two sets have a common site.
    Meet(RegionId, RegionId),
    Equal(IntId, IntId),
    Less(IntId, IntId),
    Even(IntId),
    Not(BoolId),
    And(BoolId, BoolId),
    Or(BoolId, BoolId),
    Line(u16),
    Connected(u16),
    /// Whether this colour made the last move.
    Prev(Who),
    Proposed(u8),
    Decided(u8),
    NoMoves(Who),
    CanMove(MovesId),
    /// Whether a condition on the register `Site` holds in all of a set.
    All(RegionId, BoolId),
    /// Whether an enemy of the piece on a site of the set could move there.
    Threatened(RegionId),
    /// Whether the group of a site has a liberty.
    Free(IntId, NearId),
}

/// A test for lines through a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTest {
    /// The site.
    pub through: IntId,
    /// The length.
    pub length: IntId,
    /// One direction of each axis (bits).
    pub axes: u16,
    /// Whether longer lines do not count.
    pub exact: bool,
    /// The sites that a line may contain.
    pub within: Option<RegionId>,
}

/// A test of whether a group joins regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// The colour whose stones form the group.
    pub who: Who,
    /// The regions to join, by colour.
    pub regions: [Vec<MaskId>; 3],
    /// The neighbours of each site.
    pub near: NearId,
}

/// Sets of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Region {
    Mask(MaskId),
    /// By colour to move (0 unused).
    MaskOf(Who, [MaskId; 3]),
    Empty,
    Occupied,
    Own(Who),
    /// Pieces of an owner and of kinds (bits).
    Kinds(Who, u64),
    /// The sites near a site, by colour to move.
    Near(IntId, [NearId; 3]),
    /// The sites from a site in directions computed during play, up to the edge of the board or one step.
    Ray(IntId, DirsId, bool),
    Single(IntId),
    Not(RegionId),
    And(RegionId, RegionId),
    Or(RegionId, RegionId),
    /// The sites of a set for which a condition holds; the register holds the tested site.
    Filter(RegionId, Register, BoolId),
    /// A set with the sites near it, repeated a number of times.
    Expand(RegionId, NearId, IntId),
    /// The sites that the mover visited in this turn.
    Visited,
    Hand(Who),
}

/// Generators of moves. A `rule` is an index into the table of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Moves {
    None,
    /// One move with equal origin and destination for each site of a set (add, remove, promote).
    On {
        rule: u8,
        sites: RegionId,
    },
    /// One move without sites (pass, propose, vote).
    Alone {
        rule: u8,
    },
    Step {
        rule: u8,
        from: IntId,
        dirs: DirsId,
        to: RegionId,
    },
    Slide {
        rule: u8,
        from: IntId,
        dirs: DirsId,
        go: RegionId,
        stop: Option<RegionId>,
    },
    /// Along the tracks of the board, around at least one corner, up to a site that stops the run.
    Track {
        rule: u8,
        from: IntId,
        go: RegionId,
        stop: RegionId,
    },
    Hop {
        rule: u8,
        from: IntId,
        dirs: DirsId,
        between: RegionId,
        to: RegionId,
    },
    /// From each site of a set to each site of another, which may depend on the first.
    Any {
        rule: u8,
        from: RegionId,
        to: RegionId,
    },
    /// By kind of piece: a row of the table of generators.
    Pieces {
        who: Who,
        table: u16,
        hand: bool,
    },
    Or(MovesId, MovesId),
    Priority(MovesId, MovesId),
    If(BoolId, MovesId, MovesId),
    /// The moves after which a condition holds. If the third is given, moves that end near an empty site need no
    /// test.
    Do(MovesId, BoolId, Option<NearId>),
}

/// Effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Effect {
    None,
    Seq(EffectId, EffectId),
    If(BoolId, EffectId, EffectId),
    /// Removes the pieces on every site of a set.
    Remove(RegionId),
    /// Moves the piece on a level of a stack (by default the top, or all) to another site.
    Relocate {
        from: IntId,
        to: IntId,
        level: Option<IntId>,
    },
    Add {
        piece: IntId,
        to: IntId,
    },
    Promote {
        at: IntId,
        piece: IntId,
    },
    Attract {
        from: IntId,
        dirs: DirsId,
    },
    /// Pieces in a row of at most `most` sites of a set, before a site of another set.
    Custodial {
        from: IntId,
        dirs: DirsId,
        most: IntId,
        between: RegionId,
        to: RegionId,
        effect: EffectId,
    },
    /// Each neighbour in a set whose own neighbours, up to a number of exceptions, are all in another set.
    Surround {
        from: IntId,
        near: NearId,
        between: RegionId,
        to: RegionId,
        except: IntId,
        effect: EffectId,
    },
    /// Each group of a set that has no empty neighbour.
    Enclose {
        from: IntId,
        near: NearId,
        between: RegionId,
        effect: EffectId,
    },
    /// All sites of a set in a row from a site.
    Directional {
        from: IntId,
        dirs: DirsId,
        to: RegionId,
        effect: EffectId,
    },
    SetCounter(IntId),
    MoveAgain,
    ForEachSite(RegionId, EffectId),
}

/// The notation of a move, and its kind in the counts of legal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum MoveKind {
    Place,
    Step,
    Slide,
    Hop,
    Select,
    Pass,
    Swap,
    Drop,
    Promote,
    Propose,
    Vote,
    Remove,
    Move,
}

/// The change that a move itself makes to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// No change.
    None,
    /// A piece of this kind, by colour to move, is put on the site.
    Put([u8; 3]),
    /// The piece on the site is removed.
    Take,
    /// The pieces at the origin, the top of a stack or all of it, move to the destination and replace the pieces
    /// there.
    Carry {
        /// Whether the whole stack moves.
        stack: bool,
    },
    /// The piece on the site becomes a piece of this kind, by colour to move.
    Become([u8; 3]),
    /// The mover proposes to decide on text number `.0`.
    Propose(u8),
    /// The mover votes for text number `.0`.
    Vote(u8),
}

/// A rule that makes moves, with their effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The kind of its moves.
    pub kind: MoveKind,
    /// The effect before the change.
    pub before: EffectId,
    /// The change itself.
    pub change: Change,
    /// The effect after it.
    pub then: EffectId,
    /// Rules of the same class have the same effect on a position for the same origin and destination.
    pub class: u8,
}
