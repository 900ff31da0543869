//! Lowers the equipment and the start: hands, pieces, regions, tables, and the initial position.

use super::super::program::{Hand, Int, IntId, MOST_SITES, Mask, PieceKind, Placed, Region, RegionId, Who};
use super::super::schema::{Argument, FrameWord, Role, Tree, Word};
use super::super::text::{SourcePlace, hint};
use super::{Lowering, NamedRegion};

/// Maximum number of kinds of pieces.
const MOST_KINDS: usize = 63;
/// Maximum height of a stack.
const HIGHEST: usize = 32;
/// Maximum number of sites of a game with stacks, and of kinds of its pieces.
const STACKED: [usize; 2] = [64, 15];
/// Maximum number of sites of hands.
const MOST_IN_HANDS: usize = 16;

impl Lowering {
    /// Lowers the equipment without the board.
    pub(super) fn equipment(&mut self, game: &Tree) {
        let none = PieceKind { name: String::new(), base: String::new(), owner: 0, shape: 0, moves: None };
        self.program.pieces.push(none);
        let items: Vec<&Tree> =
            game.tree("equipment").into_iter().flat_map(|equipment| equipment.trees("item")).collect();
        let of = |word: FrameWord| items.iter().copied().filter(move |item| item.word == Word::Frame(word));
        of(FrameWord::Hand).for_each(|item| self.hand(item));
        of(FrameWord::PieceKind).for_each(|item| self.piece(item));
        of(FrameWord::Regions).for_each(|item| self.named_region(item));
        of(FrameWord::Map).for_each(|item| self.map(item));
        for item in of(FrameWord::PieceKind) {
            self.piece_moves(item);
        }
    }

    fn owners(&mut self, item: &Tree) -> Vec<u8> {
        match item.text("role").and_then(Role::read) {
            None | Some(Role::Each) => vec![1, 2],
            Some(Role::Neutral) => vec![0],
            Some(Role::P1) => vec![1],
            Some(Role::P2) => vec![2],
            Some(Role::Mover | Role::Next | Role::Enemy) => {
                self.error(item.place, "what belongs to a player belongs to `P1`, `P2`, `Each` or `Neutral`");
                Vec::new()
            }
        }
    }

    fn hand(&mut self, item: &Tree) {
        let size = item.text("size").map_or(Some(1), |text| text.parse().ok()).filter(|size| (1..=8).contains(size));
        let Some(size) = size else { return self.error(item.place, "a hand has 1 to 8 sites") };
        for owner in self.owners(item) {
            let first = self.program.sites as u16;
            self.program.hands.push(Hand { owner, first, size });
            self.program.sites += usize::from(size);
        }
        let kept = self.program.sites - self.program.board_sites();
        if kept > MOST_IN_HANDS || self.program.sites > MOST_SITES {
            self.program.sites = self.program.board_sites();
            self.program.hands.clear();
            self.error(
                item.place,
                format!("hands have at most {MOST_IN_HANDS} sites, board and hands at most {MOST_SITES}"),
            );
        }
    }

    fn piece(&mut self, item: &Tree) {
        let base = item.text("text").unwrap_or_default().to_owned();
        self.face(item);
        for owner in self.owners(item) {
            let name = format!("{base}{owner}");
            if self.program.pieces.iter().any(|piece| piece.name == name) {
                self.error(item.place, format!("piece `{name}` is defined twice"));
            } else if self.program.pieces.len() > MOST_KINDS {
                self.error(item.place, format!("there are more than {MOST_KINDS} kinds of pieces"));
            } else {
                let known = &self.program.pieces;
                let same = known.iter().skip(1).find(|piece| piece.base == base).map(|piece| piece.shape);
                let next = known.iter().skip(1).map(|piece| piece.shape + 1).max().unwrap_or(0);
                let shape = same.unwrap_or(next);
                self.program.pieces.push(PieceKind { name, base: base.clone(), owner, shape, moves: None });
            }
        }
    }

    /// Records the direction that a piece faces: all pieces of a player face the same way.
    fn face(&mut self, item: &Tree) {
        let Some(point) = item.get("dirs").and_then(|dirs| self.point(dirs)) else { return };
        for owner in self.owners(item).into_iter().map(usize::from) {
            if self.facing[owner].is_some_and(|known| known != point) {
                self.error(item.place, "all pieces of a player must face the same way as this player's other pieces");
            }
            self.facing[owner] = Some(point);
        }
    }

