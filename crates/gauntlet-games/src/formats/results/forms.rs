//! The tables of results that people have, by the names of their columns: counts of two players, or a game a row.
//!
//! | columns | from |
//! |---|---|
//! | `player_a,player_b,wins_a,draws,losses_a` | this program |
//! | `white,black,result` (or `score`), and `opening` | this program; White moves first |
//! | `first,second,score` and `opening` | `gauntlet export --games` |
//! | `model_a,model_b,winner` | comparisons of language models (arena-rank) |
//! | `player1,player2,score` | rating libraries (choix, elote) |
//! | `winner,loser` | the same, without draws |
//!
//! A row whose columns state two results is at fault.

use crate::base::{Outcome, Side};
use crate::formats::{LeftOut, StatedResult};

/// One row.
#[derive(Debug, PartialEq)]
pub(super) enum Entry<'a> {
    /// Wins, draws and losses of the first player.
    Counts([&'a str; 2], [u64; 3]),
    /// A game, whose first player moved first.
    Game { players: [&'a str; 2], stated: StatedResult, opening: Option<&'a str> },
    /// A game in which the side to move first is unknown.
    Uncoloured([&'a str; 2], StatedResult),
}

/// The cells of a row, in the order of the form's columns; None for empty ones.
type Cells<'a> = [Option<&'a str>];

/// A form of a table.
pub(super) struct Form {
    /// The columns; each with its names.
    pub(super) columns: &'static [&'static [&'static str]],
    /// How many columns are required; the others are optional.
    pub(super) required: usize,
    read: for<'a> fn(&Form, &Cells<'a>) -> Result<Entry<'a>, String>,
}

/// All forms, in the order of preference.
pub(super) static FORMS: [Form; 5] = [
    Form {
        columns: &[&["player_a"], &["player_b"], &["wins_a"], &["draws"], &["losses_a"]],
        required: 5,
        read: counts,
    },
    Form {
        columns: &[
            &["white", "first"],
            &["black", "second"],
            &["result", "score"],
            &["opening"],
            &["score"],
            &["winner"],
            &["loser"],
        ],
        required: 3,
        read: game,
    },
    Form {
        columns: &[
            &["model_a"],
            &["model_b"],
            &["winner"],
            &["result"],
            &["draw", "is_draw"],
            &["tie", "is_tie"],
            &["score"],
            &["outcome"],
        ],
        required: 3,
        read: comparison,
    },
    Form {
        columns: &[
            &["player1", "player_1", "player 1"],
            &["player2", "player_2", "player 2"],
            &["score", "result"],
            &["result"],
            &["winner"],
            &["loser"],
        ],
        required: 3,
        read: score,
    },
    Form {
        columns: &[
            &["winner"],
            &["loser"],
            &["result"],
            &["draw", "is_draw"],
            &["tie", "is_tie"],
            &["score"],
            &["outcome"],
        ],
        required: 2,
        read: won,
    },
];

impl Form {
    /// The form that shares most columns with a table, and their number, in relation to the required ones.
    pub(super) fn of(names: &[String]) -> (&'static Form, f64) {
        let mut best = (&FORMS[0], 0.0);
        for form in &FORMS {
            let known = form.columns[..form.required].iter().filter(|column| place(names, column).is_some()).count();
            let share = known as f64 / form.required as f64;
            best = if share > best.1 { (form, share) } else { best };
        }
        best
    }

    /// The content of a row.
    ///
    /// # Errors
    /// A sentence, for a missing or an unknown value.
    pub(super) fn read<'a>(&self, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
        (self.read)(self, cells)
    }

    /// The name of a column for messages.
    pub(super) fn name(&self, column: usize) -> &'static str {
        self.columns[column][0]
    }

    fn cell<'a>(&self, cells: &Cells<'a>, column: usize) -> Result<&'a str, String> {
        cells[column].ok_or_else(|| format!("`{}` is missing", self.name(column)))
    }

    /// The names in the first two columns.
    fn players<'a>(&self, cells: &Cells<'a>) -> Result<[&'a str; 2], String> {
        let players = [self.cell(cells, 0)?, self.cell(cells, 1)?];
        if players.iter().any(|name| name.contains('\n')) {
            return Err("the name of a player goes over several lines: a quote may be missing".to_owned());
        }
        if players[0] == players[1] {
            return Err(format!("{:?} plays against itself", players[0]));
        }
        Ok(players)
    }

    /// Whether a column that it requires names the winner.
    pub(super) fn has_winner(&self) -> bool {
        self.columns[..self.required].iter().any(|names| names.contains(&"winner"))
    }

    /// The result by the name of a player or of its column, or by a word for a draw.
    fn winner(&self, players: [&str; 2], text: &str) -> Option<Outcome> {
        let is_player = |at: usize| self.columns[at].iter().any(|name| name.eq_ignore_ascii_case(text));
        match text {
            _ if text == players[0] => Some(Outcome::Win(Side::First)),
            _ if text == players[1] => Some(Outcome::Win(Side::Second)),
            _ if is_player(0) => Some(Outcome::Win(Side::First)),
            _ if is_player(1) => Some(Outcome::Win(Side::Second)),
            _ => TIES.contains(&&*text.to_lowercase()).then_some(Outcome::Draw),
        }
    }

    /// The result in words or as a score. Beside a winner, a score and numbers other than half a point may have another
    /// meaning; the winner and the loser are no sides.
    fn result(&self, column: &str, text: &str) -> Option<Outcome> {
        let number = of_score(text)
            .filter(|stated| !self.has_winner() || column != "score" && *stated == StatedResult::Played(Outcome::Draw));
        let word = TIES.contains(&&*text.to_lowercase()).then_some(StatedResult::Played(Outcome::Draw));
        match crate::formats::pgn::stated(text).or(word).or(number)? {
            StatedResult::Played(Outcome::Win(_)) if self.name(0) == "winner" => None,
            StatedResult::Played(outcome) => Some(outcome),
            _ => None,
        }
    }
}

