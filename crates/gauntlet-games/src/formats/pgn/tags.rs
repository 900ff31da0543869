//! The tags of a game: players, result, and others that matter.

use super::results::{UNSEEN, is_unplayed, stated, stated_behind};
use crate::formats::stated::{LeftOut, StatedResult};
use crate::formats::text::utf_8_or_western;

/// The known tags of a game so far.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// Line of the first tag; 0 before it.
    pub(super) line: u64,
    pub(super) event: Option<String>,
    pub(super) names: [Option<String>; 2],
    pub(super) result: Option<String>,
    /// The position that was set up, and the line.
    pub(super) position: Option<(u64, String)>,
    /// The rules, if they are named, and the line.
    pub(super) variant: Option<(u64, String)>,
    /// Why the game ended.
    pub(super) termination: Option<String>,
    /// Number of plies of the opening.
    pub(super) opening: Option<String>,
    /// The name of the opening, or its moves.
    pub(super) opening_name: Option<String>,
    /// The number of the round, which may include that of the game.
    pub(super) round: Option<String>,
    /// The first fault.
    pub(super) fault: Option<(u64, String)>,
}

/// One tag in a line.
pub(super) struct Tag<'a> {
    pub(super) name: &'a [u8],
    value: &'a [u8],
    /// Its bytes, up to its closing bracket.
    pub(super) length: usize,
}

impl Tag<'_> {
    /// Parses the tag at the start of a text. A value ends at a quote followed by a bracket, so that unescaped quotes
    /// are accepted. No value holds another tag. A colon after the name, as some servers write it, is skipped.
    pub(super) fn read(text: &[u8]) -> Option<Tag<'_>> {
        let line = text.strip_prefix(b"[")?.trim_ascii_start();
        let length = line.iter().position(|&byte| !is_of_name(byte))?;
        let (name, rest) = line.split_at(length);
        let rest = rest.trim_ascii_start().strip_prefix(b"\"").filter(|_| length > 0)?;
        let mut quotes = rest.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at);
        let closes = |at: &usize| rest[at + 1..].trim_ascii_start().first() == Some(&b']');
        let is_escaped = |at: &usize| rest[..*at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
        let first = quotes.clone().find(closes)?;
        let end = quotes.find(|at| closes(at) && !is_escaped(at)).unwrap_or(first);
        if holds_tag(&rest[..end]) {
            return None;
        }
        let behind = &rest[end + 1..].trim_ascii_start()[1..];
        let name = name.strip_suffix(b":").unwrap_or(name);
        Some(Tag { name, value: &rest[..end], length: text.len() - behind.len() })
    }
}

/// Whether a value holds the start of one of the usual tags: its writer was stopped within it, and the next one went on.
fn holds_tag(value: &[u8]) -> bool {
    let starts = value.iter().enumerate().filter(|(_, byte)| **byte == b'[').map(|(at, _)| &value[at + 1..]);
    let is_usual = |rest: &[u8], name: &[u8]| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(b" \""));
    starts.into_iter().any(|rest| ROSTER.iter().any(|name| is_usual(rest, name)))
}

/// The name of one of the usual tags at the start of a text, if another tag begins in its value.
pub(super) fn torn_tag(text: &[u8]) -> Option<&'static [u8]> {
    let rest = text.strip_prefix(b"[")?;
    let name = ROSTER.into_iter().find(|name| rest.starts_with(name) && rest[name.len()..].starts_with(b" \""))?;
    holds_tag(rest).then_some(name)
}

/// The seven tags that every game has.
const ROSTER: [&[u8]; 7] = [b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result"];

/// Whether a byte may be part of a tag's name: the bytes that the standard allows, and letters of other alphabets.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_+#=:-./".contains(&byte) || !byte.is_ascii()
}

/// Known results, for a message.
const KNOWN: &str = "1-0, 0-1, 1/2-1/2, *, forfeits such as 1F-0F and +/-, and 0-0";

impl Tags {
    /// Whether a tag belongs to the next game, since this one has it already.
    pub(super) fn knows(&self, tag: &Tag<'_>) -> bool {
        match tag.name {
            b"Event" => self.event.is_some(),
            b"White" => self.names[0].is_some(),
            b"Black" => self.names[1].is_some(),
            b"Result" => self.result.is_some(),
            _ => false,
        }
    }

    /// Takes a tag of a line.
    pub(super) fn set(&mut self, tag: &Tag<'_>, line: u64) {
        let value = || Some(text(tag.value));
        match tag.name {
            b"Event" => self.event = value(),
            b"White" => self.names[0] = value(),
            b"Black" => self.names[1] = value(),
            b"Result" => self.result = value(),
            b"Termination" => self.termination = value(),
            b"FEN" => self.position = value().map(|position| (line, position)),
            b"Variant" => self.variant = value().map(|variant| (line, variant)),
            b"Opening" => self.opening_name = value(),
            b"Round" => self.round = value(),
            b"OpeningPlies" => self.opening = value(),
            _ => {}
        }
    }

    /// The fault if the result after the moves differs from the tag. The moves of a game without play may end with `*`.
    pub(super) fn conflict(&self, written: &str) -> Option<String> {
        let tag = self.result.as_deref()?;
        let written = written.trim_matches(UNSEEN);
        let (by_tag, by_moves) = (stated(tag)?, stated_behind(written)?);
        let differ = match (by_tag.outcome(), by_moves.outcome()) {
            (Some(_), None) => matches!(by_tag, StatedResult::Played(_)),
            (one, other) => one != other,
        };
        let line = self.line;
        let what = format!("the moves end with {written:?}, but the tag Result says {tag:?}");
        differ.then(|| format!("{what} (the game begins in line {line})"))
    }

    /// Records a fault, unless there is an earlier one.
    pub(super) fn blame(&mut self, line: u64, what: &str) {
        self.fault.get_or_insert_with(|| (line, what.to_owned()));
    }

    /// The result of a complete game, or a fault for a missing part.
    pub(super) fn stated(&self, has_moves: bool) -> Result<StatedResult, (u64, String)> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let at = |what: String| (self.line, what);
        for (name, tag) in self.names.iter().zip(["White", "Black"]) {
            if name.as_ref().is_none_or(|name| name.is_empty() || name == "?") {
                return Err(at(format!("the game that starts here names no player as {tag}")));
            }
        }
        let [first, second] = self.names.each_ref().map(|name| name.as_deref().unwrap_or_default());
        if first == second {
            return Err(at(format!("{first:?} plays against itself in the game that starts here")));
        }
        let Some(result) = self.result.as_deref() else {
            return Err(at("the game that starts here has no Result tag".to_owned()));
        };
        let unknown = || format!("the game that starts here has the unknown result {result:?} (known: {KNOWN})");
        let stated = stated(result).ok_or_else(|| at(unknown()))?;
        let is_unplayed = self.termination.as_deref().is_some_and(|text| is_unplayed(text, [first, second]));
        Ok(match stated {
            StatedResult::LeftOut(LeftOut::Unfinished) if is_unplayed => StatedResult::LeftOut(LeftOut::Unplayed),
            stated if is_unplayed || !has_moves => stated.without_play(),
            stated => stated,
        })
    }
}

/// A tag's value: UTF-8, or else Latin 1, as the standard has it, with the letters that Windows adds; `\"` and `\\`
/// stand for quote and backslash.
fn text(value: &[u8]) -> String {
    let text = utf_8_or_western(value);
    let text = if text.contains('\\') { text.replace("\\\"", "\"").replace("\\\\", "\\").into() } else { text };
    text.trim().to_owned()
}
