# Common part of the scripts in this directory, which source it: a private Slurm of two nodes of one core, below
# $scratch, for the program in $gauntlet: $1, by default target/release/gauntlet. A script may define `finish` to handle
# $scratch.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PATH:/usr/sbin:/sbin
gauntlet=$(realpath "${1:-target/release/gauntlet}") || exit 2
shift || true
up=${SLURM_UP:-../shared/slurm/slurm-up.sh}
for program in slurmctld slurmd sbatch munged; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 0; }
done
[ -x "$up" ] || { echo "skipped: there is no $up"; exit 0; }
up=$(realpath "$up")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
export LAB=$scratch/lab NODES=2 CPUS=1
declare -F finish >/dev/null || finish() { rm -rf "$scratch"; }
trap 'WIPE=1 "${up%up.sh}down.sh" >/dev/null 2>&1; finish' EXIT
"$up" >"$scratch/up.log" 2>&1 || { cat "$scratch/up.log"; exit 1; }
. "$LAB/env.sh"

trainings() { # name, title, seeds, generations: the head of a manifest
    cat <<TOML
schema = 1
name = "$1"
title = "$2"
[games]
go.atari-go = { size = 5 }
[agents]
naive.naive = {}
mdlstm.net = { network = { mdlstm = { cells = 3 } } }
[stages.train]
seeds = $3
train.cma-es = { game = "go", agent = "mdlstm", opponent = "naive", settings = { generations = $4, games = 20 } }
TOML
}
