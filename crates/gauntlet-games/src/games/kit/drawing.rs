//! Drawings of boards of any shape: points and outlines of sites, and lines between sites. No rules.

/// Points nearer to each other than this, in cell edge lengths, are on one line.
const NEAR: f64 = 1e-4;

/// The drawing of a board and of its hands. Points are `[x, y]`, y upwards, in cell edge lengths.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    /// Every site, hands last.
    pub sites: Vec<SiteDrawing>,
    /// Lines on the board.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Number of sites in each player's hand.
    pub hands: Vec<usize>,
}

/// The drawing of one site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteDrawing {
    /// Its centre.
    pub place: [f64; 2],
    /// The corners of its cell; empty for a point on a line.
    pub outline: Vec<[f64; 2]>,
    /// 0 for the lightest of three shades.
    pub shade: u8,
}

impl Drawing {
    /// The lines through neighbouring sites, each extended while it is straight.
    #[must_use]
    pub fn straight(&self, neighbours: &[Vec<u32>]) -> Vec<Vec<[f64; 2]>> {
        let next = |site: usize, way: [f64; 2]| {
            let mut others = neighbours[site].iter().map(|&other| other as usize);
            others.find(|&other| goes(self.way(site, other), way))
        };
        let mut lines = Vec::new();
        for (site, others) in neighbours.iter().enumerate() {
            for other in others.iter().map(|&other| other as usize) {
                let way = self.way(site, other);
                if is_forward(way) && next(site, way.map(|part| -part)).is_none() {
                    let end = std::iter::successors(Some(other), |&at| next(at, way)).last().unwrap_or(other);
                    lines.push(vec![self.sites[site].place, self.sites[end].place]);
                }
            }
        }
        lines
    }

    fn way(&self, from: usize, to: usize) -> [f64; 2] {
        [0, 1].map(|axis| self.sites[to].place[axis] - self.sites[from].place[axis])
    }
}

/// Whether a direction goes up, or to the right.
fn is_forward([right, up]: [f64; 2]) -> bool {
    up > NEAR || up > -NEAR && right > 0.0
}

/// Whether two vectors have the same direction.
fn goes([x, y]: [f64; 2], [right, up]: [f64; 2]) -> bool {
    x * right + y * up > 0.999 * x.hypot(y) * right.hypot(up)
}

/// The rank of every value among the distinct values, ascending.
pub(crate) fn lines(values: impl Iterator<Item = f64>) -> Vec<usize> {
    let values: Vec<f64> = values.collect();
    let mut different = values.clone();
    different.sort_by(f64::total_cmp);
    different.dedup_by(|value, first| *value - *first < NEAR);
    values.iter().map(|value| different.partition_point(|line| line - NEAR / 2.0 <= *value) - 1).collect()
}
