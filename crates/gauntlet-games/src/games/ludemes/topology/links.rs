//! Neighbours of sites.

use std::collections::VecDeque;

use super::plane::{PlaneGraph, SiteKind, sides};

/// The relation of neighbouring sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Any of the relations below.
    All,
    /// Cells that touch, at an edge or at a corner; vertices that an edge joins; edges that share an end.
    Adjacent,
    /// Cells with a common edge; vertices that an edge joins; edges that share an end.
    Orthogonal,
    /// Cells that touch at a corner only or that one edge joins from corner to corner; vertices opposite each other in a
    /// square.
    Diagonal,
}

/// The neighbours of every site by [`Relation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Links {
    relations: [Lists; 4],
}

impl Links {
    /// The neighbours of all sites of a kind.
    pub(super) fn of(drawing: &PlaneGraph, kind: SiteKind) -> Links {
        let [adjacent, orthogonal, diagonal] = match kind {
            SiteKind::Cell => cells(drawing),
            SiteKind::Vertex => vertices(drawing),
            SiteKind::Edge => edges(drawing),
        };
        let all = adjacent.iter().zip(&diagonal).map(|(a, b)| [&a[..], b].concat()).collect();
        Links { relations: [all, adjacent, orthogonal, diagonal].map(Lists::new) }
    }

    pub(super) fn of_site(&self, relation: Relation, site: usize) -> &[u16] {
        self.relations[relation as usize].get(site)
    }

    pub(super) fn sites(&self) -> usize {
        self.relations[0].starts.len() - 1
    }

    /// Distances by breadth-first search from a site; `u16::MAX` for unreachable sites.
    pub(super) fn distances(&self, relation: Relation, from: usize) -> Vec<u16> {
        let mut distances = vec![u16::MAX; self.sites()];
        distances[from] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(site) = queue.pop_front() {
            for &next in self.of_site(relation, site) {
                if distances[next as usize] == u16::MAX {
                    distances[next as usize] = distances[site] + 1;
                    queue.push_back(next as usize);
                }
            }
        }
        distances
    }
}

/// A list of sites for each number, stored consecutively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lists {
    starts: Vec<u32>,
    sites: Vec<u16>,
}

impl Lists {
    /// Sorts each list and removes duplicates.
    fn new(lists: Vec<Vec<u16>>) -> Lists {
        Lists::ordered(lists.into_iter().map(|mut list| {
            list.sort_unstable();
            list.dedup();
            list
        }))
    }

    /// Keeps the order of each list.
    pub(super) fn ordered(lists: impl Iterator<Item = Vec<u16>>) -> Lists {
        let mut flat = Lists { starts: vec![0], sites: Vec::new() };
        for list in lists {
            flat.sites.extend(list);
            flat.starts.push(flat.sites.len() as u32);
        }
        flat
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> &[u16] {
        &self.sites[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

type NeighbourLists = [Vec<Vec<u16>>; 3];

/// Adjacent, orthogonal and diagonal neighbours of the cells.
fn cells(drawing: &PlaneGraph) -> NeighbourLists {
    let around = around_vertices(drawing);
    let faces = drawing.faces();
    let touching = |cell: usize| {
        let others = faces[cell].iter().flat_map(|&vertex| around[vertex as usize].iter().copied());
        others.filter(move |&other| other as usize != cell).collect::<Vec<u16>>()
    };
    let adjacent: Vec<Vec<u16>> = (0..faces.len()).map(touching).collect();
    let orthogonal: Vec<Vec<u16>> = (0..faces.len())
        .map(|cell| {
            adjacent[cell].iter().copied().filter(|&other| share_edge(&faces[cell], &faces[other as usize])).collect()
        })
        .collect();
    let mut diagonal: Vec<Vec<u16>> = adjacent.iter().zip(&orthogonal).map(|(all, some)| without(all, some)).collect();
    for [a, b] in drawing.edges() {
        let ends = [a, b].map(|&vertex| &around[vertex as usize]);
        let [left, right] = [without(ends[0], ends[1]), without(ends[1], ends[0])];
        if let ([left], [right], 3, 3) = (&left[..], &right[..], ends[0].len(), ends[1].len()) {
            diagonal[*left as usize].push(*right);
            diagonal[*right as usize].push(*left);
        }
    }
    [adjacent, orthogonal, diagonal]
}

fn vertices(drawing: &PlaneGraph) -> NeighbourLists {
    let [mut joined, mut diagonal] = [0, 1].map(|_| vec![Vec::new(); drawing.vertices().len()]);
    for &[a, b] in drawing.edges() {
        joined[a as usize].push(b);
        joined[b as usize].push(a);
    }
    for face in drawing.faces() {
        if let [a, b, c, d] = face[..] {
            for (from, to) in [(a, c), (c, a), (b, d), (d, b)] {
                diagonal[from as usize].push(to);
            }
        }
    }
    [joined.clone(), joined, diagonal]
}

fn edges(drawing: &PlaneGraph) -> NeighbourLists {
    let mut ends = vec![Vec::new(); drawing.vertices().len()];
    for (number, edge) in drawing.edges().iter().enumerate() {
        edge.iter().for_each(|&vertex| ends[vertex as usize].push(number as u16));
    }
    let beside = |(number, edge): (usize, &[u16; 2])| {
        let others = edge.iter().flat_map(|&vertex| ends[vertex as usize].iter().copied());
        others.filter(|&other| other as usize != number).collect::<Vec<u16>>()
    };
    let joined: Vec<Vec<u16>> = drawing.edges().iter().enumerate().map(beside).collect();
    let none = vec![Vec::new(); joined.len()];
    [joined.clone(), joined, none]
}

/// The faces around every vertex.
fn around_vertices(drawing: &PlaneGraph) -> Vec<Vec<u16>> {
    let mut around = vec![Vec::new(); drawing.vertices().len()];
    for (number, face) in drawing.faces().iter().enumerate() {
        face.iter().for_each(|&vertex| around[vertex as usize].push(number as u16));
    }
    around
}

fn share_edge(a: &[u16], b: &[u16]) -> bool {
    sides(a).any(|side| sides(b).any(|other| other == side))
}

fn without(all: &[u16], some: &[u16]) -> Vec<u16> {
    all.iter().copied().filter(|site| !some.contains(site)).collect()
}
