//! The trait that every kind of exhibit implements.

use super::about::About;
use super::context::{Content, Context};

/// A kind of table or figure, with its settings.
pub trait Kind {
    /// What it says about itself.
    fn about(&self) -> About<'_>;

    /// Its points, table, chart and notes.
    fn render(&self, context: &Context<'_>) -> Content;
}
