#!/usr/bin/env bash
# How well two nodes of one core are used: 40 trainings of about a minute each, with a cluster's usual waits, in at most
# 1.15 times the time that two cores need without a pause. Wants an idle machine with two free cores, and half an hour.
#
#   tests/slurm/efficiency.sh [GAUNTLET]      needs what drills.sh needs
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
cd "$scratch"
manifest() { # seeds, generations
    trainings efficiency 'Trainings of a minute' "$1" "$2"
    cat <<TOML
[[exhibit]]
[exhibit.show.means]
stage = "train"
rows = ["agent"]
[cluster]
memory = "400M"
TOML
}
seconds() { grep -ho '"seconds":[0-9.]*' "$1"/timing/*.jsonl | cut -d: -f2; }
# As many generations as take a minute here.
manifest 1 300 >probe.toml
"$gauntlet" run probe.toml --quiet --results probe --jobs 1
generations=$(seconds probe | awk '{ printf "%d", 300 * 60 / $1 }')
manifest 40 "$generations" >m.toml
begun=$(date +%s)
"$gauntlet" run m.toml --executor slurm --no-progress --results results
took=$(($(date +%s) - begun))
seconds results | awk -v took=$took '{ all += $1 } END {
    printf "%d trainings, %.0f s of work, %d s on two nodes: %.2f times the ideal\n", NR, all, took, 2 * took / all
    exit !(NR == 40 && 2 * took / all <= 1.15) }'
