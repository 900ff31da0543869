//! Boards as graphs of sites: numbers, points, neighbours, directions, rays and regions, computed once per game.
//!
//! A board is made in two steps: a [`PlaneGraph`] is drawn (a tiling, perhaps turned, moved or cut), and a
//! [`BoardGraph`] takes its cells, vertices or edges as sites. Sites are numbered by their points before the board is
//! turned: from the lowest row up, in each row from the left; `x` grows to the right and `y` upwards, and the edges
//! of a tiling have length 1. All tables are flat slices of `u16`, which are converted to masks.
//!
//! Tests compare them site by site with the reference system for the boards of fifteen games.

mod compass;
mod drawn;
mod labels;
mod links;
#[cfg(test)]
mod oracle;
mod outline;
mod plane;
mod rays;
mod regions;
mod tilings;
mod tracks;

pub use compass::Compass;
pub use drawn::Extras;
pub use links::Relation;
pub use plane::{MOST_SITES, PlaneGraph, ShapeError, SiteKind};
pub use regions::Regions;
pub use tilings::Diagonals;
pub use tracks::{Track, loops};

use links::Links;
use rays::Rays;

/// A board as a graph of sites, with all data that rules read.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardGraph {
    kind: SiteKind,
    drawing: PlaneGraph,
    places: Vec<[f64; 2]>,
    links: Links,
    rays: Rays,
    regions: Regions,
    /// Column and row of every site, from 0.
    cells: Vec<[u16; 2]>,
}

impl BoardGraph {
    /// The board whose sites are the cells, vertices or edges of a drawing.
    ///
    /// # Errors
    /// If there are no sites, or more than [`MOST_SITES`].
    pub fn new(drawing: PlaneGraph, kind: SiteKind) -> Result<BoardGraph, ShapeError> {
        let places = drawing.places(kind);
        match places.len() {
            0 => return Err(ShapeError::Empty { kind }),
            sites if sites > MOST_SITES => return Err(ShapeError::TooLarge { sites }),
            _ => {}
        }
        let links = Links::of(&drawing, kind);
        let rays = Rays::of(&places, &links);
        let regions = Regions::of(&drawing, kind, &places, &links);
        let cells = labels::cells(&places, drawing.axes(kind));
        Ok(BoardGraph { kind, drawing, places, links, rays, regions, cells })
    }

    /// The kind of its sites.
    #[must_use]
    pub fn kind(&self) -> SiteKind {
        self.kind
    }

    /// The drawing of the board.
    #[must_use]
    pub fn drawing(&self) -> &PlaneGraph {
        &self.drawing
    }

    /// Number of sites.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.places.len()
    }

    /// The centre of every site: x to the right, y upwards.
    #[must_use]
    pub fn places(&self) -> &[[f64; 2]] {
        &self.places
    }

    /// The neighbours of a site by this relation, ascending.
    #[must_use]
    pub fn neighbours(&self, relation: Relation, site: usize) -> &[u16] {
        self.links.of_site(relation, site)
    }

    /// The directions of neighbours by this relation, clockwise from the north.
    #[must_use]
    pub fn directions(&self, relation: Relation) -> &[Compass] {
        self.rays.directions(relation)
    }

    /// The next site in this direction, if there is one.
    #[must_use]
    pub fn step(&self, direction: Compass, site: usize) -> Option<u16> {
        self.ray(direction, site).first().copied()
    }

    /// The sites from a site (excluded) in this direction to the edge of the board, nearest first.
    #[must_use]
    #[inline]
    pub fn ray(&self, direction: Compass, site: usize) -> &[u16] {
        self.rays.ray(direction, site)
    }

    /// Distances from a site to every site by this relation, `u16::MAX` for unreachable sites.
    #[must_use]
    pub fn distances(&self, relation: Relation, from: usize) -> Vec<u16> {
        self.links.distances(relation, from)
    }

    /// Edges, corners, centre and colours of the board.
    #[must_use]
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Column and row of a site, from 0 at the lower left.
    #[must_use]
    pub fn column_and_row(&self, site: usize) -> [u16; 2] {
        self.cells[site]
    }

    /// The label of a site: its column as letters, its row as a number from 1.
    #[must_use]
    pub fn label(&self, site: usize) -> String {
        labels::label(self.cells[site])
    }

    /// The site with this label, ignoring case.
    #[must_use]
    pub fn site(&self, label: &str) -> Option<u16> {
        let cell = labels::cell(label)?;
        self.cells.iter().position(|&other| other == cell).map(|site| site as u16)
    }

    /// The sites of every row, or of every column if `line` is 0: in order of their row (column), each ascending.
    #[must_use]
    pub fn lines(&self, line: usize) -> Vec<Vec<u16>> {
        let last = self.cells.iter().map(|cell| cell[line]).max().unwrap_or(0);
        let sites = |number| (0..self.sites() as u16).filter(move |&site| self.cells[site as usize][line] == number);
        (0..=last).map(|number| sites(number).collect()).collect()
    }
}
