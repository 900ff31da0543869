//! A picture as PDF for LaTeX, made from its SVG: lines and texts, with the embedded font.

use std::sync::{Arc, LazyLock};

use svg2pdf::usvg::fontdb::Database;
use svg2pdf::usvg::{Options, Tree};
use svg2pdf::{ConversionOptions, PageOptions};

use super::paint::{failed, svg};
use crate::reports::error::ReportError;
use crate::reports::sheet::Sheet;

/// Logical pixels of an inch, as in an SVG.
const PER_INCH: f32 = 96.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    Arc::new(fonts)
});

/// The picture of a sheet as a PDF of one page, of the size of its SVG. The same sheet gives the same bytes.
///
/// # Errors
/// If the picture cannot be drawn.
pub fn pdf(sheet: &Sheet) -> Result<Vec<u8>, ReportError> {
    let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(&svg(sheet)?, &options).map_err(|error| failed(sheet, error))?;
    let page = PageOptions { dpi: PER_INCH };
    svg2pdf::to_pdf(&tree, ConversionOptions::default(), page).map_err(|error| failed(sheet, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::samples;

    #[test]
    fn a_pdf_has_a_page_of_the_size_of_the_picture_and_its_font() {
        let sheet = samples::scatter();
        let bytes = pdf(&sheet).expect("it is drawn");
        let text = String::from_utf8_lossy(&bytes);
        assert!(bytes.starts_with(b"%PDF-") && text.contains("DejaVuSans"));
        let corner = text.split("/MediaBox [0 0 ").nth(1).and_then(|rest| rest.split(']').next()).expect("a page");
        let width: f64 = corner.split(' ').next().and_then(|width| width.parse().ok()).expect("a width");
        let drawn = svg(&sheet).expect("it is drawn");
        let drawn = drawn.split("width=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a width");
        assert!((width - drawn.parse::<f64>().expect("a number") * 72.0 / 96.0).abs() < 0.1, "{corner} {drawn}");
        assert_eq!(bytes, pdf(&sheet).expect("it is drawn again"));
    }
}
