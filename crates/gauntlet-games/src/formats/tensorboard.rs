//! Metrics as a TensorBoard event file: one event for each line, one scalar for each number in it.
//!
//! A file is a sequence of framed records: length, masked checksum of the length, bytes, masked checksum of the bytes
//! (TensorFlow, `tensorflow/core/lib/io/record_writer.h`). Each record is an `Event` in the Protocol Buffers encoding
//! (`tensorflow/core/util/event.proto`, `tensorflow/core/framework/summary.proto`), of which five fields are written.
//! Metrics have no wall clock: the wall time of an event is its step, in seconds. There is no reader.

use serde_json::{Map, Value};

use super::{Fault, FormatError, decode};

/// The event file of metrics in JSON lines: objects with a `step`. Numbers and booleans (1 and 0) become scalars, in
/// single precision as the format requires; other values are skipped.
///
/// # Errors
/// For more than [`super::LARGEST`] bytes, and for a line that is not an object with a whole number `step`.
pub fn write(metrics: &[u8]) -> Result<Vec<u8>, FormatError> {
    let mut file = Vec::new();
    push_record(&mut file, &opening());
    for (at, line) in (1..).zip(decode(metrics)?.lines()) {
        push_record(&mut file, &event(line).map_err(|fault| fault.at(at))?);
    }
    Ok(file)
}

/// The first event, which names the version.
fn opening() -> Vec<u8> {
    let mut event = double(1, 0.0);
    event.extend(bytes(3, b"brain.Event:2"));
    event
}

fn event(line: &str) -> Result<Vec<u8>, Fault> {
    let numbers: Map<String, Value> = serde_json::from_str(line)?;
    let wanted = "metrics: a line with a whole number `step`";
    let no_step = || Fault::Expected { wanted, found: line.chars().take(40).collect() };
    let step = numbers.get("step").and_then(Value::as_u64).ok_or_else(no_step)?;
    let mut event = double(1, step as f64);
    event.push(2 << 3);
    push_varint(&mut event, step);
    let scalars = numbers.iter().filter(|(name, _)| *name != "step");
    let summary: Vec<u8> = scalars.filter_map(|(name, value)| Some(scalar(name, number(value)?))).flatten().collect();
    event.extend(bytes(5, &summary));
    Ok(event)
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|is_true| f64::from(u8::from(is_true))))
}

/// One entry of a summary: a tag and its value.
fn scalar(tag: &str, number: f64) -> Vec<u8> {
    let mut value = bytes(1, tag.as_bytes());
    value.push((2 << 3) | 5);
    value.extend((number as f32).to_le_bytes());
    bytes(1, &value)
}

/// A field of eight bytes.
fn double(field: u8, number: f64) -> Vec<u8> {
    let mut message = vec![(field << 3) | 1];
    message.extend(number.to_le_bytes());
    message
}

/// A length-delimited field.
fn bytes(field: u8, content: &[u8]) -> Vec<u8> {
    let mut message = vec![(field << 3) | 2];
    push_varint(&mut message, content.len() as u64);
    message.extend(content);
    message
}

/// Seven bits a byte, the lowest first; the highest bit marks a continuation.
fn push_varint(message: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        message.push(number as u8 | 0x80);
        number >>= 7;
    }
    message.push(number as u8);
}

fn push_record(file: &mut Vec<u8>, content: &[u8]) {
    let length = (content.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked(crc32c(&length)).to_le_bytes());
    file.extend(content);
    file.extend(masked(crc32c(content)).to_le_bytes());
}

/// Masks a checksum: checksums of data that contains checksums would be weak.
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Castagnoli's checksum (RFC 3720, appendix B.4), bit by bit: metrics are small.
fn crc32c(bytes: &[u8]) -> u32 {
    let bit = |sum: u32, _| (sum >> 1) ^ if sum & 1 == 1 { 0x82f6_3b78 } else { 0 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!([crc32c(&[0; 32]), crc32c(&[0xff; 32])], [0x8a91_36aa, 0x62a8_ab43]);
    }

    #[test]
    fn an_event_is_encoded_byte_by_byte() {
        let event = event(r#"{"step":300,"loss":0.5,"kept":true,"fitness":[1.0]}"#).unwrap();
        let mut expected = vec![0x09];
        expected.extend(300.0f64.to_le_bytes());
        expected.extend([0x10, 0xac, 0x02, 0x2a, 26]);
        expected.extend([0x0a, 11, 0x0a, 4, b'l', b'o', b's', b's', 0x15, 0, 0, 0, 0x3f]);
        expected.extend([0x0a, 11, 0x0a, 4, b'k', b'e', b'p', b't', 0x15, 0, 0, 0x80, 0x3f]);
        assert_eq!(event, expected);
    }

    #[test]
    fn a_file_is_its_records() {
        let file = write(b"{\"step\":1,\"loss\":2}\n{\"step\":2}\n").unwrap();
        let (mut rest, mut lengths) = (&file[..], Vec::new());
        while let Some((length, behind)) = rest.split_first_chunk::<8>() {
            let count = u64::from_le_bytes(*length) as usize;
            assert_eq!(behind[..4], masked(crc32c(length)).to_le_bytes());
            assert_eq!(behind[4 + count..8 + count], masked(crc32c(&behind[4..4 + count])).to_le_bytes());
            lengths.push(count);
            rest = &behind[8 + count..];
        }
        assert_eq!(lengths, [24, 26, 13]);
        assert!(rest.is_empty());
    }

    #[test]
    fn what_is_no_metrics_is_refused() {
        let refused = |text: &str| write(text.as_bytes()).unwrap_err().to_string();
        assert!(refused("{\"step\":1}\n{\"records\":2}").starts_with("line 2: expected metrics"));
        assert!(refused("{\"step\":-1}").contains("whole number `step`"));
        assert!(refused("step").starts_with("line 1: "));
    }
}
