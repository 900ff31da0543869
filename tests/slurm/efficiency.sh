#!/usr/bin/env bash
# How well two nodes of one core are used: 40 trainings of about a minute each, with a cluster's usual waits, in at most
# 1.15 times the ideal time. That is the sum of the seconds that the trainings themselves ran, as this very run has measured
# them, over two nodes: whatever else slows the machine down slows both, and what is left are waits, unequal ends and the
# starts of processes. Wants a machine with two free cores, and half an hour.
#
#   tests/slurm/efficiency.sh [GAUNTLET]      needs what drills.sh needs
#   LENGTH=10 tests/slurm/efficiency.sh       seconds of a training [60]: ten take five minutes
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"
cd "$scratch"
manifest() { # seeds, generations
    trainings efficiency 'Trainings of a minute' "$1" "$2"
    printf '[cluster]\nmemory = "400M"\n'
}
seconds() { grep -ho '"seconds":[0-9.]*' "$1"/timing/*.jsonl | cut -d: -f2; }
# As many generations as take that long here.
manifest 1 300 >probe.toml
"$gauntlet" run probe.toml --quiet --results probe --jobs 1
generations=$(seconds probe | awk -v length_s="${LENGTH:-60}" '{ printf "%d", 300 * length_s / $1 }')
manifest 40 "$generations" >m.toml
begun=$(date +%s)
"$gauntlet" run m.toml --executor slurm --no-progress --results results
took=$(($(date +%s) - begun))
seconds results | awk -v took=$took '{ all += $1 } END {
    printf "%d trainings, %.0f s of work, %d s on two nodes: %.2f times the ideal\n", NR, all, took, 2 * took / all
    exit !(NR == 40 && 2 * took / all <= 1.15) }'
