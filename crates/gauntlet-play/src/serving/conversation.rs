//! The loop between a protocol and the streams of the process.
//!
//! One thread reads lines, another one runs the server, and the caller waits for its end. The process can therefore
//! exit although a read or a long decision is under way.

use std::io::{BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Input, Next, Server};

/// Lines that are read ahead.
const AHEAD: usize = 64;

/// Time for a decision under way after the other program asked the engine to exit.
const AFTER_EXIT_REQUEST: Duration = Duration::from_secs(1);

/// Time for each remaining line after the input has ended.
const AFTER_END: Duration = Duration::from_secs(60);

/// A line that was read.
enum InputLine {
    Line(String),
    TooLong,
    End,
}

/// What the two threads report.
enum Report {
    /// The protocol has ended, perhaps with an error.
    Done(Result<(), String>),
    /// The protocol has handled a line.
    Handled,
    /// A line that asks the engine to exit was read.
    ExitRequest,
    /// The end of the input was read.
    End,
}

/// Runs a protocol until it ends, or until shortly after the end of the input. A closed output ends it too.
///
/// # Errors
/// The reason for which the protocol cannot go on.
pub fn converse(
    server: Box<dyn Server>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), String> {
    let (lines, received) = sync_channel(AHEAD);
    let (reports, events) = channel();
    let (is_exit_request, longest, leaving) = (server.is_exit_request(), server.longest_line(), reports.clone());
    let input = BufReader::with_capacity(1 << 16, input);
    thread::spawn(move || listen(input, longest, is_exit_request, &lines, &leaving));
    thread::spawn(move || {
        // The reader's thread also holds the channel, so that a panic would not close it.
        let result = catch_unwind(AssertUnwindSafe(|| run(server, &received, output, &reports)));
        let result = result.unwrap_or_else(|_| Err("the engine has stopped after an internal error".to_owned()));
        // The caller may have left.
        let _ = reports.send(Report::Done(result));
    });
    wait(&events)
}

/// Waits for the end of the server, but not beyond the time at which the engine has to exit.
fn wait(events: &Receiver<Report>) -> Result<(), String> {
    let (mut exit_request, mut end) = (None, None);
    loop {
        let deadline: Option<Instant> = exit_request.into_iter().chain(end).min();
        let event = match deadline {
            Some(deadline) => events.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok(),
            None => events.recv().ok(),
        };
        match event {
            Some(Report::Done(result)) => return result,
            Some(Report::ExitRequest) => exit_request = exit_request.or(Some(Instant::now() + AFTER_EXIT_REQUEST)),
            Some(Report::End) => end = Some(Instant::now() + AFTER_END),
            Some(Report::Handled) => end = end.map(|_| Instant::now() + AFTER_END),
            None => return Ok(()),
        }
    }
}

/// Reads lines until the end of the input, and reports when the engine has to exit.
fn listen(
    mut input: impl BufRead,
    longest: usize,
    is_exit_request: fn(&str) -> bool,
    lines: &SyncSender<InputLine>,
    reports: &Sender<Report>,
) {
    loop {
        let line = read_line(&mut input, longest);
        let report = match &line {
            InputLine::Line(line) if is_exit_request(line) => Some(Report::ExitRequest),
            InputLine::End => Some(Report::End),
            _ => None,
        };
        let is_end = matches!(line, InputLine::End);
        // The channels are closed once the protocol has ended.
        if report.is_some_and(|report| reports.send(report).is_err()) || lines.send(line).is_err() || is_end {
            return;
        }
    }
}

