//! The nightly decision: was tonight's candidate as strong as the baseline? Numbers in, a ruling out.
//!
//! A suite makes a [`Promise`] over its matches, from which a [`Design`] follows: the tests, their error rates and how
//! many pairs they may take. A [`Trial`] decides one match: it asks for pairs in fixed batches, takes their counts and
//! ends with a [`Ruling`]. A [`Baseline`] is what tonight is compared with, a [`Night`] what came out, a [`history`]
//! what came out before. No game is played and no report is written here.

pub mod baseline;
mod design;
pub mod history;
mod night;
mod pairs;
mod ruling;
mod test_stage;
mod trial;

pub use baseline::{Baseline, BaselineChange, BaselineEntry, BaselineError, Model};
pub use design::{Design, DesignError, Promise};
pub use night::{ChangeEstimate, Match, Method, Night, Round};
pub use pairs::Pairs;
pub use ruling::Ruling;
pub use test_stage::Finding;
pub use trial::{Order, Trial};
