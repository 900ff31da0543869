#!/usr/bin/env bash
# Failure drills on a real Slurm of two nodes. Every drill runs the same manifest, causes one kind of failure, and
# compares the tables with those of a local run, byte for byte.
#
#   tests/slurm/drills.sh [GAUNTLET] [DRILL ...]      GAUNTLET: the program [target/release/gauntlet]
#
# Requires slurmctld, slurmd, slurm-client and munge, and a script that starts them privately ($SLURM_UP, by default
# ../shared/slurm/slurm-up.sh). If one is missing, prints that it skips. Takes less than ten minutes.
set -uo pipefail
export GAUNTLET_CLUSTER_PACE=${GAUNTLET_CLUSTER_PACE:-0.2} MINAGE=${MINAGE:-300}
failed=()
finish() { [ ${#failed[@]} = 0 ] && rm -rf "$scratch" || echo "kept: $scratch"; }
. "$(dirname "${BASH_SOURCE[0]}")/lab.sh"

manifest() { # seeds, generations
    trainings drill/training 'Two networks learn, and are measured' "$1" "$2"
    cat <<TOML
[stages.transfer]
from = "train"
sweep = { "game.size" = [5, 7] }
measure.fitness = { games = 20 }
[[exhibit]]
[exhibit.show.means]
stage = "transfer"
rows = ["game.size"]
[cluster]
memory = "400M"
pack = 0
TOML
}

start() { # starts a run in the background, with its process in $pid
    (cd "$place" && exec "$gauntlet" run m.toml --executor slurm --no-progress) >>"$place/log" 2>&1 &
    pid=$!
}
run() { start; wait $pid; }
tables() { (cd "$1" && find reports -name '*.csv' ! -name runs.csv -exec cat {} + 2>/dev/null); }
jobs_of() { squeue -h -o %F -t "${1:-all}" 2>/dev/null | sort -u; }
wait_for() { # seconds, command ...
    local end=$((SECONDS + $1)); shift
    until "$@"; do [ $SECONDS -lt $end ] || { echo "    never: $*"; return 1; }; sleep 0.2; done
}
has_checkpoint() { compgen -G "$place/results/jobs/*/checkpoint.bin" >/dev/null; }
has_result() { compgen -G "$place/results/jobs/*/done.json" >/dev/null; }
is_running() { [ -n "$(squeue -h -t R -o %A 2>/dev/null)" ]; }
# The processes of the running workers, from their state files.
workers() { cat "$place"/results/cluster/*/state/*.json 2>/dev/null | grep '"is_over":false' | grep -o '"process":[0-9]*' | cut -d: -f2; }
worker() { workers | tail -1; }
parent() { awk '{print $4}' "/proc/$1/stat"; }
commits() { cat "$place"/results/timing/*.jsonl 2>/dev/null | wc -l; }
log_says() { grep -q -- "$1" "$place/log"; }

seeds=2 generations=${GENERATIONS:-600}
place=$scratch/local; mkdir -p "$place"; manifest $seeds $generations >"$place/m.toml"
(cd "$place" && time "$gauntlet" run m.toml --quiet) 2>&1 | grep real
expected=$(tables "$place")
[ -n "$expected" ] || { echo 'the manifest gives no tables'; exit 1; }

same() { # the tables equal those of a local run, and every job was committed once
    [ "$(tables "$place")" = "$expected" ] || { echo '    other tables'; return 1; }
    [ "$(commits)" = $((seeds * 3)) ] || { echo "    $(commits) commits"; return 1; }
}

plain() { run && same; }

# One task is killed: it is retried from its checkpoint.
killed() {
    start
    wait_for 60 has_checkpoint && kill -KILL "$(worker)"
    wait $pid && same && log_says 'submitted again'
}

# A training fails permanently: its dependents are skipped, the other jobs finish, and the next run does the rest.
failing() {
    echo 'attempts = 1' >>"$place/m.toml"
    start
    wait_for 60 has_checkpoint && kill -KILL "$(worker)"
    wait $pid; [ $? = 1 ] || { echo '    it did not fail'; return 1; }
    log_says '2 that wait for them were skipped' && log_says 'its log is' && run && same
}

# The run is interrupted while jobs are queued: the next run follows these jobs.
detached() {
    start
    wait_for 60 has_checkpoint && kill -INT $pid
    wait $pid; [ $? = 130 ] || { echo '    not interrupted'; return 1; }
    local before; before=$(jobs_of | wc -l)
    run && same && log_says 'that an earlier run submitted are followed' && [ "$(jobs_of | wc -l)" = "$before" ]
}

# The job has less memory than the program needs.
memory() {
    sed -i 's/memory = .*/memory = "12M"/; $aattempts = 1' "$place/m.toml"
    run; [ $? = 1 ] || { echo '    it did not fail'; return 1; }
    log_says 'its log is' && sed -i 's/memory = .*/memory = "400M"/' "$place/m.toml" && run && same
}

# The time limit is reached: a training with a checkpoint continues.
limit() {
    printf 'time = "1"\nnotice = 10\n' >>"$place/m.toml"
    sed -i "s/generations = [0-9]*/generations = $((generations * 6))/" "$place/m.toml"
    (cd "$place" && "$gauntlet" run m.toml --quiet --results r2 --reports reports2) >/dev/null
    run || return 1
    grep -q '"resumed":true' "$place"/results/timing/*.jsonl || { echo '    nothing was resumed'; return 1; }
    cmp "$place"/reports/drill/*/training.csv "$place"/reports2/drill/*/training.csv
}

# The time limit is reached without a checkpoint.
unsaved() {
    printf 'time = "1"\nnotice = 10\n' >>"$place/m.toml"
    sed -i 's/games = 20 }$/games = 1000000 }/; s/seeds = [0-9]*/seeds = 1/; s/\[5, 7\]/[13]/' "$place/m.toml"
    run; [ $? = 1 ] || { echo '    it did not fail'; return 1; }
    log_says 'raise `time` in \[cluster\]; its log is'
}

# A node dies and comes back: its jobs run elsewhere.
node() {
    start
    wait_for 60 has_checkpoint
    local name=n1 daemon one
    daemon=$(cat "$LAB/run/slurmd-$name.pid")
    # All workers are killed, as their nodes are unknown.
    kill -KILL "$daemon"; for one in $(workers); do kill -KILL "$(parent "$one")" "$one"; done
    sleep 20; rm -f "$LAB/run/slurmd-$name.pid"; slurmd -N "$name"
    wait $pid && same
}

# The step's daemon dies and leaves an orphan that continues to write: no job is done twice.
orphan() {
    start
    wait_for 60 has_checkpoint
    kill -KILL "$(parent "$(worker)")"
    wait $pid && same
}

# The controller dies right after a submission and restarts from an older state: the job is lost, and its id is reused.
forgotten() {
    start
    wait_for 60 is_running
    kill -KILL "$(cat "$LAB/run/slurmctld.pid")"; rm -f "$LAB/run/slurmctld.pid"
    sleep 1; slurmctld -i -c
    wait $pid && same
}

drills=("$@")
[ ${#drills[@]} -gt 0 ] || drills=(plain killed failing detached memory limit unsaved node orphan forgotten)
for drill in "${drills[@]}"; do
    place=$scratch/$drill; mkdir -p "$place"; manifest $seeds $generations >"$place/m.toml"
    begun=$SECONDS
    if $drill; then echo "ok      $drill ($((SECONDS - begun)) s)"
    else echo "FAILED  $drill ($((SECONDS - begun)) s), see $place/log"; failed+=("$drill"); fi
    scancel -u "$(id -un)" >/dev/null 2>&1; wait_for 20 eval '[ -z "$(squeue -h)" ]'
    sinfo -h -N -o '%N %t' | awk '$2 ~ /down|drain/ {print $1}' | sort -u | xargs -r -I{} scontrol update nodename={} state=resume 2>/dev/null
done
[ ${#failed[@]} = 0 ]
