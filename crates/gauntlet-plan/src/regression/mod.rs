//! The nightly regression test: whether tonight's candidate is as strong as the baseline.
//!
//! A suite makes a [`Promise`] over its matches, from which a [`Design`] follows: the tests, their error rates and
//! their maximum number of pairs. A [`Trial`] decides one match: it requests pairs in fixed batches, takes their
//! counts and ends with a [`Verdict`]. A [`Baseline`] is the reference of the comparison, a [`SuiteRun`] the result, and
//! [`history`] the earlier results. Games and reports are made elsewhere.

pub mod baseline;
mod design;
pub mod history;
mod pairs;
mod suite_run;
mod test_stage;
mod trial;
mod verdict;

pub use baseline::{Baseline, BaselineChange, BaselineEntry, BaselineError, Model};
pub use design::{Design, DesignError, Promise};
pub use pairs::Pairs;
pub use suite_run::{ChangeEstimate, Match, Method, Round, SuiteRun};
pub use test_stage::Finding;
pub use trial::{Order, Trial};
pub use verdict::Verdict;
