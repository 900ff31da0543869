//! Lowers sets of sites.

use super::super::program::{Dirs, Int, Mask, Region, RegionId, Register, Who};
use super::super::schema::{Argument, IntWord, RegionWord, Role, Tree, Word};
use super::super::text::Node;
use super::{Lowering, directions, equipment};

impl Lowering {
    /// Lowers a set of sites; a single site is a set of one.
    pub(super) fn lower_region(&mut self, argument: &Argument) -> RegionId {
        match argument {
            Argument::Tree(tree) => match tree.word {
                Word::Region(word) => self.region_word(word, tree),
                Word::Int(IntWord::Where) => self.sites_of(tree),
                _ => {
                    let site = self.lower_int(argument);
                    match self.int_of(site) {
                        Int::Const(site) => self.known(Mask::of(usize::try_from(site).ok())),
                        _ => self.region(Region::Single(site)),
                    }
                }
            },
            Argument::Value(node) => self.listed(node),
        }
    }

    /// The sites of the pieces named by `(where "Name" ...)` or `(id "Name" ...)`.
    pub(super) fn sites_of(&mut self, tree: &Tree) -> RegionId {
        if tree.word != Word::Int(IntWord::Where) && tree.word != Word::Int(IntWord::Id) {
            self.error(tree.place, "here a piece is expected: `\"Name\"` or `(id \"Name\" ...)`");
            return RegionId(0);
        }
        let kinds = self.kinds_by_mover(tree, "text");
        let all = kinds[1] | kinds[2];
        let neutral =
            self.program.pieces.iter().enumerate().all(|(kind, piece)| all >> kind & 1 == 0 || piece.owner == 0);
        let who = match tree.text("role").and_then(Role::read) {
            _ if neutral => Who::Colour(0),
            _ if kinds[1] == kinds[2] => Who::Both,
            Some(Role::Mover) => Who::Mover,
            _ => Who::Opponent,
        };
        self.region(Region::Kinds(who, all))
    }

    /// Sites by label, number or name.
    fn listed(&mut self, node: &Node) -> RegionId {
        let empty = self.known(Mask::default());
        if !node.items().is_empty() {
            return node.items().iter().fold(empty, |all, item| {
                let more = self.listed(item);
                self.or(all, more)
            });
        }
        let argument = Argument::Value(node.clone());
        let text = argument.text().unwrap_or_default().to_owned();
        if let Some(region) = node.text().and_then(|name| self.region_named(name)) {
            return region;
        }
        let site = match (text.parse::<usize>(), Role::read(&text)) {
            (Ok(site), _) if site < self.program.sites => Some(site),
            (Ok(site), _) => {
                let most = self.program.sites;
                self.error(node.place, format!("there is no site {site}: the last one is {}", most - 1));
                None
            }
            (Err(_), Some(role)) => return self.owned(role, None, node.place),
            (Err(_), None) => self.coordinate(&text, &argument),
        };
        self.known(Mask::of(site))
    }

    fn region_word(&mut self, word: RegionWord, tree: &Tree) -> RegionId {
        let regions = self.program.graph.regions();
        let known: Option<&Vec<u16>> = match word {
            RegionWord::Top => Some(&regions.top),
            RegionWord::Bottom => Some(&regions.bottom),
            RegionWord::Left => Some(&regions.left),
            RegionWord::Right => Some(&regions.right),
            RegionWord::Corners => Some(&regions.corners),
            RegionWord::Centre => Some(&regions.centre),
            RegionWord::Outer | RegionWord::Perimeter => Some(&regions.outer),
            RegionWord::Inner => Some(&regions.inner),
            _ => None,
        };
        if let Some(sites) = known {
            let mask = Mask::of(sites.iter().map(|&site| usize::from(site)));
            return self.known(mask);
        }
        match word {
            RegionWord::Empty => self.region(Region::Empty),
            RegionWord::Board => self.known(self.board()),
            RegionWord::Occupied => self.occupied(tree),
            RegionWord::Side => self.side(tree),
            RegionWord::Phase | RegionWord::Column | RegionWord::Row => self.numbered(word, tree),
            RegionWord::Around => self.around(tree),
            RegionWord::Direction => {
                let from = self.site_or_last(tree.get("from"));
                self.in_directions(from, tree.get("dirs"), true)
            }
            RegionWord::Hand => {
                let who = self.role_of(tree, Who::Mover);
                self.hand_sites(who)
            }
            RegionWord::OfRole => {
                let role = tree.text("role").and_then(Role::read).unwrap_or(Role::Each);
                self.owned(role, tree.text("name"), tree.place)
            }
            RegionWord::Named => self.region_or_none(tree.get("text")),
            RegionWord::Listed => self.folded(tree, "sites", Lowering::or),
            RegionWord::Union => self.folded(tree, "region", Lowering::or),
            RegionWord::Intersection => self.folded(tree, "region", Lowering::and),
            RegionWord::Difference => {
                let [a, b] = ["a", "b"].map(|name| tree.get(name).map_or(RegionId(0), |part| self.lower_region(part)));
                let rest = self.not(b);
                self.and(a, rest)
            }
            RegionWord::Expand => self.expand(tree),
            RegionWord::ForEachSite | RegionWord::Those => {
                let of = tree.get("sites").map_or(RegionId(0), |sites| self.lower_region(sites));
                let condition = self.optional_bool(tree.get("if"));
                self.filtered(of, Register::Site, condition)
            }
            RegionWord::Top
            | RegionWord::Bottom
            | RegionWord::Left
            | RegionWord::Right
            | RegionWord::Corners
            | RegionWord::Centre
            | RegionWord::Outer
            | RegionWord::Inner
            | RegionWord::Perimeter => RegionId(0),
        }
    }

