//! A scene as PDF for LaTeX: the same shapes, with texts as outlines of the embedded font, so that no reader or printer
//! needs a font; or with texts as texts, in fonts that the file contains.

use std::collections::BTreeMap;

use ab_glyph::{OutlineCurve, Point};
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};

use super::compose;
use super::font::{self, BASE};
use super::letters::{Letters, Placed, packed};
use super::paint::failed;
use super::palette::{PAPER, Rgb};
use super::scene::{Anchor, Scene, Shape, Spot, Text, Viewport};
use crate::error::ReportError;
use crate::sheet::Sheet;

/// Points of a logical pixel, which is 1/96 inch as in an SVG.
const POINT: f32 = 72.0 / 96.0;
/// The distance of the handles of a quarter circle, in its radius.
const HANDLE: f64 = 0.552_285;
/// The first object behind catalogue, pages, page and drawing.
const FIRST: i32 = 5;
/// Hundredths of a logical pixel are exact enough.
const EXACT: f64 = 100.0;

/// The picture of a sheet as a PDF of one page, of the size of its SVG. The same sheet gives the same bytes.
///
/// # Errors
/// If the picture cannot be compressed.
pub fn pdf(sheet: &Sheet) -> Result<Vec<u8>, ReportError> {
    document(&compose::scene(sheet, Viewport::Wide), POINT, None).map_err(|error| failed(sheet, error))
}

/// A scene whose logical pixels have some size in points, with its texts as outlines if there are no letters.
pub(super) fn document(scene: &Scene, point: f32, letters: Option<Letters>) -> std::io::Result<Vec<u8>> {
    let mut pen = Pen { content: Content::new(), states: BTreeMap::new(), letters };
    let (width, height) = (scene.width as f32 * point, scene.height as f32 * point);
    // The origin of a PDF is at the lower left.
    pen.content.transform([point, 0.0, 0.0, -point, 0.0, height]);
    pen.content.set_line_join(LineJoinStyle::RoundJoin);
    let (right, bottom) = (scene.width, scene.height);
    pen.polygon(&[(0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom)], PAPER, 1.0);
    scene.shapes.iter().for_each(|shape| pen.shape(shape));
    let Pen { content, states, letters } = pen;
    let packed = packed(&content.finish())?;
    let [catalogue, pages, page, drawing] = [1, 2, 3, 4].map(Ref::new);
    let mut pdf = Pdf::new();
    pdf.catalog(catalogue).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut only = pdf.page(page);
    only.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(drawing);
    let mut resources = only.resources();
    let mut known = resources.ext_g_states();
    let numbered = || (FIRST..).map(Ref::new).zip(&states);
    for (id, (percent, _)) in numbered() {
        known.pair(Name(name(*percent).as_bytes()), id);
    }
    known.finish();
    let (letters, first) = (letters.unwrap_or_default(), FIRST + states.len() as i32);
    if letters.objects(first).next().is_some() {
        let mut fonts = resources.fonts();
        letters.objects(first).for_each(|(bold, id)| _ = fonts.pair(Letters::name(bold), id));
    }
    resources.finish();
    only.finish();
    pdf.stream(drawing, &packed).filter(Filter::FlateDecode);
    for (id, (_, opacity)) in numbered() {
        pdf.ext_graphics(id).non_stroking_alpha(*opacity);
    }
    letters.write(&mut pdf, first)?;
    Ok(pdf.finish())
}

/// The name of an opacity in percent.
fn name(percent: u32) -> String {
    format!("O{percent}")
}

struct Pen {
    content: Content,
    /// Opacities by their names.
    states: BTreeMap<u32, f32>,
    /// The fonts of texts; without them, texts are outlines.
    letters: Option<Letters>,
}

