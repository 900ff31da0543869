//! Devices of deep networks: the CPU, with its kernels, or a CUDA device, with Candle's operations.
//!
//! A process uses one device. The command line chooses it before the first network is built, and it is part of every
//! result's identity. There is no silent fallback to another device.

use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use candle_core::Device;

use super::card;
use super::owner::{Limits, Load, Owner};
use super::trouble;

/// The device of this process, if one was chosen.
static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// A device, its precision, and the resulting device class.
struct Chosen {
    device: Device,
    precision: Precision,
    class: String,
    /// The thread that owns it; the CPU needs none.
    owner: Option<Arc<Owner>>,
}

/// A device as written on the command line: `cpu`, `cuda` or `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceName {
    /// The CPU.
    Cpu,
    /// The CUDA device with this number, from 0.
    Cuda(usize),
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<DeviceName, String> {
        let number = |text: &str| text.parse::<u16>().map(usize::from).ok();
        let place = match text.split_once(':') {
            None if text == "cpu" => Some(DeviceName::Cpu),
            None if text == "cuda" => Some(DeviceName::Cuda(0)),
            Some(("cuda", index)) => number(index).map(DeviceName::Cuda),
            _ => None,
        };
        place.ok_or_else(|| "write cpu or cuda:N".to_owned())
    }
}

/// The precision of a CUDA device. Weights are always stored and updated in `f32`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f32`: the only precision of the CPU.
    #[default]
    F32,
    /// `f32`, but factors of matrix products have ten mantissa bits (TF32), in inference and in training.
    Tf32,
    /// Inference in `bf16`, with seven mantissa bits and results in `f32`; training as with `f32`.
    Bf16,
}

impl Precision {
    /// The name on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Tf32 => "tf32",
            Precision::Bf16 => "bf16",
        }
    }

    /// The precision of a device class ([`device_class`]).
    #[must_use]
    pub fn of_class(class: &str) -> Precision {
        let named = [Precision::Tf32, Precision::Bf16];
        let of_card = |precision: &Precision| {
            is_card(class) && class.rsplit_once('-').is_some_and(|(_, last)| last == precision.word())
        };
        named.into_iter().find(of_card).unwrap_or_default()
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Precision, String> {
        let all = [Precision::F32, Precision::Tf32, Precision::Bf16];
        all.into_iter().find(|precision| precision.word() == text).ok_or_else(|| "write f32, tf32 or bf16".to_owned())
    }
}

/// The reason why a device is not usable.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The program was built without support for it.
    #[error("this program was built without CUDA")]
    Unbuilt,
    /// The CPU supports only one precision.
    #[error("the CPU supports only f32, not {}", .0.word())]
    Precision(Precision),
    /// The system starts no thread for it.
    #[error("no thread can be started for the device: {0}")]
    Thread(#[source] std::io::Error),
    /// The device does not exist, or its driver fails.
    #[error("CUDA device {index} is not available: {}{error}", trouble::meaning(&error.to_string()).map_or(String::new(), |(text, _)| format!("{text}: ")))]
    Absent {
        /// The requested number.
        index: usize,
        /// The driver's error.
        error: candle_core::Error,
    },
}

impl DeviceError {
    /// A suggested fix.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            DeviceError::Unbuilt => {
                "build it with `cargo build --release --features cuda` and a CUDA toolkit, or omit --device"
            }
            DeviceError::Precision(_) => "add --device cuda, or omit --precision",
            DeviceError::Absent { error, .. } => trouble::meaning(&error.to_string())
                .map_or("`nvidia-smi` lists the devices; omit --device to use the CPU", |(_, hint)| hint),
            DeviceError::Thread(_) => "end other programs, or raise the limit of processes (`ulimit -u`)",
        }
    }
}

