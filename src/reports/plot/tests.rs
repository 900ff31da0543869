//! What must hold for every picture: all text present and inside, sizes as promised, the same bytes each time.

use super::compose;
use super::font;
use super::scene::{Anchor, Scene, Shape, Text};
use super::{png, svg};
use crate::reports::samples;
use crate::reports::sheet::{Chart, Sheet};

fn sheets() -> Vec<Sheet> {
    vec![
        samples::small_table(),
        samples::correlations(),
        samples::curves(),
        samples::percentiles(),
        samples::scatter(),
        samples::assorted(),
    ]
}

#[test]
fn pictures_can_be_looked_at() {
    let Ok(directory) = std::env::var("GAUNTLET_SHOW_PLOTS") else { return };
    for sheet in sheets() {
        let path = std::path::Path::new(&directory).join(sheet.artefact.replace('/', "-"));
        std::fs::write(path.with_extension("png"), png(&sheet).expect("it paints")).expect("writable");
        std::fs::write(path.with_extension("svg"), svg(&sheet).expect("it paints")).expect("writable");
    }
}
