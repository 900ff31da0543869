//! Drawings of boards: vertices at points, edges between them, and faces.

use std::collections::BTreeSet;

use thiserror::Error;

/// Maximum number of sites of a board.
pub const MOST_SITES: usize = 1024;
/// Points nearer to each other than this are the same.
const NEAR: f64 = 0.01;

/// The parts of a drawing that are sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SiteKind {
    /// The faces.
    #[default]
    Cell,
    /// The points.
    Vertex,
    /// The lines.
    Edge,
}

impl SiteKind {
    /// Plural name of this kind.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            SiteKind::Cell => "cells",
            SiteKind::Vertex => "vertices",
            SiteKind::Edge => "edges",
        }
    }
}

/// The reason why a shape is not a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// It has no sites of this kind.
    #[error("the board has no {}", kind.plural())]
    Empty {
        /// The kind of sites.
        kind: SiteKind,
    },
    /// It has more than [`MOST_SITES`] of them.
    #[error("the board has {sites} sites; at most {MOST_SITES} are supported")]
    TooLarge {
        /// Number of sites.
        sites: usize,
    },
}

/// A drawing of straight lines: vertices, edges and faces.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaneGraph {
    /// Points of the vertices, `[x, y]`, ascending by y, then x, before the drawing was turned.
    vertices: Vec<[f64; 2]>,
    /// Ends of the edges, the lower number first; ascending by the centre of the edge.
    edges: Vec<[u16; 2]>,
    /// The vertices around each face, counter-clockwise; ascending by the centre of the face.
    faces: Vec<Vec<u16>>,
    /// Vectors to the next cell in a row and in a column, and the angle in degrees by which the tiling may be turned
    /// and looks the same.
    axes: [[f64; 2]; 2],
    turn: f64,
    /// Whether the vertices lie in the same rows and columns.
    grid: bool,
}

impl PlaneGraph {
    /// A drawing of faces given by the points of their corners, and of further edges between vertices.
    pub(super) fn of_faces(outlines: &[Vec<[f64; 2]>], axes: [[f64; 2]; 2], turn: f64, grid: bool) -> PlaneGraph {
        let mut vertices: Vec<[f64; 2]> = outlines.iter().flatten().copied().collect();
        vertices.sort_by(by_place);
        vertices.dedup_by(|a, b| near(*a, *b));
        let number = |place: &[f64; 2]| vertices.partition_point(|other| by_place(other, place).is_lt()) as u16;
        let mut faces: Vec<Vec<u16>> = outlines.iter().map(|outline| outline.iter().map(number).collect()).collect();
        faces.sort_by(|a, b| by_place(&middle(&vertices, a), &middle(&vertices, b)));
        let edges = edges(&vertices, &faces);
        PlaneGraph { vertices, edges, faces, axes, turn, grid }
    }

    /// Points of the vertices.
    #[must_use]
    pub fn vertices(&self) -> &[[f64; 2]] {
        &self.vertices
    }

    /// Ends of the edges.
    #[must_use]
    pub fn edges(&self) -> &[[u16; 2]] {
        &self.edges
    }

    /// The vertices around each cell.
    #[must_use]
    pub fn faces(&self) -> &[Vec<u16>] {
        &self.faces
    }

    /// The centres of all sites of a kind.
    #[must_use]
    pub fn places(&self, kind: SiteKind) -> Vec<[f64; 2]> {
        match kind {
            SiteKind::Cell => self.faces.iter().map(|face| middle(&self.vertices, face)).collect(),
            SiteKind::Vertex => self.vertices.clone(),
            SiteKind::Edge => self.edges.iter().map(|edge| middle(&self.vertices, edge)).collect(),
        }
    }

    /// Vectors along a row and a column of sites of a kind, if they lie in rows and columns.
    pub(super) fn axes(&self, kind: SiteKind) -> Option<[[f64; 2]; 2]> {
        (kind == SiteKind::Cell || kind == SiteKind::Vertex && self.grid).then_some(self.axes)
    }

