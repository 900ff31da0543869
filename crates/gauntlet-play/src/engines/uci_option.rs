//! Options as UCI engines declare them: `option name Hash type spin default 16 min 1 max 1024`.

use serde_json::Value;

use super::error::shown;
use super::options::text;

/// A declared option.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UciOption {
    /// Its name, in the engine's spelling.
    pub name: String,
    kind: OptionType,
    /// The line that declares it.
    declaration: String,
}

/// The values of an option.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum OptionType {
    /// True or false.
    Check,
    /// A whole number within bounds, as far as there are any.
    Spin([Option<i64>; 2]),
    /// One of these texts.
    Combo(Vec<String>),
    /// No value: an action of the engine.
    Button,
    /// Any text.
    Text,
}

impl UciOption {
    /// Reads a line; `None` if it declares no option.
    pub fn read(line: &str) -> Option<UciOption> {
        let rest = line.strip_prefix("option ")?;
        let (declared, kind) = rest.split_once(" type ").unwrap_or((rest, ""));
        let name = declared.trim().strip_prefix("name ")?.trim().to_owned();
        let number = |word: &str| kind.split_once(word)?.1.split_whitespace().next()?.parse().ok();
        let kind = match kind.split_whitespace().next().map(str::to_ascii_lowercase).as_deref() {
            Some("check") => OptionType::Check,
            Some("spin") => OptionType::Spin([number(" min "), number(" max ")]),
            Some("combo") => {
                OptionType::Combo(kind.replace(" default ", " var ").split(" var ").skip(1).map(one_line).collect())
            }
            Some("button") => OptionType::Button,
            _ => OptionType::Text,
        };
        Some(UciOption { name, kind, declaration: line.to_owned() })
    }

    /// The command that sets it.
    ///
    /// # Errors
    /// If it does not take the value; the message ends with its declaration.
    pub fn command(&self, value: &Value) -> Result<String, String> {
        let (name, written) = (&self.name, text(&self.name, value)?);
        let value = match &self.kind {
            OptionType::Button if written.eq_ignore_ascii_case("true") => return Ok(format!("setoption name {name}")),
            OptionType::Button => None,
            OptionType::Check => {
                ["true", "false"].into_iter().find(|own| own.eq_ignore_ascii_case(&written)).map(str::to_owned)
            }
            OptionType::Spin(bounds) => {
                whole(&written).filter(|number| is_within(*number, *bounds)).map(|number| number.to_string())
            }
            OptionType::Combo(texts) => texts.iter().find(|own| own.eq_ignore_ascii_case(&written)).cloned(),
            OptionType::Text => Some(written.clone()),
        };
        let hint = if self.kind == OptionType::Button { "; `true` presses a button" } else { "" };
        let value = value.ok_or_else(|| {
            format!(
                "does not take `{}` for `{name}`: it declares `{}`{hint}",
                shown(&written),
                shown(&self.declaration)
            )
        })?;
        Ok(format!("setoption name {name} value {value}"))
    }
}

/// The words of a text with one space between them.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A whole number, which may be written as `16.0`.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    text.strip_suffix(".0").unwrap_or(text).parse().ok()
}

fn is_within(number: i64, [least, most]: [Option<i64>; 2]) -> bool {
    least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The command of a value, or the fault.
    fn set(line: &str, value: Value) -> Result<String, String> {
        UciOption::read(line).unwrap().command(&value)
    }

    #[test]
    fn values_are_those_that_an_option_declares() {
        let spin = "option name Hash type spin default 16 min 1 max 1024";
        assert_eq!(set(spin, json!(64)).unwrap(), "setoption name Hash value 64");
        assert_eq!(set(spin, json!("64")), set(spin, json!(64.0)));
        for value in [json!(0), json!(1025), json!(64.5), json!("many"), json!(true), json!("")] {
            assert!(set(spin, value.clone()).unwrap_err().ends_with(&format!("it declares `{spin}`")), "{value}");
        }
        assert!(set("option name Level type spin default 3", json!(-7)).is_ok(), "without bounds");
        let check = "option name Own Book type check default false";
        assert_eq!(set(check, json!(true)).unwrap(), "setoption name Own Book value true");
        assert_eq!(set(check, json!("False")).unwrap(), "setoption name Own Book value false");
        assert!(set(check, json!(1)).is_err() && set(check, json!("yes")).is_err());
        let combo = "option name Style type combo default Very Solid var Very Solid var Normal";
        assert_eq!(set(combo, json!("very solid")).unwrap(), "setoption name Style value Very Solid");
        assert!(set(combo, json!("Solid")).is_err() && set(combo, json!(1)).is_err());
        let button = "option name Clear Hash type button";
        assert_eq!(set(button, json!(true)).unwrap(), "setoption name Clear Hash");
        assert!(set(button, json!(1)).unwrap_err().ends_with("`true` presses a button"));
        assert!(set(button, json!("")).is_err() && set(button, json!(false)).is_err());
        let text = "option name Syzygy Path type string default <empty>";
        assert_eq!(set(text, json!("/a b")).unwrap(), "setoption name Syzygy Path value /a b");
        assert!(set(text, json!("a\nquit")).is_err() && set(text, json!([1])).is_err());
    }

    #[test]
    fn odd_declarations_are_read() {
        let name = |line: &str| UciOption::read(line).map(|option| option.name);
        assert_eq!(name("option name  Nodes min default type string").as_deref(), Some("Nodes min default"));
        assert_eq!(name("option name Plain").as_deref(), Some("Plain"));
        assert_eq!((name("option type spin"), name("optional name x type spin")), (None, None));
        assert!(set("option name Plain", json!("anything")).is_ok());
    }
}
