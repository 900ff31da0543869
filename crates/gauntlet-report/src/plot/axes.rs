//! The frame of one panel: the map from values to places, grid lines, ticks, labels and title.

use super::font::{self, LEADING, NORMAL, SMALL};
use super::palette;
use super::ruler::{Ruler, Tick};
use super::scene::{Anchor, Scene, Spot, Text};
use crate::sheet::AxisScale;

/// Room between the frame and the outermost values, so that marks at the ends stay whole.
const INSET: f64 = 8.0;
/// Room between the frame and a tick label.
pub(super) const TICK: f64 = 8.0;
/// Distance of two lines of a panel's title.
pub(super) const TITLE_LINE: f64 = NORMAL * LEADING;
/// The longest category label beside or below an axis.
const LABEL_ROOM: f64 = 190.0;
/// The longest turned label that has no room for a second line.
const LONGEST: f64 = 400.0;

/// A rectangle with two rulers along it.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: Ruler,
    pub y: Ruler,
}

/// Tick labels of a horizontal axis, broken into lines, level or turned.
pub(super) struct Below {
    ticks: Vec<(f64, Vec<String>)>,
    turned: bool,
}

impl Frame {
    /// The place of a pair of values, possibly outside.
    pub fn spot(&self, x: f64, y: f64) -> Option<Spot> {
        let across = self.x.place(x)?;
        let up = self.y.place(y)?;
        // The first category is at the top.
        let down = if is_categories(&self.y) { up } else { 1.0 - up };
        let (dx, dy) = (inset(&self.x), inset(&self.y));
        Some((self.left + dx + across * (self.width - 2.0 * dx), self.top + dy + down * (self.height - 2.0 * dy)))
    }

    /// The place of an end of an error, possibly outside: a logarithmic axis has none for an end that is not above 0, which
    /// lies far below its edge.
    pub fn spot_of_end(&self, x: f64, y: f64) -> Option<Spot> {
        let raised = |ruler: &Ruler, value: f64| match ruler.scale {
            AxisScale::Log => value.max(f64::MIN_POSITIVE),
            _ => value,
        };
        self.spot(raised(&self.x, x), raised(&self.y, y))
    }

    /// Whether a place is inside.
    pub fn holds(&self, spot: Spot) -> bool {
        spot == self.hold(spot)
    }

    /// The nearest place inside.
    pub fn hold(&self, (x, y): Spot) -> Spot {
        (x.clamp(self.left, self.left + self.width), y.clamp(self.top, self.top + self.height))
    }

    /// Whether a place is between the left and the right edge.
    pub fn is_across(&self, x: f64) -> bool {
        (self.left..=self.left + self.width).contains(&x)
    }

    /// The part of a straight line that is inside (Liang and Barsky, 1984).
    pub fn clip(&self, from: Spot, to: Spot) -> Option<(Spot, Spot)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let edges = [
            (-dx, from.0 - self.left),
            (dx, self.left + self.width - from.0),
            (-dy, from.1 - self.top),
            (dy, self.top + self.height - from.1),
        ];
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (towards, distance) in edges {
            if towards == 0.0 && distance < 0.0 {
                return None;
            }
            match towards.total_cmp(&0.0) {
                std::cmp::Ordering::Less => enter = enter.max(distance / towards),
                std::cmp::Ordering::Greater => leave = leave.min(distance / towards),
                std::cmp::Ordering::Equal => {}
            }
        }
        let along = |t: f64| {
            if t == 0.0 {
                from
            } else if t == 1.0 {
                to
            } else {
                (from.0 + t * dx, from.1 + t * dy)
            }
        };
        (enter < leave).then(|| (along(enter), along(leave)))
    }

    /// Grid lines, frame and ticks; drawn before the data.
    pub fn draw(&self, scene: &mut Scene, below: &Below, beside: Option<&[(f64, Vec<String>)]>) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        self.grid(scene, below);
        let corners =
            [(self.left, self.top), (right, self.top), (right, bottom), (self.left, bottom), (self.left, self.top)];
        scene.path(corners, 1.2, palette::SOFT);
        below.draw(scene, self);
        for (value, lines) in beside.unwrap_or_default() {
            let Some((_, y)) = self.spot_up(*value) else { continue };
            let top = y - (lines.len() as f64 - 1.0) / 2.0 * SMALL * LEADING;
            for (i, line) in lines.iter().enumerate() {
                let at = (self.left - TICK, top + i as f64 * SMALL * LEADING);
                scene.text(Text::new(line, at, SMALL, Anchor::End));
            }
        }
    }

    fn grid(&self, scene: &mut Scene, below: &Below) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        for tick in self.y_ticks() {
            if let Some((_, y)) = self.spot_up(tick.value) {
                scene.path([(self.left, y), (right, y)], 1.0, palette::GRID);
            }
        }
        for (value, _) in &below.ticks {
            if let Some((x, _)) = self.spot_across(*value) {
                scene.path([(x, self.top), (x, bottom)], 1.0, palette::GRID);
            }
        }
    }

    fn spot_up(&self, value: f64) -> Option<Spot> {
        self.spot(self.x.low, value)
    }

    fn spot_across(&self, value: f64) -> Option<Spot> {
        self.spot(value, self.y.low)
    }

    fn y_ticks(&self) -> Vec<Tick> {
        y_ticks(&self.y, self.height)
    }
}

