#!/usr/bin/env bash
# A step of action.yml: installs the program and the Python module below $PLACE, and makes the next steps find them. It is
# the $WHEEL if there is one, else it is built from $SOURCE. A program in $PLACE from an earlier run stays.
set -euo pipefail

if [ -n "$WHEEL" ]; then
    # A directory of its own leaves the Python of the agents as it is, with its packages.
    python3 -m pip install --quiet --upgrade --target "$PLACE" "$WHEEL"
    module=$PLACE
else
    if [ ! -x "$PLACE/bin/gauntlet" ]; then
        command -v cargo >/dev/null || { echo 'cargo is missing: install Rust, or name a wheel' >&2; exit 1; }
        cargo install --quiet --locked --path "$SOURCE" --root "$PLACE"
    fi
    module=$SOURCE/python
fi
"$PLACE/bin/gauntlet" --version
echo "$PLACE/bin" >>"$GITHUB_PATH"
# Agents say `from gauntlet import Agent`, whichever Python runs them.
echo "PYTHONPATH=$module${PYTHONPATH:+:$PYTHONPATH}" >>"$GITHUB_ENV"
