//! Settings of tables and figures for a paper. They choose columns, digits, texts and sizes, and change no number.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

use gauntlet_games::base::bounded;

/// Points of TeX in an inch; a point of PDF is 1/72 inch.
pub const POINTS: f64 = 72.27;
/// Units of lengths, with their points of TeX.
const UNITS: [(&str, f64); 4] = [("mm", POINTS / 25.4), ("cm", POINTS / 2.54), ("in", POINTS), ("pt", 1.0)];

/// The appearance of a table or figure in a paper.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Typeset {
    /// The columns of the table, in this order: whole headings, or their parts before or after ` / `. Default: all.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Most digits after the decimal point; large errors leave fewer. Default: those of the report.
    #[serde(default, with = "Digits")]
    pub digits: Option<u32>,
    /// The length of the caption. Default: `full`, but `short` in a document.
    pub caption: Option<CaptionLength>,
    /// Whether the table is a plain `tabular`, without float, caption and notes. Default: false.
    #[serde(default)]
    pub bare: bool,
    /// The width of the column of the paper, with its unit: `85mm`, `3.3in`, `241pt` (points of TeX). Wider tables are
    /// broken into blocks of columns. Default: the natural width of tables, 345pt for figures.
    pub width: Option<Width>,
    /// The size of letters in points of TeX: `8pt`. Default: tables as the text around them, figures 9pt.
    pub font_size: Option<FontSize>,
}

bounded! {
    /// Digits after the decimal point.
    Digits: u32 from 0 to 9
}

impl Typeset {
    /// These settings, and those of a manifest where they say nothing.
    #[must_use]
    pub fn over(&self, lasting: &Typeset) -> Typeset {
        Typeset {
            columns: if self.columns.is_empty() { &lasting.columns } else { &self.columns }.clone(),
            digits: self.digits.or(lasting.digits),
            caption: self.caption.or(lasting.caption),
            bare: self.bare || lasting.bare,
            width: self.width.or(lasting.width),
            font_size: self.font_size.or(lasting.font_size),
        }
    }

    /// Whether some settings are of tables and texts alone.
    #[must_use]
    pub fn is_of_tables(&self) -> bool {
        !self.columns.is_empty() || self.digits.is_some() || self.caption.is_some() || self.bare
    }
}

/// The length of a caption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaptionLength {
    /// The title, the sentences of the report, and the profile.
    Full,
    /// The title. All sentences stand apart, below the table or figure.
    Short,
}

impl FromStr for CaptionLength {
    type Err = String;

    fn from_str(text: &str) -> Result<CaptionLength, String> {
        match text {
            "full" => Ok(CaptionLength::Full),
            "short" => Ok(CaptionLength::Short),
            _ => Err("write full or short".to_owned()),
        }
    }
}

/// Declares a length with its unit, from a least to a most one.
macro_rules! length {
    ($(#[$doc:meta])* $name:ident, $what:literal, $example:literal, $least:literal to $most:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
        #[serde(try_from = "String")]
        #[schemars(with = "String")]
        pub struct $name(f64);

        impl $name {
            /// The length in points of TeX.
            #[must_use]
            pub fn points(self) -> f64 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                let [least, most] = [$least, $most].map(|end| points(end).unwrap_or_default());
                let known = points(text).filter(|points| (least..=most).contains(points));
                known.map($name).ok_or_else(|| {
                    format!("`{text}` is no {}: write {} to {}, such as {}, in mm, cm, in or pt", $what, $least, $most, $example)
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<$name, String> {
                text.parse()
            }
        }
    };
}

length! {
    /// The width of a column of text: 20mm to 500mm.
    Width, "width", "85mm", "20mm" to "500mm"
}
length! {
    /// The size of letters: 4pt to 30pt.
    FontSize, "size of letters", "8pt", "4pt" to "30pt"
}

/// A length in points of TeX: a decimal number with a unit.
fn points(text: &str) -> Option<f64> {
    let text = text.trim();
    let (unit, size) = UNITS.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number = text.strip_suffix(unit)?.trim_end();
    let is_plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    Some(number.parse::<f64>().ok().filter(|_| is_plain)? * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_has_a_unit_and_bounds() {
        let width = |text: &str| text.parse::<Width>().map(Width::points);
        for (text, points) in [("85mm", 241.85), ("8.5 cm", 241.85), ("241pt", 241.0), ("3.5in", 252.945)] {
            assert!((width(text).expect(text) - points).abs() < 0.01, "{text}: {:?}", width(text));
        }
        for text in ["0", "0mm", "-85mm", "85", "85px", "19mm", "501mm", "1e2mm", "infmm", "NaNpt", "mm", "", "8,5cm"] {
            let error = width(text).expect_err(text);
            assert!(error.contains(&format!("`{text}` is no width: write 20mm to 500mm")), "{error}");
        }
        assert!("3.9pt".parse::<FontSize>().is_err() && "4pt".parse::<FontSize>().is_ok());
    }

    #[test]
    fn the_command_line_precedes_the_manifest() {
        let typeset = |text: &str| toml::from_str::<Typeset>(text).expect(text);
        let lasting = typeset("columns = [\"a\"]\ndigits = 1\ncaption = \"short\"\nwidth = \"85mm\"\nbare = true");
        let asked = typeset("digits = 0\nfont-size = \"7pt\"");
        let expected = Typeset { digits: Some(0), font_size: asked.font_size, ..lasting.clone() };
        assert_eq!(asked.over(&lasting), expected);
        assert_eq!(Typeset::default().over(&lasting), lasting);
    }

    #[test]
    fn wrong_settings_are_refused() {
        for text in ["width = \"0mm\"", "width = 85", "digits = 10", "caption = \"long\"", "colums = []"] {
            assert!(toml::from_str::<Typeset>(text).is_err(), "{text}");
        }
    }
}
