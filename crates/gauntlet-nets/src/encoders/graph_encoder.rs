//! Positions as graphs: one number a node, from the point of view of the side to move (own 1, opponent's -1).

use std::sync::Arc;

use super::{Batch, Dims, Encoder, Encoding, Extent, Graph, plays_on_sites};
use gauntlet_games::games::{Game, Lookback, Position, Topology, View};

/// Boards as graphs, of any games.
#[derive(Debug, Clone, Copy)]
pub struct BoardGraphs;

impl BoardGraphs {
    /// The dimensions for a board with `sites` sites.
    #[must_use]
    pub fn of(sites: usize) -> Extent {
        Extent { dims: Dims::Graphs { features: 1 }, sites, slots: sites + 1 }
    }
}

impl Encoding for BoardGraphs {
    fn check(&self, game: &dyn Game) -> Result<(), String> {
        let (actions, sites) = (game.action_count(), game.topology().sites());
        if !plays_on_sites(game) {
            return Err(format!(
                "it has a logit a site and one for a pass, and there are {actions} actions on {sites} sites; \
                 `saz = {{ moves = true }}` has one a move"
            ));
        }
        if game.kinds() > 1 {
            return Err(
                "its nodes show the owners of pieces but not their kinds; use `saz = { moves = true }` to show both"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn extent(&self, game: &dyn Game) -> Extent {
        BoardGraphs::of(game.topology().sites())
    }

    fn lookback(&self, _game: &dyn Game) -> Lookback {
        Lookback::NONE
    }

    fn encoder(&self, boards: &[Arc<dyn Game>]) -> Box<dyn Encoder> {
        Box::new(GraphEncoder::new(boards.iter().map(|game| game.topology())))
    }
}

/// Encodes boards as graphs with one canonical number a node; boards are identified by their number of sites.
#[derive(Debug, Clone)]
pub struct GraphEncoder {
    boards: Vec<Arc<Graph>>,
    view: View,
}

impl GraphEncoder {
    /// An encoder for positions on these boards.
    ///
    /// # Panics
    /// If two different boards have equally many sites.
    #[must_use]
    pub fn new<'a>(boards: impl IntoIterator<Item = &'a Topology>) -> GraphEncoder {
        let mut encoder = GraphEncoder { boards: Vec::new(), view: View::new() };
        for board in boards {
            let graph = Graph::board(board);
            match encoder.boards.iter().find(|other| other.sites() == graph.sites()) {
                Some(other) => assert!(**other == graph, "two boards of {} sites", graph.sites()),
                None => encoder.boards.push(Arc::new(graph)),
            }
        }
        encoder
    }

    /// The graph of the board with this many sites.
    ///
    /// # Panics
    /// If the encoder does not know the board, which is a bug of the caller.
    #[must_use]
    #[inline]
    pub fn board(&self, sites: usize) -> &Arc<Graph> {
        let board = self.boards.iter().find(|board| board.sites() == sites);
        board.unwrap_or_else(|| panic!("no board of {sites} sites was announced"))
    }
}

impl Encoder for GraphEncoder {
    fn dims(&self) -> Dims {
        Dims::Graphs { features: 1 }
    }

    fn lookback(&self) -> Lookback {
        Lookback::NONE
    }

    fn encode(&mut self, positions: &[&dyn Position], batch: &mut Batch) {
        batch.clear();
        let Batch::Graphs(graphs) = batch else { panic!("graphs are written into graphs") };
        let mut view = std::mem::take(&mut self.view);
        for position in positions {
            position.view(&mut view);
            let own = view.side;
            let value = |side| if side == own { 1.0 } else { -1.0 };
            graphs.push(self.board(view.pieces.len()), view.pieces.iter().map(|piece| piece.side().map_or(0.0, value)));
        }
        self.view = view;
    }

    fn fork(&self) -> Box<dyn Encoder> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use gauntlet_games::base::Action;
    use gauntlet_games::games::GameSpec;

    fn game(size: usize) -> Arc<dyn gauntlet_games::games::Game> {
        toml::from_str::<GameSpec>(&format!("gomoku = {{ size = {size} }}")).unwrap().build()
    }

    #[test]
    fn boards_of_different_sizes_share_a_batch() {
        let games = [game(5), game(7)];
        let mut encoder = GraphEncoder::new(games.iter().map(|game| game.topology()));
        let mut positions = games.each_ref().map(|game| game.start());
        for position in &mut positions {
            [3, 8, 6].into_iter().for_each(|action| position.play(Action(action)));
        }
        let mut batch = Batch::new(encoder.dims());
        encoder.encode(&[&*positions[0], &*positions[1], &*positions[0]], &mut batch);
        assert_eq!((batch.positions(), batch.logits()), (3, 26 + 50 + 26));
        assert_eq!((batch.span(1), batch.span(2)), (26..76, 76..102));
        let Batch::Graphs(graphs) = &batch else { panic!("an encoder of graphs") };
        let stones = |span: Range<usize>| -> Vec<(usize, f32)> {
            graphs.values()[span].iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect()
        };
        for index in 0..3 {
            assert_eq!(stones(graphs.span(index)), [(3, -1.0), (6, -1.0), (8, 1.0)]);
        }
    }
}
