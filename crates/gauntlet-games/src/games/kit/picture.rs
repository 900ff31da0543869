//! Positions as pictures: cells or lines, names along the edges, and pieces.

use std::collections::BTreeMap;

use super::diagram::split;
use super::drawing::{Drawing, SiteDrawing};
use super::{Game, Layout, Topology, View};
use crate::base::{Action, BoardPicture, CellPicture, PiecePicture, Side, Tone};

/// Radius of a piece relative to the distance of two sites: in a cell, and on a point.
const IN_CELL: f64 = 0.4;
const ON_POINT: f64 = 0.46;
/// Vertical offset of a piece on another one, in radii.
const RAISED: f64 = 0.45;
/// Maximum offset of the topmost piece, in radii.
const HIGHEST: f64 = 2.5;
/// Distance of names from the board, in distances of two sites.
const AWAY: f64 = 0.92;
/// Margin, in distances of two sites.
const MARGIN: f64 = 0.35;

/// The picture of a position, with origin and destination of the last action.
#[must_use]
pub fn picture(game: &dyn Game, view: &View) -> BoardPicture {
    let topology = game.topology();
    let drawing = drawing(topology);
    let places: Vec<[f64; 2]> = drawing.sites.iter().map(|site| site.place).collect();
    let apart = distance(&places);
    let radius = apart * if drawing.sites[0].outline.is_empty() { ON_POINT } else { IN_CELL };
    let board = places.len() - drawing.hands.iter().sum::<usize>();
    let mut picture = BoardPicture {
        labels: names(game, &places[..board], apart),
        rims: rims(game, &drawing, &places[..board]),
        pieces: pieces(game, view, &places, radius),
        marks: marks(game, view.last, &places),
        lines: drawing.lines,
        cells: drawing.sites.into_iter().filter(|site| !site.outline.is_empty()).map(cell).collect(),
        ..BoardPicture::default()
    };
    settle(&mut picture, &places, apart);
    picture
}

/// The board of a game with the numbers of its sites.
#[must_use]
pub fn site_numbers(game: &dyn Game) -> BoardPicture {
    let drawing = drawing(game.topology());
    let places: Vec<[f64; 2]> = drawing.sites.iter().map(|site| site.place).collect();
    let mut picture = BoardPicture {
        labels: places.iter().enumerate().map(|(number, &place)| (number.to_string(), place)).collect(),
        lines: drawing.lines,
        cells: drawing.sites.into_iter().filter(|site| !site.outline.is_empty()).map(cell).collect(),
        ..BoardPicture::default()
    };
    settle(&mut picture, &places, distance(&places));
    picture
}

fn cell(site: SiteDrawing) -> CellPicture {
    CellPicture { outline: site.outline, shade: site.shade }
}

/// The drawing of any board, grids included.
fn drawing(topology: &Topology) -> Drawing {
    if let Some(drawing) = topology.drawing() {
        return drawing.clone();
    }
    let places = topology.places();
    let site = |(number, &place): (usize, &[f64; 2])| {
        let from_corner = number / topology.columns() + number % topology.columns() + topology.rows();
        let shade = u8::from(topology.layout() == Layout::Checkered && from_corner % 2 == 1);
        SiteDrawing { place, outline: outline(topology.layout(), place), shade }
    };
    let sites = places.iter().enumerate().map(site).collect();
    let mut drawing = Drawing { sites, ..Drawing::default() };
    if topology.layout() == Layout::Square {
        let neighbours = |site| topology.neighbours(site).to_vec();
        drawing.lines = drawing.straight(&(0..topology.sites()).map(neighbours).collect::<Vec<_>>());
    }
    drawing
}

