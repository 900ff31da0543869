//! The owner of a device: one thread that all others ask.
//!
//! A CUDA device has a stream, a handle of cuBLAS and an allocator, whose order is only that of the thread that uses
//! them. So one thread of the process owns the device, its stream and all weights on it. Others give it work:
//!
//! * [`Owner::call`] runs a closure there and waits: a step of optimisation, a checkpoint.
//! * A [`Served`] network is an [`Inference`](super::Inference) for any thread. Its positions wait in a queue; when the
//!   device is free, all that wait are evaluated together, as in KataGo. The answers return to their senders.
//!
//! The CPU needs no owner. Tests give one to networks on the CPU, and to slow and broken ones.

mod queue;
mod served;
mod thread;

#[cfg(test)]
mod tests;

pub use served::{Forward, Served};
pub use thread::{Limits, Load, Owner};
