//! Recording of operations in the forward pass, and the backward pass through them.
//!
//! Candle clears a gradient for every argument of every operation and adds to it, which takes a tenth of a step of a
//! wide network. In the backward pass of a [`Recording`], the first gradient of a tensor is stored as it is, and only
//! further ones are added. The operations, their gradients and Candle's graph are the same.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use candle_core::backprop::GradStore;
use candle_core::{CustomOp1, CustomOp2, CustomOp3, Result, Tensor, Var, bail};

thread_local! {
    /// The recorded steps of this thread; `None` if it does not record.
    static STEPS: RefCell<Option<Vec<RecordedStep>>> = const { RefCell::new(None) };
}

/// The gradients of the arguments of an operation, given that of its result.
type Back = Box<dyn Fn(&Tensor) -> Result<Vec<Option<Tensor>>>>;

/// A recorded operation.
struct RecordedStep {
    arguments: Vec<Tensor>,
    answer: Tensor,
    back: Back,
}

/// A pass through a network whose gradients do not go through Candle.
pub struct Recording {
    steps: Vec<RecordedStep>,
    /// The variables that replace the results of the pass, with these results.
    cuts: Vec<(Var, Tensor)>,
}

/// Records a pass: returns its results as variables, and the recording. All tensors between weights and results must
/// come from this module's operations; any other is an error in the backward pass.
///
/// # Errors
/// Errors of the pass, and of Candle.
pub fn record<E: From<candle_core::Error>>(
    pass: impl FnOnce() -> std::result::Result<Vec<Tensor>, E>,
) -> std::result::Result<(Vec<Tensor>, Recording), E> {
    STEPS.set(Some(Vec::new()));
    let end = End;
    let answers = pass();
    let steps = STEPS.take().unwrap_or_default();
    drop(end);
    let cut = |answer: Tensor| Ok::<_, candle_core::Error>((Var::from_tensor(&answer.detach())?, answer));
    let cuts = answers?.into_iter().map(cut).collect::<Result<Vec<_>>>()?;
    let answers = cuts.iter().map(|(read, _)| read.as_tensor().clone()).collect();
    Ok((answers, Recording { steps, cuts }))
}

/// Ends a recording on drop, also after a panic.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        STEPS.set(None);
    }
}

impl Recording {
    /// Propagates the gradients of the results back to the weights.
    ///
    /// # Errors
    /// A tensor that is neither a variable nor the result of a recorded operation, and errors of Candle.
    pub fn carry_back(&self, gradients: &mut GradStore) -> Result<()> {
        let written: HashSet<_> = self.steps.iter().map(|step| step.answer.id()).collect();
        for (read, answer) in &self.cuts {
            if let Some(gradient) = gradients.remove(read) {
                gradients.insert(answer, gradient);
            }
        }
        for step in self.steps.iter().rev() {
            let Some(gradient) = gradients.remove(&step.answer) else { continue };
            for (argument, more) in step.arguments.iter().zip((step.back)(&gradient)?) {
                let Some(more) = more.filter(|_| argument.track_op()) else { continue };
                if !argument.is_variable() && !written.contains(&argument.id()) {
                    bail!("an operation between {:?} and {:?} was not recorded", argument.shape(), step.answer.shape());
                }
                let sum = match gradients.remove(argument) {
                    Some(sum) => (sum + more)?,
                    None => more,
                };
                gradients.insert(argument, sum);
            }
        }
        Ok(())
    }
}

fn is_recording() -> bool {
    STEPS.with_borrow(Option::is_some)
}

fn note(arguments: Vec<Tensor>, answer: &Tensor, back: Back) {
    STEPS.with_borrow_mut(|steps| {
        if let Some(steps) = steps {
            steps.push(RecordedStep { arguments, answer: answer.clone(), back });
        }
    });
}

/// Computes and records an operation of one argument.
pub(super) fn apply1<O: CustomOp1 + Send + Sync + 'static>(op: O, x: &Tensor) -> Result<Tensor> {
    if !is_recording() {
        return x.apply_op1(op);
    }
    let op: Arc<Box<dyn CustomOp1 + Send + Sync>> = Arc::new(Box::new(op));
    let y = x.apply_op1_arc(Arc::clone(&op))?;
    let (a, answer) = (x.clone(), y.clone());
    note(vec![x.clone()], &y, Box::new(move |dy| Ok(vec![op.bwd(&a, &answer, dy)?])));
    Ok(y)
}

/// Computes and records an operation of two arguments.
pub(super) fn apply2<O: CustomOp2 + Send + Sync + 'static>(op: O, [x, w]: [&Tensor; 2]) -> Result<Tensor> {
    if !is_recording() {
        return x.apply_op2(w, op);
    }
    let op: Arc<Box<dyn CustomOp2 + Send + Sync>> = Arc::new(Box::new(op));
    let y = x.apply_op2_arc(w, Arc::clone(&op))?;
    let (a, b, answer) = (x.clone(), w.clone(), y.clone());
    let back = move |dy: &Tensor| {
        let (da, db) = op.bwd(&a, &b, &answer, dy)?;
        Ok(vec![da, db])
    };
    note(vec![x.clone(), w.clone()], &y, Box::new(back));
    Ok(y)
}