    fn piece_moves(&mut self, item: &Tree) {
        let Some(written) = item.get("moves") else { return };
        let moves = self.lower_moves(written);
        let base = item.text("text").unwrap_or_default();
        let owners = self.owners(item);
        self.ways.resize(self.program.pieces.len(), None);
        for (piece, way) in self.program.pieces.iter_mut().zip(&mut self.ways) {
            if piece.base == base && owners.contains(&piece.owner) {
                piece.moves = Some(moves);
                *way = Some(written.clone());
            }
        }
    }

    fn named_region(&mut self, item: &Tree) {
        let owner = item.text("role").and_then(Role::read).unwrap_or(Role::Each);
        let parts = item.all("sites").map(|sites| self.known_mask(sites)).collect();
        self.regions.push(NamedRegion { name: item.text("name").map(str::to_owned), owner, parts });
    }

    fn map(&mut self, item: &Tree) {
        let mut entries = Vec::new();
        for pair in item.trees("pair") {
            let [key, value] = ["from", "to"].map(|name| pair.get(name).map_or(0, |argument| self.map_value(argument)));
            match usize::try_from(key).ok().filter(|&key| key < MOST_SITES) {
                Some(key) => {
                    entries.resize(entries.len().max(key + 1), -1);
                    entries[key] = value;
                }
                None => self.error(pair.place, "this cannot be a key of a table"),
            }
        }
        self.maps.push(item.text("name").map(str::to_owned));
        self.program.maps.push(entries);
    }

    /// A constant number: a number, a piece, a site or a player.
    fn map_value(&mut self, argument: &Argument) -> i32 {
        if let Argument::Tree(tree) = argument {
            let number = self.lower_int(argument);
            return self.known_int(number).unwrap_or_else(|| {
                self.error(tree.place, "values of a table must be known before the game begins");
                0
            });
        }
        let text = argument.text().unwrap_or_default();
        let piece = self.program.pieces.iter().skip(1).position(|piece| piece.name == text);
        let site = || self.program.graph.site(text).map(i32::from);
        let player = || [Role::Neutral, Role::P1, Role::P2].into_iter().position(|role| Role::read(text) == Some(role));
        let value = text.parse().ok().or(piece.map(|index| index as i32 + 1)).or_else(site);
        value.or_else(|| player().map(|player| player as i32)).unwrap_or_else(|| {
            self.error(argument.place(), format!("`{text}` is not a number, piece, site or player"));
            0
        })
    }

    /// The value of a number that is known before the game begins.
    fn known_int(&self, number: IntId) -> Option<i32> {
        match self.int_of(number) {
            Int::Const(value) => Some(value),
            Int::HandSite(Who::Colour(owner), index) => {
                let hand = self.program.hands.iter().find(|hand| hand.owner == owner)?;
                let index = self.known_int(index).filter(|index| (0..i32::from(hand.size)).contains(index))?;
                Some(i32::from(hand.first) + index)
            }
            _ => None,
        }
    }

    /// A set of sites that must be known before the game begins.
    pub(super) fn known_mask(&mut self, argument: &Argument) -> Mask {
        let region = self.lower_region(argument);
        match self.region_of(region) {
            Region::Mask(mask) => self.mask_of(mask),
            Region::Single(site) if self.known_int(site).is_some() => {
                Mask::of(self.known_int(site).and_then(|site| usize::try_from(site).ok()))
            }
            _ => {
                self.error(argument.place(), "these sites must be known before the game begins");
                Mask::default()
            }
        }
    }

    /// Sets of sites that belong to an owner, or have a name.
    pub(super) fn parts_of(&self, owner: u8, name: Option<&str>) -> Vec<Mask> {
        let owned = |role: Role| match role {
            Role::P1 => owner == 1,
            Role::P2 => owner == 2,
            Role::Neutral => owner == 0,
            Role::Each | Role::Mover | Role::Next | Role::Enemy => true,
        };
        let named = |region: &&NamedRegion| name.is_none_or(|name| region.name.as_deref() == Some(name));
        let fitting = self.regions.iter().filter(|region| owned(region.owner)).filter(named);
        fitting.flat_map(|region| region.parts.iter().copied()).collect()
    }

