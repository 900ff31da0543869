//! Operators on elements: sums, products, functions, and their constants.

use std::rc::Rc;

use super::OnnxError;
use super::functions::{Function, Pairwise};
use super::layout::{common, repeated};
use super::lowering::Lowering;
use super::messages::data_type;
use super::node::Node;
use super::tensor::{Numbers, Tensor};
use super::value::{Found, Live, OnnxValue, unequal};

impl Lowering {
    /// A function of two values.
    pub fn pair(&mut self, node: &Node<'_>, pairwise: Pairwise) -> Found {
        let pair = (self.argument(node, 0)?, self.argument(node, 1)?);
        let (x, y) = match pair {
            (OnnxValue::Constant(x), OnnxValue::Constant(y)) => {
                return self.constants(node, [&x, &y], |x, y| pairwise.of(x, y), |x, y| pairwise.of_whole(x, y));
            }
            (OnnxValue::Live(x), OnnxValue::Constant(y)) => match self.with_constant(node, &x, &y, pairwise, false)? {
                Some(found) => return Ok(OnnxValue::Live(found)),
                None => (x, self.live(node, 1)?),
            },
            (OnnxValue::Constant(x), OnnxValue::Live(y)) => match self.with_constant(node, &y, &x, pairwise, true)? {
                Some(found) => return Ok(OnnxValue::Live(found)),
                None => (self.live(node, 0)?, y),
            },
            (OnnxValue::Live(x), OnnxValue::Live(y)) => (x, y),
        };
        Ok(OnnxValue::Live(self.paired(node, x, y, pairwise)?))
    }

    /// A value and a constant as a factor and an offset, or as a function; `None` if there is no such form.
    fn with_constant(
        &mut self,
        node: &Node<'_>,
        x: &Live,
        constant: &Tensor,
        pairwise: Pairwise,
        is_first: bool,
    ) -> Result<Option<Live>, OnnxError> {
        let numbers = constant
            .floats()
            .ok_or_else(|| node.refused("whole numbers take no part in sums and products with numbers of positions"))?;
        let of = |number: fn(f32) -> f32| numbers.iter().map(|&of| number(of)).collect::<Vec<f32>>();
        let [ones, zeros, own] = [of(|_| 1.0), of(|_| 0.0), of(|of| of)];
        let (factor, offset) = match (pairwise, is_first) {
            (Pairwise::Add, _) => (ones, own),
            (Pairwise::Sub, false) => (ones, of(|of| -of)),
            (Pairwise::Sub, true) => (of(|_| -1.0), own),
            (Pairwise::Mul, _) => (own, zeros),
            (Pairwise::Div, false) => (of(|of| 1.0 / of), zeros),
            (Pairwise::Div, true) => return Ok(None),
            (Pairwise::Max | Pairwise::Min, _) => {
                let Some(bound) = constant.scalar().filter(|_| constant.shape.len() <= x.shape.len()) else {
                    return Ok(None);
                };
                let range = if pairwise == Pairwise::Max { [bound, f32::INFINITY] } else { [f32::NEG_INFINITY, bound] };
                return self.mapped(node, x.clone(), Function::Clip(range)).map(Some);
            }
        };
        // A mask may be infinite as an offset. As a factor it would make NaN of 0.
        if let Some(number) = factor.iter().find(|number| !number.is_finite()) {
            return Err(
                node.refused(format!("its constant is the factor {number}: it divides by 0, or weights diverged"))
            );
        }
        self.scaled(node, x.clone(), [&factor, &offset], &constant.shape).map(Some)
    }

    /// A function of constants.
    fn constants(
        &mut self,
        node: &Node<'_>,
        [x, y]: [&Tensor; 2],
        of: impl Fn(f32, f32) -> f32,
        of_whole: impl Fn(i64, i64) -> Option<i64>,
    ) -> Found {
        let to = common(&x.shape, &y.shape).ok_or_else(|| unequal(node, &x.shape, &y.shape))?;
        self.admit(node, &to)?;
        let [x, y] = [x, y].map(|tensor| tensor.picked(to.clone(), &repeated(&tensor.shape, &to)));
        match (&x.numbers, &y.numbers) {
            (Numbers::Floats(x), Numbers::Floats(y)) => {
                OnnxValue::floats(to, x.iter().zip(y).map(|(&x, &y)| of(x, y)).collect()).without_nan(node)
            }
            (Numbers::Ints(x), Numbers::Ints(y)) => {
                let found: Option<Vec<i64>> = x.iter().zip(y).map(|(&x, &y)| of_whole(x, y)).collect();
                let found =
                    found.ok_or_else(|| node.refused("a sum or quotient of its whole numbers does not exist"))?;
                Ok(OnnxValue::ints(to, found))
            }
            _ => Err(node.refused("its arguments are of two types")),
        }
    }

