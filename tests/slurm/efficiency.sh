#!/usr/bin/env bash
# Efficiency on two nodes of one core: 40 trainings of about a minute each, with a cluster's usual waits, must take at
# most 1.15 times the ideal time. The ideal time is the sum of the seconds that the trainings ran in this same run,
# divided by two nodes. Other load on the machine thus slows both, and the difference consists of waits, unequal ends
# and process starts. Requires a machine with two free cores, and half an hour.
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
# The number of generations that take this time on this machine.
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
