// Sums of rows over lists of edges, for a graph of which there are copies, one after the other.
//
// Lists of edges of one copy: starts [one_results + 1], edges [one_edges] by result, rows [one_edges] by edge, below one_rows.
// Rows are x [copies * one_rows][width]. Each result is written by one thread; there are no atomic operations, so the
// order of each sum is fixed.

#include "number.cuh"

// out[r][c] = own x[r][c] + sum over the edges of r of weights[edge] x[rows[edge]][c]. One thread a number of the result:
// neighbouring threads read neighbouring columns. Weights are read if weighted.
template <typename T, bool weighted>
static __device__ void sum_rows(const unsigned *starts, const unsigned *edges, const unsigned *rows, const T *weights,
                                const T *x, float own, size_t results, size_t width, size_t one_results,
                                size_t one_edges, size_t one_rows, T *out) {
    unsigned at = this_thread();
    if (at >= results * width) return;
    unsigned result = at / (unsigned)width, column = at % (unsigned)width;
    unsigned copy = result / (unsigned)one_results, local = result % (unsigned)one_results;
    const T *of_copy = x + copy * one_rows * width + column;
    float sum = own != 0.0f ? own * wide(x[at]) : 0.0f;
    for (unsigned i = starts[local]; i < starts[local + 1]; i++) {
        unsigned edge = edges[i];
        float term = wide(of_copy[rows[edge] * width]);
        sum += weighted ? wide(weights[copy * one_edges + edge]) * term : term;
    }
    out[at] = narrow<T>(sum);
}

// out[e] = x[from[e]] . y[to[e]]. One thread an edge.
template <typename T>
static __device__ void dot_rows(const unsigned *from, const unsigned *to, const T *x, const T *y, size_t edges,
                                size_t width, size_t one_edges, size_t one_from, size_t one_to, T *out) {
    unsigned edge = this_thread();
    if (edge >= edges) return;
    unsigned copy = edge / (unsigned)one_edges, local = edge % (unsigned)one_edges;
    const T *one = x + (copy * one_from + from[local]) * width, *other = y + (copy * one_to + to[local]) * width;
    float sum = 0.0f;
    for (size_t column = 0; column < width; column++) sum += wide(one[column]) * wide(other[column]);
    out[edge] = narrow<T>(sum);
}

// out[e][c] = e[e][c] + u[from[e]][c] + v[to[e]][c]. One thread four columns.
template <typename T>
static __device__ void join_rows(const unsigned *from, const unsigned *to, const T *e, const T *u, const T *v,
                                 size_t edges, size_t width, size_t one_edges, size_t one_from, size_t one_to, T *out) {
    unsigned at = this_thread(), fours = ((unsigned)width + 3) / 4;
    if (at >= edges * fours) return;
    unsigned edge = at / fours, column = at % fours * 4;
    unsigned copy = edge / (unsigned)one_edges, local = edge % (unsigned)one_edges;
    e += edge * width, out += edge * width;
    u += (copy * one_from + from[local]) * width, v += (copy * one_to + to[local]) * width;
    if (width % 4 == 0) {
        Four<T> one = load(e + column), other = load(u + column), third = load(v + column), sum;
        for (int i = 0; i < 4; i++) sum.at[i] = narrow<T>(wide(one.at[i]) + wide(other.at[i]) + wide(third.at[i]));
        store(out + column, sum);
    } else {
        for (unsigned end = min(column + 4, (unsigned)width); column < end; column++)
            out[column] = narrow<T>(wide(e[column]) + wide(u[column]) + wide(v[column]));
    }
}

