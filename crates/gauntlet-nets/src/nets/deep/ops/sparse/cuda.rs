//! Launches of the kernels of `sparse.cu` on a CUDA device.
//!
//! nvcc makes PTX of them when the crate is built: it is there in any case, as Candle's own kernels need it, and then a
//! mistake is found at build time and no machine needs NVRTC. The driver translates PTX for its card.
//!
//! `unsafe`: a launch trusts that the arguments are those of the kernel, in type and in size.

use candle_core::cuda_backend::cudarc::driver::{CudaView, DeviceRepr, LaunchConfig, PushKernelArg as _};
use candle_core::cuda_backend::{CudaDType, CudaDevice, WrapErr as _};
use candle_core::{CudaStorage, DType, Device, Layout, Result, Shape, Storage, Tensor};

use super::lists::Edges;

/// The kernels.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/sparse.ptx"));

/// Edges, and whether they are turned.
type Direction<'a> = (&'a Edges, bool);

/// A contiguous tensor on the device.
type Stored<'a> = (&'a CudaStorage, &'a Layout);

/// Calls a function with the number type of a storage.
macro_rules! by_kernel {
    ($x:expr, $call:ident :: <T> $arguments:tt) => {
        match candle_core::backend::BackendStorage::dtype($x) {
            DType::F32 => $call::<f32> $arguments,
            DType::BF16 => $call::<half::bf16> $arguments,
            other => candle_core::bail!("the kernels of a GPU compute with f32 and bf16, not {other:?}"),
        }
    };
}

pub fn sum_rows(of: Direction<'_>, own: f64, x: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_sum::<T>(of, own, x))
}

pub fn weighted_sum_rows(of: Direction<'_>, w: Stored<'_>, x: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_weighted_sum::<T>(of, w, x))
}

pub fn dot_rows(of: Direction<'_>, x: Stored<'_>, y: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_dots::<T>(of, x, y))
}

pub fn edge_softmax(edges: &Edges, x: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_softmax::<T>(edges, x))
}

pub fn edge_softmax_back(edges: &Edges, y: Stored<'_>, dy: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(y.0, launch_softmax_back::<T>(edges, y, dy))
}

/// A number type with kernels, and the ending of their names.
trait Kernels: CudaDType + DeviceRepr {
    const ENDING: &'static str;
}

impl Kernels for f32 {
    const ENDING: &'static str = "f32";
}

impl Kernels for half::bf16 {
    const ENDING: &'static str = "bf16";
}

/// The numbers of a tensor. A contiguous tensor may be a part of its storage.
fn view<'a, T: Kernels>((storage, layout): Stored<'a>) -> Result<CudaView<'a, T>> {
    let (start, end) = layout.contiguous_offsets().ok_or_else(|| candle_core::Error::msg("rows must be contiguous"))?;
    Ok(storage.as_cuda_slice::<T>()?.slice(start..end))
}

/// The lists of edges on the device of a storage, with their guards.
fn lists<'a>(edges: &'a Edges, of: &CudaStorage, turned: bool) -> Result<&'a [Tensor; 3]> {
    edges.on(&Device::Cuda(of.device.clone()), turned)
}

/// Launches a kernel with one thread for each of `$count` numbers; its last argument is the result of `$len` numbers.
macro_rules! launch {
    ($T:ty, $device:expr, $name:literal, threads $count:expr, result $len:expr, lists [$($list:expr),*], $($argument:expr),+) => {{
        let (device, count, len): (&CudaDevice, usize, usize) = ($device, $count, $len);
        let name = format!("{}_{}", $name, <$T>::ENDING);
        let function = device.get_or_load_custom_func(&name, "gauntlet-sparse", PTX)?;
        // SAFETY: the kernel writes every number of its result before anything reads it.
        let mut out = unsafe { device.alloc::<$T>(len.max(1))? };
        let Ok(threads) = u32::try_from(count) else { candle_core::bail!("{count} numbers are too many for a kernel") };
        if threads > 0 {
            let guards = [$($list.storage_and_layout().0),*];
            let mut slices = Vec::with_capacity(guards.len());
            for guard in &guards {
                let Storage::Cuda(storage) = &**guard else { candle_core::bail!("the edges are not on the device") };
                slices.push(storage.as_cuda_slice::<u32>()?);
            }
            let mut call = function.builder();
            slices.iter().for_each(|slice| {
                call.arg(*slice);
            });
            $(call.arg($argument);)+
            call.arg(&mut out);
            // SAFETY: these are the arguments of the kernel in `sparse.cu`, and the lists of `Edges` name existing rows.
            unsafe { call.launch(LaunchConfig::for_num_elems(threads)) }.w()?;
        }
        CudaStorage::wrap_cuda_slice(out, device.clone())
    }};
}

fn launch_sum<T: Kernels>((edges, turned): Direction<'_>, own: f64, x: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, width, own) = (edges.results(turned), x.1.shape().dims2()?.1, own as f32);
    let ([starts, edges, rows], numbers) = (lists(edges, x.0, turned)?, view::<T>(x)?);
    let out = launch!(T, &x.0.device, "sum_rows", threads results * width, result results * width,
        lists [starts, edges, rows], &numbers, &own, &results, &width);
    Ok((out, (results, width).into()))
}

fn launch_weighted_sum<T: Kernels>(
    (edges, turned): Direction<'_>,
    w: Stored<'_>,
    x: Stored<'_>,
) -> Result<(CudaStorage, Shape)> {
    let (results, width) = (edges.results(turned), x.1.shape().dims2()?.1);
    let [starts, edges, rows] = lists(edges, x.0, turned)?;
    let (weights, numbers) = (view::<T>(w)?, view::<T>(x)?);
    let out = launch!(T, &x.0.device, "weighted_sum_rows", threads results * width, result results * width,
        lists [starts, edges, rows], &weights, &numbers, &results, &width);
    Ok((out, (results, width).into()))
}

fn launch_dots<T: Kernels>(
    (edges, turned): Direction<'_>,
    x: Stored<'_>,
    y: Stored<'_>,
) -> Result<(CudaStorage, Shape)> {
    let (count, width) = (edges.len(), x.1.shape().dims2()?.1);
    // The rows of one direction are the sources, those of the other the targets.
    let [from, to] = [turned, !turned].map(|turned| lists(edges, x.0, turned));
    let ([_, _, from], [_, _, to], xs, ys) = (from?, to?, view::<T>(x)?, view::<T>(y)?);
    let out = launch!(T, &x.0.device, "dot_rows", threads count, result count,
        lists [from, to], &xs, &ys, &count, &width);
    Ok((out, count.into()))
}

fn launch_softmax<T: Kernels>(edges: &Edges, x: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, [starts, order, _], numbers) = (edges.results(false), lists(edges, x.0, false)?, view::<T>(x)?);
    let out = launch!(T, &x.0.device, "edge_softmax", threads results, result edges.len(),
        lists [starts, order], &numbers, &results);
    Ok((out, edges.len().into()))
}

fn launch_softmax_back<T: Kernels>(edges: &Edges, y: Stored<'_>, dy: Stored<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, [starts, order, _]) = (edges.results(false), lists(edges, y.0, false)?);
    let (ys, dys) = (view::<T>(y)?, view::<T>(dy)?);
    let out = launch!(T, &y.0.device, "edge_softmax_back", threads results, result edges.len(),
        lists [starts, order], &ys, &dys, &results);
    Ok((out, edges.len().into()))
}
