//! Places in a description, and mistakes at a place.

use std::fmt;

/// A place in the text of a game: file, line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourcePlace {
    /// Index of the file; 0 is the description itself.
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// For a place in a shared macro: line and column of the macro call in the description; else 0.
    pub called: [u32; 2],
}

/// A mistake in a description, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Its place.
    pub place: SourcePlace,
    /// The mistake, and a suggested fix.
    pub message: String,
}

impl Mistake {
    /// A mistake here.
    pub fn new(place: SourcePlace, message: impl Into<String>) -> Mistake {
        Mistake { place, message: message.into() }
    }
}

/// All mistakes in a description, with the names of the files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    /// Names of files, by number.
    pub files: Vec<String>,
    /// The mistakes, in the order of their places.
    pub list: Vec<Mistake>,
}

/// Maximum number of displayed mistakes; the rest is counted.
const SHOWN: usize = 40;

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Mistake { place, message }) in self.list.iter().take(SHOWN).enumerate() {
            let name = self.files.get(usize::from(place.file)).map_or("description", String::as_str);
            let gap = if index > 0 { "\n" } else { "" };
            let description = self.files.first().map_or("description", String::as_str);
            match (place.line, place.called) {
                (0, _) => write!(f, "{gap}{name}: {message}")?,
                (line, [from, at]) if from > 0 => {
                    write!(
                        f,
                        "{gap}{description}:{from}:{at}: {message} (in a macro of {name}:{line}:{})",
                        place.column
                    )?;
                }
                (line, _) => write!(f, "{gap}{name}:{line}:{}: {message}", place.column)?,
            }
        }
        match self.list.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

/// The most similar word of a list, if any is similar.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = |other: &&str| distance(word, other) <= 1 + word.chars().count() / 4;
    known.into_iter().filter(close).min_by_key(|other| distance(word, other))
}

/// `; did you mean X?` if a known word is similar, else nothing.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Edit distance with insertions, deletions, replacements and swaps of neighbours, ignoring case.
fn distance(one: &str, other: &str) -> usize {
    let [one, other] = [one, other].map(|word| word.to_lowercase().chars().take(64).collect::<Vec<char>>());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (above, letter) in one.iter().enumerate() {
        let mut row = vec![above + 1];
        for (left, against) in other.iter().enumerate() {
            let changed = rows[above][left] + usize::from(letter != against);
            let mut least = changed.min(rows[above][left + 1] + 1).min(row[left] + 1);
            if above > 0 && left > 0 && (*letter, one[above - 1]) == (other[left - 1], *against) {
                least = least.min(rows[above - 1][left - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        assert_eq!(nearest("Empti", ["Empty", "Enemy"]), Some("Empty"));
        assert_eq!(nearest("squar", ["square", "hex"]), Some("square"));
        assert_eq!(nearest("Lien", ["In", "Line"]), Some("Line"));
        assert_eq!(nearest("zzzzz", ["square", "hex"]), None);
    }
}
