//! Positions as text diagrams with the names of rows and columns; and those names alone, for pictures.
//!
//! A diagram shows only the pieces: neither captured stones nor the side to move.

use super::drawing::lines;
use super::{Game, Layout, Piece, View};
use crate::base::Side;

/// The names along the edges of a game's grid, as in its action names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinates {
    /// From left to right.
    pub columns: Vec<String>,
    /// From top to bottom.
    pub rows: Vec<String>,
}

impl Coordinates {
    /// Coordinates of a game whose sites are those of its grid, row by row; empty for other games.
    #[must_use]
    pub fn of(game: &dyn Game) -> Coordinates {
        let board = game.topology();
        if board.layout() == Layout::Free {
            return Coordinates { columns: Vec::new(), rows: Vec::new() };
        }
        let name = |site: usize| game.site_name(site);
        let columns = (0..board.columns()).map(|column| split(&name(column)).0);
        let rows = (0..board.rows()).map(|row| split(&name(row * board.columns())).1);
        Coordinates { columns: columns.collect(), rows: rows.collect() }
    }
}

/// The letters of a point's name, and its number.
pub(crate) fn split(name: &str) -> (String, String) {
    let number = name.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    (name[..name.len() - number.len()].to_owned(), number.to_owned())
}

/// The sign of a marked site on which nothing stands.
pub const MARK: char = '+';

/// The board as text, a line for each row: the destination of the last action is in parentheses, and the `marked`
/// sites that are empty have a sign. `paint` may add colour to a sign.
#[must_use]
pub fn diagram(
    game: &dyn Game,
    view: &View,
    marked: &[usize],
    paint: impl Fn(Option<Side>, String) -> String,
) -> String {
    if game.topology().layout() == Layout::Free {
        return free(game, view, marked, paint);
    }
    let names = Coordinates::of(game);
    let longest = |names: &[String]| names.iter().map(String::len).max().unwrap_or(0);
    // Each row of hexagons lies half a hexagon to the right of the one above.
    let slant = usize::from(game.topology().layout() == Layout::Hexagonal);
    let (wide, margin) = (longest(&names.columns) + 1, longest(&names.rows));
    let header: String = names.columns.iter().map(|name| format!("{name:>wide$}")).collect();
    let header = format!("{:margin$} {header}\n", "");
    let mut text = header.clone();
    let last = view.last.and_then(|action| game.arrival(action));
    for (row, name) in names.rows.iter().enumerate() {
        let first = row * names.columns.len();
        let last = last.and_then(|site| site.checked_sub(first));
        text += &format!("{}{name:>margin$} ", " ".repeat(row * slant));
        for column in 0..names.columns.len() {
            let piece = piece(view, first + column);
            let open = if last == Some(column) { '(' } else { ' ' };
            let before = if column > 0 && last == Some(column - 1) { ')' } else { ' ' };
            let gap = if open == ' ' { before } else { open };
            // In wide columns, a bracket stays next to its sign.
            let gap = if wide > 2 { format!("{before}{}{open}", " ".repeat(wide - 3)) } else { gap.to_string() };
            let is_marked = piece.is_empty() && marked.contains(&(first + column));
            let sign = if is_marked { MARK } else { game.sign(piece) };
            text += &format!("{gap}{}", paint(piece.side(), sign.to_string()));
        }
        let end = if last == Some(names.columns.len() - 1) { ')' } else { ' ' };
        text += &format!("{end}{name}\n");
    }
    text + &" ".repeat(names.rows.len() * slant) + &header
}

