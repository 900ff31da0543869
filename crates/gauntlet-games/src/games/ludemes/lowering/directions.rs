//! Lowers directions: words become compass directions, for each colour separately.

use super::super::program::{Dirs, DirsId, IntId, Mask, NearId, Region, RegionId, Register};
use super::super::schema::{Argument, COMPASS, DirsWord, Tree, Word, direction};
use super::super::text::Node;
use super::super::topology::{Compass, Relation};
use super::Lowering;

/// The number of a compass direction.
fn number(point: Compass) -> u8 {
    point as u8
}

fn bits(points: &[Compass]) -> u16 {
    points.iter().fold(0, |bits, &point| bits | 1 << number(point))
}

impl Lowering {
    /// The compass direction that one word names.
    pub(super) fn point(&mut self, argument: &Argument) -> Option<u8> {
        let point = argument.text().and_then(|word| COMPASS.iter().position(|name| *name == word));
        if point.is_none() {
            self.error(argument.place(), "here a point of the compass is expected, such as `N`");
        }
        point.map(|point| point as u8)
    }

    /// Lowers directions, or those of a relation if none are given.
    pub(super) fn lower_dirs(&mut self, argument: Option<&Argument>) -> DirsId {
        let dirs = match argument {
            None => Dirs::Fixed([bits(self.program.graph.directions(Relation::Adjacent)); 3]),
            Some(Argument::Tree(tree)) => return self.directions(tree),
            Some(Argument::Value(node)) => {
                let words: Vec<String> = match node.items() {
                    [] => argument.and_then(Argument::text).into_iter().map(str::to_owned).collect(),
                    items => items.iter().filter_map(|item| item.word()).map(str::to_owned).collect(),
                };
                self.named_directions(&words, node.place)
            }
        };
        self.dirs(dirs)
    }

    fn directions(&mut self, tree: &Tree) -> DirsId {
        let dirs = match tree.word {
            Word::Dirs(DirsWord::Towards) => {
                let [from, to] = ["from", "to"].map(|name| self.site_or_last(tree.get(name)));
                Dirs::Towards(from, to)
            }
            _ => return self.lower_dirs(tree.get("dirs")),
        };
        self.dirs(dirs)
    }

    /// Converts directions relative to the last move into directions relative to the current move.
    pub(super) fn of_this_move(&mut self, dirs: DirsId) -> DirsId {
        let [from, to] = [Register::From, Register::To].map(|register| self.register(register));
        match self.program.dirs[usize::from(dirs.0)] {
            Dirs::Same => self.dirs(Dirs::Towards(from, to)),
            Dirs::Opposite => self.dirs(Dirs::Towards(to, from)),
            Dirs::Fixed(_) | Dirs::Towards(..) => dirs,
        }
    }

    fn named_directions(&mut self, words: &[String], place: super::SourcePlace) -> Dirs {
        match words {
            [only] if only == "SameDirection" => return Dirs::Same,
            [only] if only == "OppositeDirection" => return Dirs::Opposite,
            _ => {}
        }
        let mut all = [0; 3];
        for word in words {
            match direction(word) {
                Some("SameDirection" | "OppositeDirection") | None => {
                    self.error(place, format!("`{word}` cannot stand beside other directions"));
                }
                Some(word) => {
                    let more = self.word_directions(word, place);
                    all = std::array::from_fn(|colour| all[colour] | more[colour]);
                }
            }
        }
        Dirs::Fixed(all)
    }

    /// The directions of a word, by colour.
    fn word_directions(&mut self, word: &str, place: super::SourcePlace) -> [u16; 3] {
        let graph = &self.program.graph;
        let relation = |relation| [bits(graph.directions(relation)); 3];
        match word {
            "All" => relation(Relation::All),
            "Adjacent" => relation(Relation::Adjacent),
            "Orthogonal" => relation(Relation::Orthogonal),
            "Diagonal" => relation(Relation::Diagonal),
            _ => match COMPASS.iter().position(|name| *name == word) {
                Some(point) => [1 << point; 3],
                None => self.turned_directions(word, place),
            },
        }
    }

    /// A direction from the mover's point of view.
    fn turned_directions(&mut self, word: &str, place: super::SourcePlace) -> [u16; 3] {
        if self.facing == [None; 3] {
            self.error(
                place,
                format!("`{word}` needs players that face somewhere: `(players {{ (player N) (player S) }})`"),
            );
        }
        self.facing.map(|facing| facing.map_or(0, |facing| self.facing_directions(word, facing)))
    }

    /// The directions of a word for a player who faces a compass direction.
    fn facing_directions(&self, word: &str, facing: u8) -> u16 {
        let quarters = ["Forwards", "Rightwards", "Backwards", "Leftwards"].iter().position(|known| *known == word);
        let Some(quarters) = quarters else { return 1 << self.turned(word, facing) };
        let middle = (facing + 4 * quarters as u8) % 16;
        let ahead = (13..=19).map(|turn| 1 << ((middle + turn) % 16)).fold(0, |all: u16, point: u16| all | point);
        ahead & bits(self.program.graph.directions(Relation::Adjacent))
    }

