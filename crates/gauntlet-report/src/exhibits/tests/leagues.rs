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

const PANEL: &str = r#"
[agents.saz.guided.network.saz]
hidden = 4
[stages.learn]
seeds = 2
[stages.learn.train.alpha-zero]
game = "gomoku"
agent = "saz"
[stages.learn.train.alpha-zero.settings]
iterations = 4
keep = [2]
evaluation = { every = 2, games = 8, panel = ["random", "naive"], past = [2] }
[[exhibit]]
show.{show}
"#;

/// The result of a training with four pairs against each opponent; its own games are others.
fn trained() -> Value {
    let pairs = json!([[1, 1, 0], [0, 0, 0], [0, 0, 2]]);
    let meeting = |players: [usize; 2]| json!({ "players": players, "pairs": pairs, "pentanomial": [1, 1, 0, 0, 2], "games": 8, "distinct": 8 });
    let against = |opponent: &str, score: f64| json!({ "opponent": opponent, "score": score, "pairs": pairs, "distinct": 8, "plies": 80 });
    let last = json!({ "compute": 1, "score": 0.5, "panel": [against("random", 0.5), against("naive", 0.5), against("iteration 2", -1.0)] });
    json!({
        "curve": [json!({}), json!({}), json!({}), last],
        "games": 400,
        "panel": {
            "players": ["iteration 2", "random", "naive", "iteration 4"],
            "games": 40, "distinct": 40, "adjudicated": 0, "plies": 400,
            "meetings": [meeting([0, 1]), meeting([0, 2]), meeting([3, 1]), meeting([3, 2]), meeting([3, 0])]
        }
    })
}

#[test]
fn networks_of_a_training_are_rated_with_its_panel() {
    let drawn = |show: &str| sheet(&PANEL.replace("{show}", show), true, |_, _| Some(trained()));
    let rated = drawn("ratings = { stage = \"learn\", x = \"iteration\" }");
    let [panel] = &rated.chart.panels[..] else { panic!("one panel") };
    assert!(panel.series.iter().all(|series| series.points.iter().map(|vertex| vertex.x).eq([2.0, 4.0])));
    let games = point(&rated, "Games", "iteration 4", "Games");
    // Two seeds, three opponents: trainings stand behind the ratings, with the games of the panel alone.
    assert_eq!((games.value, games.n_runs), (Some(48.0), 2));
    let empty = drawn("ratings = { stage = \"learn\", x = \"iterations\" }");
    let notes: Vec<&String> =
        empty.notes.iter().filter(|note| note.contains("has `iterations` and a number")).collect();
    assert_eq!(notes.len(), 1, "{:?}", empty.notes);
    // The score is the mean of two opponents, without the past self: sixteen games of each run.
    let skill = drawn("curves = { stage = \"learn\", of = \"skill\", curves = [], x = \"iterations\" }");
    let score = skill.points.iter().find(|point| point.metric == "score").unwrap();
    assert_eq!((score.value, score.n_games, score.n_runs), (Some(0.75), 32, 2));
    let each = drawn("curves = { stage = \"learn\", of = \"panel\", curves = [], x = \"iterations\" }");
    let past = each.points.iter().find(|point| point.row == "against iteration 2").unwrap();
    assert_eq!((past.value, past.n_games, past.x), (Some(0.0), 16, Some(4.0)));
}

#[test]
fn games_of_a_panel_are_not_the_games_of_its_training() {
    let plan = plan(&PANEL.replace("{show}", "ratings = { stage = \"learn\" }"));
    let facts = facts(&plan, vec![Some(trained()); plan.jobs.len()]);
    let stage = facts.frame().stage("learn");
    assert!(stage.iter().all(|fact| fact.games() == 400 && fact.mean_length().is_none() && fact.distinct().is_none()));
}