/// The place of a column by one of its names.
pub(super) fn place(names: &[String], column: &[&str]) -> Option<usize> {
    column.iter().find_map(|known| names.iter().position(|name| name.trim().eq_ignore_ascii_case(known)))
}

/// Whether a text is a name of a column of a player or a result.
pub(super) fn is_column(text: &str) -> bool {
    let mut names = FORMS.iter().flat_map(|form| form.columns[..form.required].iter().copied().flatten());
    let text = text.trim();
    names.any(|name| text.eq_ignore_ascii_case(name))
}

fn counts<'a>(form: &Form, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
    let players = form.players(cells)?;
    let count = |column: usize| count(form.name(column), form.cell(cells, column)?);
    Ok(Entry::Counts(players, [count(2)?, count(3)?, count(4)?]))
}

fn count(column: &str, text: &str) -> Result<u64, String> {
    text.parse::<u32>().map(u64::from).map_err(|_| {
        let why = match text.parse::<f64>() {
            Ok(number) if number < 0.0 => "is negative",
            Ok(number) if number.fract() != 0.0 => "is not a whole number (draws have a column of their own)",
            Ok(_) => "is too large, or not written as a whole number",
            Err(_) => "is not a number",
        };
        format!("`{column}` is {text:?}, which {why}")
    })
}

fn game<'a>(form: &Form, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
    let (players, result) = (form.players(cells)?, form.cell(cells, 2)?);
    let stated = crate::formats::pgn::stated(result).or_else(|| of_score(result));
    let stated = stated.ok_or_else(|| format!("`{}` is {result:?}, and not 1-0, 0-1 or 1/2-1/2", form.name(2)))?;
    agree(form, (players, stated), cells, 4)?;
    Ok(Entry::Game { players, stated, opening: cells[3] })
}

/// Requires the same result in every column from this one on that is understood.
fn agree(
    form: &Form,
    (players, stated): ([&str; 2], StatedResult),
    cells: &Cells<'_>,
    first: usize,
) -> Result<(), String> {
    let StatedResult::Played(outcome) = stated else { return Ok(()) };
    for (column, text) in cells.iter().enumerate().skip(first) {
        let Some(text) = *text else { continue };
        let found = match form.name(column) {
            "winner" => form.winner(players, text),
            "loser" => form
                .winner(players, text)
                .map(|lost| if let Outcome::Win(side) = lost { Outcome::Win(side.opponent()) } else { lost }),
            "draw" | "tie" => YES.contains(&&*text.to_lowercase()).then_some(Outcome::Draw),
            name => form.result(name, text).filter(|_| outcome != Outcome::Draw || text.parse() != Ok(0.0)),
        };
        if found.is_some_and(|found| found != outcome) {
            let said = match cells[2] {
                Some(result) if form.name(2) != "winner" && form.required > 2 => format!("the result is {result:?}"),
                _ if outcome == Outcome::Draw => "the row names a draw".to_owned(),
                _ => "the row names a winner".to_owned(),
            };
            return Err(format!("{said}, but `{}` is {text:?}", form.name(column)));
        }
    }
    Ok(())
}

/// Words of a column that asks whether a game was a draw.
const YES: [&str; 6] = ["1", "1.0", "true", "yes", "y", "t"];

