//! Charts as SVG, PDF and PNG: a chart is composed into a scene of plain shapes, and a scene is painted by plotters.
//!
//! All formats show the same scene, so that a test of its shapes holds for all. Sizes are in logical pixels: a
//! figure is 600 to 860 of them wide and still readable when shown 600 wide; the PNG has two pixels for each. A
//! telephone gets a picture of its own, [`narrow_svg`], with the panels below each other.

mod axes;
mod bands;
mod compose;
mod dates;
mod diagrams;
mod figures;
mod font;
mod hints;
mod legend;
mod letters;
mod marks;
mod page;
mod paint;
mod palette;
mod patterns;
mod pdf;
mod pixels;
mod raster;
mod ruler;
mod scene;
mod shapes;
mod stones;
mod tiles;

#[cfg(test)]
mod tests;

pub use page::{PAGE_WIDTH, PageSize, PictureFormat, typeset};
pub use paint::{narrow_svg, svg};
pub use palette::{COLOURS, style};
pub use pdf::pdf;
pub use raster::png;
