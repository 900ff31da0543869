//! Tests of the fast Go against a slow reference implementation, and of hand-made positions: captures, suicide, ko,
//! scoring.

use super::*;
use crate::base::{Action, Outcome, Rng, Seed, Side};
use crate::games::{Game, GoSize, GridGame, Piece, Position, SetUpError, State, Topology, View};

fn spec(size: i64, superko: Superko) -> GoSpec {
    GoSpec { size: GoSize::new(size).unwrap(), komi: Komi::new(0.5).unwrap(), superko, move_cap: None }
}

/// A position drawn with `x` for the first side, `o` for the second and `.`, row by row.
fn drawn(spec: GoSpec, rows: &str, side: Side) -> (GridGame<Go>, Box<dyn Position>) {
    let game = spec.build();
    let position = game.set_up(&pieces(rows), side).unwrap();
    (game, position)
}

fn pieces(rows: &str) -> Vec<Piece> {
    let piece = |drawn| match drawn {
        'x' => Piece::stone(Side::First),
        'o' => Piece::stone(Side::Second),
        _ => Piece::EMPTY,
    };
    rows.chars().filter(|drawn| !drawn.is_whitespace()).map(piece).collect()
}

fn is_legal(game: &dyn Game, position: &dyn Position, name: &str) -> bool {
    let mut actions = Vec::new();
    position.actions(&mut actions);
    actions.contains(&game.parse_action(name).unwrap())
}

fn play(game: &dyn Game, position: &mut dyn Position, names: &str) {
    for name in names.split(' ') {
        assert!(is_legal(game, position, name), "{name}");
        position.play(game.parse_action(name).unwrap());
    }
}

const KO: &str = ".xo. x.xo .xo. ....";

#[test]
fn a_ko_is_not_taken_back_at_once() {
    for rule in [Superko::Simple, Superko::Positional, Superko::Draw] {
        let (game, mut position) = drawn(spec(4, rule), KO, Side::Second);
        assert!(is_legal(&game, &*position, "B3"), "{rule:?}");
        play(&game, &mut *position, "B3");
        assert!(!is_legal(&game, &*position, "C3"), "{rule:?}");
        play(&game, &mut *position, "D1 A1");
        assert!(is_legal(&game, &*position, "C3"), "{rule:?}");
    }
}

#[test]
fn a_long_cycle_is_forbidden_or_draws() {
    // Random play on four points runs into cycles of every length.
    for rule in [Superko::Simple, Superko::Positional, Superko::Draw] {
        let mut spec = spec(2, rule);
        spec.move_cap = std::num::NonZeroU16::new(60);
        let (game, mut rng) = (spec.build(), Seed::new(1).rng());
        let mut drawn = 0;
        for _ in 0..200 {
            let (mut position, mut views) = (game.start(), vec![]);
            while position.outcome().is_none() {
                position.play(position.random_action(&mut rng));
                let mut view = View::new();
                position.view(&mut view);
                if view.last != Some(Action(4)) {
                    let seen = views.contains(&view.pieces);
                    assert!(rule != Superko::Positional || !seen);
                    assert!(rule != Superko::Draw || !seen || position.outcome() == Some(Outcome::Draw));
                    drawn += usize::from(seen);
                }
                views.push(view.pieces);
            }
        }
        assert_eq!(drawn > 0, rule != Superko::Positional, "{rule:?}");
    }
}

#[test]
fn suicide_is_illegal_and_a_capture_is_none() {
    let (game, position) = drawn(spec(4, Superko::Positional), ".x.. x... .... ....", Side::Second);
    assert!(!is_legal(&game, &*position, "A4"));
    let (game, mut position) = drawn(spec(4, Superko::Positional), ".xo. xo.. o... ....", Side::Second);
    play(&game, &mut *position, "A4");
    assert_eq!(position.lead(Side::Second), Some(16.0));
}

#[test]
fn two_passes_end_the_game_and_komi_decides() {
    let game = spec(5, Superko::Positional).build();
    let mut position = game.start();
    play(&game, &mut *position, "pass");
    let (mut wins, mut losses) = (vec![], vec![]);
    position.decisive(&mut wins, &mut losses);
    assert_eq!((wins, losses), (vec![Action(25)], vec![]));
    play(&game, &mut *position, "pass");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Second)));
    let (_, mut position) =
        drawn(GoSpec { komi: Komi::new(2.0).unwrap(), ..spec(3, Superko::Simple) }, "xx. ... oo.", Side::First);
    position.play(Action(9));
    position.play(Action(9));
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::Second)));
    let (_, mut position) =
        drawn(GoSpec { komi: Komi::new(1.0).unwrap(), ..spec(3, Superko::Simple) }, ".x. xx. ..o", Side::First);
    assert_eq!(position.lead(Side::First), Some(3.0));
    position.play(Action(2));
    position.play(Action(9));
    position.play(Action(9));
    assert_eq!((position.lead(Side::First), position.outcome()), (Some(4.0), Some(Outcome::Win(Side::First))));
}

