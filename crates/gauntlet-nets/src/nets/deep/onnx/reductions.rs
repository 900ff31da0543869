//! Operators over several elements: sums and means, softmax, layer norm, pools.

use super::layer::{OnnxLayer, Reduction};
use super::layout::Layout;
use super::lowering::Lowering;
use super::node::Node;
use super::products::numbers;
use super::value::{Found, Live, OnnxValue, axis};

impl Lowering {
    /// `ReduceSum`, `ReduceMean`, `ReduceMax`, `ReduceMin`, `ReduceProd`.
    pub fn reduce(&mut self, node: &Node<'_>, reduction: Reduction) -> Found {
        let x = self.argument(node, 0)?;
        let rank = x.shape().len();
        let axes = self.whole(node, 1, "axes")?.unwrap_or_default();
        let mut axes = axes.iter().map(|&at| axis(node, at, rank)).collect::<Result<Vec<_>, _>>()?;
        if axes.is_empty() {
            if node.int("noop_with_empty_axes").unwrap_or(0) != 0 {
                return Ok(x);
            }
            axes = (0..rank).collect();
        }
        let keeps = node.int("keepdims").unwrap_or(1) != 0;
        if let OnnxValue::Constant(tensor) = &x
            && let Some(whole) = tensor.whole()
        {
            return reduced_whole(node, (&tensor.shape, whole), &axes, keeps, reduction);
        }
        let x = self.live(node, 0)?;
        self.reduced(node, x, &axes, keeps, reduction)
    }

    /// `GlobalAveragePool` and `GlobalMaxPool`.
    pub fn pool_all(&mut self, node: &Node<'_>, reduction: Reduction) -> Found {
        let x = self.live(node, 0)?;
        let axes: Vec<usize> = (2..x.shape.len()).collect();
        self.reduced(node, x, &axes, true, reduction)
    }

    fn reduced(&mut self, node: &Node<'_>, x: Live, axes: &[usize], keeps: bool, reduction: Reduction) -> Found {
        let shape = without(&x.shape, axes, keeps);
        let layout = Layout::of(&x.shape, axes);
        let result = Layout { rows: layout.rows, width: 1, index: (0..layout.rows as u32).collect() };
        let x = self.placed(node, x, layout)?;
        Ok(OnnxValue::Live(self.push(node, OnnxLayer::Reduce(reduction), vec![x.layer], shape, result)?))
    }

    /// `Softmax` and `LogSoftmax`: along one axis, and before version 13 along all axes from it on.
    pub fn softmax(&mut self, node: &Node<'_>, log: bool) -> Found {
        let x = self.live(node, 0)?;
        let (rank, is_old) = (x.shape.len(), node.opset < 13);
        let first = axis(node, node.int("axis").unwrap_or(if is_old { 1 } else { -1 }), rank)?;
        let axes: Vec<usize> = if is_old { (first..rank).collect() } else { vec![first] };
        let (shape, layout) = (x.shape.clone(), Layout::of(&x.shape, &axes));
        let x = self.placed(node, x, layout.clone())?;
        Ok(OnnxValue::Live(self.push(node, OnnxLayer::Softmax { log }, vec![x.layer], shape, layout)?))
    }

    /// `LayerNormalization`.
    pub fn layer_norm(&mut self, node: &Node<'_>) -> Found {
        let x = self.live(node, 0)?;
        let first = axis(node, node.int("axis").unwrap_or(-1), x.shape.len())?;
        let axes: Vec<usize> = (first..x.shape.len()).collect();
        self.standardised(node, x, &axes, None)
    }

    /// `InstanceNormalization`: each channel of each image.
    pub fn instance_norm(&mut self, node: &Node<'_>) -> Found {
        let x = self.live(node, 0)?;
        let axes: Vec<usize> = (2..x.shape.len()).collect();
        let mut shape = vec![1; x.shape.len().saturating_sub(1)];
        shape.iter_mut().zip(x.shape.get(1)).for_each(|(into, &channels)| *into = channels);
        self.standardised(node, x, &axes, Some(shape))
    }

