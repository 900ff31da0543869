#!/usr/bin/env bash
# How well two nodes of one core are used: 40 trainings of about a minute each, with a cluster's usual waits, in at most
# 1.15 times the time that two cores need without a pause. Wants an idle machine with two free cores, and half an hour.
#
#   tests/slurm/efficiency.sh [GAUNTLET]      needs what drills.sh needs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PATH:/usr/sbin:/sbin
gauntlet=$(realpath "${1:-target/release/gauntlet}")
up=$(realpath "${SLURM_UP:-../shared/slurm/slurm-up.sh}")
[ -x "$up" ] && command -v slurmctld >/dev/null || { echo 'skipped: there is no private Slurm to start'; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/efficiency.XXXXXX")
export LAB=$scratch/lab NODES=2 CPUS=1
trap 'WIPE=1 "${up%up.sh}down.sh" >/dev/null 2>&1; rm -rf "$scratch"' EXIT
"$up" >/dev/null
. "$LAB/env.sh"
cd "$scratch"
manifest() { # seeds, generations
    cat <<TOML
schema = 1
name = "efficiency"
title = "Trainings of a minute"
[games]
go.atari-go = { size = 5 }
[agents]
naive.naive = {}
mdlstm.net = { network = { mdlstm = { cells = 3 } } }
[stages.train]
seeds = $1
train.cma-es = { game = "go", agent = "mdlstm", opponent = "naive", settings = { generations = $2, games = 20 } }
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