    /// The region of this name, of any owner.
    pub(super) fn region_named(&mut self, name: &str) -> Option<RegionId> {
        let own = self.regions.iter().filter(|region| region.name.as_deref() == Some(name));
        let parts: Vec<Mask> = own.flat_map(|region| region.parts.iter().copied()).collect();
        (!parts.is_empty()).then(|| self.known(union(&parts)))
    }

    /// The kinds of pieces of this name, as a bit set; of an owner, or of all.
    pub(super) fn kinds(&mut self, name: &str, owner: Option<u8>, place: SourcePlace) -> u64 {
        let fits = |piece: &PieceKind| piece.name == name || piece.base == name;
        let of = |piece: &PieceKind| piece.name == name || owner.is_none_or(|owner| piece.owner == owner);
        let kinds = self.program.pieces.iter().enumerate().skip(1);
        let found = kinds.filter(|(_, piece)| fits(piece) && of(piece)).fold(0, |bits, (index, _)| bits | 1 << index);
        if !self.program.pieces.iter().skip(1).any(fits) {
            let known = self.program.pieces.iter().skip(1).flat_map(|piece| [&*piece.base, &*piece.name]);
            let near = hint(name, known);
            self.error(place, format!("there is no piece `{name}`{near}"));
        }
        found
    }

    /// Lowers the start.
    pub(super) fn start(&mut self, start: &Tree) {
        for rule in start.trees("startrule") {
            let name = rule.text("text").unwrap_or_default().to_owned();
            let kinds = self.kinds(&name, None, rule.place);
            let count = self.start_count(rule);
            if rule.text("sites") == Some("Hand") {
                self.place_in_hands(kinds, count, rule.place);
                continue;
            }
            if kinds != 0 && !kinds.is_power_of_two() {
                self.error(rule.place, format!("`{name}` lacks the player's number: write `{name}1`"));
            }
            let Some(sites) = rule.get("sites").or(rule.get("coord")) else { continue };
            let sites = self.known_mask(sites);
            let piece = kinds.trailing_zeros() as u8;
            let placed = sites.sites().map(|site| Placed { site: site as u16, piece, count });
            self.program.start.extend(placed.filter(|_| kinds != 0));
        }
        self.check_start(start.place);
    }

    /// The number of pieces that a start rule places on each site.
    fn start_count(&mut self, rule: &Tree) -> u8 {
        let count = rule.text("count").map_or(Some(1), |text| text.parse().ok());
        count.unwrap_or_else(|| {
            self.error(rule.place, "`count:` is a number from 1 to 255");
            1
        })
    }

    /// Places pieces of these kinds on the first site of their owners' hands.
    fn place_in_hands(&mut self, kinds: u64, count: u8, place: SourcePlace) {
        for kind in (0..self.program.pieces.len()).filter(|kind| kinds >> kind & 1 != 0) {
            let owner = self.program.pieces[kind].owner;
            let hand = self.program.hands.iter().find(|hand| hand.owner == owner).map(|hand| hand.first);
            match hand {
                Some(site) => self.program.start.push(Placed { site, piece: kind as u8, count }),
                None => self.error(place, "their owner has no hand: add `(hand Each)` to the equipment"),
            }
        }
    }

    fn check_start(&mut self, place: SourcePlace) {
        let mut seen = Mask::default();
        for index in 0..self.program.start.len() {
            let site = usize::from(self.program.start[index].site);
            if seen.has(site) {
                let name = self.program.site_name(site);
                self.error(place, format!("two pieces stand on {name} at the start"));
                return;
            }
            seen = seen.with(&Mask::of([site]), |one, other| one | other);
        }
    }

    /// Checks the limits of stacks.
    pub(super) fn check_stacks(&mut self, place: SourcePlace) {
        let program = &self.program;
        let sizes =
            program.sites > STACKED[0] || program.pieces.len() > STACKED[1] + 1 || program.start.len() > HIGHEST;
        let added = program.rules.iter().any(|rule| matches!(rule.change, super::super::program::Change::Put(_)));
        if program.stacking && (sizes || added || !program.hands.is_empty()) {
            let [sites, kinds] = STACKED;
            self.error(place, format!(
                "stacks are for games with at most {sites} sites, {kinds} kinds and {HIGHEST} pieces, all placed at the start"
            ));
        }
    }
}

/// The union of sets of sites.
pub(super) fn union(parts: &[Mask]) -> Mask {
    parts.iter().fold(Mask::default(), |all, part| all.with(part, |one, other| one | other))
}
