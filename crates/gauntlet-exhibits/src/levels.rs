//! Lines at scores that a reader compares with: the even score, and the numbers of success criteria.

use super::number::fixed;
use super::run_values::OutcomeScale;
use super::sheet::{AxisScale, Mark, Panel, Series, Vertex};

/// The name of the score of equal players.
const EVEN: &str = "even score";
/// The colour of criteria: black.
const COLOUR: usize = 6;

/// Draws the score of equal players, if the data of a panel lie on both sides of it.
pub fn even_score(panel: &mut Panel, scale: OutcomeScale) {
    let even = scale.convert(0.0);
    let is_inside = ends(panel, |vertex| [vertex.low.unwrap_or(vertex.y), vertex.high.unwrap_or(vertex.y)])
        .is_some_and(|[low, high]| (low..=high).contains(&even));
    if is_inside {
        rule(panel, EVEN, even);
    }
}

/// Draws the share of chance.
pub fn one_half(panel: &mut Panel) {
    rule(panel, "one half", 0.5);
}

/// Draws the number of a success criterion, unless it is the drawn even score. The axis extends to it.
pub fn criterion(panel: &mut Panel, number: f64, scale: OutcomeScale) {
    let is_drawn = panel.series.iter().any(|series| series.name == EVEN) && number == scale.convert(0.0);
    let Some(points) = across(panel, number).filter(|_| !is_drawn) else { return };
    let name = format!("criterion: above {}", fixed(number, 3).trim_end_matches('0').trim_end_matches('.'));
    panel.series.push(Series::new(name, Mark::Dashed, COLOUR, points));
}

/// Draws a thin line below all series.
fn rule(panel: &mut Panel, name: &str, level: f64) {
    if let Some(points) = across(panel, level) {
        panel.series.insert(0, Series::new(name, Mark::Rule, 0, points));
    }
}

/// A line over the whole width of a panel of vertical numbers.
fn across(panel: &Panel, level: f64) -> Option<Vec<Vertex>> {
    let is_linear = panel.y.scale == AxisScale::Linear;
    let [left, right] = match &panel.x.scale {
        AxisScale::Categories(names) => [-0.5, names.len() as f64 - 0.5],
        // A logarithmic axis has no place for a point at 0.
        AxisScale::Log => ends(panel, |vertex| [vertex.x; 2].map(|x| if x > 0.0 { x } else { f64::NAN }))?,
        _ => ends(panel, |vertex| [vertex.x; 2])?,
    };
    // A single place has no width.
    let [left, right] = match panel.x.scale {
        AxisScale::Log | AxisScale::Linear if left == right && left > 0.0 => [left / ALONE, right * ALONE],
        AxisScale::Linear if left == right => [left - ALONE, right + ALONE],
        _ => [left, right],
    };
    (is_linear && left.is_finite()).then(|| [left, right].map(|x| Vertex::at(x, level)).to_vec())
}

/// The reach of a line to both sides of a single place: a factor if that is above 0.
const ALONE: f64 = 1.25;

/// The least and the greatest of some values of all points.
fn ends(panel: &Panel, values: impl Fn(&Vertex) -> [f64; 2]) -> Option<[f64; 2]> {
    let all = panel.series.iter().flat_map(|series| &series.points).map(values);
    all.reduce(|one, other| [one[0].min(other[0]), one[1].max(other[1])])
}

#[cfg(test)]
mod tests {
    use super::super::sheet::Axis;
    use super::*;

    fn panel(scores: [f64; 2]) -> Panel {
        let points = scores.iter().zip(0..).map(|(&score, at)| Vertex::at(f64::from(at), score));
        let x = Axis::categories("", ["one", "two"].map(str::to_owned));
        Panel::new("", x, Axis::linear("score"), [Series::new("a", Mark::Dot, 0, points)])
    }

    #[test]
    fn the_even_score_is_a_line_among_data_on_both_sides() {
        for (scores, count) in [([0.2, 0.9], 2), ([0.7, 0.9], 1)] {
            let mut panel = panel(scores);
            even_score(&mut panel, OutcomeScale::Outcome);
            assert_eq!(panel.series.len(), count, "{scores:?}");
        }
    }

    #[test]
    fn lines_on_a_logarithmic_axis_begin_above_0() {
        let mut panel = panel([0.2, 0.9]);
        panel.x = Axis { scale: AxisScale::Log, ..Axis::linear("c") };
        panel.series[0].points.push(Vertex::at(8.0, 0.4));
        even_score(&mut panel, OutcomeScale::Outcome);
        assert_eq!(panel.series[0].points, [Vertex::at(1.0, 0.5), Vertex::at(8.0, 0.5)]);
        panel.series.iter_mut().for_each(|series| series.points.retain(|point| point.x == 0.0));
        even_score(&mut panel, OutcomeScale::Outcome);
        assert_eq!(panel.series.len(), 2, "nothing is drawn without a point");
    }

    #[test]
    fn a_line_beside_a_single_place_has_a_width() {
        for (scale, place, ends) in [
            (AxisScale::Linear, 40.0, [32.0, 50.0]),
            (AxisScale::Log, 40.0, [32.0, 50.0]),
            (AxisScale::Linear, 0.0, [-1.25, 1.25]),
        ] {
            let x = Axis { scale, ..Axis::linear("c") };
            let dots = Series::new("a", Mark::Dot, 0, [Vertex::at(place, 0.7)]);
            let mut panel = Panel::new("", x, Axis::linear("score"), [dots]);
            criterion(&mut panel, 0.6, OutcomeScale::Outcome);
            assert_eq!(panel.series[1].points, ends.map(|x| Vertex::at(x, 0.6)));
        }
    }

    #[test]
    fn a_criterion_is_a_line_of_its_own_unless_it_is_the_even_score() {
        let mut panel = panel([0.2, 0.9]);
        even_score(&mut panel, OutcomeScale::Outcome);
        criterion(&mut panel, 0.5, OutcomeScale::Outcome);
        assert_eq!(panel.series.len(), 2);
        criterion(&mut panel, 0.95, OutcomeScale::Outcome);
        let line = panel.series.last().unwrap();
        assert_eq!((line.name.as_str(), line.points[1]), ("criterion: above 0.95", Vertex::at(1.5, 0.95)));
    }
}
