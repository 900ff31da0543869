//! Passes the source directory of this crate to the build script of `gauntlet-jobs`, and compiles the kernels of GPUs.
//!
//! Results of experiments record the code that made them. The build script of `gauntlet-jobs` takes fingerprints of the
//! sources that jobs run. It finds those of this crate in `DEP_GAUNTLET_NETS_SRC`, in a checkout and in an installed
//! package alike. Cargo passes the variable on because of the key `links` in `Cargo.toml`. No library is linked.
//!
//! With the feature `cuda`, nvcc makes PTX of the kernels. Candle's own kernels are compiled by it too.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// The kernels of GPUs.
const KERNELS: &str = "src/nets/deep/ops/gpu";

/// The oldest cards that the PTX is for: Ampere, the first ones with bf16.
const OLDEST: &str = "compute_80";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::metadata=src={}/src", here.display());
    if std::env::var_os("CARGO_FEATURE_CUDA").is_some() {
        println!("cargo::rerun-if-changed={KERNELS}");
        compile(&here.join(KERNELS).join("kernels.cu"));
    }
}

/// Writes `kernels.ptx`. Multiplications and additions are not contracted, so that sums have the bits of the CPU's.
fn compile(kernels: &Path) {
    ["CUDA_PATH", "CUDA_HOME", "NVCC_CCBIN"].iter().for_each(|name| println!("cargo::rerun-if-env-changed={name}"));
    let root = ["CUDA_PATH", "CUDA_HOME"].iter().find_map(std::env::var_os);
    let nvcc = root.map_or_else(|| PathBuf::from("nvcc"), |root| Path::new(&root).join("bin/nvcc"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it")).join("kernels.ptx");
    let mut command = Command::new(&nvcc);
    command.args(["--ptx", "-O3", "-fmad=false", &format!("-arch={OLDEST}"), "-o"]).arg(out).arg(kernels);
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("nvcc did not compile {}: {status}", kernels.display())),
        Err(error) => fail(&format!("cannot start {}: {error}", nvcc.display())),
    }
}

fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    eprintln!("hint: the feature `cuda` needs the CUDA toolkit: put nvcc on the PATH, or set CUDA_PATH to the toolkit");
    exit(1)
}
