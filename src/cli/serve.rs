//! `gauntlet serve`: a page on this machine that shows active runs without loading it again, and replays recorded games.

mod pages;
mod request;

use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use tiny_http::Server;

use super::limits::whole;
use super::output::{Misuse, note, result};
use super::{Exit, Flags};
use crate::scheduler::{Stop, stop_on_signals};
use pages::Pages;
use request::answer;

/// Threads that answer requests.
const THREADS: usize = 3;
/// Longest wait for a request before the stop flag is looked at.
const PATIENCE: Duration = Duration::from_millis(200);

/// Show active runs in a browser, without loading the page again, and replay recorded games with the policy and the
/// value of their players. Only this machine can open the page
#[derive(Debug, Args)]
pub struct Serve {
    /// Port of the page; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 7474, value_parser = whole(0..=u16::MAX))]
    port: u16,
}

impl Serve {
    /// Answers requests until it is interrupted.
    ///
    /// # Errors
    /// If the port is taken.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let store = flags.options.look()?;
        let taken = |error: Box<dyn std::error::Error + Send + Sync>| {
            Misuse::new(format!("port {} cannot be used: {error}", self.port), "name another one, or any: --port 0")
        };
        let server = Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))).map_err(taken)?;
        let port = server.server_addr().to_ip().map_or(self.port, |address| address.port());
        result(&format!("http://127.0.0.1:{port}/"));
        if std::io::stderr().is_terminal() {
            note(flags.quiet, "Ctrl-C ends it");
        }
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        let (server, pages) = (Arc::new(server), Pages::new(store, flags.options.results.display().to_string()));
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| listen(&server, &pages, port, &stop));
            }
        });
        Ok(Exit::Done)
    }
}

fn listen(server: &Server, pages: &Pages, port: u16, stop: &Stop) {
    while !stop.is_requested() {
        match server.recv_timeout(PATIENCE) {
            Ok(Some(request)) => answer(request, pages, port),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!("the server does not listen any more: {error}");
                return;
            }
        }
    }
}
