//! The meaning of errors of CUDA, with a suggested fix.
//!
//! The names are those of the driver's header (`CUresult`), as they stand in the errors of Candle.

/// Names of errors, their meaning, and a suggested fix.
const TROUBLES: &[(&[&str], &str, &str)] = &[
    (
        &["CUDA_ERROR_OUT_OF_MEMORY", "CUBLAS_STATUS_ALLOC_FAILED"],
        "the memory of the card is full",
        "use fewer jobs at a time (--jobs), a smaller `settings.batch` or a smaller network, or end other programs on \
         the card (`nvidia-smi` lists them); the checkpoint stays, so the same command continues",
    ),
    (
        &["CUDA_ERROR_INSUFFICIENT_DRIVER", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"],
        "the driver is older than the CUDA toolkit of this program",
        "update the NVIDIA driver, or build the program with an older toolkit",
    ),
    (
        &["CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_STUB_LIBRARY", "no NVIDIA driver", "CUDA_ERROR_NOT_INITIALIZED"],
        "there is no NVIDIA driver or no card",
        "install the NVIDIA driver, check that `nvidia-smi` lists a card and CUDA_VISIBLE_DEVICES does not hide it, or \
         omit --device to use the CPU",
    ),
    (
        &["CUDA_ERROR_INVALID_DEVICE"],
        "there is no card with this number",
        "`nvidia-smi` lists the cards; they are numbered from 0",
    ),
    (
        &["CUBLAS_STATUS_NOT_INITIALIZED", "CURAND_STATUS_NOT_INITIALIZED", "CURAND_STATUS_INITIALIZATION_FAILED"],
        "cuBLAS or cuRAND is not found or does not start",
        "install the libraries of CUDA 13, and add their directory to LD_LIBRARY_PATH",
    ),
    (
        &["CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_PTX"],
        "the kernels of this program do not run on this card",
        "build the program with CUDA_COMPUTE_CAP of this card (`nvidia-smi --query-gpu=compute_cap --format=csv`)",
    ),
    (
        &[
            "CUDA_ERROR_ECC_UNCORRECTABLE",
            "CUDA_ERROR_LAUNCH_FAILED",
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "CUDA_ERROR_CONTEXT_IS_DESTROYED",
            "CUDA_ERROR_HARDWARE_STACK_ERROR",
            "CUDA_ERROR_EXTERNAL_DEVICE",
            "CUDA_ERROR_UNKNOWN",
        ],
        "the card was lost or failed",
        "check `nvidia-smi` and the system's log (`dmesg | grep -i xid`); the checkpoint stays, so the same command \
         continues",
    ),
];

/// The meaning of an error of the device and a suggested fix, from its text.
pub fn meaning(error: &str) -> Option<(&'static str, &'static str)> {
    let found = TROUBLES.iter().find(|(names, ..)| names.iter().any(|name| error.contains(name)));
    found.map(|&(_, meaning, hint)| (meaning, hint))
}

/// Whether an error says that the memory of the device is full.
pub fn is_memory_full(error: &str) -> bool {
    meaning(error).is_some_and(|(text, _)| text == TROUBLES[0].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_driver_have_a_meaning_and_a_way_out() {
        let candle = |name: &str| format!("DriverError({name}, \"some text\")");
        for (name, word) in [
            ("CUDA_ERROR_OUT_OF_MEMORY", "full"),
            ("CUDA_ERROR_INSUFFICIENT_DRIVER", "older"),
            ("CUDA_ERROR_NO_DEVICE", "no card"),
            ("CUDA_ERROR_INVALID_DEVICE", "number"),
            ("CUDA_ERROR_ECC_UNCORRECTABLE", "lost"),
        ] {
            let (text, hint) = meaning(&candle(name)).unwrap();
            assert!(text.contains(word) && hint.len() > 20, "{name}: {text}");
            assert_eq!(is_memory_full(&candle(name)), word == "full");
        }
        assert!(meaning("shape mismatch in matmul").is_none());
    }
}
