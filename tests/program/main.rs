//! Tests of the program as users see it: commands and manifests in; exit codes, messages and files out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cli;
mod cluster;
mod doctor;
mod engine_faults;
mod engine_out;
mod engines;
mod entrants;
mod extending;
mod faults;
mod games;
mod ladder;
mod live;
mod manifests;
mod numbers;
mod openings;
mod play;
mod rate;
mod regress;
mod runners;
mod scale;
mod schema;
mod store;
mod verify;
mod words;
#[path = "../workshop/mod.rs"]
mod workshop;