/// A board that is not a grid: a line for each row of sites, with the names of its first and last site; each column
/// of sites is as wide as a sign. The hands follow below.
fn free(game: &dyn Game, view: &View, marked: &[usize], paint: impl Fn(Option<Side>, String) -> String) -> String {
    let topology = game.topology();
    let places = topology.places();
    let [columns, rows] = [0, 1].map(|axis| lines(places.iter().map(|place| place[axis])));
    let last = view.last.and_then(|action| game.arrival(action));
    let sign = |site: usize| {
        let piece = top(view, site, topology.sites());
        let is_marked = piece.is_empty() && marked.contains(&site);
        paint(piece.side(), if is_marked { MARK } else { game.sign(piece) }.to_string())
    };
    let margin = (0..places.len()).map(|site| game.site_name(site).len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in (0..topology.rows()).rev() {
        let mut sites: Vec<usize> = (0..places.len()).filter(|&site| rows[site] == row).collect();
        sites.sort_by_key(|&site| columns[site]);
        let (Some(&first), Some(&end)) = (sites.first(), sites.last()) else { continue };
        text += &format!("{:>margin$} ", game.site_name(first));
        let mut is_open = false;
        for column in 0..topology.columns() {
            let site = sites.iter().copied().find(|&site| columns[site] == column);
            let is_last = site.is_some() && site == last;
            let gap = if is_open {
                ')'
            } else if is_last {
                '('
            } else {
                ' '
            };
            text += &site.map_or(format!("{gap} "), |site| format!("{gap}{}", sign(site)));
            is_open = is_last;
        }
        let gap = if is_open { ')' } else { ' ' };
        text += &format!("{gap} {}\n", game.site_name(end));
    }
    text + &hands(game, view, sign)
}

/// The pieces in each player's hand with their numbers, a line for each hand.
fn hands(game: &dyn Game, view: &View, sign: impl Fn(usize) -> String) -> String {
    let topology = game.topology();
    let mut end = topology.places().len();
    let line = |(number, &sites): (usize, &usize)| {
        end += sites;
        let held = (end - sites..end).filter(|&site| !top(view, site, topology.sites()).is_empty());
        let pieces = held.map(|site| format!(" {}{}", sign(site), view.counts.get(site).copied().unwrap_or(1)));
        format!("hand {}:{}\n", number + 1, pieces.collect::<String>())
    };
    topology.hands().iter().enumerate().map(line).collect()
}

/// The top piece on a site of a board with `sites` sites.
fn top(view: &View, site: usize, sites: usize) -> Piece {
    let levels = view.pieces.len() / sites;
    let column = view.pieces[site * levels..][..levels].iter();
    column.copied().rfind(|piece| !piece.is_empty()).unwrap_or_default()
}

/// The piece on a site.
fn piece(view: &View, site: usize) -> Piece {
    view.pieces.get(site).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameSpec;

    fn drawn(spec: &str, moves: &str) -> String {
        let game = serde_json::from_str::<GameSpec>(spec).unwrap().build();
        let (mut position, mut view) = (game.start(), View::new());
        moves.split_whitespace().for_each(|name| position.play(game.parse_action(name).unwrap()));
        position.view(&mut view);
        diagram(&*game, &view, &[0], |_, sign| sign)
    }

    #[test]
    fn a_board_has_its_names_around_it_and_the_last_move_marked() {
        let board = "   A B C D E\n5  + . . . . 5\n4  . . . . . 4\n3  . . X(O). 3\n2  . . . . . 2\n1  . . . . . 1\n   A B C D E\n";
        assert_eq!(drawn(r#"{"gomoku":{"size":5}}"#, "C3 D3"), board);
        assert!(drawn(r#"{"gomoku":{"size":5}}"#, "E3").contains("3  . . . .(X)3\n"));
        let othello = drawn(r#"{"othello":{"size":4}}"#, "B1");
        assert!(othello.contains("1  +(X). . 1\n2  . X X . 2\n3  . X O . 3"), "{othello}");
    }

    #[test]
    fn every_game_can_be_drawn_and_named() {
        let wide = serde_json::from_str(r#"{"othello":{"size":30}}"#).unwrap();
        for spec in GameSpec::examples().into_iter().chain([wide]) {
            let game = spec.build();
            let names = Coordinates::of(&*game);
            for site in 0..game.topology().sites() {
                let columns = names.columns.len();
                let name = format!("{}{}", names.columns[site % columns], names.rows[site / columns]);
                assert_eq!(game.site_name(site), name);
            }
            let (mut view, mut position) = (View::new(), game.start());
            position.play(position.random_action(&mut crate::base::Seed::new(1).rng()));
            position.view(&mut view);
            let text = diagram(&*game, &view, &[], |_, sign| sign);
            let slant = usize::from(game.topology().layout() == Layout::Hexagonal);
            let width =
                |(line, (row, name)): (&str, (usize, &String))| line.strip_suffix(name).unwrap().len() - row * slant;
            let widths: std::collections::HashSet<usize> =
                text.lines().skip(1).zip(names.rows.iter().enumerate()).map(width).collect();
            assert_eq!((text.lines().count(), widths.len()), (names.rows.len() + 2, 1), "{text}");
        }
    }

    #[test]
    fn pieces_have_letters_and_rows_of_hexagons_slant() {
        let chess = drawn(r#"{"chess":{"size":5}}"#, "b2b3 e4d3");
        assert!(chess.contains("4  p p p p . 4\n3  . P .(p). 3\n2  P . P P P 2"), "{chess}");
        let hex = "   a b c\n1  + . . 1\n 2  .(X). 2\n  3  . . . 3\n      a b c\n";
        assert_eq!(drawn(r#"{"hex":{"size":3}}"#, "b2"), hex);
    }
}
