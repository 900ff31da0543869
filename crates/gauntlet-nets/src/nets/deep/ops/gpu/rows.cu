// Norms and heads of rows x [rows][width], with the activation after them, and sums of columns.
//
// Each number is computed by one thread, and sums are in a fixed order.

#include "number.cuh"

// Threads share the rows of four columns: this many rows a thread.
static const size_t ROWS_OF_THREAD = 16;

static __device__ inline float rectified(float x) { return x > 0.0f ? x : 0.0f; }

// The part of a thread: every groups-th row from the first, of four columns; fewer columns at the end of a row.
struct Share {
    size_t first, groups;
    unsigned column, end;
    bool exists;
};

static __device__ inline Share share(size_t rows, size_t width) {
    unsigned fours = ((unsigned)width + 3) / 4, column = this_thread() % fours * 4;
    size_t groups = (rows + ROWS_OF_THREAD - 1) / ROWS_OF_THREAD;
    return { this_thread() / fours, groups, column, min(column + 4, (unsigned)width), this_thread() < groups * fours };
}

// out = x scale + shift, by column, with a ReLU if relu.
template <typename T>
static __device__ void scaled(const T *x, const float *scale, const float *shift, bool relu, Share own, size_t rows,
                              size_t width, T *out) {
    for (size_t row = own.first; row < rows; row += own.groups) {
        size_t at = row * width + own.column;
        if (width % 4 == 0) {
            Four<T> four = load(x + at);
            for (int i = 0; i < 4; i++) {
                float y = wide(four.at[i]) * scale[i] + shift[i];
                four.at[i] = narrow<T>(relu ? rectified(y) : y);
            }
            store(out + at, four);
        } else {
            for (unsigned i = 0; i < own.end - own.column; i++) {
                float y = wide(x[at + i]) * scale[i] + shift[i];
                out[at + i] = narrow<T>(relu ? rectified(y) : y);
            }
        }
    }
}

// Batch norm by given moments: (x - mean) / sqrt(variance + epsilon) gain + bias.
template <typename T>
static __device__ void norm_rows(const T *x, const T *gain, const T *bias, const T *mean, const T *variance,
                                 float epsilon, unsigned relu, size_t rows, size_t width, T *out) {
    Share own = share(rows, width);
    if (!own.exists) return;
    float scale[4], shift[4];
    for (unsigned i = 0, c = own.column; c < own.end; i++, c++) {
        scale[i] = wide(gain[c]) / sqrtf(wide(variance[c]) + epsilon);
        shift[i] = wide(bias[c]) - wide(mean[c]) * scale[i];
    }
    scaled(x, scale, shift, relu != 0, own, rows, width, out);
}

// x scale + shift, of given factors and offsets.
template <typename T>
static __device__ void scale_rows(const T *x, const T *factors, const T *offsets, unsigned relu, size_t rows,
                                  size_t width, T *out) {
    Share own = share(rows, width);
    if (!own.exists) return;
    float scale[4], shift[4];
    for (unsigned i = 0, c = own.column; c < own.end; i++, c++) scale[i] = wide(factors[c]), shift[i] = wide(offsets[c]);
    scaled(x, scale, shift, relu != 0, own, rows, width, out);
}

// Sums of columns of x, or of the products of the numbers of x and y if weighted, over parts of the rows: out
// [parts][width]. One thread a column of a part.
template <typename T, bool weighted>
static __device__ void column_sums(const T *x, const T *y, size_t rows, size_t width, size_t of_part, T *out) {
    unsigned at = this_thread();
    size_t parts = (rows + of_part - 1) / of_part;
    if (at >= parts * width) return;
    size_t first = at / (unsigned)width * of_part, end = min(first + of_part, rows), column = at % (unsigned)width;
    float sum = 0.0f;
    for (size_t i = first * width + column; i < end * width; i += width) sum += weighted ? wide(x[i]) * wide(y[i]) : wide(x[i]);
    out[at] = narrow<T>(sum);
}

// The gradient of a ReLU with the result y: dy where y is above 0. One thread a number.
template <typename T> static __device__ void passed(const T *y, const T *dy, size_t count, T *out) {
    unsigned at = this_thread();
    if (at < count) out[at] = wide(y[at]) > 0.0f ? dy[at] : narrow<T>(0.0f);
}

// Calls visit(column, number) for all numbers of a row, in order.
template <typename T, typename Visit> static __device__ inline void each(const T *row, size_t width, Visit visit) {
    if (width % 4 == 0 && (size_t)row % sizeof(Four<T>) == 0) {
        for (size_t column = 0; column < width; column += 4) {
            Four<T> four = load(row + column);
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
    extern "C" __global__ void column_sums_##type(const T *x, size_t rows, size_t width, size_t of_part, T *out) {     \
        column_sums<T, false>(x, nullptr, rows, width, of_part, out);                                                  \
    }                                                                                                                  \
    extern "C" __global__ void column_dots_##type(const T *x, const T *y, size_t rows, size_t width, size_t of_part,   \
                                                  T *out) {                                                            \
        column_sums<T, true>(x, y, rows, width, of_part, out);                                                         \
    }                                                                                                                  \
    extern "C" __global__ void passed_##type(const T *y, const T *dy, size_t count, T *out) {                          \
        passed<T>(y, dy, count, out);                                                                                  \
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
