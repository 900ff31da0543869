#!/usr/bin/env bash
# A step of action.yml: `gauntlet regress`. Writes the exit code, the ruling and the place of the report to
# $GITHUB_OUTPUT, and ends with 0 whatever the ruling: a later step fails, once the report is saved.
set -uo pipefail

# The value of a key of the outermost object.
key() { sed -n "s/^  \"$1\": \"\\(.*\\)\",\$/\\1/p" "$night" | head -n 1; }

night=$(mktemp)
# Arguments are words, as on a command line. All names in capitals come from action.yml.
# shellcheck disable=SC2153
read -ra arguments <<<"$ARGUMENTS"
gauntlet regress "$MANIFEST" --json --no-progress --results "$RESULTS" --reports "$REPORTS" --commit "$COMMIT" \
    ${arguments[@]+"${arguments[@]}"} >"$night"
code=$?
report=
[ -z "$(key suite)" ] || report="$REPORTS/$(key suite)/$(key profile)"
{
    echo "code=$code"
    echo "ruling=$(key ruling)"
    echo "suite=$(key suite)"
    echo "report=$report"
} >>"$GITHUB_OUTPUT"
rm -f "$night"
