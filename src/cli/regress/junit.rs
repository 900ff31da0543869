//! A suite run as JUnit XML for CI systems: one test case for each match.
//!
//! A regression is a failure, a failed player an error; matches that are not measured or inconclusive are skipped, as
//! they do not pass.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::summary;
use gauntlet_plan::regression::{Match, SuiteRun, Verdict};

/// The XML, without clock readings.
///
/// # Errors
/// If a text cannot be written as XML.
pub fn render(suite_run: &SuiteRun) -> anyhow::Result<String> {
    let mut suite = TestSuite::new(&suite_run.suite);
    for (name, value) in [
        ("commit", suite_run.commit.clone()),
        ("attempt", suite_run.attempt.to_string()),
        ("seed", suite_run.seed.to_string()),
        ("device", suite_run.device.clone()),
        ("baseline", suite_run.baseline.clone().unwrap_or_default()),
        ("baseline-device", suite_run.baseline_device.clone().unwrap_or_default()),
    ] {
        suite.add_property((name, value.as_str()));
    }
    suite.add_test_cases(suite_run.matches.iter().map(|found| case(suite_run, found)));
    let mut report = Report::new("gauntlet regress");
    report.add_test_suite(suite);
    Ok(report.to_string()?)
}

fn case(suite_run: &SuiteRun, found: &Match) -> TestCase {
    let mut status = match found.verdict {
        Verdict::Passed | Verdict::Improved => TestCaseStatus::success(),
        Verdict::Regressed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::Inconclusive | Verdict::Unmeasured => TestCaseStatus::skipped(),
    };
    if !matches!(found.verdict, Verdict::Passed | Verdict::Improved) {
        status.set_type(found.verdict.word()).set_message(found.reason.clone());
    }
    let mut case = TestCase::new(&found.name, status);
    case.set_classname(&suite_run.suite);
    case.set_system_out(summary::numbers(found).join("\n"));
    case
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn it_is_read_back_with_one_case_a_match() {
        let suite_run = samples::suite_run(&Verdict::ALL);
        let report = Report::deserialize_from_str(&render(&suite_run).expect("it renders")).expect("it parses");
        let suite = &report.test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors), (6, 1, 1));
        let skipped = |case: &&TestCase| matches!(case.status, TestCaseStatus::Skipped { .. });
        assert_eq!(suite.test_cases.iter().filter(skipped).count(), 2);
    }

    #[test]
    fn the_device_of_the_baseline_is_a_property() {
        let mut suite_run = samples::suite_run(&[Verdict::Passed]);
        suite_run.baseline_device = Some("cpu-aarch64".to_owned());
        assert!(render(&suite_run).expect("it renders").contains(r#"name="baseline-device" value="cpu-aarch64""#));
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let mut suite_run = samples::suite_run(&[Verdict::Failed]);
        suite_run.matches[0].reason = "</testsuite><script>\u{1}\u{1b}[31m&".to_owned();
        let report = Report::deserialize_from_str(&render(&suite_run).expect("it renders")).expect("it parses");
        assert_eq!(report.test_suites[0].test_cases.len(), 1);
    }
}
