//! Lowers the frame of a game: board, players, phases, ends, meta-rules.

use super::super::program::{EndResult, EndRule, IntId, MOST_SITES, Phase, Program, Who};
use super::super::schema::{Argument, FrameWord, GraphWord, Role, Tree, Word};
use super::super::text::{Mistake, hint};
use super::super::topology::{BoardGraph, Diagonals, PlaneGraph, ShapeError, SiteKind, Track, loops};
use super::Lowering;

/// Maximum number of hexagons or squares along a side.
const LONGEST: i32 = 40;

/// The board of a game with its tracks.
pub(super) fn board(game: &Tree, wrong: &mut Vec<Mistake>) -> Option<(BoardGraph, Vec<Track>)> {
    let items: Vec<&Tree> = game.tree("equipment").into_iter().flat_map(|equipment| equipment.trees("item")).collect();
    let is_board = |item: &&&Tree| matches!(item.word, Word::Frame(FrameWord::Board | FrameWord::SurakartaBoard));
    let mut boards = items.iter().filter(is_board);
    let Some(item) = boards.next() else {
        wrong.push(Mistake::new(game.place, "the equipment has no `(board ...)`"));
        return None;
    };
    if let Some(second) = boards.next() {
        wrong.push(Mistake::new(second.place, "a game has one board; this is a second one"));
    }
    let surakarta = item.word == Word::Frame(FrameWord::SurakartaBoard);
    let kind = if surakarta || item.text("use") == Some("Vertex") { SiteKind::Vertex } else { SiteKind::Cell };
    let graph = item.tree("graph")?;
    let read = drawing(graph, kind).and_then(|drawing| {
        let board = BoardGraph::new(drawing, kind).map_err(|error| Mistake::new(graph.place, error.to_string()))?;
        match board.sites() {
            sites if sites > MOST_SITES => {
                Err(Mistake::new(graph.place, format!("this board has {sites} sites; games have at most {MOST_SITES}")))
            }
            _ => Ok(board),
        }
    });
    let board = read.map_err(|mistake| wrong.push(mistake)).ok()?;
    let tracks = if surakarta { tracks(item, &board, wrong) } else { Vec::new() };
    Some((board, tracks))
}

/// The tracks of a surakarta board.
fn tracks(item: &Tree, board: &BoardGraph, wrong: &mut Vec<Mistake>) -> Vec<Track> {
    let square = item
        .tree("graph")
        .is_some_and(|graph| matches!(graph.word, Word::Graph(GraphWord::Square | GraphWord::Rectangle)));
    let [rows, columns] = [1, 0].map(|line| board.lines(line).len() as u16);
    let most = (rows.min(columns).saturating_sub(1)) / 2;
    let count =
        item.text("loops").map_or(Some(most), |text| text.parse().ok()).filter(|count| (1..=most).contains(count));
    match count {
        Some(count) if square => loops(rows, columns, count),
        _ => {
            wrong.push(Mistake::new(
                item.place,
                format!("such a board is square or a rectangle and has 1 to {most} loops"),
            ));
            Vec::new()
        }
    }
}

