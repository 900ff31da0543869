//! Areas: a side's stones, and the empty regions that touch only them.

use super::super::Piece;
use crate::base::Side;

/// Sites of the largest board.
const MOST: usize = 625;

/// The area of each side. `beside` gives the four sites beside each; one beyond the last is the border.
#[inline]
pub(super) fn areas(pieces: &[Piece], beside: &[[u16; 4]]) -> [i32; 2] {
    let mut areas = [0; 2];
    let mut seen = [false; MOST + 1];
    seen[beside.len()] = true;
    for site in 0..beside.len() {
        match pieces[site].side() {
            Some(side) => areas[side.index()] += 1,
            None if seen[site] => {}
            None => {
                let (size, touches) = region(site, pieces, beside, &mut seen);
                match touches {
                    [true, false] => areas[Side::First.index()] += size,
                    [false, true] => areas[Side::Second.index()] += size,
                    _ => {}
                }
            }
        }
    }
    areas
}

/// The number of sites of an empty region, and whether it touches stones of each side.
fn region(start: usize, pieces: &[Piece], beside: &[[u16; 4]], seen: &mut [bool; MOST + 1]) -> (i32, [bool; 2]) {
    let (mut stack, mut top) = ([0_u16; MOST], 1);
    let (mut size, mut touches) = (0, [false; 2]);
    stack[0] = start as u16;
    seen[start] = true;
    while top > 0 {
        top -= 1;
        size += 1;
        for at in beside[usize::from(stack[top])] {
            let index = usize::from(at);
            if pieces[index].is_empty() {
                if !seen[index] {
                    seen[index] = true;
                    stack[top] = at;
                    top += 1;
                }
            } else if let Some(side) = pieces[index].side().filter(|_| index < beside.len()) {
                touches[side.index()] = true;
            }
        }
    }
    (size, touches)
}
