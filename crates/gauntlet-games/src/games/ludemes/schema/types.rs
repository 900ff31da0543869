//! The types of ludemes and of their parameters, and their literal words.

use super::super::text::{Kind, Node};

macro_rules! types {
    ($($type:ident $name:literal $say:literal,)*) => {
        /// The type of a ludeme or a parameter.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Type { $($type),* }
        impl Type {
            /// The type of this name in signatures.
            pub fn read(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$type),)* _ => None }
            }
            /// A description of the type for messages.
            pub fn say(self) -> &'static str {
                match self { $(Type::$type => $say),* }
            }
        }
    };
}

types! {
    Game "game" "a game",
    Players "players" "`(players ...)`",
    Player "player" "a player",
    Equipment "equipment" "`(equipment { ... })`",
    Item "item" "a piece of equipment",
    Pair "pair" "a pair",
    Rules "rules" "`(rules ...)`",
    Meta "meta" "`(meta ...)`",
    Metarule "metarule" "a rule about rules",
    Start "start" "`(start ...)`",
    Startrule "startrule" "a rule of the start",
    Play "play" "`(play ...)`",
    End "end" "`(end ...)`",
    Endrule "endrule" "a rule of the end",
    Result "result" "a result",
    Score "score" "a score",
    Phase "phase" "a phase",
    Nextphase "nextphase" "`(nextPhase ...)`",
    Graph "graph" "the graph of a board",
    To "to" "`(to ...)`",
    From "from" "`(from ...)`",
    Between "between" "`(between ...)`",
    Max "max" "`(max ...)`",
    Apply "apply" "`(apply ...)`",
    Then "then" "`(then ...)`",
    Piece "piece" "`(piece ...)`",
    Moves "moves" "a decision (moves to choose from)",
    Effect "effect" "a consequence",
    Bool "bool" "a condition",
    Int "int" "a number or a site",
    Region "region" "a set of sites",
    Dirs "dirs" "directions",
    Place "place" "a site or a set of sites",
    Named "named" "the name or number of a piece",
    Text "text" "a text in quotes",
    Role "role" "a role such as `P1` or `Mover`",
    Outcome "outcome" "`Win`, `Loss` or `Draw`",
    Sitetype "sitetype" "`Cell` or `Vertex`",
    Diagonals "diagonals" "`Alternating` or another pattern of diagonals",
    Owned "owned" "`Own`",
    Walk "walk" "a walk of steps: `{ F F R F }`, or several in braces",
    Number "number" "a number",
    Any "any" "a number, a name or a role",
}

/// A player role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// No player.
    Neutral,
    /// The first colour.
    P1,
    /// The second colour.
    P2,
    /// The colour to move.
    Mover,
    /// The colour that moves next.
    Next,
    /// The colour that is not to move.
    Enemy,
    /// Every player.
    Each,
}

impl Role {
    /// The role of this name.
    pub fn read(word: &str) -> Option<Role> {
        let index = ROLES.iter().position(|(known, _)| *known == word)?;
        Some(ROLES[index].1)
    }
}

/// The names of roles.
const ROLES: [(&str, Role); 9] = [
    ("Neutral", Role::Neutral),
    ("P1", Role::P1),
    ("P2", Role::P2),
    ("Mover", Role::Mover),
    ("Next", Role::Next),
    ("Each", Role::Each),
    ("All", Role::Each),
    ("Shared", Role::Neutral),
    ("Enemy", Role::Enemy),
];
/// The names without the roles.
const ROLE_NAMES: [&str; ROLES.len()] = {
    let mut names = [""; ROLES.len()];
    let mut index = 0;
    while index < ROLES.len() {
        names[index] = ROLES[index].0;
        index += 1;
    }
    names
};

/// The sixteen compass directions, clockwise from north.
pub const COMPASS: [&str; 16] =
    ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];

/// Directions from a piece's point of view, and relations between sites.
pub const TURNS: [&str; 18] = [
    "Forward",
    "FR",
    "Rightward",
    "BR",
    "Backward",
    "BL",
    "Leftward",
    "FL",
    "Forwards",
    "Rightwards",
    "Backwards",
    "Leftwards",
    "SameDirection",
    "OppositeDirection",
    "Orthogonal",
    "Diagonal",
    "Adjacent",
    "All",
];

/// Longer names of some directions.
const ALIASES: [(&str, &str); 4] =
    [("FRR", "Rightward"), ("FLL", "Leftward"), ("Right", "Rightward"), ("Left", "Leftward")];

/// The name of a direction, if the word is one.
pub fn direction(word: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(other, _)| *other == word).map_or(word, |(_, name)| name);
    COMPASS.iter().chain(&TURNS).find(|known| **known == alias).copied()
}

/// The literal words of a type.
pub fn words(of: Type) -> &'static [&'static str] {
    match of {
        Type::Outcome => &["Win", "Loss", "Draw"],
        Type::Sitetype => &["Cell", "Vertex"],
        Type::Diagonals => &["Alternating", "Solid", "Implied"],
        Type::Owned => &["Own"],
        Type::Bool => &["True", "False", "true", "false"],
        Type::Role => &ROLE_NAMES,
        Type::Walk => &["F", "R", "L"],
        _ => &[],
    }
}

/// Whether a word or text is a literal of a type.
pub fn is_value(of: Type, node: &Node) -> bool {
    let role = |word: &str| Role::read(word).is_some();
    let number = |word: &str| word.parse::<i32>().is_ok() || word == "Off";
    match (&node.kind, of) {
        (Kind::Text(_), Type::Text | Type::Region | Type::Int | Type::Place | Type::Any | Type::Named) => true,
        (Kind::Word(word), Type::Int | Type::Any | Type::Place) => number(word) || role(word),
        (Kind::Word(word), Type::Region | Type::Named) => word.parse::<i32>().is_ok(),
        (Kind::Word(word), Type::Number) => word.parse::<f64>().is_ok_and(f64::is_finite),
        (Kind::Word(word), Type::Dirs) => direction(word).is_some(),
        (Kind::Word(word), _) => words(of).contains(&word.as_str()),
        (Kind::Set(items), Type::Region | Type::Place | Type::Dirs | Type::Walk) => {
            items.iter().all(|item| is_value(of, item))
        }
        _ => false,
    }
}
