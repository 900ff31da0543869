//! Plans of jobs become results: on threads, in processes, on Slurm.
//!
//! | module | contents |
//! |---|---|
//! | [`scheduler`] | the road from plans to workers: batches, tasks, slots, arrays of a cluster, events, stopping |
//! | [`verification`] | checks that finished results are reproduced: the choice of jobs, the comparison of their files, bounds |

pub mod scheduler;
pub mod verification;
