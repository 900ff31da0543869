//! Gauntlet as an engine: its players answer other programs through standard input and output.
//!
//! One file is one protocol. It has a [`Server`]: a state machine from lines of input to lines of output, without
//! threads, clocks of its own or files. [`converse`] connects one with the streams of the process.
//! A search runs in short slices between lines, so that a protocol can stop it at any time.

use gauntlet_games::base::visible;

mod board;
mod clock;
mod conversation;
mod gomocup;
mod gtp;
mod json;
mod served_player;
mod servers;
mod thinker;
mod uci;

pub use conversation::converse;
pub use served_player::ServedPlayer;
pub use servers::server;

/// The engine's side of a protocol.
pub trait Server: Send {
    /// Handles a line of input, or its end. Appends the answer to `out`: whole lines.
    fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next;

    /// Continues the search under way for some milliseconds. It is called only after [`Next::Think`] and [`Next::Busy`].
    fn think(&mut self, out: &mut String) -> Next {
        let _ = out;
        Next::Listen
    }

    /// Whether a line asks the engine to exit, in any state. The process then exits soon, even within a decision.
    fn is_exit_request(&self) -> fn(&str) -> bool {
        |_| false
    }

    /// Maximum length of a line in bytes.
    fn longest_line(&self) -> usize {
        1 << 20
    }
}

/// A part of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// A line without its end.
    Line(&'a str),
    /// A line that is too long; its text is lost.
    TooLong,
    /// The end of the input.
    End,
}

/// The state of a protocol after it was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// It waits for the next line.
    Listen,
    /// A search is under way: the next call is [`Server::think`], or a line that has arrived.
    Think,
    /// A search is under way, and lines wait for its end.
    Busy,
    /// It is done.
    Leave,
    /// It cannot go on, for this reason.
    Fail(String),
}

/// The beginning of a text of the other program, for messages.
fn excerpt(text: &str) -> String {
    const MOST: usize = 80;
    let text = visible(text.trim());
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