    /// Numbers with mean 0 and variance 1 over some axes, with a factor and an offset of the shape of the constants or of
    /// another one.
    fn standardised(&mut self, node: &Node<'_>, x: Live, axes: &[usize], shape: Option<Vec<usize>>) -> Found {
        let epsilon = node.float("epsilon").unwrap_or(1e-5);
        let gain = self.constant(node, 1)?.ok_or_else(|| node.refused("its factors are missing"))?;
        let bias = self.constant(node, 2)?;
        let (own, layout) = (x.shape.clone(), Layout::of(&x.shape, axes));
        let x = self.placed(node, x, layout.clone())?;
        let x = self.push(node, OnnxLayer::Standardise { epsilon }, vec![x.layer], own, layout)?;
        let factor = numbers(node, 1, &gain)?;
        let offset = match &bias {
            Some(bias) if bias.shape == gain.shape => numbers(node, 2, bias)?.to_vec(),
            None => vec![0.0; factor.len()],
            Some(bias) => return Err(super::value::unequal(node, &gain.shape, &bias.shape)),
        };
        let shape = shape.unwrap_or_else(|| gain.shape.clone());
        if shape.iter().product::<usize>() != factor.len() {
            return Err(super::value::unequal(node, &shape, &gain.shape));
        }
        Ok(OnnxValue::Live(self.scaled(node, x, [factor, &offset], &shape)?))
    }

    /// `MaxPool` and `AveragePool`.
    pub fn pool(&mut self, node: &Node<'_>, is_max: bool) -> Found {
        let x = self.live(node, 0)?;
        let &[images, channels, ref sites @ ..] = &x.shape[..] else { return Err(node.refused("it reads no images")) };
        if node.ints("kernel_shape").is_none() {
            return Err(node.refused("`kernel_shape` is missing: it is the size of its window"));
        }
        let taps = node.sizes("kernel_shape", sites.len(), 1)?;
        let frame = self.frame(node, sites, &taps)?;
        let shape = [&[images, channels], &frame.shape[..]].concat();
        self.admit(node, &shape)?;
        let (layout, result) = (Layout::of(&x.shape, &[1]), Layout::of(&shape, &[1]));
        let counts_padding = node.int("count_include_pad").unwrap_or(0) != 0;
        if counts_padding && node.int("ceil_mode").unwrap_or(0) != 0 {
            return Err(node.refused("`count_include_pad` is not supported together with `ceil_mode`"));
        }
        let x = self.placed(node, x, layout)?;
        let layer = OnnxLayer::Pool { field: frame.field, is_max, counts_padding };
        Ok(OnnxValue::Live(self.push(node, layer, vec![x.layer], shape, result)?))
    }
}

/// A shape without some axes, or with 1 in place of them.
fn without(shape: &[usize], axes: &[usize], keeps: bool) -> Vec<usize> {
    let kept = shape.iter().enumerate().filter(|(at, _)| keeps || !axes.contains(at));
    kept.map(|(at, &size)| if axes.contains(&at) { 1 } else { size }).collect()
}

/// Whole numbers from those of constants, such as sizes.
fn reduced_whole(
    node: &Node<'_>,
    (shape, numbers): (&[usize], &[i64]),
    axes: &[usize],
    keeps: bool,
    reduction: Reduction,
) -> Found {
    let layout = Layout::of(shape, axes);
    let mut rows = vec![0; numbers.len()];
    layout.index.iter().zip(numbers).for_each(|(&at, &number)| rows[at as usize] = number);
    let of = |row: &[i64]| match reduction {
        Reduction::Sum => row.iter().try_fold(0_i64, |sum, &number| sum.checked_add(number)),
        Reduction::Product => row.iter().try_fold(1_i64, |product, &number| product.checked_mul(number)),
        Reduction::Max => row.iter().copied().max(),
        Reduction::Min => row.iter().copied().min(),
        Reduction::Mean => None,
    };
    if rows.is_empty() {
        return Err(node.refused(format!("a value with the shape {shape:?} is empty")));
    }
    let found: Option<Vec<i64>> = rows.chunks_exact(layout.width).map(of).collect();
    let refused = || node.refused("the result of its whole numbers is too large, or a mean");
    Ok(OnnxValue::ints(without(shape, axes, keeps), found.ok_or_else(refused)?))
}
