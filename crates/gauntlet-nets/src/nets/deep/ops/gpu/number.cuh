#pragma once
// Numbers of the kernels: f32, and bf16 that is computed with in f32. Compiled to PTX by nvcc with -fmad=false, so that
// results have the bits of the twin on the CPU, apart from exponentials; compiled as C++ by shim.cpp in tests.

#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

template <typename T> __device__ float wide(T x);
template <> __device__ inline float wide<float>(float x) { return x; }
template <> __device__ inline float wide<__nv_bfloat16>(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T> __device__ T narrow(float x);
template <> __device__ inline float narrow<float>(float x) { return x; }
template <> __device__ inline __nv_bfloat16 narrow<__nv_bfloat16>(float x) { return __float2bfloat16(x); }

// Four numbers that are read or written at once.
template <typename T> struct alignas(4 * sizeof(T)) Four { T at[4]; };

template <typename T> static __device__ inline Four<T> load(const T *x) { return *(const Four<T> *)x; }
template <typename T> static __device__ inline void store(T *x, Four<T> four) { *(Four<T> *)x = four; }

// 32 bits: divisions of 64 bits take longer than the rest of most kernels. A launch has fewer threads.
static __device__ inline unsigned this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
