//! A compiled game as a [`Game`]: names of its actions and sites, its drawing, its pieces.

use std::sync::Arc;

use super::figures;
use super::machine::{DescribedPosition, Tables};
use super::program::{ActionKind, Change, EndResult, MoveKind, Program};
use super::topology::Extras;
use crate::base::{Action, Figure, Side};
use crate::games::{Game, Lookback, Offsite, Piece, Position, SetUpError, Step, Topology};

/// A described game.
pub struct DescribedGame {
    program: Arc<Program>,
    start: Box<dyn Position>,
    topology: Topology,
    names: Vec<String>,
    steps: Vec<Step>,
    /// Names and actions, sorted by lower-case name.
    by_name: Vec<(String, Action)>,
}

/// Prepares a compiled game for play.
#[must_use]
pub fn build(program: Program) -> DescribedGame {
    let topology = topology(&program);
    let (names, steps) = (names(&program), steps(&program));
    let mut by_name: Vec<_> = names.iter().map(|name| name.to_lowercase()).zip((0..).map(Action)).collect();
    by_name.sort();
    let program = Arc::new(program);
    DescribedGame { start: start(&program), program, topology, names, steps, by_name }
}

/// The starting position, on sets with as many words as the game needs.
fn start(program: &Arc<Program>) -> Box<dyn Position> {
    fn of<const W: usize, const S: usize>(program: &Arc<Program>) -> Box<dyn Position> {
        Box::new(DescribedPosition::<W, S>::start(&Arc::new(Tables::new(Program::clone(program)))))
    }
    match (program.sites.div_ceil(64), program.stacking) {
        (..=1, true) => of::<1, 1>(program),
        (..=1, false) => of::<1, 0>(program),
        (2, _) => of::<2, 0>(program),
        (3 | 4, _) => of::<4, 0>(program),
        _ => of::<6, 0>(program),
    }
}

/// The board with its drawing. Only the identity is a symmetry, as the rules may not be symmetric under others.
fn topology(program: &Program) -> Topology {
    let checkered = program.stacking || figures::is_chess(&bases(program));
    let hands = program.hands.iter().map(|hand| usize::from(hand.size)).collect();
    let loops = (program.tracks.len() / 2) as u16;
    let whole = (0..program.sites as u32).collect();
    program.graph.topology(&Extras { hands, checkered, loops }, vec![whole])
}

/// The names of all pieces, without their owners' numbers.
fn bases(program: &Program) -> Vec<&str> {
    program.pieces[1..].iter().map(|kind| kind.base.as_str()).collect()
}

fn rule_of(program: &Program, class: u8) -> &super::program::Rule {
    &program.rules[usize::from(program.classes[usize::from(class)])]
}

/// Origins and destinations of the actions. Actions with the same sites are numbered.
fn steps(program: &Program) -> Vec<Step> {
    let mut met = std::collections::HashMap::new();
    let step = |action: &ActionKind| match *action {
        ActionKind::Sites { from, to, .. } if from == to => Step::placement(usize::from(to)),
        ActionKind::Sites { from, to, .. } => Step::movement(usize::from(from), usize::from(to)),
        ActionKind::Alone(_) | ActionKind::Pass | ActionKind::Swap => Step::default(),
    };
    let mut counted = |step: Step| {
        let count = met.entry(step).or_insert(0_u16);
        *count += 1;
        Step { aux: *count - 1, ..step }
    };
    program.actions.iter().map(|action| counted(step(action))).collect()
}

/// Names of the actions: `B3`, `A2-A3`, `A2xA4` for a capture beyond, `B3+` for a promotion, `pass`, `swap`.
fn names(program: &Program) -> Vec<String> {
    let mut met = std::collections::HashMap::new();
    let name = |action: &ActionKind| match *action {
        ActionKind::Sites { from, to, class } => sites_name(program, from, to, class),
        ActionKind::Alone(class) => match rule_of(program, class).change {
            Change::Propose(text) => format!("propose-{}", program.texts[usize::from(text)]),
            Change::Vote(text) => format!("vote-{}", program.texts[usize::from(text)]),
            _ => "stop".to_owned(),
        },
        ActionKind::Pass => "pass".to_owned(),
        ActionKind::Swap => "swap".to_owned(),
    };
    let mut different = |name: String| {
        let count = met.entry(name.clone()).or_insert(0_u32);
        *count += 1;
        if *count > 1 { format!("{name}/{count}") } else { name }
    };
    program.actions.iter().map(|action| different(name(action).replace(' ', "-"))).collect()
}

