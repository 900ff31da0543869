//! Instruction sets for low-precision products: chosen once at run time, never visible in the results.

use std::sync::OnceLock;

use super::cap::{Cap, cap};
use super::instruction_sets::Path;
use super::low_precision::LowPrecisionVector;
use super::vector::Portable;

/// The instruction sets of the kernels, as words: for `f32`, and for `bf16` and `int8`.
#[must_use]
pub fn instructions() -> [&'static str; 2] {
    let plain = match Path::best() {
        #[cfg(target_arch = "x86_64")]
        Path::Avx512 => "AVX-512",
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 => "AVX2",
        Path::Portable => "portable",
    };
    let few = match DotSet::best() {
        #[cfg(target_arch = "x86_64")]
        DotSet::Amx => "AMX",
        #[cfg(target_arch = "x86_64")]
        DotSet::Vnni => "AVX-512 and VNNI",
        #[cfg(target_arch = "x86_64")]
        DotSet::Avx2 => "AVX2",
        DotSet::Portable => "portable",
    };
    [plain, few]
}

/// An instruction set for low-precision products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DotSet {
    /// Tiles of 16 rows of 64 bytes, beside 512-bit registers.
    #[cfg(target_arch = "x86_64")]
    Amx,
    /// 512-bit registers and products of four bytes at once.
    #[cfg(target_arch = "x86_64")]
    Vnni,
    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The instructions of the build's target.
    Portable,
}

impl DotSet {
    /// The sets that this machine can run, fastest first; never empty.
    pub fn available() -> Vec<DotSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let vnni = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni");
            if vnni && is_x86_feature_detected!("avx512bf16") && super::amx::present() {
                sets.push(DotSet::Amx);
            }
            if vnni {
                sets.push(DotSet::Vnni);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(DotSet::Avx2);
            }
        }
        sets.push(DotSet::Portable);
        sets
    }

    /// The fastest set that this machine can run and the user allows.
    pub fn best() -> DotSet {
        static BEST: OnceLock<DotSet> = OnceLock::new();
        *BEST.get_or_init(|| {
            let best = DotSet::available().into_iter().find(|set| set.allowed(cap()));
            best.unwrap_or(DotSet::Portable)
        })
    }

    /// Whether a cap allows this set.
    fn allowed(self, cap: Cap) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            DotSet::Amx => cap == Cap::Amx,
            #[cfg(target_arch = "x86_64")]
            DotSet::Vnni => matches!(cap, Cap::Amx | Cap::Avx512),
            #[cfg(target_arch = "x86_64")]
            DotSet::Avx2 => cap != Cap::Portable,
            DotSet::Portable => true,
        }
    }
}

/// A set that this machine can run: the proof is that only [`CheckedSet::new`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckedSet(DotSet);

impl CheckedSet {
    /// # Panics
    /// If the set is not one of [`DotSet::available`].
    pub fn new(set: DotSet) -> CheckedSet {
        assert!(DotSet::available().contains(&set), "{set:?} is not available on this machine");
        CheckedSet(set)
    }

    /// The best set that the user allows ([`DotSet::best`]).
    pub fn best() -> CheckedSet {
        CheckedSet(DotSet::best())
    }

    /// AMX with emulated instructions, for tests, unless this machine has AMX or lacks the registers.
    #[cfg(test)]
    pub fn emulated() -> Option<CheckedSet> {
        #[cfg(target_arch = "x86_64")]
        if DotSet::available()[0] == DotSet::Vnni && is_x86_feature_detected!("avx512bf16") {
            return Some(CheckedSet(DotSet::Amx));
        }
        None
    }

    /// Whether the set has tiles.
    pub fn has_tiles(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.0 == DotSet::Amx;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether there are registers for two dozen sums at once ([`super::Vector::WIDE`]).
    pub fn is_wide(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self.0, DotSet::Amx | DotSet::Vnni);
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Runs a task with this set's instructions.
    pub fn perform(self, work: &mut impl LowPrecisionWork) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` has detected the features, and `configure` has set up this thread's tiles.
            DotSet::Amx => unsafe {
                super::amx::configure();
                run_amx(work);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `new` has detected the features.
            DotSet::Vnni => unsafe { run_vnni(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            DotSet::Avx2 => unsafe { run_avx2(work) },
            DotSet::Portable => work.run::<Portable>(),
        }
    }
}

/// Arithmetic that is compiled once for each set of instructions.
pub(super) trait LowPrecisionWork {
    /// Runs it; implementations are `#[inline(always)]`, as are all functions over a [`LowPrecisionVector`] that they call.
    fn run<V: LowPrecisionVector>(&mut self);
    /// Runs it on tiles of 16 rows.
    ///
    /// # Safety
    /// The processor has AMX, and this thread's tiles are configured ([`super::amx::configure`]).
    #[cfg(target_arch = "x86_64")]
    unsafe fn run_tiles(&mut self);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16")]
unsafe fn run_amx(work: &mut impl LowPrecisionWork) {
    // SAFETY: the caller has configured the tiles.
    unsafe { work.run_tiles() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn run_vnni(work: &mut impl LowPrecisionWork) {
    work.run::<super::vector::Avx512>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2(work: &mut impl LowPrecisionWork) {
    work.run::<super::vector::Avx2>();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_allows_itself_and_everything_below() {
        let sets = DotSet::available();
        for (place, (_, cap)) in Cap::WORDS.into_iter().enumerate() {
            let allowed: Vec<DotSet> = sets.iter().copied().filter(|set| set.allowed(cap)).collect();
            assert!(sets.ends_with(&allowed) && !allowed.is_empty(), "{cap:?}");
            assert!(Path::available().into_iter().filter(|path| path.is_allowed(cap)).count() <= 4 - place);
            assert!(Path::Portable.is_allowed(cap));
        }
    }

    #[test]
    fn the_best_set_is_the_first_that_the_cap_allows() {
        assert_eq!(DotSet::available().into_iter().find(|set| set.allowed(cap())), Some(DotSet::best()));
    }
}
