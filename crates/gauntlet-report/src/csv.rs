//! The tidy table of a sheet, one row per cell or plotted point, then one per success criterion.
//!
//! This file determines the columns; the store, which owns frames, makes the bytes.

use super::sheet::{Agreement, ErrorKind, Point, Sheet, Spread};
use gauntlet_exhibits::Comparison;
use gauntlet_store::frames::{Column, FrameError, to_csv};

/// The CSV of a sheet.
///
/// # Errors
/// If the table cannot be built, which would be a bug here.
pub fn render(sheet: &Sheet) -> Result<Vec<u8>, FrameError> {
    let gains = sheet.criteria.iter().map(|criterion| &criterion.gain);
    let points: Vec<&Point> = sheet.points.iter().chain(gains).collect();
    let points = points.as_slice();
    let met = sheet.criteria.iter().map(|criterion| criterion.word().replace(' ', "-"));
    let verdicts = sheet.points.iter().map(|point| word(&AGREEMENTS, point.verdict).to_owned()).chain(met);
    let published_error = |point: &Point| point.published.and_then(|p| p.error);
    let mut columns = vec![
        texts("artefact", points, |_| sheet.artefact.clone()),
        texts("row", points, |p| p.row.clone()),
        texts("column", points, |p| p.column.clone()),
        floats("x", points, |p| p.x),
        texts("metric", points, |p| p.metric.clone()),
        floats("value", points, |p| p.value),
        floats("error", points, |p| p.error.map(|e| e.size)),
        texts("error_kind", points, |p| kind(p.error)),
        floats("interval_low", points, |p| p.interval.map(|i| i.low)),
        floats("interval_high", points, |p| p.interval.map(|i| i.high)),
        counts("n_runs", points, |p| p.n_runs),
        counts("n_requested", points, |p| p.n_requested),
        counts("n_games", points, |p| p.n_games),
        floats("published", points, |p| p.published.map(|q| q.value)),
        floats("published_error", points, |p| published_error(p).map(|e| e.size)),
        texts("published_error_kind", points, |p| kind(published_error(p))),
        Column::strings("verdict", verdicts),
        texts("profile", points, |_| sheet.profile.clone()),
        texts("config_ids", points, |p| p.config_ids.join(" ")),
    ];
    if points.iter().any(|point| point.text.is_some()) {
        columns.push(texts("text", points, |p| p.text.clone().unwrap_or_default()));
    }
    if points.iter().any(|point| point.is_below_floor()) {
        columns.push(floats("error_over_games", points, |p| p.floor));
    }
    columns.extend(of_criteria(sheet));
    to_csv(columns)
}

/// The columns of criteria that compare two sets of runs, or that the error over games decides.
fn of_criteria(sheet: &Sheet) -> Vec<Column> {
    let (points, criteria) = (sheet.points.len(), &sheet.criteria);
    let mut columns = Vec::new();
    if criteria.iter().any(|criterion| criterion.comparison.is_some()) {
        let words = criteria.iter().map(|criterion| criterion.comparison.map_or("", Comparison::word).to_owned());
        columns.push(Column::strings("comparison", std::iter::repeat_n(String::new(), points).chain(words)));
    }
    if criteria.iter().any(|criterion| criterion.smaller.is_some()) {
        let errors = criteria.iter().map(|criterion| criterion.smaller.map(|smaller| smaller.error));
        columns.push(Column::floats("error_over_runs", std::iter::repeat_n(None, points).chain(errors)));
    }
    columns
}

fn texts(name: &str, points: &[&Point], text: impl Fn(&Point) -> String) -> Column {
    Column::strings(name, points.iter().map(|point| text(point)))
}

fn floats(name: &str, points: &[&Point], number: impl Fn(&Point) -> Option<f64>) -> Column {
    Column::floats(name, points.iter().map(|point| number(point)))
}

fn counts(name: &str, points: &[&Point], count: impl Fn(&Point) -> u64) -> Column {
    Column::integers(name, points.iter().map(|point| i64::try_from(count(point)).ok()))
}

