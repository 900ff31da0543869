//! A night as JUnit XML for CI systems: one test case for each match.
//!
//! A regression is a failure, a failed player an error; matches that are not measured or inconclusive are skipped, as
//! they do not pass.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::summary;
use crate::regression::{Match, Night, Ruling};

/// The XML, without clock readings.
///
/// # Errors
/// If a text cannot be written as XML.
pub fn render(night: &Night) -> anyhow::Result<String> {
    let mut suite = TestSuite::new(&night.suite);
    for (name, value) in [
        ("commit", night.commit.clone()),
        ("attempt", night.attempt.to_string()),
        ("seed", night.seed.to_string()),
        ("device", night.device.clone()),
        ("baseline", night.baseline.clone().unwrap_or_default()),
        ("baseline-device", night.baseline_device.clone().unwrap_or_default()),
    ] {
        suite.add_property((name, value.as_str()));
    }
    suite.add_test_cases(night.matches.iter().map(|found| case(night, found)));
    let mut report = Report::new("gauntlet regress");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}

fn case(night: &Night, found: &Match) -> TestCase {
    let mut status = match found.ruling {
        Ruling::Passed | Ruling::Improved => TestCaseStatus::success(),
        Ruling::Regressed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Ruling::Failed => TestCaseStatus::non_success(NonSuccessKind::Error),
        Ruling::Inconclusive | Ruling::Unmeasured => TestCaseStatus::skipped(),
    };
    if !matches!(found.ruling, Ruling::Passed | Ruling::Improved) {
        status.set_type(found.ruling.word()).set_message(found.reason.clone());
    }
    let mut case = TestCase::new(&found.name, status);
    case.set_classname(&night.suite);
    case.set_system_out(summary::numbers(found).join("\n"));
    case
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn it_is_read_back_with_one_case_a_match() {
        let night = samples::night(&Ruling::ALL);
        let report = Report::deserialize_from_str(&render(&night).expect("it renders")).expect("it parses");
        let suite = &report.test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors), (6, 1, 1));
        let skipped = |case: &&TestCase| matches!(case.status, TestCaseStatus::Skipped { .. });
        assert_eq!(suite.test_cases.iter().filter(skipped).count(), 2);
    }

    #[test]
    fn the_device_of_the_baseline_is_a_property() {
        let mut night = samples::night(&[Ruling::Passed]);
        night.baseline_device = Some("cpu-aarch64".to_owned());
        assert!(render(&night).expect("it renders").contains(r#"name="baseline-device" value="cpu-aarch64""#));
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let mut night = samples::night(&[Ruling::Failed]);
        night.matches[0].reason = "</testsuite><script>\u{1}\u{1b}[31m&".to_owned();
        let report = Report::deserialize_from_str(&render(&night).expect("it renders")).expect("it parses");
        assert_eq!(report.test_suites[0].test_cases.len(), 1);
    }
}
