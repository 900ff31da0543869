//! Colours on white that are distinguishable for all common kinds of colour blindness.
//!
//! The first seven are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>) without their yellow, which is too
//! faint for lines; the rest are from the "muted" scheme of Paul Tol (<https://personal.sros.nl/~pault/>).

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// The number of colours of series.
pub const COLOURS: usize = SERIES.len();

const SERIES: [Rgb; 10] = [
    (0, 114, 178),   // blue
    (213, 94, 0),    // vermilion
    (0, 158, 115),   // bluish green
    (204, 121, 167), // reddish purple
    (230, 159, 0),   // orange
    (86, 180, 233),  // sky blue
    (0, 0, 0),       // black
    (136, 34, 85),   // wine
    (153, 153, 51),  // olive
    (51, 34, 136),   // indigo
];

/// The same hues on a dark page.
const SERIES_IN_THE_DARK: [Rgb; COLOURS] = [
    (90, 176, 232),
    (255, 138, 76),
    (47, 199, 154),
    (229, 156, 198),
    (242, 181, 68),
    (150, 214, 247),
    (240, 240, 240),
    (217, 103, 143),
    (201, 201, 90),
    (165, 148, 245),
];

pub(super) const INK: Rgb = (34, 34, 34);
pub(super) const SOFT: Rgb = (90, 90, 90);
pub(super) const GRID: Rgb = (228, 228, 228);
pub(super) const RULE: Rgb = (150, 150, 150);
pub(super) const PAPER: Rgb = (255, 255, 255);

/// The colour of a series; indices beyond the palette start over.
pub(super) fn colour(index: usize) -> Rgb {
    SERIES[index % SERIES.len()]
}

/// Every grey of a picture, on white and on a dark page.
const GREYS: [(Rgb, Rgb); 5] = [
    (INK, (231, 233, 235)),
    (SOFT, (167, 175, 184)),
    (GRID, (48, 54, 60)),
    (RULE, (122, 130, 138)),
    (PAPER, (28, 32, 36)),
];

/// The style that gives the pictures of a page dark colours in the dark. A variable `--series-0` holds each colour of
/// series.
pub fn style() -> String {
    let mut style = String::from(":root {");
    for (at, (light, dark)) in SERIES.into_iter().zip(SERIES_IN_THE_DARK).enumerate() {
        style += &format!(" --series-{at}: light-dark({}, {});", hex(light), hex(dark));
    }
    style += " }\n";
    let series = (0..).zip(SERIES).map(|(at, light)| (light, format!("var(--series-{at})")));
    let greys = GREYS.map(|(light, dark)| (light, format!("light-dark({}, {})", hex(light), hex(dark))));
    for (light, shown) in series.chain(greys) {
        for property in ["fill", "stroke"] {
            style += &format!(".picture [{property}=\"{}\"] {{ {property}: {shown}; }}\n", hex(light));
        }
    }
    style
}

/// A colour as in an SVG of plotters.
fn hex((red, green, blue): Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}
