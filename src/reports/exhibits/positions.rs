//! Positions of single games as diagrams, the way printed games are.

use super::super::sheet::{Chart, Diagram, Point};
use super::boards::{Game, find};
use super::{Content, Scene, blank, config_ids};
use crate::manifest::exhibit::{Boards, GameSelector};

const CAPTION: &str = "Positions of played games; where the last move began and ended is marked.";
/// The plies that are shown where nothing is said: the start.
const START: i64 = 0;

/// The positions that the exhibit asks for, one a diagram.
pub(super) fn render(scene: &Scene<'_>, show: &Boards) -> Content {
    let facts = scene.facts.stage(&show.stage);
    let (mut points, mut chart, mut notes) = (Vec::new(), Chart::default(), Vec::new());
    for sample in &show.games {
        let shown = find(&facts, sample).and_then(|game| position(scene, &game, sample));
        match shown {
            None => notes.push(format!("The stage has no position of a game with {sample}.")),
            Some((diagram, point)) => {
                chart.diagrams.push(diagram);
                points.push(point);
            }
        }
    }
    Content { points, table: None, chart, notes, caption: CAPTION.to_owned() }
}

/// One position as a diagram, and its ply as a point.
fn position(scene: &Scene<'_>, game: &Game<'_>, sample: &GameSelector) -> Option<(Diagram, Point)> {
    let of = game.record.actions.len();
    let plies = sample.plies(START, of);
    let board = game.pictures.get(&plies)?.clone();
    let label = game.fact.label("game");
    let title = if label.is_empty() { game.title(scene) } else { scene.show(&label) };
    let note = match plies {
        0 => "the start".to_owned(),
        _ if plies == of => game.result(scene),
        1 => "after 1 ply".to_owned(),
        _ => format!("after {plies} plies"),
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
