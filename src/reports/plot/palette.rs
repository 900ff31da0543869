//! Colours on white that are distinguishable for all common kinds of colour blindness.
//!
//! The first seven are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>) without their yellow, which is too
//! faint for lines; the rest are from the "muted" scheme of Paul Tol (<https://personal.sros.nl/~pault/>).

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

const SERIES: [Rgb; 10] = [
    (0, 114, 178),   // blue
    (213, 94, 0),    // vermilion
    (0, 158, 115),   // bluish green
    (204, 121, 167), // reddish purple
    (230, 159, 0),   // orange
    (86, 180, 233),  // sky blue
    (0, 0, 0),       // black
    (136, 34, 85),   // wine
    (153, 153, 51),  // olive
    (51, 34, 136),   // indigo
];

pub(super) const INK: Rgb = (34, 34, 34);
pub(super) const SOFT: Rgb = (90, 90, 90);
pub(super) const GRID: Rgb = (228, 228, 228);
pub(super) const RULE: Rgb = (150, 150, 150);
pub(super) const PAPER: Rgb = (255, 255, 255);

/// The colour of a series; indices beyond the palette start over.
pub(super) fn colour(index: usize) -> Rgb {
    SERIES[index % SERIES.len()]
}
