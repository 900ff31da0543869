//! Single games as boards with numbered stones, like printed games of Go and Gomoku.
//!
//! "Reinforcement Learning for Gomoku" (Chen, Chin and Megas), Figure 5. Stones are drawn where they were played. This
//! module knows no rules, so that neither captures nor turned discs are shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::draft::Draft;
use super::estimate::of_run;
use super::played::{Drawn, DrawnMove, PlayedGames};
use super::selector::{DRAW, GameSelector, PositionView};
use super::sheet::{Axis, Mark, Panel, Point, Series, Vertex};
use super::{About, Basis, Content, Context, Fact, Kind, Need, Unit};
use gauntlet_games::base::{BoardPicture, Ending, Record, Side};

/// The default number of plies: the whole game.
const ALL: i64 = -1;
const CAPTION: &str = "Single games. Black moves first; a stone's number is that of its move. Stones stand where they \
    were played, whatever became of them; a move to a point where a numbered stone stands is listed and not drawn.";

/// Single games of a stage's tournaments (or matches): as `boards`, every stone with the number of its move
/// ("Reinforcement Learning for Gomoku", Figure 5); as `positions`, diagrams of the board and its pieces.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Boards {
    /// The stage.
    pub stage: String,
    /// The selected games, in the order of the picture.
    pub games: Vec<GameSelector>,
}

impl Kind for Boards {
    fn about(&self) -> About<'_> {
        About { unit: Unit::Games, ..About::of_stage("games", Basis::Results, &self.stage, Need::Games) }
    }

    fn render(&self, context: &Context<'_>) -> Content {
        let facts = context.facts.stage(&self.stage);
        let mut draft = Draft::default();
        for (at, sample) in self.games.iter().enumerate() {
            let number = at + 1;
            match find(&facts, sample) {
                None => draft.notes.push(format!("Game {number} is not shown: the stage has none with {sample}.")),
                Some(game) => {
                    let title = format!("{number}. {}", game.title(context));
                    draft.points.extend(game.points(&title));
                    draft.notes.push(format!("Game {title}: {}.", game.moves().join(" ")));
                    draft.panels.push(game.panel(context, title));
                }
            }
        }
        draft.without_table(CAPTION)
    }
}

/// One selected game.
pub(super) struct Game<'a> {
    pub fact: Fact<'a>,
    played: &'a PlayedGames,
    pub record: &'a Record,
    start: &'a [(usize, Side)],
    moves: &'a [DrawnMove],
    pub pictures: &'a BTreeMap<(usize, PositionView), BoardPicture>,
}

/// The selected game of a stage.
pub(super) fn find<'a>(facts: &[Fact<'a>], sample: &GameSelector) -> Option<Game<'a>> {
    let games = facts.iter().filter_map(|fact| Some((*fact, fact.row.played.as_ref()?)));
    let games = games.flat_map(|(fact, played)| {
        played.games.iter().map(move |Drawn { record, start, moves, pictures }| {
            let moves = &moves[..sample.plies(ALL, moves.len())];
            Game { fact, played, record, start, moves, pictures }
        })
    });
    games.filter(|game| game.fits(sample)).nth(sample.number.get() as usize - 1)
}

impl Game<'_> {
    fn fits(&self, sample: &GameSelector) -> bool {
        let winner = self.played.winner(self.record).unwrap_or(DRAW);
        sample.fits(&self.fact.label("game"), [0, 1].map(|side| self.player(side)), winner)
    }

    fn player(&self, side: usize) -> &str {
        &self.played.players[self.record.players[side]]
    }

    pub fn title(&self, context: &Context<'_>) -> String {
        let [black, white] = [0, 1].map(|side| context.show(self.player(side)));
        format!("{black} (black) – {white}")
    }

    pub fn result(&self, context: &Context<'_>) -> String {
        let plies = self.record.actions.len();
        let winner = self.played.winner(self.record).map(|winner| context.show(winner));
        match (winner, self.record.ending) {
            (Some(winner), Ending::Resigned) => format!("{winner} wins by resignation, {plies} plies"),
            (Some(winner), Ending::Time) => format!("{winner} wins on time, {plies} plies"),
            (Some(winner), Ending::Agreed) => format!("{winner} wins by agreed scores, {plies} plies"),
            (Some(winner), _) => format!("{winner} wins, {plies} plies"),
            (None, Ending::MaxPlies) => format!("called a draw after {plies} plies"),
            (None, Ending::Time) => {
                format!("a draw, as the opponent of the side without time cannot mate, {plies} plies")
            }
            (None, Ending::Agreed) => format!("a draw by agreed scores, {plies} plies"),
            (None, _) => format!("a draw, {plies} plies"),
        }
    }

    /// All moves with their numbers.
    fn moves(&self) -> Vec<String> {
        self.moves.iter().enumerate().map(|(ply, played)| format!("{}.{}", ply + 1, played.name)).collect()
    }

    /// A point for each move: the ply on the abscissa, the name of the place as the column.
    fn points(&self, row: &str) -> Vec<Point> {
        let point = |(ply, played): (usize, &DrawnMove)| {
            let colour = if played.side == Side::First { "black" } else { "white" };
            Point { x: Some((ply + 1) as f64), n_games: 1, ..of_run(&self.fact, colour, row, &played.name) }
        };
        self.moves.iter().enumerate().map(point).collect()
    }

    fn panel(&self, context: &Context<'_>, title: String) -> Panel {
        let x = Axis::categories(self.result(context), &*self.played.columns);
        Panel::new(title, x, Axis::categories("", &*self.played.rows), self.stones())
    }

    /// The first stone on every point; stones of the start have no number.
    fn stones(&self) -> Vec<Series> {
        let start = self.start.iter().map(|&(site, side)| (site, side, None));
        let moves = self.moves.iter().enumerate();
        let moves = moves.filter_map(|(ply, played)| Some((played.site?, played.side, Some(ply as u32 + 1))));
        let mut taken = Vec::new();
        let mut series = Vec::new();
        for (site, side, number) in start.chain(moves) {
            if taken.contains(&site) {
                continue;
            }
            taken.push(site);
            let place = self.played.place(site);
            let at = Vertex::at(place.0 as f64, place.1 as f64);
            let mark = Mark::Stone { black: side == Side::First, number };
            series.push(Series::new("", mark, 0, [at]));
        }
        series
    }
}