fn drawing(graph: &Tree, kind: SiteKind) -> Result<PlaneGraph, Mistake> {
    let shaped =
        |shape: Result<PlaneGraph, ShapeError>| shape.map_err(|error| Mistake::new(graph.place, error.to_string()));
    let length = |name: &str| -> Result<usize, Mistake> {
        let value = graph.text(name).and_then(|text| text.parse().ok()).filter(|value| (1..=LONGEST).contains(value));
        let place = graph.get(name).map_or(graph.place, Argument::place);
        value
            .map(|value: i32| value as usize)
            .ok_or_else(|| Mistake::new(place, format!("a length is a number from 1 to {LONGEST}")))
    };
    let number = |name: &str| graph.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    let inner = || drawing(graph.tree("graph").ok_or_else(|| Mistake::new(graph.place, "a graph is missing"))?, kind);
    let Word::Graph(word) = graph.word else { return Err(Mistake::new(graph.place, "this is not a graph")) };
    match word {
        GraphWord::Square => shaped(PlaneGraph::rectangle(length("int")?, length("int")?, kind, diagonals(graph)?)),
        GraphWord::Rectangle => {
            let rows = length("rows")?;
            let columns = if graph.get("columns").is_some() { length("columns")? } else { rows };
            shaped(PlaneGraph::rectangle(rows, columns, kind, diagonals(graph)?))
        }
        GraphWord::Hex => shaped(PlaneGraph::hexagon(length("int")?)),
        GraphWord::HexDiamond => shaped(PlaneGraph::diamond(length("int")?)),
        GraphWord::HexRectangle => shaped(PlaneGraph::hexagonal_rectangle(length("rows")?, length("columns")?)),
        GraphWord::Rotate => Ok(inner()?.rotated(number("degrees"))),
        GraphWord::Shift => Ok(inner()?.shifted(number("x"), number("y"))),
        GraphWord::Intersect => {
            let mut parts = graph.trees("graph").map(|part| drawing(part, kind));
            let first = parts.next().ok_or_else(|| Mistake::new(graph.place, "nothing to intersect"))??;
            parts.try_fold(first, |whole, part| Ok(whole.intersected(&part?)))
        }
    }
}

fn diagonals(graph: &Tree) -> Result<Diagonals, Mistake> {
    match graph.text("diagonals") {
        None | Some("Implied") => Ok(Diagonals::None),
        Some("Alternating") => Ok(Diagonals::Alternating),
        Some(other) => Err(Mistake::new(graph.place, format!("unknown diagonals `{other}`; known are `Alternating`"))),
    }
}

/// A program with only a board.
pub(super) fn empty(
    game: &Tree,
    (graph, tracks): (BoardGraph, Vec<Track>),
    options: Vec<(String, Vec<String>)>,
) -> Program {
    Program {
        name: game.text("text").unwrap_or_default().to_owned(),
        sites: graph.sites(),
        graph,
        tracks,
        pieces: Vec::new(),
        hands: Vec::new(),
        stacking: false,
        visits: false,
        swap: false,
        texts: Vec::new(),
        start: Vec::new(),
        phases: Vec::new(),
        ends: Vec::new(),
        rules: Vec::new(),
        classes: Vec::new(),
        actions: Vec::new(),
        ints: Vec::new(),
        bools: Vec::new(),
        regions: Vec::new(),
        moves: Vec::new(),
        effects: Vec::new(),
        dirs: Vec::new(),
        lines: Vec::new(),
        links: Vec::new(),
        tables: Vec::new(),
        maps: Vec::new(),
        masks: Vec::new(),
        near: Vec::new(),
        options,
    }
}

impl Lowering {
    /// Lowers a whole game on its board.
    pub(super) fn game(&mut self, game: &Tree) {
        if let Some(players) = game.tree("players") {
            self.players(players);
        }
        self.equipment(game);
        let Some(rules) = game.tree("rules") else { return };
        let meta = rules.tree("meta");
        self.program.swap =
            meta.is_some_and(|meta| meta.trees("metarule").any(|rule| rule.word == Word::Frame(FrameWord::Swap)));
        if let Some(start) = rules.tree("start") {
            self.start(start);
        }
        self.program.ends = rules.tree("end").map_or_else(Vec::new, |end| self.ends(end));
        let phases: Vec<&Tree> = rules.trees("phases").collect();
        if let Some(play) = rules.tree("play") {
            let play = self.play(play);
            self.program.phases.push(Phase { name: String::new(), owner: 0, play, ends: Vec::new(), next: Vec::new() });
        }
        for index in 0..phases.len() {
            self.phase(&phases, index);
        }
        if phases.is_empty() && rules.tree("play").is_none() {
            self.error(rules.place, "the rules have neither `(play ...)` nor `phases:{ ... }`");
        }
        self.check_sizes(game.place);
        self.circles();
        self.number_actions(game.place);
    }

