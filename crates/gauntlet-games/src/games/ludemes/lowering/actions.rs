//! Numbering of a game's actions: all pairs of sites that a rule may join, and actions without sites.

use std::collections::BTreeSet;

use super::super::program::{ActionKind, Change, Int, IntId, Mask, Moves, MovesId, Region, RegionId, Register};
use super::super::text::SourcePlace;
use super::{Lowering, directions, equipment};

/// Maximum number of actions of a game.
const MOST_ACTIONS: usize = 300_000;

impl Lowering {
    /// Numbers the actions: those with sites by origin, destination and class; then those without sites, a pass, and
    /// a swap.
    pub(super) fn number_actions(&mut self, place: SourcePlace) {
        self.check_stacks(place);
        if !self.wrong.is_empty() {
            return;
        }
        let mut found = BTreeSet::new();
        let mut alone = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for phase in 0..self.program.phases.len() {
            self.collect(self.program.phases[phase].play, &mut seen, &mut found, &mut alone);
        }
        if found.len() > MOST_ACTIONS {
            return self
                .error(place, format!("the game has {} actions; at most {MOST_ACTIONS} can be numbered", found.len()));
        }
        let numbered = found.into_iter().map(|(from, to, class)| ActionKind::Sites { from, to, class });
        let plain = |class: &u8| {
            let rule = &self.program.rules[usize::from(self.program.classes[usize::from(*class)])];
            let nothing = |effect: super::EffectId| self.program.effects[usize::from(effect.0)] == super::Effect::None;
            rule.change == Change::None && nothing(rule.then) && nothing(rule.before)
        };
        let alone: Vec<ActionKind> = alone.into_iter().filter(|class| !plain(class)).map(ActionKind::Alone).collect();
        let swap = self.program.swap.then_some(ActionKind::Swap);
        self.program.actions = numbered.chain(alone).chain([ActionKind::Pass]).chain(swap).collect();
    }

    fn collect(
        &self,
        moves: MovesId,
        seen: &mut BTreeSet<u16>,
        found: &mut BTreeSet<(u16, u16, u8)>,
        alone: &mut BTreeSet<u8>,
    ) {
        if !seen.insert(moves.0) || found.len() > MOST_ACTIONS {
            return;
        }
        let class = |rule: u8| self.program.rules[usize::from(rule)].class;
        let mut pairs = |rule: u8, from: Mask, to: &dyn Fn(usize) -> Mask| {
            for from in from.sites() {
                found.extend(to(from).sites().map(|to| (from as u16, to as u16, class(rule))));
            }
        };
        match self.program.moves[usize::from(moves.0)] {
            Moves::None => {}
            Moves::On { rule, sites } => pairs(rule, self.bound(sites, None), &|from| Mask::of([from])),
            Moves::Alone { rule } => drop(alone.insert(class(rule))),
            Moves::Step { rule, dirs, .. } => pairs(rule, self.board(), &|from| self.reach(dirs, from, 1..2)),
            Moves::Slide { rule, dirs, .. } => pairs(rule, self.board(), &|from| self.reach(dirs, from, 1..usize::MAX)),
            Moves::Hop { rule, dirs, .. } => pairs(rule, self.board(), &|from| self.reach(dirs, from, 2..3)),
            Moves::Track { rule, .. } => pairs(rule, self.board(), &|from| self.along_tracks(from)),
            Moves::Any { rule, from, to } => {
                pairs(rule, self.bound(from, None), &|from| self.bound(to, Some(from)));
            }
            Moves::Pieces { table, .. } => {
                let row = self.program.tables[usize::from(table)].iter().flatten();
                row.for_each(|&moves| self.collect(moves, seen, found, alone));
            }
            Moves::Or(a, b) | Moves::Priority(a, b) | Moves::If(_, a, b) => {
                self.collect(a, seen, found, alone);
                self.collect(b, seen, found, alone);
            }
            Moves::Do(inner, ..) => self.collect(inner, seen, found, alone),
        }
    }

    /// The sites at these distances from a site, in any of these directions.
    fn reach(&self, dirs: super::DirsId, from: usize, steps: std::ops::Range<usize>) -> Mask {
        let bits = self.is_fixed(dirs).map_or(u16::MAX, |bits| bits.iter().fold(0, |all, bits| all | bits));
        let graph = &self.program.graph;
        let rays =
            (0..16).filter(|point| bits >> point & 1 != 0).map(|point| graph.ray(directions::compass(point), from));
        let within = |ray: &'_ [u16]| {
            ray.iter()
                .skip(steps.start - 1)
                .take(steps.end - steps.start)
                .map(|&site| usize::from(site))
                .collect::<Vec<_>>()
        };
        Mask::of(rays.flat_map(within))
    }

    fn along_tracks(&self, from: usize) -> Mask {
        let tracks = self.program.tracks.iter().filter(|track| track.sites.contains(&(from as u16)));
        Mask::of(tracks.flat_map(|track| track.sites.iter().map(|&site| usize::from(site))))
    }

    /// A superset of the sites in a set, with the register `From` known or unknown.
    fn bound(&self, region: RegionId, from: Option<usize>) -> Mask {
        let parts = |masks: &[Mask]| equipment::union(masks);
        let both = |a: &Mask, b: &Mask| a.with(b, |one, other| one & other);
        match self.region_of(region) {
            Region::Mask(mask) => self.mask_of(mask),
            Region::MaskOf(_, masks) => parts(&masks.map(|mask| self.mask_of(mask))),
            Region::And(a, b) => both(&self.bound(a, from), &self.bound(b, from)),
            Region::Or(a, b) => parts(&[self.bound(a, from), self.bound(b, from)]),
            Region::Filter(of, ..) => self.bound(of, from),
            Region::Hand(_) => Mask::of(self.program.board_sites()..self.program.sites),
            Region::Near(at, tables) if self.int_of(at) == Int::Register(Register::From) && from.is_some() => {
                let near =
                    |table: super::NearId| self.program.near[usize::from(table.0)].get(from.unwrap_or(0)).copied();
                parts(&tables.map(|table| near(table).unwrap_or_default()))
            }
            Region::Single(at) => self.single_bound(at, from),
            Region::Empty
            | Region::Occupied
            | Region::Own(_)
            | Region::Kinds(..)
            | Region::Near(..)
            | Region::Ray(..)
            | Region::Not(_)
            | Region::Expand(..)
            | Region::Visited => self.board(),
        }
    }

    fn single_bound(&self, at: IntId, from: Option<usize>) -> Mask {
        match (self.int_of(at), from) {
            (Int::Const(site), _) => Mask::of(usize::try_from(site).ok()),
            (Int::Register(Register::From), Some(from)) => Mask::of([from]),
            (Int::HandSite(..), _) => Mask::of(self.program.board_sites()..self.program.sites),
            _ => Mask::below(self.program.sites),
        }
    }
}
