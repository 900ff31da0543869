//! The windows of convolutions and pools: for each output, the sites that it reads.

use super::OnnxError;
use super::layer::{NOTHING, WindowSites};
use super::lowering::Lowering;
use super::node::Node;

/// The taps of a convolution or a pool, and the sizes of its outputs.
pub struct Frame {
    /// The taps.
    pub field: WindowSites,
    /// The sizes of the outputs.
    pub shape: Vec<usize>,
}

/// The windows along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Windows {
    sites: usize,
    taps: usize,
    stride: usize,
    dilation: usize,
    /// Zeros before the sites.
    front: usize,
    /// Number of windows.
    count: usize,
}

impl Windows {
    /// The only window of an image of one row.
    const ONE: Windows = Windows { sites: 1, taps: 1, stride: 1, dilation: 1, front: 0, count: 1 };

    /// The site of each tap of each window; `None` for padding.
    fn places(self) -> Vec<Vec<Option<usize>>> {
        let place = |window: usize, tap: usize| {
            (window * self.stride + tap * self.dilation).checked_sub(self.front).filter(|&place| place < self.sites)
        };
        (0..self.count).map(|window| (0..self.taps).map(|tap| place(window, tap)).collect()).collect()
    }

    /// Whether they are three sites around each site.
    fn is_around(self) -> bool {
        let Windows { taps, stride, dilation, front, .. } = self;
        (taps, stride, dilation, front) == (3, 1, 1, 1) && self.count == self.sites
    }
}

impl Lowering {
    /// The taps of a convolution or a pool over these sizes, and the shape of its outputs. A line is an image of one row.
    pub fn frame(&mut self, node: &Node<'_>, sites: &[usize], taps: &[usize]) -> Result<Frame, OnnxError> {
        let axes = sites.len();
        if !(1..=2).contains(&axes) || taps.len() != axes {
            return Err(node.refused(format!("only images of one or two dimensions are supported, not of {axes}")));
        }
        let all = (0..axes).map(|at| windows(node, at, (sites, taps))).collect::<Result<Vec<_>, _>>()?;
        let shape: Vec<usize> = all.iter().map(|windows| windows.count).collect();
        let (outputs, reads): (usize, usize) = (shape.iter().product(), taps.iter().product());
        self.spend(outputs.saturating_mul(reads)).map_err(|error| node.refused(error.to_string()))?;
        let [down, across] = if axes == 2 { [all[0], all[1]] } else { [Windows::ONE, all[0]] };
        let is_around = down.is_around() && across.is_around();
        let field = WindowSites { image: [down.sites, across.sites], outputs, sites: read(down, across), is_around };
        Ok(Frame { field, shape })
    }
}

/// The windows along an axis, by the settings of a node.
fn windows(node: &Node<'_>, at: usize, (sites, taps): (&[usize], &[usize])) -> Result<Windows, OnnxError> {
    let axes = sites.len();
    let (stride, dilation) = (node.sizes("strides", axes, 1)?[at], node.sizes("dilations", axes, 1)?[at]);
    let (sites, taps) = (sites[at], taps[at]);
    if [stride, dilation, taps, sites].contains(&0) || taps > 4096 {
        return Err(node.refused("a stride, dilation or size is 0 or too large"));
    }
    let reach = (taps - 1) * dilation + 1;
    let same = ((sites.div_ceil(stride) - 1) * stride + reach).saturating_sub(sites);
    let [front, back] = match node.word("auto_pad") {
        None | Some("" | "NOTSET") => {
            let pads = node.sizes("pads", 2 * axes, 0)?;
            [pads[at], pads[axes + at]]
        }
        Some("VALID") => [0, 0],
        Some("SAME_UPPER") => [same / 2, same.div_ceil(2)],
        Some("SAME_LOWER") => [same.div_ceil(2), same / 2],
        Some(word) => return Err(node.refused(format!("`auto_pad = {word}` is not known"))),
    };
    let room = (sites + front + back).checked_sub(reach);
    let room = room.ok_or_else(|| node.refused("its window is larger than the image"))?;
    let mut count = room / stride + 1;
    // A last window that is cut off counts if asked for, unless it begins behind the image.
    if node.int("ceil_mode").unwrap_or(0) != 0 && room % stride > 0 && count * stride < sites + front {
        count += 1;
    }
    Ok(Windows { sites, taps, stride, dilation, front, count })
}

/// The site of each tap of each output, `[output][tap]`.
fn read(down: Windows, across: Windows) -> Vec<u32> {
    let (rows, columns) = (down.places(), across.places());
    let site = |row: Option<usize>, column: Option<usize>| {
        row.zip(column).map_or(NOTHING, |(row, column)| (row * across.sites + column) as u32)
    };
    let mut found = Vec::with_capacity(rows.len() * columns.len() * down.taps * across.taps);
    for row in &rows {
        for column in &columns {
            for &row in row {
                found.extend(column.iter().map(|&column| site(row, column)));
            }
        }
    }
    found
}