    /// All arguments of a parameter, combined.
    fn folded(
        &mut self,
        tree: &Tree,
        name: &str,
        join: impl Fn(&mut Lowering, RegionId, RegionId) -> RegionId,
    ) -> RegionId {
        let parts: Vec<RegionId> = tree.all(name).map(|part| self.lower_region(part)).collect();
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_else(|| self.known(Mask::default()));
        parts.fold(first, |all, part| join(self, all, part))
    }

    fn occupied(&mut self, tree: &Tree) -> RegionId {
        let who = tree.text("by").and_then(Role::read).map_or(Who::Both, |role| self.who(role));
        let names: Vec<String> = tree
            .all("components")
            .chain(tree.get("component"))
            .filter_map(|name| name.text().map(str::to_owned))
            .collect();
        let kinds = names.iter().fold(0, |kinds, name| kinds | self.kinds(name, None, tree.place));
        match tree.get("container").map(|container| container.text().unwrap_or_default().to_owned()).as_deref() {
            None | Some("Board") if names.is_empty() && tree.text("by") == Some("All") => self.region(Region::Occupied),
            None | Some("Board") => {
                self.region(if names.is_empty() { Region::Own(who) } else { Region::Kinds(who, kinds) })
            }
            Some("Hand") => self.kept(who, Some(kinds).filter(|_| !names.is_empty())),
            Some(_) => {
                self.error(tree.place, "of containers `\"Board\"` and `\"Hand\"` are read here");
                RegionId(0)
            }
        }
    }

    /// All sites of a hand.
    fn hand_sites(&mut self, who: Who) -> RegionId {
        let of = |owner: u8| {
            let hands = self.program.hands.iter().filter(move |hand| hand.owner == owner);
            Mask::of(hands.flat_map(|hand| usize::from(hand.first)..usize::from(hand.first + hand.size)))
        };
        let masks = [0, 1, 2].map(of).map(|mask| self.mask(mask));
        self.region(Region::MaskOf(who, masks))
    }

    /// The occupied sites of a hand, or those with pieces of these kinds.
    fn kept(&mut self, who: Who, kinds: Option<u64>) -> RegionId {
        let hand = self.region(Region::Hand(who));
        let Some(kinds) = kinds else { return hand };
        let site = self.register(Register::Site);
        let what = self.int(Int::WhatAt(site));
        let mut fits = self.truth(false);
        for kind in (0..self.program.pieces.len()).filter(|kind| kinds >> kind & 1 != 0) {
            let number = self.constant(kind as i32);
            let same = self.bool(super::Bool::Equal(what, number));
            fits = self.bool(super::Bool::Or(same, fits));
        }
        self.region(Region::Filter(hand, Register::Site, fits))
    }

    fn side(&mut self, tree: &Tree) -> RegionId {
        let point = tree.get("dirs").and_then(|dirs| self.point(dirs));
        let sites =
            point.map_or_else(Vec::new, |point| self.program.graph.regions().side(directions::compass(point)).to_vec());
        if sites.is_empty() && point.is_some() {
            let sides: Vec<String> =
                self.program.graph.regions().sides.iter().map(|(side, _)| format!("{side:?}")).collect();
            self.error(tree.place, format!("this board has no such side; it has {}", sides.join(", ")));
        }
        self.known(Mask::of(sites.into_iter().map(usize::from)))
    }

