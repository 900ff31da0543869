//! Operators with products of matrices: fully connected layers, convolutions, and the norms that become part of them.

use super::OnnxError;
use super::layer::{NOTHING, OnnxLayer};
use super::layout::{Layout, common, steps, strided};
use super::lowering::Lowering;
use super::node::Node;
use super::tensor::Tensor;
use super::value::{Found, Live, OnnxValue, last, unequal};
use crate::nets::deep::dense::Dense;

impl Lowering {
    /// `MatMul`.
    pub fn matmul(&mut self, node: &Node<'_>) -> Found {
        let (x, y) = (self.argument(node, 0)?, self.argument(node, 1)?);
        match (x, y) {
            (OnnxValue::Live(x), OnnxValue::Constant(weights)) if weights.shape.len() == 2 => {
                self.dense(node, x, &turned(&weights), None)
            }
            (x, y) => {
                for (at, value) in [&x, &y].into_iter().enumerate() {
                    if let OnnxValue::Constant(tensor) = value {
                        numbers(node, at, tensor)?;
                    }
                    if value.shape().len() < 2 {
                        return Err(node.refused(format!(
                            "`{}` is a vector, with the shape {:?}, and only matrices are multiplied: give it a second \
                             axis with `reshape`",
                            node.inputs()[at],
                            value.shape()
                        )));
                    }
                }
                let (x, y) = (self.live(node, 0)?, self.live(node, 1)?);
                self.product_of_two(node, x, y)
            }
        }
    }

    /// `Gemm`.
    pub fn gemm(&mut self, node: &Node<'_>) -> Found {
        if node.int("transA").unwrap_or(0) != 0 {
            return Err(node.refused("`transA` is not supported"));
        }
        let x = self.live(node, 0)?;
        let weights = self.constant(node, 1)?.ok_or_else(|| node.refused("its weights are missing"))?;
        if x.shape.len() != 2 || weights.shape.len() != 2 {
            return Err(unequal(node, &x.shape, &weights.shape));
        }
        let weights = if node.int("transB").unwrap_or(0) != 0 { (*weights).clone() } else { turned(&weights) };
        let alpha = node.float("alpha").unwrap_or(1.0);
        let product = match self.dense(node, x, &weights, Some(alpha))? {
            OnnxValue::Live(live) => live,
            constant @ OnnxValue::Constant(_) => return Ok(constant),
        };
        let Some(bias) = self.constant(node, 2)? else { return Ok(OnnxValue::Live(product)) };
        let (beta, offset) = (node.float("beta").unwrap_or(1.0), numbers(node, 2, &bias)?);
        let offset: Vec<f32> = offset.iter().map(|number| beta * number).collect();
        Ok(OnnxValue::Live(self.scaled(node, product, [&vec![1.0; offset.len()], &offset], &bias.shape)?))
    }