fn is_categories(ruler: &Ruler) -> bool {
    matches!(ruler.scale, AxisScale::Categories(_))
}

/// The inset of an axis: categories already have half a category of room.
fn inset(ruler: &Ruler) -> f64 {
    if is_categories(ruler) { 0.0 } else { INSET }
}

/// Ticks of a vertical axis of some height.
pub(super) fn y_ticks(ruler: &Ruler, height: f64) -> Vec<Tick> {
    ruler.ticks((height / 45.0) as usize)
}

/// Tick labels of a vertical axis, broken into lines. The name of a category has as many as its slot has room for.
pub(super) fn beside(ruler: &Ruler, height: f64) -> Vec<(f64, Vec<String>)> {
    let most = match &ruler.scale {
        AxisScale::Categories(names) => {
            (height / names.len().max(1) as f64 / (SMALL * LEADING)).floor().max(1.0) as usize
        }
        _ => usize::MAX,
    };
    let lines = |label: &str| {
        let mut lines = font::wrap(label, SMALL, LABEL_ROOM);
        if lines.len() > most {
            let rest = lines.split_off(most - 1).join(" ");
            lines.push(font::cut_within(&rest, SMALL, LABEL_ROOM));
        }
        lines
    };
    y_ticks(ruler, height).into_iter().map(|tick| (tick.value, lines(&tick.label))).collect()
}

/// Width of such labels.
pub(super) fn beside_width(labels: &[(f64, Vec<String>)]) -> f64 {
    font::widest(labels.iter().flat_map(|(_, lines)| lines).map(String::as_str), SMALL)
}

impl Below {
    /// Labels for a horizontal axis of some width; no two labels touch.
    pub fn new(ruler: &Ruler, width: f64) -> Self {
        if let AxisScale::Categories(names) = &ruler.scale {
            return Self::categories(ruler, width / names.len().max(1) as f64);
        }
        let fits = |ticks: &Vec<Tick>| {
            let room = (width - 2.0 * INSET) * ticks.windows(2).map(|p| gap(ruler, p)).fold(1.0, f64::min);
            font::widest(ticks.iter().map(|t| t.label.as_str()), SMALL) + 14.0 <= room
        };
        let most = (width / 55.0).ceil().max(1.0) as usize;
        let round = || {
            let ticks = (1..=most).rev().map(|count| ruler.ticks(count)).find(fits);
            let ticks = ticks.unwrap_or_else(|| ruler.ticks(1));
            ruler.with_end(&ticks).filter(fits).unwrap_or(ticks)
        };
        let ticks = ruler.at_values().filter(fits).unwrap_or_else(round);
        Self { ticks: ticks.into_iter().map(|t| (t.value, vec![t.label])).collect(), turned: false }
    }

