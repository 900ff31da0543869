//! Positions of single games as diagrams, like printed games.

use serde::Deserialize;

use super::boards::{Boards, Game, find};
use super::estimate::of_run;
use super::selector::{GameSelector, PositionView};
use super::sheet::{Chart, Diagram, Point};
use super::{About, Basis, Content, Context, Kind};

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
    let point = Point { value: Some(plies as f64), n_games: 1, ..of_run(&game.fact, "plies", &title, &note) };
    Some((Diagram { title, note, board }, point))
}
