//! Hex: stones on a rhombus of hexagons; a side that joins its two edges wins. There is no draw.
//!
//! The first colour joins top and bottom, the second left and right (P. Hein 1942, J. Nash 1948). Site `row * size +
//! column` touches its neighbours in its row, two sites above (its column and one to the right) and two below (its
//! column and one to the left). With the swap rule, the second side may take over the first colour instead of its
//! first move: the stone and its goal stay the same, but the sides change.

use std::sync::Arc;

use rand::RngExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kit::notation;
use super::kit::set_up::stones;
use super::kit::stone_board::StoneBoard;
use super::{GridGame, HexSize, Piece, SetUpError, State, Topology, View};
use crate::base::{Action, Outcome, Rng, Side};

/// Settings of Hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HexSpec {
    /// Hexagons along one edge of the board, 2 to 25. Default: 11.
    #[serde(default)]
    pub size: HexSize,
    /// Whether the second side may take over the first colour instead of its first move. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub swap: bool,
}

impl HexSpec {
    /// The game with these settings.
    #[must_use]
    pub fn build(&self) -> GridGame<Hex> {
        let size = self.size.get();
        let swap = if self.swap { " swap" } else { "" };
        let game = GridGame::new(format!("hex {size}x{size}{swap}"), [size, size], Hex::new(size, self.swap));
        let edges = |along: fn(usize, usize) -> usize| {
            let outer = |site: &usize| along(*site, size) == 0 || along(*site, size) == size - 1;
            (0..size * size).filter(outer).collect()
        };
        let goals = [edges(|site, size| site / size), edges(|site, size| site % size)];
        let game = game.with_topology(Topology::hexagonal(size)).with_goals(goals);
        let game = game.with_chess_names().with_rows_from_top();
        if self.swap { game.with_extra(notation::SWAP) } else { game }
    }
}

/// A position of Hex. With the swap rule its view has one scalar: 1 after a swap, else 0.
#[derive(Debug, Clone)]
pub struct Hex {
    /// Stones by colour. The side that began has the first colour, unless the sides swapped.
    board: StoneBoard,
    neighbours: Arc<[Neighbours]>,
    /// A union-find forest of connected stones and edges: top, bottom, left, right, after the last site.
    parents: Box<[u16]>,
    swap: bool,
    swapped: bool,
}

/// The neighbours of a site.
#[derive(Debug)]
struct Neighbours {
    /// The neighbouring sites; the border's site for missing ones.
    beside: [u16; 6],
    /// By colour: the adjacent edge, or the site itself.
    edges: [u16; 2],
}

impl Hex {
    /// The empty board with this number of hexagons along an edge.
    #[must_use]
    pub fn new(size: usize, swap: bool) -> Hex {
        let (topology, sites) = (Topology::hexagonal(size), size * size);
        let edge = |site: usize, along: usize, first: usize| match along {
            0 => first,
            _ if along + 1 == size => first + 1,
            _ => site,
        };
        let around = |site: usize| {
            let mut beside = [sites as u16; 6];
            beside.iter_mut().zip(topology.neighbours(site)).for_each(|(slot, &at)| *slot = at as u16);
            let edges = [edge(site, site / size, sites), edge(site, site % size, sites + 2)];
            Neighbours { beside, edges: edges.map(|node| node as u16) }
        };
        let (neighbours, parents) = ((0..sites).map(around).collect(), (0..(sites + 4) as u16).collect());
        Hex { board: StoneBoard::new(sites), neighbours, parents, swap, swapped: false }
    }

    fn sites(&self) -> usize {
        self.neighbours.len()
    }

    /// The side that plays a colour.
    #[inline]
    fn owner(&self, colour: Side) -> Side {
        if self.swapped { colour.opponent() } else { colour }
    }

    /// Whether the side to move may swap.
    #[inline]
    fn may_swap(&self) -> bool {
        self.swap && !self.swapped && self.board.last.is_some() && self.board.free + 1 == self.sites()
    }

    /// The root of a stone's or an edge's tree.
    #[inline]
    fn root(&self, mut node: usize) -> usize {
        while usize::from(self.parents[node]) != node {
            node = usize::from(self.parents[node]);
        }
        node
    }

    /// The roots of a colour's two edges.
    #[inline]
    fn ends(&self, colour: Side) -> [usize; 2] {
        [0, 1].map(|end| self.root(self.sites() + 2 * colour.index() + end))
    }

    /// Puts a stone on a site and joins it to its neighbours.
    #[inline]
    fn put(&mut self, site: usize, colour: Side) {
        self.board.put(site, colour);
        let stone = Piece::stone(colour);
        let Neighbours { beside, edges } = self.neighbours[site];
        let mut root = usize::from(edges[colour.index()]);
        if root != site {
            root = self.join(site, root);
        }
        for at in beside.map(usize::from) {
            if self.board.pieces[at] == stone {
                root = self.join(root, at);
            }
        }
    }

