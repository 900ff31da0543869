"""Compares self-play of alpha-zero-general with ours in one run, on one thread. Run by hand:

    requirements: torch==2.15.0 numpy==2.4.6 safetensors==0.8.0
    git clone https://github.com/suragnair/alpha-zero-general      (its code is not part of this project)
    git -C alpha-zero-general checkout f1a78e0
    python tests/peers/alpha_zero_general.py path/to/alpha-zero-general [--rounds 3] [--moves 40] [--games 32]
        [--seconds 300]

Othello 8 x 8, 100 simulations a move, the same network on both sides, SAZ with 64 hidden features and random weights: in
PyTorch (tests/peers/saz_torch.py, which checks that its answers equal ours), and in `cargo bench --bench selfplay`
without cached evaluations. The clone's tree evaluates one position at a time and keeps its nodes for the whole game,
ours gathers the leaves of all games under way. Then both trees alone, with uniform priors and value zero. Times are
processor seconds, except in our tree's benchmark, whose fastest sample counts, as does the clone's fastest move.

The run ends within `--seconds`, not counting the compilation of our benchmarks: unfinished measurements are skipped, and
each line prints its number of rounds. A round takes about a minute on idle processors.

One line of the clone is replaced: `stringRepresentation`, which calls a function that numpy has dropped.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import saz_torch
import numpy as np
import torch

COMMIT = "f1a78e0"
SIMULATIONS = 100
ACTIONS = 65


def check(clone):
    """Exits unless the clone is at the commit of the published ratios."""
    command = ["git", "-C", str(clone), "rev-parse", "HEAD"]
    head = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    if not head.startswith(COMMIT):
        sys.exit(f"{clone} is at {head}: git -C {clone} checkout {COMMIT}")


def classes(clone):
    """The clone's tree and its Othello, with keys made by a call that numpy still has."""
    sys.path.insert(0, str(clone))
    from MCTS import MCTS
    from othello.OthelloGame import OthelloGame

    class Othello(OthelloGame):
        def stringRepresentation(self, board):
            return board.tobytes()

    return MCTS, Othello(8)


class Network:
    """The network of the bench behind the interface of the clone."""

    def __init__(self, path):
        tensors, header = saz_torch.read(path)
        self.net = saz_torch.Saz(header["net"]["saz"], tensors).eval()

    def predict(self, board):
        inputs = torch.zeros(1, ACTIONS)
        inputs[0, :-1] = torch.from_numpy(board.reshape(-1).astype(np.float32))
        with torch.inference_mode():
            logits, value = self.net(inputs)
        return torch.softmax(logits[0], 0).numpy(), value.item()


class Uniform:
    """Equal priors, value zero."""

    def predict(self, board):
        return np.full(ACTIONS, 1 / ACTIONS), 0.0


class Clock:
    """The time limit of the whole run."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return max(self.end - time.monotonic(), 0.0)


def play(mcts, game, network, moves, clock):
    """Seconds of each of `moves` moves of self-play, one tree a game, actions drawn in proportion to visits.

    One move at least, and no new one when the time is up.
    """
    random, seconds = np.random.default_rng(1), []

    def wanted():
        return not seconds or (len(seconds) < moves and clock.left() > 0)

    while wanted():
        board, player = game.getInitBoard(), 1
        tree = mcts(game, network, SimpleNamespace(numMCTSSims=SIMULATIONS, cpuct=1.5))
        while wanted() and game.getGameEnded(board, player) == 0:
            start = time.process_time()
            policy = tree.getActionProb(game.getCanonicalForm(board, player))
            seconds.append(time.process_time() - start)
            board, player = game.getNextState(board, player, random.choice(ACTIONS, p=policy))
    return seconds


def compiled(name):
    """The executable of one of our benchmarks: without cargo, it can be stopped."""
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--no-run", "--message-format=json"]
    lines = subprocess.run([*command, "--bench", name], check=True, stdout=subprocess.PIPE, text=True).stdout
    built = (json.loads(line) for line in lines.splitlines() if line.startswith("{"))
    return next(unit["executable"] for unit in built if unit.get("target", {}).get("name") == name)


def bench(name, *options, seconds=None):
    """The output of one of our benchmarks; raises `subprocess.TimeoutExpired` at the time limit."""
    command, environment = [compiled(name), "--bench", *options], {**os.environ, **saz_torch.AS_THE_PROGRAM}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=seconds)
    return done.stdout


def our_moves(games, clock):
    """Moves a processor second: one thread, no cached evaluations."""
    options = ["8x8", "--threads=1", "--cache=0", "--rounds=1", f"--games={games}"]
    lines = bench("selfplay", *options, seconds=clock.left()).splitlines()
    threads, _, moves, remembered = lines[-1].split()[-4:]
    assert (threads, remembered) == ("1", "0%"), lines[-1]
    return float(moves)


def our_tree(clock):
    """Simulations a second of our tree on Othello: the fastest sample of `cargo bench --bench search`."""
    lines = bench("search", "uniform::100::othello", seconds=clock.left()).splitlines()
    at = next(index for index, line in enumerate(lines) if "othello" in line)
    number, unit = re.search(r"([\d.]+) ([KM]?)item/s", lines[at + 1]).groups()
    return float(number) * {"": 1, "K": 1e3, "M": 1e6}[unit]


def measure(arguments, clock):
    """Ours and theirs in each round: moves a second of self-play, and simulations a second of the trees alone."""
    mcts, game = classes(arguments.clone)
    rates, trees = [], []
    with tempfile.TemporaryDirectory() as shelf:
        try:
            bench("deep", "saz-64", f"--save={shelf}", seconds=clock.left())
            saz_torch.Peer(f"{shelf}/saz-64", torch.contiguous_format).check()
            network = Network(f"{shelf}/saz-64.safetensors")
            for _ in range(arguments.rounds):
                ours, seconds = our_moves(arguments.games, clock), play(mcts, game, network, arguments.moves, clock)
                rates.append((ours, len(seconds) / sum(seconds)))
                ours, seconds = our_tree(clock), play(mcts, game, Uniform(), arguments.moves, clock)
                trees.append((ours, SIMULATIONS / min(seconds)))
                print(f"round {len(trees)}: moves/s {rates[-1]}, simulations/s {trees[-1]}", file=sys.stderr, flush=True)
        except subprocess.TimeoutExpired:
            print("the time is up", file=sys.stderr)
    return {"self-play, moves/s": rates, "tree alone, simulations/s": trees}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clone", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--moves", type=int, default=40, help="number of the clone's moves, each round and network")
    parser.add_argument("--games", type=int, default=32, help="number of our games, each round")
    parser.add_argument("--seconds", type=float, default=300.0)
    arguments = parser.parse_args()
    check(arguments.clone)
    torch.set_num_threads(1)
    for name in ("deep", "selfplay", "search"):
        compiled(name)
    found = measure(arguments, Clock(arguments.seconds))
    print(f"PyTorch {torch.__version__}, alpha-zero-general {COMMIT}")
    print(f"Othello 8 x 8, {SIMULATIONS} simulations; medians of the rounds")
    for name, pairs in found.items():
        if not pairs:
            print(f"{name:28} rounds 0")
            continue
        ours, theirs = map(statistics.median, zip(*pairs))
        ratio = statistics.median(one / other for one, other in pairs)
        print(
            f"{name:28} rounds {len(pairs)}   ours {ours:12.1f}   alpha-zero-general {theirs:10.2f}   ratio {ratio:8.1f}"
        )


if __name__ == "__main__":
    main()
