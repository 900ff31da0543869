#!/usr/bin/env bash
# Tries a wheel as a new user would: installs it in a fresh virtual environment, in an empty directory, and makes the first
# table, in less than a minute. Then runs the tests of the module with it.
#
#     tests/peers/wheel.sh [WHEEL]      # default: builds one with maturin, which takes minutes
#
# Needs python3 with venv. CARGO_TARGET_DIR names the directory of the build. PANDAS=1 also installs pandas and polars.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wheel=${1:-}
if [ -z "$wheel" ]; then
    python3 -m venv "$scratch/build"
    "$scratch/build/bin/python" -m pip install --quiet 'maturin>=1.11,<2'
    PATH="$scratch/build/bin:$PATH" "$root/python/native/build.sh"
    (cd "$root" && "$scratch/build/bin/maturin" build --release --locked --out "$scratch/dist")
    wheel=$(ls "$scratch"/dist/*.whl)
fi
wheel=$(realpath "$wheel")
echo "$(basename "$wheel"), $(du -m "$wheel" | cut -f1) MB"

unset PYTHONPATH GAUNTLET GAUNTLET_RESULTS GAUNTLET_REPORTS
mkdir "$scratch/empty"
cd "$scratch/empty"
start=$SECONDS
python3 -m venv "$scratch/user"
python="$scratch/user/bin/python"
"$python" -m pip install --quiet "$wheel"
echo "installed after $((SECONDS - start)) s"
"$python" - <<'END'
import gauntlet

assert gauntlet.program().startswith(__import__("sys").prefix), gauntlet.program()
print(gauntlet.run("quickstart", profile="smoke", quiet=True)["transfer"])
print(gauntlet.results("quickstart", profile="smoke", frame="records")[-1])
END
taken=$((SECONDS - start))
echo "the first table after $taken s"
[ "$taken" -lt 60 ] || { echo 'FAILED: a minute is the limit' >&2; exit 1; }

# An agent of the installed module, and the marks of a typed package.
"$python" - <<'END'
import io, json, pathlib, gauntlet


class First(gauntlet.Agent):
    def choose(self, position):
        return position.legal[0]


hello = {"hello": {"protocol": 1, "program": "test", "game": {}, "seed": "00", "options": {}}}
think = {"think": [{"game": 0, "ply": 0, "side": "first", "seed": "00", "legal": ["D3"]}], "id": 1}
answers = io.BytesIO()
assert First().serve([json.dumps(one).encode() for one in (hello, think)], answers) == 0
assert json.loads(answers.getvalue().splitlines()[1])["moves"] == [{"game": 0, "move": "D3"}]
place = pathlib.Path(gauntlet.__file__).parent
assert (place / "py.typed").exists() and not (place / "agent.py").is_symlink()
END
if [ -n "${PANDAS:-}" ]; then
    "$python" -m pip install --quiet pandas polars
fi
"$python" "$root/tests/peers/test_python.py"
"$python" -m pip install --quiet numpy
"$python" "$root/tests/peers/test_env.py"
