//! Products of rows with weights in games, by cuBLASLt with an algorithm that depends on the layer alone.
//!
//! cuBLAS chooses its algorithm, and thereby the order of its sums, by the shape of a product, with the number of rows.
//! Here a layer keeps the algorithm for [`ROWS`] rows whatever their number is. So the result for a row does not depend
//! on the other rows, that is, on the other positions of a batch. Bias and ReLU are part of the product.
//!
//! `unsafe`: calls of cuBLASLt, which trusts the pointers and sizes of its matrices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;

use candle_core::cuda_backend::CudaDevice;
use candle_core::cuda_backend::cudarc::cublaslt::{CudaBlasLT, MatmulShared as _, result, sys};
use candle_core::cuda_backend::cudarc::driver::{CudaSlice, CudaStream, DevicePtr as _, DevicePtrMut as _};
use candle_core::{CpuStorage, CudaStorage, CustomOp1, DType, Device, Error, Layout, Result, Shape, Storage, Tensor};

use super::cuda::{Kernels, view};

/// Rows of the product whose algorithm a layer keeps: enough that its tiles fill all units of a card.
const ROWS: u64 = 131_072;

/// Memory for the algorithms, bytes: NVIDIA's advice for Hopper.
const WORKSPACE: usize = 32 << 20;

/// `x W^T + b`, with a ReLU if `relu`, without a gradient; `x [N, inputs]`, `W [outputs, inputs]`, `b [outputs]`. `None` if
/// cuBLASLt has no algorithm for the layer.
///
/// # Errors
/// Errors of CUDA and cuBLASLt.
pub fn layer(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>, relu: bool) -> Result<Option<Tensor>> {
    let Device::Cuda(device) = x.device() else { return Ok(None) };
    let (outputs, inputs) = weight.dims2()?;
    let reduced = x.dtype() == DType::F32 && candle_core::cuda::gemm_reduced_precision_f32();
    let kind = LayerKind { inputs, outputs, dtype: x.dtype(), reduced, biased: bias.is_some(), relu };
    let known = with_products(device, |products| products.algorithm(kind))?;
    let Some(algorithm) = known else { return Ok(None) };
    let layer = CublasLayer { kind, algorithm, weight: weight.contiguous()?, bias: bias.cloned() };
    x.contiguous()?.apply_op1_no_bwd(&layer).map(Some)
}

/// The layers that share an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct LayerKind {
    inputs: usize,
    outputs: usize,
    dtype: DType,
    /// Whether factors are rounded to tf32.
    reduced: bool,
    biased: bool,
    relu: bool,
}

/// cuBLASLt on the thread that owns the device.
struct Products {
    library: CudaBlasLT,
    workspace: CudaSlice<u8>,
    /// The algorithm of each kind, `None` if there is none.
    algorithms: HashMap<LayerKind, Option<sys::cublasLtMatmulAlgo_t>>,
}

thread_local! {
    static PRODUCTS: RefCell<Option<Products>> = const { RefCell::new(None) };
}

fn with_products<T>(device: &CudaDevice, call: impl FnOnce(&mut Products) -> Result<T>) -> Result<T> {
    PRODUCTS.with_borrow_mut(|products| {
        if products.is_none() {
            let library = CudaBlasLT::new(device.cuda_stream()).map_err(cublas_error)?;
            // SAFETY: algorithms write before they read it.
            let workspace = unsafe { device.alloc::<u8>(WORKSPACE)? };
            *products = Some(Products { library, workspace, algorithms: HashMap::new() });
        }
        call(products.as_mut().expect("they were just made"))
    })
}

fn cublas_error(error: result::CublasError) -> Error {
    Error::msg(format!("cuBLASLt: {error}"))
}

impl Products {
    /// The algorithm of a layer for [`ROWS`] rows.
    fn algorithm(&mut self, kind: LayerKind) -> Result<Option<sys::cublasLtMatmulAlgo_t>> {
        if let Some(&known) = self.algorithms.get(&kind) {
            return Ok(known);
        }
        // Only whether there is a bias matters here, not where it is.
        let matrices = Matrices::new(kind, ROWS, kind.biased.then_some(1 << 12))?;
        let preference = Preference::new()?;
        // SAFETY: all descriptors are alive.
        let found = unsafe {
            result::get_matmul_algo_heuristic(
                *self.library.handle(),
                matrices.product.0,
                matrices.weight.0,
                matrices.x.0,
                matrices.y.0,
                matrices.y.0,
                preference.0,
            )
        };
        let algorithm = match found {
            Ok(found) => Some(found.algo),
            Err(result::CublasError(sys::cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED)) => None,
            Err(error) => return Err(cublas_error(error)),
        };
        self.algorithms.insert(kind, algorithm);
        Ok(algorithm)
    }
}

/// A layer as an operation.
struct CublasLayer {
    kind: LayerKind,
    algorithm: sys::cublasLtMatmulAlgo_t,
    weight: Tensor,
    bias: Option<Tensor>,
}

impl CustomOp1 for CublasLayer {
    fn name(&self) -> &'static str {
        "layer"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("a layer by cuBLASLt is for a GPU")
    }

    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        match self.kind.dtype {
            DType::F32 => self.multiply::<f32>((x, layout)),
            DType::BF16 => self.multiply::<half::bf16>((x, layout)),
            other => candle_core::bail!("layers of a GPU compute with f32 and bf16, not {other:?}"),
        }
    }
}