/// The score of the first player: 0, 0.5 or 1.
fn of_score(text: &str) -> Option<StatedResult> {
    let score: f64 = text.replace(',', ".").parse().ok()?;
    match score {
        1.0 => Some(StatedResult::Played(Outcome::Win(Side::First))),
        0.5 => Some(StatedResult::Played(Outcome::Draw)),
        0.0 => Some(StatedResult::Played(Outcome::Win(Side::Second))),
        _ => None,
    }
}

fn score<'a>(form: &Form, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
    let (players, score) = (form.players(cells)?, form.cell(cells, 2)?);
    let stated = of_score(score).or_else(|| crate::formats::pgn::stated(score));
    let stated = stated.ok_or_else(|| format!("`{}` is {score:?}, and not 0, 0.5 or 1", form.name(2)))?;
    agree(form, (players, stated), cells, 3)?;
    Ok(Entry::Uncoloured(players, stated))
}

/// Words for a draw, in lower case and without signs.
const TIES: [&str; 4] = ["tie", "tiebothbad", "bothbad", "draw"];

fn comparison<'a>(form: &Form, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
    let (players, winner) = (form.players(cells)?, form.cell(cells, 2)?);
    let letters: String =
        winner.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let by_word = match letters.as_str() {
        "modela" | "a" => Some(Outcome::Win(Side::First)),
        "modelb" | "b" => Some(Outcome::Win(Side::Second)),
        word if TIES.contains(&word) => Some(Outcome::Draw),
        _ => None,
    };
    let by_name = players.iter().position(|name| *name == winner);
    let by_name = by_name.map(|place| Outcome::Win(if place == 0 { Side::First } else { Side::Second }));
    match (by_word, by_name) {
        (Some(one), Some(other)) if one != other => {
            Err(format!("`{}` is {winner:?}, which is a name here and a word for another result", form.name(2)))
        }
        (None, None) => Err(format!("`{}` is {winner:?}, and not model_a, model_b or tie", form.name(2))),
        (one, other) => {
            let stated = one.or(other).map_or(StatedResult::LeftOut(LeftOut::Void), StatedResult::Played);
            agree(form, (players, stated), cells, 3)?;
            Ok(Entry::Uncoloured(players, stated))
        }
    }
}

