//! Positions of single games as diagrams, like printed games.

use serde::Deserialize;

use super::boards::{Boards, Game, find};
use super::selector::{GameSelector, PositionView};
use super::sheet::{Chart, Diagram, Point};
use super::{About, Basis, Content, Context, Kind, blank, config_ids};

const CAPTION: &str = "Positions of played games; where the last move began and ended is marked.";
/// The default number of plies: the start.
const START: i64 = 0;

/// Positions of the selected games, one a diagram.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Positions(Boards);

impl Kind for Positions {
    fn about(&self) -> About<'_> {
        let positions = &self.0.games;
        About { title: "positions", basis: Basis::Nothing, positions, ..self.0.about() }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.0.stage);
        let (mut points, mut chart, mut notes) = (Vec::new(), Chart::default(), Vec::new());
        let is_one = self.0.games.iter().all(|sample| sample.number == self.0.games[0].number);
        for sample in &self.0.games {
            let shown = find(&facts, sample).and_then(|game| position(context, &game, sample));
            match shown {
                None => notes.push(format!("The stage has no position of a game with {sample}.")),
                Some((mut diagram, point)) => {
                    if !is_one {
                        diagram.title = format!("{}, game {}", diagram.title, sample.number);
                    }
                    chart.diagrams.push(diagram);
                    points.push(point);
                }
            }
        }
        Content { points, table: None, chart, notes, caption: CAPTION.to_owned() }
    }
}

/// One position as a diagram, and its ply as a point.
fn position(context: &Context<'_>, game: &Game<'_>, sample: &GameSelector) -> Option<(Diagram, Point)> {
    let of = game.record.actions.len();
    let plies = sample.plies(START, of);
    let board = game.pictures.get(&(plies, sample.view))?.clone();
    let label = game.fact.label("game");
    let title = if label.is_empty() { game.title(context) } else { context.show(&label) };
    let note = match (sample.view, plies) {
        (PositionView::Sites, _) => "the numbers of the sites".to_owned(),
        (PositionView::Tensor, _) => "the cells of the sites in the tensor of a state".to_owned(),
        (PositionView::Moves, _) => "the planes of the moves in the tensor of actions".to_owned(),
        (PositionView::Board, 0) => "the start".to_owned(),
        (PositionView::Board, _) if plies == of => game.result(context),
        (PositionView::Board, 1) => "after 1 ply".to_owned(),
        (PositionView::Board, _) => format!("after {plies} plies"),
    };
    let point = Point {
        value: Some(plies as f64),
        n_runs: 1,
        n_requested: 1,
        n_games: 1,
        config_ids: config_ids(&[game.fact]),
        ..blank("plies", &title, &note)
    };
    Some((Diagram { title, note, board }, point))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::PositionView;
    use crate::manifest::{Overrides, Plan, load};
    use crate::reports::exhibits::{ExhibitScope, render};
    use crate::reports::facts::Facts;
    use crate::reports::played::{Drawn, PlayedGames};
    use gauntlet_games::base::{Action, BoardPicture, Outcome, Record, Side};

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
}