fn outline(layout: Layout, [x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    let around = |corners: u32, first: f64, far: f64| {
        let angle = move |corner: u32| (first + 360.0 * f64::from(corner) / f64::from(corners)).to_radians();
        (0..corners).map(angle).map(|angle| [x + far * angle.cos(), y + far * angle.sin()]).collect()
    };
    match layout {
        Layout::Square | Layout::Free => Vec::new(),
        Layout::Cells | Layout::Checkered => around(4, 45.0, 0.5_f64.sqrt()),
        Layout::Hexagonal => around(6, 30.0, 1.0),
    }
}

/// The minimum distance of two sites.
fn distance(places: &[[f64; 2]]) -> f64 {
    let far = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let pairs = places.iter().enumerate().flat_map(|(at, a)| places[at + 1..].iter().map(move |b| far(a, b)));
    let least = pairs.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The pieces on every site, the lowest first, each a little above the one below.
fn pieces(game: &dyn Game, view: &View, places: &[[f64; 2]], radius: f64) -> Vec<PiecePicture> {
    let levels = (view.pieces.len() / places.len()).max(1);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[b][1].total_cmp(&places[a][1]));
    let of_site = |site: usize| {
        let column: Vec<_> = view.pieces[site * levels..][..levels].iter().filter(|piece| !piece.is_empty()).collect();
        let [x, y] = places[site];
        let raised = radius * f64::min(RAISED, HIGHEST / column.len() as f64);
        column.into_iter().enumerate().map(move |(level, &piece)| PiecePicture {
            at: [x, y + level as f64 * raised],
            radius,
            tone: tone(game, piece.side()),
            is_turned: piece.side() == Some(Side::Second),
            figure: game.figure(piece),
            count: view.counts.get(site).copied().unwrap_or(1),
        })
    };
    order.into_iter().flat_map(of_site).collect()
}

fn marks(game: &dyn Game, last: Option<Action>, places: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let sites = last.map(|action| game.step(action)).into_iter().flat_map(|step| [step.from, step.to]);
    sites.flatten().map(|site| places[site as usize]).collect()
}

/// Column letters and row numbers, placed before the lowest or leftmost site.
fn names(game: &dyn Game, places: &[[f64; 2]], apart: f64) -> Vec<(String, [f64; 2])> {
    let mut groups: [BTreeMap<String, Vec<usize>>; 2] = Default::default();
    for site in 0..places.len() {
        let (letters, number) = split(&game.site_name(site));
        groups[0].entry(letters).or_default().push(site);
        groups[1].entry(number).or_default().push(site);
    }
    let [columns, rows] = [1, 0].map(|axis| before(&groups[1 - axis], places, axis, apart));
    columns.into_iter().chain(rows).filter(|(name, _)| !name.is_empty()).collect()
}

/// The name of each line of sites, placed beyond its end of the smallest y (1) or x (0).
fn before(
    lines: &BTreeMap<String, Vec<usize>>,
    places: &[[f64; 2]],
    axis: usize,
    apart: f64,
) -> Vec<(String, [f64; 2])> {
    let sorted = |line: &Vec<usize>| {
        let mut line = line.clone();
        line.sort_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]));
        line
    };
    let lines: Vec<(&String, Vec<usize>)> = lines.iter().map(|(name, line)| (name, sorted(line))).collect();
    let way = lines.iter().find_map(|(_, line)| match line[..] {
        [first, second, ..] => Some([places[first][0] - places[second][0], places[first][1] - places[second][1]]),
        _ => None,
    });
    let Some([x, y]) = way else { return Vec::new() };
    let far = AWAY * apart / x.hypot(y);
    let place = |site: usize| [places[site][0] + x * far, places[site][1] + y * far];
    lines.into_iter().map(|(name, line)| (name.clone(), place(line[0]))).collect()
}