impl CublasLayer {
    fn multiply<T: Kernels>(&self, x: (&CudaStorage, &Layout)) -> Result<(CudaStorage, Shape)> {
        let (device, rows, outputs) = (&x.0.device, x.1.shape().dims2()?.0, self.kind.outputs);
        // SAFETY: the product writes every number.
        let mut y = unsafe { device.alloc::<T>((rows * outputs).max(1))? };
        if rows > 0 {
            let stream = device.cuda_stream();
            let bias = self.bias.as_ref().map(|bias| address::<T>(bias, &stream)).transpose()?;
            let matrices = Matrices::new(self.kind, rows as u64, bias)?;
            let (weight, xs) = (address::<T>(&self.weight, &stream)?, view::<T>(x)?);
            with_products(device, |products| {
                let (alpha, beta) = (1.0f32, 0.0f32);
                let (workspace, _held) = products.workspace.device_ptr_mut(&stream);
                let ((xs, _read), (y, _written)) = (xs.device_ptr(&stream), y.device_ptr_mut(&stream));
                // SAFETY: the matrices have these sizes, and all of this happens on one stream.
                unsafe {
                    result::matmul(
                        *products.library.handle(),
                        matrices.product.0,
                        (&raw const alpha).cast(),
                        (&raw const beta).cast(),
                        weight as *const c_void,
                        matrices.weight.0,
                        xs as *const c_void,
                        matrices.x.0,
                        y as *const c_void,
                        matrices.y.0,
                        y as *mut c_void,
                        matrices.y.0,
                        &raw const self.algorithm,
                        workspace as *mut c_void,
                        WORKSPACE,
                        stream.cu_stream().cast(),
                    )
                }
                .map_err(cublas_error)
            })?;
        }
        Ok((CudaStorage::wrap_cuda_slice(y, device.clone()), (rows, outputs).into()))
    }
}

/// The address of a parameter, which lives as long as its tensor.
fn address<T: Kernels>(tensor: &Tensor, stream: &CudaStream) -> Result<u64> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cuda(storage) => Ok(view::<T>((storage, layout))?.device_ptr(stream).0),
        _ => candle_core::bail!("a parameter is not on the device"),
    }
}

/// The descriptors of a product. In the order of columns, which cuBLASLt uses, rows are columns: `y^T = W x^T + b`.
struct Matrices {
    product: ProductDescription,
    weight: MatrixLayout,
    x: MatrixLayout,
    y: MatrixLayout,
}

impl Matrices {
    /// With the address of the bias, if there is one.
    fn new(kind: LayerKind, rows: u64, bias: Option<u64>) -> Result<Matrices> {
        let LayerKind { inputs, outputs, dtype, .. } = kind;
        let data = match dtype {
            DType::BF16 => sys::cudaDataType::CUDA_R_16BF,
            _ => sys::cudaDataType::CUDA_R_32F,
        };
        let matrix = |rows: usize, columns: u64| {
            result::create_matrix_layout(data, rows as u64, columns, rows as i64)
                .map(MatrixLayout)
                .map_err(cublas_error)
        };
        let product = ProductDescription::new(kind, bias).map_err(cublas_error)?;
        let weight = matrix(inputs, outputs as u64)?;
        Ok(Matrices { product, weight, x: matrix(inputs, rows)?, y: matrix(outputs, rows)? })
    }
}

struct MatrixLayout(sys::cublasLtMatrixLayout_t);

impl Drop for MatrixLayout {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once. An error would only leak it.
        let _ = unsafe { result::destroy_matrix_layout(self.0) };
    }
}

struct ProductDescription(sys::cublasLtMatmulDesc_t);

impl ProductDescription {
    fn new(kind: LayerKind, bias: Option<u64>) -> std::result::Result<ProductDescription, result::CublasError> {
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        let compute = match kind.reduced {
            true => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32,
            false => sys::cublasComputeType_t::CUBLAS_COMPUTE_32F,
        };
        let epilogue = match (bias, kind.relu) {
            (Some(_), true) => sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_RELU_BIAS,
            (Some(_), false) => sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_BIAS,
            (None, true) => sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_RELU,
            (None, false) => sys::cublasLtEpilogue_t::CUBLASLT_EPILOGUE_DEFAULT,
        };
        let product = ProductDescription(result::create_matmul_desc(compute, sys::cudaDataType::CUDA_R_32F)?);
        product.set(Attribute::CUBLASLT_MATMUL_DESC_TRANSA, &1i32)?;
        product.set(Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue)?;
        if let Some(bias) = bias {
            product.set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias)?;
        }
        Ok(product)
    }

    fn set<T>(
        &self,
        attribute: sys::cublasLtMatmulDescAttributes_t,
        value: &T,
    ) -> std::result::Result<(), result::CublasError> {
        // SAFETY: the descriptor is alive, and the value has the type of the attribute.
        unsafe { result::set_matmul_desc_attribute(self.0, attribute, (&raw const *value).cast(), size_of::<T>()) }
    }
}

impl Drop for ProductDescription {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once. An error would only leak it.
        let _ = unsafe { result::destroy_matmul_desc(self.0) };
    }
}

struct Preference(sys::cublasLtMatmulPreference_t);

impl Preference {
    fn new() -> Result<Preference> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let preference = Preference(result::create_matmul_pref().map_err(cublas_error)?);
        let set = |attribute, value: *const c_void, size| {
            // SAFETY: the descriptor is alive, and the value has the type of the attribute.
            unsafe { result::set_matmul_pref_attribute(preference.0, attribute, value, size) }.map_err(cublas_error)
        };
        let size = WORKSPACE;
        set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, (&raw const size).cast(), size_of::<usize>())?;
        Ok(preference)
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once. An error would only leak it.
        let _ = unsafe { result::destroy_matmul_pref(self.0) };
    }
}