fn won<'a>(form: &Form, cells: &Cells<'a>) -> Result<Entry<'a>, String> {
    let (players, stated) = (form.players(cells)?, StatedResult::Played(Outcome::Win(Side::First)));
    agree(form, (players, stated), cells, 2)?;
    Ok(Entry::Uncoloured(players, stated))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &[&str], cells: &[&str]) -> Result<(Option<StatedResult>, [String; 2]), String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let (form, share) = Form::of(&names);
        assert_eq!(share, 1.0, "{names:?}");
        let mut own = vec![None; form.columns.len()];
        cells.iter().zip(&mut own).for_each(|(cell, own)| *own = Some(*cell));
        Ok(match form.read(&own)? {
            Entry::Counts(players, _) => (None, players.map(str::to_owned)),
            Entry::Game { players, stated, .. } | Entry::Uncoloured(players, stated) => {
                (Some(stated), players.map(str::to_owned))
            }
        })
    }

    #[test]
    fn columns_that_state_two_results_are_refused() {
        let names = ["white", "black", "result", "opening", "score", "winner", "loser"];
        for (cells, fault) in [
            (["x", "y", "1-0", "", "1", "x", "y"], None),
            (["x", "y", "1-0", "", "0.35", "nobody", "?"], None),
            (["x", "y", "1/2-1/2", "", "0.5", "draw", "draw"], None),
            (["x", "y", "1/2-1/2", "", "0", "draw", "draw"], None),
            (["x", "y", "1-0", "", "0", "x", "y"], Some("the result is \"1-0\", but `score` is \"0\"")),
            (["x", "y", "0-1", "", "0", "white", "y"], Some("the result is \"0-1\", but `winner` is \"white\"")),
            (["x", "y", "1-0", "", "1", "x", "x"], Some("the result is \"1-0\", but `loser` is \"x\"")),
        ] {
            assert_eq!(read(&names, &cells).err().as_deref(), fault, "{cells:?}");
        }
        for (names, cells) in [
            (&["winner", "loser", "result"][..], &["x", "y", "1/2-1/2"][..]),
            (&["winner", "loser", "result", "draw"], &["x", "y", "1-0", "1"]),
            (&["winner", "loser", "result", "draw", "tie"], &["x", "y", "1-0", "0", "true"]),
            (&["model_a", "model_b", "winner", "result", "draw", "tie"], &["x", "y", "model_a", "1", "0", "1"]),
        ] {
            assert!(read(names, cells).unwrap_err().contains("the row names a winner, but"), "{names:?}");
        }
        assert!(read(&["winner", "loser", "result", "draw"], &["x", "y", "1-0", "0"]).is_ok());
        let names = ["player1", "player2", "score", "result", "winner"];
        assert!(read(&names, &["x", "y", "1", "1", "y"]).unwrap_err().contains("but `winner` is"));
        assert!(read(&names, &["x", "y", "1", "1", "black"]).is_ok(), "colours are unknown");
    }

    #[test]
    fn every_known_column_is_checked() {
        let won = ["winner", "loser", "result", "draw", "tie", "score", "outcome"];
        let compared = ["model_a", "model_b", "winner", "result", "draw", "tie", "score", "outcome"];
        let scored = ["player1", "player2", "score", "result", "winner", "loser"];
        let cases: [(&[&str], &[&str], bool); 18] = [
            (&won, &["x", "y", "", "", "", "1/2-1/2"], false),
            (&won, &["x", "y", "0.5"], false),
            (&won, &["x", "y", "", "", "", "", "draw"], false),
            // The winner may have moved second; a score may have any scale.
            (&won, &["x", "y", "0-1", "0", "no", "0.5", "0"], true),
            (&compared, &["x", "y", "model_a", "0-1"], false),
            (&compared, &["x", "y", "y", "1-0"], false),
            (&compared, &["x", "y", "tie", "1-0"], false),
            (&compared, &["x", "y", "model_a", "", "", "", "1/2-1/2"], false),
            (&compared, &["x", "y", "model_a", "1-0", "0", "0", "1-0", "1-0"], true),
            // A result may be a number of a kind.
            (&compared, &["x", "y", "model_a", "0", "0", "0", "0.5", "2"], true),
            (&compared, &["x", "y", "tie", "0.5", "1", "1", "0", "draw"], true),
            (&scored, &["x", "y", "1", "", "player2"], false),
            (&scored, &["x", "y", "0", "", "Player 1"], false),
            (&scored, &["x", "y", "0.5", "", "player_1"], false),
            (&scored, &["x", "y", "1", "", "", "player1"], false),
            (&scored, &["x", "y", "1", "1-0", "player1", "player2"], true),
            (&scored, &["x", "player1", "0", "", "player1"], true),
            (&scored, &["x", "y", "1", "", "0"], true),
        ];
        for (names, cells, is_fine) in cases {
            let found = read(names, cells);
            assert_eq!(found.is_ok(), is_fine, "{names:?} {cells:?}: {found:?}");
        }
    }

    /// The columns of `gauntlet export --games`.
    #[test]
    fn exported_games_are_read() {
        let (stated, players) = read(&["first", "second", "score", "opening"], &["x", "y", "0.0", "d4"]).unwrap();
        assert_eq!(stated, Some(StatedResult::Played(Outcome::Win(Side::Second))));
        assert_eq!(players, ["x", "y"]);
    }

    #[test]
    fn results_of_every_form_are_known() {
        let [first, second] = [Side::First, Side::Second].map(|side| Some(StatedResult::Played(Outcome::Win(side))));
        let draw = Some(StatedResult::Played(Outcome::Draw));
        let arena = ["model_a", "model_b", "winner"];
        for (winner, wanted) in [
            ("model_a", first),
            ("Model_B", second),
            ("x", first),
            ("y", second),
            ("tie", draw),
            ("tie (bothbad)", draw),
            ("both_bad", draw),
        ] {
            assert_eq!(read(&arena, &["x", "y", winner]).map(|found| found.0), Ok(wanted), "{winner}");
        }
        assert!(read(&arena, &["x", "y", "z"]).is_err() && read(&arena, &["x", "model_a", "model_a"]).is_err());
        for (score, wanted) in
            [("1", first), ("0.0", second), ("0.5", draw), ("0,5", draw), (".5", draw), ("1-0", first)]
        {
            assert_eq!(read(&["Player1", "player2", "Score"], &["x", "y", score]).map(|found| found.0), Ok(wanted));
            assert_eq!(read(&["white", "black", "score"], &["x", "y", score]).map(|found| found.0), Ok(wanted));
        }
        assert!(read(&["player1", "player2", "score"], &["x", "y", "-1"]).unwrap_err().contains("not 0, 0.5 or 1"));
        assert_eq!(read(&["loser", "winner"], &["x", "y"]).map(|found| found.0), Ok(first));
    }
}
