//! The tidy columns of a sheet, one row per cell or plotted point (DESIGN, section 8), then one per success criterion.
//!
//! It decides what stands in each column; the store, which owns frames, writes the bytes.

use super::sheet::{ErrorKind, Point, Sheet, Spread, Verdict};

/// The values of one column, all of one length.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Texts; empty where there is none.
    Text(Vec<String>),
    /// Real numbers; absent where nothing was measured.
    Floats(Vec<Option<f64>>),
    /// Counts.
    Integers(Vec<Option<i64>>),
}

/// The columns of the CSV of a sheet, named and in order; every column has one value per point.
pub fn columns(sheet: &Sheet) -> Vec<(&'static str, Values)> {
    let gains = sheet.criteria.iter().map(|criterion| &criterion.gain);
    let points: Vec<&Point> = sheet.points.iter().chain(gains).collect();
    let points = points.as_slice();
    let met = sheet.criteria.iter().map(|criterion| if criterion.met { "met" } else { "not-met" });
    let verdicts = sheet.points.iter().map(|point| verdict(point.verdict)).chain(met);
    let error = |point: &Point| point.error.map(|e| e.size);
    let published_error = |point: &Point| point.published.and_then(|p| p.error);
    vec![
        ("artefact", texts(points, |_| sheet.artefact.clone())),
        ("row", texts(points, |p| p.row.clone())),
        ("column", texts(points, |p| p.column.clone())),
        ("x", floats(points, |p| p.x)),
        ("metric", texts(points, |p| p.metric.clone())),
        ("value", floats(points, |p| p.value)),
        ("error", floats(points, error)),
        ("error_kind", texts(points, |p| kind(p.error))),
        ("interval_low", floats(points, |p| p.interval.map(|i| i.low))),
        ("interval_high", floats(points, |p| p.interval.map(|i| i.high))),
        ("n_runs", integers(points, |p| p.n_runs)),
        ("n_requested", integers(points, |p| p.n_requested)),
        ("n_games", integers(points, |p| p.n_games)),
        ("published", floats(points, |p| p.published.map(|q| q.value))),
        ("published_error", floats(points, |p| published_error(p).map(|e| e.size))),
        ("published_error_kind", texts(points, |p| kind(published_error(p)))),
        ("verdict", Values::Text(verdicts.map(str::to_owned).collect())),
        ("profile", texts(points, |_| sheet.profile.clone())),
        ("config_ids", texts(points, |p| p.config_ids.join(" "))),
    ]
}

/// A text that no spreadsheet takes for a formula: a leading quote disarms `=`, `+`, `-`, `@`, tab and return.
pub fn escape(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.into() }
}

fn texts(points: &[&Point], text: impl Fn(&Point) -> String) -> Values {
    Values::Text(points.iter().map(|point| escape(&text(point))).collect())
}

/// Numbers that are not finite are absent: CSV readers disagree on how to spell them.
fn floats(points: &[&Point], number: impl Fn(&Point) -> Option<f64>) -> Values {
    Values::Floats(points.iter().map(|point| number(point).filter(|value| value.is_finite())).collect())
}

fn integers(points: &[&Point], count: impl Fn(&Point) -> u64) -> Values {
    Values::Integers(points.iter().map(|point| i64::try_from(count(point)).ok()).collect())
}

fn kind(error: Option<Spread>) -> String {
    match error.map(|e| e.kind) {
        None => "",
        Some(ErrorKind::StandardError) => "standard-error",
        Some(ErrorKind::TwoSigma | ErrorKind::Games) => "standard-error-over-games",
        Some(ErrorKind::StandardDeviation) => "standard-deviation",
    }
    .into()
}

fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "",
        Some(Verdict::Agrees) => "agrees",
        Some(Verdict::Differs) => "differs",
        Some(Verdict::NotComparable) => "not-comparable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::samples;
    use crate::reports::sheet::Criterion;

    #[test]
    fn columns_are_the_contract() {
        let columns = columns(&samples::small_table());
        let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
        let contract = "artefact, row, column, x, metric, value, error, error_kind, interval_low, interval_high, n_runs, \
                        n_requested, n_games, published, published_error, published_error_kind, verdict, profile, \
                        config_ids";
        assert_eq!(names.join(", "), contract);
    }

    #[test]
    fn a_row_reads_as_measured() {
        let columns = columns(&samples::small_table());
        let second: Vec<String> = columns
            .iter()
            .map(|(_, values)| match values {
                Values::Text(texts) => texts[1].clone(),
                Values::Floats(numbers) => numbers[1].map_or("-".into(), |n| n.to_string()),
                Values::Integers(counts) => counts[1].map_or("-".into(), |n| n.to_string()),
            })
            .collect();
        insta::assert_snapshot!(second.join(","), @"schaul2009/table2,7x7 vs. 9x9,CONV / p,-,correlation,0.12,0.104,standard-error,-0.088,0.32799999999999996,100,100,50000,0.2,0.096,standard-error,not-comparable,paper,c0ffee01 c0ffee02");
    }

    #[test]
    fn criteria_stand_behind_the_points() {
        let sheet = samples::small_table();
        let gain = sheet.points[0].clone();
        let criteria = vec![Criterion { claim: "more".into(), met: false, gain }];
        let columns = columns(&Sheet { criteria, ..sheet });
        let Values::Text(verdicts) = &columns[16].1 else { panic!("verdicts are texts") };
        assert_eq!(verdicts[verdicts.len() - 1], "not-met");
        assert!(columns.iter().all(|(_, values)| match values {
            Values::Text(texts) => texts.len() == verdicts.len(),
            Values::Floats(numbers) => numbers.len() == verdicts.len(),
            Values::Integers(counts) => counts.len() == verdicts.len(),
        }));
    }

    #[test]
    fn no_cell_is_a_formula() {
        let mut sheet = samples::small_table();
        sheet.points[0].row = "=HYPERLINK(\"http://x\")".into();
        sheet.points[0].value = Some(f64::NAN);
        let columns = columns(&sheet);
        let Values::Text(rows) = &columns[1].1 else { panic!("rows are texts") };
        assert_eq!(rows[0], "'=HYPERLINK(\"http://x\")");
        let Values::Floats(values) = &columns[5].1 else { panic!("values are floats") };
        assert_eq!(values[0], None);
    }
}
