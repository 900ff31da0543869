//! A board as a [`Topology`]: a drawing for pictures, and positions of sites for networks.

use super::plane::SiteKind;
use super::{BoardGraph, Relation};
use crate::games::{Drawing, SiteDrawing, Topology};

/// Distance of a hand from the board, and half the width of its cells.
const AWAY: f64 = 1.7;
const HALF: f64 = 0.5;
/// Number of corners of a drawn loop, per full circle.
const SMOOTH: u32 = 48;

/// Parts of the drawing beside the sites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// Number of sites in each player's hand.
    pub hands: Vec<usize>,
    /// Whether its cells are drawn in their colours.
    pub checkered: bool,
    /// Number of loops around each corner: see [`super::loops`].
    pub loops: u16,
}

impl BoardGraph {
    /// The board with its hands, with the site numbers used here, the neighbours of [`Relation::Orthogonal`], and
    /// these symmetries.
    #[must_use]
    pub fn topology(&self, extras: &Extras, symmetries: Vec<Vec<u32>>) -> Topology {
        let near = |site| self.neighbours(Relation::Orthogonal, site).iter().map(|&other| u32::from(other)).collect();
        let mut neighbours: Vec<Vec<u32>> = (0..self.sites()).map(near).collect();
        neighbours.resize(self.sites() + extras.hands.iter().sum::<usize>(), Vec::new());
        let board = (0..self.sites()).map(|site| self.site_drawing(site, extras.checkered));
        let mut drawing = Drawing { hands: extras.hands.clone(), ..Drawing::default() };
        drawing.sites = board.chain(self.hands(&extras.hands)).collect();
        if self.kind() == SiteKind::Vertex {
            drawing.lines = drawing.straight(&neighbours);
            drawing.lines.extend((1..=extras.loops).flat_map(|number| self.arcs(f64::from(number))));
        }
        Topology::graph(drawing, &neighbours, symmetries)
    }

    fn site_drawing(&self, site: usize, checkered: bool) -> SiteDrawing {
        let corners = self.drawing().vertices();
        let outline = match self.kind() {
            SiteKind::Cell => self.drawing().faces()[site].iter().map(|&vertex| corners[usize::from(vertex)]).collect(),
            SiteKind::Vertex | SiteKind::Edge => Vec::new(),
        };
        let shade = if checkered { 1_u8.saturating_sub(self.regions().phases[site]) } else { 0 };
        SiteDrawing { place: self.places()[site], outline, shade }
    }

    /// Cells to the right of the board from the bottom for the first player, to the left from the top for the second.
    fn hands(&self, hands: &[usize]) -> impl Iterator<Item = SiteDrawing> {
        let [(left, right), (low, high)] = [0, 1].map(|axis| {
            let values = || self.places().iter().map(|place| place[axis]);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        });
        let place = move |hand: usize, site: usize| match hand % 2 {
            0 => [right + AWAY + (hand / 2) as f64, low + site as f64],
            _ => [left - AWAY - (hand / 2) as f64, high - site as f64],
        };
        let cell = |[x, y]: [f64; 2]| SiteDrawing {
            place: [x, y],
            outline: vec![[x - HALF, y - HALF], [x + HALF, y - HALF], [x + HALF, y + HALF], [x - HALF, y + HALF]],
            shade: 0,
        };
        let hands: Vec<usize> = hands.to_vec();
        hands.into_iter().enumerate().flat_map(move |(hand, sites)| (0..sites).map(move |site| cell(place(hand, site))))
    }

    /// Three quarters of a circle around each corner, from line `number` of one edge to that of the other.
    fn arcs(&self, number: f64) -> Vec<Vec<[f64; 2]>> {
        let arc = |[x, y]: [f64; 2], middle: f64| {
            let angle = |step: u32| (middle - 135.0 + f64::from(step) * 360.0 / f64::from(SMOOTH)).to_radians();
            let steps = (0..=SMOOTH * 3 / 4).map(angle);
            steps.map(|angle| [x + number * angle.cos(), y + number * angle.sin()]).collect()
        };
        let regions = self.regions();
        let sides = [(&regions.left, &regions.bottom, 225.0), (&regions.right, &regions.bottom, 315.0)];
        let sides =
            sides.into_iter().chain([(&regions.right, &regions.top, 45.0), (&regions.left, &regions.top, 135.0)]);
        let corner = |(one, other, middle): (&Vec<u16>, &Vec<u16>, f64)| {
            let site = one.iter().find(|site| other.contains(site))?;
            Some(arc(self.places()[usize::from(*site)], middle))
        };
        sides.filter_map(corner).collect()
    }