#[test]
fn the_last_move_of_the_cap_is_scored() {
    let capped = GoSpec { move_cap: std::num::NonZeroU16::new(3), ..spec(5, Superko::Positional) };
    let game = capped.build();
    assert_eq!(game.name(), "go 5x5 komi 0.5 cap 3");
    let mut position = game.start();
    play(&game, &mut *position, "C3 pass");
    assert_eq!(position.outcome_after(Action(0)), Some(Outcome::Win(Side::First)));
    play(&game, &mut *position, "A1");
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn only_positions_that_can_be_are_set_up() {
    let game = spec(3, Superko::Positional).build();
    assert_eq!(game.set_up(&pieces("xo. o.. ..."), Side::First).err(), Some(SetUpError::NoLiberty { site: 0 }));
    assert!(game.set_up(&pieces("xx. xx. ..o"), Side::First).is_ok());
}

#[test]
fn settings_are_checked_where_they_are_read() {
    let read = |text: &str| serde_json::from_str::<GoSpec>(text);
    let plain = read(r#"{"size":9}"#).unwrap();
    assert_eq!((plain.komi.get(), plain.superko, plain.cap()), (7.5, Superko::Positional, 162));
    assert_eq!(plain.build().name(), "go 9x9 komi 7.5");
    let capped = read(r#"{"size":9,"komi":0.5,"superko":"draw","move-cap":200}"#).unwrap();
    assert_eq!(capped.build().name(), "go 9x9 komi 0.5 repetition draws cap 200");
    assert_eq!(serde_json::to_string(&capped).unwrap(), r#"{"size":9,"komi":0.5,"superko":"draw","move-cap":200}"#);
    let message = read(r#"{"size":9,"komi":0.3}"#).unwrap_err().to_string();
    assert!(message.contains("komi 0.3 is not a multiple of 0.5"), "{message}");
}

/// A reference implementation by flood fill and whole boards.
struct Plain {
    topology: Topology,
    pieces: Vec<Piece>,
    history: Vec<Vec<Piece>>,
    side: Side,
}

impl Plain {
    fn new(size: usize) -> Plain {
        let pieces = vec![Piece::EMPTY; size * size];
        Plain { topology: Topology::square(size), history: vec![pieces.clone()], pieces, side: Side::First }
    }

    /// The sites of the same content connected to this one, and their neighbours.
    fn region(&self, pieces: &[Piece], start: usize) -> (Vec<usize>, Vec<Piece>) {
        let (mut region, mut border, mut next) = (vec![start], vec![], 0);
        while let Some(&site) = region.get(next) {
            for &at in self.topology.neighbours(site) {
                let at = at as usize;
                if pieces[at] != pieces[start] {
                    border.push(pieces[at]);
                } else if !region.contains(&at) {
                    region.push(at);
                }
            }
            next += 1;
        }
        (region, border)
    }

    fn without_dead(&self, mut pieces: Vec<Piece>, side: Side) -> Vec<Piece> {
        for site in 0..pieces.len() {
            if pieces[site] == Piece::stone(side) {
                let (chain, border) = self.region(&pieces, site);
                if !border.contains(&Piece::EMPTY) {
                    chain.into_iter().for_each(|stone| pieces[stone] = Piece::EMPTY);
                }
            }
        }
        pieces
    }

    /// The board after a stone on this empty site; `None` for a suicide.
    fn after(&self, site: usize) -> Option<Vec<Piece>> {
        let mut pieces = self.pieces.clone();
        pieces[site] = Piece::stone(self.side);
        let pieces = self.without_dead(pieces, self.side.opponent());
        let left = self.without_dead(pieces.clone(), self.side);
        (left == pieces).then_some(pieces)
    }

    fn is_legal(&self, site: usize) -> bool {
        self.pieces[site].is_empty() && self.after(site).is_some_and(|pieces| !self.history.contains(&pieces))
    }

    fn area(&self, side: Side) -> f64 {
        let only = [Piece::stone(side)];
        let own = |&site: &usize| match self.pieces[site].side() {
            Some(owner) => owner == side,
            None => {
                let border = self.region(&self.pieces, site).1;
                !border.is_empty() && border.iter().all(|piece| only.contains(piece))
            }
        };
        (0..self.pieces.len()).filter(own).count() as f64
    }
}

fn compare(size: usize, rng: &mut Rng) {
    let capped = GoSpec {
        move_cap: std::num::NonZeroU16::new(if size < 4 { 400 } else { 3 * (size * size) as u16 }),
        ..spec(size as i64, Superko::Positional)
    };
    let (mut fast, mut plain, pass) =
        (Go::new(size, capped.komi, capped.superko, capped.cap()), Plain::new(size), size * size);
    while State::outcome(&fast).is_none() {
        let mut actions = Vec::new();
        State::actions(&fast, &mut actions);
        let sites: Vec<usize> = actions.iter().map(|action| action.index()).filter(|&site| site != pass).collect();
        let known: Vec<usize> = (0..pass).filter(|&site| plain.is_legal(site)).collect();
        assert_eq!(sites, known);
        let lead = plain.area(Side::First) - plain.area(Side::Second);
        assert_eq!(State::lead(&fast, Side::First), Some(lead));
        let action = State::random_action(&fast, rng);
        State::play(&mut fast, action);
        if action.index() != pass {
            plain.pieces = plain.after(action.index()).unwrap();
            plain.history.push(plain.pieces.clone());
        }
        plain.side = plain.side.opponent();
        let mut view = View::new();
        State::view(&fast, &mut view);
        assert_eq!(view.pieces, plain.pieces);
    }
}

#[test]
fn the_fast_rules_are_the_plain_ones() {
    let mut rng = Seed::new(7).rng();
    for (size, games) in [(2, 60), (3, 60), (4, 40), (5, 20), (7, 6), (9, 2)] {
        (0..games).for_each(|_| compare(size, &mut rng));
    }
}
