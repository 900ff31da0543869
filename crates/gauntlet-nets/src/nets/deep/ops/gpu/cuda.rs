//! Launches of the kernels of `edges.cu` and `rows.cu` on a CUDA device.
//!
//! nvcc makes PTX of them when the crate is built: it is there in any case, as Candle's own kernels need it, and then a
//! mistake is found at build time and no machine needs NVRTC. The driver translates PTX for its card.
//!
//! `unsafe`: a launch trusts that the arguments are those of the kernel, in type and in size.

use candle_core::cuda_backend::cudarc::driver::{CudaView, DeviceRepr, LaunchConfig, PushKernelArg as _};
use candle_core::cuda_backend::{CudaDType, CudaDevice, WrapErr as _};
use candle_core::{CudaStorage, DType, Device, Layout, Result, Shape, Storage, Tensor};

use super::super::EPSILON;
use super::lists::Edges;
use super::row_map::RowMap;

/// The kernels.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

/// Edges, and whether they are turned.
type Oriented<'a> = (&'a Edges, bool);

/// A contiguous tensor on the device.
type OnDevice<'a> = (&'a CudaStorage, &'a Layout);

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

pub fn sum_rows(of: Oriented<'_>, own: f64, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_sum::<T>(of, own, x))
}

pub fn weighted_sum_rows(of: Oriented<'_>, w: OnDevice<'_>, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_weighted_sum::<T>(of, w, x))
}

pub fn dot_rows(of: Oriented<'_>, x: OnDevice<'_>, y: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_dots::<T>(of, x, y))
}

pub fn join_rows(edges: &Edges, all: [OnDevice<'_>; 3]) -> Result<(CudaStorage, Shape)> {
    by_kernel!(all[0].0, launch_join::<T>(edges, all))
}

pub fn map_rows(map: &RowMap, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_map::<T>(map, x))
}

pub fn edge_softmax(edges: &Edges, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_softmax::<T>(edges, x))
}

pub fn edge_softmax_back(edges: &Edges, y: OnDevice<'_>, dy: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(y.0, launch_softmax_back::<T>(edges, y, dy))
}

/// A number type with kernels, and the ending of their names.
pub(super) trait Kernels: CudaDType + DeviceRepr {
    const ENDING: &'static str;
}

impl Kernels for f32 {
    const ENDING: &'static str = "f32";
}

impl Kernels for half::bf16 {
    const ENDING: &'static str = "bf16";
}

/// The numbers of a tensor. A contiguous tensor may be a part of its storage.
pub(super) fn view<'a, T: Kernels>((storage, layout): OnDevice<'a>) -> Result<CudaView<'a, T>> {
    let (start, end) = layout.contiguous_offsets().ok_or_else(|| candle_core::Error::msg("rows must be contiguous"))?;
    Ok(storage.as_cuda_slice::<T>()?.slice(start..end))
}

/// The lists of edges on the device of a storage, with their guards.
fn lists<'a>(edges: &'a Edges, of: &CudaStorage, turned: bool) -> Result<&'a [Tensor; 3]> {
    edges.on(&Device::Cuda(of.device.clone()), turned)
}

/// The sizes of one copy: its results, its edges and the rows that can be added.
fn sizes((edges, turned): Oriented<'_>) -> [usize; 3] {
    let direction = edges.direction(turned);
    [direction.results(), direction.edges.len(), direction.sources]
}

