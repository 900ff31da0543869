//! Decodes bytes to text, in a named or a detected encoding.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_1252};

use super::{Fault, FormatError, check_size};

/// Maximum length in bytes of the name of an encoding.
const LONGEST_NAME: usize = 40;

/// The byte that switches alphabets in ISO-2022-JP, whose other bytes are those of ASCII.
const ESCAPE: u8 = 0x1b;

/// The text of a file of games or positions, without a byte order mark: UTF-8, or else the encoding that a byte order
/// mark or the property `CA` of SGF names, or else the detected one.
///
/// # Errors
/// For more than [`LARGEST`](super::LARGEST) bytes, and for bytes that are not text.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, FormatError> {
    check_size(bytes)?;
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return Ok(encoding.decode_without_bom_handling(&bytes[length..]).0);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.contains(&ESCAPE) => Ok(text.into()),
        Err(_) if bytes.contains(&0) => Err(Fault::NotText.at(line_of_zero(bytes))),
        _ => {
            let games = games_with_names(bytes);
            let in_own = |part| in_named_encoding(part).or_else(|| std::str::from_utf8(part).ok().map(Cow::from));
            if games.len() > 1 {
                let text = |part| in_own(part).unwrap_or_else(|| in_likely_encoding(part));
                return Ok(games.into_iter().map(text).collect::<String>().into());
            }
            Ok(in_own(bytes).unwrap_or_else(|| in_likely_encoding(bytes)))
        }
    }
}

/// The parts of a collection of SGF whose games name their encodings: each begins with such a game, the first one with the
/// file. One part without a second name.
fn games_with_names(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut start, mut before) = (Vec::new(), 0, None);
    for name in names_of_encodings(bytes) {
        // A root lies behind the name before it, so that each byte is looked at once.
        let begins_root = |at: &usize| {
            let behind = || bytes[at + 1..name].iter().find(|byte| !byte.is_ascii_whitespace());
            bytes[*at] == b'(' && behind() == Some(&b';')
        };
        if let Some(before) = before.replace(name)
            && let Some(root) = (before..name).rev().find(begins_root)
        {
            parts.push(&bytes[start..root]);
            start = root;
        }
    }
    parts.push(&bytes[start..]);
    parts
}

/// The places of the properties `CA[`.
fn names_of_encodings(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let is_property = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        bytes[*at..].starts_with(b"CA[") && !before.is_some_and(u8::is_ascii_uppercase)
    };
    (0..bytes.len()).filter(is_property)
}

/// The text of a part of a file: UTF-8, or else Latin 1 with the letters that Windows adds.
pub(super) fn utf_8_or_western(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| WINDOWS_1252.decode_without_bom_handling(bytes).0, Cow::from)
}

fn line_of_zero(bytes: &[u8]) -> usize {
    1 + bytes.iter().take_while(|&&byte| byte != 0).filter(|&&byte| byte == b'\n').count()
}

/// The text in the encoding that the file names, if it is valid in that encoding.
fn in_named_encoding(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let encoding = named_encoding(bytes)?;
    let (text, is_broken) = encoding.decode_without_bom_handling(bytes);
    (!is_broken).then_some(text)
}

/// The encoding that `CA[...]` names. UTF-8 is excluded, as it was tried before.
fn named_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = names_of_encodings(bytes).next()? + 3;
    let length = bytes[start..].iter().take(LONGEST_NAME).position(|&byte| byte == b']')?;
    let name = &bytes[start..start + length];
    // `Latin-1` is known as `latin1`.
    let letters: Vec<u8> = name.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let encoding = Encoding::for_label(name).or_else(|| Encoding::for_label(&letters))?;
    (encoding != UTF_8 && (encoding.is_ascii_compatible() || encoding == ISO_2022_JP)).then_some(encoding)
}

