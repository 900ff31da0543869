//! Pieces as our own shapes: stones, wedges and chess pieces.
//!
//! A figure is a union of polygons and discs in a square from -1 to 1, y downwards: all are drawn a little larger in the
//! colour of the rim first, so that the rim surrounds the union.

use super::palette::{self, Rgb};
use super::scene::{Anchor, Scene, Spot, Text};
use gauntlet_games::base::{Chessman, Figure, PiecePicture, Tone};

/// Width of a rim, as a share of a piece's radius, and its least width in logical pixels.
const RIM: f64 = 0.09;
const THINNEST: f64 = 0.8;
/// Height of chess pieces, as a multiple of that of stones.
const TALL: f64 = 1.15;

/// The colours of a piece: the inside, and the rim and letters.
pub(super) fn colours(tone: Tone, coloured: bool) -> [Rgb; 2] {
    match (tone, coloured) {
        (Tone::Dark, false) => [palette::INK, palette::PAPER],
        (Tone::Light, false) => [palette::PAPER, palette::INK],
        (Tone::Dark, true) => [palette::colour(1), palette::PAPER],
        (Tone::Light, true) => [palette::colour(0), palette::PAPER],
        (Tone::Neutral, _) => [palette::RULE, palette::INK],
    }
}

/// One piece of some radius.
pub(super) fn draw(scene: &mut Scene, piece: &PiecePicture, at: Spot, radius: f64, coloured: bool) {
    let [inside, ink] = colours(piece.tone, coloured);
    let brush = Brush { at, radius, turned: piece.is_turned, inside, ink };
    match &piece.figure {
        Figure::Stone => brush.stone(scene),
        Figure::Ringed => {
            brush.stone(scene);
            brush.disc(scene, (0.0, 0.0), 0.62, ink);
            brush.disc(scene, (0.0, 0.0), 0.46, inside);
        }
        Figure::Lettered(word) => {
            brush.stone(scene);
            brush.word(scene, word, 0.0, ink);
        }
        Figure::Wedge(word) => {
            let paper = Brush { inside: palette::PAPER, ink: palette::INK, ..brush };
            paper.union(scene, &[&WEDGE], &[]);
            paper.word(scene, word, 0.12, palette::INK);
        }
        Figure::Chess(man) => Brush { turned: false, radius: radius * TALL, ..brush }.man(scene, *man),
    }
}

/// The place and the colours of a piece.
struct Brush {
    at: Spot,
    radius: f64,
    turned: bool,
    inside: Rgb,
    ink: Rgb,
}

type Disc = (Spot, f64);

impl Brush {
    fn spot(&self, (x, y): Spot) -> Spot {
        let y = if self.turned { -y } else { y };
        (self.at.0 + x * self.radius, self.at.1 + y * self.radius)
    }

    fn rim(&self) -> f64 {
        f64::max(self.radius * RIM, THINNEST)
    }

    fn disc(&self, scene: &mut Scene, centre: Spot, radius: f64, colour: Rgb) {
        scene.disc(self.spot(centre), radius * self.radius, colour, 1.0);
    }

    /// A disc with a rim that is visible on paper for any inner colour.
    fn stone(&self, scene: &mut Scene) {
        let rim = if self.inside == palette::INK { self.inside } else { palette::INK };
        scene.disc(self.at, self.radius, rim, 1.0);
        scene.disc(self.at, self.radius - self.rim(), self.inside, 1.0);
        if self.inside == palette::INK {
            // A lighter line inside their rim separates black stones that lie on each other.
            scene.disc(self.at, self.radius - 0.8 * self.rim(), palette::SOFT, 1.0);
            scene.disc(self.at, self.radius - 1.6 * self.rim(), self.inside, 1.0);
        }
    }

    fn word(&self, scene: &mut Scene, word: &str, down: f64, colour: Rgb) {
        let size = self.radius * if word.chars().count() > 1 { 0.85 } else { 1.1 };
        let text = Text::new(word, self.spot((0.0, down)), size, Anchor::Middle);
        scene.text(Text { colour, bold: true, ..text });
    }

    fn polygon(&self, points: &[Spot]) -> Vec<Spot> {
        points.iter().map(|&point| self.spot(point)).collect()
    }

    /// Polygons and discs with a rim around all of them.
    fn union(&self, scene: &mut Scene, polygons: &[&[Spot]], discs: &[Disc]) {
        let rim = if self.inside == palette::INK { self.inside } else { self.ink };
        for polygon in polygons {
            let closed: Vec<Spot> = polygon.iter().chain(&polygon[..2]).copied().collect();
            scene.path(self.polygon(&closed), 2.0 * self.rim(), rim);
        }
        discs.iter().for_each(|&(at, radius)| scene.disc(self.spot(at), radius * self.radius + self.rim(), rim, 1.0));
        polygons.iter().for_each(|polygon| scene.area(self.polygon(polygon), self.inside, 1.0));
        discs.iter().for_each(|&(at, radius)| self.disc(scene, at, radius, self.inside));
    }

