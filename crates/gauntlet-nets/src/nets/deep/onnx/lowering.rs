//! The state of a conversion from nodes to layers: the values so far, and the layers.

use std::collections::HashMap;
use std::rc::Rc;

use super::OnnxError;
use super::functions::{Function, Pairwise};
use super::layer::{OnnxLayer, PlacedLayer};
use super::layout::{Layout, common, repeated, runs};
use super::node::Node;
use super::tensor::{MOST_NUMBERS, Tensor, count};
use super::value::{Live, OnnxValue, last, unequal, usual};

/// Maximum number of numbers of all values and weights of layers together.
const MOST_SPENT: usize = 8 * MOST_NUMBERS;

/// The reason why a mask that depends on the position is refused.
pub const MASKED: &str = "a mask that depends on the position is only supported in the softplus of PyTorch, \
                          `Where(Greater(x, 20), x, Softplus(x))`";

/// A conversion.
#[derive(Debug, Default)]
pub struct Lowering {
    /// The layers, in the order of computation.
    pub layers: Vec<PlacedLayer>,
    values: HashMap<String, OnnxValue>,
    /// Number of readers of each value.
    uses: HashMap<String, usize>,
    /// The value of which each mask of a softplus says whether it is large.
    pub bounds: HashMap<String, String>,
    spent: usize,
}

