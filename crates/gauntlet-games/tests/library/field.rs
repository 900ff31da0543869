//! Tests of files collected from other programs, if they exist beside the checkout: each with its expected result.

use std::path::PathBuf;

use gauntlet_games::base::Action;
use gauntlet_games::formats::results::{BadInput, GameResults, ReadFile, Reading, read};
use gauntlet_games::formats::{FormatError, Opening, openings};
use gauntlet_games::games::GameSpec;

/// A file of the collection, if it exists.
fn field(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/field").join(name);
    if !path.exists() {
        println!("skipped: ../shared/field/{name} is not beside the project");
    }
    path.exists().then_some(path)
}

fn rated(name: &str, skip_bad: bool) -> Option<Result<(GameResults, ReadFile), BadInput>> {
    let (path, mut results) = (field(name)?, GameResults::default());
    let read = read(path.to_str().unwrap(), Reading { skip_bad, moves: true, ..Reading::default() }, &mut results);
    Some(read.map(|source| (results, source)))
}

fn opened(name: &str, spec: &str, plies: Option<usize>) -> Option<Result<Vec<Opening>, FormatError>> {
    let bytes = std::fs::read(field(name)?).unwrap();
    Some(openings(name, &bytes, &toml::from_str::<GameSpec>(spec).unwrap(), plies))
}

#[test]
fn results_that_contradict_their_tags_are_named() {
    for name in ["a_tag_1-0_text_draw.pgn", "b_tag_draw_text_0-1.pgn"] {
        let name = format!("01-pgn-result-conflict/{name}");
        let Some(read) = rated(&name, false) else { return };
        let error = read.unwrap_err();
        assert!(error.line == Some(6) && error.what.contains("but the tag Result says"), "{error}");
        let (_, source) = rated(&name, true).unwrap().unwrap();
        assert_eq!((source.games, source.skipped), (0, 1));
    }
    let agrees = rated("01-pgn-result-conflict/e_agree.pgn", false);
    assert!(agrees.is_none_or(|read| read.unwrap().1.games == 1));
}

#[test]
fn torn_games_dialects_and_variants_lose_no_game() {
    let Some(torn) = rated("23-pgn-torn/mid.pgn", false) else { return };
    let error = torn.unwrap_err();
    assert!(error.line == Some(18) && error.what.contains("a comment continues into the tags"), "{error}");
    let (_, source) = rated("23-pgn-torn/mid.pgn", true).unwrap().unwrap();
    assert_eq!((source.games, source.skipped), (3, 1));
    let (results, source) = rated("24-score-after/fc77.log", false).unwrap().unwrap();
    assert_eq!((results.players(), source.games, source.pairs), (&["dev", "master"].map(str::to_owned)[..], 30, 15));
    let (_, source) = rated("27-variants/varmix.pgn", false).unwrap().unwrap();
    assert_eq!(source.kinds.keys().collect::<Vec<_>>(), ["", "atomic"]);
    let error = rated("29-score-lines/sc2.log", false).unwrap().unwrap_err();
    assert!(error.line == Some(1) && error.what.contains("are not 12 games"), "{error}");
}

#[test]
fn no_word_of_a_game_is_dropped() {
    let plies = |name: &str| Some(opened(name, "chess = {}", None)?.map(|book| book[0].actions.len()));
    let Some(castled) = plies("04-pgn-dropped-words/b_zero_then_sym.pgn") else { return };
    assert_eq!(castled.unwrap(), 10);
    assert_eq!(plies("04-pgn-dropped-words/f_figurine.pgn").unwrap().unwrap(), 6);
    assert!(plies("04-pgn-dropped-words/h_drop.pgn").unwrap().is_err());
    let (results, _) = rated("04-pgn-dropped-words/o_moves_fig.pgn", false).unwrap().unwrap();
    assert_eq!(results.distinct_games(), Some(3), "two games with the same colours, and a third one");
}

#[test]
fn lines_of_pgn_end_in_every_way() {
    for (name, games) in [("a_lf.pgn", 4), ("c_cr.pgn", 4), ("k_tag_and_moves_one_line.pgn", 2)] {
        let Some(read) = rated(&format!("05-line-ends/{name}"), false) else { return };
        assert_eq!(read.unwrap().1.games, games, "{name}");
    }
}

#[test]
fn sgf_of_other_programs_is_read() {
    let book = |name: &str| opened(&format!("07-sgf-wild/{name}.sgf"), "go = { size = 9 }", None);
    let Some(passed) = book("a_tt_pass") else { return };
    assert_eq!(passed.unwrap()[0].actions, [20, 60, 81, 40].map(Action));
    for name in ["d_handicap_twoAB", "g_setup_second_node", "m_junk_before", "res_08", "res_12"] {
        let opening = book(name).unwrap().unwrap().remove(0);
        let is_set_up = name.starts_with('d') || name.starts_with('g');
        assert_eq!((opening.actions.len(), opening.start.is_some()), (2, is_set_up), "{name}");
    }
    assert!(book("h_rect").unwrap().unwrap_err().to_string().contains("9 columns and 7 rows"));
}

#[test]
fn the_first_plies_are_read_whatever_follows() {
    for name in ["a_dead_stones", "d_komi_7.5"] {
        let name = format!("08-sgf-result-vs-rules/{name}.sgf");
        let Some(book) = opened(&name, "go = { size = 5 }", Some(4)) else { return };
        assert_eq!(book.unwrap()[0].actions.len(), 4);
    }
}

#[test]
fn the_halfmove_clock_of_a_position_counts() {
    let Some(book) = opened("10-epd-suites/b.epd", "chess = {}", None) else { return };
    let opening = book.unwrap().remove(0);
    assert_eq!(opening.start.as_deref(), Some("7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 99 80"));
    assert_eq!(opening.name.as_deref(), Some("fifty"));
}

#[test]
fn passes_of_othello_may_be_missing() {
    let Some(book) = opened("17-rules-others/oth_implicit.sgf", "othello = { size = 8 }", Some(50)) else { return };
    assert_eq!(book.unwrap()[0].actions.len(), 50);
    let whole = opened("17-rules-others/oth_implicit.sgf", "othello = { size = 8 }", None);
    assert!(whole.unwrap().is_ok());
}
