//! The marks of series inside a panel: lines with bands, broken lines, dots, diamonds, crosses, bars, rules and tiles.
//!
//! All marks stay inside the frame: lines are clipped at it, bands are held inside, and points beyond it are omitted.

use std::collections::HashSet;

use super::axes::Frame;
use super::bands;
use super::font::NORMAL;
use super::palette::{self, Rgb};
use super::patterns;
use super::scene::{Anchor, Scene, Spot, Text};
use super::shapes;
use super::stones;
use super::tiles;
use crate::sheet::{Agreement, AxisScale, Mark, Panel, Series, Vertex};

pub(super) const LINE: f64 = 2.2;
pub(super) const HAIR: f64 = 1.2;
pub(super) const FILL: f64 = 1.0;
const ERROR: f64 = 1.5;
const CAP: f64 = 4.0;
const DASH: [f64; 2] = [7.0, 4.0];
/// Strokes and gaps of an error bar over games.
const BROKEN: [f64; 2] = [2.6, 2.2];
/// A series with more points than this has smaller and translucent points, and none on a line.
const CROWD: usize = 60;
/// The most points that are marked on a line with a band.
const FEW: usize = 12;
/// About as many points are marked on a line that has more.
const SPACED: usize = 7;
/// Distance of a sign from its point.
const ABOVE: f64 = 15.0;

/// Draws all series of a panel, the first at the bottom.
pub(super) fn draw(scene: &mut Scene, panel: &Panel, frame: &Frame, bars_differ: bool) {
    let lanes = Lanes::of(panel);
    if stones::is_board(panel) {
        stones::lines(scene, frame);
    }
    for series in panel.series.iter().filter(|series| is_line(series)) {
        scene.begin(&series.name);
        bands::draw(scene, series, frame, palette::colour(series.colour), bars_differ);
    }
    for i in order(panel) {
        let series = &panel.series[i];
        let colour = palette::colour(series.colour);
        scene.begin(&series.name);
        match series.mark {
            Mark::Line | Mark::Hatched => line(scene, series, frame, colour),
            Mark::Dashed => {
                strokes(series, frame).iter().for_each(|stroke| dashes(scene, stroke, colour));
                knots(scene, series, frame);
            }
            Mark::Rule => strokes(series, frame).into_iter().for_each(|stroke| scene.path(stroke, HAIR, palette::RULE)),
            Mark::Bar => bars(scene, series, frame, lanes.of_series(i)),
            Mark::Dot | Mark::Diamond | Mark::Cross => points(scene, series, frame, lanes.of_series(i), bars_differ),
            Mark::Unequal => signs(scene, series, frame),
            Mark::Stone { black, number } => stones::draw(scene, series, frame, black, number),
            Mark::Tile { value, error, depth } => tiles::draw(scene, series, frame, (value, error), depth),
        }
    }
    scene.end();
}

/// The series of a panel from the bottom to the top: in their order, but the first line is the last of the lines.
fn order(panel: &Panel) -> Vec<usize> {
    let all = 0..panel.series.len();
    let mut lines = all.clone().rev().filter(|&at| is_line(&panel.series[at]));
    all.map(|at| if is_line(&panel.series[at]) { lines.next().unwrap_or(at) } else { at }).collect()
}

/// Whether a series is a line that may have a band.
pub(super) fn is_line(series: &Series) -> bool {
    matches!(series.mark, Mark::Line | Mark::Hatched)
}

/// Series at whole categories share each category's width: those that meet in one have a lane each.
pub(super) struct Lanes {
    lanes: Vec<Option<usize>>,
    count: usize,
    sideways: bool,
}

/// The middle of a lane and its width, in categories.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    offset: f64,
    width: f64,
    sideways: bool,
}

