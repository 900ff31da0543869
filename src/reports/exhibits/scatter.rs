//! One mark a run: its result at one value of an axis against that at another
//! (Schaul and Schmidhuber 2009, Figure 4).

use super::super::facts::group;
use super::super::sheet::{Axis, AxisScale, Chart, Mark, Panel, Point, Series, Table, Vertex};
use super::correlations::RunPairs;
use super::estimate::told;
use super::scene::BOARD_SIZE;
use super::{Content, Scene, lost};
use crate::manifest::exhibit::Scatter;

/// Marks of the series, in order.
const MARKS: [Mark; 3] = [Mark::Dot, Mark::Cross, Mark::Diamond];

pub(super) fn render(scene: &Scene<'_>, show: &Scatter) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let (mut points, mut rows, mut series) = (Vec::new(), Vec::new(), vec![Series::rule([(-1.0, -1.0), (1.0, 1.0)])]);
    for (at, group) in group(&facts, &show.series).iter().enumerate() {
        let name = scene.phrase(&group.labels);
        let pairs = RunPairs::new(&group.facts, &show.across, [show.x, show.y]);
        let [share, ties] = pairs.shares(&name, "p", "ties");
        let summary = [pairs.correlation(&name, "Correlation"), share, ties].map(|point| scene.with_published(point));
        rows.push((name.clone(), (points.len()..points.len() + summary.len()).map(Some).collect()));
        points.extend(summary);
        let (xs, ys) = pairs.means();
        let dots: Vec<Vertex> = xs.iter().zip(&ys).map(|(&x, &y)| Vertex::at(x, y)).collect();
        points.extend(dots.iter().zip(&pairs.runs).map(|(dot, (fact, _))| Point {
            x: Some(dot.x),
            value: Some(dot.y),
            n_runs: 1,
            n_requested: 1,
            ..pairs.point("fitness", &name, &format!("run {}", fact.seed))
        }));
        let name = scene.named(&show.series, &group.labels);
        series.push(Series { name, mark: MARKS[at % MARKS.len()], colour: at, points: dots });
    }
    let columns = ["Correlation", "p", "ties"].map(str::to_owned).to_vec();
    let table = Table { corner: scene.axes(&show.series), columns, rows, digits: 2 };
    let caption = format!(
        "Each mark is one network: its fitness {} against that {}; p is the share above the diagonal. {}",
        place(scene, show, show.x),
        place(scene, show, show.y),
        told(scene.exhibit.errors, "networks", "bootstrap; Wilson's for shares")
    );
    let chart = Chart::of(vec![panel(scene, show, series)]);
    Content { points, table: Some(table), chart, notes: lost(&facts).into_iter().collect(), caption }
}

/// Where results are compared: `on 7x7`, `at simulations 100`.
fn place(scene: &Scene<'_>, show: &Scatter, value: i64) -> String {
    match show.across.as_str() {
        BOARD_SIZE => format!("on {value}x{value}"),
        axis => format!("at {} {value}", scene.axis(axis)),
    }
}

fn panel(scene: &Scene<'_>, show: &Scatter, series: Vec<Series>) -> Panel {
    let axis = |value: i64| Axis {
        label: format!("fitness {}", place(scene, show, value)),
        scale: AxisScale::Linear,
        range: Some((-1.05, 1.05)),
    };
    Panel { title: String::new(), x: axis(show.x), y: axis(show.y), series }
}