// The softmax of x [edges] over the edges of each result. One thread a result.
template <typename T>
static __device__ void edge_softmax(const unsigned *starts, const unsigned *edges, const T *x, size_t results,
                                    size_t one_results, size_t one_edges, T *out) {
    unsigned result = this_thread();
    if (result >= results) return;
    unsigned copy = result / (unsigned)one_results, local = result % (unsigned)one_results;
    unsigned first = starts[local], end = starts[local + 1];
    if (first == end) return;
    x += copy * one_edges;
    out += copy * one_edges;
    float greatest = wide(x[edges[first]]), sum = 0.0f;
    for (unsigned i = first; i < end; i++) greatest = wide(x[edges[i]]) > greatest ? wide(x[edges[i]]) : greatest;
    for (unsigned i = first; i < end; i++) sum += expf(wide(x[edges[i]]) - greatest);
    for (unsigned i = first; i < end; i++) out[edges[i]] = narrow<T>(expf(wide(x[edges[i]]) - greatest) / sum);
}

// The gradient of edge_softmax from its result y and the gradient dy of that. One thread a result.
template <typename T>
static __device__ void edge_softmax_back(const unsigned *starts, const unsigned *edges, const T *y, const T *dy,
                                         size_t results, size_t one_results, size_t one_edges, T *out) {
    unsigned result = this_thread();
    if (result >= results) return;
    unsigned copy = result / (unsigned)one_results, local = result % (unsigned)one_results;
    size_t before = copy * one_edges;
    float sum = 0.0f;
    for (unsigned i = starts[local]; i < starts[local + 1]; i++) {
        size_t edge = before + edges[i];
        sum += wide(y[edge]) * wide(dy[edge]);
    }
    for (unsigned i = starts[local]; i < starts[local + 1]; i++) {
        size_t edge = before + edges[i];
        out[edge] = narrow<T>(wide(y[edge]) * (wide(dy[edge]) - sum));
    }
}

#define KERNELS(T, type)                                                                                               \
    extern "C" __global__ void sum_rows_##type(const unsigned *starts, const unsigned *edges, const unsigned *rows,    \
                                               const T *x, float own, size_t results, size_t width,                    \
                                               size_t one_results, size_t one_edges, size_t one_rows, T *out) {        \
        sum_rows<T, false>(starts, edges, rows, nullptr, x, own, results, width, one_results, one_edges, one_rows,     \
                           out);                                                                                       \
    }                                                                                                                  \
    extern "C" __global__ void weighted_sum_rows_##type(                                                               \
        const unsigned *starts, const unsigned *edges, const unsigned *rows, const T *weights, const T *x,             \
        size_t results, size_t width, size_t one_results, size_t one_edges, size_t one_rows, T *out) {                 \
        sum_rows<T, true>(starts, edges, rows, weights, x, 0.0f, results, width, one_results, one_edges, one_rows,     \
                          out);                                                                                        \
    }                                                                                                                  \
    extern "C" __global__ void dot_rows_##type(const unsigned *from, const unsigned *to, const T *x, const T *y,       \
                                               size_t edges, size_t width, size_t one_edges, size_t one_from,          \
                                               size_t one_to, T *out) {                                                \
        dot_rows<T>(from, to, x, y, edges, width, one_edges, one_from, one_to, out);                                   \
    }                                                                                                                  \
    extern "C" __global__ void join_rows_##type(const unsigned *from, const unsigned *to, const T *e, const T *u,      \
                                                const T *v, size_t edges, size_t width, size_t one_edges,              \
                                                size_t one_from, size_t one_to, T *out) {                              \
        join_rows<T>(from, to, e, u, v, edges, width, one_edges, one_from, one_to, out);                               \
    }                                                                                                                  \
    extern "C" __global__ void edge_softmax_##type(const unsigned *starts, const unsigned *edges, const T *x,          \
                                                   size_t results, size_t one_results, size_t one_edges, T *out) {     \
        edge_softmax<T>(starts, edges, x, results, one_results, one_edges, out);                                       \
    }                                                                                                                  \
    extern "C" __global__ void edge_softmax_back_##type(const unsigned *starts, const unsigned *edges, const T *y,     \
                                                        const T *dy, size_t results, size_t one_results,               \
                                                        size_t one_edges, T *out) {                                    \
        edge_softmax_back<T>(starts, edges, y, dy, results, one_results, one_edges, out);                              \
    }

KERNELS(float, f32)
KERNELS(__nv_bfloat16, bf16)
#undef KERNELS
