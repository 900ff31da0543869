//! Operators that compare and choose. Masks are constants: all of them are known before any position.

use std::rc::Rc;

use super::OnnxError;
use super::functions::Function;
use super::layer::{OnnxLayer, PlacedLayer};
use super::layout::{common, repeated};
use super::lowering::{Lowering, MASKED};
use super::node::Node;
use super::tensor::{Numbers, Tensor};
use super::value::{Found, Live, OnnxValue, unequal};

/// From this number on, a softplus is its argument in single precision: the difference is below half of the last place.
const SAME: f32 = 17.0;

impl Lowering {
    /// A comparison of constants, or an operation on truth values.
    pub fn compared(&mut self, node: &Node<'_>, is_true: fn(f64, f64) -> bool) -> Found {
        let both = [0, 1]
            .map(|at| self.constant(node, at).map(|tensor| tensor.unwrap_or_else(|| Rc::new(Tensor::ints(vec![0])))));
        let [x, y] = both;
        let (x, y) = (x?, y?);
        let to = common(&x.shape, &y.shape).ok_or_else(|| unequal(node, &x.shape, &y.shape))?;
        self.admit(node, &to)?;
        let [x, y] = [x, y].map(|tensor| wide(&tensor.picked(to.clone(), &repeated(&tensor.shape, &to))));
        Ok(OnnxValue::ints(to, x.into_iter().zip(y).map(|(x, y)| i64::from(is_true(x, y))).collect()))
    }

    /// Keeps in mind a value that is greater than a bound: the exporter of PyTorch writes `Softplus` with such a mask, which
    /// changes nothing (see [`Lowering::choose`]). Returns whether the node is one.
    ///
    /// # Errors
    /// If an argument is missing, or both depend on the position.
    pub fn keeps_bound(&mut self, node: &Node<'_>) -> Result<bool, OnnxError> {
        let [of, _] = node.inputs() else { return Ok(false) };
        if node.operator() != "Greater" || matches!(self.argument(node, 0)?, OnnxValue::Constant(_)) {
            return Ok(false);
        }
        let bound = self.constant(node, 1)?.and_then(|tensor| tensor.scalar());
        match (bound, node.outputs()) {
            (Some(SAME..), [name]) if self.get(name).is_none() => {
                self.bounds.insert(name.clone(), of.clone());
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// `Where` with a constant condition, and the mask of PyTorch's `Softplus`.
    pub fn choose(&mut self, node: &Node<'_>) -> Found {
        if node.inputs().first().is_some_and(|mask| self.bounds.contains_key(mask)) {
            return self.softplus(node);
        }
        let condition = self.constant(node, 0)?.ok_or_else(|| node.refused("its condition is missing"))?;
        let (x, y) = (self.argument(node, 1)?, self.argument(node, 2)?);
        let refused = || unequal(node, x.shape(), y.shape());
        let to = common(x.shape(), y.shape()).and_then(|both| common(&both, &condition.shape)).ok_or_else(refused)?;
        self.admit(node, &to)?;
        let chosen = wide(&condition);
        if let Some(first) = chosen.first().filter(|first| chosen.iter().all(|one| one == *first)) {
            let value = if *first != 0.0 { x } else { y };
            let own = value.shape().to_vec();
            return self.picked(node, value, to.clone(), || repeated(&own, &to));
        }
        let mask: Vec<bool> = repeated(&condition.shape, &to).iter().map(|&at| chosen[at as usize] != 0.0).collect();
        let (OnnxValue::Constant(x), OnnxValue::Constant(y)) = (x, y) else { return self.mixed(node, to, &mask) };
        let [x, y] = [x, y].map(|tensor| tensor.picked(to.clone(), &repeated(&tensor.shape, &to)));
        match (&x.numbers, &y.numbers) {
            (Numbers::Floats(x), Numbers::Floats(y)) => Ok(OnnxValue::floats(to, chosen_of(x, y, &mask))),
            (Numbers::Ints(x), Numbers::Ints(y)) => Ok(OnnxValue::ints(to, chosen_of(x, y, &mask))),
            _ => Err(node.refused("its arguments are of two types")),
        }
    }

    /// The elements of one value where a mask is true, and of another elsewhere. A number for all of them costs no layer:
    /// attention with a mask has such a one.
    fn mixed(&mut self, node: &Node<'_>, to: Vec<usize>, mask: &[bool]) -> Found {
        let (mut fill, mut parts) = (0.0, Vec::new());
        for (at, is_chosen) in [(1, true), (2, false)] {
            let constant = if let OnnxValue::Constant(tensor) = self.argument(node, at)? { Some(tensor) } else { None };
            if let Some(&[number]) = constant.as_ref().and_then(|tensor| tensor.floats()) {
                fill = number;
                continue;
            }
            let live = self.live(node, at)?;
            parts.push((self.repeated(live, &to), is_chosen));
        }
        let layout = self.like(&parts.iter().map(|(live, _)| live).collect::<Vec<&Live>>(), &to);
        let mut places = Vec::new();
        for (live, is_chosen) in &mut parts {
            let own = |index: &[u32]| -> Vec<u32> {
                index.iter().zip(mask).filter(|(_, is)| **is == *is_chosen).map(|(&at, _)| at).collect()
            };
            places.push(own(&layout.index));
            live.index = own(&live.index).into();
        }
        let (lives, places): (Vec<&Live>, Vec<&[u32]>) =
            (parts.iter().map(|(live, _)| live).collect(), places.iter().map(|to| &to[..]).collect());
        Ok(OnnxValue::Live(self.moved(node, &lives, &places, fill, to, layout)?))
    }

    /// `Where(Greater(x, 20), x, Softplus(x))`: the softplus.
    fn softplus(&self, node: &Node<'_>) -> Found {
        let (x, y) = (self.argument(node, 1)?, self.argument(node, 2)?);
        let [mask, of, _] = node.inputs() else { return Err(node.refused("it has no three arguments")) };
        let is_of = |x: &Live, y: &Live| {
            let PlacedLayer { layer, from, .. } = &self.layers[y.layer];
            matches!(layer, OnnxLayer::Map(Function::Softplus)) && from[..] == [x.layer] && x.index == y.index
        };
        match (&x, &y) {
            (OnnxValue::Live(x), OnnxValue::Live(large)) if self.bounds.get(mask) == Some(of) && is_of(x, large) => {
                Ok(y)
            }
            _ => Err(node.refused(MASKED)),
        }
    }
}

/// The numbers of one list where a mask is true, and of another elsewhere.
fn chosen_of<T: Copy>(x: &[T], y: &[T], mask: &[bool]) -> Vec<T> {
    x.iter().zip(y).zip(mask).map(|((&x, &y), &is_chosen)| if is_chosen { x } else { y }).collect()
}

/// The numbers in double precision, in which comparisons of sizes are exact.
fn wide(tensor: &Tensor) -> Vec<f64> {
    match &tensor.numbers {
        Numbers::Floats(values) => values.iter().map(|&value| f64::from(value)).collect(),
        Numbers::Ints(values) => values.iter().map(|&value| value as f64).collect(),
    }
}
