// Norms and heads of rows x [rows][width], with the activation after them, for inference.
//
// Each number is computed by one thread, and sums are in the order of the columns.

#include "number.cuh"

// Threads share the rows of a column: this many rows a thread.
static const size_t ROWS_OF_THREAD = 16;

static __device__ inline float rectified(float x) { return x > 0.0f ? x : 0.0f; }

// out = x scale + shift, by column, with a ReLU if relu.
template <typename T>
static __device__ void scaled(const T *x, float scale, float shift, bool relu, size_t rows, size_t width, T *out) {
    size_t groups = (rows + ROWS_OF_THREAD - 1) / ROWS_OF_THREAD;
    unsigned column = this_thread() % (unsigned)width;
    for (size_t row = this_thread() / (unsigned)width; row < rows; row += groups) {
        float y = wide(x[row * width + column]) * scale + shift;
        out[row * width + column] = narrow<T>(relu ? rectified(y) : y);
    }
}

// Whether this thread has rows of a column.
static __device__ inline bool has_rows(size_t rows, size_t width) {
    return this_thread() < (rows + ROWS_OF_THREAD - 1) / ROWS_OF_THREAD * width;
}

// Batch norm by running moments: (x - mean) / sqrt(variance + epsilon) gain + bias.
template <typename T>
static __device__ void norm_rows(const T *x, const T *gain, const T *bias, const T *mean, const T *variance,
                                 float epsilon, unsigned relu, size_t rows, size_t width, T *out) {
    if (!has_rows(rows, width)) return;
    unsigned column = this_thread() % (unsigned)width;
    float scale = wide(gain[column]) / sqrtf(wide(variance[column]) + epsilon);
    scaled(x, scale, wide(bias[column]) - wide(mean[column]) * scale, relu != 0, rows, width, out);
}

// x scale + shift, of given factors and offsets.
template <typename T>
static __device__ void scale_rows(const T *x, const T *scale, const T *shift, unsigned relu, size_t rows, size_t width,
                                  T *out) {
    if (!has_rows(rows, width)) return;
    unsigned column = this_thread() % (unsigned)width;
    scaled(x, wide(scale[column]), wide(shift[column]), relu != 0, rows, width, out);
}

// Four numbers that are read at once.
template <typename T> struct alignas(4 * sizeof(T)) Four { T at[4]; };

// Calls visit(column, number) for all numbers of a row, in order.
template <typename T, typename Visit> static __device__ inline void each(const T *row, size_t width, Visit visit) {
    if (width % 4 == 0 && (size_t)row % sizeof(Four<T>) == 0) {
        for (size_t column = 0; column < width; column += 4) {
            Four<T> four = *(const Four<T> *)(row + column);
            for (size_t i = 0; i < 4; i++) visit(column + i, wide(four.at[i]));
        }
    } else {
        for (size_t column = 0; column < width; column++) visit(column, wide(row[column]));
    }
}

// The mean of each row, and the root of its variance plus epsilon: out [rows][2]. One thread a row.
template <typename T>
static __device__ void row_moments(const T *x, float epsilon, size_t rows, size_t width, float *out) {
    size_t row = this_thread();
    if (row >= rows) return;
    x += row * width;
    float sum = 0.0f, squares = 0.0f;
    each(x, width, [&](size_t, float number) { sum += number; });
    float mean = sum / (float)width;
    each(x, width, [&](size_t, float number) { squares += (number - mean) * (number - mean); });
    out[2 * row] = mean;
    out[2 * row + 1] = sqrtf(squares / (float)width + epsilon);
}

// Layer norm and ReLU: relu((x - mean) / deviation gain + bias), with moments [rows][2]. One thread a number.
template <typename T>
static __device__ void layer_norm_rows(const T *x, const float *moments, const T *gain, const T *bias, size_t rows,
                                       size_t width, T *out) {
    unsigned at = this_thread();
    if (at >= rows * width) return;
    unsigned row = at / (unsigned)width, column = at % (unsigned)width;
    float normal = (wide(x[at]) - moments[2 * row]) / moments[2 * row + 1];
    out[at] = narrow<T>(rectified(normal * wide(gain[column]) + wide(bias[column])));
}

// A head of one output: x . weight + bias. One thread a row.
template <typename T>
static __device__ void head_rows(const T *x, const T *weight, const T *bias, size_t rows, size_t width, T *out) {
    size_t row = this_thread();
    if (row >= rows) return;
    float sum = 0.0f;
    each(x + row * width, width, [&](size_t column, float number) { sum += number * wide(weight[column]); });
    out[row] = narrow<T>(sum + wide(bias[0]));
}

#define KERNELS(T, type)                                                                                               \
    extern "C" __global__ void norm_rows_##type(const T *x, const T *gain, const T *bias, const T *mean,               \
                                                const T *variance, float epsilon, unsigned relu, size_t rows,          \
                                                size_t width, T *out) {                                                \
        norm_rows<T>(x, gain, bias, mean, variance, epsilon, relu, rows, width, out);                                  \
    }                                                                                                                  \
    extern "C" __global__ void scale_rows_##type(const T *x, const T *scale, const T *shift, unsigned relu,            \
                                                 size_t rows, size_t width, T *out) {                                  \
        scale_rows<T>(x, scale, shift, relu, rows, width, out);                                                        \
    }                                                                                                                  \
    extern "C" __global__ void row_moments_##type(const T *x, float epsilon, size_t rows, size_t width, float *out) {  \
        row_moments<T>(x, epsilon, rows, width, out);                                                                  \
    }                                                                                                                  \
    extern "C" __global__ void layer_norm_rows_##type(const T *x, const float *moments, const T *gain, const T *bias,  \
                                                      size_t rows, size_t width, T *out) {                             \
        layer_norm_rows<T>(x, moments, gain, bias, rows, width, out);                                                  \
    }                                                                                                                  \
    extern "C" __global__ void head_rows_##type(const T *x, const T *weight, const T *bias, size_t rows, size_t width, \
                                                T *out) {                                                              \
        head_rows<T>(x, weight, bias, rows, width, out);                                                               \
    }                                                                                                                  \
    extern "C" __global__ void unpack_rows_##type(const unsigned *words, const T *scalars, size_t rows, size_t bits,   \
                                                  size_t width, size_t one_rows, T *out) {                             \
        unpack_rows<T>(words, scalars, rows, bits, width, one_rows, out);                                              \
    }

// The features of nodes [rows][bits + scalars]: bits, packed in four words a row, and numbers of the position, which are
// common to its one_rows rows. One thread a number.
template <typename T>
static __device__ void unpack_rows(const unsigned *words, const T *scalars, size_t rows, size_t bits, size_t width,
                                   size_t one_rows, T *out) {
    unsigned at = this_thread();
    if (at >= rows * width) return;
    unsigned row = at / (unsigned)width, column = at % (unsigned)width;
    if (column < bits) {
        out[at] = narrow<T>((float)(words[4 * (size_t)row + column / 32] >> column % 32 & 1));
    } else {
        out[at] = scalars[row / (unsigned)one_rows * (width - bits) + column - bits];
    }
}

KERNELS(float, f32)
KERNELS(__nv_bfloat16, bf16)
#undef KERNELS