/// The numbers of edges of one copy, of its sources and of its targets, and the lists of both ends of each edge.
fn both_ends<'a>((edges, turned): Oriented<'a>, of: &CudaStorage) -> Result<([usize; 3], [&'a Tensor; 2])> {
    let [one, other] = [turned, !turned].map(|turned| edges.direction(turned));
    let [[_, _, from], [_, _, to]] = [lists(edges, of, turned)?, lists(edges, of, !turned)?];
    Ok(([one.edges.len(), one.sources, other.sources], [from, to]))
}

/// Launches a kernel with one thread for each of `$count` numbers, in blocks of `$block`; its last argument is the result
/// of `$len` numbers.
macro_rules! launch {
    ($T:ty, $device:expr, $name:expr, threads $count:expr, result $len:expr, $($rest:tt)+) => {
        CudaStorage::wrap_cuda_slice(
            launch!($T => $T, $device, $name, threads $count, of 256, result $len, $($rest)+),
            $device.clone(),
        )
    };
    ($T:ty => $R:ty, $device:expr, $name:expr, threads $count:expr, of $block:expr, result $len:expr,
     lists [$($list:expr),*], $($argument:expr),+) => {{
        let (device, count, len): (&CudaDevice, usize, usize) = ($device, $count, $len);
        let name = format!("{}_{}", $name, <$T>::ENDING);
        let function = device.get_or_load_custom_func(&name, "gauntlet-kernels", PTX)?;
        // SAFETY: the kernel writes every number of its result before anything reads it.
        let mut out = unsafe { device.alloc::<$R>(len.max(1))? };
        if count > MOST {
            candle_core::bail!("{count} numbers are too many for a kernel");
        }
        let (threads, block): (u32, u32) = (count as u32, $block);
        if threads > 0 {
            let lists: &[&Tensor] = &[$($list),*];
            let guards: Vec<_> = lists.iter().map(|list| list.storage_and_layout().0).collect();
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
            let grid = (threads.div_ceil(block), 1, 1);
            // SAFETY: these are the arguments of the kernel, and the lists of `Edges` name existing rows.
            unsafe { call.launch(LaunchConfig { grid_dim: grid, block_dim: (block, 1, 1), shared_mem_bytes: 0 }) }.w()?;
        }
        out
    }};
}

fn launch_sum<T: Kernels>(of: Oriented<'_>, own: f64, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, width, own) = (of.0.results(of.1), x.1.shape().dims2()?.1, own as f32);
    let ([starts, edges, rows], [one, of_one, rows_of_one]) = (lists(of.0, x.0, of.1)?, sizes(of));
    let numbers = view::<T>(x)?;
    let out = launch!(T, &x.0.device, "sum_rows", threads results * width, result results * width,
        lists [starts, edges, rows], &numbers, &own, &results, &width, &one, &of_one, &rows_of_one);
    Ok((out, (results, width).into()))
}

fn launch_weighted_sum<T: Kernels>(of: Oriented<'_>, w: OnDevice<'_>, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, width) = (of.0.results(of.1), x.1.shape().dims2()?.1);
    let ([starts, edges, rows], [one, of_one, rows_of_one]) = (lists(of.0, x.0, of.1)?, sizes(of));
    let (weights, numbers) = (view::<T>(w)?, view::<T>(x)?);
    let out = launch!(T, &x.0.device, "weighted_sum_rows", threads results * width, result results * width,
        lists [starts, edges, rows], &weights, &numbers, &results, &width, &one, &of_one, &rows_of_one);
    Ok((out, (results, width).into()))
}

fn launch_dots<T: Kernels>(of: Oriented<'_>, x: OnDevice<'_>, y: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (count, width) = (of.0.len(), x.1.shape().dims2()?.1);
    let ([of_one, from_one, to_one], [from, to]) = both_ends(of, x.0)?;
    let (xs, ys) = (view::<T>(x)?, view::<T>(y)?);
    let out = launch!(T, &x.0.device, "dot_rows", threads count, result count,
        lists [from, to], &xs, &ys, &count, &width, &of_one, &from_one, &to_one);
    Ok((out, count.into()))
}

fn launch_join<T: Kernels>(edges: &Edges, [e, u, v]: [OnDevice<'_>; 3]) -> Result<(CudaStorage, Shape)> {
    let (count, width) = e.1.shape().dims2()?;
    let ([of_one, from_one, to_one], [from, to]) = both_ends((edges, false), e.0)?;
    let (es, us, vs) = (view::<T>(e)?, view::<T>(u)?, view::<T>(v)?);
    let out = launch!(T, &e.0.device, "join_rows", threads count * width.div_ceil(4), result count * width,
        lists [from, to], &es, &us, &vs, &count, &width, &of_one, &from_one, &to_one);
    Ok((out, (count, width).into()))
}

fn launch_softmax<T: Kernels>(edges: &Edges, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, [starts, order, _], numbers) = (edges.results(false), lists(edges, x.0, false)?, view::<T>(x)?);
    let [one, of_one, _] = sizes((edges, false));
    let out = launch!(T, &x.0.device, "edge_softmax", threads results, result edges.len(),
        lists [starts, order], &numbers, &results, &one, &of_one);
    Ok((out, edges.len().into()))
}

fn launch_softmax_back<T: Kernels>(edges: &Edges, y: OnDevice<'_>, dy: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (results, [starts, order, _]) = (edges.results(false), lists(edges, y.0, false)?);
    let ([one, of_one, _], ys, dys) = (sizes((edges, false)), view::<T>(y)?, view::<T>(dy)?);
    let out = launch!(T, &y.0.device, "edge_softmax_back", threads results, result edges.len(),
        lists [starts, order], &ys, &dys, &results, &one, &of_one);
    Ok((out, edges.len().into()))
}

/// Threads of a block where a thread has a whole row: few, so that the blocks fill the units of a card.
const ROW_BLOCK: u32 = 64;

/// Maximum number of threads of a kernel.
const MOST: usize = 1 << 31;

/// Rows that share a thread in the maps by column.
const ROWS_OF_THREAD: usize = 16;