impl Lanes {
    /// The lanes of a panel.
    pub fn of(panel: &Panel) -> Self {
        let sideways = matches!(panel.y.scale, AxisScale::Categories(_));
        let categories = sideways || matches!(panel.x.scale, AxisScale::Categories(_));
        let place = |v: &Vertex| if sideways { v.y } else { v.x };
        let takes_part = |s: &Series| {
            let is_whole = |v: &Vertex| place(v).fract() == 0.0;
            matches!(s.mark, Mark::Dot | Mark::Diamond | Mark::Cross | Mark::Bar) && s.points.iter().all(is_whole)
        };
        let mut taken: Vec<HashSet<i64>> = Vec::new();
        let mut lane = |series: &Series| {
            let own: HashSet<i64> = series.points.iter().map(|vertex| place(vertex) as i64).collect();
            let free = taken.iter().position(|taken| taken.is_disjoint(&own)).unwrap_or(taken.len());
            taken.resize_with(taken.len().max(free + 1), HashSet::new);
            taken[free].extend(own);
            free
        };
        let mut lane_of = |series: &Series| (categories && takes_part(series)).then(|| lane(series));
        let lanes = panel.series.iter().map(&mut lane_of).collect();
        Self { lanes, count: taken.len(), sideways }
    }

    /// The lane of a series.
    pub fn of_series(&self, series: usize) -> Lane {
        let count = self.count.max(1) as f64;
        let width = if self.count == 2 { 0.36 } else { 0.8 / count };
        let offset = self.lanes[series].map_or(0.0, |lane| (lane as f64 - (count - 1.0) / 2.0) * width);
        Lane { offset, width, sideways: self.sideways }
    }
}

impl Lane {
    /// A point in this lane.
    pub fn shift(self, vertex: Vertex) -> Vertex {
        if self.sideways {
            Vertex { y: vertex.y + self.offset, ..vertex }
        } else {
            Vertex { x: vertex.x + self.offset, ..vertex }
        }
    }

    /// The places of the low and high ends of an error bar.
    fn ends(self, v: Vertex, frame: &Frame) -> Option<(Spot, Spot)> {
        let (low, high) = (v.low?, v.high?);
        let ends = if self.sideways { ((low, v.y), (high, v.y)) } else { ((v.x, low), (v.x, high)) };
        Some((frame.hold(frame.spot_of_end(ends.0.0, ends.0.1)?), frame.hold(frame.spot_of_end(ends.1.0, ends.1.1)?)))
    }
}

fn line(scene: &mut Scene, series: &Series, frame: &Frame, colour: Rgb) {
    let pattern = patterns::of_line(scene, series.colour);
    for stroke in strokes(series, frame) {
        patterns::line(scene, stroke, LINE, colour, pattern);
    }
    knots(scene, series, frame);
}

/// The marked points of a line: all, or some of a long one.
fn knots(scene: &mut Scene, series: &Series, frame: &Frame) {
    let (first, step) = marked(series);
    let marked = series.points.iter().skip(first).step_by(step);
    let spots = marked.filter_map(|v| frame.spot(v.x, v.y)).filter(|spot| frame.holds(*spot));
    spots.for_each(|spot| shapes::filled(scene, spot, series.colour, shapes::MARKER));
}

/// The first marked point of a line, and the distance of two. Few points are all marked, as measured points and the
/// lines between them look the same without bands. On long lines some are, so that shapes tell the lines apart; other
/// lines have them at other places.
fn marked(series: &Series) -> (usize, usize) {
    let (count, most) = (series.points.len(), if has_ends(series) { FEW } else { CROWD });
    match (series.mark, count) {
        // A level.
        (Mark::Dashed, ..=2) => (count, 1),
        (Mark::Line | Mark::Hatched, _) if count <= most => (0, 1),
        _ => {
            let step = count.div_ceil(SPACED).max(1);
            ((series.colour % 4) * step / 4 + step / 8, step)
        }
    }
}

/// A sign above each point.
fn signs(scene: &mut Scene, series: &Series, frame: &Frame) {
    let spots = series.points.iter().filter_map(|v| frame.spot(v.x, v.y)).filter(|spot| frame.holds(*spot));
    for (x, y) in spots {
        sign(scene, (x, y - ABOVE));
    }
}

/// The sign of numbers that differ.
pub(super) fn sign(scene: &mut Scene, at: Spot) {
    scene.text(Text::new(Agreement::Differs.mark(), at, NORMAL, Anchor::Middle).bold());
}

/// Whether a series has error bars or a band.
pub(super) fn has_ends(series: &Series) -> bool {
    series.points.iter().any(|point| point.low.is_some() && point.high.is_some())
}

