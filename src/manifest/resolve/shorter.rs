//! The first iterations of a training as a separate job.

use super::job::JobSpec;
use crate::learning;

/// The first `end` iterations of a training, at least one; `None` if the job does not train.
#[must_use]
pub fn shorter(spec: &JobSpec, end: u32) -> Option<JobSpec> {
    if let JobSpec::Train(training) = spec { Some(JobSpec::Train(learning::shorter(training, end))) } else { None }
}
