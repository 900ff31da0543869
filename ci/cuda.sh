#!/usr/bin/env bash
# Installs what `cargo build --features cuda` needs on a machine without a GPU: the pinned CUDA compiler and headers, and
# stand-ins for the libraries of the driver and of cuBLAS, cuRAND and NVRTC. A stand-in calls the real library where
# there is one; elsewhere every function returns an error, so that the program starts and says that there is no card.
#
#   ci/cuda.sh DIRECTORY && source DIRECTORY/env.sh && cargo build --release --features cuda
#
# Needs python3 with pip, gcc, g++ and ar, and `cargo fetch` before.
set -euo pipefail

directory=${1:?usage: ci/cuda.sh DIRECTORY}
mkdir -p "$directory/wheels"
directory=$(cd "$directory" && pwd)

# CUDA 13.0: the newest one that the drivers of most clusters run.
python3 -m pip download -q --no-deps -d "$directory/wheels" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 \
    nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
for wheel in "$directory"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$directory"; done
rm -rf "$directory/wheels"
toolkit="$directory/nvidia/cu13"
chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/*
ln -sfn lib "$toolkit/lib64"
ln -sf libcudart_static.a "$toolkit/lib/libcudart.a"

cudarc=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/cudarc-0.19.* | tail -n 1)

# stand_in MODULE ARCHIVE ERROR LIBRARY...: an archive with all functions of a module of cudarc.
stand_in() {
    local module=$1 archive=$2 error=$3 functions name index=0
    shift 3
    functions=$(grep -ohE 'fn (cu|cublas|cublasLt|curand|nvrtc)[A-Za-z0-9_]+' "$cudarc/src/$module/sys/mod.rs" |
        awk '{ print $2 }' | grep -vx culib | sort -u)
    {
        printf '#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stddef.h>\n#include <string.h>\n'
        printf 'static int absent(void) { return %s; }\n' "$error"
        printf 'static int text(int error, const char **text) { *text = "no NVIDIA driver or library"; return 0; }\n'
        printf 'static const char *const names[] = {'
        for name in $functions; do printf '"%s",' "$name"; done
        printf 'NULL};\n__attribute__((used, visibility("hidden"))) void *table_%s[%s];\n' "$module" \
            "$(($(wc -w <<<"$functions") + 1))"
        printf '__attribute__((constructor(101))) static void find(void) {\n    const char *const libraries[] = {'
        printf '"%s",' "$@"
        printf 'NULL};\n    void *library = NULL;\n'
        printf '    for (int i = 0; libraries[i] && !library; i++) library = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL);\n'
        printf '    for (int i = 0; names[i]; i++) {\n        void *found = library ? dlsym(library, names[i]) : NULL;\n'
        printf '        int is_text = !strcmp(names[i], "cuGetErrorString") || !strcmp(names[i], "cuGetErrorName");\n'
        printf '        table_%s[i] = found ? found : is_text ? (void *)text : (void *)absent;\n    }\n}\n' "$module"
        for name in $functions; do
            printf '__asm__(".text\\n.globl %s\\n.type %s,@function\\n%s: jmp *table_%s+%s(%%rip)\\n.size %s,.-%s\\n");\n' \
                "$name" "$name" "$name" "$module" $((8 * index)) "$name" "$name"
            index=$((index + 1))
        done
    } >"$directory/$module.c"
    gcc -O1 -w -fPIC -c -o "$directory/$module.o" "$directory/$module.c"
    rm -f "$toolkit/lib/$archive"
    ar rcs "$toolkit/lib/$archive" "$directory/$module.o"
    rm "$directory/$module.c" "$directory/$module.o"
}
stand_in driver libcuda.a 100 libcuda.so.1 libcuda.so
stand_in cublas libcublas.a 1 libcublas.so.13 libcublas.so
stand_in cublaslt libcublasLt.a 1 libcublasLt.so.13 libcublasLt.so
stand_in curand libcurand.a 101 libcurand.so.10 libcurand.so
stand_in nvrtc libnvrtc.a 1 libnvrtc.so.13 libnvrtc.so

# The cards of the class H100 and H200.
cat >"$directory/env.sh" <<END
export CUDA_PATH='$toolkit' CUDA_HOME='$toolkit' CUDA_COMPUTE_CAP=90 NVCC_CCBIN=g++ CUDARC_CUDA_VERSION=13000
export PATH='$toolkit/bin':"\$PATH"
END
echo "source $directory/env.sh && cargo build --release --features cuda"