fn sites_name(program: &Program, from: u16, to: u16, class: u8) -> String {
    let site = |at: u16| program.site_name(usize::from(at));
    let rule = rule_of(program, class);
    match rule.change {
        Change::None if rule.kind == MoveKind::Promote => format!("{}+", site(to)),
        Change::Become(_) => format!("{}+", site(to)),
        Change::Take if from == to => format!("x{}", site(to)),
        _ if from == to => site(to),
        _ => format!("{}-{}", site(from), site(to)),
    }
}

impl DescribedGame {
    /// The compiled game.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The name of the game in lower case, with dashes for spaces.
    fn short_name(&self) -> String {
        let letters = self.program.name.to_lowercase();
        let words = letters.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }
}

impl Game for DescribedGame {
    fn name(&self) -> String {
        format!("ludeme {}", self.short_name())
    }
    fn start(&self) -> Box<dyn Position> {
        self.start.fork()
    }
    fn topology(&self) -> &Topology {
        &self.topology
    }
    fn action_count(&self) -> usize {
        self.program.actions.len()
    }
    fn action_name(&self, action: Action) -> String {
        self.names[action.index()].clone()
    }
    fn parse_action(&self, name: &str) -> Option<Action> {
        let name = name.to_lowercase();
        let found = self.by_name.binary_search_by(|(known, _)| known.as_str().cmp(&name)).ok()?;
        Some(self.by_name[found].1)
    }
    /// The number of an action that shares its name with others may be left out where only one of them is legal.
    fn read_move(&self, position: &dyn Position, text: &str) -> Option<Action> {
        let mut legal = Vec::new();
        position.actions(&mut legal);
        let exact = self.parse_action(text).filter(|action| legal.contains(action));
        let is_same = |action: &Action| {
            let name = &self.names[action.index()];
            let number = name.get(text.len()..).and_then(|rest| rest.strip_prefix('/'));
            number.is_some_and(|number| number.parse::<u32>().is_ok()) && name[..text.len()].eq_ignore_ascii_case(text)
        };
        exact.or_else(|| {
            let mut same = legal.into_iter().filter(is_same);
            same.next().filter(|_| same.next().is_none())
        })
    }
    fn site_name(&self, site: usize) -> String {
        self.program.site_name(site)
    }
    fn step(&self, action: Action) -> Step {
        self.steps[action.index()]
    }
    fn offsite(&self, action: Action) -> Option<Offsite> {
        match self.program.actions[action.index()] {
            ActionKind::Sites { .. } => None,
            ActionKind::Pass => Some(Offsite::Pass),
            ActionKind::Swap => Some(Offsite::Swap),
            ActionKind::Alone(class) => Some(match rule_of(&self.program, class).change {
                Change::Propose(text) => Offsite::Propose(text),
                Change::Vote(text) => Offsite::Vote(text),
                _ => Offsite::Pass,
            }),
        }
    }
    fn swap_scalar(&self) -> Option<usize> {
        self.program.swap.then_some(0)
    }
    fn pieces(&self) -> Vec<Piece> {
        let piece = |kind: usize| match self.program.pieces[kind].owner {
            0 => Piece::neutral(self.program.pieces[kind].shape),
            owner => Piece::new(Side::BOTH[usize::from(owner) - 1], self.program.pieces[kind].shape),
        };
        (1..self.program.pieces.len()).map(piece).collect()
    }
    fn kinds(&self) -> usize {
        let last = (1..self.program.pieces.len()).map(|kind| self.program.pieces[kind].shape).max();
        1 + last.map_or(0, usize::from)
    }
    fn keeps(&self) -> Lookback {
        Lookback { actions: 2, positions: 0 }
    }
    fn sign(&self, piece: Piece) -> char {
        let of = |kind: &&super::program::PieceKind| kind.shape == piece.kind();
        if self.kinds() == 1 || piece.is_empty() {
            return if piece.is_neutral() { '#' } else { crate::games::sign(piece.side()) };
        }
        let letter =
            self.program.pieces.iter().skip(1).find(of).and_then(|kind| kind.base.chars().next()).unwrap_or('?');
        match piece.side() {
            Some(Side::First) => letter.to_ascii_uppercase(),
            Some(Side::Second) => letter.to_ascii_lowercase(),
            None => '#',
        }
    }
    fn figure(&self, piece: Piece) -> Figure {
        let kind = self.program.pieces[1..].iter().find(|kind| kind.shape == piece.kind());
        kind.map_or(Figure::Stone, |kind| figures::figure(&kind.base, &bases(&self.program)))
    }
    fn goal(&self, side: Side) -> Vec<usize> {
        let joined = self.program.links.first().map(|link| link.regions[side.index() + 1].clone()).unwrap_or_default();
        let mut sites: Vec<usize> = joined
            .iter()
            .flat_map(|mask| self.program.masks[usize::from(mask.0)].sites().collect::<Vec<_>>())
            .collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
    fn read_position(&self, _: &str) -> Result<Box<dyn Position>, SetUpError> {
        Err(SetUpError::Unsupported)
    }
    /// None: sites have no order of rows, and pieces may stand in stacks.
    fn write_position(&self, _: &dyn Position) -> Option<String> {
        None
    }
}

/// The pieces of the start, on the board and in hands.
fn at_the_start(program: &Program) -> String {
    let placed = |on_board: bool| {
        let own = program.start.iter().filter(|placed| (usize::from(placed.site) < program.board_sites()) == on_board);
        own.map(|placed| u32::from(placed.count)).sum::<u32>()
    };
    let hands = if program.hands.is_empty() { String::new() } else { format!(", {} in hands", placed(false)) };
    format!("{} on the board{hands}", placed(true))
}

/// A summary of a description for display: players, board, pieces, phases, actions, ends.
#[must_use]
pub fn summary(program: &Program) -> Vec<(&'static str, String)> {
    let graph = &program.graph;
    let hands = program.hands.iter().map(|hand| format!(", a hand of {} for player {}", hand.size, hand.owner));
    let board = format!("{} {}{}", graph.sites(), graph.kind().plural(), hands.collect::<String>());
    let pieces: Vec<&str> = program.pieces[1..].iter().map(|piece| piece.name.as_str()).collect();
    let stacked = if program.stacking { "; they stand on one another" } else { "" };
    let phases: Vec<String> = program
        .phases
        .iter()
        .map(|phase| match phase.name.as_str() {
            "" => "one".to_owned(),
            name => name.to_owned(),
        })
        .collect();
    let ends: Vec<&str> = program
        .phases
        .iter()
        .flat_map(|phase| &phase.ends)
        .chain(&program.ends)
        .map(|end| match end.verdict {
            EndResult::Win(_) => "win",
            EndResult::Loss(_) => "loss",
            EndResult::Draw => "draw",
            EndResult::ByScore(_) => "by score",
        })
        .collect();
    let swap = if program.swap { ", a swap among them" } else { "" };
    let options = program.options.iter().map(|(heading, items)| format!("{heading} ({})", items.join(", ")));
    vec![
        ("players", "2".to_owned()),
        ("board", board),
        ("pieces", format!("{}{stacked}", pieces.join(", "))),
        ("at the start", at_the_start(program)),
        ("phases", phases.join(", ")),
        ("actions", format!("{}{swap}", program.actions.len())),
        ("ends", if ends.is_empty() { "by limits only".to_owned() } else { ends.join(", ") }),
        ("options", options.collect::<Vec<_>>().join(", ")),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    .collect()
}
