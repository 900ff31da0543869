#!/usr/bin/env bash
# Follows docs/gate.md as a new user would: writes its files into an empty repository and runs its commands (the blocks
# marked `sh`), then repeats the run in a fresh clone, as continuous integration does, by the steps of action.yml.
#
#     tests/peers/gate.sh [PROGRAM]      # default: gauntlet on PATH
#
# Needs git and python3. If the program cannot play with engines, players of its own take the place of the agent.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(command -v "${1:-gauntlet}") || { echo 'skipped: there is no program gauntlet'; exit 0; }
program=$(realpath "$program")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What the page asks to install.
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/gauntlet"
export PATH="$scratch/bin:$PATH" PYTHONPATH="$root/python" NO_COLOR=1
export GIT_AUTHOR_NAME=user GIT_AUTHOR_EMAIL=user@example.org GIT_COMMITTER_NAME=user GIT_COMMITTER_EMAIL=user@example.org
unset GAUNTLET GAUNTLET_RESULTS GAUNTLET_REPORTS GITHUB_RUN_ATTEMPT GITHUB_STEP_SUMMARY

# The block of the page with this info string, or the n-th of several.
block() { awk -v mark="\`\`\`$1" -v n="${2:-1}" '$0 == "```" { on = 0 } on { print } $0 == mark { on = ++seen == n }' "$root/docs/gate.md"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# Without engines, built-in players: random is the worse one.
adapt=(cat)
if ! gauntlet explain agents.engine >/dev/null 2>&1; then
    echo 'this program plays with no engines: the agent of the page is replaced by built-in players'
    # shellcheck disable=SC2016
    adapt=(sed -e 's/^mine.engine = .*/mine.greedy = {}/' -e 's/ --allow-engines//' \
        -e 's/^sed .*/cp gate.toml agent.py.bak; sed "s|^mine.greedy.*|mine.random = {}|" agent.py.bak >gate.toml/' \
        -e 's/^mv agent.py.bak agent.py/mv agent.py.bak gate.toml/')
fi

git init -q -b main "$scratch/repository"
cd "$scratch/repository"
mkdir -p .github/workflows
for info in 'python agent.py' 'toml gate.toml' 'text .gitignore' 'yaml .github/workflows/gate.yml'; do
    block "$info" | "${adapt[@]}" >"${info#* }"
    test -s "${info#* }" || fail "docs/gate.md has no block \`$info\`"
done

# Runs the n-th block of commands; what it says is in the file `said`.
follow() {
    block sh "$1" | "${adapt[@]}" >"$scratch/commands"
    test -s "$scratch/commands" || fail "docs/gate.md has no block $1"
    sed 's/^/$ /' "$scratch/commands"
    bash -euo pipefail "$scratch/commands" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "block $1"; }
    cat "$scratch/said"
}
said() { grep -qF -- "$1" "$scratch/said" || fail "it did not say: $1"; }

follow 1 # the first baseline
test -s results/baselines/gate.json || fail 'no baseline'
committed=$(git ls-files | sed 's|/engines/[0-9a-f]*/|/engines/HASH/|' | sort | tr '\n' ' ')
expected='.github/workflows/gate.yml .gitignore agent.py gate.toml '
if [ "${adapt[0]}" = cat ]; then expected+='results/baselines/engines/HASH/agent.py '; fi
expected+='results/baselines/gate.json '
[ "$committed" = "$expected" ] || fail "committed: $committed"
# No change. An unchanged agent is red, or seems better, with a probability of up to `alpha`, 5 %: then once more, with
# other seeds.
(follow 2) || { grep -qF 'gate: regressed' "$scratch/said" || fail 'block 2'; GITHUB_RUN_ATTEMPT=2 follow 2; }
grep -qE 'gate: (pass|improved)' "$scratch/said" || fail 'it did not pass'
follow 3 # worse
said 'exit code 3'
said '**regressed**'
test -z "$(git status --porcelain)" || fail "left behind: $(git status --porcelain)"
follow 4 # a new baseline
said 'mine'
if [ "${adapt[0]}" = cat ]; then
    block 'toml ladder.toml' >ladder.toml
    follow 5 # versions in a row
    said 'v2 against v1: refused'
    said 'exit code 3'
    said '- Refused: v2.'
    test -z "$(git status --porcelain)" || fail "left behind: $(git status --porcelain)"
    [ "$(git ls-files versions | wc -l)" = 4 ] || fail "kept: $(git ls-files versions)" # with their lists
fi

echo
echo '== a fresh clone, by the steps of the action'
git clone -q "$scratch/repository" "$scratch/clone"
cd "$scratch/clone"
export GITHUB_OUTPUT="$scratch/outputs" MANIFEST=gate.toml RESULTS=results REPORTS=reports COMMIT ARGUMENTS
# The first step finds the files of the program.
export GITHUB_ACTION_PATH="$root"
awk '/^      run: \|$/ { on = 1; next } on && !/^        / { exit } on { print }' "$root/action.yml" >"$scratch/source"
bash --noprofile --norc -eo pipefail "$scratch/source" || fail 'the step source of the action'
grep -qE '^sum=[0-9a-f]{16}$' "$GITHUB_OUTPUT" || fail "the step source wrote: $(cat "$GITHUB_OUTPUT")"
rm "$GITHUB_OUTPUT"
COMMIT=$(git rev-parse HEAD)
ARGUMENTS=$(echo '--jobs 1 --allow-engines' | "${adapt[@]}")
bash "$root/ci/gate.sh" || fail 'the step of the action'
if grep -qx code=3 "$GITHUB_OUTPUT"; then
    rm "$GITHUB_OUTPUT"
    GITHUB_RUN_ATTEMPT=2 bash "$root/ci/gate.sh" || fail 'the step of the action, again'
fi
cat "$GITHUB_OUTPUT"
for output in code=0 suite=gate report=reports/gate/base; do
    grep -qx "$output" "$GITHUB_OUTPUT" || fail "its output is not $output"
done
for file in night.json junit.xml summary.md trend.svg; do
    test -s "reports/gate/base/$file" || fail "$file is missing"
done
test -s results/baselines/gate.history.jsonl || fail 'no history to keep'
echo '1 passed, 0 failed'
