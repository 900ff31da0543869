//! Instruction sets of the kernels: chosen once at run time, never visible in the results.

use super::Compute;
use super::cap::{Cap, cap};
use super::vector::{Lanes, Vector, Vectorized};
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
    /// All paths, fastest first.
    const ALL: &[Path] = &[
        #[cfg(target_arch = "x86_64")]
        Path::Avx512,
        #[cfg(target_arch = "x86_64")]
        Path::Avx2,
        Path::Portable,
    ];

    /// The paths that this machine can run, fastest first; never empty.
    pub fn available() -> Vec<Path> {
        Path::ALL.iter().copied().filter(|path| path.is_available()).collect()
    }

    /// Whether this machine can run this path.
    fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Path::Portable => true,
        }
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
        assert!(self.is_available(), "{self:?} is not available on this machine");
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the features were detected just now.
            Path::Avx512 => unsafe { work.run_avx512() },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Path::Avx2 => unsafe { work.run_avx2() },
            Path::Portable => work.run_portable(),
        }
    }
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
        assert!(path.is_available(), "{path:?} is not available on this machine");
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
            let (own, opponent) = (own.as_chunks().0, opponent.as_chunks().0);
            self.path.perform(&mut Block { compute: &mut self.compute, own, opponent, into });
        }
    }
}

/// A network's arithmetic on one block of positions.
struct Block<'a, C> {
    compute: &'a mut C,
    own: &'a [Lanes],
    opponent: &'a [Lanes],
    into: &'a mut [Lanes],
}

impl<C: Compute> Vectorized for Block<'_, C> {
    #[inline(always)]
    fn run<V: Vector>(&mut self) {
        self.compute.block::<V>(self.own, self.opponent, self.into);
    }
}