    /// `Mod` of constants: it has the sign of the divisor, or with `fmod` that of the dividend.
    pub fn remainder(&mut self, node: &Node<'_>) -> Found {
        let missing = || node.refused("an argument is missing");
        let x = self.constant(node, 0)?.ok_or_else(missing)?;
        let y = self.constant(node, 1)?.ok_or_else(missing)?;
        let keeps_sign = node.int("fmod").unwrap_or(0) != 0;
        let whole = |x: i64, y: i64| {
            let rest = x.checked_rem(y)?;
            Some(if !keeps_sign && rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest })
        };
        self.constants(node, [&x, &y], |x, y| x % y, whole)
    }

    /// A function of each element.
    pub fn map(&mut self, node: &Node<'_>, function: Function) -> Found {
        match self.argument(node, 0)? {
            OnnxValue::Live(x) => Ok(OnnxValue::Live(self.mapped(node, x, function)?)),
            OnnxValue::Constant(tensor) => match &tensor.numbers {
                Numbers::Floats(values) => {
                    let found = values.iter().map(|&value| function.of(value)).collect();
                    OnnxValue::floats(tensor.shape.clone(), found).without_nan(node)
                }
                Numbers::Ints(values) => {
                    let of = |&value: &i64| match function {
                        Function::Negative => value.checked_neg(),
                        Function::Abs => value.checked_abs(),
                        _ => None,
                    };
                    let found: Option<Vec<i64>> = values.iter().map(of).collect();
                    let found = found.ok_or_else(|| node.refused("it is not supported for whole numbers"))?;
                    Ok(OnnxValue::ints(tensor.shape.clone(), found))
                }
            },
        }
    }

    /// `Clip`, by arguments or, before version 11, by settings.
    pub fn clip(&mut self, node: &Node<'_>) -> Found {
        let bound = |at: usize, name: &str, otherwise: f32| match self.constant(node, at)? {
            Some(tensor) => tensor.scalar().ok_or_else(|| node.refused("a bound is more than one number")),
            None => Ok(node.float(name).unwrap_or(otherwise)),
        };
        let range = [bound(1, "min", f32::NEG_INFINITY)?, bound(2, "max", f32::INFINITY)?];
        self.map(node, Function::Clip(range))
    }

    /// `Pow` with a constant exponent that is a whole number, or plus or minus a half.
    pub fn power(&mut self, node: &Node<'_>) -> Found {
        let exponent = self.constant(node, 1)?.and_then(|tensor| tensor.scalar());
        match exponent {
            Some(0.5) => self.map(node, Function::Sqrt),
            Some(-0.5) => self.map(node, Function::ReciprocalSqrt),
            Some(power) if power.fract() == 0.0 && power.abs() <= 64.0 => self.map(node, Function::Power(power as i32)),
            _ => Err(node.refused("the exponent must be one whole number from -64 to 64, 0.5, or -0.5")),
        }
    }

    /// `Cast`: to whole numbers for constants alone.
    pub fn cast(&mut self, node: &Node<'_>) -> Found {
        let to = node.int("to").unwrap_or_default() as i32;
        let is_float = matches!(to, data_type::FLOAT | data_type::DOUBLE);
        let is_whole = matches!(to, data_type::INT32 | data_type::INT64 | data_type::BOOL);
        match self.argument(node, 0)? {
            OnnxValue::Live(x) if is_float => Ok(OnnxValue::Live(x)),
            OnnxValue::Constant(tensor) if is_float || is_whole => Ok(match &tensor.numbers {
                Numbers::Ints(values) if is_float => {
                    OnnxValue::floats(tensor.shape.clone(), values.iter().map(|&value| value as f32).collect())
                }
                Numbers::Floats(values) if to == data_type::BOOL => {
                    OnnxValue::ints(tensor.shape.clone(), values.iter().map(|&value| i64::from(value != 0.0)).collect())
                }
                Numbers::Floats(values) if is_whole => {
                    OnnxValue::ints(tensor.shape.clone(), values.iter().map(|&value| value as i64).collect())
                }
                Numbers::Ints(values) if to == data_type::BOOL => {
                    OnnxValue::ints(tensor.shape.clone(), values.iter().map(|&value| i64::from(value != 0)).collect())
                }
                _ => OnnxValue::Constant(tensor),
            }),
            _ => {
                Err(node
                    .refused(format!("numbers of positions are single or double precision, not those of type {to}")))
            }
        }
    }

    /// `Shape`: the sizes of a value, as a constant.
    pub fn shape(&mut self, node: &Node<'_>) -> Found {
        let x = self.argument(node, 0)?;
        let rank = x.shape().len() as i64;
        let at = |name: &str, default: i64| {
            let at = node.int(name).unwrap_or(default);
            if at < 0 { at.saturating_add(rank) } else { at }.clamp(0, rank) as usize
        };
        let (start, end) = (at("start", 0), at("end", rank));
        let sizes = x.shape()[start.min(end)..end].iter().map(|&size| size as i64).collect();
        Ok(OnnxValue::Constant(Rc::new(Tensor::ints(sizes))))
    }

    /// `Size`: the number of elements of a value, as a constant.
    pub fn size(&mut self, node: &Node<'_>) -> Found {
        let numbers: usize = self.argument(node, 0)?.shape().iter().product();
        Ok(OnnxValue::ints(vec![], vec![numbers as i64]))
    }

    /// `Constant`.
    pub fn literal(&mut self, node: &Node<'_>) -> Found {
        let tensor = match (node.tensor("value")?, node.float("value_float"), node.floats("value_floats")) {
            (Some(tensor), ..) => tensor,
            (None, Some(number), _) => Tensor { shape: vec![], numbers: Numbers::Floats(vec![number]) },
            (None, None, Some(numbers)) => {
                Tensor { shape: vec![numbers.len()], numbers: Numbers::Floats(numbers.to_vec()) }
            }
            (None, None, None) => match (node.int("value_int"), node.ints("value_ints")) {
                (Some(number), _) => Tensor { shape: vec![], numbers: Numbers::Ints(vec![number]) },
                (None, Some(numbers)) => Tensor::ints(numbers.to_vec()),
                (None, None) => return Err(node.refused("it holds no numbers")),
            },
        };
        OnnxValue::Constant(Rc::new(tensor)).without_nan(node)
    }

    /// `ConstantOfShape`.
    pub fn filled(&mut self, node: &Node<'_>) -> Found {
        let wanted = self.whole(node, 0, "shape")?.ok_or_else(|| node.refused("the shape is missing"))?;
        let shape: Option<Vec<usize>> = wanted.iter().map(|&size| usize::try_from(size).ok()).collect();
        let shape = shape.ok_or_else(|| node.refused("a size is negative"))?;
        let numbers = self.admit(node, &shape)?;
        let value = match node.tensor("value")?.map(|tensor| tensor.numbers) {
            Some(Numbers::Ints(value)) if value.len() == 1 => OnnxValue::ints(shape, vec![value[0]; numbers]),
            Some(Numbers::Floats(value)) if value.len() == 1 => OnnxValue::floats(shape, vec![value[0]; numbers]),
            None => OnnxValue::floats(shape, vec![0.0; numbers]),
            Some(_) => return Err(node.refused("it fills with more than one number")),
        };
        value.without_nan(node)
    }

    /// `Range` of whole numbers.
    pub fn range(&mut self, node: &Node<'_>) -> Found {
        let mut bounds = [0; 3];
        for (at, bound) in bounds.iter_mut().enumerate() {
            let tensor = self.constant(node, at)?;
            let number = tensor.as_ref().and_then(|tensor| tensor.whole()).filter(|whole| whole.len() == 1);
            *bound = number.ok_or_else(|| node.refused("its bounds are not whole numbers"))?[0];
        }
        let [start, limit, step] = bounds;
        let span = if step < 0 { start.checked_sub(limit) } else { limit.checked_sub(start) };
        let count = span.filter(|_| step != 0).map(|span| span.max(0).unsigned_abs().div_ceil(step.unsigned_abs()));
        let count = count
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| node.refused("its bounds and step do not fit"))?;
        self.admit(node, &[count])?;
        Ok(OnnxValue::ints(vec![count], (0..count as i64).map(|at| start + at * step).collect()))
    }
}
