//! Opening a CUDA device.
//!
//! `unsafe`: calls of the driver that Candle does not wrap.

use candle_core::Device;

/// Opens a CUDA device with one stream of its own.
///
/// Candle's usual stream is another one in each thread. With one stream, the order of all work is the order of the
/// calls, and cuBLAS returns the same bits each time: its documentation promises them for one active stream, so that
/// `CUBLAS_WORKSPACE_CONFIG` need not be set. Tensors then need no events.
#[cfg(feature = "cuda")]
pub fn open(index: usize) -> candle_core::Result<Device> {
    let device = Device::new_cuda_with_stream(index)?;
    // SAFETY: all tensors of this device are on its one stream.
    unsafe { device.as_cuda_device()?.disable_event_tracking() };
    keep_memory(&device)?;
    Ok(device)
}

/// Lets the driver keep freed memory for the next tensors. It would return all of it at each synchronisation.
#[cfg(feature = "cuda")]
fn keep_memory(device: &Device) -> candle_core::Result<()> {
    use candle_core::cuda_backend::{WrapErr as _, cudarc::driver::result, cudarc::driver::sys};

    let (stream, mut all) = (device.as_cuda_device()?.cuda_stream(), u64::MAX);
    if !stream.context().has_async_alloc() {
        return Ok(());
    }
    let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: it is the pool of this device, and the value of this attribute is a `u64`.
    unsafe {
        let pool = result::device::get_default_mem_pool(stream.context().cu_device()).w()?;
        result::mem_pool::set_attribute(pool, threshold, (&raw mut all).cast()).w()
    }
}

#[cfg(not(feature = "cuda"))]
pub fn open(index: usize) -> candle_core::Result<Device> {
    Device::new_cuda_with_stream(index)
}
