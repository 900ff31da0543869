//! From a chart to a scene: the places of legend, panels and labels.
//!
//! Panels are in rows of at most three, fewer if the horizontal categories need the room for their labels. Panels with
//! the same vertical axis share its ends, so that they can be compared, and only the leftmost of a row is labelled.

use super::axes::{self, Below, Frame, TICK};
use super::diagrams;
use super::font::{self, LEADING, NORMAL, SMALL};
use super::hints::{self, PointNames};
use super::legend::Legend;
use super::marks;
use super::ruler::{Direction, Ruler};
use super::scene::{Anchor, Scene, Text, Viewport};
use super::stones;
use crate::sheet::{Axis, AxisScale, Mark, Panel, Series, Sheet, Vertex};
use crate::uncertainty;

const MARGIN: f64 = 10.0;
const GUTTER: f64 = 18.0;
/// Half of the last tick label may reach beyond a frame.
const OVERHANG: f64 = 18.0;
const LABEL: f64 = NORMAL * LEADING + 6.0;
/// Distance of two lines of an axis label.
const LINE: f64 = NORMAL * LEADING;
const TITLE: f64 = 28.0;
const FOOT: f64 = SMALL * LEADING + 2.0;

/// Width of a picture for a telephone.
const NARROW: f64 = 390.0;

/// The least width of a panel with its labels on a page, before panels are put below each other.
const LEAST: f64 = 260.0;
/// Height of a panel on a page, as a share of the width with labels, and its limits.
const FLAT: f64 = 0.6;
const LOWEST: f64 = 180.0;
const HIGHEST: f64 = 380.0;
/// The least width of a picture on a page.
const SMALLEST: f64 = 150.0;
/// The least width of a panel on a page without its labels.
const NARROWEST: f64 = 90.0;

/// The picture for a column of a page of this width; `None` if its labels leave no room for its panels.
pub(super) fn page(sheet: &Sheet, width: u32) -> Option<Scene> {
    let viewport = Viewport::Page(width);
    let has_room = || sheet.chart.panels.is_empty() || Layout::new(sheet, viewport).frame_width >= NARROWEST;
    (f64::from(width) >= SMALLEST && has_room()).then(|| scene(sheet, viewport))
}

/// Composes the picture of a sheet's chart, with the meaning of its bars and bands at the foot.
pub(super) fn scene(sheet: &Sheet, viewport: Viewport) -> Scene {
    let chart = &sheet.chart;
    let layout = Layout::new(sheet, viewport);
    let legend = Legend::new(chart, layout.width - 2.0 * MARGIN);
    let mut top = MARGIN + legend.height();
    let mut scene = Scene { is_patterned: matches!(viewport, Viewport::Page(_)), ..Scene::new(layout.width, 0.0) };
    legend.draw(&mut scene, MARGIN);
    for (r, row) in chart.panels.chunks(layout.columns).enumerate() {
        top = layout.draw_row(&mut scene, row, r * layout.columns, top);
    }
    let ends = [MARGIN, layout.width - MARGIN];
    let columns = diagrams::columns(&chart.diagrams, viewport, ends[1] - ends[0]);
    top = diagrams::draw(&mut scene, &chart.diagrams, columns, ends, top);
    let said = uncertainty::in_picture(sheet).unwrap_or_default();
    for line in font::wrap(&said, SMALL, layout.width - 2.0 * MARGIN) {
        scene.text(Text::new(line, (MARGIN, top + 0.5 * FOOT), SMALL, Anchor::Start));
        top += FOOT;
    }
    scene.height = (top + MARGIN).ceil();
    hints::limit(&mut scene);
    scene
}

/// The common sizes of all rows.
struct Layout<'a> {
    /// The texts of points.
    names: PointNames<'a>,
    /// Whether bars over games differ from bars over runs.
    bars_differ: bool,
    width: f64,
    columns: usize,
    rulers: Vec<(Ruler, Ruler)>,
    shared: bool,
    /// Room left of the frames of each column.
    lefts: Vec<f64>,
    frame_width: f64,
    frame_height: f64,
    /// The longest line of the label of a vertical axis.
    label_room: f64,
}

