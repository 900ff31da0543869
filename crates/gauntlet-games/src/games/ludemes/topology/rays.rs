//! Straight lines of sites: from every site, in every direction, to the edge of the board.

use super::compass::{COMPASS, Compass};
use super::links::{Links, Lists, Relation};

/// A missing step.
const NONE: u16 = u16::MAX;

/// The rays of a board, and its directions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rays {
    sites: usize,
    /// By [`Relation`].
    directions: [Vec<Compass>; 4],
    /// Number of a direction in `rays`.
    numbers: [usize; 16],
    /// `[directions + 1, sites]`; the last of the directions has no sites.
    rays: Lists,
}

impl Rays {
    /// The rays through the neighbours of all sites.
    pub(super) fn of(places: &[[f64; 2]], links: &Links) -> Rays {
        let directions = [Relation::All, Relation::Adjacent, Relation::Orthogonal, Relation::Diagonal]
            .map(|relation| directions(places, links, relation));
        let all = &directions[Relation::All as usize];
        let mut numbers = [all.len(); 16];
        all.iter().enumerate().for_each(|(number, &direction)| numbers[direction as usize] = number);
        let steps = steps(places, links, &numbers, all.len());
        let rays = steps.iter().flat_map(|steps| (0..places.len()).map(|site| follow(steps, site)));
        let none = places.iter().map(|_| Vec::new());
        let rays = Lists::ordered(rays.chain(none));
        Rays { sites: places.len(), directions, numbers, rays }
    }

    pub(super) fn directions(&self, relation: Relation) -> &[Compass] {
        &self.directions[relation as usize]
    }

    #[inline]
    pub(super) fn ray(&self, direction: Compass, site: usize) -> &[u16] {
        self.rays.get(self.numbers[direction as usize] * self.sites + site)
    }
}

fn directions(places: &[[f64; 2]], links: &Links, relation: Relation) -> Vec<Compass> {
    let mut found = [false; 16];
    for site in 0..places.len() {
        for &other in links.of_site(relation, site) {
            found[Compass::from_to(places[site], places[other as usize]) as usize] = true;
        }
    }
    COMPASS.into_iter().filter(|&direction| found[direction as usize]).collect()
}

/// The nearest neighbour of every site in every direction, `[directions][sites]`.
fn steps(places: &[[f64; 2]], links: &Links, numbers: &[usize; 16], directions: usize) -> Vec<Vec<u16>> {
    let mut steps = vec![vec![NONE; places.len()]; directions];
    let far = |site: usize, other: u16| {
        let [a, b] = [places[site], places[other as usize]];
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    for site in 0..places.len() {
        for &other in links.of_site(Relation::All, site) {
            let direction = Compass::from_to(places[site], places[other as usize]);
            let step = &mut steps[numbers[direction as usize]][site];
            if *step == NONE || far(site, other) < far(site, *step) {
                *step = other;
            }
        }
    }
    steps
}

/// The sites along steps from a site, at most once around.
fn follow(steps: &[u16], from: usize) -> Vec<u16> {
    let next = |&site: &u16| Some(steps[site as usize]).filter(|&next| next != NONE && next as usize != from);
    std::iter::successors(next(&(from as u16)), next).take(steps.len()).collect()
}