    fn man(&self, scene: &mut Scene, man: Chessman) {
        let (body, discs): (&[&[Spot]], &[Disc]) = match man {
            Chessman::Pawn => (&[&BASE, &PAWN], &[((0.0, -0.38), 0.27)]),
            Chessman::Rook => (&[&BASE, &ROOK, &BATTLEMENT], &[]),
            Chessman::Knight => (&[&BASE, &KNIGHT], &[]),
            Chessman::Bishop => (&[&BASE, &BISHOP], &[((0.0, -0.78), 0.1)]),
            Chessman::Queen => (&[&BASE, &QUEEN], &POINTS),
            Chessman::King => (&[&BASE, &KING, &UPRIGHT, &BEAM], &[]),
        };
        self.union(scene, body, discs);
        let mut line = |points: &[Spot]| scene.path(self.polygon(points), 0.9 * self.rim(), self.ink);
        line(&[(-0.46, 0.5), (0.46, 0.5)]);
        match man {
            Chessman::Rook => line(&[(-0.4, -0.3), (0.4, -0.3)]),
            Chessman::Bishop => {
                [[(0.0, -0.42), (0.0, 0.02)], [(-0.18, -0.2), (0.18, -0.2)]].iter().for_each(|l| line(l))
            }
            Chessman::King => line(&[(0.0, 0.42), (0.0, -0.08)]),
            Chessman::Knight => self.disc(scene, (-0.2, -0.4), 0.07, self.ink),
            Chessman::Pawn | Chessman::Queen => {}
        }
    }
}

const WEDGE: [Spot; 5] = [(0.0, -1.0), (0.6, -0.68), (0.78, 0.92), (-0.78, 0.92), (-0.6, -0.68)];
const BASE: [Spot; 4] = [(-0.52, 0.5), (0.52, 0.5), (0.64, 0.82), (-0.64, 0.82)];
const PAWN: [Spot; 4] = [(-0.14, -0.2), (0.14, -0.2), (0.36, 0.5), (-0.36, 0.5)];
const ROOK: [Spot; 4] = [(-0.34, -0.3), (0.34, -0.3), (0.42, 0.5), (-0.42, 0.5)];
#[rustfmt::skip]
const BATTLEMENT: [Spot; 12] = [
    (-0.52, -0.76), (-0.28, -0.76), (-0.28, -0.58), (-0.12, -0.58), (-0.12, -0.76), (0.12, -0.76), (0.12, -0.58),
    (0.28, -0.58), (0.28, -0.76), (0.52, -0.76), (0.52, -0.3), (-0.52, -0.3),
];
#[rustfmt::skip]
const KNIGHT: [Spot; 17] = [
    (-0.4, 0.5), (-0.34, 0.26), (-0.1, 0.06), (-0.04, -0.12), (-0.26, -0.06), (-0.44, 0.1), (-0.6, 0.06), (-0.66, -0.1),
    (-0.44, -0.44), (-0.32, -0.62), (-0.3, -0.86), (-0.12, -0.66), (0.12, -0.62), (0.34, -0.44), (0.48, -0.12),
    (0.52, 0.2), (0.5, 0.5),
];
#[rustfmt::skip]
const BISHOP: [Spot; 12] = [
    (0.0, -0.74), (0.2, -0.54), (0.33, -0.26), (0.35, -0.02), (0.2, 0.22), (0.32, 0.5), (-0.32, 0.5), (-0.2, 0.22),
    (-0.35, -0.02), (-0.33, -0.26), (-0.2, -0.54), (-0.06, -0.7),
];
#[rustfmt::skip]
const QUEEN: [Spot; 11] = [
    (-0.42, 0.5), (-0.74, -0.4), (-0.4, 0.0), (-0.36, -0.62), (-0.12, -0.06), (0.0, -0.72), (0.12, -0.06), (0.36, -0.62),
    (0.4, 0.0), (0.74, -0.4), (0.42, 0.5),
];
const POINTS: [Disc; 5] = [
    ((-0.74, -0.44), 0.08),
    ((-0.36, -0.66), 0.08),
    ((0.0, -0.76), 0.08),
    ((0.36, -0.66), 0.08),
    ((0.74, -0.44), 0.08),
];
#[rustfmt::skip]
const KING: [Spot; 9] = [
    (-0.42, 0.5), (-0.68, 0.0), (-0.54, -0.28), (-0.24, -0.34), (0.0, -0.16), (0.24, -0.34), (0.54, -0.28), (0.68, 0.0),
    (0.42, 0.5),
];
const UPRIGHT: [Spot; 4] = [(-0.07, -0.88), (0.07, -0.88), (0.07, -0.2), (-0.07, -0.2)];
const BEAM: [Spot; 4] = [(-0.2, -0.72), (0.2, -0.72), (0.2, -0.58), (-0.2, -0.58)];
