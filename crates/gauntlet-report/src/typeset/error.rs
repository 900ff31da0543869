//! The reasons why a table cannot be set.

use thiserror::Error;

use gauntlet_plan::manifest::source::nearest;

/// Why a table cannot be set as its settings ask.
#[derive(Debug, Error)]
pub enum TypesetError {
    /// The table has no such column.
    #[error("the table of {artefact} has no column `{wanted}`")]
    Column {
        /// Key of the artefact.
        artefact: String,
        /// The name.
        wanted: String,
        /// The headings of the table.
        known: Vec<String>,
    },
    /// The artefact is a figure.
    #[error("{artefact} has no table, and columns are those of tables")]
    NoTable {
        /// Key of the artefact.
        artefact: String,
    },
    /// A column is wider than the paper's.
    #[error("the column `{column}` of {artefact} needs about {needed:.0}pt beside the names of rows, of {room:.0}pt")]
    Wide {
        /// Key of the artefact.
        artefact: String,
        /// The heading.
        column: String,
        /// The least width of a table with this column, in points of TeX.
        needed: f64,
        /// The width that was asked for, in points of TeX.
        room: f64,
    },
}

impl TypesetError {
    /// The suggested fix.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            TypesetError::Column { wanted, known, .. } => {
                // A part of a heading is a name, too.
                let parts = known.iter().flat_map(|heading| heading.split(" / ").chain([heading.as_str()]));
                match nearest(wanted, &parts.collect::<Vec<&str>>()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its columns: {}", known.join(", ")),
                }
            }
            TypesetError::NoTable { .. } => "leave `columns` out, or choose another artefact".to_owned(),
            TypesetError::Wide { .. } => "choose a larger width, smaller letters or fewer digits".to_owned(),
        }
    }
}