/// The outer edges of the cells that a side has to reach; cells of both sides are split in halves.
fn rims(game: &dyn Game, drawing: &Drawing, places: &[[f64; 2]]) -> Vec<(Tone, Vec<[f64; 2]>)> {
    let goals = Side::BOTH.map(|side| game.goal(side));
    let outer = |site: usize| outer_edges(drawing, places, site);
    let own = Side::BOTH.map(|side| {
        let alone = |site: &&usize| !goals[side.opponent().index()].contains(site);
        goals[side.index()].iter().filter(alone).flat_map(|&site| outer(site)).collect::<Vec<_>>()
    });
    let edges =
        Side::BOTH.map(|side| own[side.index()].iter().map(move |edge| (tone(game, Some(side)), edge.to_vec())));
    let mut rims: Vec<_> = edges.into_iter().flatten().collect();
    for site in goals[0].iter().copied().filter(|site| goals[1].contains(site)) {
        let chain = chain(&outer(site));
        let Some(&start) = chain.first() else { continue };
        let first = Side::BOTH.map(|side| own[side.index()].iter().flatten().any(|&end| near(end, start)));
        let sides = if first[0] { Side::BOTH } else { [Side::Second, Side::First] };
        rims.extend(sides.map(|side| tone(game, Some(side))).into_iter().zip(halves(&chain)));
    }
    rims
}

/// The points along consecutive edges of a cell.
fn chain(edges: &[[[f64; 2]; 2]]) -> Vec<[f64; 2]> {
    let after = |edge: &[[f64; 2]; 2]| edges.iter().any(|other| near(other[1], edge[0]));
    let start = edges.iter().position(|edge| !after(edge)).unwrap_or(0);
    let around = edges.iter().cycle().skip(start).take(edges.len());
    edges.get(start).map(|edge| edge[0]).into_iter().chain(around.map(|edge| edge[1])).collect()
}

/// Both halves of a chain of equal edges.
fn halves(chain: &[[f64; 2]]) -> [Vec<[f64; 2]>; 2] {
    let edges = chain.len() - 1;
    let (before, after) = (chain[edges / 2], chain[edges.div_ceil(2)]);
    let middle = [0, 1].map(|axis| f64::midpoint(before[axis], after[axis]));
    let first = chain[..=edges / 2].iter().copied().chain([middle]).collect();
    let second = [middle].into_iter().chain(chain[edges.div_ceil(2)..].iter().copied()).collect();
    [first, second]
}

/// The tone of a side: the first side is black, unless its name is white.
fn tone(game: &dyn Game, side: Option<Side>) -> Tone {
    match side {
        None => Tone::Neutral,
        Some(side) if (side == Side::First) == (game.side_name(Side::First) == "white") => Tone::Light,
        Some(_) => Tone::Dark,
    }
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).hypot(a[1] - b[1]) < 0.01
}

/// The edges of a cell without an adjacent cell, counter-clockwise.
fn outer_edges(drawing: &Drawing, places: &[[f64; 2]], site: usize) -> Vec<[[f64; 2]; 2]> {
    let outline = &drawing.sites[site].outline;
    let edges = outline.iter().zip(outline.iter().cycle().skip(1)).map(|(&from, &to)| [from, to]);
    let beyond = |[from, to]: [[f64; 2]; 2]| [0, 1].map(|axis| from[axis] + to[axis] - places[site][axis]);
    edges.filter(|&edge| !places.iter().any(|&place| near(place, beyond(edge)))).collect()
}

