//! A small line chart as SVG: shapes and dashes tell lines apart, not colour alone.

use std::fmt::Write as _;

use super::curves::{Curve, CurveLine};
use super::escape::escaped;

/// Size of a chart, and the margins around its panel: left, right, top, bottom.
const SIZE: [f64; 2] = [340.0, 180.0];
const MARGINS: [f64; 4] = [48.0, 10.0, 24.0, 22.0];
/// Colours that people with colour-vision deficiencies tell apart, and dashes.
const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];
const DASHES: [&str; 3] = ["", "5 3", "2 3"];

/// The chart as SVG. Its texts have the colour of the page.
pub fn svg(curve: &Curve) -> String {
    let [width, height] = SIZE;
    let scale = Scale::of(curve);
    let mut svg = format!(
        "<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"currentColor\"><text x=\"{1}\" y=\"14\">{0}</text>",
        escaped(&curve.title),
        MARGINS[0]
    );
    svg += &axes(&scale, &curve.x);
    for (at, line) in curve.lines.iter().enumerate() {
        svg += &drawn(line, &scale, (at, &curve.x));
    }
    if curve.lines.len() > 1 {
        svg += &legend(&curve.lines);
    }
    svg + "</svg>"
}

/// Abscissas and values to places.
struct Scale {
    x: [f64; 2],
    y: [f64; 2],
    /// The first and the last abscissa.
    data: [f64; 2],
}

impl Scale {
    fn of(curve: &Curve) -> Scale {
        let points = || curve.lines.iter().flat_map(|line| &line.points);
        let bounds = |axis: usize| {
            points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
                [low.min(point[axis]), high.max(point[axis])]
            })
        };
        let y = curve.range.unwrap_or_else(|| bounds(1));
        // A single value has no extent.
        let wide = |[low, high]: [f64; 2]| if high > low { [low, high] } else { [low - 0.5, low + 0.5] };
        Scale { x: wide(bounds(0)), y: wide(y), data: bounds(0) }
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let share = |value: f64, [low, high]: [f64; 2]| ((value - low) / (high - low)).clamp(0.0, 1.0);
        let [left, right, top, bottom] = MARGINS;
        let across = left + share(x, self.x) * (SIZE[0] - left - right);
        [across, SIZE[1] - bottom - share(y, self.y) * (SIZE[1] - top - bottom)]
    }
}

fn axes(scale: &Scale, x: &str) -> String {
    let [left, low] = scale.place([scale.x[0], scale.y[0]]);
    let [right, high] = scale.place([scale.x[1], scale.y[1]]);
    let mut svg = format!(
        "<path d=\"M{left:.1} {high:.1}V{low:.1}H{right:.1}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".5\"/>"
    );
    for value in scale.y {
        let [_, y] = scale.place([scale.x[0], value]);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 4.0,
            y + 4.0,
            short(value)
        );
    }
    svg + &below(scale, x, low + 15.0)
}

/// The first and the last abscissa below the axis, the last with its unit; one alone stands in the middle.
fn below(scale: &Scale, unit: &str, y: f64) -> String {
    let text = |value: f64, anchor: &str, text: &str| {
        let [x, _] = scale.place([value, scale.y[0]]);
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>")
    };
    let [first, last] = scale.data;
    let named = format!("{unit} {last:.0}");
    match first < last {
        true => text(first, "start", &format!("{first:.0}")) + &text(last, "end", &named),
        false => text(last, "middle", &named),
    }
}

fn drawn(line: &CurveLine, scale: &Scale, (at, unit): (usize, &str)) -> String {
    let (colour, dash) = (COLOURS[at % 3], DASHES[at % 3]);
    let places: Vec<[f64; 2]> = line.points.iter().map(|&point| scale.place(point)).collect();
    let path: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let mut svg = format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dash}\"/>",
        path.join(" ")
    );
    for ([x, y], [at, value]) in places.iter().zip(&line.points) {
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"{colour}\"><title>{}: {unit} {at:.0}, {value:.4}</title>\
             </circle>",
            escaped(&line.name)
        );
    }
    svg
}

fn legend(lines: &[CurveLine]) -> String {
    let entry = |(at, line): (usize, &CurveLine)| {
        let (x, y) = (SIZE[0] - 110.0, MARGINS[2] + 8.0 + 14.0 * at as f64);
        let (colour, dash) = (COLOURS[at % 3], DASHES[at % 3]);
        format!(
            "<path d=\"M{x} {y}h22\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/><text x=\"{}\" \
             y=\"{}\">{}</text>",
            x + 27.0,
            y + 4.0,
            escaped(&line.name)
        )
    };
    lines.iter().enumerate().map(entry).collect()
}

/// A number in at most about six characters.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_within_the_chart_and_tell_their_values() {
        let lines = vec![
            CurveLine { name: "policy loss".into(), points: vec![[1.0, 2.5], [2.0, 2.0]] },
            CurveLine { name: "<b>".into(), points: vec![[1.0, 0.5]] },
        ];
        let svg = svg(&Curve { title: "losses".into(), x: "iteration".into(), range: None, lines });
        assert!(svg.contains("policy loss: iteration 2, 2.0000") && svg.contains("&lt;b&gt;"), "{svg}");
        assert!(svg.contains(">1</text>") && svg.contains(">iteration 2</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("<b>"));
        let flat = Curve {
            title: "t".into(),
            x: "iteration".into(),
            range: None,
            lines: vec![CurveLine { name: "x".into(), points: vec![[1.0, 3.0]] }],
        };
        let flat = super::svg(&flat);
        assert!(!flat.contains("NaN") && flat.contains("text-anchor=\"middle\">iteration 1</text>"), "{flat}");
    }
}