    fn numbered(&mut self, word: RegionWord, tree: &Tree) -> RegionId {
        let number = self.int_or(tree.get("int"), 0);
        if word == RegionWord::Phase {
            let Int::Const(phase) = self.int_of(number) else {
                self.error(tree.place, "here a plain number is expected");
                return RegionId(0);
            };
            let sites = self.program.graph.regions().phase(phase as u8);
            return self.known(Mask::of(sites.into_iter().map(usize::from)));
        }
        let line = usize::from(word == RegionWord::Row);
        let lines: Vec<Mask> = self
            .program
            .graph
            .lines(line)
            .iter()
            .map(|line| Mask::of(line.iter().map(|&site| usize::from(site))))
            .collect();
        match self.int_of(number) {
            Int::Const(number) => {
                let mask = usize::try_from(number).ok().and_then(|number| lines.get(number).copied());
                self.known(mask.unwrap_or_default())
            }
            // A line number computed during play: the sites near the site of that number.
            _ => {
                let mut near = lines;
                near.resize(self.program.board_sites().max(near.len()), Mask::default());
                let near = self.near(near);
                self.region(Region::Near(number, [near; 3]))
            }
        }
    }

    fn around(&mut self, tree: &Tree) -> RegionId {
        let near = match tree.get("place") {
            Some(place @ Argument::Tree(Tree { word: Word::Region(_), .. })) => self.around_all(place, tree),
            place => {
                let at = self.site_or_last(place);
                self.in_directions(at, tree.get("dirs"), false)
            }
        };
        let near = match tree.get("own") {
            Some(_) => {
                let own = self.region(Region::Own(Who::Mover));
                self.and(near, own)
            }
            None => near,
        };
        let condition = self.optional_bool(tree.get("if"));
        self.filtered(near, Register::To, condition)
    }

    /// The neighbours of a set of sites, without the set itself.
    fn around_all(&mut self, place: &Argument, tree: &Tree) -> RegionId {
        let of = self.lower_region(place);
        if let Region::Single(site) = self.region_of(of) {
            return self.in_directions(site, tree.get("dirs"), false);
        }
        let near = self.neighbours(tree.get("dirs"), tree.place);
        let once = self.constant(1);
        let wide = self.region(Region::Expand(of, near, once));
        let others = self.not(of);
        self.and(wide, others)
    }

    /// The sites in these directions from a site: the next one, or all to the edge.
    fn in_directions(&mut self, from: super::IntId, dirs: Option<&Argument>, far: bool) -> RegionId {
        let dirs = self.lower_dirs(dirs);
        match (self.near_of(dirs, far), self.int_of(from)) {
            (Some([_, one, other]), Int::Const(site)) if one == other => {
                let near = &self.program.near[usize::from(one.0)];
                let mask = usize::try_from(site).ok().and_then(|site| near.get(site).copied()).unwrap_or_default();
                self.known(mask)
            }
            (Some(near), _) => self.region(Region::Near(from, near)),
            (None, _) => self.region(Region::Ray(from, dirs, far)),
        }
    }

    /// The regions of an owner, all of them or those of a name.
    fn owned(&mut self, role: Role, name: Option<&str>, place: super::SourcePlace) -> RegionId {
        let of = |this: &mut Lowering, owner: u8| equipment::union(&this.parts_of(owner, name));
        let masks = match Lowering::role_number(role) {
            Some(owner) => [of(self, owner); 3],
            None => [Mask::default(), of(self, 1), of(self, 2)],
        };
        if masks[1] == Mask::default() && masks[2] == Mask::default() {
            let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
            self.error(place, format!("no region{name} belongs to that role: `(regions P1 (sites Top))` makes one"));
        }
        if masks[1] == masks[2] || role == Role::Each {
            return self.known(equipment::union(&masks));
        }
        let who = self.who(role);
        let masks = masks.map(|mask| self.mask(mask));
        self.region(Region::MaskOf(who, masks))
    }

    fn expand(&mut self, tree: &Tree) -> RegionId {
        let of = tree.get("sites").map_or(RegionId(0), |sites| self.lower_region(sites));
        let near = self.neighbours(tree.get("dirs"), tree.place);
        let steps = self.int_or(tree.get("steps"), 1);
        let (Region::Mask(mask), Int::Const(count)) = (self.region_of(of), self.int_of(steps)) else {
            return self.region(Region::Expand(of, near, steps));
        };
        let table = self.program.near[usize::from(near.0)].clone();
        let wider = |mask: Mask| {
            equipment::union(
                &mask.sites().filter_map(|site| table.get(site).copied()).chain([mask]).collect::<Vec<_>>(),
            )
        };
        let wide = (0..count.clamp(0, 64)).fold(self.mask_of(mask), |mask, _| wider(mask));
        self.known(wide)
    }

    /// The directions by colour, if they do not change during play.
    pub(super) fn is_fixed(&self, dirs: super::DirsId) -> Option<[u16; 3]> {
        match self.program.dirs[usize::from(dirs.0)] {
            Dirs::Fixed(bits) => Some(bits),
            Dirs::Same | Dirs::Opposite | Dirs::Towards(..) => None,
        }
    }
}
