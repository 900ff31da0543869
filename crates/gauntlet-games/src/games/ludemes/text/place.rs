//! Where something stands in a description, and what is wrong there.

use std::fmt;

/// A place in the text of a game: file, line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Which of the files that were read; 0 is the description itself.
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Of a place in a shared macro: line and column in the description where the macro is called; 0 elsewhere.
    pub called: [u32; 2],
}

/// A mistake in a description, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where it is.
    pub place: Place,
    /// What is wrong, and the way out.
    pub message: String,
}

impl Mistake {
    /// A mistake here.
    pub fn new(place: Place, message: impl Into<String>) -> Mistake {
        Mistake { place, message: message.into() }
    }
}

/// All mistakes of a description, with the names of the files that were read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    /// Names of files, by number.
    pub files: Vec<String>,
    /// The mistakes, in the order of their places.
    pub list: Vec<Mistake>,
}

/// How many mistakes are shown; the rest is counted.
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

/// The word of a list that is most like the one that was written, if any is.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = |other: &&str| distance(word, other) <= 1 + word.chars().count() / 4;
    known.into_iter().filter(close).min_by_key(|other| distance(word, other))
}

/// `; did you mean X?` where some known word is near, else nothing.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Insertions, deletions, replacements and exchanges of two neighbours between two words, letters of either case alike.
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
