//! Exhibits that are drawn run by run: scatters, percentiles, embeddings.

use super::*;

const SCATTER: &str = r#"
[stages.fitness]
seeds = 3
sweep = { agent = ["random", "naive"], "game.size" = [5, 7] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.scatter = { stage = "fitness", across = "game.size", x = 5, y = 7, series = ["agent"] }
"#;

#[test]
fn a_scatter_has_one_dot_a_run_and_its_correlation() {
    let figure = sheet(SCATTER, true, |label, seed| {
        let sign = if label("game.size") == "7" && label("agent") == "naive" { -1.0 } else { 1.0 };
        fitness(sign * seed as f64 / 10.0)
    });
    assert!((point(&figure, "correlation", "random", "Correlation").value.unwrap() - 1.0).abs() < 1e-12);
    assert!((point(&figure, "correlation", "naive", "Correlation").value.unwrap() + 1.0).abs() < 1e-12);
    let dots = figure.points.iter().filter(|point| point.metric == "fitness" && point.row == "naive");
    let dots: Vec<_> = dots.map(|point| (point.x.unwrap(), point.value.unwrap())).collect();
    assert_eq!(dots, [(0.1, -0.1), (0.2, -0.2), (0.3, -0.3)]);
}

const PERCENTILES: &str = r#"
[stages.fitness]
seeds = 20
sweep = { agent = ["random"] }
measure.fitness = { game = "atari-go", agent = "random", opponent = "naive", games = 8 }
[[exhibit]]
show.percentiles = { stage = "fitness", curves = ["agent"] }
"#;

#[test]
fn percentiles_say_what_share_reaches_a_fitness() {
    let figure = sheet(PERCENTILES, true, |_, seed| fitness(seed as f64 / 20.0));
    assert_eq!(point(&figure, "fitness reached", "random", "25 % reach").value, Some(0.8));
    assert_eq!(point(&figure, "fitness reached", "random", "100 % reach").value, Some(0.05));
}

const EMBEDDINGS: &str = r#"
[agents.saz.guided.network.saz]
hidden = 4
[games.othello.othello]
size = 8
[stages.seen]
seeds = 2
sweep = { form = ["column", "mirrored"] }
measure.embeddings = { game = "othello", agent = "saz", sizes = [6, 8] }
[[exhibit]]
show.embeddings = { stage = "seen", panels = ["form"] }
"#;

#[test]
fn embeddings_are_drawn_for_one_run_and_counted_for_all() {
    let figure = sheet(EMBEDDINGS, true, |_, seed| {
        let (good, bad) = (json!([[1.0, 0.0], [2.0, seed]]), json!([[-1.0, 0.0], [-2.0, 0.0]]));
        Some(json!({ "sizes": [6, 8], "good": good, "bad": bad, "shares": [0.8, 0.1], "separated": 0.5 * seed as f64 }))
    });
    assert_eq!(point(&figure, "separated", "column", "Separated").value, Some(0.75));
    assert_eq!(figure.chart.panels.len(), 4);
    let dot = point(&figure, "second component", "mirrored", "good, 8x8, run 1");
    assert_eq!((dot.x, dot.value), (Some(2.0), Some(1.0)));
}
