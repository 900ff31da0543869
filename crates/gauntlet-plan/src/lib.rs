//! Manifests of experiments, resolved to plans of jobs, with their costs.
//!
//! | module | contents |
//! |---|---|
//! | [`regression`] | the nightly gate: baselines, tests, verdicts |
//! | [`manifest`] | TOML to plan: profiles, sweeps, seeds, names, identity |
//! | [`costs`] | estimates of jobs: counted work, seconds on this machine, memory |
//!
//! A plan is data: it is printed, hashed and compared here. `gauntlet-run` runs it, `gauntlet-report` shows its results.

pub mod costs;
pub mod manifest;
pub mod regression;
