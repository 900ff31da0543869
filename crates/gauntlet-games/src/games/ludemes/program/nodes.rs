//! The instructions of a compiled game. They name each other by number and lie in flat tables: no instruction owns
//! another.

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
    /// A consequence.
    EffectId,
    /// A set of directions.
    DirsId,
    /// A set of sites that is known at compile time.
    MaskId,
    /// For every site a set of sites, known at compile time.
    NearId,
}

/// Whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// A colour: 1 or 2; 0 for no player.
    Colour(u8),
    /// The colour to move.
    Mover,
    /// The other colour.
    Opponent,
    /// The colour that moves next: the mover itself where it moves again.
    Next,
    /// Both colours.
    Both,
}

/// A place that a rule speaks of while it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// Where a move begins.
    From,
    /// Where it ends, or what is tried as such.
    To,
    /// What lies between.
    Between,
    /// What a loop over sites is at.
    Site,
}

/// Directions; bit `d` of a word is point `d` of the compass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dirs {
    /// The same always, by colour to move (0 unused).
    Fixed([u16; 3]),
    /// That of the last move.
    Same,
    /// The opposite of that of the last move.
    Opposite,
    /// That from a site to another.
    Towards(IntId, IntId),
}

/// Numbers; a site that is none is -1.
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
    /// Groups of the sites in a set that hang together.
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
    /// Whether an enemy of what stands on a site of the set could move there.
    Threatened(RegionId),
    /// Whether the group of a site has a liberty.
    Free(IntId, NearId),
}

/// A test for lines through a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Through which site.
    pub through: IntId,
    /// How long.
    pub length: IntId,
    /// One direction of each axis (bits).
    pub axes: u16,
    /// Whether longer ones do not count.
    pub exact: bool,
    /// What has to hold on every site of it: the sites where it does.
    pub within: Option<RegionId>,
}

/// A test whether a group joins regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    /// Who: a colour's own stones.
    pub who: Who,
    /// What it has to join, by colour.
    pub regions: [Vec<MaskId>; 3],
    /// What is beside what.
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
    /// What is near a site, by colour to move.
    Near(IntId, [NearId; 3]),
    /// What is near a site in directions that are known at play only, up to the edge of the board or one step.
    Ray(IntId, DirsId, bool),
    Single(IntId),
    Not(RegionId),
    And(RegionId, RegionId),
    Or(RegionId, RegionId),
    /// Those of a set for which a condition holds, in which the register stands for them.
    Filter(RegionId, Register, BoolId),
    /// A set and what is near it, so many times.
    Expand(RegionId, NearId, IntId),
    /// Where the mover was in this turn.
    Visited,
    Hand(Who),
}

/// Generators of moves. A `rule` is an index into the table of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Moves {
    None,
    /// One move that begins and ends on each site of a set (add, remove, promote).
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
    /// Along the tracks of the board, around a corner at least, up to what stops.
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
    /// Those after which a condition holds. Where the third is given, those that end near an empty site need no test.
    Do(MovesId, BoolId, Option<NearId>),
}

/// Consequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the ludeme of its name")]
pub enum Effect {
    None,
    Seq(EffectId, EffectId),
    If(BoolId, EffectId, EffectId),
    /// Removes what stands on every site of a set.
    Remove(RegionId),
    /// Moves the piece on a level of a stack (the top, or all where that is none) to another site.
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
    /// What lies in a row of at most `most` sites of a set, before one of another.
    Custodial {
        from: IntId,
        dirs: DirsId,
        most: IntId,
        between: RegionId,
        to: RegionId,
        effect: EffectId,
    },
    /// Each neighbour in a set whose own neighbours are all in another set but for so many.
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

/// How a move is written, and what it is in the counts of legal moves.
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

/// What a move itself does to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Nothing.
    None,
    /// A piece of this kind, by colour to move, is put on the site.
    Put([u8; 3]),
    /// What stands on the site is taken off.
    Take,
    /// What stands where the move begins, the top of a stack or all of it, goes where it ends, and replaces what is there.
    Carry {
        /// Whether all of a stack goes.
        stack: bool,
    },
    /// What stands on the site becomes a piece of this kind, by colour to move.
    Become([u8; 3]),
    /// The mover proposes to decide on text number `.0`.
    Propose(u8),
    /// The mover votes for text number `.0`.
    Vote(u8),
}

/// A rule that makes moves: what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What its moves are called.
    pub kind: MoveKind,
    /// What happens before the change.
    pub before: EffectId,
    /// The change itself.
    pub change: Change,
    /// What happens after it.
    pub then: EffectId,
    /// Rules of the same class do the same to a position, given where a move begins and ends.
    pub class: u8,
}
