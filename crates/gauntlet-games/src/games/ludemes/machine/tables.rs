//! A program with its sets in the words of one machine, and lookup tables for play.

use super::super::program::{ActionKind, Dirs, MaskId, MovesId, NearId, Program};
use super::super::topology::Compass;
use super::bits::Bits;
use super::shifts::{BoardShift, shifts};
use super::steady::{SteadyStep, steady_steps};

/// No site.
pub const NOWHERE: u16 = u16::MAX;
/// No action.
pub const NO_ACTION: u32 = u32::MAX;

/// A program prepared for sets of `W` words.
#[derive(Debug)]
pub struct Tables<const W: usize> {
    /// The program.
    pub program: Program,
    /// All sites of the board.
    pub board: Bits<W>,
    masks: Vec<Bits<W>>,
    near: Vec<Vec<Bits<W>>>,
    /// The next site, by compass direction and site.
    next: Vec<u16>,
    /// The number of an action, by class of rules and sites.
    numbers: Vec<Numbers>,
    /// The number of an action without sites, by class of rules.
    alone: Vec<u32>,
    /// The number of a pass.
    pub pass: u32,
    /// The number of a swap.
    pub swap: u32,
    /// Owner of every kind of piece.
    pub owner: Vec<u8>,
    towards: Vec<u8>,
    on_tracks: Vec<Vec<[u16; 2]>>,
    steady: Vec<Vec<SteadyStep>>,
    shifts: Vec<[Vec<BoardShift<W>>; 3]>,
}

/// Numbers of the actions of one class of rules.
#[derive(Debug)]
enum Numbers {
    /// By site: every action begins on the site where it ends.
    Sites(Vec<u32>),
    /// By both sites.
    Pairs(Vec<u32>),
}

impl<const W: usize> Tables<W> {
    /// The tables of a program.
    pub fn new(program: Program) -> Tables<W> {
        let near = program.near.iter().map(|near| near.iter().map(Bits::from_mask).collect()).collect();
        let graph = &program.graph;
        let steps = (0..16).flat_map(|point| (0..graph.sites()).map(move |site| (point, site)));
        let next = steps.map(|(point, site)| graph.step(Compass::N.turned(point), site).unwrap_or(NOWHERE)).collect();
        let find = |kind: ActionKind| {
            program.actions.iter().position(|action| *action == kind).map_or(NO_ACTION, |index| index as u32)
        };
        let pass = find(ActionKind::Pass);
        let alone = (0..program.classes.len()).map(|class| match find(ActionKind::Alone(class as u8)) {
            NO_ACTION => pass,
            action => action,
        });
        let generators = (0..program.moves.len()).map(|id| MovesId(id as u16));
        Tables {
            board: Bits::from_mask(&super::super::program::Mask::below(graph.sites())),
            masks: program.masks.iter().map(Bits::from_mask).collect(),
            near,
            next,
            numbers: (0..program.classes.len()).map(|class| Numbers::new(&program, class as u8)).collect(),
            alone: alone.collect(),
            pass,
            swap: find(ActionKind::Swap),
            owner: program.pieces.iter().map(|piece| piece.owner).collect(),
            towards: towards(&program),
            on_tracks: on_tracks(&program),
            steady: generators.clone().map(|id| steady_steps(&program, id)).collect(),
            shifts: generators.map(|id| shifts(&program, id)).collect(),
            program,
        }
    }

    /// A set known at compile time.
    #[inline]
    pub fn mask(&self, mask: MaskId) -> &Bits<W> {
        &self.masks[usize::from(mask.0)]
    }

    /// The neighbours of a site; empty if the site does not exist.
    #[inline]
    pub fn near(&self, near: NearId, site: i32) -> Bits<W> {
        let table = &self.near[usize::from(near.0)];
        usize::try_from(site).ok().and_then(|site| table.get(site)).copied().unwrap_or(Bits::EMPTY)
    }

    /// The next site in a direction, or `u16::MAX`.
    #[inline]
    pub fn next(&self, point: usize, site: usize) -> u16 {
        self.next[point * self.program.board_sites() + site]
    }

