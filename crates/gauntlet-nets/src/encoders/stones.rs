//! Own and opponent stones of many positions at once, arranged for kernels that compute one position a lane.
//!
//! Schaul and Schmidhuber 2009, section 2.3: "the first [input] is 1 if a stone of the network's own color is
//! present and 0 otherwise, the second encodes the presence of an opponent's stone".

use gauntlet_games::games::{Position, View};

/// Number of positions that a kernel computes side by side; a power of two, one AVX-512 register of `f32`.
pub const LANES: usize = 16;

/// A batch of positions as own and opponent stones, `[block][site][LANES]`, values 0 or 1.
///
/// Position `i` is lane `i % LANES` of block `i / LANES`; the lanes beyond the last position hold zeros.
#[derive(Debug, Clone, Default)]
pub struct Stones {
    positions: usize,
    sites: usize,
    /// Stones of the side to move, `[block][site][LANES]`.
    own: Vec<f32>,
    /// Stones of the other side, `[block][site][LANES]`.
    opponent: Vec<f32>,
    view: View,
}

impl Stones {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Stones {
        Stones::default()
    }

    /// Replaces the batch by these positions, which share one board of `sites` sites.
    pub fn encode<'a>(&mut self, sites: usize, positions: impl ExactSizeIterator<Item = &'a dyn Position>) {
        self.reshape(sites, positions.len());
        let mut view = std::mem::take(&mut self.view);
        for (index, position) in positions.enumerate() {
            position.view(&mut view);
            self.fill(index, &view);
        }
        self.view = view;
    }

    /// Overwrites all sites of position `index`, without branches on the pieces.
    fn fill(&mut self, index: usize, view: &View) {
        debug_assert_eq!(view.pieces.len(), self.sites, "one level a site");
        let (lane, rows) = (index % LANES, index / LANES * self.sites..(index / LANES + 1) * self.sites);
        let own = &mut self.own.as_chunks_mut::<LANES>().0[rows.clone()];
        let opponent = &mut self.opponent.as_chunks_mut::<LANES>().0[rows];
        for ((piece, own), opponent) in view.pieces.iter().zip(own).zip(opponent) {
            let side = piece.side();
            own[lane] = f32::from(u8::from(side == Some(view.side)));
            opponent[lane] = f32::from(u8::from(side == Some(view.side.opponent())));
        }
    }

    /// Makes room for `positions` positions of `sites` sites, with zeros in the lanes beyond the last of them.
    fn reshape(&mut self, sites: usize, positions: usize) {
        let cells = positions.div_ceil(LANES) * LANES * sites;
        let whole = positions / LANES * LANES * sites;
        for plane in [&mut self.own, &mut self.opponent] {
            plane.resize(cells, 0.0);
            plane[whole..].fill(0.0);
        }
        (self.positions, self.sites) = (positions, sites);
    }

    /// Empties the batch and makes room for `positions` positions of `sites` sites.
    #[inline]
    pub fn clear(&mut self, sites: usize, positions: usize) {
        self.own.clear();
        self.opponent.clear();
        self.reshape(sites, positions);
    }

    /// Puts a stone into position `index`.
    #[inline]
    pub fn put(&mut self, index: usize, site: usize, own: bool) {
        let at = self.at(index, site);
        let plane = if own { &mut self.own } else { &mut self.opponent };
        plane[at] = 1.0;
    }

    /// The index of a site of position `index` in `own`, `opponent` and a kernel's logits.
    #[must_use]
    #[inline]
    pub fn at(&self, index: usize, site: usize) -> usize {
        (index / LANES * self.sites + site) * LANES + index % LANES
    }

    /// Number of positions.
    #[must_use]
    #[inline]
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Sites of one position.
    #[must_use]
    #[inline]
    pub fn sites(&self) -> usize {
        self.sites
    }

    /// Number of blocks of [`LANES`] positions.
    #[must_use]
    #[inline]
    pub fn blocks(&self) -> usize {
        self.positions.div_ceil(LANES)
    }

    /// Own and opponent stones of one block, each `[site][LANES]`.
    #[must_use]
    #[inline]
    pub fn block(&self, block: usize) -> (&[f32], &[f32]) {
        let range = block * self.sites * LANES..(block + 1) * self.sites * LANES;
        (&self.own[range.clone()], &self.opponent[range])
    }
}
