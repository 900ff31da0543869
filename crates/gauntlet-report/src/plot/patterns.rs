//! Patterns beside colours, for pictures that may be printed without them: broken lines and hatched bars, one pattern for
//! each colour.

use super::palette::{self, Rgb};
use super::scene::{Scene, Spot};

/// Strokes and gaps of lines. The first line is solid; [`Mark::Dashed`](crate::sheet::Mark) has others.
const LINES: [&[f64]; 5] = [&[], &[15.0, 4.0], &[15.0, 3.5, 2.5, 3.5], &[2.5, 3.0], &[9.0, 3.0, 2.5, 3.0, 2.5, 3.0]];
/// Directions of the strokes of bars: to the right for each step down. The first bar is solid, the last one empty.
const BARS: [&[f64]; 6] = [&[], &[1.0], &[-1.0], &[1.0, -1.0], &[0.0], &[]];
/// Distance of two strokes, and their width.
const PITCH: f64 = 5.0;
const STROKE: f64 = 1.3;

/// The strokes and gaps of the line of a colour; none for a solid line.
pub(super) fn of_line(scene: &Scene, colour: usize) -> &'static [f64] {
    if scene.is_patterned { LINES[colour % LINES.len()] } else { LINES[0] }
}

/// A line, solid or broken.
pub(super) fn line(scene: &mut Scene, points: Vec<Spot>, width: f64, colour: Rgb, pattern: &[f64]) {
    match pattern {
        [] => scene.path(points, width, colour),
        lengths => strokes_along(&points, lengths).into_iter().for_each(|part| scene.path(part, width, colour)),
    }
}

/// Cuts a line into strokes and gaps of these lengths in turn, measured along it.
pub(super) fn strokes_along(line: &[Spot], lengths: &[f64]) -> Vec<Vec<Spot>> {
    let (mut turn, mut left) = (0, lengths[0]);
    let (mut strokes, mut stroke) = (Vec::new(), vec![line[0]]);
    for pair in line.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let rest = (to.0 - from.0).hypot(to.1 - from.1);
            if rest < left {
                left -= rest;
                stroke.push(to);
                break;
            }
            from = (from.0 + (to.0 - from.0) * left / rest, from.1 + (to.1 - from.1) * left / rest);
            stroke.push(from);
            if turn % 2 == 0 {
                strokes.push(std::mem::take(&mut stroke));
            }
            turn += 1;
            left = lengths[turn % lengths.len()];
            stroke = vec![from];
        }
    }
    strokes.extend(Some(stroke).filter(|stroke| turn % 2 == 0 && stroke.len() > 1));
    strokes
}

/// A bar between two corners in the colour of a series: filled, or hatched in a picture with patterns.
pub(super) fn bar(scene: &mut Scene, a: Spot, b: Spot, colour: usize) {
    let ink = palette::colour(colour);
    let number = colour % BARS.len();
    let is_filled = !scene.is_patterned || number == 0;
    scene.area([a, (b.0, a.1), b, (a.0, b.1)], if is_filled { ink } else { palette::PAPER }, 1.0);
    if is_filled {
        return;
    }
    let (least, most) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
    for direction in BARS[number] {
        hatch(scene, least, most, *direction, ink);
    }
    scene.path([least, (most.0, least.1), most, (least.0, most.1), least, (most.0, least.1)], STROKE, ink);
}

/// Parallel strokes inside a rectangle; they go `direction` to the right for each step down.
fn hatch(scene: &mut Scene, (left, top): Spot, (right, bottom): Spot, direction: f64, ink: Rgb) {
    let height = bottom - top;
    // The places where strokes meet the upper edge, or the line through it.
    let starts = [left - (direction * height).max(0.0), right + (-direction * height).max(0.0)];
    let pitch = PITCH * direction.hypot(1.0);
    let count = ((starts[1] - starts[0]) / pitch) as usize;
    for start in (0..=count).map(|at| starts[0] + (at as f64 + 0.5) * pitch) {
        let at = |down: f64| start + direction * down;
        // The steps down at which a stroke enters and leaves.
        let [enter, leave] = if direction == 0.0 {
            [0.0, if (left..right).contains(&start) { height } else { 0.0 }]
        } else {
            let sides = [(left - start) / direction, (right - start) / direction];
            [sides[0].min(sides[1]).max(0.0), sides[0].max(sides[1]).min(height)]
        };
        if leave > enter {
            scene.path([(at(enter), top + enter), (at(leave), top + leave)], STROKE, ink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Shape;
    use super::*;

    fn drawn(is_patterned: bool, colour: usize) -> Vec<Shape> {
        let mut scene = Scene { is_patterned, ..Scene::new(100.0, 100.0) };
        bar(&mut scene, (10.0, 80.0), (40.0, 20.0), colour);
        scene.shapes
    }

    #[test]
    fn bars_have_patterns_only_where_colours_may_be_missing() {
        assert!((0..6).all(|colour| drawn(false, colour).len() == 1));
        let looks: Vec<Vec<Shape>> = (0..6).map(|colour| drawn(true, colour)).collect();
        let grey = |shapes: &[Shape]| -> Vec<Vec<Spot>> {
            let points = |shape: &Shape| match shape {
                Shape::Path { points, .. } => points.clone(),
                _ => Vec::new(),
            };
            shapes.iter().map(points).collect()
        };
        for (at, look) in looks.iter().enumerate() {
            assert!(looks[..at].iter().all(|other| grey(other) != grey(look)), "{at}");
        }
    }

    #[test]
    fn strokes_stay_inside_their_bar() {
        for shape in (0..6).flat_map(|colour| drawn(true, colour)) {
            let Shape::Path { points, .. } = shape else { continue };
            let is_inside = |(x, y): &Spot| (9.99..=40.01).contains(x) && (19.99..=80.01).contains(y);
            assert!(points.iter().all(is_inside), "{points:?}");
        }
    }

    #[test]
    fn lines_of_five_colours_have_five_patterns() {
        let patterned = Scene { is_patterned: true, ..Scene::default() };
        let patterns: Vec<&[f64]> = (0..5).map(|colour| of_line(&patterned, colour)).collect();
        assert!(patterns.iter().enumerate().all(|(at, pattern)| !patterns[..at].contains(pattern)));
        assert!((0..5).all(|colour| of_line(&Scene::default(), colour).is_empty()));
    }
}