fn launch_map<T: Kernels>(map: &RowMap, x: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let ((rows, width), shape) = (x.1.shape().dims2()?, map.shape(x.1)?);
    let guards: Vec<_> = map.parameters().iter().map(Tensor::storage_and_layout).collect();
    let mut parameters = Vec::with_capacity(guards.len());
    for (storage, layout) in &guards {
        let Storage::Cuda(storage) = &**storage else { candle_core::bail!("a parameter is not on the device") };
        parameters.push(view::<T>((storage, layout))?);
    }
    let (device, numbers, epsilon, len) = (&x.0.device, view::<T>(x)?, EPSILON as f32, shape.elem_count());
    let by_column = rows.div_ceil(ROWS_OF_THREAD) * width.div_ceil(4);
    let relu = u32::from(matches!(map, RowMap::Scale { relu: true, .. } | RowMap::Norm { relu: true, .. }));
    let out = match (map, &parameters[..]) {
        (RowMap::Scale { .. }, [scale, shift]) => launch!(T, device, "scale_rows", threads by_column, result len,
            lists [], &numbers, scale, shift, &relu, &rows, &width),
        (RowMap::Norm { .. }, [gain, bias, mean, variance]) => launch!(T, device, "norm_rows",
            threads by_column, result len, lists [],
            &numbers, gain, bias, mean, variance, &epsilon, &relu, &rows, &width),
        (RowMap::LayerNorm { .. }, [gain, bias]) => {
            let moments = launch!(T => f32, device, "row_moments", threads rows, of ROW_BLOCK, result 2 * rows,
                lists [], &numbers, &epsilon, &rows, &width);
            launch!(T, device, "layer_norm_rows", threads len, result len,
                lists [], &numbers, &moments, gain, bias, &rows, &width)
        }
        (RowMap::Head { .. }, [weight, bias]) => CudaStorage::wrap_cuda_slice(
            launch!(T => T, device, "head_rows", threads rows, of ROW_BLOCK, result len,
                lists [], &numbers, weight, bias, &rows, &width),
            device.clone(),
        ),
        _ => candle_core::bail!("a map of rows has other parameters"),
    };
    Ok((out, shape))
}

/// The features of nodes, from packed bits `[rows][4]` and numbers of the positions, each with `one` rows.
pub fn unpack_rows(
    words: &Tensor,
    scalars: OnDevice<'_>,
    [rows, bits, width, one]: [usize; 4],
) -> Result<(CudaStorage, Shape)> {
    by_kernel!(scalars.0, launch_unpack::<T>(words, scalars, [rows, bits, width, one]))
}

fn launch_unpack<T: Kernels>(
    words: &Tensor,
    scalars: OnDevice<'_>,
    [rows, bits, width, one]: [usize; 4],
) -> Result<(CudaStorage, Shape)> {
    let numbers = view::<T>(scalars)?;
    let out = launch!(T, &scalars.0.device, "unpack_rows", threads rows * width, result rows * width,
        lists [words], &numbers, &rows, &bits, &width, &one);
    Ok((out, (rows, width).into()))
}

/// The sums of the columns of `x`, or of the products of the numbers of `x` and `y`, over parts of this many rows.
pub fn column_sums(x: OnDevice<'_>, y: Option<OnDevice<'_>>, of_part: usize) -> Result<(CudaStorage, Shape)> {
    by_kernel!(x.0, launch_column_sums::<T>(x, y, of_part))
}

fn launch_column_sums<T: Kernels>(
    x: OnDevice<'_>,
    y: Option<OnDevice<'_>>,
    of_part: usize,
) -> Result<(CudaStorage, Shape)> {
    let ((rows, width), xs) = (x.1.shape().dims2()?, view::<T>(x)?);
    let (device, parts) = (&x.0.device, rows.div_ceil(of_part));
    let out = match y.map(view::<T>).transpose()? {
        None => launch!(T, device, "column_sums", threads parts * width, result parts * width,
            lists [], &xs, &rows, &width, &of_part),
        Some(ys) => launch!(T, device, "column_dots", threads parts * width, result parts * width,
            lists [], &xs, &ys, &rows, &width, &of_part),
    };
    Ok((out, (parts, width).into()))
}

/// The gradient of a ReLU with the result `y`.
pub fn passed(y: OnDevice<'_>, dy: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    by_kernel!(y.0, launch_passed::<T>(y, dy))
}

fn launch_passed<T: Kernels>(y: OnDevice<'_>, dy: OnDevice<'_>) -> Result<(CudaStorage, Shape)> {
    let (count, ys, dys) = (y.1.shape().elem_count(), view::<T>(y)?, view::<T>(dy)?);
    let out = launch!(T, &y.0.device, "passed", threads count, result count, lists [], &ys, &dys, &count);
    Ok((out, y.1.shape().clone()))
}