impl<'a> Layout<'a> {
    /// The most columns for which every horizontal category has its whole label.
    fn new(sheet: &'a Sheet, viewport: Viewport) -> Self {
        let chart = &sheet.chart;
        let usual = match chart.panels.len() {
            0 => diagrams::usual_columns(chart.diagrams.len(), viewport).clamp(1, 3),
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        let most = match viewport {
            Viewport::Narrow => 1,
            Viewport::Page(width) => usual.min((f64::from(width) / LEAST) as usize).max(1),
            Viewport::Wide => usual,
        };
        let mut layouts = (1..=most).rev().map(|columns| Self::in_columns(sheet, viewport, columns));
        let has_room = |layout: &Layout<'_>| viewport == Viewport::Wide || layout.frame_width >= NARROWEST;
        let does = |layout: &Layout<'_>| layout.columns == 1 || (has_room(layout) && !layout.is_crowded());
        layouts.find(does).expect("one column always does")
    }

    fn in_columns(sheet: &'a Sheet, viewport: Viewport, columns: usize) -> Self {
        let panels = &sheet.chart.panels;
        let aspect = aspect(panels);
        let (width, height) = match (viewport, columns, aspect.is_some()) {
            (Viewport::Narrow, ..) => (NARROW, 280.0),
            (Viewport::Page(width), ..) => {
                let width = f64::from(width);
                (width, (FLAT * width / columns as f64).clamp(LOWEST, HIGHEST))
            }
            (Viewport::Wide, 1, true) => (600.0, 500.0),
            (Viewport::Wide, 1, false) => (700.0, 380.0),
            (Viewport::Wide, 2, _) => (800.0, 320.0),
            (Viewport::Wide, ..) => (860.0, 300.0),
        };
        let categories = panels.iter().map(|panel| category_count(&panel.y)).max().unwrap_or(0);
        let frame_height = f64::max(height, categories as f64 * 2.0 * SMALL * LEADING);
        let shared = panels.len() > 1 && panels.iter().all(|panel| panel.y == panels[0].y);
        let rulers: Vec<_> = panels
            .iter()
            .map(|panel| (ruler(panels, panel, Direction::Across), ruler(panels, panel, Direction::Up)))
            .collect();
        let (names, bars_differ) = (PointNames::new(sheet), uncertainty::is_mixed(sheet));
        let (lefts, frame_width, label_room) = (vec![], 0.0, frame_height);
        let mut layout =
            Self { names, bars_differ, width, columns, rulers, shared, lefts, frame_width, frame_height, label_room };
        layout.lefts = (0..columns).map(|column| layout.left(panels, column)).collect();
        let frames = width - MARGIN - OVERHANG - GUTTER * (columns as f64 - 1.0) - layout.lefts.iter().sum::<f64>();
        layout.frame_width = frames / columns as f64;
        if let Some(aspect) = aspect {
            layout.frame_height = layout.frame_width * aspect;
        }
        layout
    }

    /// Whether some categories would have no label, or labels on each other, as beside a large board.
    fn is_crowded(&self) -> bool {
        let is_incomplete = |across: &Ruler| Below::new(across, self.frame_width).is_incomplete(across);
        let is_dense = |up: &Ruler| match &up.scale {
            AxisScale::Categories(names) => self.frame_height / (names.len().max(1) as f64) < SMALL,
            _ => false,
        };
        self.rulers.iter().any(|(across, up)| is_incomplete(across) || is_dense(up))
    }

    /// Room for the labels left of a column's frames.
    fn left(&self, panels: &[Panel], column: usize) -> f64 {
        if self.shared && column > 0 {
            return 0.0;
        }
        let of_panel = |i: usize| {
            let labels = axes::beside_width(&axes::beside(&self.rulers[i].1, self.frame_height));
            labels
                + TICK
                + self.y_lines(&panels[i]).len() as f64 * LINE
                + if panels[i].y.label.is_empty() { 0.0 } else { LABEL - LINE }
        };
        (column..panels.len()).step_by(self.columns).map(of_panel).fold(0.0, f64::max)
    }

    /// The label of a vertical axis in lines.
    fn y_lines(&self, panel: &Panel) -> Vec<String> {
        font::wrap(&panel.y.label, NORMAL, self.label_room)
    }

    /// The label of a horizontal axis in lines.
    fn x_lines(&self, panel: &Panel) -> Vec<String> {
        font::wrap(&panel.x.label, NORMAL, self.frame_width + GUTTER)
    }

    /// Draws the panels of one row and returns where it ends.
    fn draw_row(&self, scene: &mut Scene, row: &[Panel], first: usize, top: f64) -> f64 {
        let lines = row.iter().map(|panel| axes::title_lines(&panel.title, self.frame_width).len());
        let top = top
            + match lines.max().unwrap_or(0) {
                0 => 8.0,
                lines => TITLE + (lines as f64 - 1.0) * axes::TITLE_LINE,
            };
        let belows: Vec<_> = (0..row.len()).map(|i| Below::new(&self.rulers[first + i].0, self.frame_width)).collect();
        let tallest = belows.iter().map(Below::height).fold(0.0, f64::max);
        let mut left = MARGIN;
        for (i, panel) in row.iter().enumerate() {
            left += self.lefts[i];
            let (x, y) = self.rulers[first + i].clone();
            let frame = Frame { left, top, width: self.frame_width, height: self.frame_height, x, y };
            self.draw_panel(scene, panel, &frame, &belows[i], i);
            left += self.frame_width + GUTTER;
        }
        let lines = row.iter().map(|panel| self.x_lines(panel).len()).max().unwrap_or(0).max(1);
        top + self.frame_height + tallest + LABEL + 4.0 + (lines - 1) as f64 * LINE
    }

    fn draw_panel(&self, scene: &mut Scene, panel: &Panel, frame: &Frame, below: &Below, column: usize) {
        let labelled = !self.shared || column == 0;
        let beside = axes::beside(&frame.y, frame.height);
        frame.draw(scene, below, labelled.then_some(&beside));
        axes::title(scene, frame, &panel.title);
        if is_drawn(panel, frame) {
            marks::draw(scene, panel, frame, self.bars_differ);
            hints::add(scene, &self.names, panel, frame);
        } else {
            axes::no_data(scene, frame)
        }
        let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
        let under = frame.top + frame.height + below.height() + LABEL / 2.0 + 3.0;
        for (at, line) in self.x_lines(panel).into_iter().enumerate() {
            scene.text(Text::new(line, (middle.0, under + at as f64 * LINE), NORMAL, Anchor::Middle));
        }
        let beyond = frame.left - TICK - axes::beside_width(&beside) - LABEL / 2.0;
        for (at, line) in self.y_lines(panel).into_iter().rev().enumerate().filter(|_| labelled) {
            scene.text(Text::new(line, (beyond - at as f64 * LINE, middle.1), NORMAL, Anchor::Middle).turned());
        }
    }
}

/// The ruler of an axis, fitted to all panels with the same axis.
fn ruler(panels: &[Panel], panel: &Panel, direction: Direction) -> Ruler {
    let axis = |panel: &Panel| if direction == Direction::Across { panel.x.clone() } else { panel.y.clone() };
    let own = axis(panel);
    Ruler::fit(&own, panels.iter().filter(|other| axis(other) == own && has_data(other)), direction)
}

/// Height over width, if the panels require it: squares for squares, and boards with cells as high as wide.
fn aspect(panels: &[Panel]) -> Option<f64> {
    let cells = |panel: &Panel| category_count(&panel.y) as f64 / category_count(&panel.x).max(1) as f64;
    if panels.is_empty() {
        None
    } else if panels.iter().all(stones::is_board) {
        Some(panels.iter().map(cells).fold(0.0, f64::max))
    } else {
        panels.iter().all(is_square).then_some(1.0)
    }
}

/// Whether both axes show the same fixed range of one quantity, as in a scatter plot with a diagonal.
fn is_square(panel: &Panel) -> bool {
    let linear = panel.x.scale == AxisScale::Linear && panel.y.scale == AxisScale::Linear;
    linear && panel.x.range.is_some() && panel.x.range == panel.y.range
}

fn category_count(axis: &Axis) -> usize {
    if let AxisScale::Categories(names) = &axis.scale { names.len() } else { 0 }
}

/// The points of a panel, without those of rules and levels, which alone show nothing.
fn data(panel: &Panel) -> impl Iterator<Item = &Vertex> {
    let is_level = |series: &&Series| match series.mark {
        Mark::Rule => true,
        Mark::Dashed => series.points.len() <= 2,
        _ => false,
    };
    panel.series.iter().filter(move |series| !is_level(series)).flat_map(|series| &series.points)
}

fn has_data(panel: &Panel) -> bool {
    data(panel).next().is_some()
}

fn is_drawn(panel: &Panel, frame: &Frame) -> bool {
    data(panel).any(|vertex| frame.spot(vertex.x, vertex.y).is_some())
}
