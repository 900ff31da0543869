//! The first iterations of a training job as a job of their own.

use super::job::JobSpec;
use crate::learning;

/// The first `end` iterations of a training, at least one; none where nothing is trained.
#[must_use]
pub fn shorter(spec: &JobSpec, end: u32) -> Option<JobSpec> {
    if let JobSpec::Train(training) = spec { Some(JobSpec::Train(learning::shorter(training, end))) } else { None }
}
