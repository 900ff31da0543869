//! The tags of a game: players, result, and what else counts.

use crate::base::{Outcome, Side};

/// What is known of a game so far.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// Line of the first tag; 0 before it.
    pub(super) line: u64,
    event: bool,
    pub(super) names: [Option<String>; 2],
    pub(super) result: Option<String>,
    /// The position that was set up.
    pub(super) position: Option<String>,
    /// Why the game was over.
    pub(super) termination: Option<String>,
    /// How many plies the opening gave.
    pub(super) opening: Option<String>,
    /// What the opening is called, or its moves.
    pub(super) opening_name: Option<String>,
    /// The number of the round, perhaps with that of the game in it.
    pub(super) round: Option<String>,
    /// The first thing that is wrong.
    pub(super) fault: Option<(u64, String)>,
}

/// What the two games of a pair have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairTags {
    /// The number of the pair.
    pair: u64,
    /// The position that was set up.
    start: Option<String>,
    /// What the opening is called or its moves, and how many plies it gave.
    opening: [Option<String>; 2],
}

/// Whether a line starts with `[Name "`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    split_tag(line).is_some()
}

/// Name, value and rest of a line that starts with a tag. A value ends at a quote followed by a bracket, so that
/// unescaped quotes do no harm.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let line = line.strip_prefix(b"[")?.trim_ascii_start();
    let length = line.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
    let (name, rest) = line.split_at(length);
    let rest = rest.trim_ascii_start().strip_prefix(b"\"").filter(|_| length > 0)?;
    let mut quotes = rest.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at);
    let closes = |at: &usize| rest[at + 1..].trim_ascii_start().first() == Some(&b']');
    let is_escaped = |at: &usize| rest[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let first = quotes.clone().find(closes)?;
    let end = quotes.find(|at| closes(at) && !is_escaped(at)).unwrap_or(first);
    let behind = rest[end + 1..].trim_ascii_start();
    Some((name, &rest[..end], behind[1..].trim_ascii_start()))
}

impl Tags {
    /// Takes the tags of a line; false when they belong to another game, since this one has them already.
    pub(super) fn take(&mut self, line: &[u8], number: u64) -> bool {
        if split_tag(line).is_some_and(|(name, _, _)| self.knows(name)) {
            return false;
        }
        if self.line == 0 {
            self.line = number;
        }
        let mut rest = line;
        while rest.first() == Some(&b'[') {
            let Some((name, value, behind)) = split_tag(rest) else {
                self.blame(number, "a tag reads [Name \"value\"]; this one does not");
                break;
            };
            self.set(name, value);
            rest = behind;
        }
        true
    }

    fn knows(&self, name: &[u8]) -> bool {
        match name {
            b"Event" => self.event,
            b"White" => self.names[0].is_some(),
            b"Black" => self.names[1].is_some(),
            b"Result" => self.result.is_some(),
            _ => false,
        }
    }

    fn set(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"Event" => self.event = true,
            b"White" => self.names[0] = Some(text(value)),
            b"Black" => self.names[1] = Some(text(value)),
            b"Result" => self.result = Some(text(value)),
            b"Termination" => self.termination = Some(text(value)),
            b"FEN" => self.position = Some(text(value)),
            b"Opening" => self.opening_name = Some(text(value)),
            b"Round" => self.round = Some(text(value)),
            b"OpeningPlies" => self.opening = Some(text(value)),
            _ => {}
        }
    }

    /// What two games of a pair have in common, and the place of this one in it: `Round "12.2"` is the second game of the
    /// pair 12.
    pub(super) fn pair(&self) -> Option<(PairTags, u8)> {
        let (pair, game) = self.round.as_deref()?.split_once('.')?;
        let game = game.parse().ok().filter(|game| (1..=2).contains(game))?;
        let start = self.position.clone();
        let opening = [&self.opening_name, &self.opening].map(Clone::clone);
        Some((PairTags { pair: pair.parse().ok()?, start, opening }, game))
    }

    /// Notes what is wrong, if nothing was before.
    pub(super) fn blame(&mut self, line: u64, what: &str) {
        self.fault.get_or_insert_with(|| (line, what.to_owned()));
    }

    /// The outcome of a game that has all it needs, or what it lacks.
    pub(super) fn outcome(&self) -> Result<Outcome, (u64, String)> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let at = |what: String| (self.line, what);
        for (name, tag) in self.names.iter().zip(["White", "Black"]) {
            if name.as_ref().is_none_or(|name| name.is_empty() || name == "?") {
                return Err(at(format!("the game that starts here names nobody as {tag}")));
            }
        }
        let [first, second] = self.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        if first == second {
            return Err(at(format!("{first:?} plays against itself in the game that starts here")));
        }
        match self.result.as_deref() {
            Some("1-0") => Ok(Outcome::Win(Side::First)),
            Some("0-1") => Ok(Outcome::Win(Side::Second)),
            Some("1/2-1/2" | "1/2") => Ok(Outcome::Draw),
            Some("*") => Err(at("the game that starts here has the result \"*\": it was not finished".to_owned())),
            Some(other) => Err(at(format!(
                "the game that starts here has the unknown result {other:?} (known: 1-0, 0-1, 1/2-1/2)"
            ))),
            None => Err(at("the game that starts here has no Result tag".to_owned())),
        }
    }
}

/// A tag's value: UTF-8, or else Latin 1, as the standard has it; `\"` and `\\` stand for quote and backslash.
fn text(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|&byte| char::from(byte)).collect(),
    };
    let text = if text.contains('\\') { text.replace("\\\"", "\"").replace("\\\\", "\\") } else { text };
    text.trim().to_owned()
}