    /// Level labels of up to three lines if every word fits into its slot, otherwise turned ones; only every second,
    /// third, ... label if even those would touch.
    fn categories(ruler: &Ruler, slot: f64) -> Self {
        let ticks = ruler.ticks(0);
        let broken = |room: f64| ticks.iter().map(move |t| (t.value, font::wrap(&t.label, SMALL, room)));
        let words = ticks.iter().flat_map(|t| t.label.split_whitespace());
        if font::widest(words, SMALL) <= slot - 10.0 && broken(slot - 10.0).all(|(_, lines)| lines.len() <= 3) {
            return Self { ticks: broken(slot - 10.0).collect(), turned: false };
        }
        let lines = ((slot - 4.0) / (SMALL * LEADING)).floor() as usize;
        let stride = if lines == 0 { (SMALL * LEADING / slot).ceil() as usize } else { 1 };
        let short = |room: f64| broken(room).all(|(_, broken)| broken.len() <= lines);
        let room = if short(0.6 * LABEL_ROOM) { 0.6 * LABEL_ROOM } else { LABEL_ROOM };
        let turned = |t: &Tick| match font::wrap(&t.label, SMALL, room) {
            broken if broken.len() <= lines => (t.value, broken),
            _ => (t.value, vec![font::cut(&t.label, SMALL, LONGEST)]),
        };
        Self { ticks: ticks.iter().step_by(stride).map(turned).collect(), turned: true }
    }

    /// Whether some categories of the axis have no label, or a cut one.
    pub fn is_incomplete(&self, ruler: &Ruler) -> bool {
        let AxisScale::Categories(names) = &ruler.scale else { return false };
        let is_cut = |(_, lines): &(f64, Vec<String>)| lines.iter().any(|line| line.ends_with('…'));
        self.ticks.len() < names.len() || self.ticks.iter().any(is_cut)
    }

    /// The extent of the labels below the frame.
    pub fn height(&self) -> f64 {
        let lines = self.ticks.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
        let long = font::widest(self.ticks.iter().flat_map(|(_, lines)| lines).map(String::as_str), SMALL);
        TICK + if self.turned { long } else { lines as f64 * SMALL * LEADING }
    }

    fn draw(&self, scene: &mut Scene, frame: &Frame) {
        let bottom = frame.top + frame.height;
        for (value, lines) in &self.ticks {
            let Some((x, _)) = frame.spot_across(*value) else { continue };
            for (i, line) in lines.iter().enumerate() {
                let along = i as f64 * SMALL * LEADING;
                let text = if self.turned {
                    let across = x + along - (lines.len() as f64 - 1.0) / 2.0 * SMALL * LEADING;
                    Text::new(line, (across, bottom + TICK), SMALL, Anchor::End).turned()
                } else {
                    Text::new(line, (x, bottom + TICK + SMALL * LEADING / 2.0 + along), SMALL, Anchor::Middle)
                };
                scene.text(text);
            }
        }
    }
}

fn gap(ruler: &Ruler, pair: &[Tick]) -> f64 {
    let place = |tick: &Tick| ruler.place(tick.value).unwrap_or(0.0);
    (place(&pair[1]) - place(&pair[0])).abs()
}

/// The lines of a panel's title above a frame of some width.
pub(super) fn title_lines(title: &str, width: f64) -> Vec<String> {
    // Bold letters are wider.
    let size = NORMAL * 1.06;
    font::wrap(title, size, width).iter().map(|line| font::cut(line, size, width)).collect()
}

/// The title of a panel, centred above its frame.
pub(super) fn title(scene: &mut Scene, frame: &Frame, title: &str) {
    for (above, line) in title_lines(title, frame.width).into_iter().rev().enumerate() {
        let at = (frame.left + frame.width / 2.0, frame.top - 14.0 - above as f64 * TITLE_LINE);
        scene.text(Text::new(line, at, NORMAL, Anchor::Middle).bold());
    }
}

/// Writes that a panel has no data.
pub(super) fn no_data(scene: &mut Scene, frame: &Frame) {
    let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
    scene.text(Text { colour: palette::SOFT, ..Text::new("no data", middle, NORMAL, Anchor::Middle) });
}
