//! The bands of lines: filled, or hatched if they are of another kind than the bands beside them.

use super::axes::Frame;
use super::palette::Rgb;
use super::scene::{Scene, Spot};
use crate::sheet::{Mark, Series, Vertex};

/// Opacity of a filled band.
const FILL: f64 = 0.18;
/// Opacity and width of the strokes of a hatched band, and their distance.
const STROKE: (f64, f64) = (0.55, 1.2);
const PITCH: f64 = 6.0;
/// Half the width of the band of a single point.
const ALONE: f64 = 4.0;

/// The low and the high end of a band at a place.
type Ends = (Spot, Spot);

/// The band of a line, if its points have ends. Parts over games are hatched if others are over runs.
pub(super) fn draw(scene: &mut Scene, series: &Series, frame: &Frame, colour: Rgb, bands_differ: bool) {
    let ends = |v: &Vertex| {
        let (low, high) = (frame.spot_of_end(v.x, v.low?)?, frame.spot_of_end(v.x, v.high?)?);
        let is_hatched = series.mark == Mark::Hatched || (bands_differ && v.over_games);
        frame.is_across(low.0).then(|| ((frame.hold(low), frame.hold(high)), is_hatched))
    };
    let ends: Vec<Option<(Ends, bool)>> = series.points.iter().map(ends).collect();
    for run in ends.split(Option::is_none).filter(|run| !run.is_empty()) {
        let mut run: Vec<(Ends, bool)> = run.iter().flatten().copied().collect();
        if let [alone] = run[..] {
            run = [-ALONE, ALONE].map(|aside| moved(alone, aside)).to_vec();
        }
        let pairs: Vec<&[(Ends, bool)]> = run.windows(2).collect();
        // A part between an error over games and one over runs is of neither kind; it is filled.
        let is_hatched = |pair: &[(Ends, bool)]| pair[0].1 && pair[1].1;
        for part in pairs.chunk_by(|one, other| is_hatched(one) == is_hatched(other)) {
            let last = part[part.len() - 1][1].0;
            let own: Vec<Ends> = part.iter().map(|pair| pair[0].0).chain([last]).collect();
            band(scene, &own, colour, is_hatched(part[0]));
        }
    }
}

/// The ends beside those of a point.
fn moved(((low, high), is_hatched): (Ends, bool), aside: f64) -> (Ends, bool) {
    let at = |(x, y): Spot| (x + aside, y);
    ((at(low), at(high)), is_hatched)
}

/// A band between some ends, from left to right.
pub(super) fn band(scene: &mut Scene, ends: &[Ends], colour: Rgb, is_hatched: bool) {
    if is_hatched {
        ends.windows(2).for_each(|pair| hatch(scene, pair[0], pair[1], colour));
    } else {
        let (upper, lower) = (ends.iter().map(|(_, high)| *high), ends.iter().rev().map(|(low, _)| *low));
        scene.area(upper.chain(lower).collect::<Vec<_>>(), colour, FILL);
    }
}

/// Upright strokes between two pairs of ends, at places that are common to neighbouring bands.
fn hatch(scene: &mut Scene, from: Ends, to: Ends, colour: Rgb) {
    let (left, right) = (from.0.0, to.0.0);
    let first = (left / PITCH).ceil() as i64;
    for x in (first..).map(|step| step as f64 * PITCH).take_while(|x| *x < right) {
        let share = (x - left) / (right - left);
        let at = |a: f64, b: f64| a + share * (b - a);
        let (low, high) = (at(from.0.1, to.0.1), at(from.1.1, to.1.1));
        let half = STROKE.1 / 2.0;
        scene.area([(x - half, high), (x + half, high), (x + half, low), (x - half, low)], colour, STROKE.0);
    }
}
