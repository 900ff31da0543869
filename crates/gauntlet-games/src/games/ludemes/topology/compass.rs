//! The sixteen compass directions.

/// Directions by number.
pub(super) const COMPASS: [Compass; 16] = [
    Compass::N,
    Compass::NNE,
    Compass::NE,
    Compass::ENE,
    Compass::E,
    Compass::ESE,
    Compass::SE,
    Compass::SSE,
    Compass::S,
    Compass::SSW,
    Compass::SW,
    Compass::WSW,
    Compass::W,
    Compass::WNW,
    Compass::NW,
    Compass::NNW,
];

/// A direction on the board, clockwise from the north (up).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "points of the compass")]
#[rustfmt::skip]
pub enum Compass { N, NNE, NE, ENE, E, ESE, SE, SSE, S, SSW, SW, WSW, W, WNW, NW, NNW }

impl Compass {
    /// The one of the sixteen directions that is nearest to the direction from one point to another.
    #[must_use]
    pub fn from_to(from: [f64; 2], to: [f64; 2]) -> Compass {
        Compass::nearest(from, to, 16)
    }

    /// The nearest of the eight main directions.
    pub(super) fn main(from: [f64; 2], to: [f64; 2]) -> Compass {
        Compass::nearest(from, to, 8)
    }

    fn nearest(from: [f64; 2], to: [f64; 2], of: i64) -> Compass {
        let clockwise = (to[0] - from[0]).atan2(to[1] - from[1]) / std::f64::consts::TAU;
        let number = ((clockwise * of as f64).round() as i64).rem_euclid(of);
        COMPASS[(number * 16 / of) as usize]
    }

    /// The direction turned clockwise by this many sixteenths.
    #[must_use]
    pub fn turned(self, sixteenths: i32) -> Compass {
        COMPASS[(self as i32 + sixteenths).rem_euclid(16) as usize]
    }

    /// The opposite direction.
    #[must_use]
    pub fn opposite(self) -> Compass {
        self.turned(8)
    }
}
