"""Self-play by alpha-zero-general beside ours in one run, on one thread. Run by hand:

    requirements: torch==2.15.0 numpy==2.4.6 safetensors==0.8.0
    git clone https://github.com/suragnair/alpha-zero-general      (its code is not part of this project)
    python tests/peers/alpha_zero_general.py path/to/alpha-zero-general [--rounds 3] [--moves 40]

Othello 8 x 8, 100 simulations a move, the same network on both sides, SAZ with 64 hidden features and random weights: in
PyTorch (tests/peers/saz_torch.py, which checks that it answers as ours does), and in `cargo bench --bench selfplay`
without remembered evaluations. The clone's tree asks for one position at a time and keeps its nodes for the whole game,
ours gathers the leaves of all games under way. Then both trees alone, with uniform priors and value zero. Seconds are
those on a processor, except in our tree's benchmark, whose fastest sample counts, as does the clone's fastest move.

One line of the clone is replaced: `stringRepresentation`, which calls what numpy has dropped.
"""

import argparse
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

SIMULATIONS = 100
ACTIONS = 65


def classes(clone):
    """The clone's tree and its Othello, whose keys are made by a call that numpy still has."""
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


def play(mcts, game, network, moves):
    """Seconds of each of so many moves of self-play, one tree a game, actions drawn in proportion to visits."""
    random, seconds = np.random.default_rng(1), []
    while len(seconds) < moves:
        board, player = game.getInitBoard(), 1
        tree = mcts(game, network, SimpleNamespace(numMCTSSims=SIMULATIONS, cpuct=1.5))
        while len(seconds) < moves and game.getGameEnded(board, player) == 0:
            start = time.process_time()
            policy = tree.getActionProb(game.getCanonicalForm(board, player))
            seconds.append(time.process_time() - start)
            board, player = game.getNextState(board, player, random.choice(ACTIONS, p=policy))
    return seconds


def bench(*arguments):
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--bench", *arguments]
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def our_moves():
    """Moves a second on a processor: one thread, no remembered evaluations."""
    rows = [line.split() for line in bench("selfplay", "--", "8x8").splitlines() if line.startswith("8x8")]
    threads, _, moves, remembered = rows[0][-4:]
    assert (threads, remembered) == ("1", "0%"), rows[0]
    return float(moves)


def our_tree():
    """Simulations a second of our tree on Othello: the fastest sample of `cargo bench --bench search -- uniform`."""
    lines = bench("search", "--", "uniform", "--skip", "noise").splitlines()
    at = next(index for index, line in enumerate(lines) if "othello" in line)
    number, unit = re.search(r"([\d.]+) ([KM]?)item/s", lines[at + 1]).groups()
    return float(number) * {"": 1, "K": 1e3, "M": 1e6}[unit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clone", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--moves", type=int, default=40)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    mcts, game = classes(arguments.clone)
    rates, trees = [], []
    with tempfile.TemporaryDirectory() as shelf:
        for _ in range(arguments.rounds):
            bench("deep", "--", "saz-64", f"--save={shelf}")
            saz_torch.Peer(f"{shelf}/saz-64", torch.contiguous_format).check()
            seconds = play(mcts, game, Network(f"{shelf}/saz-64.safetensors"), arguments.moves)
            rates.append((our_moves(), arguments.moves / sum(seconds)))
            trees.append((our_tree(), SIMULATIONS / min(play(mcts, game, Uniform(), arguments.moves))))
    print(f"PyTorch {torch.__version__}, Othello 8 x 8, {SIMULATIONS} simulations; medians of {arguments.rounds} rounds")
    for name, found in (("self-play, moves/s", rates), ("tree alone, simulations/s", trees)):
        ours, theirs = map(statistics.median, zip(*found))
        ratio = statistics.median(one / other for one, other in found)
        print(f"{name:28} ours {ours:12.1f}   alpha-zero-general {theirs:10.2f}   ratio {ratio:8.1f}")


if __name__ == "__main__":
    main()
