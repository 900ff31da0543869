//! Names that become paths: they are validated on input, so that no path leaves its directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// File name of report pages: a directory of this name would collide with them.
const INDEX: &str = "index.html";

/// Maximum length of a part of a name.
const LONGEST: usize = 60;

/// One part of a name: letters from a to z, digits, `-`, `_` and `.`, not starting with a dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Name(String);

/// Key of an artefact: one name, or `paper/artefact`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ArtefactName(String);

impl Name {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ArtefactName {
    /// The whole key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The family: the part before the slash, or the whole name.
    #[must_use]
    pub fn family(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(family, _)| family)
    }

    /// The part after the slash, or the whole name.
    #[must_use]
    pub fn member(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, member)| member)
    }

    /// Another artefact of the same family.
    #[must_use]
    pub fn sibling(&self, member: &Name) -> ArtefactName {
        ArtefactName(format!("{}/{member}", self.family()))
    }
}

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Name, String> {
        check(&name)?;
        Ok(Name(name))
    }
}

impl TryFrom<String> for ArtefactName {
    type Error = String;

    fn try_from(name: String) -> Result<ArtefactName, String> {
        match name.split_once('/') {
            Some((family, member)) => check(family).and_then(|()| check(member))?,
            None => check(&name)?,
        }
        Ok(ArtefactName(name))
    }
}

fn check(part: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if part.is_empty() || part.len() > LONGEST {
        return Err(format!("a name has 1 to {LONGEST} characters, `{part}` has {}", part.len()));
    }
    if part.starts_with('.') || !part.chars().all(allowed) {
        return Err(format!(
            "`{part}` is not a name: letters from a to z, digits, `-`, `_` and `.`, not starting with a dot"
        ));
    }
    if part.eq_ignore_ascii_case(INDEX) {
        return Err(format!("`{part}` is not a name: reports have a page of that name; choose another one"));
    }
    Ok(())
}

macro_rules! shown_as_written {
    ($($name:ident),*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
    )*};
}
shown_as_written!(Name, ArtefactName);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_directory() {
        for bad in [
            "../x",
            "a/../b",
            "/x",
            "a/b/c",
            "",
            ".hidden",
            "a b",
            "a/..",
            "a\\b",
            "index.html",
            "a/Index.html",
            &"x".repeat(61),
        ] {
            assert!(ArtefactName::try_from(bad.to_owned()).is_err(), "{bad}");
        }
        let name = ArtefactName::try_from("schaul2009/table1".to_owned()).unwrap();
        assert_eq!((name.family(), name.member()), ("schaul2009", "table1"));
    }
}
