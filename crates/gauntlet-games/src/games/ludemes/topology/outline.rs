//! The rim of a board: the sites on it, the corners where it turns, the straight sides between them.

use super::plane::{PlaneGraph, SiteKind, sides};

/// Maximum distance of a point from a line that it counts as on.
const NEAR: f64 = 0.01;

/// The sites on the rim, ascending: those with an edge that has a cell on one side only, or that lie on such an edge.
pub(super) fn rim(drawing: &PlaneGraph, kind: SiteKind) -> Vec<u16> {
    let mut edges: Vec<[u16; 2]> = drawing.faces().iter().flat_map(|face| sides(face)).collect();
    edges.sort_unstable();
    let outer: Vec<[u16; 2]> = edges.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).map(|run| run[0]).collect();
    let numbers = |on: &dyn Fn(usize) -> bool, count: usize| (0..count).filter(|&n| on(n)).map(|n| n as u16).collect();
    let is_outer = |edge: &[u16; 2]| outer.binary_search(edge).is_ok();
    match kind {
        SiteKind::Cell => numbers(&|n| sides(&drawing.faces()[n]).any(|edge| is_outer(&edge)), drawing.faces().len()),
        SiteKind::Edge => numbers(&|n| is_outer(&drawing.edges()[n]), drawing.edges().len()),
        SiteKind::Vertex => {
            let mut ends: Vec<u16> = outer.concat();
            ends.sort_unstable();
            ends.dedup();
            ends
        }
    }
}

/// The corners of the rim as a convex polygon, counter-clockwise. Empty if part of the rim lies within that polygon.
pub(super) fn corners(places: &[[f64; 2]], rim: &[u16]) -> Vec<u16> {
    let corners = hull(places, rim);
    let along = |site: &u16| pairs(&corners).any(|[from, to]| on_segment(places, from, to, *site));
    if rim.iter().all(along) { corners } else { Vec::new() }
}

/// The sites of the rim on the straight line between two corners.
pub(super) fn side(places: &[[f64; 2]], rim: &[u16], from: u16, to: u16) -> Vec<u16> {
    rim.iter().copied().filter(|&site| on_segment(places, from, to, site)).collect()
}

/// Each item with the next, around.
pub(super) fn pairs(of: &[u16]) -> impl Iterator<Item = [u16; 2]> + '_ {
    of.iter().copied().zip(of.iter().copied().cycle().skip(1)).map(|(a, b)| [a, b])
}

/// The angle of the left turn at b on the path a, b, c, in degrees.
pub(super) fn turn(places: &[[f64; 2]], [a, b, c]: [u16; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(|site| places[site as usize]);
    let angle = |from: [f64; 2], to: [f64; 2]| (to[1] - from[1]).atan2(to[0] - from[0]).to_degrees();
    (angle(b, c) - angle(a, b)).rem_euclid(360.0)
}

/// Andrew's monotone chain, without the points between corners.
fn hull(places: &[[f64; 2]], of: &[u16]) -> Vec<u16> {
    let place = |site: u16| places[site as usize];
    let mut sorted = of.to_vec();
    sorted.sort_by(|&a, &b| {
        let ([ax, ay], [bx, by]) = (place(a), place(b));
        if (ax - bx).abs() < NEAR { ay.total_cmp(&by) } else { ax.total_cmp(&bx) }
    });
    let chain = |sites: &mut dyn Iterator<Item = u16>| {
        let mut chain: Vec<u16> = Vec::new();
        for site in sites {
            while let [.., a, b] = chain[..]
                && cross(place(a), place(b), place(site)) < NEAR
            {
                chain.pop();
            }
            chain.push(site);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    if hull.is_empty() { sorted } else { hull }
}

fn on_segment(places: &[[f64; 2]], from: u16, to: u16, site: u16) -> bool {
    let [a, b, p] = [from, to, site].map(|site| places[site as usize]);
    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
    let along = (p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1]);
    cross(a, b, p).abs() < NEAR * length.max(1.0) && (-NEAR..=length * length + NEAR).contains(&along)
}

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}
