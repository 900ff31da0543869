#!/bin/sh
# Makes the environments of the frameworks below `environments`: a virtual environment for each folder with a
# requirements.txt, and a clone of alpha-zero-general, which is no package. Names of folders as arguments make only these.
# Needs Python 3.11 or newer (LightZero: 3.11) with venv, git, the network, and some gigabytes.
set -eu
cd "$(dirname "$0")"

[ $# -gt 0 ] || set -- */requirements.txt
for name; do
    name=${name%/requirements.txt}
    python3 -m venv "environments/$name"
    "environments/$name/bin/pip" install --quiet --requirement "$name/requirements.txt"
    clone="environments/$name/clone"
    if [ -f "$name/clone.txt" ] && [ ! -d "$clone" ]; then
        # The file names a repository and a commit.
        read -r repository commit <"$name/clone.txt"
        git clone --quiet "$repository" "$clone"
        git -C "$clone" checkout --quiet "$commit"
    fi
    echo "environments/$name is ready"
done
