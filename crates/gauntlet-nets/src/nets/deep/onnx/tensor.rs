//! Constants of a graph.

use half::{bf16, f16};

use super::OnnxError;
use super::messages::{TensorProto, data_type};

/// Maximum number of numbers of a constant or a value.
pub const MOST_NUMBERS: usize = 1 << 24;

/// Maximum number of axes.
const MOST_AXES: usize = 8;

/// The numbers of a constant: those of networks, or sizes, indices and truth values.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Numbers of networks; double and half precision are converted.
    Floats(Vec<f32>),
    /// Whole numbers, and truth values as 0 and 1.
    Ints(Vec<i64>),
}

/// A constant with its shape; the last index is the fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The sizes of its axes.
    pub shape: Vec<usize>,
    /// Its numbers, row-major.
    pub numbers: Numbers,
}

/// The number of elements of a shape.
///
/// # Errors
/// [`OnnxError::Limit`] for too many of them, or too many axes.
pub fn count(shape: &[usize], what: &str) -> Result<usize, OnnxError> {
    let limit = |most: usize| OnnxError::Limit { what: format!("{what} with the shape {shape:?}"), most: most as u64 };
    if shape.len() > MOST_AXES {
        return Err(limit(MOST_AXES));
    }
    // A product of 0 must not hide sizes that overflow.
    let most = shape.iter().filter(|&&size| size > 0).try_fold(1_usize, |product, &size| product.checked_mul(size));
    most.filter(|&most| most <= MOST_NUMBERS).ok_or_else(|| limit(MOST_NUMBERS))?;
    Ok(shape.iter().product())
}

impl Tensor {
    /// A list of whole numbers.
    pub fn ints(values: Vec<i64>) -> Tensor {
        Tensor { shape: vec![values.len()], numbers: Numbers::Ints(values) }
    }

    /// Reads a constant.
    ///
    /// # Errors
    /// If its numbers are in another file, are of an unsupported type, or do not fill its shape.
    pub fn read(proto: &TensorProto) -> Result<Tensor, OnnxError> {
        let name = || format!("the constant `{}`", proto.name);
        if proto.data_location == 1 || !proto.external_data.is_empty() {
            let location = proto.external_data.iter().find(|entry| entry.key == "location");
            let location = location.map_or_else(String::new, |entry| entry.value.clone());
            return Err(OnnxError::External { name: proto.name.clone(), location });
        }
        let size = |&size: &i64| {
            usize::try_from(size).map_err(|_| OnnxError::contract(format!("{} has a negative size", name())))
        };
        let shape = proto.dims.iter().map(size).collect::<Result<Vec<_>, _>>()?;
        let wanted = count(&shape, &name())?;
        let numbers = numbers(proto).ok_or_else(|| {
            OnnxError::contract(format!("{} has numbers of the unsupported type {}", name(), proto.data_type))
        })?;
        let given = match &numbers {
            Numbers::Floats(values) => values.len(),
            Numbers::Ints(values) => values.len(),
        };
        if given != wanted {
            return Err(OnnxError::contract(format!(
                "{} has {given} numbers, not the {wanted} of its shape {shape:?}",
                name()
            )));
        }
        Ok(Tensor { shape, numbers })
    }

    /// The numbers, if they are those of networks.
    pub fn floats(&self) -> Option<&[f32]> {
        if let Numbers::Floats(values) = &self.numbers { Some(values) } else { None }
    }

    /// Whether one of its numbers is NaN.
    pub fn has_nan(&self) -> bool {
        self.floats().is_some_and(|numbers| numbers.iter().any(|number| number.is_nan()))
    }

    /// The numbers, if they are whole.
    pub fn whole(&self) -> Option<&[i64]> {
        if let Numbers::Ints(values) = &self.numbers { Some(values) } else { None }
    }

    /// The only number, as a number of networks.
    pub fn scalar(&self) -> Option<f32> {
        match &self.numbers {
            Numbers::Floats(values) => <[f32; 1]>::try_from(&values[..]).ok().map(|[value]| value),
            Numbers::Ints(values) => <[i64; 1]>::try_from(&values[..]).ok().map(|[value]| value as f32),
        }
    }

    /// The tensor with a list of its elements.
    pub fn picked(&self, shape: Vec<usize>, index: &[u32]) -> Tensor {
        let numbers = match &self.numbers {
            Numbers::Floats(values) => Numbers::Floats(index.iter().map(|&at| values[at as usize]).collect()),
            Numbers::Ints(values) => Numbers::Ints(index.iter().map(|&at| values[at as usize]).collect()),
        };
        Tensor { shape, numbers }
    }
}

/// The numbers of a constant; `None` for an unsupported type.
fn numbers(proto: &TensorProto) -> Option<Numbers> {
    let raw = &proto.raw_data[..];
    let has_raw = !raw.is_empty();
    let halves = |convert: fn(u16) -> f32| -> Vec<f32> {
        match has_raw {
            true => raw.as_chunks().0.iter().map(|&bytes| convert(u16::from_le_bytes(bytes))).collect(),
            false => proto.int32_data.iter().map(|&bits| convert(bits as u16)).collect(),
        }
    };
    let small = |convert: fn(u8) -> i64| -> Vec<i64> {
        match has_raw {
            true => raw.iter().map(|&byte| convert(byte)).collect(),
            false => proto.int32_data.iter().map(|&number| i64::from(number)).collect(),
        }
    };
    Some(match proto.data_type {
        data_type::FLOAT if has_raw => {
            Numbers::Floats(raw.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
        }
        data_type::FLOAT => Numbers::Floats(proto.float_data.clone()),
        data_type::DOUBLE if has_raw => {
            Numbers::Floats(raw.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes) as f32).collect())
        }
        data_type::DOUBLE => Numbers::Floats(proto.double_data.iter().map(|&number| number as f32).collect()),
        data_type::FLOAT16 => Numbers::Floats(halves(|bits| f16::from_bits(bits).to_f32())),
        data_type::BFLOAT16 => Numbers::Floats(halves(|bits| bf16::from_bits(bits).to_f32())),
        data_type::INT64 if has_raw => {
            Numbers::Ints(raw.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect())
        }
        data_type::INT64 => Numbers::Ints(proto.int64_data.clone()),
        data_type::INT32 if has_raw => {
            Numbers::Ints(raw.as_chunks().0.iter().map(|&bytes| i64::from(i32::from_le_bytes(bytes))).collect())
        }
        data_type::INT32 => Numbers::Ints(proto.int32_data.iter().map(|&number| i64::from(number)).collect()),
        data_type::BOOL | data_type::UINT8 => Numbers::Ints(small(i64::from)),
        data_type::INT8 => Numbers::Ints(small(|byte| i64::from(byte as i8))),
        _ => return None,
    })
}
