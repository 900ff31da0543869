// Sums of rows over lists of edges. Compiled to PTX by nvcc with -fmad=false, so that results have the bits of the twin
// on the CPU, apart from exponentials; compiled as C++ by shim.cpp in tests.
//
// Lists of edges: starts [results + 1], edges [edges] by result, rows [edges] by edge. Rows are x [rows][width].
// Each result is written by one thread; there are no atomic operations, so the order of each sum is fixed.

#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

template <typename T> __device__ float wide(T x);
template <> __device__ float wide<float>(float x) { return x; }
template <> __device__ float wide<__nv_bfloat16>(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T> __device__ T narrow(float x);
template <> __device__ float narrow<float>(float x) { return x; }
template <> __device__ __nv_bfloat16 narrow<__nv_bfloat16>(float x) { return __float2bfloat16(x); }

static __device__ size_t this_thread() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

// out[r][c] = own x[r][c] + sum over the edges of r of weights[edge] x[rows[edge]][c]. One thread a number of the result:
// neighbouring threads read neighbouring columns. Weights are read if weighted.
template <typename T, bool weighted>
static __device__ void sum_rows(const unsigned *starts, const unsigned *edges, const unsigned *rows, const T *weights,
                                const T *x, float own, size_t results, size_t width, T *out) {
    size_t at = this_thread();
    if (at >= results * width) return;
    size_t result = at / width, column = at % width;
    float sum = own != 0.0f ? own * wide(x[at]) : 0.0f;
    for (unsigned i = starts[result]; i < starts[result + 1]; i++) {
        unsigned edge = edges[i];
        float term = wide(x[rows[edge] * width + column]);
        sum += weighted ? wide(weights[edge]) * term : term;
    }
    out[at] = narrow<T>(sum);
}

// out[e] = x[from[e]] . y[to[e]]. One thread an edge.
template <typename T>
static __device__ void dot_rows(const unsigned *from, const unsigned *to, const T *x, const T *y, size_t edges,
                                size_t width, T *out) {
    size_t edge = this_thread();
    if (edge >= edges) return;
    const T *one = x + from[edge] * width, *other = y + to[edge] * width;
    float sum = 0.0f;
    for (size_t column = 0; column < width; column++) sum += wide(one[column]) * wide(other[column]);
    out[edge] = narrow<T>(sum);
}

// The softmax of x [edges] over the edges of each result. One thread a result.
template <typename T>
static __device__ void edge_softmax(const unsigned *starts, const unsigned *edges, const T *x, size_t results, T *out) {
    size_t result = this_thread();
    if (result >= results) return;
    unsigned first = starts[result], end = starts[result + 1];
    if (first == end) return;
    float greatest = wide(x[edges[first]]), sum = 0.0f;
    for (unsigned i = first; i < end; i++) greatest = wide(x[edges[i]]) > greatest ? wide(x[edges[i]]) : greatest;
    for (unsigned i = first; i < end; i++) sum += expf(wide(x[edges[i]]) - greatest);
    for (unsigned i = first; i < end; i++) out[edges[i]] = narrow<T>(expf(wide(x[edges[i]]) - greatest) / sum);
}

// The gradient of edge_softmax from its result y and the gradient dy of that. One thread a result.
template <typename T>
static __device__ void edge_softmax_back(const unsigned *starts, const unsigned *edges, const T *y, const T *dy,
                                         size_t results, T *out) {
    size_t result = this_thread();
    if (result >= results) return;
    float sum = 0.0f;
    for (unsigned i = starts[result]; i < starts[result + 1]; i++) sum += wide(y[edges[i]]) * wide(dy[edges[i]]);
    for (unsigned i = starts[result]; i < starts[result + 1]; i++) {
        unsigned edge = edges[i];
        out[edge] = narrow<T>(wide(y[edge]) * (wide(dy[edge]) - sum));
    }
}

#define KERNELS(T, type)                                                                                               \
    extern "C" __global__ void sum_rows_##type(const unsigned *starts, const unsigned *edges, const unsigned *rows,    \
                                               const T *x, float own, size_t results, size_t width, T *out) {          \
        sum_rows<T, false>(starts, edges, rows, nullptr, x, own, results, width, out);                                 \
    }                                                                                                                  \
    extern "C" __global__ void weighted_sum_rows_##type(const unsigned *starts, const unsigned *edges,                 \
                                                        const unsigned *rows, const T *weights, const T *x,            \
                                                        size_t results, size_t width, T *out) {                        \
        sum_rows<T, true>(starts, edges, rows, weights, x, 0.0f, results, width, out);                                 \
    }                                                                                                                  \
    extern "C" __global__ void dot_rows_##type(const unsigned *from, const unsigned *to, const T *x, const T *y,       \
                                               size_t edges, size_t width, T *out) {                                   \
        dot_rows<T>(from, to, x, y, edges, width, out);                                                                \
    }                                                                                                                  \
    extern "C" __global__ void edge_softmax_##type(const unsigned *starts, const unsigned *edges, const T *x,          \
                                                   size_t results, T *out) {                                           \
        edge_softmax<T>(starts, edges, x, results, out);                                                               \
    }                                                                                                                  \
    extern "C" __global__ void edge_softmax_back_##type(const unsigned *starts, const unsigned *edges, const T *y,     \
                                                        const T *dy, size_t results, T *out) {                         \
        edge_softmax_back<T>(starts, edges, y, dy, results, out);                                                      \
    }

KERNELS(float, f32)
KERNELS(__nv_bfloat16, bf16)