    /// The drawing turned counter-clockwise by an angle in degrees about its centre. Sites keep their numbers.
    #[must_use]
    pub fn rotated(mut self, degrees: f64) -> PlaneGraph {
        let centre = self.centre();
        for vertex in &mut self.vertices {
            let [x, y] = turned([vertex[0] - centre[0], vertex[1] - centre[1]], degrees);
            *vertex = [centre[0] + x, centre[1] + y];
        }
        let back = ((angle(self.axes[0]) + degrees + 1e-6) / self.turn).floor() * self.turn;
        self.axes = self.axes.map(|axis| turned(axis, degrees - back));
        self
    }

    /// The drawing moved to the right and up.
    #[must_use]
    pub fn shifted(mut self, right: f64, up: f64) -> PlaneGraph {
        self.vertices.iter_mut().for_each(|[x, y]| (*x, *y) = (*x + right, *y + up));
        self
    }

    /// The faces that the other drawing also has at the same point, in their order.
    #[must_use]
    pub fn intersected(&self, other: &PlaneGraph) -> PlaneGraph {
        let theirs = other.places(SiteKind::Cell);
        let has = |face: &&Vec<u16>| theirs.iter().any(|&place| near(place, middle(&self.vertices, face)));
        self.with_faces(self.faces.iter().filter(has).cloned().collect())
    }

    /// The same drawing with only these of its faces, and the vertices that they need.
    fn with_faces(&self, faces: Vec<Vec<u16>>) -> PlaneGraph {
        let used: Vec<u16> = faces.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let number = |vertex: u16| used.partition_point(|&other| other < vertex) as u16;
        let faces: Vec<Vec<u16>> = faces.into_iter().map(|face| face.into_iter().map(number).collect()).collect();
        let vertices: Vec<[f64; 2]> = used.iter().map(|&vertex| self.vertices[vertex as usize]).collect();
        let edges = edges(&vertices, &faces);
        PlaneGraph { vertices, edges, faces, ..*self }
    }

    /// The centre of the bounding box of the vertices.
    fn centre(&self) -> [f64; 2] {
        [0, 1].map(|axis| {
            let values = || self.vertices.iter().map(|place| place[axis]);
            f64::midpoint(values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        })
    }
}

/// The distinct sides of all faces.
fn edges(vertices: &[[f64; 2]], faces: &[Vec<u16>]) -> Vec<[u16; 2]> {
    let mut edges: Vec<[u16; 2]> = faces.iter().flat_map(|face| sides(face)).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.sort_by(|a, b| by_place(&middle(vertices, a), &middle(vertices, b)));
    edges
}

/// The edges around a face, the lower number first.
pub(super) fn sides(face: &[u16]) -> impl Iterator<Item = [u16; 2]> + '_ {
    let next = face.iter().cycle().skip(1);
    face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)])
}

fn middle(vertices: &[[f64; 2]], of: &[u16]) -> [f64; 2] {
    [0, 1].map(|axis| of.iter().map(|&vertex| vertices[vertex as usize][axis]).sum::<f64>() / of.len() as f64)
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).abs() < NEAR && (a[1] - b[1]).abs() < NEAR
}

/// Order from the lowest point up, in each row from the left.
fn by_place(a: &[f64; 2], b: &[f64; 2]) -> std::cmp::Ordering {
    let (down, left) = (a[1] - b[1], a[0] - b[0]);
    let apart = if down.abs() < NEAR { left } else { down };
    if apart.abs() < NEAR { std::cmp::Ordering::Equal } else { apart.total_cmp(&0.0) }
}

fn angle([x, y]: [f64; 2]) -> f64 {
    y.atan2(x).to_degrees()
}

fn turned([x, y]: [f64; 2], degrees: f64) -> [f64; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [x * cos - y * sin, x * sin + y * cos]
}