/// The words of kinds of errors. Two kinds have one word, which is read as the first.
pub(super) const ERROR_KINDS: [(ErrorKind, &str); 5] = [
    (ErrorKind::StandardError, "standard-error"),
    (ErrorKind::Games, "standard-error-over-games"),
    (ErrorKind::TwoSigma, "standard-error-over-games"),
    (ErrorKind::Positions, "standard-error-over-positions"),
    (ErrorKind::StandardDeviation, "standard-deviation"),
];
/// The words of verdicts.
pub(super) const AGREEMENTS: [(Agreement, &str); 3] =
    [(Agreement::Agrees, "agrees"), (Agreement::Differs, "differs"), (Agreement::NotComparable, "not-comparable")];

/// The word of an item in a list; empty without an item.
fn word<T: PartialEq>(words: &[(T, &'static str)], item: Option<T>) -> &'static str {
    words.iter().find(|(own, _)| Some(own) == item.as_ref()).map_or("", |(_, word)| word)
}

fn kind(error: Option<Spread>) -> String {
    word(&ERROR_KINDS, error.map(|error| error.kind)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::sheet::Criterion;
    use gauntlet_exhibits::{Comparison, SmallerError};

    /// The lines of the CSV of a sheet.
    fn lines(sheet: &Sheet) -> Vec<String> {
        let text = String::from_utf8(render(sheet).unwrap()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn columns_are_the_contract() {
        let contract = "artefact,row,column,x,metric,value,error,error_kind,interval_low,interval_high,n_runs,\
                        n_requested,n_games,published,published_error,published_error_kind,verdict,profile,config_ids";
        assert_eq!(lines(&samples::small_table())[0], contract);
    }

    #[test]
    fn a_row_reads_as_measured() {
        insta::assert_snapshot!(lines(&samples::small_table())[2], @"schaul2009/table2,7x7 vs. 9x9,CONV / p,,correlation,0.12,0.104,standard-error,-0.088,0.32799999999999996,100,100,50000,0.2,0.096,standard-error,not-comparable,paper,c0ffee01 c0ffee02");
    }

    #[test]
    fn criteria_stand_behind_the_points() {
        let sheet = samples::small_table();
        let gain = sheet.points[0].clone();
        let criterion = Criterion {
            claim: "more".into(),
            met: false,
            gain,
            equivalence: None,
            comparison: None,
            smaller: None,
            written: None,
        };
        let lines_of = |criterion: &Criterion| lines(&Sheet { criteria: vec![criterion.clone()], ..sheet.clone() });
        let with_criteria = lines_of(&criterion);
        assert_eq!(with_criteria.len(), lines(&sheet).len() + 1);
        assert!(with_criteria.last().unwrap().contains(",not-met,paper,"), "{with_criteria:?}");
        let comparison = Some(Comparison::NothingShared);
        let smaller = Some(SmallerError { error: 0.02, changes_verdict: true });
        let compared = lines_of(&Criterion { comparison, smaller, ..criterion });
        assert!(compared[0].ends_with(",config_ids,comparison,error_over_runs"), "{compared:?}");
        assert!(compared.last().unwrap().ends_with(",unpaired,0.02"), "{compared:?}");
    }

    #[test]
    fn texts_have_a_column_if_there_are_any() {
        let mut sheet = samples::small_table();
        sheet.points[0].text = Some("accepted".into());
        let lines = lines(&sheet);
        assert!(lines[0].ends_with(",config_ids,text") && lines[1].ends_with(",accepted") && lines[2].ends_with(','));
    }

    #[test]
    fn errors_over_games_have_a_column_if_those_over_runs_are_smaller() {
        let mut sheet = samples::small_table();
        sheet.points[0].floor = Some(0.02);
        assert!(lines(&sheet)[0].ends_with(",config_ids"), "0.031 is larger");
        sheet.points[0].floor = Some(0.05);
        let lines = lines(&sheet);
        assert!(lines[0].ends_with(",config_ids,error_over_games") && lines[1].ends_with(",0.05"), "{lines:?}");
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut sheet = samples::small_table();
        sheet.points[0].row = "=HYPERLINK(1)".into();
        assert!(lines(&sheet)[1].starts_with("schaul2009/table2,'=HYPERLINK(1),"));
    }
}
