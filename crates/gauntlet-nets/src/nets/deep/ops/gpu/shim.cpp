// The kernels of kernels.cu on the CPU: a grid of threads as a loop. Used by tests only.
//
// shim KERNEL < input > output. Input: the number of arguments, then for each the number of bytes and the bytes; the last
// argument is the result, whose bytes do not follow. Each thread is called once, in
// reverse order, so that a kernel that relies on an order fails.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct Index { unsigned x; };
static thread_local Index blockIdx, blockDim, threadIdx;
#define __global__
#define __device__

// bf16 with rounding to nearest, ties to even.
struct __nv_bfloat16 { uint16_t bits; };
static float __bfloat162float(__nv_bfloat16 x) {
    uint32_t bits = (uint32_t)x.bits << 16;
    float number;
    memcpy(&number, &bits, 4);
    return number;
}
static __nv_bfloat16 __float2bfloat16(float number) {
    uint32_t bits;
    memcpy(&bits, &number, 4);
    if (number != number) return { (uint16_t)(bits >> 16 | 64) };
    return { (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16) };
}

template <typename T, typename U> static T min(T a, U b) { return a < (T)b ? a : (T)b; }

#include "kernels.cu"

static std::vector<std::vector<char>> arguments;
template <typename T> static T *array(size_t i) { return (T *)arguments[i].data(); }
static size_t count(size_t i) { return *array<uint64_t>(i); }

static void grid(size_t threads, const std::function<void()> &kernel) {
    blockDim.x = 1024;
    for (size_t at = (threads + 1023) / 1024 * 1024; at-- > 0;) {
        blockIdx.x = at / 1024;
        threadIdx.x = at % 1024;
        kernel();
    }
}

// Arguments by number.
#define LIST(i) array<unsigned>(i)
#define ROWS(i) array<T>(i)

#define CALLS(T_, type)                                                                                                \
    { "sum_rows_" #type, [] { using T = T_;                                                                            \
        grid(count(5) * count(6), [] {                                                                                 \
            sum_rows_##type(LIST(0), LIST(1), LIST(2), ROWS(3), *array<float>(4), count(5), count(6), count(7),        \
                            count(8), count(9), ROWS(10)); }); } },                                                    \
    { "weighted_sum_rows_" #type, [] { using T = T_;                                                                   \
        grid(count(5) * count(6), [] {                                                                                 \
            weighted_sum_rows_##type(LIST(0), LIST(1), LIST(2), ROWS(3), ROWS(4), count(5), count(6), count(7),        \
                                     count(8), count(9), ROWS(10)); }); } },                                           \
    { "dot_rows_" #type, [] { using T = T_;                                                                            \
        grid(count(4), [] {                                                                                            \
            dot_rows_##type(LIST(0), LIST(1), ROWS(2), ROWS(3), count(4), count(5), count(6), count(7), count(8),      \
                            ROWS(9)); }); } },                                                                         \
    { "join_rows_" #type, [] { using T = T_;                                                                           \
        grid(count(5) * ((count(6) + 3) / 4), [] {                                                                     \
            join_rows_##type(LIST(0), LIST(1), ROWS(2), ROWS(3), ROWS(4), count(5), count(6), count(7), count(8),      \
                             count(9), ROWS(10)); }); } },                                                             \
    { "edge_softmax_" #type, [] { using T = T_;                                                                        \
        grid(count(3), [] {                                                                                            \
            edge_softmax_##type(LIST(0), LIST(1), ROWS(2), count(3), count(4), count(5), ROWS(6)); }); } },            \
    { "edge_softmax_back_" #type, [] { using T = T_;                                                                   \
        grid(count(4), [] {                                                                                            \
            edge_softmax_back_##type(LIST(0), LIST(1), ROWS(2), ROWS(3), count(4), count(5), count(6), ROWS(7));       \
        }); } },                                                                                                       \
    { "scale_rows_" #type, [] { using T = T_;                                                                          \
        grid((count(4) + 15) / 16 * ((count(5) + 3) / 4), [] {                                                                     \
            scale_rows_##type(ROWS(0), ROWS(1), ROWS(2), *LIST(3), count(4), count(5), ROWS(6)); }); } },              \
    { "norm_rows_" #type, [] { using T = T_;                                                                           \
        grid((count(7) + 15) / 16 * ((count(8) + 3) / 4), [] {                                                                     \
            norm_rows_##type(ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4), *array<float>(5), *LIST(6), count(7),        \
                             count(8), ROWS(9)); }); } },                                                              \
    { "column_sums_" #type, [] { using T = T_;                                                                         \
        grid((count(1) + count(3) - 1) / count(3) * count(2), [] {                                                     \
            column_sums_##type(ROWS(0), count(1), count(2), count(3), ROWS(4)); }); } },                               \
    { "column_dots_" #type, [] { using T = T_;                                                                         \
        grid((count(2) + count(4) - 1) / count(4) * count(3), [] {                                                     \
            column_dots_##type(ROWS(0), ROWS(1), count(2), count(3), count(4), ROWS(5)); }); } },                      \
    { "passed_" #type, [] { using T = T_;                                                                              \
        grid(count(2), [] { passed_##type(ROWS(0), ROWS(1), count(2), ROWS(3)); }); } },                               \
    { "row_moments_" #type, [] { using T = T_;                                                                         \
        grid(count(2), [] { row_moments_##type(ROWS(0), *array<float>(1), count(2), count(3), array<float>(4)); });    \
    } },                                                                                                               \
    { "layer_norm_rows_" #type, [] { using T = T_;                                                                     \
        grid(count(4) * count(5), [] {                                                                                 \
            layer_norm_rows_##type(ROWS(0), array<float>(1), ROWS(2), ROWS(3), count(4), count(5), ROWS(6));           \
        }); } },                                                                                                       \
    { "unpack_rows_" #type, [] { using T = T_;                                                                         \
        grid(count(2) * count(4), [] {                                                                                 \
            unpack_rows_##type(LIST(0), ROWS(1), count(2), count(3), count(4), count(5), ROWS(6)); }); } },            \
    { "head_rows_" #type, [] { using T = T_;                                                                           \
        grid(count(3), [] { head_rows_##type(ROWS(0), ROWS(1), ROWS(2), count(3), count(4), ROWS(5)); }); } },

static void read(void *into, size_t bytes) {
    if (fread(into, 1, bytes, stdin) != bytes) exit(2);
}

int main(int, char **names) {
    const std::map<std::string, std::function<void()>> kernels = { CALLS(float, f32) CALLS(__nv_bfloat16, bf16) };
    uint64_t number, size;
    read(&number, 8);
    for (uint64_t i = 0; i < number; i++) {
        read(&size, 8);
        arguments.emplace_back(size);
        if (i + 1 < number) read(arguments.back().data(), size);
    }
    kernels.at(names[1])();
    fwrite(arguments.back().data(), 1, arguments.back().size(), stdout);
}
