//! Numbers of a search's settings.

use gauntlet_games::base::bounded;

/// The most simulations of a search.
pub const MOST_SIMULATIONS: u32 = 10_000_000;

bounded! {
    /// Simulations of the tree search for one move.
    Simulations: u32 from 1 to 10_000_000, "{value} simulations: a search takes from {range}"
}
bounded! {
    /// Milliseconds of a search.
    Milliseconds: u32 from 1 to 3_600_000, "{value} ms: a search takes from {range}"
}
bounded! {
    /// Floating-point operations of a search.
    Operations: f64 from 1 to 1e18, "{value} operations: a search takes from {range}"
}
bounded! {
    /// Concentration of a Dirichlet distribution.
    Concentration: f64 above 0, "alpha is {value}: a concentration is a number {range}"
}