impl Lowering {
    /// A conversion of nodes with these arguments and outputs.
    pub fn new<'a>(read: impl Iterator<Item = &'a str>) -> Lowering {
        let mut uses = HashMap::new();
        read.for_each(|name| *uses.entry(name.to_owned()).or_default() += 1);
        Lowering { uses, ..Lowering::default() }
    }

    /// Names a value. Returns whether the name is new.
    pub fn set(&mut self, name: &str, value: OnnxValue) -> bool {
        self.values.insert(name.to_owned(), value).is_none() && !self.bounds.contains_key(name)
    }

    /// Whether a node or an output reads this name.
    pub fn is_read(&self, name: &str) -> bool {
        self.uses.contains_key(name)
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<OnnxValue> {
        let value = self.values.get(name)?.clone();
        Some(match value {
            OnnxValue::Live(live) => {
                OnnxValue::Live(Live { is_own: live.is_own && self.uses.get(name) == Some(&1), ..live })
            }
            constant => constant,
        })
    }

    /// An argument of a node; `None` if it is left out.
    ///
    /// # Errors
    /// If nothing before has this name: the graph has a cycle, or its nodes are not in order.
    pub fn optional(&self, node: &Node<'_>, at: usize) -> Result<Option<OnnxValue>, OnnxError> {
        let Some(name) = node.inputs().get(at).filter(|name| !name.is_empty()) else { return Ok(None) };
        let refused = || match self.bounds.contains_key(name) {
            true => node.refused(MASKED),
            false => {
                node.refused(format!("nothing before it computes `{name}`: the graph has a cycle, or is incomplete"))
            }
        };
        self.get(name).map(Some).ok_or_else(refused)
    }

    /// An argument of a node.
    ///
    /// # Errors
    /// If it is left out, or nothing before has this name.
    pub fn argument(&self, node: &Node<'_>, at: usize) -> Result<OnnxValue, OnnxError> {
        self.optional(node, at)?.ok_or_else(|| node.refused(format!("argument {} is missing", at + 1)))
    }

    /// A constant argument; `None` if it is left out.
    ///
    /// # Errors
    /// If it depends on the position.
    pub fn constant(&self, node: &Node<'_>, at: usize) -> Result<Option<Rc<Tensor>>, OnnxError> {
        match self.optional(node, at)? {
            None => Ok(None),
            Some(OnnxValue::Constant(tensor)) => Ok(Some(tensor)),
            Some(OnnxValue::Live(_)) => {
                Err(node.refused(format!("argument {} must be a constant, and depends on the position", at + 1)))
            }
        }
    }

    /// Whole numbers: a constant argument, or a setting of older versions.
    ///
    /// # Errors
    /// If it depends on the position, or holds other numbers.
    pub fn whole(&self, node: &Node<'_>, at: usize, setting: &str) -> Result<Option<Vec<i64>>, OnnxError> {
        if let Some(ints) = node.ints(setting) {
            return Ok(Some(ints.to_vec()));
        }
        let Some(tensor) = self.constant(node, at)? else { return Ok(None) };
        let whole = tensor.whole().map(<[i64]>::to_vec);
        whole.map(Some).ok_or_else(|| node.refused(format!("argument {} must hold whole numbers", at + 1)))
    }

    /// An argument that is computed for each position; a constant becomes one.
    ///
    /// # Errors
    /// If it is left out, or holds whole numbers.
    pub fn live(&mut self, node: &Node<'_>, at: usize) -> Result<Live, OnnxError> {
        match self.argument(node, at)? {
            OnnxValue::Live(live) => Ok(live),
            OnnxValue::Constant(tensor) => self.fixed(node, &tensor),
        }
    }

    /// A constant as a value of each position.
    fn fixed(&mut self, node: &Node<'_>, tensor: &Tensor) -> Result<Live, OnnxError> {
        let numbers = tensor
            .floats()
            .ok_or_else(|| node.refused("whole numbers take no part in sums and products with numbers of positions"))?;
        let layout = Layout::of(&tensor.shape, &last(&tensor.shape));
        let mut placed = vec![0.0; numbers.len()];
        layout.index.iter().zip(numbers).for_each(|(&at, &number)| placed[at as usize] = number);
        self.push(node, OnnxLayer::Fixed(placed), vec![], tensor.shape.clone(), layout)
    }

    /// Counts numbers towards the limit of all values.
    ///
    /// # Errors
    /// [`OnnxError::Limit`] if there are too many.
    pub fn spend(&mut self, numbers: usize) -> Result<(), OnnxError> {
        self.spent = self.spent.saturating_add(numbers);
        let limit =
            || OnnxError::Limit { what: "the number of numbers of all values".to_owned(), most: MOST_SPENT as u64 };
        if self.spent > MOST_SPENT { Err(limit()) } else { Ok(()) }
    }

    /// Checks a shape before anything of its size exists. Returns the number of its elements.
    ///
    /// # Errors
    /// If it is too large, or empty.
    pub fn admit(&mut self, node: &Node<'_>, shape: &[usize]) -> Result<usize, OnnxError> {
        let numbers = count(shape, "a value").map_err(|error| node.refused(error.to_string()))?;
        self.spend(numbers).map_err(|error| node.refused(error.to_string()))?;
        Ok(numbers)
    }

    /// Adds a layer whose result has this shape and lies like this.
    ///
    /// # Errors
    /// If the result is too large, or empty.
    pub fn push(
        &mut self,
        node: &Node<'_>,
        layer: OnnxLayer,
        from: Vec<usize>,
        shape: Vec<usize>,
        layout: Layout,
    ) -> Result<Live, OnnxError> {
        let Layout { rows, width, index } = layout;
        if rows * width == 0 {
            return Err(node.refused(format!("a value with the shape {shape:?} is empty")));
        }
        self.spend(rows * width.next_multiple_of(16)).map_err(|error| node.refused(error.to_string()))?;
        self.layers.push(PlacedLayer { layer, from, rows, width });
        Ok(Live { layer: self.layers.len() - 1, shape, index, is_own: true })
    }

    /// The same value in other rows.
    ///
    /// # Errors
    /// If it is too large.
    pub fn placed(&mut self, node: &Node<'_>, x: Live, layout: Layout) -> Result<Live, OnnxError> {
        let PlacedLayer { rows, width, .. } = self.layers[x.layer];
        if (rows, width) == (layout.rows, layout.width) && x.index == layout.index {
            return Ok(x);
        }
        self.moved(node, &[&x], &[&layout.index], 0.0, x.shape.clone(), layout.clone())
    }

    /// A value whose elements are those of others: element `i` of argument `a` goes to place `to[a][i]` of the layout;
    /// all other places hold `fill`.
    ///
    /// # Errors
    /// If it is too large.
    pub fn moved(
        &mut self,
        node: &Node<'_>,
        from: &[&Live],
        to: &[&[u32]],
        fill: f32,
        shape: Vec<usize>,
        layout: Layout,
    ) -> Result<Live, OnnxError> {
        let mut all = Vec::new();
        for (argument, (live, to)) in from.iter().zip(to).enumerate() {
            let widths = [self.layers[live.layer].width, layout.width];
            runs(argument, live.index.iter().copied().zip(to.iter().copied()), widths, &mut all);
        }
        let from = from.iter().map(|live| live.layer).collect();
        self.push(node, OnnxLayer::Move { runs: all, fill }, from, shape, layout)
    }

    /// Whether each number of the layer's rows is an element once.
    fn is_whole(&self, x: &Live) -> bool {
        let PlacedLayer { rows, width, .. } = self.layers[x.layer];
        let mut seen = vec![false; rows * width];
        x.index.len() == seen.len() && x.index.iter().all(|&at| !std::mem::replace(&mut seen[at as usize], true))
    }

    /// The layout of the first of some values of this shape whose rows hold each element once, or else the usual one.
    pub fn like(&self, values: &[&Live], shape: &[usize]) -> Layout {
        match values.iter().find(|value| self.is_whole(value)) {
            Some(Live { layer, index, .. }) => {
                let PlacedLayer { rows, width, .. } = self.layers[*layer];
                Layout { rows, width, index: Rc::clone(index) }
            }
            None => Layout::of(shape, &usual(shape)),
        }
    }

    /// The value repeated to a larger shape, by a list of elements.
    pub fn repeated(&self, x: Live, to: &[usize]) -> Live {
        if x.shape == to {
            return x;
        }
        let index = repeated(&x.shape, to).iter().map(|&at| x.index[at as usize]).collect();
        Live { shape: to.to_vec(), index, ..x }
    }

    /// The value so that each number of its rows is an element once.
    fn whole_rows(&mut self, node: &Node<'_>, x: Live) -> Result<Live, OnnxError> {
        if self.is_whole(&x) {
            return Ok(x);
        }
        let layout = Layout::of(&x.shape, &usual(&x.shape));
        self.placed(node, x, layout)
    }

    /// A factor and an offset for each element, both of a shape that repeats to that of the value or to a larger one. They
    /// become part of the product before it, if nothing else reads that.
    ///
    /// # Errors
    /// If the shapes do not fit.
    pub fn scaled(
        &mut self,
        node: &Node<'_>,
        x: Live,
        [factor, offset]: [&[f32]; 2],
        shape: &[usize],
    ) -> Result<Live, OnnxError> {
        let to = common(&x.shape, shape).ok_or_else(|| unequal(node, &x.shape, shape))?;
        self.admit(node, &to)?;
        let x = self.repeated(x, &to);
        let x = self.whole_rows(node, x)?;
        let PlacedLayer { rows, width, .. } = self.layers[x.layer];
        let of = repeated(shape, &to);
        let spread = |numbers: &[f32]| {
            let mut placed = vec![0.0; rows * width];
            x.index.iter().zip(&of).for_each(|(&at, &of)| placed[at as usize] = numbers[of as usize]);
            let is_alike = placed.chunks_exact(width).all(|row| row == &placed[..width]);
            placed.truncate(if is_alike { width } else { rows * width });
            placed
        };
        let [mut factor, mut offset] = [factor, offset].map(spread);
        if factor.len() == width
            && offset.len() == width
            && x.is_own
            && let OnnxLayer::Product { dense, relu: false } | OnnxLayer::Convolution { dense, relu: false, .. } =
                &mut self.layers[x.layer].layer
        {
            let folded = dense.clone().scaled(&factor, &offset);
            if !folded.weights.iter().all(|weight| weight.is_finite()) {
                return Err(node.refused("with its factors, the weights before it are too large for single precision"));
            }
            *dense = folded;
            return Ok(x);
        }
        let most = factor.len().max(offset.len());
        for numbers in [&mut factor, &mut offset] {
            *numbers = numbers.repeat(most / numbers.len());
        }
        let layout = Layout { rows, width, index: x.index };
        self.push(node, OnnxLayer::Scale { factor, offset, relu: false }, vec![x.layer], x.shape, layout)
    }

    /// A function of each element; a ReLU becomes part of the layer before it, if nothing else reads that.
    ///
    /// # Errors
    /// If the value is too large.
    pub fn mapped(&mut self, node: &Node<'_>, x: Live, function: Function) -> Result<Live, OnnxError> {
        let x = if x.index.len() < self.layers[x.layer].rows * self.layers[x.layer].width {
            self.whole_rows(node, x)?
        } else {
            x
        };
        if function == Function::Relu
            && x.is_own
            && let OnnxLayer::Product { relu, .. }
            | OnnxLayer::Convolution { relu, .. }
            | OnnxLayer::Scale { relu, .. }
            | OnnxLayer::Pair { relu, .. } = &mut self.layers[x.layer].layer
        {
            *relu = true;
            return Ok(x);
        }
        let PlacedLayer { rows, width, .. } = self.layers[x.layer];
        let layout = Layout { rows, width, index: x.index };
        self.push(node, OnnxLayer::Map(function), vec![x.layer], x.shape, layout)
    }

    /// A function of the elements of two values.
    ///
    /// # Errors
    /// If the shapes do not fit.
    pub fn paired(&mut self, node: &Node<'_>, x: Live, y: Live, pairwise: Pairwise) -> Result<Live, OnnxError> {
        let to = common(&x.shape, &y.shape).ok_or_else(|| unequal(node, &x.shape, &y.shape))?;
        self.admit(node, &to)?;
        let (x, y) = (self.repeated(x, &to), self.repeated(y, &to));
        let layout = self.like(&[&x, &y], &to);
        let x = self.placed(node, x, layout.clone())?;
        let y = self.placed(node, y, layout.clone())?;
        self.push(node, OnnxLayer::Pair { pairwise, relu: false }, vec![x.layer, y.layer], to, layout)
    }

    /// Other elements of a value: the shape, and the element of each of its own.
    ///
    /// # Errors
    /// If the shape is too large.
    pub fn picked(
        &mut self,
        node: &Node<'_>,
        value: OnnxValue,
        shape: Vec<usize>,
        index: impl FnOnce() -> Vec<u32>,
    ) -> Result<OnnxValue, OnnxError> {
        self.admit(node, &shape)?;
        let index = index();
        Ok(match value {
            OnnxValue::Constant(tensor) => OnnxValue::Constant(Rc::new(tensor.picked(shape, &index))),
            OnnxValue::Live(live) => {
                let index = index.iter().map(|&at| live.index[at as usize]).collect();
                OnnxValue::Live(Live { shape, index, ..live })
            }
        })
    }
}
