//! Operators that move elements and compute none.

use super::OnnxError;
use super::layout::{Layout, common, repeated, steps, strided};
use super::lowering::Lowering;
use super::node::Node;
use super::tensor::Numbers;
use super::value::{Found, Live, OnnxValue, axis, usual};

impl Lowering {
    /// `Reshape`: 0 keeps a size, and -1 is the one that is left.
    pub fn reshape(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let wanted = self.whole(node, 1, "shape")?.ok_or_else(|| node.refused("the new shape is missing"))?;
        let (own, keeps_zero) = (x.shape().to_vec(), node.int("allowzero").unwrap_or(0) != 0);
        let refused = || node.refused(format!("the shape {own:?} cannot become {wanted:?}"));
        let size = |(at, &size): (usize, &i64)| match size {
            0 if !keeps_zero => own.get(at).copied(),
            -1 => Some(1),
            size => usize::try_from(size).ok(),
        };
        let mut shape = wanted.iter().enumerate().map(size).collect::<Option<Vec<usize>>>().ok_or_else(refused)?;
        let numbers: usize = own.iter().product();
        let known = shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size)).ok_or_else(refused)?;
        if let Some(free) = wanted.iter().position(|&size| size == -1) {
            shape[free] = numbers.checked_div(known).ok_or_else(refused)?;
        }
        if shape.iter().product::<usize>() != numbers || wanted.iter().filter(|&&size| size == -1).count() > 1 {
            return Err(refused());
        }
        Ok(x.reshaped(shape))
    }

    /// `Flatten`: all axes before one, and all others.
    pub fn flatten(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let (wanted, rank) = (node.int("axis").unwrap_or(1), x.shape().len());
        let before = if wanted == rank as i64 { rank } else { axis(node, wanted, rank)? };
        let shape = vec![x.shape()[..before].iter().product(), x.shape()[before..].iter().product()];
        Ok(x.reshaped(shape))
    }

    /// `Squeeze`: leaves axes of size 1 out.
    pub fn squeeze(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let rank = x.shape().len();
        let axes = match self.whole(node, 1, "axes")? {
            Some(axes) => axes.iter().map(|&at| axis(node, at, rank)).collect::<Result<Vec<_>, _>>()?,
            None => (0..rank).filter(|&at| x.shape()[at] == 1).collect(),
        };
        if let Some(at) = axes.iter().find(|&&at| x.shape()[at] != 1) {
            return Err(node.refused(format!("axis {at} of the shape {:?} is not 1", x.shape())));
        }
        let shape = x.shape().iter().enumerate().filter(|(at, _)| !axes.contains(at)).map(|(_, &size)| size).collect();
        Ok(x.reshaped(shape))
    }

    /// `Unsqueeze`: inserts axes of size 1.
    pub fn unsqueeze(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let axes = self.whole(node, 1, "axes")?.ok_or_else(|| node.refused("the axes are missing"))?;
        let rank = x.shape().len() + axes.len();
        let axes = axes.iter().map(|&at| axis(node, at, rank)).collect::<Result<Vec<_>, _>>()?;
        let mut own = x.shape().iter();
        let shape: Vec<usize> =
            (0..rank).filter_map(|at| if axes.contains(&at) { Some(1) } else { own.next().copied() }).collect();
        if shape.len() != rank {
            return Err(node.refused("it names an axis twice"));
        }
        Ok(x.reshaped(shape))
    }

    /// `Transpose`.
    pub fn transpose(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let rank = x.shape().len();
        let order = match node.ints("perm") {
            Some(order) => order.iter().map(|&at| axis(node, at, rank)).collect::<Result<Vec<_>, _>>()?,
            None => (0..rank).rev().collect(),
        };
        if order.len() != rank || !(0..rank).all(|at| order.contains(&at)) {
            return Err(node.refused(format!("`perm` is no order of {rank} axes")));
        }
        let own = steps(x.shape());
        let shape: Vec<usize> = order.iter().map(|&at| x.shape()[at]).collect();
        let along: Vec<isize> = order.iter().map(|&at| own[at]).collect();
        self.picked(node, x, shape.clone(), || strided(&shape, &along, 0))
    }

    /// `Expand`: repeats a value to a larger shape.
    pub fn expand(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let wanted = self.whole(node, 1, "shape")?.unwrap_or_default();
        let wanted: Option<Vec<usize>> = wanted.iter().map(|&size| usize::try_from(size).ok()).collect();
        let own = x.shape().to_vec();
        let shape = wanted
            .and_then(|wanted| common(&own, &wanted))
            .ok_or_else(|| node.refused(format!("the shape {own:?} cannot be repeated to the one that it names")))?;
        self.picked(node, x, shape.clone(), || repeated(&own, &shape))
    }

    /// `Tile`: a value side by side with itself, along each axis as often as it says.
    pub fn tile(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let times = self.whole(node, 1, "repeats")?.ok_or_else(|| node.refused("`repeats` is missing"))?;
        let own = x.shape().to_vec();
        let all = |(&size, &times): (&usize, &i64)| usize::try_from(times).ok()?.checked_mul(size);
        let shape: Option<Vec<usize>> = own.iter().zip(&times).map(all).collect();
        let shape = shape.filter(|_| times.len() == own.len()).ok_or_else(|| {
            node.refused(format!("`repeats` is {times:?}, not a number for each axis of the shape {own:?}"))
        })?;
        let along: Vec<(usize, usize, usize)> =
            shape.iter().zip(&own).zip(steps(&own)).map(|((&to, &size), step)| (to, size, step as usize)).collect();
        self.picked(node, x, shape, || {
            let all = |bases: Vec<usize>, &(to, size, step): &(usize, usize, usize)| {
                bases.into_iter().flat_map(|base| (0..to).map(move |at| base + at % size * step)).collect()
            };
            along.iter().fold(vec![0], all).into_iter().map(|at| at as u32).collect()
        })
    }

    /// `Slice`, by arguments or, before version 10, by settings.
    pub fn slice(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let missing = || node.refused("its bounds are missing");
        let starts = self.whole(node, 1, "starts")?.ok_or_else(missing)?;
        let ends = self.whole(node, 2, "ends")?.ok_or_else(missing)?;
        let axes = self.whole(node, 3, "axes")?.unwrap_or_else(|| (0..starts.len() as i64).collect());
        let strides = self.whole(node, 4, "steps")?.unwrap_or_else(|| vec![1; starts.len()]);
        if [ends.len(), axes.len(), strides.len()].iter().any(|&count| count != starts.len()) {
            return Err(node.refused("its bounds, axes and steps are not equally many"));
        }
        let (mut shape, mut along, mut first) = (x.shape().to_vec(), steps(x.shape()), 0);
        for (at, &wanted) in axes.iter().enumerate() {
            let axis = axis(node, wanted, shape.len())?;
            let (start, count) = span(x.shape()[axis] as i64, starts[at], ends[at], strides[at])
                .ok_or_else(|| node.refused("a step of 0 leads nowhere"))?;
            first += start as isize * along[axis];
            along[axis] *= strides[at] as isize;
            shape[axis] = count;
        }
        self.picked(node, x, shape.clone(), || strided(&shape, &along, first))
    }

    /// `Gather` with constant indices.
    pub fn gather(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let indices = self.constant(node, 1)?.ok_or_else(|| node.refused("its indices are missing"))?;
        let along = axis(node, node.int("axis").unwrap_or(0), x.shape().len())?;
        let size = x.shape()[along] as i64;
        let whole = indices.whole().ok_or_else(|| node.refused("its indices are not whole numbers"))?;
        let at = |&at: &i64| {
            usize::try_from(if at < 0 { at.saturating_add(size) } else { at }).ok().filter(|&at| (at as i64) < size)
        };
        let list: Option<Vec<usize>> = whole.iter().map(at).collect();
        let list = list.ok_or_else(|| node.refused(format!("an index lies outside an axis of {size}")))?;
        let shape = [&x.shape()[..along], &indices.shape, &x.shape()[along + 1..]].concat();
        let (behind, before): (usize, usize) =
            (x.shape()[along + 1..].iter().product(), x.shape()[..along].iter().product());
        let size = size as usize;
        self.picked(node, x, shape, || {
            let block = |before: usize| list.iter().map(move |&at| (before * size + at) * behind);
            let blocks = (0..before).flat_map(block);
            blocks.flat_map(|first| (first..first + behind).map(|at| at as u32)).collect()
        })
    }

    /// `Split`: the parts of a value along an axis.
    pub fn split(&mut self, node: &Node<'_>) -> Result<Vec<OnnxValue>, OnnxError> {
        let x = self.argument(node, 0)?;
        let along = axis(node, node.int("axis").unwrap_or(0), x.shape().len())?;
        let (size, parts) = (x.shape()[along], node.outputs().len());
        let even = || {
            (0..parts)
                .map(|at| {
                    (size.div_ceil(parts.max(1)).min(size.saturating_sub(at * size.div_ceil(parts.max(1))))) as i64
                })
                .collect()
        };
        let sizes: Vec<i64> = self.whole(node, 1, "split")?.unwrap_or_else(even);
        let sizes: Option<Vec<usize>> = sizes.iter().map(|&size| usize::try_from(size).ok()).collect();
        let fits = |sizes: &Vec<usize>| {
            sizes.len() == parts && sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size)) == Some(size)
        };
        let sizes = sizes.filter(fits).ok_or_else(|| node.refused(format!("its parts do not add up to {size}")))?;
        let (mut first, along_all, mut found) = (0, steps(x.shape()), Vec::new());
        for size in sizes {
            let mut shape = x.shape().to_vec();
            shape[along] = size;
            let start = first as isize * along_all[along];
            found.push(self.picked(node, x.clone(), shape.clone(), || strided(&shape, &along_all, start))?);
            first += size;
        }
        Ok(found)
    }

    /// `Pad` with a constant number.
    pub fn pad(&mut self, node: &Node<'_>) -> Found {
        let x = self.live(node, 0)?;
        if !matches!(node.word("mode"), None | Some("constant")) {
            return Err(node.refused("only `mode = constant` is supported"));
        }
        let rank = x.shape.len();
        let pads = self.whole(node, 1, "pads")?.ok_or_else(|| node.refused("`pads` is missing"))?;
        let axes = self.whole(node, 3, "axes")?.unwrap_or_else(|| (0..rank as i64).collect());
        let fill = match self.constant(node, 2)? {
            Some(tensor) => tensor.scalar().ok_or_else(|| node.refused("it pads with more than one number"))?,
            None => node.float("value").unwrap_or(0.0),
        };
        let (mut shape, mut before) = (x.shape.clone(), vec![0; rank]);
        let size = |at: usize| pads.get(at).and_then(|&pad| usize::try_from(pad).ok()).filter(|&pad| pad <= 4096);
        for (at, &wanted) in axes.iter().enumerate() {
            let refused = || node.refused(format!("`pads` is {pads:?}, not two sizes from 0 to 4096 for each axis"));
            let axis = axis(node, wanted, rank)?;
            let (front, back) = size(at).zip(size(at + axes.len())).ok_or_else(refused)?;
            before[axis] = front;
            shape[axis] += front + back;
        }
        self.admit(node, &shape)?;
        let layout = Layout::of(&shape, &usual(&shape));
        let along = steps(&shape);
        let first = before.iter().zip(&along).map(|(&size, step)| size as isize * step).sum();
        let to: Vec<u32> = strided(&x.shape, &along, first).iter().map(|&at| layout.index[at as usize]).collect();
        Ok(OnnxValue::Live(self.moved(node, &[&x], &[&to], fill, shape, layout)?))
    }

    /// `Dropout`: it changes no number outside training.
    pub fn dropout(&mut self, node: &Node<'_>) -> Found {
        let trains = self.whole(node, 2, "training_mode")?.is_some_and(|trains| trains.iter().any(|on| *on != 0));
        match trains {
            true => Err(node.refused("it drops numbers at random: export the network after `model.eval()`")),
            false => self.argument(node, 0),
        }
    }

    /// `Concat`.
    pub fn concat(&mut self, node: &Node<'_>) -> Found {
        let parts = (0..node.inputs().len()).map(|at| self.argument(node, at)).collect::<Result<Vec<_>, _>>()?;
        let first = parts.first().ok_or_else(|| node.refused("it has no arguments"))?.shape().to_vec();
        let along = axis(node, node.int("axis").unwrap_or(0), first.len())?;
        let mut shape = first.clone();
        shape[along] = 0;
        for part in &parts {
            let is_alike = |at: usize| at == along || part.shape()[at] == first[at];
            if part.shape().len() != first.len() || !(0..first.len()).all(is_alike) {
                return Err(super::value::unequal(node, &first, part.shape()));
            }
            shape[along] += part.shape()[along];
        }
        self.admit(node, &shape)?;
        let (all, mut start, mut targets) = (steps(&shape), 0, Vec::new());
        for part in &parts {
            targets.push(strided(part.shape(), &all, start as isize * all[along]));
            start += part.shape()[along];
        }
        if let Some(constant) = joined(&parts, &targets, &shape) {
            return Ok(constant);
        }
        let lives = (0..parts.len()).map(|at| self.live(node, at)).collect::<Result<Vec<Live>, _>>()?;
        let layout = Layout::of(&shape, &usual(&shape));
        let placed = |to: &Vec<u32>| to.iter().map(|&at| layout.index[at as usize]).collect::<Vec<u32>>();
        let targets: Vec<Vec<u32>> = targets.iter().map(placed).collect();
        let (lives, targets): (Vec<&Live>, Vec<&[u32]>) =
            (lives.iter().collect(), targets.iter().map(|to| &to[..]).collect());
        Ok(OnnxValue::Live(self.moved(node, &lives, &targets, 0.0, shape, layout.clone())?))
    }
}