    /// The rotations and reflections that map the board to itself, as maps of its sites: the identity first, site `s`
    /// goes to `map[s]`. The rules of a game need not be symmetric under them.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Vec<u32>> {
        let middle =
            [0, 1].map(|axis| self.places().iter().map(|place| place[axis]).sum::<f64>() / self.sites() as f64);
        let moved = |step: u32, mirrored: bool| {
            let (sin, cos) = f64::from(step * 30).to_radians().sin_cos();
            let image = |place: &[f64; 2]| {
                let [x, y] = [place[0] - middle[0], place[1] - middle[1]];
                let x = if mirrored { -x } else { x };
                self.at([middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos])
            };
            self.places().iter().map(image).collect::<Option<Vec<u32>>>()
        };
        let all = [false, true].into_iter().flat_map(|mirrored| (0..12).map(move |step| (step, mirrored)));
        all.filter_map(|(step, mirrored)| moved(step, mirrored)).filter(|map| self.keeps_neighbours(map)).collect()
    }

    /// The site at a point.
    fn at(&self, [x, y]: [f64; 2]) -> Option<u32> {
        let is_near = |place: &[f64; 2]| (place[0] - x).hypot(place[1] - y) < 0.01;
        self.places().iter().position(is_near).map(|site| site as u32)
    }

    fn keeps_neighbours(&self, map: &[u32]) -> bool {
        (0..self.sites()).all(|site| {
            let image = |other: &u16| map[usize::from(*other)] as u16;
            let mut images: Vec<u16> = self.neighbours(Relation::Orthogonal, site).iter().map(image).collect();
            images.sort_unstable();
            images == self.neighbours(Relation::Orthogonal, map[site] as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Diagonals, PlaneGraph};
    use super::*;

    #[test]
    fn boards_have_the_symmetries_of_their_shapes() {
        let square = PlaneGraph::rectangle(4, 4, SiteKind::Vertex, Diagonals::None);
        let fanorona = PlaneGraph::rectangle(5, 9, SiteKind::Vertex, Diagonals::Alternating);
        let shapes = [square, fanorona, PlaneGraph::hexagon(3), PlaneGraph::diamond(4)].map(Result::unwrap);
        for (shape, kind, count) in shapes
            .into_iter()
            .zip([SiteKind::Vertex, SiteKind::Vertex, SiteKind::Cell, SiteKind::Cell])
            .zip([8, 4, 12, 4])
            .map(|((shape, kind), count)| (shape, kind, count))
        {
            let board = BoardGraph::new(shape.rotated(30.0), kind).unwrap();
            let symmetries = board.symmetries();
            assert_eq!(symmetries.len(), count, "{kind:?}");
            assert!(symmetries[0].iter().enumerate().all(|(site, &image)| site == image as usize));
        }
    }

    #[test]
    fn lines_hands_and_loops_are_drawn() {
        let square = |kind| BoardGraph::new(PlaneGraph::rectangle(6, 6, kind, Diagonals::None).unwrap(), kind).unwrap();
        let surakarta = square(SiteKind::Vertex).topology(&Extras { loops: 2, ..Extras::default() }, Vec::new());
        assert_eq!(surakarta.drawing().unwrap().lines.len(), 12 + 8);
        let extras = Extras { hands: vec![5, 5], checkered: true, ..Extras::default() };
        let shogi = square(SiteKind::Cell).topology(&extras, Vec::new());
        assert_eq!((shogi.sites(), shogi.places().len(), shogi.rows(), shogi.columns()), (46, 36, 6, 6));
        assert_eq!(shogi.neighbours(0), [1, 6]);
        assert!(shogi.neighbours(45).is_empty());
        let sites = &shogi.drawing().unwrap().sites;
        assert_eq!((sites[0].shade, sites[1].shade, sites[0].outline.len()), (1, 0, 4), "the lower left is dark");
        let tall = [sites[36].place, sites[41].place];
        assert!(tall[0][0] > 6.0 && tall[1][0] < -1.0 && tall[0][1] < tall[1][1]);
    }
}