    /// The direction from a site to another on a ray from it, if there is one.
    #[inline]
    pub fn towards(&self, from: i32, to: i32) -> Option<usize> {
        let sites = self.program.board_sites();
        let [from, to] = [usize::try_from(from).ok()?, usize::try_from(to).ok()?];
        let point = self.towards.get(from * sites + to).filter(|_| to < sites)?;
        (*point < 16).then_some(usize::from(*point))
    }

    /// The steps of a generator, if they are the same for every piece; else empty.
    #[inline]
    pub fn steady(&self, generator: MovesId) -> &[SteadyStep] {
        &self.steady[usize::from(generator.0)]
    }

    /// The steps of a generator for a colour's pieces as shifts of the whole board, if available; else empty.
    #[inline]
    pub fn shifts(&self, generator: MovesId, colour: u8) -> &[BoardShift<W>] {
        &self.shifts[usize::from(generator.0)][usize::from(colour)]
    }

    /// The places of a site on the tracks: track and place.
    #[inline]
    pub fn on_tracks(&self, site: i32) -> &[[u16; 2]] {
        usize::try_from(site).ok().and_then(|site| self.on_tracks.get(site)).map_or(&[], Vec::as_slice)
    }

    /// The site that a hop from a site to another goes over.
    pub fn hopped(&self, from: u16, to: u16) -> u16 {
        let over = (0..16).map(|point| (point, self.next(point, usize::from(from))));
        let over = over.filter(|&(point, over)| over != NOWHERE && self.next(point, usize::from(over)) == to);
        over.map(|(_, over)| over).next().unwrap_or(NOWHERE)
    }

    /// The number of an action by the class of its rule and its sites.
    #[inline]
    pub fn number(&self, class: u8, from: u16, to: u16) -> u32 {
        if from == NOWHERE {
            return self.alone[usize::from(class)];
        }
        match &self.numbers[usize::from(class)] {
            Numbers::Sites(numbers) => numbers[usize::from(from)],
            Numbers::Pairs(numbers) => numbers[usize::from(from) * self.program.sites + usize::from(to)],
        }
    }
}

/// The direction from every site to every other, 16 if there is none; empty if no rule needs it.
fn towards(program: &Program) -> Vec<u8> {
    if program.dirs.iter().all(|dirs| matches!(dirs, Dirs::Fixed(_))) {
        return Vec::new();
    }
    let sites = program.board_sites();
    let mut towards = vec![16; sites * sites];
    for (point, from) in (0..16_u8).flat_map(|point| (0..sites).map(move |from| (point, from))) {
        for &to in program.graph.ray(Compass::N.turned(i32::from(point)), from) {
            let known = &mut towards[from * sites + usize::from(to)];
            *known = (*known).min(point);
        }
    }
    towards
}

/// The places of every site on the tracks.
fn on_tracks(program: &Program) -> Vec<Vec<[u16; 2]>> {
    let mut places = vec![Vec::new(); if program.tracks.is_empty() { 0 } else { program.board_sites() }];
    for (number, track) in program.tracks.iter().enumerate() {
        let sites = track.sites.iter().enumerate();
        sites.for_each(|(place, &site)| places[usize::from(site)].push([number as u16, place as u16]));
    }
    places
}

impl Numbers {
    fn new(program: &Program, class: u8) -> Numbers {
        let sites = program.sites;
        let of = |action: &ActionKind| match *action {
            ActionKind::Sites { from, to, class: own } if own == class => Some((usize::from(from), usize::from(to))),
            ActionKind::Sites { .. } | ActionKind::Alone(_) | ActionKind::Pass | ActionKind::Swap => None,
        };
        let own = || {
            program
                .actions
                .iter()
                .zip(0..)
                .filter_map(|(action, number)| of(action).map(|(from, to)| (from, to, number)))
        };
        if own().all(|(from, to, _)| from == to) {
            let mut numbers = vec![NO_ACTION; sites];
            own().for_each(|(from, _, number)| numbers[from] = number);
            return Numbers::Sites(numbers);
        }
        let mut numbers = vec![NO_ACTION; sites * sites];
        own().for_each(|(from, to, number)| numbers[from * sites + to] = number);
        Numbers::Pairs(numbers)
    }
}
