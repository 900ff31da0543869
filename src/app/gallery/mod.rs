//! Galleries of published reports: the check of their runs, and their pictures in today's style.

mod check;
mod recipe;
mod redraw;

pub use check::{CheckedRun, GalleryRequest, check_gallery};
pub use recipe::linking_pages;
pub use redraw::redraw;