/// Constants joined, if all parts are constants of one kind.
fn joined(parts: &[OnnxValue], targets: &[Vec<u32>], shape: &[usize]) -> Option<OnnxValue> {
    let numbers = shape.iter().product();
    let (mut floats, mut ints) = (vec![0.0; numbers], vec![0; numbers]);
    let mut kinds = [false; 2];
    for (part, to) in parts.iter().zip(targets) {
        let OnnxValue::Constant(tensor) = part else { return None };
        match &tensor.numbers {
            Numbers::Floats(values) => to.iter().zip(values).for_each(|(&at, &value)| floats[at as usize] = value),
            Numbers::Ints(values) => to.iter().zip(values).for_each(|(&at, &value)| ints[at as usize] = value),
        }
        kinds[usize::from(tensor.whole().is_some())] = true;
    }
    match kinds {
        [true, true] => None,
        [true, false] => Some(OnnxValue::floats(shape.to_vec(), floats)),
        [false, _] => Some(OnnxValue::ints(shape.to_vec(), ints)),
    }
}

/// The first index of a slice of an axis and the number of its indices.
fn span(size: i64, start: i64, end: i64, step: i64) -> Option<(usize, usize)> {
    if size == 0 {
        return Some((0, 0));
    }
    let inside = |at: i64, least: i64, most: i64| if at < 0 { at.saturating_add(size) } else { at }.clamp(least, most);
    let (first, count) = match step {
        0 => return None,
        1.. => {
            let (first, end) = (inside(start, 0, size), inside(end, 0, size));
            (first, (end - first).max(0) as u64)
        }
        _ => {
            let (first, end) = (inside(start, 0, size - 1), inside(end, -1, size - 1));
            (first, (first - end).max(0) as u64)
        }
    };
    Some((first.max(0) as usize, count.div_ceil(step.unsigned_abs()) as usize))
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn slices_have_the_bounds_of_python() {
        for ((start, end, step), expected) in [
            ((0, i64::MAX, 1), (0, 5)),
            ((1, -1, 1), (1, 3)),
            ((-2, 5, 1), (3, 2)),
            ((4, i64::MIN, -1), (4, 5)),
            ((-1, 0, -2), (4, 2)),
            ((3, 1, 1), (3, 0)),
            ((0, 5, 2), (0, 3)),
        ] {
            assert_eq!(span(5, start, end, step), Some(expected), "{start} {end} {step}");
        }
        assert_eq!(span(5, 0, 1, 0), None);
    }
}