/// Computes and records an operation of three arguments.
pub(super) fn apply3<O: CustomOp3 + Send + Sync + 'static>(op: O, [x, w, v]: [&Tensor; 3]) -> Result<Tensor> {
    if !is_recording() {
        return x.apply_op3(w, v, op);
    }
    let op: Arc<Box<dyn CustomOp3 + Send + Sync>> = Arc::new(Box::new(op));
    let y = x.apply_op3_arc(w, v, Arc::clone(&op))?;
    let (a, b, c, answer) = (x.clone(), w.clone(), v.clone(), y.clone());
    let back = move |dy: &Tensor| {
        let (da, db, dc) = op.bwd(&a, &b, &c, &answer, dy)?;
        Ok(vec![da, db, dc])
    };
    note(vec![x.clone(), w.clone(), v.clone()], &y, Box::new(back));
    Ok(y)
}

/// Rows side by side, `[N, C_1 + C_2 + ..]`; `parts [N, C_i]`.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn beside(parts: &[Tensor]) -> Result<Tensor> {
    let y = Tensor::cat(parts, 1)?;
    let widths = parts.iter().map(|part| part.dim(1)).collect::<Result<Vec<_>>>()?;
    let back = move |dy: &Tensor| {
        let of = |(at, &width): (usize, &usize)| dy.narrow(1, widths[..at].iter().sum(), width)?.contiguous().map(Some);
        widths.iter().enumerate().map(of).collect()
    };
    note(parts.to_vec(), &y, Box::new(back));
    Ok(y)
}

/// `x + y`, of equal shapes.
///
/// # Errors
/// Errors of Candle for incompatible shapes.
pub fn sum(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let z = (x + y)?;
    note(vec![x.clone(), y.clone()], &z, Box::new(|dz| Ok(vec![Some(dz.clone()), Some(dz.clone())])));
    Ok(z)
}

/// The same numbers in `rows` rows, `[rows, numbers / rows]`.
///
/// # Errors
/// Errors of Candle if the numbers do not fill the rows.
pub fn as_rows(x: &Tensor, rows: usize) -> Result<Tensor> {
    let y = x.reshape((rows, ()))?;
    let shape = x.shape().clone();
    note(vec![x.clone()], &y, Box::new(move |dy| Ok(vec![Some(dy.reshape(&shape)?)])));
    Ok(y)
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Error};

    use super::super::{affine, layer_norm_relu, product};
    use super::*;
    use crate::nets::NumberFormat;

    fn var(shape: (usize, usize), phase: f64) -> Var {
        let values: Vec<f64> = (0..shape.0 * shape.1).map(|i| (i as f64 * 1.37 + phase).sin()).collect();
        Var::from_tensor(&Tensor::from_vec(values, shape, &Device::Cpu).unwrap()).unwrap()
    }

    fn row(width: usize, phase: f64) -> Var {
        Var::from_tensor(&var((1, width), phase).flatten_all().unwrap()).unwrap()
    }

    /// For a tensor that is read twice, concatenated parts, and a view, the gradients are Candle's, bit by bit.
    #[test]
    fn a_recorded_pass_has_the_gradients_of_candle() {
        let x = Tensor::from_vec((0..12).map(|i| (i as f64).cos()).collect::<Vec<_>>(), (4, 3), &Device::Cpu).unwrap();
        let weights = [var((5, 3), 0.0), var((5, 5), 1.0), var((1, 10), 2.0)];
        let rows = [row(5, 3.0), row(5, 4.0), row(5, 5.0)];
        let pass = || {
            let first = affine(&x, &weights[0], &rows[0], true, NumberFormat::F32)?;
            let second = layer_norm_relu(&product(&first, &weights[1], NumberFormat::F32)?, &rows[1], &rows[2])?;
            let both = beside(&[first.clone(), second])?;
            Ok::<_, Error>(vec![product(&both, &weights[2], NumberFormat::F32)?, as_rows(&first, 2)?])
        };
        let loss = |answers: &[Tensor]| answers[0].sqr()?.sum_all()? + (&answers[1] * 0.3)?.sqr()?.sum_all()?;
        let candle = loss(&pass().unwrap()).unwrap().backward().unwrap();
        let (answers, recording) = record(pass).unwrap();
        let mut ours = loss(&answers).unwrap().backward().unwrap();
        assert!(weights.iter().chain(&rows).all(|weight| ours.get(weight).is_none()));
        recording.carry_back(&mut ours).unwrap();
        for weight in weights.iter().chain(&rows) {
            let bits = |store: &GradStore| store.get(weight).unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
            assert!(bits(&ours) == bits(&candle) && bits(&ours).iter().any(|&number| number.abs() > 1e-3));
        }
    }

    #[test]
    fn what_was_not_recorded_is_an_error() {
        let (x, weight) = (var((4, 3), 0.0), var((2, 3), 1.0));
        let (answers, recording) =
            record(|| Ok::<_, Error>(vec![product(&(x.as_tensor() * 2.0)?, &weight, NumberFormat::F32)?])).unwrap();
        let mut gradients = answers[0].sum_all().unwrap().backward().unwrap();
        let error = recording.carry_back(&mut gradients).unwrap_err().to_string();
        assert!(error.contains("was not recorded"), "{error}");
        // The next pass begins a new recording.
        assert!(!is_recording());
    }
}
