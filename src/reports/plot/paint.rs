//! A scene as SVG text or PNG bytes, painted by plotters.
//!
//! Backends of plotters have integer coordinates. Both are therefore given four units per logical pixel: an SVG
//! scales them down again through its view box, a PNG by averaging squares of four, which also smooths all edges.
//! The texts of a PNG are put on top afterwards (see [`super::font`]).

use std::ops::Range;

use super::compose::{self, Viewport};
use super::font::{BASE, FAMILY};
use super::palette::{PAPER, Rgb};
use super::pixels::{Pixels, SQUARE};
use super::scene::{Anchor, Scene, Shape, Spot, Text};
use crate::base::is_obeyed;
use crate::reports::error::ReportError;
use crate::reports::sheet::Sheet;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units of a backend per logical pixel.
const FINE: f64 = 4.0;
/// Units of the tallest picture that is painted in one piece, and of the strips of taller ones, which would take much
/// memory.
const TALL: u32 = 8192;
const STRIP: u32 = 2048;
/// The SVG backend divides sizes by this to get the size of the font.
const SVG_SIZE: f64 = 1.24;
/// Where the SVG backend puts the base line of a centred text: half an ex, which is 0.547 em, below its place.
const SVG_BASE: f64 = 0.2735;

/// The picture of a sheet as an SVG with real text and a title for those who cannot see it. The same sheet gives the
/// same bytes.
pub fn svg(sheet: &Sheet) -> Result<String, ReportError> {
    vector(sheet, &compose::scene(sheet, Viewport::Wide))
}

/// The same for a screen as narrow as that of a telephone.
pub fn narrow_svg(sheet: &Sheet) -> Result<String, ReportError> {
    vector(sheet, &compose::scene(sheet, Viewport::Narrow))
}

fn vector(sheet: &Sheet, scene: &Scene) -> Result<String, ReportError> {
    let mut text = String::new();
    paint(scene, SVGBackend::with_string(&mut text, units(scene)), Medium::Vector, 0..units(scene).1 as i32)
        .map_err(|e| failed(sheet, e))?;
    let (_, body) = text.split_once('>').expect("an SVG starts with a tag");
    let (width, height) = units(scene);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>{body}",
        scene.width,
        scene.height,
        escape(&sheet.title),
    ))
}

/// The picture of a sheet as a PNG of twice its logical size. The same sheet gives the same bytes.
pub fn png(sheet: &Sheet) -> Result<Vec<u8>, ReportError> {
    let scene = compose::scene(sheet, Viewport::Wide);
    let rows = if units(&scene).1 > TALL { STRIP } else { TALL };
    let mut pixels = strips(&scene, rows).map_err(|e| failed(sheet, e))?;
    for shape in &scene.shapes {
        if let Shape::Text(text) = shape {
            pixels.write(text);
        }
    }
    pixels.encode().map_err(|e| failed(sheet, e))
}

/// A scene without its texts, painted in strips of so many rows of units.
fn strips(scene: &Scene, rows: u32) -> Painted<BitMapBackend<'static>, Pixels> {
    let (width, height) = units(scene);
    let mut pixels = Pixels::new(width as usize / SQUARE, height as usize / SQUARE);
    for top in (0..height).step_by(rows as usize) {
        let size = (width, rows.min(height - top));
        let mut fine = vec![255; size.0 as usize * size.1 as usize * 3];
        let backend = BitMapBackend::with_buffer(&mut fine, size);
        paint(scene, backend, Medium::Raster, top as i32..(top + size.1) as i32)?;
        pixels.append_shrunk(&fine);
    }
    Ok(pixels)
}

fn units(scene: &Scene) -> (u32, u32) {
    ((scene.width * FINE).round() as u32, (scene.height * FINE).round() as u32)
}

fn failed(sheet: &Sheet, error: impl std::fmt::Display) -> ReportError {
    ReportError::Drawing { artefact: sheet.artefact.clone(), message: error.to_string() }
}

fn escape(text: &str) -> String {
    let visible = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    visible.chars().filter(|c| !is_obeyed(*c)).collect()
}

/// What the backends do differently: texts, and the joints of thick lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    Vector,
    Raster,
}

type Painted<B, T = ()> = Result<T, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;
type Area<B> = DrawingArea<B, Shift>;

