//! Writes a position as an image.

use super::channels::{Channel, LEVELS, TensorFacts};
use super::places::ImageCells;
use gauntlet_games::games::{Piece, Step, View};

/// The data of a position that is written.
pub(super) struct Seen<'a> {
    pub view: &'a View,
    /// Whether the sides have been exchanged: pieces of the first side in the view then have the second colour.
    pub swapped: bool,
    /// The last move and the one before, if any.
    pub steps: [Option<Step>; 2],
}

/// Writes positions of one game as images `[channels, width, height]`.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub places: ImageCells,
    /// The kinds of pieces, in order; `None` for those that are not shown.
    pieces: Vec<Option<Piece>>,
    /// Number of channels of one kind.
    levels: usize,
    /// The channels after those of the pieces.
    others: Vec<Channel>,
}

impl Writer {
    pub fn new(facts: &TensorFacts, places: ImageCells, neutral: bool) -> Writer {
        let levels = if facts.stacks { 2 * LEVELS } else { 1 };
        let pieces: Vec<_> =
            facts.pieces.iter().map(|&piece| Some(piece).filter(|piece| neutral || !piece.is_neutral())).collect();
        let others = facts.channels(places.containers().len() - 1).split_off(pieces.len() * levels);
        Writer { places, pieces, levels, others }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.pieces.len() * self.levels + self.others.len()
    }

    /// Writes onto zeros.
    pub fn write(&self, seen: &Seen<'_>, image: &mut [f32]) {
        let (pieces, others) = image.split_at_mut(self.pieces.len() * self.levels * self.places.area());
        self.columns(seen.view, |site, column| self.pieces(site, column, seen.swapped, pieces));
        for (channel, plane) in self.others.iter().zip(others.chunks_exact_mut(self.places.area())) {
            self.other(*channel, seen, plane);
        }
    }

    /// Every site's pieces, from the lowest.
    fn columns(&self, view: &View, mut of_site: impl FnMut(usize, &[Piece])) {
        let levels = view.pieces.len() / self.places.cells().len();
        for (site, pieces) in view.pieces.chunks_exact(levels).enumerate() {
            let height = pieces.iter().take_while(|piece| !piece.is_empty()).count();
            of_site(site, &pieces[..height]);
        }
    }

    fn pieces(&self, site: usize, column: &[Piece], swapped: bool, image: &mut [f32]) {
        let cell = self.places.cells()[site] as usize;
        for (level, &piece) in column.iter().enumerate() {
            let piece = if swapped { exchanged(piece) } else { piece };
            let Some(kind) = self.pieces.iter().position(|&other| other == Some(piece)) else { continue };
            let mut mark = |channel: usize| image[(kind * self.levels + channel) * self.places.area() + cell] = 1.0;
            let below_top = column.len() - 1 - level;
            if self.levels == 1 {
                mark(0);
                continue;
            }
            if level < LEVELS {
                mark(level);
            }
            if below_top < LEVELS {
                mark(LEVELS + below_top);
            }
        }
    }

    fn other(&self, channel: Channel, seen: &Seen<'_>, plane: &mut [f32]) {
        let cell = |site: usize| self.places.cells()[site] as usize;
        match channel {
            Channel::Height => self.columns(seen.view, |site, column| plane[cell(site)] = column.len() as f32),
            Channel::Count => {
                seen.view.counts.iter().enumerate().for_each(|(site, &n)| plane[cell(site)] = f32::from(n))
            }
            Channel::Mover(side) => plane.fill(f32::from(seen.view.side as u8 == side)),
            Channel::Swapped => plane.fill(f32::from(seen.swapped)),
            Channel::Container(number) => {
                self.places.containers()[usize::from(number)].clone().for_each(|site| plane[cell(site)] = 1.0);
            }
            Channel::From(ago) => mark(seen, ago, |step| step.from.or(step.to), |site| plane[cell(site)] = 1.0),
            Channel::To(ago) => mark(seen, ago, |step| step.to, |site| plane[cell(site)] = 1.0),
            Channel::Piece(_) | Channel::Bottom(..) | Channel::Top(..) => unreachable!("these come first"),
        }
    }
}

/// Marks a site of one of the last moves; a placement has equal origin and destination, and a pass has none.
fn mark(seen: &Seen<'_>, ago: u8, site: impl Fn(Step) -> Option<u32>, mut at: impl FnMut(usize)) {
    if let Some(site) = seen.steps[usize::from(ago)].and_then(site) {
        at(site as usize);
    }
}

/// The same piece of the other side.
fn exchanged(piece: Piece) -> Piece {
    piece.side().map_or(piece, |side| Piece::new(side.opponent(), piece.kind()))
}