    /// The destinations of the walks of a leap, for every site and by colour.
    pub(super) fn walks(&mut self, tree: &Tree) -> [NearId; 3] {
        let walks = tree.get("walk").map_or_else(Vec::new, walks_of);
        let around: Vec<u8> =
            self.program.graph.directions(Relation::Orthogonal).iter().map(|&point| number(point)).collect();
        let turns = tree.text("rotations").is_none_or(|word| word.eq_ignore_ascii_case("true"));
        let forward = tree.flag("forward");
        if (forward || !turns) && self.facing == [None; 3] {
            self.error(
                tree.place,
                "this leap needs players that face somewhere: `(players { (player N) (player S) })`",
            );
        }
        self.facing.map(|facing| {
            let begins = if turns { around.clone() } else { facing.into_iter().collect() };
            let ends = |site: usize| {
                let all = walks.iter().flat_map(|walk| begins.iter().map(move |&begin| (walk, begin)));
                let ends = all.filter_map(|(walk, begin)| self.walk_end(walk, begin, &around, site));
                Mask::of(ends.filter(|&end| !forward || facing.is_some_and(|facing| self.is_ahead(facing, site, end))))
            };
            let near = (0..self.program.graph.sites()).map(ends).collect();
            self.near(near)
        })
    }

    /// Whether one site lies ahead of another for a player who faces a compass direction.
    fn is_ahead(&self, facing: u8, from: usize, to: usize) -> bool {
        let [from, to] = [from, to].map(|site| self.program.graph.places()[site]);
        let angle = f64::from(facing) * std::f64::consts::TAU / 16.0;
        (to[0] - from[0]) * angle.sin() + (to[1] - from[1]) * angle.cos() > 1e-6
    }

    /// The sites within a number of steps from a site, in fixed directions.
    pub(super) fn within_steps(&mut self, site: IntId, dirs: DirsId, most: usize) -> Option<RegionId> {
        let Dirs::Fixed(bits) = self.program.dirs[usize::from(dirs.0)] else { return None };
        let near = bits.map(|bits| {
            let graph = &self.program.graph;
            let rays = |from: usize| {
                let points = (0..16_u8).filter(|point| bits >> point & 1 != 0).map(compass);
                Mask::of(points.flat_map(|point| graph.ray(point, from).iter().take(most)).map(|&at| usize::from(at)))
            };
            let near = (0..graph.sites()).map(rays).collect();
            self.near(near)
        });
        Some(self.region(Region::Near(site, near)))
    }

    /// The end of a walk from a site that begins in a direction.
    fn walk_end(&self, walk: &[char], begin: u8, around: &[u8], from: usize) -> Option<usize> {
        let mut turn = around.iter().position(|&point| point == begin)?;
        let mut site = from;
        for step in walk {
            match step {
                'R' => turn = (turn + 1) % around.len(),
                'L' => turn = (turn + around.len() - 1) % around.len(),
                _ => site = usize::from(self.program.graph.step(compass(around[turn]), site)?),
            }
        }
        Some(site)
    }

    fn turned(&self, word: &str, facing: u8) -> u8 {
        let quarter = |quarters: u8| (facing + 4 * quarters) % 16;
        match word {
            "Forward" => facing,
            "Rightward" => quarter(1),
            "Backward" => quarter(2),
            "Leftward" => quarter(3),
            "FR" => self.beside(facing, 1),
            "FL" => self.beside(facing, 15),
            "BR" => self.beside(quarter(2), 15),
            _ => self.beside(quarter(2), 1),
        }
    }

    /// The next direction of the board, clockwise (1) or counter-clockwise (15).
    fn beside(&self, from: u8, turn: u8) -> u8 {
        let graph = &self.program.graph;
        let all = bits(graph.directions(Relation::Adjacent));
        let turned = |steps: u8| (u16::from(from) + u16::from(turn) * u16::from(steps)) as u8 % 16;
        (1..16).map(turned).find(|&point| all >> point & 1 != 0).unwrap_or(from)
    }

    /// The next site in each of these directions, for every site.
    pub(super) fn steps(&mut self, bits: u16) -> NearId {
        let graph = &self.program.graph;
        let points = || (0..16_u8).filter(|point| bits >> point & 1 != 0).map(compass);
        let near = |site: usize| Mask::of(points().filter_map(|point| graph.step(point, site)).map(usize::from));
        let near = (0..graph.sites()).map(near).collect();
        self.near(near)
    }

    /// All sites in these directions, for every site.
    pub(super) fn rays(&mut self, bits: u16) -> NearId {
        let graph = &self.program.graph;
        let points = || (0..16_u8).filter(|point| bits >> point & 1 != 0).map(compass);
        let near = |site: usize| Mask::of(points().flat_map(|point| graph.ray(point, site)).map(|&at| usize::from(at)));
        let near = (0..graph.sites()).map(near).collect();
        self.near(near)
    }

    /// The neighbours of every site in fixed directions, by colour.
    pub(super) fn near_of(&mut self, dirs: DirsId, far: bool) -> Option<[NearId; 3]> {
        let Dirs::Fixed(bits) = self.program.dirs[usize::from(dirs.0)] else { return None };
        Some(bits.map(|bits| if far { self.rays(bits) } else { self.steps(bits) }))
    }

    /// The neighbours of every site in directions that are the same for both colours.
    pub(super) fn neighbours(&mut self, argument: Option<&Argument>, place: super::SourcePlace) -> NearId {
        let dirs = self.lower_dirs(argument);
        match self.near_of(dirs, false) {
            Some([_, one, other]) if one == other => one,
            _ => {
                self.error(place, "here the directions have to be the same for both players");
                self.steps(0)
            }
        }
    }
}

/// The written walks: one, or several in braces.
fn walks_of(argument: &Argument) -> Vec<Vec<char>> {
    let Argument::Value(node) = argument else { return Vec::new() };
    let steps = |node: &Node| node.items().iter().filter_map(|step| step.word()?.chars().next()).collect();
    match node.items().iter().all(|item| item.word().is_some()) {
        true => vec![steps(node)],
        false => node.items().iter().map(steps).collect(),
    }
}

/// A compass direction by its number.
pub(super) fn compass(point: u8) -> Compass {
    Compass::N.turned(i32::from(point))
}