    /// Joins the trees of two nodes and returns their root: the higher one, so that an edge is the root of the stones
    /// that touch it. Both nodes become children of the root.
    #[inline]
    fn join(&mut self, one: usize, other: usize) -> usize {
        let roots = [self.root(one), self.root(other)];
        let root = roots[0].max(roots[1]);
        for node in [roots[0], roots[1], one, other] {
            self.parents[node] = root as u16;
        }
        root
    }
}

impl State for Hex {
    fn side(&self) -> Side {
        self.owner(self.board.side)
    }
    fn actions(&self, into: &mut Vec<Action>) {
        self.board.actions(into);
        if self.may_swap() {
            into.push(Action::from(self.sites()));
        }
    }
    fn play(&mut self, action: Action) {
        if action.index() == self.sites() {
            self.swapped = true;
            self.board.last = Some(action);
            return;
        }
        let colour = self.board.side;
        self.put(action.index(), colour);
        let [one, other] = self.ends(colour);
        self.board.end_turn(action, (one == other).then(|| Outcome::Win(self.owner(colour))));
    }
    fn outcome(&self) -> Option<Outcome> {
        self.board.outcome
    }
    fn outcome_after(&self, action: Action) -> Option<Outcome> {
        if action.index() == self.sites() {
            return None;
        }
        let colour = self.board.side;
        let (stone, [one, other]) = (Piece::stone(colour), self.ends(colour));
        let Neighbours { beside, edges } = &self.neighbours[action.index()];
        let stones = beside.iter().filter(|&&at| self.board.pieces[usize::from(at)] == stone);
        let mut joined = [false; 2];
        for &at in stones.chain([&edges[colour.index()]]) {
            let root = self.root(usize::from(at));
            joined = [joined[0] || root == one, joined[1] || root == other];
        }
        (joined == [true; 2]).then(|| Outcome::Win(self.owner(colour)))
    }
    fn view(&self, view: &mut View) {
        let swapped = [f32::from(u8::from(self.swapped))];
        self.board.view(if self.swap { &swapped } else { &[] }, view);
        view.side = State::side(self);
        if self.swapped {
            for piece in &mut view.pieces {
                *piece = piece.side().map_or(Piece::EMPTY, |colour| Piece::stone(colour.opponent()));
            }
        }
    }
    fn key(&self) -> u128 {
        let mut mixer = self.board.mix();
        mixer.word(u64::from(self.swapped) + 2 * u64::from(self.may_swap()));
        mixer.finish()
    }
    fn has_history(&self) -> bool {
        false
    }
    fn set_up(&self, pieces: &[Piece], side: Side) -> Result<Hex, SetUpError> {
        if self.swap {
            // The pieces do not determine the colours of the sides.
            return Err(SetUpError::Unsupported);
        }
        let mut hex = Hex { board: StoneBoard::new(self.sites()), ..self.clone() };
        hex.parents.iter_mut().zip(0..).for_each(|(parent, node)| *parent = node);
        for stone in stones(pieces) {
            let (site, owner) = stone?;
            hex.put(site, owner);
        }
        hex.board.side = side;
        hex.board.outcome =
            Side::BOTH.into_iter().find(|&colour| hex.ends(colour)[0] == hex.ends(colour)[1]).map(Outcome::Win);
        Ok(hex)
    }
    fn random_action(&self, rng: &mut Rng) -> Action {
        if self.may_swap() && rng.random_range(0..=self.board.free) == self.board.free {
            return Action::from(self.sites());
        }
        self.board.random_action(rng)
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{Outcome, Side};
    use crate::games::{GameSpec, View};

    #[test]
    fn the_first_joins_top_and_bottom_and_the_second_left_and_right() {
        let game = serde_json::from_str::<GameSpec>(r#"{"hex":{"size":3}}"#).unwrap().build();
        for (moves, winner) in [("b1 a1 b2 a2 a3", Side::First), ("a1 a3 a2 b2 b3 c1", Side::Second)] {
            let mut position = game.start();
            moves.split(' ').for_each(|name| position.play(game.parse_action(name).unwrap()));
            assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{moves}");
        }
    }

    #[test]
    fn a_swap_changes_the_sides_and_leaves_the_stone() {
        let game = serde_json::from_str::<GameSpec>(r#"{"hex":{"size":3,"swap":true}}"#).unwrap().build();
        let (mut position, mut view, mut actions) = (game.start(), View::new(), Vec::new());
        assert_eq!(game.action_name(9.into()), "swap");
        position.actions(&mut actions);
        assert_eq!(actions.len(), 9);
        position.play(game.parse_action("b2").unwrap());
        position.play(game.parse_action("swap").unwrap());
        position.view(&mut view);
        assert_eq!((position.side(), view.pieces[4].side()), (Side::First, Some(Side::Second)));
        // The side that swapped now joins top and bottom.
        for name in ["a1", "b1", "c1", "a3"] {
            assert_eq!(position.outcome(), None);
            position.play(game.parse_action(name).unwrap());
        }
        assert_eq!(position.outcome(), Some(Outcome::Win(Side::Second)));
    }
}
