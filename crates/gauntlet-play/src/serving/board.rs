//! The game of an interactive protocol: positions, moves of either side, and moves taken back.

use std::sync::Arc;

use gauntlet_games::base::{Action, Side};
use gauntlet_games::games::{Game, Offsite, Position, View};

/// A game under way.
pub struct Board {
    game: Arc<dyn Game>,
    /// The position before each move, and the present one at the end.
    positions: Vec<Box<dyn Position>>,
    /// The moves, each with its side.
    moves: Vec<(Side, Action)>,
    /// Whether the first position differs from the start of the game.
    is_set_up: bool,
}

impl Board {
    /// The start of a game.
    #[must_use]
    pub fn new(game: Arc<dyn Game>) -> Board {
        let positions = vec![game.start()];
        Board { game, positions, moves: Vec::new(), is_set_up: false }
    }

    /// The rules.
    #[must_use]
    pub fn game(&self) -> &Arc<dyn Game> {
        &self.game
    }

    /// The present position.
    #[must_use]
    pub fn position(&self) -> &dyn Position {
        &**self.positions.last().expect("a game has a start")
    }

    /// Number of moves so far.
    #[must_use]
    pub fn ply(&self) -> u32 {
        u32::try_from(self.moves.len()).unwrap_or(u32::MAX)
    }

    /// The last move.
    #[must_use]
    pub fn last(&self) -> Option<Action> {
        self.moves.last().map(|&(_, action)| action)
    }

    /// The side to move.
    #[must_use]
    pub fn side(&self) -> Side {
        self.position().side()
    }

    /// The content of the present position.
    #[must_use]
    pub fn view(&self) -> View {
        let mut view = View::new();
        self.position().view(&mut view);
        view
    }

    /// Starts again from a position.
    pub fn start_from(&mut self, position: Box<dyn Position>) {
        self.positions = vec![position];
        self.moves.clear();
        self.is_set_up = true;
    }

    /// Starts again from the start of the game.
    pub fn clear(&mut self) {
        self.start_from(self.game.start());
        self.is_set_up = false;
    }

    /// The same game under other rules; `None` if they do not allow it.
    #[must_use]
    pub fn under(&self, game: Arc<dyn Game>) -> Option<Board> {
        let mut board = Board::new(game);
        if self.is_set_up {
            let start = self.game.write_position(&*self.positions[0])?;
            board.start_from(board.game.read_position(&start).ok()?);
        }
        for &(side, action) in &self.moves {
            board.play(side, &self.game.action_name(action))?;
        }
        Some(board)
    }

    /// Plays the legal move of a side with this notation. Returns its action; nothing if there is no such move.
    pub fn play(&mut self, side: Side, text: &str) -> Option<Action> {
        let position = self.as_seen_by(side)?;
        let action = self.game.read_move(&*position, text)?;
        self.play_from(position, action);
        Some(action)
    }

    /// Plays a legal action of a position that [`Board::as_seen_by`] gave.
    pub fn play_from(&mut self, mut position: Box<dyn Position>, action: Action) {
        self.moves.push((position.side(), action));
        position.play(action);
        self.positions.push(position);
    }

    /// Takes back a move. Returns false at the start.
    pub fn undo(&mut self) -> bool {
        let has_moves = self.moves.pop().is_some();
        if has_moves {
            self.positions.pop();
        }
        has_moves
    }

    /// The present position with this side to move, and not over. Programs let a side move twice, and let games go on
    /// that are over by our rules: then a pass is added, or the pieces are set up without a history. `None` if the game
    /// allows neither.
    #[must_use]
    pub fn as_seen_by(&self, side: Side) -> Option<Box<dyn Position>> {
        let position = self.position();
        if position.outcome().is_none() && position.side() == side {
            return Some(position.fork());
        }
        self.passed().filter(|passed| passed.side() == side).or_else(|| self.set_up(side))
    }

    /// The position after a pass, if a pass is legal and does not end the game.
    fn passed(&self) -> Option<Box<dyn Position>> {
        let (mut legal, mut next) = (Vec::new(), self.position().fork());
        next.actions(&mut legal);
        next.play(legal.into_iter().find(|&action| self.game.offsite(action) == Some(Offsite::Pass))?);
        next.outcome().is_none().then_some(next)
    }

    /// The pieces of the present position, with this side to move and without a history.
    fn set_up(&self, side: Side) -> Option<Box<dyn Position>> {
        let goes_on = |position: &dyn Position| position.outcome().is_none() && position.side() == side;
        let again = self.without_count().and_then(|text| self.game.read_position(&text).ok());
        let again = again.filter(|position| goes_on(&**position));
        again.or_else(|| self.game.set_up(&self.view().pieces, side).ok().filter(|position| goes_on(&**position)))
    }

    /// The notation of the present position; in chess with a count of 0 plies towards a draw.
    fn without_count(&self) -> Option<String> {
        const COUNT: usize = 4;
        let text = self.game.write_position(self.position())?;
        let field = |(at, field)| if at == COUNT { "0" } else { field };
        Some(text.split(' ').enumerate().map(field).collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::games::GameSpec;

    fn board(text: &str, moves: &str) -> Board {
        let mut board = Board::new(toml::from_str::<GameSpec>(text).unwrap().build());
        for name in moves.split_whitespace() {
            board.play(board.side(), name).unwrap_or_else(|| panic!("{name}"));
        }
        board
    }

    #[test]
    fn a_side_may_move_twice_and_a_game_may_go_on() {
        let mut go = board("go = { size = 5 }", "C3");
        assert!(go.play(Side::First, "D3").is_some() && go.play(Side::First, "D3").is_none());
        assert_eq!((go.ply(), go.side()), (2, Side::Second));
        assert!(go.undo() && go.undo() && !go.undo());
        let mut passed = board("go = { size = 5 }", "C3 pass pass");
        assert!(passed.position().outcome().is_some() && passed.play(Side::First, "B2").is_some());
        let mut gomoku = board("gomoku = { size = 5, row = 4 }", "A1");
        assert!(gomoku.play(Side::First, "B1").is_some() && gomoku.play(Side::First, "C1").is_some());
        assert!(gomoku.play(Side::First, "D1").is_some() && gomoku.position().outcome().is_some());
        assert!(gomoku.play(Side::Second, "E5").is_none(), "a game that was won is over");
    }

    #[test]
    fn chess_goes_on_after_a_repetition() {
        let mut chess = board("chess = {}", &"Nf3 Nf6 Ng1 Ng8 ".repeat(2));
        assert!(chess.position().outcome().is_some());
        assert!(chess.play(Side::First, "e2e4").is_some() && chess.position().outcome().is_none());
    }
}