/// The connected pieces of a line inside the frame.
fn strokes(series: &Series, frame: &Frame) -> Vec<Vec<Spot>> {
    let spots: Vec<_> = series.points.iter().map(|v| frame.spot(v.x, v.y)).collect();
    let mut strokes: Vec<Vec<Spot>> = Vec::new();
    for pair in spots.windows(2) {
        let (Some(from), Some(to)) = (pair[0], pair[1]) else { continue };
        let Some((from, to)) = frame.clip(from, to) else { continue };
        match strokes.last_mut().filter(|stroke| stroke.last() == Some(&from)) {
            Some(stroke) => stroke.push(to),
            None => strokes.push(vec![from, to]),
        }
    }
    strokes
}

/// A broken line.
pub(super) fn dashes(scene: &mut Scene, stroke: &[Spot], colour: Rgb) {
    patterns::strokes_along(stroke, &DASH).into_iter().for_each(|dash| scene.path(dash, LINE * 0.85, colour));
}

fn points(scene: &mut Scene, series: &Series, frame: &Frame, lane: Lane, bars_differ: bool) {
    let size = if series.points.len() > CROWD { 0.79 } else { 1.0 };
    let colour = palette::colour(series.colour);
    for vertex in &series.points {
        let vertex = lane.shift(*vertex);
        let Some(spot) = frame.spot(vertex.x, vertex.y).filter(|spot| frame.holds(*spot)) else { continue };
        if let Some((low, high)) = lane.ends(vertex, frame) {
            match vertex.over_games && bars_differ {
                true => broken_bar(scene, low, high, colour),
                false => error_bar(scene, low, high, colour),
            }
        }
        point(scene, series.mark, spot, series.colour, size);
    }
}

/// One filled or hollow point, or a cross.
pub(super) fn point(scene: &mut Scene, mark: Mark, (x, y): Spot, colour: usize, size: f64) {
    match mark {
        Mark::Cross => {
            let (r, colour) = (4.2 * size, palette::colour(colour));
            scene.path([(x - r, y - r), (x + r, y + r)], 1.8, colour);
            scene.path([(x - r, y + r), (x + r, y - r)], 1.8, colour);
        }
        Mark::Diamond => shapes::hollow(scene, (x, y), colour, size),
        _ => shapes::filled(scene, (x, y), colour, size),
    }
}

/// A broken line between two places, without caps: an error over games, beside errors over runs.
pub(super) fn broken_bar(scene: &mut Scene, low: Spot, high: Spot, colour: Rgb) {
    patterns::strokes_along(&[low, high], &BROKEN).into_iter().for_each(|stroke| scene.path(stroke, ERROR, colour));
}

/// A line between two places with a cap at each end, across or up.
pub(super) fn error_bar(scene: &mut Scene, low: Spot, high: Spot, colour: Rgb) {
    let (dx, dy) = if low.1 == high.1 { (0.0, CAP) } else { (CAP, 0.0) };
    scene.path([low, high], ERROR, colour);
    for (x, y) in [low, high] {
        scene.path([(x - dx, y - dy), (x + dx, y + dy)], ERROR, colour);
    }
}

fn bars(scene: &mut Scene, series: &Series, frame: &Frame, lane: Lane) {
    let half = lane.width.min(bar_width(series, lane.sideways)) * 0.46;
    for vertex in &series.points {
        let v = lane.shift(*vertex);
        let corners = if lane.sideways {
            (frame.spot(0.0, v.y - half), frame.spot(v.x, v.y + half))
        } else {
            (frame.spot(v.x - half, 0.0), frame.spot(v.x + half, v.y))
        };
        let (Some(zero), Some(tip)) = corners else { continue };
        patterns::bar(scene, frame.hold(zero), frame.hold(tip), series.colour);
        if let Some((low, high)) = lane.ends(v, frame) {
            error_bar(scene, low, high, palette::INK);
        }
    }
}

/// The smallest distance of two bars of a series.
fn bar_width(series: &Series, sideways: bool) -> f64 {
    let mut places: Vec<f64> = series.points.iter().map(|v| if sideways { v.y } else { v.x }).collect();
    places.sort_by(f64::total_cmp);
    places.windows(2).map(|pair| pair[1] - pair[0]).filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
}

/// A filled rectangle between two corners.
pub(super) fn rectangle(scene: &mut Scene, a: Spot, b: Spot, colour: Rgb, opacity: f64) {
    scene.area([a, (b.0, a.1), b, (a.0, b.1)], colour, opacity);
}
