//! Results against the settings of a search, and tables in the order of results.

use super::*;
use gauntlet_exhibits::sheet::{AxisScale, Mark};

/// Six configurations; the fitness of each follows from its settings.
fn searched(show: &str) -> Sheet {
    let means = MEANS.lines().find(|line| line.starts_with("show.means")).unwrap();
    let wider = MEANS.replace("[5, 7]", "[5, 7, 9]").replace(means, show);
    sheet(&wider, true, |label, seed| {
        let size: f64 = label("game.size").parse().unwrap();
        let agent = if label("agent") == "random" { -0.25 } else { 0.0 };
        fitness(size / 10.0 + agent + (seed as f64 - 2.5) / 100.0)
    })
}

fn rows(sheet: &Sheet) -> Vec<&str> {
    sheet.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_search_shows_the_best_first_and_every_setting() {
    let show = "show.search = { stage = \"fitness\", settings = [\"game.size\", \"agent\"], pair = [\"agent\", \"game.size\"], scale = \"fitness\", top = 2 }";
    let sheet = searched(show);
    assert_eq!(rows(&sheet), ["9, naive", "7, naive"]);
    assert_eq!(sheet.points.len(), 6, "the CSV has all");
    assert!(
        sheet.notes.iter().any(|note| note.starts_with("2 of 6 rows are shown; the CSV has all. They were chosen"))
    );
    let [size, agent, pair] = &sheet.chart.panels[..] else { panic!("three panels") };
    assert_eq!((size.x.label.as_str(), &size.x.scale), ("board size", &AxisScale::Linear));
    let dots = size.series.iter().find(|series| series.mark == Mark::Dot).unwrap();
    let places: Vec<(f64, i64)> = dots.points.iter().map(|dot| (dot.x, (100.0 * dot.y).round() as i64)).collect();
    let expected = [(5.0, 25), (7.0, 45), (9.0, 65), (5.0, 50), (7.0, 70), (9.0, 90)];
    let sorted = |mut places: Vec<(f64, i64)>| {
        places.sort_by(|a, b| a.partial_cmp(b).unwrap());
        places
    };
    assert_eq!(sorted(places), sorted(expected.to_vec()));
    assert_eq!(agent.x.scale, AxisScale::Categories(vec!["random".to_owned(), "naive".to_owned()]));
    let tiles: Vec<(f64, f64, i64, bool)> = pair
        .series
        .iter()
        .map(|series| match series.mark {
            Mark::Tile { value, error, .. } => {
                (series.points[0].x, series.points[0].y, (100.0 * value).round() as i64, error.is_some())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(
        tiles.len() == 6 && tiles.contains(&(0.0, 0.0, 25, true)) && tiles.contains(&(1.0, 2.0, 90, true)),
        "{tiles:?}"
    );
}

#[test]
fn rows_stand_in_the_order_that_is_asked_for() {
    let show = |rest: &str| {
        let sheet = searched(&format!(
            "show.means = {{ stage = \"fitness\", rows = [\"agent\", \"game.size\"], scale = \"fitness\"{rest} }}"
        ));
        rows(&sheet).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = show("");
    assert_eq!(plain[..2], ["random, 5", "random, 7"]);
    let up = ["random, 5", "random, 7", "naive, 5", "random, 9", "naive, 7", "naive, 9"];
    let mut down = up;
    down.reverse();
    assert_eq!(show(", sort = \"ascending\", top = 3"), up[..3]);
    assert_eq!(
        (show(", sort = \"ascending\""), show(", sort = \"descending\"")),
        (up.map(str::to_owned).to_vec(), down.map(str::to_owned).to_vec())
    );
    assert_eq!(show(", top = 4"), plain[..4]);
}
