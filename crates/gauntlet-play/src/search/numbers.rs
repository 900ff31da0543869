//! Numbers of a search's settings.

use gauntlet_games::base::bounded;

bounded! {
    /// Simulations of the tree search for one move.
    Simulations: u32 from 1 to 10_000_000, "{value} simulations: a search takes from {range}"
}
bounded! {
    /// Concentration of a Dirichlet distribution.
    Concentration: f64 above 0, "alpha is {value}: a concentration is a number {range}"
}
