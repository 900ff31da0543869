//! Products of tiles by AMX, the matrix unit of Intel's server processors since 2023.
//!
//! A tile register holds 16 rows of 64 bytes. An instruction multiplies 16 rows of 64 bytes by 16 groups of weights of
//! 16 outputs each, and adds the result to 16 rows of 16 sums. Stable Rust has no intrinsics for it, so this file uses
//! assembly. The tile registers hold nothing between two calls of a function.
//!
//! `plain` has the same functions as loops: the law. Before AMX is used, it has to agree with them.

use std::arch::asm;
use std::cell::Cell;
use std::sync::OnceLock;

use super::AlignedLanes;
use super::low_precision::AlignedWords;

/// Rows and outputs that one call multiplies: two tiles each.
pub const SIDE: usize = 32;

/// Bytes of a tile's row.
const ROW: usize = 64;

/// Whether the processor has tiles with products of bf16 and of bytes, the operating system permits their use, and
/// their products obey the law.
///
/// The first call asks the operating system, for all threads of the process.
pub fn present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    *PRESENT.get_or_init(|| has_tiles() && permitted() && obeys())
}

/// Whether products of some factors are those of `plain`, to the bit.
fn obeys() -> bool {
    const TILES: usize = 3;
    let mixed = |at: usize| (at as u32).wrapping_mul(0x9e37_79b1) ^ ((at as u32).wrapping_mul(0x85eb_ca6b) >> 13);
    // Words of any bytes, and of pairs of bf16 numbers of magnitudes from 2^-15 to 2.
    let bytes_of = |shift: usize| (0..SIDE * 16 * TILES).map(move |at| mixed(at + shift)).collect::<Vec<u32>>();
    let pairs_of =
        |shift: usize| bytes_of(shift).into_iter().map(|word| (word & 0x87ff_87ff) | 0x3800_3800).collect::<Vec<u32>>();
    let factors = |values: &[u32], weights: &[u32]| {
        let (values, weights) = (values.as_ptr().cast::<u8>(), weights.as_ptr().cast::<u8>());
        Factors::of((values, ROW * TILES, SIDE), (weights, 2 * ROW, 2), TILES)
    };
    let (values, weights) = (bytes_of(0), bytes_of(77));
    let (numbers, factors_of_numbers) = (pairs_of(0), pairs_of(77));
    let (mut found, mut expected) = ([[AlignedWords::ZERO; 2]; SIDE], [[AlignedWords::ZERO; 2]; SIDE]);
    let (mut sums, mut wanted) = ([[AlignedLanes::ZERO; 2]; SIDE], [[AlignedLanes::ZERO; 2]; SIDE]);
    // SAFETY: the processor has tiles and the operating system permits them. Both factors have 32 rows of three tiles.
    unsafe {
        set_up();
        let of_bytes = factors(&values, &weights);
        tiles::bytes(&of_bytes, &mut found);
        plain::bytes(&of_bytes, &mut expected);
        let of_pairs = factors(&numbers, &factors_of_numbers);
        tiles::pairs(&of_pairs, &mut sums);
        plain::pairs(&of_pairs, &mut wanted);
        tiles::more_pairs(&of_pairs, &mut sums);
        plain::more_pairs(&of_pairs, &mut wanted);
    }
    let bits = |sums: [[AlignedLanes; 2]; SIDE]| sums.map(|row| row.map(|slot| slot.0.map(f32::to_bits)));
    found.map(|row| row.map(|slot| slot.0)) == expected.map(|row| row.map(|slot| slot.0)) && bits(sums) == bits(wanted)
}

/// Whether the processor says that it has AMX with products of bf16 and of bytes.
fn has_tiles() -> bool {
    use std::arch::x86_64::__cpuid_count;
    // `is_x86_feature_detected!` does not know these features in stable Rust. Leaf 7 exists if leaf 0 says so.
    let leaves = __cpuid_count(0, 0).eax;
    let wanted = 1 << 22 | 1 << 24 | 1 << 25;
    leaves >= 7 && __cpuid_count(7, 0).edx & wanted == wanted
}