    /// The product of the last axis with weights `[outputs][inputs]`, times a factor.
    fn dense(&mut self, node: &Node<'_>, x: Live, weights: &Tensor, factor: Option<f32>) -> Found {
        let [outputs, inputs] = weights.shape[..] else { return Err(unequal(node, &x.shape, &weights.shape)) };
        if x.shape.last() != Some(&inputs) || inputs == 0 || outputs == 0 {
            return Err(unequal(node, &x.shape, &weights.shape));
        }
        let factor = factor.unwrap_or(1.0);
        let weights: Vec<f32> = numbers(node, 1, weights)?.iter().map(|weight| weight * factor).collect();
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(node.refused(format!("`alpha` is {factor}: its products with the weights are not finite")));
        }
        let mut shape = x.shape.clone();
        *shape.last_mut().expect("it has a last axis") = outputs;
        self.admit(node, &shape)?;
        let (layout, result) = (Layout::of(&x.shape, &last(&x.shape)), Layout::of(&shape, &last(&shape)));
        let x = self.placed(node, x, layout)?;
        let dense = Dense { weights, bias: vec![0.0; outputs] };
        Ok(OnnxValue::Live(self.push(node, OnnxLayer::Product { dense, relu: false }, vec![x.layer], shape, result)?))
    }

    /// The product of matrices that both depend on the position, over all axes before.
    fn product_of_two(&mut self, node: &Node<'_>, x: Live, y: Live) -> Found {
        let refused = || unequal(node, &x.shape, &y.shape);
        let ([.., rows, inner], [.., own, columns]) = (&x.shape[..], &y.shape[..]) else { return Err(refused()) };
        let (before_x, before_y) = (&x.shape[..x.shape.len() - 2], &y.shape[..y.shape.len() - 2]);
        let before = common(before_x, before_y).filter(|_| inner == own).ok_or_else(refused)?;
        let [x_shape, y_shape, shape] =
            [[*rows, *inner], [*inner, *columns], [*rows, *columns]].map(|two| [&before[..], &two].concat());
        for shape in [&x_shape, &y_shape, &shape] {
            self.admit(node, shape)?;
        }
        let (batches, inner) = (before.iter().product(), *inner);
        let (x, y) = (self.repeated(x, &x_shape), self.repeated(y, &y_shape));
        let x = self.placed(node, x, Layout::of(&x_shape, &last(&x_shape)))?;
        let y = self.placed(node, y, Layout::of(&y_shape, &last(&y_shape)))?;
        let layout = Layout::of(&shape, &last(&shape));
        let layer = OnnxLayer::Multiply { batches, inner };
        Ok(OnnxValue::Live(self.push(node, layer, vec![x.layer, y.layer], shape, layout)?))
    }

    /// `Conv`, of one or two dimensions.
    pub fn convolution(&mut self, node: &Node<'_>) -> Found {
        let (x, weights) =
            (self.live(node, 0)?, self.constant(node, 1)?.ok_or_else(|| node.refused("its weights are missing"))?);
        let refused = || unequal(node, &x.shape, &weights.shape);
        let (&[images, channels, ref sites @ ..], &[outputs, inputs, ref taps @ ..]) =
            (&x.shape[..], &weights.shape[..])
        else {
            return Err(refused());
        };
        let groups = groups(node)?;
        require_kernel(node, taps)?;
        let fits = inputs.checked_mul(groups) == Some(channels) && outputs.is_multiple_of(groups);
        if !fits || sites.len() != taps.len() || outputs * inputs == 0 {
            return Err(refused());
        }
        let frame = self.frame(node, sites, taps)?;
        let count = outputs.saturating_mul(channels).saturating_mul(frame.field.taps());
        self.spend(count).map_err(|error| node.refused(error.to_string()))?;
        let dense = Dense {
            weights: by_tap(numbers(node, 1, &weights)?, [outputs, inputs, frame.field.taps()], groups),
            bias: self.bias(node, outputs)?,
        };
        let shape = [&[images, outputs], &frame.shape[..]].concat();
        let (layout, result) = (Layout::of(&x.shape, &[1]), Layout::of(&shape, &[1]));
        self.admit(node, &shape)?;
        let x = self.placed(node, x, layout)?;
        let is_point = frame.field.taps() == 1
            && frame.field.outputs == frame.field.area()
            && !frame.field.sites.contains(&NOTHING);
        let layer = match is_point {
            true => OnnxLayer::Product { dense, relu: false },
            false => OnnxLayer::Convolution { dense, field: frame.field, relu: false },
        };
        Ok(OnnxValue::Live(self.push(node, layer, vec![x.layer], shape, result)?))
    }

    /// `ConvTranspose` of single sites.
    pub fn transposed_convolution(&mut self, node: &Node<'_>) -> Found {
        let (x, weights) =
            (self.live(node, 0)?, self.constant(node, 1)?.ok_or_else(|| node.refused("its weights are missing"))?);
        let (&[_, channels, ..], &[inputs, outputs, ref taps @ ..]) = (&x.shape[..], &weights.shape[..]) else {
            return Err(unequal(node, &x.shape, &weights.shape));
        };
        require_kernel(node, taps)?;
        require_single_sites(node, taps)?;
        if channels != inputs {
            return Err(unequal(node, &x.shape, &weights.shape));
        }
        let flat = Tensor { shape: vec![inputs, outputs], numbers: weights.numbers.clone() };
        let dense = Dense { weights: numbers(node, 1, &turned(&flat))?.to_vec(), bias: self.bias(node, outputs)? };
        let mut shape = x.shape.clone();
        shape[1] = outputs;
        self.admit(node, &shape)?;
        let (layout, result) = (Layout::of(&x.shape, &[1]), Layout::of(&shape, &[1]));
        let x = self.placed(node, x, layout)?;
        Ok(OnnxValue::Live(self.push(node, OnnxLayer::Product { dense, relu: false }, vec![x.layer], shape, result)?))
    }

    /// The biases of a convolution, or zeros.
    fn bias(&self, node: &Node<'_>, outputs: usize) -> Result<Vec<f32>, OnnxError> {
        let Some(bias) = self.constant(node, 2)? else { return Ok(vec![0.0; outputs]) };
        let bias = numbers(node, 2, &bias)?.to_vec();
        if bias.len() == outputs {
            Ok(bias)
        } else {
            Err(node.refused(format!("{} biases for {outputs} outputs", bias.len())))
        }
    }

    /// `BatchNormalization` with stored moments.
    pub fn batch_norm(&mut self, node: &Node<'_>) -> Found {
        if node.int("training_mode").unwrap_or(0) != 0 {
            return Err(node.refused("the model is in training: call `model.eval()` before the export"));
        }
        let (x, epsilon) = (self.live(node, 0)?, f64::from(node.float("epsilon").unwrap_or(1e-5)));
        let mut all = Vec::new();
        for at in 1..5 {
            let tensor = self.constant(node, at)?.ok_or_else(|| node.refused("a list of its parameters is missing"))?;
            all.push(numbers(node, at, &tensor)?.iter().map(|&number| f64::from(number)).collect::<Vec<f64>>());
        }
        let channels = x.shape.get(1).copied().unwrap_or(0);
        if channels == 0 || all.iter().any(|list| list.len() != channels) {
            return Err(node.refused(format!("its parameters are not those of {channels} channels")));
        }
        let factors: Vec<f64> = (0..channels).map(|at| all[0][at] / (all[3][at] + epsilon).sqrt()).collect();
        let offset: Vec<f32> = (0..channels).map(|at| (all[1][at] - all[2][at] * factors[at]) as f32).collect();
        let factor: Vec<f32> = factors.iter().map(|&factor| factor as f32).collect();
        if let Some(at) = (0..channels).find(|&at| !(factor[at].is_finite() && offset[at].is_finite())) {
            return Err(node.refused(format!(
                "channel {at} has the mean {} and the variance {}, and so no finite factor: a variance is not negative, and \
                 above 0 with `epsilon`",
                all[2][at], all[3][at]
            )));
        }
        let mut shape = vec![1; x.shape.len() - 1];
        shape[0] = channels;
        Ok(OnnxValue::Live(self.scaled(node, x, [&factor, &offset], &shape)?))
    }
}

