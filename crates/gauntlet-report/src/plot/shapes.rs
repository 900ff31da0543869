//! The shapes of points: one for each colour, so that no series is told from another by colour alone.

use super::palette::{self, Rgb};
use super::scene::{Scene, Spot};

/// Half the size of a shape in logical pixels.
pub(super) const SIZE: f64 = 4.4;
/// Width of the outline of a hollow shape.
const RIM: f64 = 1.8;
/// Size of a hollow shape relative to a filled one.
const HOLLOW: f64 = 1.18;
/// Opacity of the points of a crowd.
const FAINT: f64 = 0.75;

#[rustfmt::skip]
/// Corners of the shapes in a square from -1 to 1, y downwards. The first is a circle, without corners.
const CORNERS: [&[Spot]; 10] = [
    &[],
    &[(-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)],
    &[(0.0, -1.25), (1.2, 0.95), (-1.2, 0.95)],
    &[(-1.2, -0.95), (1.2, -0.95), (0.0, 1.25)],
    &[
        (0.0, -1.45), (0.34, -0.47), (1.38, -0.45), (0.55, 0.18), (0.85, 1.17), (0.0, 0.58), (-0.85, 1.17), (-0.55, 0.18),
        (-1.38, -0.45), (-0.34, -0.47),
    ],
    &[
        (-0.42, -1.25), (0.42, -1.25), (0.42, -0.42), (1.25, -0.42), (1.25, 0.42), (0.42, 0.42), (0.42, 1.25),
        (-0.42, 1.25), (-0.42, 0.42), (-1.25, 0.42), (-1.25, -0.42), (-0.42, -0.42),
    ],
    &[(-1.25, 0.0), (0.95, -1.2), (0.95, 1.2)],
    &[(1.25, 0.0), (-0.95, -1.2), (-0.95, 1.2)],
    &[(-1.05, -1.15), (1.05, -1.15), (0.25, 0.0), (1.05, 1.15), (-1.05, 1.15), (-0.25, 0.0)],
    &[(0.0, -1.2), (1.15, -0.3), (0.7, 1.1), (-0.7, 1.1), (-1.15, -0.3)],
];
/// The corners of a series. Colours that come again have other shapes.
fn corners(colour: usize) -> &'static [Spot] {
    CORNERS[(colour + colour / palette::COLOURS) % CORNERS.len()]
}

/// The hollow shape of the second colour, which published numbers have in most pictures.
const DIAMOND: [Spot; 4] = [(0.0, -1.08), (1.08, 0.0), (0.0, 1.08), (-1.08, 0.0)];
const SECOND: usize = 1;

/// A filled shape of a size relative to the usual one, translucent if it is one of a crowd.
pub(super) fn filled(scene: &mut Scene, at: Spot, colour: usize, size: f64) {
    let (radius, ink) = (SIZE * size, palette::colour(colour));
    let opacity = if size < MARKER { FAINT } else { 1.0 };
    match corners(colour) {
        [] => scene.disc(at, radius, ink, opacity),
        corners => scene.area(placed(corners, at, radius), ink, opacity),
    }
}

/// The size of a point on a line, relative to the usual one; points of a crowd are smaller.
pub(super) const MARKER: f64 = 0.8;

/// The outline of a shape, with paper inside.
pub(super) fn hollow(scene: &mut Scene, at: Spot, colour: usize, size: f64) {
    let (radius, ink) = (SIZE * HOLLOW * size, palette::colour(colour));
    let corners = if colour == SECOND { &DIAMOND[..] } else { corners(colour) };
    if corners.is_empty() {
        ring(scene, at, radius, ink);
        return;
    }
    let corners = placed(corners, at, radius);
    scene.area(&corners[..], palette::PAPER, 1.0);
    let closed: Vec<Spot> = corners.iter().chain(&corners[..2]).copied().collect();
    scene.path(closed, RIM, ink);
}

fn ring(scene: &mut Scene, at: Spot, radius: f64, ink: Rgb) {
    scene.disc(at, radius + RIM / 2.0, ink, 1.0);
    scene.disc(at, radius - RIM / 2.0, palette::PAPER, 1.0);
}

fn placed(corners: &[Spot], (x, y): Spot, radius: f64) -> Vec<Spot> {
    corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_that_comes_again_has_another_shape() {
        let looks: Vec<_> = (0..2 * palette::COLOURS).map(|at| (palette::colour(at), corners(at))).collect();
        assert!(looks.iter().enumerate().all(|(at, look)| !looks[..at].contains(look)));
    }
}
