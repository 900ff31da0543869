//! The pixels of a PNG: averages of a finer picture, with texts on top.

use super::font::{self, BASE};
use super::scene::{Anchor, Text};
use png::{PixelDimensions, Unit};

/// Side of the square of fine pixels that becomes one pixel.
pub(super) const SQUARE: usize = 2;
/// Pixels per logical pixel.
const SCALE: f64 = 2.0;
/// Logical pixels per metre: each is 1/96 inch, as in an SVG, so that both formats have one size on paper.
pub(super) const PER_METRE: f64 = 96.0 / 0.0254;

/// A picture of `width` pixels a row, three bytes each.
pub(super) struct Pixels {
    bytes: Vec<u8>,
    width: usize,
}

impl Pixels {
    /// A picture without rows, with room for this height.
    pub fn new(width: usize, height: usize) -> Self {
        Self { bytes: Vec::with_capacity(width * height * 3), width }
    }

    /// Adds rows below: averages of squares of a picture that is finer by [`SQUARE`] in both directions.
    pub fn append_shrunk(&mut self, units: &[u8]) {
        let stride = self.width * SQUARE * 3;
        for rows in units.chunks_exact(SQUARE * stride) {
            let (upper, lower) = rows.split_at(stride);
            for x in 0..self.width {
                for channel in 0..3 {
                    let at = x * SQUARE * 3 + channel;
                    let sum: u32 = [upper[at], upper[at + 3], lower[at], lower[at + 3]].map(u32::from).iter().sum();
                    self.bytes.push(((sum + 2) / 4) as u8);
                }
            }
        }
    }

    fn height(&self) -> usize {
        self.bytes.len() / (self.width * 3).max(1)
    }

    /// Puts a text on top.
    pub fn write(&mut self, text: &Text) {
        let size = text.size * SCALE;
        let back = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => font::width(&text.text, size, text.bold) / 2.0,
            Anchor::End => font::width(&text.text, size, text.bold),
        };
        let (x, y) = (text.at.0 * SCALE, text.at.1 * SCALE);
        let (x, y) = if text.turned { (x + BASE * size, y + back) } else { (x - back, y + BASE * size) };
        // A base line on a whole pixel is sharper.
        let (x, y) = if text.turned { (x.round(), y) } else { (x, y.round()) };
        let (column, row) = (x.floor() as i32, y.floor() as i32);
        let start = if text.turned { (1.0 - y.fract(), 0.0) } else { (x.fract(), 0.0) };
        font::rasterize(&text.text, size, text.bold, start, |dx, dy, coverage| {
            let (column, row) = if text.turned { (column + dy, row - dx) } else { (column + dx, row + dy) };
            self.blend(column, row, text.colour, coverage);
        });
    }

    fn blend(&mut self, column: i32, row: i32, (red, green, blue): (u8, u8, u8), coverage: f32) {
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return };
        if column >= self.width || row >= self.height() {
            return;
        }
        let at = (row * self.width + column) * 3;
        for (byte, ink) in self.bytes[at..at + 3].iter_mut().zip([red, green, blue]) {
            let (old, new) = (f32::from(*byte), f32::from(ink));
            *byte = (old + (new - old) * coverage.clamp(0.0, 1.0)).round() as u8;
        }
    }

    /// The bytes of the PNG, with this number of logical pixels in a metre.
    pub fn encode(&self, per_metre: f64) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height() as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Best);
        encoder.set_filter(png::FilterType::NoFilter);
        let density = (SCALE * per_metre) as u32;
        encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
        encoder.write_header()?.write_image_data(&self.bytes)?;
        Ok(bytes)
    }
}
