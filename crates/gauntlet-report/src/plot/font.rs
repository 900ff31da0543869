//! The font of all pictures (DejaVu Sans, embedded), the widths of texts in it, and texts as pixels.
//!
//! Plotters omits the side bearings of letters when it rasterizes, so that their distances look wrong; pixels of texts
//! are therefore made here.

use ab_glyph::{Font, FontRef, OutlineCurve, Point, PxScale, PxScaleFont, ScaleFont, point};
use std::sync::LazyLock;

/// An SVG contains no font: its viewer uses the first available font of this list; all are as wide or narrower.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// Size of tick labels and legends, in logical pixels.
pub(super) const SMALL: f64 = 15.0;
/// Size of axis labels and panel titles, in logical pixels.
pub(super) const NORMAL: f64 = 16.0;
/// Distance of lines of text, as a multiple of their size.
pub(super) const LEADING: f64 = 1.25;
/// The distance of the base line below the middle of a line of text, as a multiple of its size: between half the
/// height of small letters and half that of digits.
pub(super) const BASE: f64 = 0.33;

static REGULAR: LazyLock<FontRef<'static>> = LazyLock::new(|| parse(false));
static BOLD: LazyLock<FontRef<'static>> = LazyLock::new(|| parse(true));

fn parse(bold: bool) -> FontRef<'static> {
    FontRef::try_from_slice(bytes(bold)).expect("the embedded font is valid")
}

/// The file of the font.
pub(super) fn bytes(bold: bool) -> &'static [u8] {
    if bold { dejavu::sans::bold() } else { dejavu::sans::regular() }
}

/// The font.
pub(super) fn face(bold: bool) -> &'static FontRef<'static> {
    if bold { &BOLD } else { &REGULAR }
}

/// The units of an em.
pub(super) fn em(bold: bool) -> f32 {
    face(bold).units_per_em().expect("the embedded font has an em")
}

/// The font scaled so that one em is `size` pixels.
fn scaled(size: f64, bold: bool) -> PxScaleFont<&'static FontRef<'static>> {
    let font = face(bold);
    font.as_scaled(PxScale::from(size as f32 * (font.height_unscaled() / em(bold))))
}

/// Width of a text in the unit of its size.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let font = scaled(size, bold);
    let mut width = 0.0;
    let mut last = None;
    for glyph in text.chars().map(|c| font.glyph_id(c)) {
        width += last.map_or(0.0, |last| font.kern(last, glyph)) + font.h_advance(glyph);
        last = Some(glyph);
    }
    f64::from(width)
}

/// Calls `pixel` with the place and the coverage, 0 to 1, of each pixel of a text. Places are relative to the start of
/// its base line, which may lie anywhere between whole pixels: `(x, y)` are the fractions.
pub(super) fn rasterize(text: &str, size: f64, bold: bool, (x, y): (f64, f64), mut pixel: impl FnMut(i32, i32, f32)) {
    let font = scaled(size, bold);
    let mut at = x as f32;
    let mut last = None;
    for c in text.chars() {
        let mut glyph = font.scaled_glyph(c);
        at += last.map_or(0.0, |last| font.kern(last, glyph.id));
        last = Some(glyph.id);
        glyph.position = point(at, y as f32);
        at += font.h_advance(glyph.id);
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, coverage| pixel(corner.x as i32 + dx as i32, corner.y as i32 + dy as i32, coverage));
        }
    }
}

/// The outlines of a text in logical pixels, y downwards, from the start of its base line.
pub(super) fn outlines(text: &str, size: f64, bold: bool) -> Vec<OutlineCurve> {
    let font = scaled(size, bold);
    let unit = size as f32 / em(bold);
    let (mut at, mut last, mut curves) = (0.0, None, Vec::new());
    for glyph in text.chars().map(|c| font.glyph_id(c)) {
        at += last.map_or(0.0, |last| font.kern(last, glyph));
        let place = |corner: Point| point(at + corner.x * unit, -corner.y * unit);
        let outline = font.font.outline(glyph).map(|outline| outline.curves).unwrap_or_default();
        curves.extend(outline.into_iter().map(|curve| match curve {
            OutlineCurve::Line(a, b) => OutlineCurve::Line(place(a), place(b)),
            OutlineCurve::Quad(a, b, c) => OutlineCurve::Quad(place(a), place(b), place(c)),
            OutlineCurve::Cubic(a, b, c, d) => OutlineCurve::Cubic(place(a), place(b), place(c), place(d)),
        }));
        at += font.h_advance(glyph);
        last = Some(glyph);
    }
    curves
}

/// The widest of some texts.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64) -> f64 {
    texts.into_iter().map(|text| width(text, size, false)).fold(0.0, f64::max)
}

/// Breaks a text at spaces into lines of at most `room` logical pixels; a longer word is cut and ends in an ellipsis.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer.filter(|line| width(line, size, false) <= room) {
            Some(longer) => *lines.last_mut().expect("there is a last line") = longer,
            None => lines.push(cut(word, size, room)),
        }
    }
    lines
}

/// A text that is cut to at most `room`.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    if width(text, size, false) <= room {
        return text.into();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| letters[..kept].iter().collect::<String>() + "…";
    shortened(longest(letters.len(), |kept| width(&shortened(kept), size, false) <= room))
}

/// Like [`cut`], but with the end of the text, too.
pub(super) fn cut_within(text: &str, size: f64, room: f64) -> String {
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| {
        let (begin, end) = (&letters[..kept.div_ceil(2)], &letters[letters.len() - kept / 2..]);
        begin.iter().chain(&['…']).chain(end).collect::<String>()
    };
    match width(text, size, false) <= room {
        true => text.into(),
        false => shortened(longest(letters.len(), |kept| width(&shortened(kept), size, false) <= room)),
    }
}

/// The largest number below `end` that fits, 0 if none does, of numbers that fit up to some bound.
fn longest(end: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, end);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_what_tells_them_apart() {
        let texts = ["a player with a long name (version 1)", "a player with a long name (version 2)"];
        let [one, other] = texts.map(|text| cut(text, SMALL, 120.0));
        assert_eq!(one, other);
        let [one, other] = texts.map(|text| cut_within(text, SMALL, 120.0));
        assert!(one != other && one.starts_with("a play") && one.ends_with("1)"), "{one}");
        assert!(width(&one, SMALL, false) <= 120.0 && cut_within("short", SMALL, 120.0) == "short");
        assert_eq!(cut_within("short", SMALL, 0.0), "…");
    }

    #[test]
    fn texts_are_broken_to_fit() {
        let lines = wrap("without subgraph sampling", SMALL, 90.0);
        assert_eq!(lines, ["without", "subgraph", "sampling"]);
        assert!(width(&cut("extraordinarily", SMALL, 60.0), SMALL, false) <= 60.0);
        assert_eq!(wrap("short", SMALL, 100.0), ["short"]);
    }

    #[test]
    fn letters_stay_within_their_width() {
        let (mut left, mut right) = (0, 0);
        rasterize("CONV 7x7", 32.0, false, (0.0, 0.0), |x, _, _| {
            left = left.min(x);
            right = right.max(x);
        });
        let width = width("CONV 7x7", 32.0, false);
        assert!(left >= 0 && f64::from(right) <= width && f64::from(right) > width - 5.0, "{left} {right} {width}");
    }
}
