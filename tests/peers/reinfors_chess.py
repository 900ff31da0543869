"""Compares network-free tree search of chess in reinfors, a Rust engine, with ours in one run, on one core. Run by hand:

    requirements: reinfors==0.4.0 numpy==2.4.6
    python tests/peers/reinfors_chess.py [--rounds 3]

Both search 32 games in lockstep with 100 simulations of PUCT a move, encode every leaf as a network's input planes,
with the eight positions of AlphaZero, and answer uniform priors and even values. Theirs is self-play by its
engine with its planes, up to a number of moves of whole games; ours the bench `search`, `uniform_behind_planes`,
from its own positions. Theirs counts simulations a processor second, ours the median of its samples
by the clock, on a core of its own.
"""

import argparse
import re
import statistics
import subprocess
import time

import numpy as np
import reinfors as rf

GAMES, SIMULATIONS, MOVES = 32, 100, 640


def theirs(seed):
    game = rf.games.Chess(encoder=rf.encoders.AlphaZeroChess())
    policy = rf.policies.AlphaZero(num_simulations=SIMULATIONS, temperature=1.0)
    engine = rf.Engine(game, None, policy, rf.learners.AlphaZero(), GAMES, seed=seed, batch_size=GAMES, n_threads=1)
    answers = np.zeros((4096, 4672), dtype=np.float32), np.zeros(4096, dtype=np.float32)

    def infer(images, *_):
        return answers[0][: len(images)], answers[1][: len(images)]

    begun = time.process_time()
    batch = engine.collect(MOVES, infer)
    return batch.telemetry["decisions"] * SIMULATIONS / (time.process_time() - begun)


def ours():
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--bench", "search", "--", "uniform_behind_planes"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rates = re.findall(r"([\d.]+) ([KM]?)item/s", text)
    number, unit = rates[2]
    return float(number) * {"": 1, "K": 1e3, "M": 1e6}[unit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    pairs = [(ours(), theirs(seed)) for seed in range(rounds)]
    for here, there in pairs:
        print(f"ours {here:,.0f}, reinfors {there:,.0f} simulations/s: {here / there:.2f}")
    print(f"median of {rounds}: {statistics.median(here / there for here, there in pairs):.2f}")


if __name__ == "__main__":
    main()
