#!/usr/bin/env bash
# Builds the native module of `gauntlet.env` and puts it into python/gauntlet, where a checkout and the next wheel find it.
#
#     python/native/build.sh [OPTION ...]      # options of `maturin build`: --target, --zig, --compatibility
#
# Needs maturin (`pip install maturin`). CARGO_TARGET_DIR names the directory of the build. A wheel of maturin holds a
# program or a module, not both: this makes a wheel of the module, and the wheel of the program takes the module from it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
maturin build --release --locked --manifest-path "$root/python/native/Cargo.toml" --out "$scratch" "$@"
python3 - "$scratch" "$root/python/gauntlet/_native.abi3.so" <<'END'
import pathlib, sys, zipfile

[wheel] = pathlib.Path(sys.argv[1]).glob("*.whl")
with zipfile.ZipFile(wheel) as files:
    [module] = [name for name in files.namelist() if name.endswith(".so")]
    pathlib.Path(sys.argv[2]).write_bytes(files.read(module))
END
