//! A board as SVG for a page: the empty board, and the pieces and marks on it, so that a replay changes only these.

use std::fmt::Write as _;

use super::escape::escaped;
use gauntlet_games::base::{BoardPicture, Chessman, Figure, PiecePicture, Tone};

/// The shades of cells, the lightest first, and the colours of lines and marks.
const SHADES: [&str; 3] = ["#faf7f0", "#dbd1be", "#c4b7a0"];
const LINE: &str = "#6b5d45";
const MARK: &str = "#56b4e9";
/// The colours of the rims of sides, as games with coloured rims have them.
const RIMS: [&str; 3] = ["#1d1d1d", "#fdfdfd", "#8a8a8a"];

/// The whole board as one picture with this width in pixels.
pub fn svg(board: &BoardPicture, width: f64) -> String {
    let [right, down] = board.size;
    let height = width * down / right.max(1e-9);
    format!(
        "<svg class=\"board\" role=\"img\" aria-label=\"the board\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {right:.3} {down:.3}\"><rect width=\"{right:.3}\" height=\"{down:.3}\" fill=\"{}\"/>{}\
         <g class=\"pieces\">{}</g></svg>",
        SHADES[0],
        empty(board),
        pieces(board)
    )
}

/// The cells, lines, rims and labels.
fn empty(board: &BoardPicture) -> String {
    let mut svg = String::new();
    for cell in &board.cells {
        let shade = SHADES[usize::from(cell.shade).min(2)];
        let _ = write!(
            svg,
            "<polygon points=\"{}\" fill=\"{shade}\" stroke=\"{LINE}\" stroke-width=\".02\"/>",
            points(&cell.outline)
        );
    }
    for line in &board.lines {
        let _ =
            write!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\".03\"/>", points(line));
    }
    for (tone, rim) in &board.rims {
        let colour = RIMS[tone_place(*tone)];
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\".16\"/>\
             <polyline points=\"{0}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\".1\"/>",
            points(rim)
        );
    }
    for (label, at) in &board.labels {
        svg += &text(label, *at, 0.34, LINE);
    }
    svg
}

/// The pieces, and the marks of the last action.
pub fn pieces(board: &BoardPicture) -> String {
    let mut svg: String = board.pieces.iter().map(piece).collect();
    for [x, y] in &board.marks {
        let _ = write!(
            svg,
            "<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\".12\" fill=\"{MARK}\" stroke=\"#fff\" stroke-width=\".03\"/>"
        );
    }
    svg
}

fn tone_place(tone: Tone) -> usize {
    match tone {
        Tone::Dark => 0,
        Tone::Light => 1,
        Tone::Neutral => 2,
    }
}

fn piece(piece: &PiecePicture) -> String {
    let PiecePicture { at: [x, y], radius, .. } = *piece;
    let place = tone_place(piece.tone);
    let (fill, ink) = (RIMS[place], ["#fdfdfd", "#1d1d1d", "#fdfdfd"][place]);
    let stone = |radius: f64| {
        format!(
            "<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{radius:.3}\" fill=\"{fill}\" stroke=\"#1d1d1d\" stroke-width=\".04\"/>"
        )
    };
    let mut svg = match &piece.figure {
        Figure::Stone => stone(radius),
        Figure::Ringed => {
            let ring = format!(
                "<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{:.3}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\".06\"/>",
                0.6 * radius
            );
            stone(radius) + &ring
        }
        Figure::Lettered(letters) => stone(radius) + &text(letters, [x, y], letter_size(letters, radius), ink),
        Figure::Chess(man) => text(glyph(*man, piece.tone), [x, y], 2.0 * radius, "#1d1d1d"),
        Figure::Wedge(letters) => wedge(piece, fill) + &text(letters, [x, y], letter_size(letters, 0.8 * radius), ink),
    };
    if piece.count > 1 {
        svg += &text(&piece.count.to_string(), [x + radius, y - 0.6 * radius], 0.3, LINE);
    }
    svg
}

fn letter_size(letters: &str, radius: f64) -> f64 {
    if letters.chars().count() > 1 { radius } else { 1.3 * radius }
}

/// A wedge whose point shows the direction of its side.
fn wedge(piece: &PiecePicture, fill: &str) -> String {
    let PiecePicture { at: [x, y], radius, .. } = *piece;
    let up = if piece.is_turned { -radius } else { radius };
    let corners = [
        [x, y - up],
        [x + 0.75 * radius, y - 0.4 * up],
        [x + 0.85 * radius, y + up],
        [x - 0.85 * radius, y + up],
        [x - 0.75 * radius, y - 0.4 * up],
    ];
    format!("<polygon points=\"{}\" fill=\"{fill}\" stroke=\"#1d1d1d\" stroke-width=\".04\"/>", points(&corners))
}

/// Outlined men for the light side, filled ones for the dark side.
fn glyph(man: Chessman, tone: Tone) -> &'static str {
    let both = match man {
        Chessman::Pawn => ["\u{2659}", "\u{265f}"],
        Chessman::Knight => ["\u{2658}", "\u{265e}"],
        Chessman::Bishop => ["\u{2657}", "\u{265d}"],
        Chessman::Rook => ["\u{2656}", "\u{265c}"],
        Chessman::Queen => ["\u{2655}", "\u{265b}"],
        Chessman::King => ["\u{2654}", "\u{265a}"],
    };
    both[usize::from(tone == Tone::Dark)]
}

fn text(label: &str, [x, y]: [f64; 2], size: f64, ink: &str) -> String {
    let label = escaped(label);
    format!(
        "<text x=\"{x:.3}\" y=\"{y:.3}\" font-size=\"{size:.3}\" fill=\"{ink}\" text-anchor=\"middle\" \
         dominant-baseline=\"central\" font-family=\"sans-serif\">{label}</text>"
    )
}

fn points(points: &[[f64; 2]]) -> String {
    points.iter().map(|[x, y]| format!("{x:.3},{y:.3}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gauntlet_games::base::Seed;
    use gauntlet_games::games::{GameSpec, View, picture};

    #[test]
    fn every_game_has_a_board() {
        for spec in GameSpec::examples() {
            let game = spec.build();
            let (mut position, mut view) = (game.start(), View::new());
            for _ in 0..6 {
                position.play(position.random_action(&mut Seed::new(1).rng()));
            }
            position.view(&mut view);
            let board = picture(&*game, &view);
            let svg = svg(&board, 300.0);
            let marks = svg.matches(MARK).count();
            assert_eq!(marks, board.marks.len(), "{}", game.name());
            assert!(!svg.contains("NaN") && svg.matches("<g").count() == svg.matches("</g>").count());
        }
    }
}