/// Paints these rows of units of a scene, the first at the top.
fn paint<B: DrawingBackend>(scene: &Scene, backend: B, medium: Medium, rows: Range<i32>) -> Painted<B> {
    let area = backend.into_drawing_area();
    area.fill(&ink(PAPER))?;
    let is_within = |shape: &&Shape| {
        let [first, last] = shape.rows().map(|row| row * FINE);
        medium == Medium::Vector || first <= f64::from(rows.end) && last >= f64::from(rows.start)
    };
    let top = rows.start;
    for shape in scene.shapes.iter().filter(is_within) {
        match shape {
            Shape::Path { points, width, colour } => path(&area, points, *width, *colour, (medium, top))?,
            Shape::Area { points, colour, opacity } => {
                area.draw(&Polygon::new(places(points, top), ink(*colour).mix(*opacity).filled()))?;
            }
            Shape::Disc { centre, radius, colour, opacity } => {
                let style = ink(*colour).mix(*opacity).filled();
                area.draw(&Circle::new(place(*centre, top), (radius * FINE).round() as i32, style))?;
            }
            Shape::Text(text) if medium == Medium::Vector => write(&area, text)?,
            Shape::Text(_) => {}
        }
    }
    area.present()
}

/// The rasterizer makes spikes of sharp joints, so that it gets each piece as a polygon, and a disc on each joint.
fn path<B: DrawingBackend>(
    area: &Area<B>,
    points: &[Spot],
    width: f64,
    colour: Rgb,
    (medium, top): (Medium, i32),
) -> Painted<B> {
    if medium == Medium::Vector {
        let width = (width * FINE).round() as u32;
        return area.draw(&PathElement::new(places(points, top), ink(colour).stroke_width(width)));
    }
    for pair in points.windows(2) {
        area.draw(&Polygon::new(places(&thick(pair[0], pair[1], width), top), ink(colour).filled()))?;
    }
    let radius = (width * FINE / 2.0).round() as i32;
    for joint in points.iter().skip(1).take(points.len().saturating_sub(2)) {
        area.draw(&Circle::new(place(*joint, top), radius, ink(colour).filled()))?;
    }
    Ok(())
}

/// The rectangle that a straight line of some width covers.
fn thick(from: Spot, to: Spot, width: f64) -> [Spot; 4] {
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(f64::MIN_POSITIVE);
    let (dx, dy) = ((to.1 - from.1) / length * width / 2.0, (from.0 - to.0) / length * width / 2.0);
    [(from.0 - dx, from.1 - dy), (from.0 + dx, from.1 + dy), (to.0 + dx, to.1 + dy), (to.0 - dx, to.1 - dy)]
}

fn write<B: DrawingBackend>(area: &Area<B>, text: &Text) -> Painted<B> {
    let size = text.size * FINE;
    let turn = if text.turned { FontTransform::Rotate270 } else { FontTransform::None };
    let anchor = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let weight = if text.bold { FontStyle::Bold } else { FontStyle::Normal };
    let font = FontDesc::new(FontFamily::Name(FAMILY), size * SVG_SIZE, weight).transform(turn);
    let style = font.color(&ink(text.colour)).pos(Pos::new(anchor, VPos::Center));
    let (x, y) = place(text.at, 0);
    let drop = ((BASE - SVG_BASE) * size).round() as i32;
    let at = if text.turned { (x + drop, y) } else { (x, y + drop) };
    // Plotters escapes what XML means something by, and leaves in what XML cannot have.
    let shown: String = text.text.chars().filter(|c| !is_obeyed(*c)).collect();
    area.draw(&plotters::element::Text::new(shown, at, style))
}

fn ink((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

/// A place in units, where the rows begin with `top`.
fn place((x, y): Spot, top: i32) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32 - top)
}

fn places(points: &[Spot], top: i32) -> Vec<(i32, i32)> {
    points.iter().map(|point| place(*point, top)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::samples;

    #[test]
    fn a_picture_in_strips_is_the_picture_in_one_piece() {
        for sheet in [samples::assorted(), samples::curves(), samples::boards()] {
            let scene = compose::scene(&sheet, Viewport::Wide);
            let bytes = |rows| strips(&scene, rows).expect("it is painted").encode().expect("it is a picture");
            assert!(bytes(256) == bytes(TALL), "{}", sheet.title);
        }
    }
}
