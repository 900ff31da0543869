//! Block-wise computation on the lent cores: the result of a block depends only on that block, so that results are
//! the same on any number of cores.

use std::convert::Infallible;
use std::ops::Range;

use gauntlet_games::base::Cores;

/// Rows of a block.
pub(super) const ROWS: usize = 512;

/// Columns of a block.
const COLUMNS: usize = 32;

/// Whether helpers are available to this thread.
pub(super) fn are_spread() -> bool {
    Cores::lent().limit() > 1
}

/// Computes the numbers of columns `0..width` of a number of rows; `of` computes those of a range. For sums over
/// rows: each sum adds its terms in order.
pub(super) fn by_column<T: Copy + Send>(
    rows: usize,
    width: usize,
    of: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    by_block(width, if rows < 2 * ROWS { width } else { COLUMNS }, of)
}

/// Computes the numbers of items `0..count`; `of` computes those of a range. Blocks have `size` items, and the last
/// one includes the remainder: no block is smaller, as the matrix library uses other algorithms for few rows.
pub(super) fn by_block<T: Copy + Send>(
    count: usize,
    size: usize,
    of: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    let cores = Cores::lent();
    let threads = cores.limit();
    if threads == 1 || count < 2 * size {
        return of(0..count);
    }
    let last = count / size - 1;
    let block = |at: usize| (at * size..if at == last { count } else { (at + 1) * size }, Vec::new());
    let mut blocks: Vec<(Range<usize>, Vec<T>)> = (0..=last).map(block).collect();
    let fill = |(): &mut (), blocks: &mut [(Range<usize>, Vec<T>)]| -> Result<(), Infallible> {
        blocks.iter_mut().for_each(|(items, numbers)| *numbers = of(items.clone()));
        Ok(())
    };
    let Ok(()) = cores.spread(&mut vec![(); threads], &mut blocks, 1, fill);
    let mut all = Vec::with_capacity(blocks.iter().map(|(_, numbers)| numbers.len()).sum());
    blocks.iter().for_each(|(_, numbers)| all.extend_from_slice(numbers));
    all
}