/// Flips y downwards and shifts the picture so that it begins at (0, 0).
fn settle(picture: &mut BoardPicture, sites: &[[f64; 2]], apart: f64) {
    let mut all: Vec<[f64; 2]> = picture.cells.iter().flat_map(|cell| cell.outline.clone()).collect();
    let around = |[x, y]: [f64; 2], far: f64| [[x - far, y - far], [x + far, y + far]];
    all.extend(sites.iter().flat_map(|&site| around(site, 0.5 * apart)));
    all.extend(picture.lines.iter().flatten());
    all.extend(picture.labels.iter().flat_map(|(_, place)| around(*place, 0.3 * apart)));
    all.extend(picture.pieces.iter().flat_map(|piece| around(piece.at, piece.radius)));
    let end =
        |axis: usize, sign: f64| sign * all.iter().map(|place| sign * place[axis]).fold(f64::NEG_INFINITY, f64::max);
    let (left, right, low, high) = (end(0, -1.0), end(0, 1.0), end(1, -1.0), end(1, 1.0));
    let margin = MARGIN * apart;
    picture.size = [right - left + 2.0 * margin, high - low + 2.0 * margin];
    let put = |[x, y]: &mut [f64; 2]| (*x, *y) = (*x - left + margin, high - *y + margin);
    picture.cells.iter_mut().flat_map(|cell| &mut cell.outline).for_each(put);
    picture.lines.iter_mut().flatten().for_each(put);
    picture.rims.iter_mut().flat_map(|(_, line)| line).for_each(put);
    picture.labels.iter_mut().map(|(_, place)| place).for_each(put);
    picture.pieces.iter_mut().map(|piece| &mut piece.at).for_each(put);
    picture.marks.iter_mut().for_each(put);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Chessman, Figure};
    use crate::games::GameSpec;

    fn pictured(spec: &str, moves: &str) -> BoardPicture {
        let game = serde_json::from_str::<GameSpec>(spec).unwrap().build();
        let (mut position, mut view) = (game.start(), View::new());
        moves.split_whitespace().for_each(|name| position.play(game.parse_action(name).unwrap()));
        position.view(&mut view);
        picture(&*game, &view)
    }

    #[test]
    fn everything_lies_inside_the_picture_of_every_game() {
        for spec in GameSpec::examples() {
            let game = spec.build();
            let (mut view, mut position) = (View::new(), game.start());
            for _ in 0..9 {
                position.play(position.random_action(&mut crate::base::Seed::new(1).rng()));
            }
            position.view(&mut view);
            let picture = picture(&*game, &view);
            let corners = picture.cells.iter().flat_map(|cell| &cell.outline).chain(picture.lines.iter().flatten());
            let all = corners.chain(picture.pieces.iter().map(|piece| &piece.at)).chain(&picture.marks);
            let inside = |place: &[f64; 2]| (0..2).all(|axis| (0.0..=picture.size[axis]).contains(&place[axis]));
            assert!(all.chain(picture.labels.iter().map(|(_, place)| place)).all(inside), "{}", game.name());
            assert_eq!(picture.pieces.len(), view.pieces.iter().filter(|piece| !piece.is_empty()).count());
            let lines = game.topology().rows() + game.topology().columns();
            assert_eq!((picture.labels.len(), picture.marks.is_empty()), (lines, false), "{}", game.name());
        }
    }

    #[test]
    fn chess_has_figures_on_squares_and_gomoku_stones_on_lines() {
        let chess = pictured(r#"{"chess":{"size":8}}"#, "e2e4");
        let king = (Figure::Chess(Chessman::King), Tone::Light);
        assert!(chess.pieces.iter().any(|piece| (piece.figure.clone(), piece.tone) == king));
        assert_eq!((chess.cells.len(), chess.lines.len(), chess.cells[0].shade), (64, 0, 0), "a8 is light");
        let gomoku = pictured(r#"{"gomoku":{"size":5}}"#, "A1");
        assert_eq!((gomoku.cells.len(), gomoku.lines.len()), (0, 10));
        assert_eq!((gomoku.pieces[0].tone, gomoku.marks[0]), (Tone::Dark, gomoku.pieces[0].at));
    }

    #[test]
    fn the_edges_of_hex_are_shared_at_the_corners() {
        let hex = pictured(r#"{"hex":{"size":3}}"#, "");
        let length = |tone: Tone| {
            let lines = hex.rims.iter().filter(|rim| rim.0 == tone).flat_map(|rim| rim.1.windows(2));
            lines.map(|ends| (ends[0][0] - ends[1][0]).hypot(ends[0][1] - ends[1][1])).sum::<f64>()
        };
        // Each side has half of the 22 edges around nine hexagons.
        assert!((length(Tone::Dark) - 11.0).abs() < 1e-6 && (length(Tone::Light) - 11.0).abs() < 1e-6);
    }
}
