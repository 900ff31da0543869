//! Frames: one line of JSON, and the blocks of numbers that its `blocks` announce, little-endian and in their order.

use serde::{Deserialize, Serialize};

use crate::engines::number_hint;

/// Maximum size of all blocks of a message, in bytes: room for the state of a network with its optimiser.
const MOST_BYTES: usize = 1 << 30;

/// The type of the numbers of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// 32-bit floats.
    F32,
    /// Bytes.
    U8,
}

impl NumberType {
    fn bytes(self) -> usize {
        match self {
            NumberType::F32 => 4,
            NumberType::U8 => 1,
        }
    }
}

/// A block, as a message announces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// Its name.
    pub name: String,
    /// The type of its numbers.
    #[serde(rename = "type")]
    pub kind: NumberType,
    /// Its shape, row-major.
    pub shape: Vec<usize>,
}

impl Announced {
    /// Its size in bytes; `None` if that is no number.
    fn bytes(&self) -> Option<usize> {
        self.shape.iter().try_fold(self.kind.bytes(), |bytes, &side| bytes.checked_mul(side))
    }
}

/// The part of a message that announces blocks.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    blocks: Vec<Announced>,
}

/// A message to a program, with its blocks.
#[derive(Serialize)]
struct Outgoing<'a, T> {
    #[serde(flatten)]
    message: &'a T,
    #[serde(skip_serializing_if = "<[Announced]>::is_empty")]
    blocks: &'a [Announced],
}