/// Asks Linux for the right to use the tile registers: `arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)`.
#[cfg(target_os = "linux")]
fn permitted() -> bool {
    let result: i64;
    // SAFETY: the call only changes which registers the process may use; it clobbers the registers named here.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") 158i64 => result,
            in("rdi") 0x1023i64,
            in("rsi") 18i64,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn permitted() -> bool {
    false
}

/// The operand of `ldtilecfg`.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Sets up the tiles of this thread, once: eight of 16 rows of 64 bytes.
///
/// # Safety
/// [`present`] is true.
pub unsafe fn configure() {
    thread_local! {
        static CONFIGURED: Cell<bool> = const { Cell::new(false) };
    }
    if CONFIGURED.get() || cfg!(test) && !present() {
        return;
    }
    // SAFETY: as the caller's.
    unsafe { set_up() };
    CONFIGURED.set(true);
}

/// Sets up the tiles of this thread.
///
/// # Safety
/// The processor has tiles, and the operating system permits them.
unsafe fn set_up() {
    let mut tiles = Configuration { palette: 1, start: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
    tiles.row_bytes[..8].fill(ROW as u16);
    tiles.rows[..8].fill(16);
    // SAFETY: the processor has the instruction, and the operand is a configuration of 64 bytes.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const tiles, options(nostack, readonly)) };
}

/// The factors of a product of tiles.
#[derive(Debug, Clone, Copy)]
pub struct Factors {
    /// Starts of the first 16 rows of values and of the next 16. They may be the same.
    pub values: [*const u8; 2],
    /// Bytes from one row of values to the next.
    pub value_step: usize,
    /// Starts of the weights of the first 16 outputs and of the next 16. They may be the same.
    pub weights: [*const u8; 2],
    /// Bytes from one group of weights to the next.
    pub weight_step: usize,
    /// Tiles along the inputs: 64 bytes of each row of values, 16 groups of weights. At least one.
    pub tiles: usize,
}

impl Factors {
    /// Those of up to 32 rows of values and of outputs that fill one or two slots, with the bytes from a row of values
    /// and from a group of weights to the next.
    #[inline(always)]
    pub fn of(
        (values, value_step, rows): (*const u8, usize, usize),
        (weights, weight_step, slots): (*const u8, usize, usize),
        tiles: usize,
    ) -> Factors {
        // A tile beyond the last row or output is not read: its place is taken by the first.
        let more = if rows > SIDE / 2 { values.wrapping_add(SIDE / 2 * value_step) } else { values };
        let weights = [weights, weights.wrapping_add(ROW * (slots - 1))];
        Factors { values: [values, more], value_step, weights, weight_step, tiles }
    }
}

/// Defines a function that computes 32 rows of 32 sums: by the instruction, or, in tests without AMX, by loops.
macro_rules! product {
    ($(#[$note:meta])* $name:ident, $sums:ty) => {
        $(#[$note])*
        ///
        /// # Safety
        /// This thread's tiles are configured. For each of both starts, 16 rows of `64 * tiles` bytes of values exist,
        /// and `16 * tiles` groups of 64 bytes of weights.
        pub unsafe fn $name(factors: &Factors, sums: &mut [[$sums; 2]; SIDE]) {
            if cfg!(test) && !present() {
                // SAFETY: the caller guarantees the factors.
                return unsafe { plain::$name(factors, sums) };
            }
            // SAFETY: as the caller's.
            unsafe { tiles::$name(factors, sums) }
        }
    };
}

product!(
    /// Sums of products of signed bytes; a group of weights holds 4 inputs of each output.
    bytes, AlignedWords
);
product!(
    /// Sums of products of bf16 numbers; a group of weights holds 2 inputs of each output.
    pairs, AlignedLanes
);
product!(
    /// The same, added to the sums, one tile along the inputs at a time.
    more_pairs, AlignedLanes
);

/// The functions by the instructions.
mod tiles {
    use std::arch::asm;

    use super::{AlignedLanes, AlignedWords, Factors, ROW, SIDE};

    /// Defines a function that computes 32 rows of 32 sums.
    macro_rules! product {
        ($name:ident, $sums:ty, $instruction:literal, $($start:literal),+) => {
            /// By the instruction.
            ///
            /// # Safety
            /// This thread's tiles are configured. For each of both starts, 16 rows of `64 * tiles` bytes of values exist,
            /// and `16 * tiles` groups of 64 bytes of weights.
            pub unsafe fn $name(factors: &Factors, sums: &mut [[$sums; 2]; SIDE]) {
                // SAFETY: the caller guarantees the factors, `sums` are 32 rows of 128 bytes. The compiler uses no tiles.
                unsafe {
                    asm!(
                        $($start,)+
                        "2:",
                        "tileloadd tmm4, [{upper} + {value_step}*1]",
                        "tileloadd tmm6, [{left} + {weight_step}*1]",
                        concat!($instruction, " tmm0, tmm4, tmm6"),
                        "tileloadd tmm7, [{right} + {weight_step}*1]",
                        concat!($instruction, " tmm1, tmm4, tmm7"),
                        "tileloadd tmm5, [{lower} + {value_step}*1]",
                        concat!($instruction, " tmm2, tmm5, tmm6"),
                        concat!($instruction, " tmm3, tmm5, tmm7"),
                        "add {upper}, 64",
                        "add {lower}, 64",
                        "add {left}, {tile_step}",
                        "add {right}, {tile_step}",
                        "dec {tiles}",
                        "jnz 2b",
                        "tilestored [{sums} + {sum_step}*1], tmm0",
                        "tilestored [{sums} + {sum_step}*1 + 64], tmm1",
                        "tilestored [{sums} + {sum_step}*1 + 2048], tmm2",
                        "tilestored [{sums} + {sum_step}*1 + 2112], tmm3",
                        upper = inout(reg) factors.values[0] => _,
                        lower = inout(reg) factors.values[1] => _,
                        value_step = in(reg) factors.value_step,
                        left = inout(reg) factors.weights[0] => _,
                        right = inout(reg) factors.weights[1] => _,
                        weight_step = in(reg) factors.weight_step,
                        tile_step = in(reg) 16 * factors.weight_step,
                        tiles = inout(reg) factors.tiles => _,
                        sums = in(reg) sums.as_mut_ptr(),
                        sum_step = in(reg) 2 * ROW,
                        out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                        out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                        options(nostack),
                    );
                }
            }
        };
    }

    product!(bytes, AlignedWords, "tdpbssd", "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3");

    product!(pairs, AlignedLanes, "tdpbf16ps", "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3");

    product!(
        more_pairs,
        AlignedLanes,
        "tdpbf16ps",
        "tileloadd tmm0, [{sums} + {sum_step}*1]",
        "tileloadd tmm1, [{sums} + {sum_step}*1 + 64]",
        "tileloadd tmm2, [{sums} + {sum_step}*1 + 2048]",
        "tileloadd tmm3, [{sums} + {sum_step}*1 + 2112]"
    );
}

/// The functions by loops.
mod plain {
    use super::{AlignedLanes, AlignedWords, Factors, SIDE};
    use crate::encoders::LANES;

    /// Values of a word: `[row][group]`, for one tile along the inputs.
    unsafe fn word(start: *const u8, step: usize, row: usize, group: usize) -> u32 {
        // SAFETY: the caller guarantees the word.
        unsafe { start.add(row * step + group * 4).cast::<u32>().read() }
    }

    /// Calls a function with the place of each sum, the word of values and the word of weights, in AMX's order.
    unsafe fn visit(factors: &Factors, mut work: impl FnMut([usize; 3], u32, u32, usize)) {
        for (row, slot, lane) in (0..SIDE * SIDE).map(|at| (at / SIDE, at % SIDE / LANES, at % LANES)) {
            for group in 0..LANES * factors.tiles {
                // SAFETY: the caller guarantees the factors.
                let (value, weight) = unsafe {
                    (
                        word(factors.values[row / LANES], factors.value_step, row % LANES, group),
                        word(factors.weights[slot], factors.weight_step, group, lane),
                    )
                };
                work([row, slot, lane], value, weight, group % LANES);
            }
        }
    }

    pub unsafe fn bytes(factors: &Factors, sums: &mut [[AlignedWords; 2]; SIDE]) {
        *sums = [[AlignedWords::ZERO; 2]; SIDE];
        // SAFETY: as the caller's.
        unsafe {
            visit(factors, |[row, slot, lane], value, weight, _| {
                for (value, weight) in value.to_le_bytes().into_iter().zip(weight.to_le_bytes()) {
                    sums[row][slot].0[lane] += i32::from(value as i8) * i32::from(weight as i8);
                }
            });
        }
    }

    pub unsafe fn pairs(factors: &Factors, sums: &mut [[AlignedLanes; 2]; SIDE]) {
        *sums = [[AlignedLanes::ZERO; 2]; SIDE];
        // SAFETY: as the caller's.
        unsafe { more_pairs(factors, sums) }
    }

    pub unsafe fn more_pairs(factors: &Factors, sums: &mut [[AlignedLanes; 2]; SIDE]) {
        let mut chains = [0.0f32; 2];
        // SAFETY: as the caller's.
        unsafe {
            visit(factors, |[row, slot, lane], value, weight, group| {
                for (half, chain) in chains.iter_mut().enumerate() {
                    let number = |word: u32| f32::from_bits(word >> (16 * half) << 16);
                    *chain = number(value).mul_add(number(weight), *chain);
                }
                if group == LANES - 1 {
                    sums[row][slot].0[lane] += chains[0] + chains[1];
                    chains = [0.0; 2];
                }
            });
        }
    }
}