/// Selects the device and precision of all deep networks of this process from now on.
///
/// # Errors
/// If the device is not usable, or not with this precision.
///
/// # Panics
/// If another device or precision was chosen before.
pub fn compute_on(place: DeviceName, precision: Precision) -> Result<(), DeviceError> {
    let (device, class, owner) = match place {
        DeviceName::Cpu if precision != Precision::F32 => return Err(DeviceError::Precision(precision)),
        DeviceName::Cpu => (Device::Cpu, cpu_class(), None),
        DeviceName::Cuda(_) if !cfg!(feature = "cuda") => return Err(DeviceError::Unbuilt),
        DeviceName::Cuda(index) => {
            let owner = Owner::start(Limits::default()).map_err(DeviceError::Thread)?;
            let device =
                owner.call(|| card::open(index)).map_err(|error| DeviceError::Absent { index, error: bare(error) })?;
            let class = class(&driver_name(&device), precision);
            (device, class, Some(Arc::new(owner)))
        }
    };
    let chosen = CHOSEN.get_or_init(|| {
        candle_core::cuda::set_gemm_reduced_precision_f32(precision == Precision::Tf32);
        Chosen { device, precision, class: class.clone(), owner }
    });
    assert_eq!(chosen.class, class, "a process computes on one device");
    Ok(())
}

/// The error without the backtrace that `RUST_BACKTRACE=1` makes Candle add to its message, which is not helpful
/// here.
fn bare(error: candle_core::Error) -> candle_core::Error {
    match error {
        candle_core::Error::WithBacktrace { inner, .. } => bare(*inner),
        other => other,
    }
}

/// The device of this process.
pub(super) fn device() -> &'static Device {
    CHOSEN.get().map_or(&Device::Cpu, |chosen| &chosen.device)
}

/// The precision of this process.
#[must_use]
pub fn precision() -> Precision {
    CHOSEN.get().map_or(Precision::F32, |chosen| chosen.precision)
}

/// The thread that owns the device of this process; the CPU needs none.
pub(super) fn owner() -> Option<Arc<Owner>> {
    CHOSEN.get().and_then(|chosen| chosen.owner.clone())
}

/// Runs a closure on the thread that owns the device of this process, and waits for it. For the CPU, it runs here.
///
/// All work on tensors of the device goes through this function: building and saving networks, steps of optimisation.
///
/// # Panics
/// If the closure panics.
pub fn on_device<T: Send>(call: impl FnOnce() -> T + Send) -> T {
    match CHOSEN.get().and_then(|chosen| chosen.owner.as_ref()) {
        Some(owner) => owner.call(call),
        None => call(),
    }
}

/// The work of the owner of the device so far; `None` for the CPU.
#[must_use]
pub fn device_load() -> Option<Load> {
    owner().map(|owner| owner.load())
}

/// The device class, on which results may depend besides plan, seed and code: `cpu-x86_64-avx512`, `cpu-aarch64`,
/// `cuda-nvidia-h200`, `cuda-nvidia-h200-tf32`.
///
/// This project's kernels round identically on every instruction set (a test compares them). The matrix products of
/// optimisation are the matrix library's, which sums in a different order with each set: the recorded trainings by
/// gradients (`tests/golden`) differ between its AVX-512 and its AVX2 path, all other jobs agree. Its sums are also
/// split into parts whose length depends on the caches: 512 terms on all tested processors. CUDA guarantees only
/// statistical agreement.
#[must_use]
pub fn device_class() -> String {
    CHOSEN.get().map_or_else(cpu_class, |chosen| chosen.class.clone())
}

/// The part of a device class on which the results of jobs without `f32` steps depend: `cpu-x86_64` of
/// `cpu-x86_64-avx512`. All of it for other devices.
#[must_use]
pub fn portable_class(class: &str) -> &str {
    let sets = ["-avx512", "-avx2"];
    let short = sets.into_iter().find_map(|set| class.strip_suffix(set)).filter(|_| class.starts_with("cpu-"));
    short.unwrap_or(class)
}

/// Whether a device class is that of a CUDA device.
#[must_use]
pub fn is_card(class: &str) -> bool {
    class.starts_with("cuda-")
}

fn cpu_class() -> String {
    format!("cpu-{}{}", std::env::consts::ARCH, products())
}

