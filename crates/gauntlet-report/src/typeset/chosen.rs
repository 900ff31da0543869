//! The chosen columns of a table, and its digits.

use super::error::TypesetError;
use crate::sheet::{Sheet, Table};
use gauntlet_exhibits::typeset::Typeset;

/// A sheet whose table has only the chosen columns, in the chosen order, and the chosen digits.
pub(super) fn chosen(sheet: &Sheet, settings: &Typeset) -> Result<Sheet, TypesetError> {
    let mut sheet = sheet.clone();
    let Some(mut table) = sheet.table.take() else {
        return match settings.columns.is_empty() {
            true => Ok(sheet),
            false => Err(TypesetError::NoTable { artefact: sheet.artefact }),
        };
    };
    if !settings.columns.is_empty() {
        table = only(&table, &places(&sheet, &table, &settings.columns)?);
    }
    table.digits = settings.digits.map_or(table.digits, |digits| digits as usize);
    sheet.table = Some(table);
    Ok(sheet)
}

/// The places of some columns: each name is a heading, or the part of one before or after ` / `; or several with commas.
fn places(sheet: &Sheet, table: &Table, names: &[String]) -> Result<Vec<usize>, TypesetError> {
    let headings: Vec<String> = table.columns.iter().map(|column| sheet.names.column(column)).collect();
    let named = |name: &str| -> Vec<usize> {
        let is_part =
            |heading: &str| heading.split_once(" / ").is_some_and(|(one, other)| name == one || name == other);
        let is_named = |at: &usize| name == table.columns[*at] || name == headings[*at] || is_part(&headings[*at]);
        (0..headings.len()).filter(is_named).collect()
    };
    let mut places = Vec::new();
    for name in names {
        let is_one = !named(name).is_empty();
        for name in if is_one { vec![name.as_str()] } else { name.split(',').map(str::trim).collect() } {
            let found = named(name);
            if found.is_empty() {
                let (artefact, wanted) = (sheet.artefact.clone(), name.to_owned());
                return Err(TypesetError::Column { artefact, wanted, known: headings });
            }
            let new: Vec<usize> = found.into_iter().filter(|at| !places.contains(at)).collect();
            places.extend(new);
        }
    }
    Ok(places)
}

/// A table with the columns at these places.
fn only(table: &Table, places: &[usize]) -> Table {
    let cells = |cells: &Vec<Option<usize>>| places.iter().map(|&at| cells.get(at).copied().flatten()).collect();
    Table {
        columns: places.iter().map(|&at| table.columns[at].clone()).collect(),
        rows: table.rows.iter().map(|(label, all)| (label.clone(), cells(all))).collect(),
        ..table.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::samples;

    fn columns(names: &[&str]) -> Result<Vec<String>, String> {
        let columns = names.iter().map(|name| (*name).to_owned()).collect();
        let settings = Typeset { columns, ..Typeset::default() };
        let chosen =
            chosen(&samples::small_table(), &settings).map_err(|error| format!("{error}; {}", error.hint()))?;
        Ok(chosen.table.expect("it has a table").columns)
    }

    #[test]
    fn columns_have_the_names_of_their_headings_and_of_parts() {
        assert_eq!(columns(&["ties", "p"]), Ok(vec!["ties".to_owned(), "CONV / p".to_owned()]));
        assert_eq!(columns(&["CONV"]).expect("a group").len(), 2);
        assert_eq!(columns(&["ties, p"]), columns(&["ties", "p"]));
        assert_eq!(columns(&["CONV / p", "CONV"]).expect("each once"), ["CONV / p", "CONV / Correlation"]);
    }

    #[test]
    fn an_unknown_column_names_the_nearest_or_all() {
        let near = columns(&["Corelation"]).expect_err("there is none");
        assert_eq!(near, "the table of schaul2009/table2 has no column `Corelation`; did you mean `Correlation`?");
        let far = columns(&["xyz"]).expect_err("there is none");
        assert!(far.ends_with("its columns: CONV / Correlation, CONV / p, ties"), "{far}");
    }

    #[test]
    fn numbers_of_other_columns_leave_the_legend() {
        let settings = Typeset { columns: vec!["ties".into()], digits: Some(1), ..Typeset::default() };
        let grid = Grid::new(&chosen(&samples::small_table(), &settings).expect("it has one")).expect("a table");
        // A small error keeps its first digit.
        assert_eq!(grid.rows[0].1[0].ours, "0.07 ± 0.02");
        assert!(grid.legend.iter().all(|sentence| !sentence.contains("paper")), "{:?}", grid.legend);
    }

    #[test]
    fn a_figure_has_no_columns() {
        let sheet = Sheet { table: None, ..samples::small_table() };
        let settings = Typeset { columns: vec!["ties".into()], ..Typeset::default() };
        assert!(matches!(chosen(&sheet, &settings), Err(TypesetError::NoTable { .. })));
        assert!(chosen(&sheet, &Typeset::default()).is_ok());
    }
}
