//! `gauntlet serve`: a page on this machine that shows active runs without loading it again, and replays recorded games.

mod connections;
mod pages;
mod request;

use std::io::{IsTerminal as _, Result};
use std::net::{Ipv4Addr, SocketAddr};

use clap::Args;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::limits::whole;
use super::output::{Misuse, note, result};
use super::{Exit, Flags};
use connections::serve;
use gauntlet_run::scheduler::{Stop, stop_on_signals};
use pages::Pages;

/// Answers that are computed at the same time; more than a browser asks for.
const ANSWERS: usize = 16;

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
    /// If there are no results, or the port is taken.
    pub fn run(&self, flags: &Flags) -> anyhow::Result<Exit> {
        let (store, results) = (flags.options.look()?, flags.options.results.display().to_string());
        if !store.root().is_dir() {
            let hint = "`gauntlet run` makes one; or name the directory that holds results with --results";
            return Err(Misuse::new(format!("there is no directory {results}"), hint));
        }
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(ANSWERS).build()?;
        let taken = |error| {
            Misuse::new(format!("port {} cannot be used: {error}", self.port), "name another one, or any: --port 0")
        };
        let (listener, port) = self.bound(&runtime).map_err(taken)?;
        result(&format!("http://127.0.0.1:{port}/"));
        if std::io::stderr().is_terminal() {
            note(flags.quiet, "Ctrl-C ends it");
        }
        let stop = Stop::default();
        // A second handler in one process (tests) is refused; the first one stays.
        let _ = stop_on_signals(&stop);
        runtime.block_on(serve(&listener, Pages::new(store, results), port, &stop));
        // An answer that is being computed must not delay the end.
        runtime.shutdown_background();
        Ok(Exit::Done)
    }

    fn bound(&self, runtime: &Runtime) -> Result<(TcpListener, u16)> {
        let listener = runtime.block_on(TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port))))?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    }
}
