#!/usr/bin/env python3
"""Checks that fingerprints are complete: no job runs a workspace function that its fingerprint does not cover.

Builds the program with source coverage, runs every job of tests/golden/jobs.toml (every kind, game, network and player)
in a worker process of its own, and compares the executed functions with `gauntlet plan --sources`. The rooms that carry
jobs (cli, manifest, scheduler, store, the specifications and fingerprints of jobs) are excluded, as are the modules of FRAME, which every worker runs before its job.

Needs the LLVM tools of the compiler's version: `rustup component add llvm-tools`, or llvm-profdata-N and llvm-cov-N on PATH.
Ends with 0 if everything is covered, 1 if not, 2 if the tools are missing. Takes minutes, most of them for the build.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("ratings", "games", "nets", "play", "jobs", "store", "exhibits", "plan", "run", "report")
CRATES = {"gauntlet": "src", **{f"gauntlet_{name}": f"crates/gauntlet-{name}/src" for name in PARTS}}
CARRIERS = ("gauntlet::cli", "gauntlet_plan::manifest", "gauntlet_run::scheduler", "gauntlet_store",
            *(f"gauntlet_jobs::{module}" for module in ("code", "spec", "variants")))
FRAME = {
    "gauntlet_games::base::key": "reads the task's key",
    "gauntlet_games::base::stop": "listens for signals",
    "gauntlet_nets::nets::deep::device": "says the device class",
}


def output(*command, **settings):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **settings).stdout


def tool(name):
    """The path of an LLVM tool of the compiler's version."""
    version = re.search(r"LLVM version: (\d+)", output("rustc", "-vV")).group(1)
    own = pathlib.Path(output("rustc", "--print", "target-libdir").strip()).parent / "bin" / name
    found = str(own) if own.is_file() else shutil.which(f"{name}-{version}")
    if not found:
        print(f"skipped: {name} of LLVM {version} is missing: `rustup component add llvm-tools`", file=sys.stderr)
        sys.exit(2)
    return found


def build(place):
    """Builds the program with coverage of the workspace alone."""
    wrapper = place / "wrapper.sh"
    wrapper.write_text('#!/bin/sh\nexec "$@" -C instrument-coverage\n')
    wrapper.chmod(0o755)
    settings = {"RUSTC_WORKSPACE_WRAPPER": str(wrapper), "CARGO_PROFILE_RELEASE_STRIP": "none",
                "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1", "LLVM_PROFILE_FILE": str(place / "build-%p.profraw")}
    target = ROOT / "target" / "coverage"
    command = ["cargo", "build", "--release", "--locked", "--bin", "gauntlet", "--target-dir", str(target)]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **settings})
    return target / "release" / "gauntlet"


def covered(program, place):
    """Configurations with the items that their fingerprints cover: names of functions by module."""
    plan = json.loads(output(program, "plan", "jobs.toml", "--data", "data", "--sources", "--json", cwd=place))
    names = lambda items: {re.split(r"::| ", item)[-1] for item in items}
    return {one["configuration"]: {module: names(items) for module, items in one["sources"]["items"].items()} for one in plan}


def run(program, place):
    """Runs all jobs one after another, each in a worker; returns the jobs with their profiles."""
    profiles = place / "profiles"
    command = [program, "run", "jobs.toml", "--data", "data", "--executor", "process", "--jobs", "1", "--quiet"]
    settings = {**os.environ, "LLVM_PROFILE_FILE": str(profiles / "%p.profraw")}
    process = subprocess.Popen(command, cwd=place, env=settings)
    if process.wait() != 0:
        sys.exit("the jobs failed")
    found = [path for path in profiles.glob("*.profraw") if path.stem != str(process.pid)]
    found.sort(key=lambda path: path.stat().st_mtime_ns)
    journals = (place / "results" / "timing").glob("*.jsonl")
    done = [json.loads(line) for journal in journals for line in journal.read_text().splitlines()]
    done.sort(key=lambda line: line["started"])
    assert len(done) == len(found), f"{len(done)} jobs left {len(found)} profiles"
    return list(zip([one["job"] for one in done], found))


def module_of(path):
    """The module in a file of the workspace; none for other files."""
    for crate, folder in CRATES.items():
        if path.is_relative_to(ROOT / folder):
            parts = list(path.relative_to(ROOT / folder).with_suffix("").parts)
            return "::".join([crate, *(parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts)])
    return None


def words(symbol):
    """The names in a mangled symbol: each follows its length."""
    found, at = [], 0
    while match := re.compile(r"\d+").search(symbol, at):
        length, start = int(match.group()), match.end()
        start += symbol[start : start + 1] == "_"
        word = symbol[start : start + length]
        is_name = 0 < length <= len(word) and re.fullmatch(r"[A-Za-z_]\w*", word)
        found += [word] if is_name else []
        at = start + length if is_name else match.end()
    return found


def ran(tools, program, profile):
    """The executed functions of the workspace: module and the names in the symbol."""
    merged = profile.with_suffix(".profdata")
    subprocess.run([tools["llvm-profdata"], "merge", "-sparse", str(profile), "-o", str(merged)], check=True)
    text = output(tools["llvm-cov"], "export", str(program), f"-instr-profile={merged}", "--skip-expansions")
    functions = json.loads(text)["data"][0]["functions"]
    executed = ((module_of(pathlib.Path(one["filenames"][0])), one["name"]) for one in functions if one["count"])
    return {(module, symbol) for module, symbol in executed if module}


def main():
    tools = {name: tool(name) for name in ("llvm-profdata", "llvm-cov")}
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        program = build(place)
        os.environ["LLVM_PROFILE_FILE"] = str(place / "other-%p.profraw")
        shutil.copy(ROOT / "tests" / "golden" / "jobs.toml", place)
        (place / "data").mkdir()
        for name in ("results.json", "hours.csv"):
            shutil.copy(ROOT / "tests" / "golden" / name, place / "data")
        items = covered(program, place)
        plan = json.loads(output(program, "plan", "jobs.toml", "--data", "data", "--json", cwd=place))
        names = {job["directory"]: job["job"] for job in plan}
        missing = 0
        for directory, profile in run(program, place):
            job = names[directory]
            own = items[re.sub(r" seed=\d+$", "", job)]
            for module, symbol in sorted(ran(tools, program, profile)):
                if module in FRAME or module.startswith(CARRIERS):
                    continue
                # Derived code and closures carry the name of their item.
                if not own.get(module, set()) & set(words(symbol)):
                    missing += 1
                    print(f"{job}: {module}, {symbol} is not covered")
        print(f"{len(names)} jobs, {missing} functions that ran and are not covered")
        sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
