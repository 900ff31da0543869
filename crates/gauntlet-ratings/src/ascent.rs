//! Maximisation of the likelihood: Newton's method, damped if a full step would go too far.
//!
//! The likelihood is concave, and its third derivative along any direction is at most its second times the largest
//! change of a meeting's rating difference, `d` logits. For such functions, a Newton step shortened to `ln(1 + d) /
//! d` increases the likelihood from every point (T. Sun, Q. Tran-Dinh, Math. Program. 178 (2019), generalized
//! self-concordant functions of order 2). Full steps are tried first: they converge faster, and nearly always
//! increase it as well.
//!
//! The maximum is reached if the step is short *and* points won balance points expected for every player. A short
//! step alone is not sufficient: the step is also short where the likelihood is flat in floating point. That is an
//! error.
//!
//! The steps use sparse solvers (conjugate gradients over the meetings, or sparse factors); if these fail because of
//! rounding, dense factors replace them.

use super::group_covariance::DENSE;
use super::likelihood::{Hill, Problem};
use super::likelihood_settings::FitError;
use super::sparse::Factor;

const MAX_STEPS: usize = 200;
/// A negligible step, in logits (under 1e-6 Elo).
const CLOSE: f64 = 1e-9;
/// Relative rounding error of a log-likelihood.
const ROUNDING: f64 = 1e-12;
/// Maximum slope of a parameter at the maximum, relative to its pull.
const LEVEL: f64 = 1e-7;
/// A step, in logits of a meeting's difference, from which Newton's method is certain to converge.
const SHORT: f64 = 1e-2;
/// Maximum length of an undamped step, in logits of a meeting's difference.
const LONG: f64 = 8.0;
/// Maximum number of halvings of a damped step; then rounding must be the reason that it gains nothing.
const HALVINGS: i32 = 30;
/// A gain of log-likelihood, in squared standard errors, that rounding may hide.
const NO_GAIN: f64 = 1e-12;

/// An ascent direction.
struct Step {
    /// The change of every parameter.
    by: Vec<f64>,
    /// The largest change of a meeting's difference, in logits.
    length: f64,
    /// Whether it is the exact Newton step, or an unfinished one.
    is_exact: bool,
}

impl Problem<'_> {
    /// Moves to the maximum.
    ///
    /// # Errors
    /// Only [`FitError::NotConverged`].
    pub(super) fn maximise(&mut self) -> Result<(), FitError> {
        let moving = self.moving();
        let (mut hill, mut last) = (self.hill(&self.at), f64::INFINITY);
        for _ in 0..MAX_STEPS {
            let step = self.newton(&hill, &moving);
            if step.is_exact && hill.is_level(&moving) && step.is_end(&hill, last) {
                self.at = self.moved(&step, 1.0);
                return Ok(());
            }
            (self.at, hill) = self.climb(&hill, &step)?;
            last = step.length;
        }
        Err(FitError::NotConverged)
    }

    fn newton(&mut self, hill: &Hill, moving: &[usize]) -> Step {
        let factor = if self.is_sparse { Factor::new(&hill.bend, moving) } else { None };
        self.is_sparse = factor.is_some();
        let (by, is_exact) = match factor {
            Some(factor) => (factor.solve(&hill.slope), true),
            None => gradients_or_dense(hill, moving),
        };
        let advantage = by[self.n_players].abs();
        let change = |(a, b): (usize, usize)| (by[a] - by[b]).abs() + advantage;
        let pairs = self.comparable_meetings.iter().map(|comparable| (comparable.meeting.a, comparable.meeting.b));
        let length = pairs.map(change).fold(0.0, f64::max);
        Step { by, length, is_exact }
    }

    fn moved(&self, step: &Step, fraction: f64) -> Vec<f64> {
        self.at.iter().zip(&step.by).map(|(here, part)| here + fraction * part).collect()
    }

    /// The full step if it increases the likelihood, or else the damped one, halved as needed.
    fn climb(&self, hill: &Hill, step: &Step) -> Result<(Vec<f64>, Hill), FitError> {
        let moved = |fraction: f64| {
            let at = self.moved(step, fraction);
            let next = self.hill(&at);
            (at, next)
        };
        if step.length <= LONG {
            let (at, next) = moved(1.0);
            if step.length <= SHORT || next.is_above(hill, step) {
                return Ok((at, next));
            }
        }
        let damped = step.length.ln_1p() / step.length;
        let mut shorter = (0..HALVINGS).map(|times| moved(damped * 0.5_f64.powi(times)));
        shorter.find(|(_, next)| next.is_above(hill, step)).ok_or(FitError::NotConverged)
    }
}

impl Step {
    /// Whether the iteration may stop: the step is negligible, or of the size of rounding errors and no longer
    /// shrinking.
    fn is_end(&self, hill: &Hill, last: f64) -> bool {
        let gain = self.along(&hill.slope);
        let stays = self.length < SHORT && gain <= NO_GAIN && self.length > 0.5 * last;
        stays || self.by.iter().all(|part| part.abs() < CLOSE)
    }

    /// The slope in its direction.
    fn along(&self, slope: &[f64]) -> f64 {
        self.by.iter().zip(slope).map(|(part, slope)| part * slope).sum()
    }
}

impl Hill {
    /// Whether the slope of every moving parameter is only rounding error.
    fn is_level(&self, moving: &[usize]) -> bool {
        moving.iter().all(|&k| self.pull[k] > 0.0 && self.slope[k].abs() <= LEVEL * self.pull[k])
    }

    /// Whether the step from `start` to here increased the likelihood, without passing a steep descent beyond the
    /// maximum.
    fn is_above(&self, start: &Hill, step: &Step) -> bool {
        let is_higher = self.height >= start.height - ROUNDING * start.height.abs();
        is_higher && step.along(&self.slope) >= -0.5 * step.along(&start.slope)
    }
}

/// Newton's step by conjugate gradients, or by dense factors; and whether it is exact.
fn gradients_or_dense(hill: &Hill, moving: &[usize]) -> (Vec<f64>, bool) {
    let solution = hill.bend.solve(moving, &hill.slope);
    let dense = || (moving.len() <= DENSE).then(|| hill.bend.solve_dense(moving, &hill.slope)).flatten();
    match solution.is_solved {
        true => (solution.x, true),
        false => dense().map_or((solution.x, false), |x| (x, true)),
    }
}
