#!/usr/bin/env python3
"""Proof that fingerprints are not too small: no job runs a function of a crate here that its fingerprint does not cover.

Builds the program with source coverage, runs every job of tests/golden/jobs.toml (every kind, game, network and player)
in a worker process of its own, and compares the functions that ran with what `gauntlet plan --sources` says. What carries
jobs (cli, manifest, scheduler, store) is left out, as are the files of FRAME, which every worker runs before its job.

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
CARRIERS = ("cli/", "manifest/", "scheduler/", "store/", "main.rs", "lib.rs")
FRAME = {
    "base/key.rs": "reads the task's key",
    "base/stop.rs": "listens for signals",
    "nets/deep/device.rs": "says the device class",
}


def output(*command, **settings):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **settings).stdout


def tool(name):
    """The tool of the compiler's LLVM."""
    version = re.search(r"LLVM version: (\d+)", output("rustc", "-vV")).group(1)
    own = pathlib.Path(output("rustc", "--print", "target-libdir").strip()).parent / "bin" / name
    found = str(own) if own.is_file() else shutil.which(f"{name}-{version}")
    if not found:
        print(f"skipped: {name} of LLVM {version} is missing: `rustup component add llvm-tools`", file=sys.stderr)
        sys.exit(2)
    return found


def build(place):
    """The program with coverage of the crates here alone."""
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
    """Configurations with the files that their fingerprints cover."""
    plan = json.loads(output(program, "plan", "jobs.toml", "--data", "data", "--sources", "--json", cwd=place))
    return {one["configuration"]: set(one["sources"]["files"]) for one in plan}


def run(program, place):
    """Runs all jobs one after another, each in a worker; jobs with their profiles."""
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


def name(path):
    """A source file as fingerprints call it: its path below the `src` of its crate; None for files from elsewhere."""
    sources = [ROOT / "src", *(ROOT / "crates").glob("*/src")]
    return next((path.relative_to(src).as_posix() for src in sources if path.is_relative_to(src)), None)


def ran(tools, program, profile):
    """The functions of the crates here that ran, by file."""
    merged = profile.with_suffix(".profdata")
    subprocess.run([tools["llvm-profdata"], "merge", "-sparse", str(profile), "-o", str(merged)], check=True)
    text = output(tools["llvm-cov"], "export", str(program), f"-instr-profile={merged}", "--skip-expansions")
    functions = json.loads(text)["data"][0]["functions"]
    found = {}
    for function in functions:
        file = name(pathlib.Path(function["filenames"][0]))
        if function["count"] and file:
            found.setdefault(file, set()).add(function["name"])
    return found


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
        files = covered(program, place)
        plan = json.loads(output(program, "plan", "jobs.toml", "--data", "data", "--json", cwd=place))
        names = {job["directory"]: job["job"] for job in plan}
        missing = 0
        for directory, profile in run(program, place):
            job = names[directory]
            own = files[re.sub(r" seed=\d+$", "", job)]
            for path, functions in sorted(ran(tools, program, profile).items()):
                if path not in own and path not in FRAME and not path.startswith(CARRIERS):
                    missing += 1
                    print(f"{job}: {path} is not covered, and ran {', '.join(sorted(functions)[:3])}")
        print(f"{len(names)} jobs, {missing} files that ran and are not covered")
        sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