impl Pen {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { points, width, colour } => self.path(points, *width, *colour),
            Shape::Area { points, colour, opacity } => self.polygon(points, *colour, *opacity),
            Shape::Disc { centre, radius, colour, opacity } => self.disc(*centre, *radius, *colour, *opacity),
            Shape::Text(text) => self.text(text),
        }
    }

    fn path(&mut self, points: &[Spot], width: f64, colour: Rgb) {
        let [red, green, blue] = shares(colour);
        self.content.set_stroke_rgb(red, green, blue);
        self.content.set_line_width(width as f32);
        self.line(points);
        self.content.stroke();
    }

    fn line(&mut self, points: &[Spot]) {
        for (at, point) in points.iter().enumerate() {
            let [x, y] = exact(*point);
            match at {
                0 => self.content.move_to(x, y),
                _ => self.content.line_to(x, y),
            };
        }
    }

    /// Sets the colour and the opacity of areas.
    fn fill(&mut self, colour: Rgb, opacity: f64) {
        let percent = (100.0 * opacity).round() as u32;
        self.states.insert(percent, percent as f32 / 100.0);
        self.content.set_parameters(Name(name(percent).as_bytes()));
        let [red, green, blue] = shares(colour);
        self.content.set_fill_rgb(red, green, blue);
    }

    fn polygon(&mut self, points: &[Spot], colour: Rgb, opacity: f64) {
        self.fill(colour, opacity);
        self.line(points);
        self.content.close_path();
        self.content.fill_nonzero();
    }

    fn disc(&mut self, (x, y): Spot, radius: f64, colour: Rgb, opacity: f64) {
        self.fill(colour, opacity);
        let [start_x, start_y] = exact((x + radius, y));
        self.content.move_to(start_x, start_y);
        let (mut from, turns) = ((1.0, 0.0), [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]);
        for to in turns {
            let place = |(dx, dy): Spot| (x + radius * dx, y + radius * dy);
            let first = (from.0 + HANDLE * to.0, from.1 + HANDLE * to.1);
            let second = (to.0 + HANDLE * from.0, to.1 + HANDLE * from.1);
            self.curve(place(first), place(second), place(to));
            from = to;
        }
        self.content.close_path();
        self.content.fill_nonzero();
    }

    fn curve(&mut self, first: Spot, second: Spot, to: Spot) {
        let [[a, b], [c, d], [e, f]] = [first, second, to].map(exact);
        self.content.cubic_to(a, b, c, d, e, f);
    }

    fn text(&mut self, text: &Text) {
        self.fill(text.colour, 1.0);
        let width = font::width(&text.text, text.size, text.bold);
        let back = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let ((x, y), drop) = (text.at, BASE * text.size);
        if let Some(letters) = &mut self.letters {
            let glyphs = letters.glyphs(&text.text, text.bold);
            let start = if text.turned { (x + drop, y + back) } else { (x - back, y + drop) };
            self.write(text, start, &glyphs);
            return;
        }
        let place = |point: Point| {
            let (along, down) = (f64::from(point.x) - back, f64::from(point.y) + drop);
            if text.turned { (x + down, y - along) } else { (x + along, y + down) }
        };
        let mut end = None;
        for curve in font::outlines(&text.text, text.size, text.bold) {
            let (from, to) = ends(&curve);
            if end != Some(from) {
                let [x, y] = exact(place(from));
                self.content.move_to(x, y);
            }
            self.outline(&curve, place);
            end = Some(to);
        }
        self.content.fill_nonzero();
    }

    /// Writes a text from the start of its base line on. The page is upside down, and so are its letters.
    fn write(&mut self, text: &Text, start: Spot, glyphs: &[Placed]) {
        let ([x, y], axes) = (exact(start), if text.turned { [0.0, -1.0, -1.0, 0.0] } else { [1.0, 0.0, 0.0, -1.0] });
        self.content.begin_text().set_font(Letters::name(text.bold), text.size as f32);
        self.content.set_text_matrix([axes[0], axes[1], axes[2], axes[3], x, y]);
        let mut shown = self.content.show_positioned();
        let mut items = shown.items();
        for (number, kern) in glyphs {
            items.show(Str(&number.to_be_bytes()));
            if *kern != 0.0 {
                items.adjust(-kern);
            }
        }
        items.finish();
        shown.finish();
        self.content.end_text();
    }

    fn outline(&mut self, curve: &OutlineCurve, place: impl Fn(Point) -> Spot) {
        match *curve {
            OutlineCurve::Line(_, to) => {
                let [x, y] = exact(place(to));
                self.content.line_to(x, y);
            }
            OutlineCurve::Quad(from, handle, to) => {
                let towards = |end: Point| {
                    let [(ex, ey), (hx, hy)] = [end, handle].map(&place);
                    (ex + 2.0 / 3.0 * (hx - ex), ey + 2.0 / 3.0 * (hy - ey))
                };
                self.curve(towards(from), towards(to), place(to));
            }
            OutlineCurve::Cubic(_, first, second, to) => self.curve(place(first), place(second), place(to)),
        }
    }
}

fn ends(curve: &OutlineCurve) -> (Point, Point) {
    match *curve {
        OutlineCurve::Line(from, to) | OutlineCurve::Quad(from, _, to) | OutlineCurve::Cubic(from, _, _, to) => {
            (from, to)
        }
    }
}

fn exact((x, y): Spot) -> [f32; 2] {
    [x, y].map(|place| ((place * EXACT).round() / EXACT) as f32)
}

fn shares((red, green, blue): Rgb) -> [f32; 3] {
    [red, green, blue].map(|byte| f32::from(byte) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use std::io::Read as _;

    #[test]
    fn a_pdf_has_a_page_of_the_size_of_the_picture_and_all_its_shapes() {
        for sheet in [samples::scatter(), samples::curves(), samples::boards()] {
            let (bytes, scene) = (pdf(&sheet).expect("it is drawn"), compose::scene(&sheet, Viewport::Wide));
            let text = String::from_utf8_lossy(&bytes);
            let size = format!("/MediaBox [0 0 {} {}]", scene.width * 0.75, scene.height * 0.75);
            assert!(bytes.starts_with(b"%PDF-") && text.contains(&size), "{size}");
            let start = bytes.windows(7).position(|window| window == b"stream\n").expect("a stream") + 7;
            let mut drawn = String::new();
            flate2::read::ZlibDecoder::new(&bytes[start..]).read_to_string(&mut drawn).expect("it unpacks");
            let painted = drawn.lines().filter(|line| matches!(*line, "S" | "f")).count();
            assert_eq!(painted, scene.shapes.len() + 1, "the ground and every shape");
            assert!(bytes == pdf(&sheet).expect("it is drawn again"));
        }
    }
}