/// The instruction set that the matrix library chooses, by its own order of logit.
#[cfg(target_arch = "x86_64")]
fn products() -> &'static str {
    match (is_x86_feature_detected!("avx512f"), is_x86_feature_detected!("fma")) {
        (true, _) => "-avx512",
        (_, true) => "-avx2",
        _ => "",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn products() -> &'static str {
    ""
}

/// The driver's name of a device.
fn driver_name(device: &Device) -> String {
    match device {
        #[cfg(feature = "cuda")]
        Device::Cuda(cuda) => cuda.cuda_stream().context().name().unwrap_or_else(|_| "unnamed".to_owned()),
        _ => "unnamed".to_owned(),
    }
}

/// The class of a device other than the CPU, from its driver's name. `f32` is not named.
fn class(name: &str, precision: Precision) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut class = words.fold("cuda".to_owned(), |class, word| format!("{class}-{}", word.to_lowercase()));
    if precision != Precision::F32 {
        class = format!("{class}-{}", precision.word());
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        for (text, place) in [("cpu", DeviceName::Cpu), ("cuda", DeviceName::Cuda(0)), ("cuda:3", DeviceName::Cuda(3))]
        {
            assert_eq!(text.parse(), Ok(place));
        }
        for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "cuda:99999"] {
            assert!(text.parse::<DeviceName>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_class_tells_its_precision() {
        for precision in [Precision::F32, Precision::Tf32, Precision::Bf16] {
            let class = class("NVIDIA H100 80GB HBM3", precision);
            assert!(is_card(&class));
            assert_eq!(Precision::of_class(&class), precision, "{class}");
        }
        assert!(!is_card("cpu-x86_64-avx512") && !is_card("cuda"));
        assert_eq!(Precision::of_class("cpu-x86_64-bf16"), Precision::F32);
    }

    #[test]
    fn errors_show_no_frames() {
        let inner = Box::new(candle_core::Error::Msg("no driver".to_owned()));
        let backtrace = Box::new(std::backtrace::Backtrace::force_capture());
        let error = candle_core::Error::WithBacktrace { inner, backtrace };
        assert!(error.to_string().lines().count() > 1);
        assert_eq!(bare(error).to_string(), "no driver");
    }

    #[test]
    fn an_absent_device_is_an_error_and_changes_nothing() {
        compute_on(DeviceName::Cpu, Precision::F32).unwrap();
        let error = compute_on(DeviceName::Cuda(999), Precision::F32).unwrap_err();
        assert!(!error.to_string().is_empty() && error.hint().contains("--device"));
        assert!(device().is_cpu());
        assert!(device_class().starts_with(&format!("cpu-{}", std::env::consts::ARCH)));
    }

    #[test]
    fn the_cpu_has_one_precision() {
        for precision in [Precision::Tf32, Precision::Bf16] {
            let error = compute_on(DeviceName::Cpu, precision).unwrap_err();
            assert_eq!(precision.word().parse(), Ok(precision));
            assert!(error.to_string().ends_with(precision.word()) && error.hint().contains("--device cuda"), "{error}");
        }
    }

    #[test]
    fn the_portable_class_names_no_instructions() {
        for (class, portable) in [
            ("cpu-x86_64-avx512", "cpu-x86_64"),
            ("cpu-x86_64-avx2", "cpu-x86_64"),
            ("cpu-x86_64", "cpu-x86_64"),
            ("cpu-aarch64", "cpu-aarch64"),
            ("cuda-nvidia-h200-tf32", "cuda-nvidia-h200-tf32"),
        ] {
            assert_eq!(portable_class(class), portable);
        }
    }

    #[test]
    fn a_class_says_how_precise_it_is() {
        let of = |precision| class("NVIDIA H200 (SXM)", precision);
        assert_eq!(of(Precision::F32), "cuda-nvidia-h200-sxm");
        assert_eq!(of(Precision::Tf32), "cuda-nvidia-h200-sxm-tf32");
        assert_eq!(of(Precision::Bf16), "cuda-nvidia-h200-sxm-bf16");
    }
}