/// A block to send.
pub enum Block<'a> {
    /// 32-bit floats.
    Floats(&'a [f32]),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// A message with its blocks, each with a name and a shape, as bytes.
///
/// # Panics
/// Never: messages are plain data.
pub fn written<T: Serialize>(message: &T, blocks: &[(&str, &[usize], Block<'_>)]) -> Vec<u8> {
    let announced = |(name, shape, block): &(&str, &[usize], Block<'_>)| Announced {
        name: (*name).to_owned(),
        kind: if matches!(block, Block::Floats(_)) { NumberType::F32 } else { NumberType::U8 },
        shape: shape.to_vec(),
    };
    let announced: Vec<Announced> = blocks.iter().map(announced).collect();
    let outgoing = Outgoing { message, blocks: &announced };
    let mut bytes = serde_json::to_vec(&outgoing).expect("messages are plain data");
    bytes.push(b'\n');
    for (_, _, block) in blocks {
        match block {
            Block::Floats(numbers) => bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes())),
            Block::Bytes(numbers) => bytes.extend_from_slice(numbers),
        }
    }
    bytes
}

/// The bytes of the blocks behind a line.
///
/// # Errors
/// If the line is no object of JSON, or announces too much: the rest of a sentence about the program.
pub fn following(line: &[u8]) -> Result<usize, String> {
    let header: Header = serde_json::from_slice(line).map_err(|error| {
        let hint = match number_hint(&String::from_utf8_lossy(line)) {
            "" => "; only messages belong on standard output, notes on standard error",
            hint => hint,
        };
        format!("wrote a line that is no message: {error}{hint}")
    })?;
    let sum = header.blocks.iter().try_fold(0_usize, |sum, block| sum.checked_add(block.bytes()?));
    sum.filter(|&bytes| bytes <= MOST_BYTES).ok_or_else(|| "announced blocks of more than 1 GiB".to_owned())
}

/// A message of a program: its line, and its blocks.
pub struct Frame<'a> {
    /// The line.
    pub line: &'a [u8],
    blocks: Vec<(Announced, &'a [u8])>,
}

impl<'a> Frame<'a> {
    /// Divides a whole message, as [`following`] has measured it.
    ///
    /// # Errors
    /// As of [`following`].
    pub fn of(message: &'a [u8]) -> Result<Frame<'a>, String> {
        let end = message.iter().position(|&byte| byte == b'\n').unwrap_or(message.len());
        let (line, mut rest) = (&message[..end], message.get(end + 1..).unwrap_or_default());
        let header: Header = serde_json::from_slice(line).map_err(|error| format!("wrote no message: {error}"))?;
        let mut blocks = Vec::new();
        for announced in header.blocks {
            let bytes = announced.bytes().and_then(|bytes| rest.split_at_checked(bytes));
            let (own, others) = bytes.ok_or_else(|| format!("wrote too little of the block `{}`", announced.name))?;
            blocks.push((announced, own));
            rest = others;
        }
        Ok(Frame { line, blocks })
    }

    /// The floats of a block of this shape.
    ///
    /// # Errors
    /// If there is no such block, or a number is not finite: the rest of a sentence about the program.
    pub fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let (announced, bytes) = self.block(name)?;
        if announced.kind != NumberType::F32 || announced.shape != shape {
            return Err(format!(
                "answered with `{name}` of the type {:?} and the shape {:?}: it has to be F32 of the shape {shape:?}",
                announced.kind, announced.shape
            ));
        }
        let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(at) => {
                let row = at / (numbers.len() / shape[0]).max(1);
                Err(format!("answered with {} in row {row} of `{name}`: its weights may have diverged", numbers[at]))
            }
        }
    }

    /// The bytes of a block.
    ///
    /// # Errors
    /// If there is no such block: the rest of a sentence about the program.
    pub fn bytes(&self, name: &str) -> Result<&'a [u8], String> {
        match self.block(name)? {
            (Announced { kind: NumberType::U8, .. }, bytes) => Ok(bytes),
            (Announced { kind, .. }, _) => {
                Err(format!("answered with `{name}` of the type {kind:?}, which has to be U8"))
            }
        }
    }

    fn block(&self, name: &str) -> Result<(&Announced, &'a [u8]), String> {
        let found = self.blocks.iter().find(|(announced, _)| announced.name == name);
        found
            .map(|(announced, bytes)| (announced, *bytes))
            .ok_or_else(|| format!("answered without the block `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_is_read_as_it_is_written() {
        let (floats, bytes) = ([1.5, -0.0, f32::MIN_POSITIVE], [10, 0, 255]);
        let blocks: [(&str, &[usize], Block<'_>); 3] = [
            ("x", &[1, 3], Block::Floats(&floats)),
            ("s", &[3], Block::Bytes(&bytes)),
            ("none", &[0, 4], Block::Floats(&[])),
        ];
        let message = written(&json!({ "answers": { "version": 3 } }), &blocks);
        let frame = Frame::of(&message).unwrap();
        assert_eq!(following(frame.line), Ok(15));
        assert_eq!(message.len(), frame.line.len() + 1 + 15);
        let read = frame.floats("x", &[1, 3]).unwrap();
        assert_eq!(read.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), floats.map(f32::to_bits));
        assert_eq!(frame.bytes("s").unwrap(), bytes);
        assert_eq!(frame.floats("none", &[0, 4]).unwrap(), [0.0; 0]);
        let plain = written(&json!({ "save": {} }), &[]);
        assert_eq!((plain.as_slice(), following(&plain)), (&b"{\"save\":{}}\n"[..], Ok(0)));
    }

    #[test]
    fn wrong_frames_are_named() {
        let message = |x: f32| {
            written(
                &json!({ "answers": {} }),
                &[("x", &[2, 1], Block::Floats(&[0.0, x])), ("s", &[1], Block::Bytes(&[1]))],
            )
        };
        let good = message(1.0);
        let frame = Frame::of(&good).unwrap();
        let refused = |result: Result<Vec<f32>, String>| result.unwrap_err();
        assert!(refused(frame.floats("x", &[1, 2])).contains("the shape [2, 1]: it has to be F32 of the shape [1, 2]"));
        assert!(refused(frame.floats("s", &[1])).contains("of the type U8"));
        assert!(refused(frame.floats("y", &[1])).contains("without the block `y`"));
        assert!(frame.bytes("x").unwrap_err().contains("of the type F32"));
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let message = message(wrong);
            let error = refused(Frame::of(&message).unwrap().floats("x", &[2, 1]));
            assert!(error.contains("in row 1 of `x`"), "{error}");
        }
        let torn = &good[..good.len() - 2];
        assert!(Frame::of(torn).err().unwrap().contains("too little of the block"));
        for line in ["hello", "", "[1]", "{\"blocks\": 3}", "\u{0}"] {
            assert!(following(line.as_bytes()).unwrap_err().contains("no message"), "{line}");
        }
        let huge = |shape: &str| {
            following(format!(r#"{{"blocks":[{{"name":"x","type":"f32","shape":{shape}}}]}}"#).as_bytes())
        };
        for shape in ["[268435457]", "[4294967296, 4294967296]", "[18446744073709551615, 2]"] {
            assert!(huge(shape).unwrap_err().contains("1 GiB"), "{shape}");
        }
        assert_eq!(huge("[268435456]"), Ok(1 << 30));
    }
}
