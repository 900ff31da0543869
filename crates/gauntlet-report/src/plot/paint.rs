//! A scene as SVG text, painted by plotters, and the common code with a scene as pixels (see [`super::raster`]).
//!
//! Backends of plotters have integer coordinates. Both are therefore given four units per logical pixel: an SVG
//! scales them down again through its view box, a PNG by averaging squares of four, which also smooths all edges.
//! The texts of a PNG are added afterwards (see [`super::font`]).

use super::compose;
use super::font::{BASE, FAMILY};
use super::palette::Rgb;
use super::scene::{Anchor, Hint, Owner, Scene, Shape, Spot, Text, Viewport};
use crate::error::ReportError;
use crate::sheet::Sheet;
use gauntlet_games::base::is_obeyed;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units of a backend per logical pixel.
pub(super) const FINE: f64 = 4.0;
/// The SVG backend divides sizes by this to get the size of the font.
const SVG_SIZE: f64 = 1.24;
/// The distance of the base line of a centred text below its place in the SVG backend: half an ex, which is 0.547 em.
const SVG_BASE: f64 = 0.2735;
/// Radius of the place of a text, in units.
const HINT: u32 = 28;

/// The picture of a sheet as an SVG with real text and a title for screen readers. The same sheet gives the same
/// bytes.
pub fn svg(sheet: &Sheet) -> Result<String, ReportError> {
    pixels(sheet, Viewport::Wide)
}

/// The same for a screen of a telephone's width.
pub fn narrow_svg(sheet: &Sheet) -> Result<String, ReportError> {
    pixels(sheet, Viewport::Narrow)
}

/// An SVG whose size is in logical pixels.
fn pixels(sheet: &Sheet, viewport: Viewport) -> Result<String, ReportError> {
    let scene = compose::scene(sheet, viewport);
    vector(sheet, &scene, &[scene.width, scene.height].map(|side| side.to_string()))
}

/// The SVG of a scene with a width and a height: each series and its entry in the legend in a group of its own, then the texts of points, which
/// viewers show for the place under the pointer.
pub(super) fn vector(sheet: &Sheet, scene: &Scene, [wide, high]: &[String; 2]) -> Result<String, ReportError> {
    let (width, height) = units(scene);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n",
        escape(&sheet.title),
    );
    for (owner, shapes) in scene.parts() {
        let body = body(shapes, (width, height)).map_err(|error| failed(sheet, error))?;
        match group(scene, owner) {
            Some(group) => text += &format!("{group}\n{body}</g>\n"),
            None => text += &body,
        }
    }
    text += &hints(scene);
    Ok(text + "</svg>\n")
}

/// The elements of some shapes.
fn body(shapes: &[Shape], size: (u32, u32)) -> Result<String, String> {
    let mut text = String::new();
    paint(shapes, SVGBackend::with_string(&mut text, size)).map_err(|error| error.to_string())?;
    let (_, body) = text.split_once('>').expect("an SVG starts with a tag");
    Ok(body.trim_start().trim_end().trim_end_matches("</svg>").to_owned())
}

/// The opening tag of the group of an owner.
fn group(scene: &Scene, owner: Owner) -> Option<String> {
    let (kind, series) = match owner {
        Owner::Picture => return None,
        Owner::Entry(series) => ("entry", series),
        Owner::Series(series) => ("series", series),
    };
    Some(format!("<g class=\"{kind}\" data-series=\"{series}\" data-name=\"{}\">", escape(scene.series.get(series)?)))
}

/// Invisible circles with a title.
fn hints(scene: &Scene) -> String {
    let hint = |hint: &Hint| {
        let (x, y) = place(hint.at);
        let series =
            if let Owner::Series(series) = hint.owner { format!(" data-series=\"{series}\"") } else { String::new() };
        format!(
            "<circle class=\"hint\"{series} cx=\"{x}\" cy=\"{y}\" r=\"{HINT}\"><title>{}</title></circle>\n",
            escape(&hint.text)
        )
    };
    match scene.hints.as_slice() {
        [] => String::new(),
        hints => {
            format!("<g fill=\"none\" pointer-events=\"all\">\n{}</g>\n", hints.iter().map(hint).collect::<String>())
        }
    }
}

pub(super) fn units(scene: &Scene) -> (u32, u32) {
    ((scene.width * FINE).round() as u32, (scene.height * FINE).round() as u32)
}

pub(super) fn failed(sheet: &Sheet, error: impl std::fmt::Display) -> ReportError {
    ReportError::Drawing { artefact: sheet.artefact.clone(), message: error.to_string() }
}

fn escape(text: &str) -> String {
    let visible = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    visible.chars().filter(|c| *c == '\n' || !is_obeyed(*c)).collect()
}

pub(super) type Painted<B, T = ()> = Result<T, DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;
type Area<B> = DrawingArea<B, Shift>;

fn paint<B: DrawingBackend>(shapes: &[Shape], backend: B) -> Painted<B> {
    let area = backend.into_drawing_area();
    for shape in shapes {
        match shape {
            Shape::Path { points, width, colour } => {
                let style = ink(*colour).stroke_width((width * FINE).round() as u32);
                area.draw(&PathElement::new(places(points), style))?;
            }
            Shape::Area { points, colour, opacity } => {
                area.draw(&Polygon::new(places(points), ink(*colour).mix(*opacity).filled()))?;
            }
            Shape::Disc { centre, radius, colour, opacity } => {
                let style = ink(*colour).mix(*opacity).filled();
                area.draw(&Circle::new(place(*centre), (radius * FINE).round() as i32, style))?;
            }
            Shape::Text(text) => write(&area, text)?,
        }
    }
    area.present()
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
    let (x, y) = place(text.at);
    let drop = ((BASE - SVG_BASE) * size).round() as i32;
    let at = if text.turned { (x + drop, y) } else { (x, y + drop) };
    // Plotters escapes the special characters of XML, and keeps the characters that XML forbids.
    let shown: String = text.text.chars().filter(|c| !is_obeyed(*c)).collect();
    area.draw(&plotters::element::Text::new(shown, at, style))
}

pub(super) fn ink((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

pub(super) fn place((x, y): Spot) -> (i32, i32) {
    ((x * FINE).round() as i32, (y * FINE).round() as i32)
}

fn places(points: &[Spot]) -> Vec<(i32, i32)> {
    points.iter().map(|point| place(*point)).collect()
}
