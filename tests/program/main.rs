//! Tests of the program as users see it: commands and manifests in; exit codes, messages and files out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budgets;
mod classes;
mod cli;
mod cluster;
mod consent;
mod criteria;
mod doctor;
mod engine_faults;
mod engine_out;
mod engines;
mod entrants;
mod extending;
mod faults;
mod foreign;
mod games;
mod gc;
mod ladder;
mod live;
mod manifests;
mod networks;
mod numbers;
mod onnx;
mod openings;
mod pages;
mod panels;
mod paper;
mod play;
mod published;
mod races;
mod rate;
mod regress;
mod runners;
mod runs;
mod scale;
mod schema;
mod solutions;
mod store;
mod tournaments;
mod trainers;
mod tunings;
mod verify;
mod words;
#[path = "../workshop/mod.rs"]
mod workshop;