    fn players(&mut self, players: &Tree) {
        let listed: Vec<&Tree> = players.trees("player").collect();
        let count = players.text("int").map_or(listed.len(), |text| text.parse().unwrap_or(0));
        if count != 2 {
            self.error(players.place, format!("games for {count} players are not read, only those for 2"));
        }
        for (player, colour) in listed.iter().zip(1..3) {
            self.facing[colour] = player.get("dirs").and_then(|dirs| self.point(dirs));
        }
    }

    fn play(&mut self, play: &Tree) -> super::MovesId {
        self.moves_or_none(play.get("moves"))
    }

    fn phase(&mut self, phases: &[&Tree], index: usize) {
        let phase = phases[index];
        let names: Vec<&str> = phases.iter().filter_map(|phase| phase.text("text")).collect();
        let name = names.get(index).copied().unwrap_or_default().to_owned();
        let owner = phase.text("role").and_then(Role::read).and_then(Lowering::role_number).unwrap_or(0);
        let play = phase.tree("play").map(|play| self.play(play));
        let play = play.unwrap_or_else(|| self.moves(super::Moves::None));
        let ends = phase.tree("end").map_or_else(Vec::new, |end| self.ends(end));
        let next = phase.trees("nextphase").filter_map(|next| self.next_phase(next, &names, index)).collect();
        self.program.phases.push(Phase { name, owner, play, ends, next });
    }

    fn next_phase(&mut self, next: &Tree, names: &[&str], index: usize) -> Option<(Who, super::BoolId, u8)> {
        let who = next.text("role").and_then(Role::read).map_or(Who::Both, |role| self.who(role));
        let when = match next.get("bool") {
            Some(when) => self.lower_bool(when),
            None => self.truth(true),
        };
        let to = match next.text("text") {
            Some(name) => names.iter().position(|known| *known == name),
            None => Some(index + 1).filter(|&to| to < names.len()),
        };
        if to.is_none() {
            let named = |name: &str| format!("there is no phase `{name}`{}", hint(name, names.iter().copied()));
            self.error(next.place, next.text("text").map_or("there is no next phase".to_owned(), named));
        }
        Some((who, when, to? as u8))
    }

    fn ends(&mut self, end: &Tree) -> Vec<EndRule> {
        let asked = self.asked.len();
        let rules = end.trees("endrule").filter_map(|rule| self.end_rule(rule)).collect();
        // No moves depend on the end, so queries here cannot be circular.
        self.asked.truncate(asked);
        rules
    }

    fn end_rule(&mut self, rule: &Tree) -> Option<EndRule> {
        let when = self.lower_bool(rule.get("bool")?);
        let result = rule.tree("result")?;
        let verdict =
            if result.word == Word::Frame(FrameWord::ByScore) { self.by_score(result) } else { self.result(result) };
        Some(EndRule { when, verdict })
    }

    fn result(&mut self, result: &Tree) -> EndResult {
        let who = result.text("role").and_then(Role::read).map_or(Who::Mover, |role| self.who(role));
        match (result.text("outcome"), who) {
            (Some("Draw"), _) | (_, Who::Both) => EndResult::Draw,
            (Some("Win"), who) => EndResult::Win(who),
            (_, who) => EndResult::Loss(who),
        }
    }

    fn by_score(&mut self, result: &Tree) -> EndResult {
        let scores = [Role::P1, Role::P2].map(|role| {
            let of = |score: &&Tree| score.text("role").and_then(Role::read) == Some(role);
            result.trees("score").find(of).and_then(|score| score.get("int"))
        });
        let [Some(one), Some(other)] = scores else {
            self.error(result.place, "scores are needed for both: `(byScore { (score P1 ...) (score P2 ...) })`");
            return EndResult::Draw;
        };
        let numbers: [IntId; 2] = [self.lower_int(one), self.lower_int(other)];
        EndResult::ByScore(numbers)
    }

    /// The colours that a role names.
    pub(super) fn who(&mut self, role: Role) -> Who {
        match role {
            Role::Neutral => Who::Colour(0),
            Role::P1 => Who::Colour(1),
            Role::P2 => Who::Colour(2),
            Role::Mover => Who::Mover,
            Role::Next => Who::Next,
            Role::Enemy => Who::Opponent,
            Role::Each => Who::Both,
        }
    }
}