/// The number of groups of a convolution.
fn groups(node: &Node<'_>) -> Result<usize, OnnxError> {
    let group = node.int("group").unwrap_or(1);
    let groups = usize::try_from(group).ok().filter(|&groups| groups > 0);
    groups.ok_or_else(|| node.refused(format!("`group` is {group}, and at least 1 is needed")))
}

/// Requires that the window of a convolution, if it is named, is that of its weights.
fn require_kernel(node: &Node<'_>, taps: &[usize]) -> Result<(), OnnxError> {
    let named = node.ints("kernel_shape");
    let fits = |named: &[i64]| named.iter().map(|&size| usize::try_from(size).ok()).eq(taps.iter().copied().map(Some));
    match named.filter(|named| !fits(named)) {
        Some(named) => {
            Err(node.refused(format!("`kernel_shape` is {named:?}, and the window of its weights {taps:?}")))
        }
        None => Ok(()),
    }
}

/// Requires that a transposed convolution reads one site for each output, so that it is a product.
fn require_single_sites(node: &Node<'_>, taps: &[usize]) -> Result<(), OnnxError> {
    let only = "only transposed convolutions of single sites are supported";
    for (name, wanted) in [("strides", 1), ("dilations", 1), ("pads", 0), ("output_padding", 0)] {
        if let Some(sizes) = node.ints(name).filter(|sizes| sizes.iter().any(|&size| size != wanted)) {
            return Err(node.refused(format!("`{name}` is {sizes:?}, and {only}, with {wanted} for each axis")));
        }
    }
    if groups(node)? != 1 {
        return Err(node.refused(format!("`group` is {}, and {only}, with one group", groups(node)?)));
    }
    if node.ints("output_shape").is_some() {
        return Err(node.refused(format!("`output_shape` is set, and {only}")));
    }
    match taps.iter().any(|&tap| tap != 1) {
        true => Err(node.refused(format!("the window of its weights is {taps:?}, and {only}"))),
        false => Ok(()),
    }
}

/// The numbers of a constant with weights, the argument `at` of a node. They are finite: a product of another one with 0
/// would be NaN.
pub fn numbers<'a>(node: &Node<'_>, at: usize, tensor: &'a Tensor) -> Result<&'a [f32], OnnxError> {
    let numbers = tensor.floats().ok_or_else(|| node.refused("its parameters are whole numbers"))?;
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(node.refused(format!(
            "its weights `{}` have the number {number}: they may have diverged in training",
            node.inputs()[at]
        ))),
        None => Ok(numbers),
    }
}

/// A matrix with rows as columns.
fn turned(matrix: &Tensor) -> Tensor {
    let [rows, columns] = matrix.shape[..] else { return matrix.clone() };
    let own = steps(&matrix.shape);
    matrix.picked(vec![columns, rows], &strided(&[columns, rows], &[own[1], own[0]], 0))
}

/// Weights `[output][channel of its group][tap]` as `[output][tap][channel]`, with zeros for the channels of other groups.
fn by_tap(weights: &[f32], [outputs, inputs, taps]: [usize; 3], groups: usize) -> Vec<f32> {
    let channels = inputs * groups;
    let mut found = vec![0.0; outputs * taps * channels];
    for output in 0..outputs {
        let first = output / (outputs / groups) * inputs;
        for channel in 0..inputs {
            for tap in 0..taps {
                found[(output * taps + tap) * channels + first + channel] =
                    weights[(output * inputs + channel) * taps + tap];
            }
        }
    }
    found
}