/// The next line, without its end. Text that is not UTF-8 is kept as far as possible. A read error ends the input.
fn read_line(input: &mut impl BufRead, longest: usize) -> InputLine {
    let mut bytes = Vec::new();
    let most = longest as u64 + 2;
    match input.take(most).read_until(b'\n', &mut bytes) {
        Err(_) | Ok(0) => return InputLine::End,
        Ok(_) => {}
    }
    let is_whole = bytes.ends_with(b"\n");
    while bytes.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        bytes.pop();
    }
    if bytes.len() > longest {
        if !is_whole {
            skip_line(input);
        }
        return InputLine::TooLong;
    }
    InputLine::Line(
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

/// Drops the rest of a line without keeping it.
fn skip_line(input: &mut impl BufRead) {
    while let Ok(bytes) = input.fill_buf() {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (used, is_done) = (end.map_or(bytes.len(), |end| end + 1), end.is_some() || bytes.is_empty());
        input.consume(used);
        if is_done {
            return;
        }
    }
}

/// Runs the server: lines come before slices of a search, unless it is busy.
fn run(
    mut server: Box<dyn Server>,
    lines: &Receiver<InputLine>,
    mut output: impl Write,
    reports: &Sender<Report>,
) -> Result<(), String> {
    let (mut out, mut next, mut has_ended) = (String::new(), Next::Listen, false);
    loop {
        let input = match next {
            Next::Leave => return Ok(()),
            Next::Fail(reason) => return Err(reason),
            Next::Listen if has_ended => return Ok(()),
            Next::Listen => Some(lines.recv().unwrap_or(InputLine::End)),
            Next::Busy => None,
            Next::Think if has_ended => None,
            Next::Think => match lines.try_recv() {
                Ok(line) => Some(line),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(InputLine::End),
            },
        };
        has_ended |= matches!(input, Some(InputLine::End));
        next = match &input {
            Some(InputLine::Line(line)) => server.handle(Input::Line(line), &mut out),
            Some(InputLine::TooLong) => server.handle(Input::TooLong, &mut out),
            Some(InputLine::End) => server.handle(Input::End, &mut out),
            None => server.think(&mut out),
        };
        let sent = if out.is_empty() { Ok(()) } else { output.write_all(out.as_bytes()).and_then(|()| output.flush()) };
        if sent.is_err() {
            return Ok(());
        }
        out.clear();
        if input.is_some() {
            // The caller may have left.
            let _ = reports.send(Report::Handled);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Repeats lines; counts to a number in slices; hangs.
    #[derive(Default)]
    struct Parrot {
        left: u32,
    }

    impl Server for Parrot {
        fn handle(&mut self, input: Input<'_>, out: &mut String) -> Next {
            match input {
                Input::Line("quit") => return Next::Leave,
                Input::Line("fail") => return Next::Fail("it failed".to_owned()),
                Input::Line("panic") => panic!("a test of panics"),
                Input::Line("hang") => thread::sleep(Duration::from_secs(600)),
                Input::Line("stop") => self.left = 0,
                Input::Line(line) => match line.parse() {
                    Ok(number) => self.left = number,
                    Err(_) => *out += &format!("{line}\n"),
                },
                Input::TooLong => *out += "too long\n",
                Input::End => *out += "end\n",
            }
            if self.left > 0 { Next::Think } else { Next::Listen }
        }

        fn think(&mut self, out: &mut String) -> Next {
            self.left -= 1;
            if self.left > 0 {
                return Next::Think;
            }
            *out += "counted\n";
            Next::Listen
        }

        fn is_exit_request(&self) -> fn(&str) -> bool {
            |line| line == "quit"
        }

        fn longest_line(&self) -> usize {
            20
        }
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn said(input: &str) -> (Result<(), String>, String) {
        let output = Shared::default();
        let result = converse(Box::new(Parrot::default()), Cursor::new(input.to_owned()), output.clone());
        let bytes = output.0.lock().unwrap().clone();
        (result, String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn lines_are_answered_in_order_until_the_end() {
        assert_eq!(said("a\r\nb\n\nc").1, "a\nb\n\nc\nend\n");
        let long = "x".repeat(100_000);
        assert_eq!(
            said(&format!("{long}\n{}\nb\n{long}", "y".repeat(20))).1,
            format!("too long\n{}\nb\ntoo long\nend\n", "y".repeat(20))
        );
        assert_eq!(said("a\nquit\nb\n"), (Ok(()), "a\n".to_owned()));
        assert_eq!(said("a\nfail\nb\n"), (Err("it failed".to_owned()), "a\n".to_owned()));
    }

    #[test]
    fn a_search_runs_between_lines_and_after_the_end() {
        assert_eq!(said("5000\n").1, "end\ncounted\n");
        let (_, text) = said("4000000000\na\nstop\nb\n");
        assert_eq!(text, "a\nb\nend\n");
    }

    #[test]
    fn an_exit_request_is_read_within_a_long_decision_and_a_panic_is_an_error() {
        let begun = std::time::Instant::now();
        assert_eq!(said("a\nhang\nquit\n"), (Ok(()), "a\n".to_owned()));
        assert!(begun.elapsed() < Duration::from_secs(8));
        assert!(said("panic\n").0.unwrap_err().contains("internal error"));
    }

    #[test]
    fn a_closed_output_ends_it() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (input, _open) = std::io::pipe().unwrap();
        let mut open = _open.try_clone().unwrap();
        open.write_all(b"a\n").unwrap();
        assert_eq!(converse(Box::new(Parrot::default()), input, Closed), Ok(()));
    }
}
