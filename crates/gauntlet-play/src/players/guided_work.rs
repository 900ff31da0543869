//! The work of evaluating a position with a network, counted and not timed.

use super::{GuidedAgent, SubgraphSpec};
use gauntlet_games::games::Game;

impl GuidedAgent {
    /// Approximate floating-point operations of evaluating a position of this game, including its subgraphs.
    #[must_use]
    pub fn flops(&self, game: &dyn Game) -> f64 {
        let extent = self.encoding().extent(game);
        2.0 * self.network.architecture().board_macs(extent) * self.nodes(game) / (extent.sites + 1) as f64
    }

    /// Approximate number of nodes of a position of this game and of its subgraphs, including dummy nodes.
    #[must_use]
    pub fn nodes(&self, game: &dyn Game) -> f64 {
        let sites = self.encoding().extent(game).sites;
        let n = sites.isqrt();
        let sampled = |spec: SubgraphSpec| {
            let (least, most) = spec.sizes(n);
            spec.subgraphs(n) as f64 * ((least + most) as f64 / 2.0 + 1.0)
        };
        (sites + 1) as f64 + self.sampling().map_or(0.0, sampled)
    }
}
