//! Games on boards: the choice of a game, its moves and its stones.

use std::collections::BTreeMap;

use crate::exhibits::{ExhibitScope, render};
use crate::facts::Facts;
use crate::played::{Drawn, DrawnMove, PlayedGames};
use crate::sheet::Sheet;
use crate::sheet::{Mark, Panel};
use gauntlet_games::base::{Action, Outcome, Record, Side};
use gauntlet_plan::manifest::{Overrides, Plan, load};

const MANIFEST: &str = r#"
schema = 1
name = "games"
title = "Games"
labels = { uct = "UCT" }
games.gomoku.gomoku = { size = 5 }
agents = { naive.naive = {}, uct.uct = {} }
[stages.league.play.tournament]
game = "gomoku"
players = ["naive", "uct"]
games = 4
[[exhibit]]
[exhibit.show.boards]
stage = "league"
games = [
    { black = "uct", winner = "naive" },
    { winner = "draw" },
    { winner = "uct", number = 2 },
]
"#;

/// Three games on five columns and two rows: `uct` loses as black, wins as white, and draws.
fn played() -> PlayedGames {
    let names = |names: &str| names.chars().map(String::from).collect();
    let game = |players, actions: [u32; 4], outcome| {
        let actions = actions.map(Action).to_vec();
        let name = |site: usize| format!("{}{}", ["A", "B", "C", "D", "E"][site % 5], 2 - site / 5);
        let moves = actions.iter().zip(Side::BOTH.repeat(2)).map(|(action, side)| {
            let site = Some(action.index()).filter(|&site| site < 10);
            DrawnMove { side, name: site.map_or("pass".to_owned(), name), site }
        });
        let moves = moves.collect();
        let record = Record::new(0, players, actions, outcome);
        Drawn { record, start: vec![(3, Side::Second)], moves, pictures: BTreeMap::new() }
    };
    PlayedGames {
        players: vec!["naive".to_owned(), "uct".to_owned()],
        columns: names("ABCDE"),
        rows: names("21"),
        games: vec![
            game([1, 0], [0, 6, 1, 7], Outcome::Win(Side::Second)),
            game([0, 1], [9, 3, 9, 10], Outcome::Win(Side::Second)),
            game([1, 0], [9, 3, 9, 10], Outcome::Draw),
        ],
    }
}

fn sheet() -> Sheet {
    let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
    let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap();
    let facts = Facts::new(&plan, vec![None]).with_played(BTreeMap::from([(0, played())]));
    render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: false })
}

#[test]
fn the_first_game_that_fits_is_shown_and_its_moves_are_listed() {
    let sheet = sheet();
    assert_eq!(sheet.chart.panels.len(), 2);
    assert_eq!(
        sheet.notes,
        [
            "Game 1. UCT (black) – naive: 1.A2 2.B1 3.B2 4.C1.",
            "Game 2. UCT (black) – naive: 1.E1 2.D2 3.E1 4.pass.",
            "Game 3 is not shown: the stage has none with winner uct, number 2.",
        ]
    );
    assert_eq!(sheet.chart.panels[0].x.label, "naive wins, 4 plies");
    let moves: Vec<_> = sheet.points[..4].iter().map(|p| (p.metric.as_str(), p.column.as_str(), p.x)).collect();
    let wanted = [("black", "A2", Some(1.0)), ("white", "B1", Some(2.0)), ("black", "B2", Some(3.0))];
    assert_eq!(moves[..3], wanted);
}

#[test]
fn no_stone_covers_another() {
    let panels = sheet().chart.panels;
    let stones = |panel: &Panel| -> Vec<(Mark, f64, f64)> {
        panel.series.iter().map(|stone| (stone.mark, stone.points[0].x, stone.points[0].y)).collect()
    };
    let stone = |black, number| Mark::Stone { black, number };
    let start = (stone(false, None), 3.0, 0.0);
    assert_eq!(stones(&panels[0])[..2], [start, (stone(true, Some(1)), 0.0, 0.0)]);
    assert_eq!(stones(&panels[1]), [start, (stone(true, Some(1)), 4.0, 1.0)], "two on one point, and a pass");
}