/// The text in the detected encoding.
fn in_likely_encoding(bytes: &[u8]) -> Cow<'_, str> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny).decode_without_bom_handling(bytes).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A game whose players have these names, in bytes.
    fn game(encoding: Option<&str>, names: &[u8]) -> Vec<u8> {
        let named = encoding.map_or(String::new(), |name| format!("CA[{name}]"));
        [b"(;GM[1]FF[4]", named.as_bytes(), b"PB[", names, b"];B[aa])"].concat()
    }

    fn read(encoding: Option<&str>, names: &[u8]) -> String {
        let bytes = game(encoding, names);
        let text = decode(&bytes).unwrap();
        text.split_once("PB[").and_then(|(_, rest)| rest.split_once("];B")).unwrap().0.to_owned()
    }

    #[test]
    fn the_named_encoding_is_read() {
        for (encoding, bytes, text) in [
            ("ISO-8859-1", &b"J\xf6rg"[..], "Jörg"),
            ("Latin-1", b"J\xf6rg", "Jörg"),
            ("windows-1251", b"\xc0\xed\xed\xe0", "Анна"),
            ("Shift_JIS", b"\x83\x5c\x83\x5d", "ソゾ"),
            ("GB2312", b"\xbb\xc6", "黄"),
            ("ISO-2022-JP", b"\x1b$B$\"\x1b(B", "あ"),
            ("UTF-8", "Jörg".as_bytes(), "Jörg"),
            // The file was converted to UTF-8, but the property was not updated.
            ("windows-1251", "Анна".as_bytes(), "Анна"),
        ] {
            assert_eq!(read(Some(encoding), bytes), text, "{encoding}");
        }
    }

    /// A collection may hold games of several sources, each in its own encoding.
    #[test]
    fn each_game_has_its_own_encoding() {
        let games = [
            (Some("ISO-8859-1"), &b"J\xf6rg"[..], "Jörg"),
            (Some("UTF-8"), "Müller".as_bytes(), "Müller"),
            (Some("Shift_JIS"), b"\x83\x5c\x83\x5d", "ソゾ"),
            (None, b"plain", "plain"),
            (Some("UTF-8"), "ソゾ".as_bytes(), "ソゾ"),
        ];
        for (order, space) in [([0, 1, 2, 3, 4], ""), ([1, 0, 2, 3, 4], "\n"), ([4, 3, 2, 1, 0], " \n")] {
            let one = |at: usize| [b"(", space.as_bytes(), &game(games[at].0, games[at].1)[1..]].concat();
            let bytes: Vec<u8> = order.iter().flat_map(|&at| one(at)).collect();
            let text = decode(&bytes).unwrap();
            let names: Vec<&str> = text.split("PB[").skip(1).filter_map(|rest| rest.split("];").next()).collect();
            assert_eq!(names, order.map(|at| games[at].2), "{order:?}");
        }
    }

    #[test]
    fn a_part_of_a_file_is_utf_8_or_western() {
        for (bytes, text) in [
            (&b"\x8aimek"[..], "\u{160}imek"),
            (b"J\xf6rg", "J\u{f6}rg"),
            ("\u{160}imek".as_bytes(), "\u{160}imek"),
            (b"plain", "plain"),
        ] {
            assert_eq!(utf_8_or_western(bytes), text);
        }
    }

    #[test]
    fn other_encodings_are_told_by_their_bytes() {
        assert_eq!(read(None, b"J\xf6rg Gr\xfcn"), "Jörg Grün");
        let russian = b"\xcf\xe0\xf0\xf2\xe8\xff \xe2 \xd1\xe0\xed\xea\xf2-\xcf\xe5\xf2\xe5\xf0\xe1\xf3\xf0\xe3\xe5";
        assert_eq!(read(None, russian), "Партия в Санкт-Петербурге");
        assert_eq!(read(Some("UTF-8"), b"J\xf6rg"), "Jörg", "the name of the encoding is wrong");
        assert_eq!(read(Some("no such"), b"J\xf6rg"), "Jörg");
        let wide: Vec<u8> = "\u{feff}(;GM[1])".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide).unwrap(), "(;GM[1])");
        assert_eq!(decode("\u{feff}x".as_bytes()).unwrap(), "x");
        assert_eq!(decode(b"\n\0\xff").unwrap_err().to_string(), "line 2: this is not text in a known encoding");
    }

    proptest! {
        #[test]
        fn every_text_in_utf_8_stays_as_it_is(text in "[^\u{feff}\u{1b}]\\PC{0,40}") {
            prop_assert_eq!(&*decode(text.as_bytes()).unwrap(), &*text);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }
}
