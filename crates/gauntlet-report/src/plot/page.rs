//! Pictures for a paper: as wide as its column, with letters of a given size, texts as text, and patterns beside colours.

use super::compose;
use super::font::NORMAL;
use super::letters::Letters;
use super::scene::Scene;
use super::{paint, pdf, raster};
use crate::error::ReportError;
use crate::sheet::Sheet;
use gauntlet_exhibits::typeset::{POINTS, Typeset};

/// The usual width in points of TeX: the text of LaTeX's class `article`.
pub const PAGE_WIDTH: f64 = 345.0;
/// The usual size of letters.
const LETTERS: f64 = 9.0;
/// Points of a PDF in an inch.
const PDF_POINTS: f64 = 72.0;
/// Inches in a metre.
const INCHES: f64 = 1.0 / 0.0254;

/// The size of a picture on paper, in points of TeX.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageSize {
    width: f64,
    /// The size of the labels of axes; numbers are a little smaller.
    letters: f64,
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// One page, with its fonts.
    Pdf,
    /// With texts as text, which need a font.
    Svg,
    /// Pixels.
    Png,
}

impl PageSize {
    /// The size that some settings ask for.
    #[must_use]
    pub fn of(settings: &Typeset) -> PageSize {
        let width = settings.width.map_or(PAGE_WIDTH, |width| width.points());
        PageSize { width, letters: settings.font_size.map_or(LETTERS, |size| size.points()) }
    }

    /// Points of a logical pixel, which a picture of this width has in whole numbers.
    fn pixel(self) -> f64 {
        self.width / f64::from(self.pixels())
    }

    fn pixels(self) -> u32 {
        (self.width / (self.letters / NORMAL)).round() as u32
    }
}

/// The picture of a sheet for a paper. The same sheet gives the same bytes.
///
/// # Errors
/// If its labels leave no room for its panels, or it cannot be drawn.
pub fn typeset(sheet: &Sheet, size: PageSize, format: PictureFormat) -> Result<Vec<u8>, ReportError> {
    let narrow = || ReportError::Narrow { artefact: sheet.artefact.clone(), width: size.width, letters: size.letters };
    let scene = compose::page(sheet, size.pixels()).ok_or_else(narrow)?;
    match format {
        PictureFormat::Pdf => {
            let point = (size.pixel() / POINTS * PDF_POINTS) as f32;
            pdf::document(&scene, point, Some(Letters::default())).map_err(|error| paint::failed(sheet, error))
        }
        PictureFormat::Svg => Ok(paint::vector(sheet, &scene, &inches(&scene, size))?.into_bytes()),
        PictureFormat::Png => raster::encoded(sheet, &scene, POINTS / size.pixel() * INCHES),
    }
}

/// Width and height with their unit.
fn inches(scene: &Scene, size: PageSize) -> [String; 2] {
    [scene.width, scene.height].map(|pixels| format!("{:.4}in", pixels * size.pixel() / POINTS))
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Shape, Viewport};
    use super::*;
    use crate::samples;
    use std::io::Read as _;

    fn size(width: &str, letters: &str) -> PageSize {
        let (width, font_size) = (width.parse().ok(), letters.parse().ok());
        PageSize::of(&Typeset { width, font_size, ..Typeset::default() })
    }

    /// The commands of a PDF's page.
    fn commands(bytes: &[u8]) -> String {
        let start = bytes.windows(7).position(|window| window == b"stream\n").expect("a stream") + 7;
        let mut commands = Vec::new();
        flate2::read::ZlibDecoder::new(&bytes[start..]).read_to_end(&mut commands).expect("it unpacks");
        String::from_utf8_lossy(&commands).into_owned()
    }

    #[test]
    fn a_column_has_its_width_and_its_letters() {
        let size = size("85mm", "8pt");
        assert_eq!(size.pixels(), 484);
        assert!((size.pixel() * NORMAL - 8.0).abs() < 0.01, "{}", size.pixel() * NORMAL);
        let svg = typeset(&samples::curves(), size, PictureFormat::Svg).expect("it is drawn");
        assert!(String::from_utf8_lossy(&svg).contains("width=\"3.3465in\""));
        let png = typeset(&samples::curves(), size, PictureFormat::Png).expect("it is drawn");
        let reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().expect("a picture");
        let density = reader.info().pixel_dims.expect("a resolution");
        assert!((f64::from(reader.info().width) / f64::from(density.xppu) - 0.085).abs() < 1e-5);
    }

    #[test]
    fn texts_of_a_pdf_are_texts() {
        for sheet in [samples::scatter(), samples::curves(), samples::diagrams()] {
            let size = size("345pt", "9pt");
            let bytes = typeset(&sheet, size, PictureFormat::Pdf).expect("it is drawn");
            let scene = compose::scene(&sheet, Viewport::Page(size.pixels()));
            let texts = scene.shapes.iter().filter(|shape| matches!(shape, Shape::Text(_))).count();
            let shown = commands(&bytes).lines().filter(|line| line.ends_with(" TJ")).count();
            assert!(texts > 0 && shown == texts, "{shown} of {texts}");
            assert!(bytes == typeset(&sheet, size, PictureFormat::Pdf).expect("it is drawn again"));
        }
    }

    #[test]
    fn a_picture_without_room_is_refused() {
        let error = typeset(&samples::curves(), size("20mm", "30pt"), PictureFormat::Pdf).expect_err("it has no room");
        assert!(error.to_string().contains("57pt wide with letters of 30pt") && error.hint().is_some(), "{error}");
    }
}
