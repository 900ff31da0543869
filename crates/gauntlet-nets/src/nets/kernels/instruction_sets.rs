//! Instruction sets of the kernels: chosen once at run time, never visible in the results.

use super::Compute;
use super::cap::{Cap, cap};
use super::vector::{Lanes, Portable, Vector};
use crate::encoders::{LANES, Stones};
use crate::nets::Kernel;

/// An instruction set that the kernels support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// 512-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// 256-bit registers and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The instructions of the build's target. Slow, with the same bits, if it lacks a fused multiply-add.
    Portable,
}

impl Path {
    /// The paths that this machine can run, fastest first; never empty.
    pub fn available() -> Vec<Path> {
        let mut paths = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                paths.push(Path::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                paths.push(Path::Avx2);
            }
        }
        paths.push(Path::Portable);
        paths
    }

    /// The fastest path that this machine can run and the user allows ([`super::cap`]).
    pub fn best() -> Path {
        Path::available().into_iter().find(|path| path.is_allowed(cap())).unwrap_or(Path::Portable)
    }

    /// Whether a cap allows this path.
    pub(super) fn is_allowed(self, cap: Cap) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => matches!(cap, Cap::Amx | Cap::Avx512),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => cap != Cap::Portable,
            Path::Portable => true,
        }
    }

    /// Runs a task with this path's instructions.
    ///
    /// # Panics
    /// If the path is not one of [`Path::available`].
    pub fn perform(self, work: &mut impl Vectorized) {
        assert!(Path::available().contains(&self), "{self:?} is not available on this machine");
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the features were detected just now.
            Path::Avx512 => unsafe { run_avx512(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Path::Avx2 => unsafe { run_avx2(work) },
            Path::Portable => work.run::<Portable>(),
        }
    }
}

/// Arithmetic that is compiled once for each set of instructions.
pub trait Vectorized {
    /// Runs it; implementations are `#[inline(always)]`, as are all functions over a [`Vector`] that they call.
    fn run<V: Vector>(&mut self);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512(work: &mut impl Vectorized) {
    work.run::<super::vector::Avx512>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(work: &mut impl Vectorized) {
    work.run::<super::vector::Avx2>();
}

/// A network's arithmetic, bound to a path: the rest of the room uses it as a [`Kernel`].
pub struct Bound<C> {
    compute: C,
    path: Path,
    sites: usize,
}

impl<C: Compute> Bound<C> {
    /// Binds to a path, which must be one of [`Path::available`].
    pub fn new(compute: C, path: Path, sites: usize) -> Bound<C> {
        assert!(Path::available().contains(&path), "{path:?} is not available on this machine");
        Bound { compute, path, sites }
    }
}

impl<C: Compute> Kernel for Bound<C> {
    fn prefer(&mut self, stones: &Stones, logits: &mut Vec<f32>) {
        assert_eq!(stones.sites(), self.sites, "a kernel is bound to one board size");
        logits.resize(stones.blocks() * self.sites * LANES, 0.0);
        let blocks = logits.as_chunks_mut().0.chunks_exact_mut(self.sites);
        for (block, into) in blocks.enumerate() {
            let (own, opponent) = stones.block(block);
            run(self.path, &mut self.compute, own.as_chunks().0, opponent.as_chunks().0, into);
        }
    }
}

fn run<C: Compute>(path: Path, compute: &mut C, own: &[Lanes], opponent: &[Lanes], into: &mut [Lanes]) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Bound::new` checked that the path is available, that is, that the features were detected.
        Path::Avx512 => unsafe { avx512(compute, own, opponent, into) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Path::Avx2 => unsafe { avx2(compute, own, opponent, into) },
        Path::Portable => compute.block::<Portable>(own, opponent, into),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn avx512<C: Compute>(compute: &mut C, own: &[Lanes], opponent: &[Lanes], into: &mut [Lanes]) {
    compute.block::<super::vector::Avx512>(own, opponent, into);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<C: Compute>(compute: &mut C, own: &[Lanes], opponent: &[Lanes], into: &mut [Lanes]) {
    compute.block::<super::vector::Avx2>(own, opponent, into);
}
