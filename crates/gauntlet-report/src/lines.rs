//! The lines of a chart as data for the script of pages: panels of numbers over numbers.

use serde_json::{Value, json};

use super::sheet::{AxisScale, Chart, Mark, Panel, Series, Vertex};

/// The panels of a chart that have lines, or nothing.
pub(super) fn of_chart(chart: &Chart) -> Option<Value> {
    let panels: Vec<Value> = chart.panels.iter().filter(|panel| has_lines(panel)).map(panel).collect();
    (!panels.is_empty()).then(|| json!({ "panels": panels }))
}

/// Whether a panel has a line of several points, and all its points have their order along the abscissa.
fn has_lines(panel: &Panel) -> bool {
    let is_numeric = |scale: &AxisScale| !matches!(scale, AxisScale::Categories(_));
    let is_ordered = |series: &Series| series.points.windows(2).all(|pair| pair[0].x < pair[1].x);
    let is_line = |series: &Series| matches!(series.mark, Mark::Line | Mark::Hatched | Mark::Dashed);
    is_numeric(&panel.x.scale)
        && is_numeric(&panel.y.scale)
        && panel.series.iter().any(|series| is_line(series) && series.points.len() > 2)
        && panel.series.iter().all(is_ordered)
}

fn panel(panel: &Panel) -> Value {
    let log = [&panel.x, &panel.y].map(|axis| axis.scale == AxisScale::Log);
    let drawn = panel.series.iter().filter(|series| series.mark != Mark::Rule);
    let label = |title: &str, label: &str| if label.is_empty() { title.to_owned() } else { label.to_owned() };
    json!({
        "title": panel.title,
        "x": label("x", &panel.x.label),
        "y": label("y", &panel.y.label),
        "log": log,
        "dates": panel.x.scale == AxisScale::Dates,
        "series": drawn.map(|one| series(one, log)).collect::<Vec<_>>(),
    })
}

/// A series, without the points that logarithmic axes have no place for.
fn series(series: &Series, [x_log, y_log]: [bool; 2]) -> Value {
    let is_drawn = |vertex: &&Vertex| !(x_log && vertex.x <= 0.0 || y_log && vertex.y <= 0.0);
    let points: Vec<&Vertex> = series.points.iter().filter(is_drawn).collect();
    let all = |pick: fn(&Vertex) -> Option<f64>| points.iter().map(|vertex| pick(vertex)).collect::<Vec<_>>();
    let low = points.iter().map(|vertex| vertex.low.filter(|low| !y_log || *low > 0.0)).collect::<Vec<_>>();
    json!({
        "name": series.name,
        "colour": series.colour % super::plot::COLOURS,
        "dashed": series.mark == Mark::Dashed,
        "x": all(|vertex| Some(vertex.x)),
        "y": all(|vertex| Some(vertex.y)),
        "low": low,
        "high": all(|vertex| vertex.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn curves_have_lines_and_tables_have_none() {
        let sheet = samples::curves();
        let data = of_chart(&sheet.chart).expect("it has lines");
        let first = &data["panels"][0]["series"][0];
        let drawn = &sheet.chart.panels[0].series[0];
        assert_eq!(
            (first["name"].as_str(), first["y"][1].as_f64()),
            (Some(drawn.name.as_str()), Some(drawn.points[1].y))
        );
        assert_eq!(of_chart(&samples::small_table().chart), None);
    }

    #[test]
    fn logarithmic_axes_have_no_place_for_0() {
        let at = |x: f64, y: f64, low: f64| Vertex { low: Some(low), high: Some(y + 1.0), ..Vertex::at(x, y) };
        let points = [at(0.0, 1.0, 0.5), at(1.0, 2.0, -1.0), at(2.0, 0.0, -1.0), at(3.0, 4.0, 3.0)];
        let of = |log: [bool; 2]| series(&Series::new("a", Mark::Line, 0, points), log);
        assert_eq!(of([false, false])["x"], json!([0.0, 1.0, 2.0, 3.0]));
        assert_eq!(of([true, false])["x"], json!([1.0, 2.0, 3.0]));
        let both = of([true, true]);
        assert_eq!((&both["x"], &both["low"]), (&json!([1.0, 3.0]), &json!([null, 3.0])));
    }
}
