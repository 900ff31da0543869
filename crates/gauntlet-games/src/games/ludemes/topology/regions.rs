//! Named parts of a board: edges, corners, centre, colours.

use super::compass::Compass;
use super::links::{Links, Relation};
use super::outline;
use super::plane::{PlaneGraph, SiteKind};

/// Points whose x (or y) differ by less are in one line.
const NEAR: f64 = 0.01;

/// The named parts of a board; every list is ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions {
    /// The highest sites.
    pub top: Vec<u16>,
    /// The lowest sites.
    pub bottom: Vec<u16>,
    /// The sites farthest to the left.
    pub left: Vec<u16>,
    /// The sites farthest to the right.
    pub right: Vec<u16>,
    /// The corners of the rim; empty if the rim is not made of straight lines.
    pub corners: Vec<u16>,
    /// The sites nearest to the mean point of all.
    pub centre: Vec<u16>,
    /// The sites on the rim.
    pub outer: Vec<u16>,
    /// All sites that are not on the rim.
    pub inner: Vec<u16>,
    /// The straight parts of the rim, each with its direction, of eight, from the centre, clockwise from the north;
    /// an obtuse corner is also a part of its own. Empty if `corners` is.
    pub sides: Vec<(Compass, Vec<u16>)>,
    /// The colour of every site: sites with a common edge differ. 0 and 1 on a chessboard, 0 to 2 on hexagons.
    pub phases: Vec<u8>,
}

impl Regions {
    pub(super) fn of(drawing: &PlaneGraph, kind: SiteKind, places: &[[f64; 2]], links: &Links) -> Regions {
        let outer = outline::rim(drawing, kind);
        let inner = (0..places.len() as u16).filter(|site| outer.binary_search(site).is_err()).collect();
        let around = outline::corners(places, &outer);
        let sides = sides(places, &outer, &around);
        let mut corners = around;
        corners.sort_unstable();
        let far = |axis: usize, sign: f64| nearest(places, |place| -sign * place[axis]);
        let middle = mean(places);
        Regions {
            top: far(1, 1.0),
            bottom: far(1, -1.0),
            left: far(0, -1.0),
            right: far(0, 1.0),
            corners,
            centre: nearest(places, |place| (place[0] - middle[0]).hypot(place[1] - middle[1])),
            outer,
            inner,
            sides,
            phases: phases(links),
        }
    }

    /// The part of the rim in this direction; empty if there is none.
    #[must_use]
    pub fn side(&self, direction: Compass) -> &[u16] {
        self.sides.iter().find(|(name, _)| *name == direction).map_or(&[], |(_, sites)| sites)
    }

    /// The sites of this colour, ascending.
    #[must_use]
    pub fn phase(&self, phase: u8) -> Vec<u16> {
        (0..self.phases.len() as u16).filter(|&site| self.phases[site as usize] == phase).collect()
    }
}

/// The sites with the minimum of a number.
fn nearest(places: &[[f64; 2]], number: impl Fn([f64; 2]) -> f64) -> Vec<u16> {
    let least = places.iter().map(|&place| number(place)).fold(f64::INFINITY, f64::min);
    (0..places.len() as u16).filter(|&site| number(places[site as usize]) < least + NEAR).collect()
}

fn mean(places: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|axis| places.iter().map(|place| place[axis]).sum::<f64>() / places.len() as f64)
}

fn sides(places: &[[f64; 2]], rim: &[u16], around: &[u16]) -> Vec<(Compass, Vec<u16>)> {
    let middle = mean(places);
    let mut sides: std::collections::BTreeMap<Compass, Vec<u16>> = Default::default();
    let mut add = |sites: Vec<u16>| {
        let own: Vec<[f64; 2]> = sites.iter().map(|&site| places[site as usize]).collect();
        sides.entry(Compass::main(middle, mean(&own))).or_default().extend(sites);
    };
    outline::pairs(around).for_each(|[from, to]| add(outline::side(places, rim, from, to)));
    for corner in 0..around.len() {
        let beside = |step: usize| around[(corner + step) % around.len()];
        let [before, at, after] = [beside(around.len() - 1), around[corner], beside(1)];
        if outline::turn(places, [before, at, after]) < 89.0 {
            add(vec![at]);
        }
    }
    for sites in sides.values_mut() {
        sites.sort_unstable();
        sites.dedup();
    }
    sides.into_iter().collect()
}

/// Colours the sites greedily: next always the site with most colours around it (then the lowest number), in the
/// lowest colour that is not around it (Brélaz 1979).
fn phases(links: &Links) -> Vec<u8> {
    let mut around = vec![0_u64; links.sites()];
    let mut phases = vec![u8::MAX; links.sites()];
    let open = |phases: &[u8], site: &usize| phases[*site] == u8::MAX;
    let most = |around: &[u64], phases: &[u8]| {
        (0..around.len()).rev().filter(|site| open(phases, site)).max_by_key(|&site| around[site].count_ones())
    };
    while let Some(site) = most(&around, &phases) {
        phases[site] = around[site].trailing_ones() as u8;
        for &other in links.of_site(Relation::Orthogonal, site) {
            around[other as usize] |= 1 << phases[site];
        }
    }
    phases
}
