//! A scene as pixels, painted by plotters in strips of rows, so that the memory of a tall picture is that of a strip.
//! Its texts are added afterwards (see [`super::font`]).
//!
//! Places are clipped at the edges of the whole picture and moved by whole units, so that strips give the same pixels
//! as one piece.

use super::compose;
use super::paint::{FINE, Painted, failed, ink, place, units};
use super::palette::{PAPER, Rgb};
use super::pixels::{PER_METRE, Pixels, SQUARE};
use super::scene::{Scene, Shape, Spot, Viewport};
use crate::error::ReportError;
use crate::sheet::Sheet;
use plotters::prelude::*;

/// The picture of a sheet as a PNG of twice its logical size. The same sheet gives the same bytes.
pub fn png(sheet: &Sheet) -> Result<Vec<u8>, ReportError> {
    encoded(sheet, &compose::scene(sheet, Viewport::Wide), PER_METRE)
}

/// The PNG of a scene with this number of logical pixels in a metre.
pub(super) fn encoded(sheet: &Sheet, scene: &Scene, per_metre: f64) -> Result<Vec<u8>, ReportError> {
    let mut pixels = Raster::new(units(scene)).pixels(scene).map_err(|e| failed(sheet, e))?;
    for shape in &scene.shapes {
        if let Shape::Text(text) = shape {
            pixels.write(text);
        }
    }
    pixels.encode(per_metre).map_err(|e| failed(sheet, e))
}

/// Rows of units in a strip.
const STRIP: u32 = 2048;

/// The painting of a scene.
pub(super) struct Raster {
    /// Units of the picture.
    size: (u32, u32),
    /// Rows of a strip.
    rows: u32,
}

/// A strip of a picture.
struct Strip<'a> {
    backend: BitMapBackend<'a>,
    /// Units of the whole picture.
    size: (u32, u32),
    /// The first row of the strip, and the one behind its last.
    rows: [i32; 2],
}

type Done<'a> = Painted<BitMapBackend<'a>>;

impl Raster {
    /// A picture of this size in units.
    pub fn new(size: (u32, u32)) -> Raster {
        Raster { size, rows: STRIP }
    }

    /// The pixels of a scene, without its texts.
    pub fn pixels(&self, scene: &Scene) -> Painted<BitMapBackend<'static>, Pixels> {
        let (width, height) = self.size;
        let mut pixels = Pixels::new(width as usize / SQUARE, height as usize / SQUARE);
        for top in (0..height).step_by(self.rows as usize) {
            let end = height.min(top + self.rows);
            let mut fine = vec![255; width as usize * (end - top) as usize * 3];
            let backend = BitMapBackend::with_buffer(&mut fine, (width, end - top));
            let mut strip = Strip { backend, size: self.size, rows: [top as i32, end as i32] };
            strip.paint(scene)?;
            drop(strip);
            pixels.append_shrunk(&fine);
        }
        Ok(pixels)
    }
}

impl<'a> Strip<'a> {
    fn paint(&mut self, scene: &Scene) -> Done<'a> {
        let corner = (self.size.0 as i32, self.rows[1] - self.rows[0]);
        self.backend
            .draw_rect((0, 0), corner, &ink(PAPER).filled(), true)
            .map_err(DrawingAreaErrorKind::BackendError)?;
        for shape in &scene.shapes {
            match shape {
                Shape::Path { points, width, colour } => self.path(points, *width, *colour)?,
                Shape::Area { points, colour, opacity } => {
                    self.polygon(points, ink(*colour).mix(*opacity).filled())?;
                }
                Shape::Disc { centre, radius, colour, opacity } => {
                    let radius = (radius * FINE).round().max(0.0) as u32;
                    self.disc(*centre, radius, ink(*colour).mix(*opacity).filled())?;
                }
                Shape::Text(_) => {}
            }
        }
        Ok(())
    }

    /// The rasterizer draws spikes at sharp joints: each piece is therefore a polygon, with a disc on each joint.
    fn path(&mut self, points: &[Spot], width: f64, colour: Rgb) -> Done<'a> {
        for pair in points.windows(2) {
            self.polygon(&thick(pair[0], pair[1], width), ink(colour).filled())?;
        }
        let radius = (width * FINE / 2.0).round().max(0.0) as u32;
        for joint in points.iter().skip(1).take(points.len().saturating_sub(2)) {
            self.disc(*joint, radius, ink(colour).filled())?;
        }
        Ok(())
    }

    fn polygon(&mut self, points: &[Spot], style: ShapeStyle) -> Done<'a> {
        let places: Vec<(i32, i32)> = points.iter().map(|point| self.place(*point)).collect();
        match self.is_reached(&places, 1) {
            true => self.backend.fill_polygon(places, &style).map_err(DrawingAreaErrorKind::BackendError),
            false => Ok(()),
        }
    }

    fn disc(&mut self, centre: Spot, radius: u32, style: ShapeStyle) -> Done<'a> {
        let centre = self.place(centre);
        match self.is_reached(&[centre], radius as i32 + 1) {
            true => self.backend.draw_circle(centre, radius, &style, true).map_err(DrawingAreaErrorKind::BackendError),
            false => Ok(()),
        }
    }

    /// A place within the picture, relative to the first row of the strip.
    fn place(&self, at: Spot) -> (i32, i32) {
        let (x, y) = place(at);
        (x.clamp(0, self.size.0 as i32), y.clamp(0, self.size.1 as i32) - self.rows[0])
    }

    /// Whether a shape with this reach around some places overlaps the strip.
    fn is_reached(&self, places: &[(i32, i32)], around: i32) -> bool {
        let rows = || places.iter().map(|place| place.1);
        let [least, most] = [rows().min(), rows().max()].map(|row| row.unwrap_or(0));
        most + around >= 0 && least - around <= self.rows[1] - self.rows[0]
    }
}

/// The rectangle that a straight line of some width covers.
fn thick(from: Spot, to: Spot, width: f64) -> [Spot; 4] {
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(f64::MIN_POSITIVE);
    let (dx, dy) = ((to.1 - from.1) / length * width / 2.0, (from.0 - to.0) / length * width / 2.0);
    [(from.0 - dx, from.1 - dy), (from.0 + dx, from.1 + dy), (to.0 + dx, to.1 + dy), (to.0 - dx, to.1 - dy)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_picture_in_strips_is_the_picture_in_one_piece() {
        for sheet in [samples::assorted(), samples::curves(), samples::boards()] {
            let scene = compose::scene(&sheet, Viewport::Wide);
            let size = ((scene.width * FINE) as u32, (scene.height * FINE) as u32);
            let bytes = |rows| {
                let painted = Raster { size, rows }.pixels(&scene).expect("it is painted");
                painted.encode(PER_METRE).expect("it is a picture")
            };
            assert!(bytes(256) == bytes(size.1), "{}", sheet.title);
        }
    }
}
