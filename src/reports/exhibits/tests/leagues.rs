//! Ratings of players that axes tell apart.

use super::*;

const MATCHES: &str = r#"
[agents.uct]
uct = { simulations = 10 }
[stages.test]
seeds = 2
sweep = { agent = ["uct"], "agent.simulations" = [10, 20, 40], opponent = ["random", "naive"] }
play.match = { game = "atari-go", agent = "uct", opponent = "random", games = 8 }
[[exhibit]]
show.ratings = { stage = "test", players = ["agent", "agent.simulations"], x = "agent.simulations" }
"#;

/// Four pairs; the agent wins more with more simulations. `pairs[x][y]` counts its results: 0 loss, 1 draw, 2 win.
fn played(simulations: &str) -> Option<Value> {
    let pairs = match simulations {
        "10" => [[2, 1, 0], [0, 0, 0], [0, 0, 1]],
        "20" => [[1, 1, 0], [0, 0, 0], [0, 0, 2]],
        _ => [[1, 0, 0], [0, 0, 0], [0, 0, 3]],
    };
    let meeting =
        json!({ "players": [0, 1], "pairs": pairs, "pentanomial": [0, 0, 0, 0, 0], "games": 8, "distinct": 8 });
    Some(json!({ "players": ["a", "b"], "games": 8, "distinct": 8, "meetings": [meeting] }))
}

#[test]
fn axes_tell_players_apart_and_ratings_are_drawn_against_a_number() {
    let sheet = sheet(MATCHES, true, |label, _| played(&label("agent.simulations")));
    let rows: Vec<&str> = sheet.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.as_str()).collect();
    let agents: Vec<&str> = rows.iter().copied().filter(|name| name.contains("uct")).collect();
    assert_eq!(agents, ["uct, simulations 40", "uct, simulations 20", "uct, simulations 10"], "{rows:?}");
    assert!(rows.contains(&"random") && rows.contains(&"naive"), "{rows:?}");
    let [panel] = &sheet.chart.panels[..] else { panic!("one panel") };
    let [line] = &panel.series[..] else { panic!("one line: {:?}", panel.series) };
    assert_eq!((line.name.as_str(), panel.x.label.as_str()), ("uct", "simulations"));
    assert_eq!(line.points.iter().map(|vertex| vertex.x).collect::<Vec<_>>(), [10.0, 20.0, 40.0]);
    for vertex in &line.points {
        let name = format!("uct, simulations {}", vertex.x);
        let point = point(&sheet, "Elo", &name, "Elo");
        assert_eq!(Some(vertex.y), point.value, "the figure and the table agree");
        assert!(vertex.low.unwrap() < vertex.y && vertex.y < vertex.high.unwrap());
    }
    // Two seeds of four pairs against each of two opponents.
    assert_eq!(point(&sheet, "Games", "uct, simulations 20", "Games").value, Some(32.0));
}

const SWEPT: &str = r#"
[agents.uct]
uct = { simulations = 10 }
[stages.test]
play.tournament = { game = "atari-go", players = ["random", { name = "uct", agent = "uct", sweep = { simulations = [10, 20], c = [1, 2] } }], games = 8 }
[[exhibit]]
show.ratings = { stage = "test", x = "simulations" }
"#;

#[test]
fn players_of_a_tournament_can_be_swept_and_drawn_against_the_number() {
    let names = ["random", "uct, simulations 10, c 1", "uct, simulations 10, c 2", "uct, simulations 20, c 1"];
    let names: Vec<&str> = names.into_iter().chain(["uct, simulations 20, c 2"]).collect();
    let meeting = |player: usize, pairs: Value| json!({ "players": [0, player], "pairs": pairs, "pentanomial": [0, 0, 0, 0, 0], "games": 8, "distinct": 8 });
    let few = json!([[1, 1, 0], [0, 0, 0], [0, 0, 2]]);
    let meetings: Vec<Value> = (1..5).map(|player| meeting(player, few.clone())).collect();
    let result = json!({ "players": names, "games": 32, "distinct": 32, "meetings": meetings });
    let drawn = |x: &str| {
        sheet(&SWEPT.replace("x = \"simulations\"", &format!("x = \"{x}\"")), true, |_, _| Some(result.clone()))
    };
    let sheet = drawn("simulations");
    let rows: Vec<&str> = sheet.table.as_ref().unwrap().rows.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.iter().all(|name| rows.contains(name)), "{rows:?}");
    let [panel] = &sheet.chart.panels[..] else { panic!("one panel") };
    let mut lines: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["uct, c 1", "uct, c 2"]);
    assert!(panel.series.iter().all(|series| series.points.iter().map(|vertex| vertex.x).eq([10.0, 20.0])));
    let [panel] = &drawn("c").chart.panels[..] else { panic!("one panel") };
    assert!(panel.series.iter().all(|series| series.points.iter().map(|vertex| vertex.x).eq([1.0, 2.0])));
}
