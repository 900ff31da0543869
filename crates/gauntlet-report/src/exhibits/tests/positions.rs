//! Positions of games, by their plies.

use std::collections::BTreeMap;

use crate::exhibits::{ExhibitScope, render};
use crate::facts::Facts;
use crate::played::{Drawn, PlayedGames};
use gauntlet_exhibits::PositionView;
use gauntlet_games::base::{Action, BoardPicture, Outcome, Record, Side};
use gauntlet_plan::manifest::{Overrides, Plan, load};

const MANIFEST: &str = r#"
schema = 1
name = "positions"
title = "Positions"
paper = { key = "p", title = "A paper", authors = "Somebody", venue = "Somewhere", artefact = "Figure 1" }
labels = { gomoku = "Gomoku" }
games.gomoku.gomoku = { size = 5 }
agents = { naive.naive = {}, uct.uct = {} }
[stages.league]
sweep = { game = ["gomoku"] }
play.tournament = { game = "gomoku", players = ["naive", "uct"], games = 4 }
[[exhibit]]
[exhibit.show.positions]
stage = "league"
games = [{ game = "gomoku" }, { ply = -1 }, { ply = -2 }, { view = "tensor" }, { game = "hex" }, { number = 2, ply = 1 }]
"#;

#[test]
fn positions_are_shown_by_their_plies() {
    let source = BTreeMap::from([("m.toml".to_owned(), MANIFEST.to_owned())]);
    let plan = load(&source, "m.toml", &Overrides::default()).and_then(|loaded| Plan::new(loaded, "cpu")).unwrap();
    let record = Record::new(0, [0, 1], [4, 5, 6].map(Action).to_vec(), Outcome::Win(Side::First));
    let board = |size: usize| BoardPicture { size: [size as f64, 1.0], ..BoardPicture::default() };
    let of = |view| move |ply: usize| ((ply, view), board(ply + usize::from(view != PositionView::Board)));
    let tensor = of(PositionView::Tensor)(0);
    let pictures = [0, 2, 3].map(of(PositionView::Board)).into_iter().chain([tensor]).collect();
    let played = PlayedGames {
        players: vec!["naive".to_owned(), "uct".to_owned()],
        columns: Vec::new(),
        rows: Vec::new(),
        games: vec![Drawn { record, start: Vec::new(), moves: Vec::new(), pictures }],
    };
    let result = serde_json::json!({ "players": played.players, "games": 1, "distinct": 1, "adjudicated": 0, "plies": 3, "meetings": [] });
    let results = vec![Some(result)];
    let facts = Facts::new(&plan, results).with_played(BTreeMap::from([(0, played)]));
    let sheet = render(&ExhibitScope { exhibit: &plan.written.exhibits[0], facts: &facts, comparable: true });
    let shown = sheet.chart.diagrams.iter().map(|it| (it.title.as_str(), it.note.as_str(), it.board.size[0]));
    assert!(sheet.caption.ends_with("nothing is measured."), "{}", sheet.caption);
    let wanted = [
        ("Gomoku, game 1", "the start", 0.0),
        ("Gomoku, game 1", "naive wins, 3 plies", 3.0),
        ("Gomoku, game 1", "after 2 plies", 2.0),
        ("Gomoku, game 1", "the cells of the sites in the tensor of a state", 1.0),
    ];
    assert_eq!(shown.collect::<Vec<_>>(), wanted);
    let missing = ["game hex, number 1", "number 2"];
    assert_eq!(sheet.notes, missing.map(|with| format!("The stage has no position of a game with {with}.")));
    assert_eq!(sheet.points.iter().map(|point| point.value).collect::<Vec<_>>(), [0.0, 3.0, 2.0, 0.0].map(Some));
}
