"""Compares random play-outs of OpenSpiel with ours in one run, on one core. Run by hand:

    requirements: open_spiel==2.0.2
    python tests/peers/open_spiel.py [--rounds 3]

Whole games from the start with uniformly random moves, in C++ on their side: its roll-out evaluator, called by its
tree search for the start alone (a search of one simulation evaluates only that). Both sides
count their fastest sample (of 20 games; other work on the machine only adds time), OpenSpiel's in processor
seconds. For chess, plies are compared, theirs by the mean length of its games.
"""

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import time

# Otherwise this file's name hides the library's.
sys.path = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
import pyspiel

GAMES = 20
PAIRS = {
    "othello = { size = 8 }": "othello",
    "go = { size = 9 }": "go(board_size=9)",
    "gomoku = { size = 15 }": "gomoku(size=15,connect=5)",
    "hex = { size = 11 }": "hex(board_size=11)",
    "breakthrough = { size = 8 }": "breakthrough",
    "chess = { size = 8 }": "chess",
}
# Its games have other rules for draws, so plies are counted instead of games.
PLIES = "chess = { size = 8 }"


def theirs(name):
    game, best = pyspiel.load_game(name), 0.0
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=GAMES, seed=1)
    start, search = game.new_initial_state(), pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 1, False)
    for _ in range(10):
        before = time.process_time()
        search.step(start)
        best = max(best, GAMES / (time.process_time() - before))
    return best


def length(name, games=100):
    """Mean plies of OpenSpiel's random games."""
    game, draw, plies = pyspiel.load_game(name), random.Random(1), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
            plies += 1
    return plies / games


def ours():
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--bench", "playouts"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line, rates in zip(lines, lines[1:]):
        spec = re.search(r"([a-z]+ = \{ [^}]* \})", line)
        rate = re.search(r"([\d.]+) ([KM]?)item/s", rates)
        if spec and rate:
            found[spec.group(1)] = float(rate.group(1)) * {"": 1, "K": 1e3, "M": 1e6}[rate.group(2)]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    found = {spec: [] for spec in PAIRS}
    mean_length = length(PAIRS[PLIES])
    for _ in range(arguments.rounds):
        rates = ours()
        for spec, name in PAIRS.items():
            plies = mean_length if spec == PLIES else 1.0
            found[spec].append((rates[spec], plies * theirs(name)))
    print(f"play-outs/s (of chess plies/s), medians of {arguments.rounds} rounds")
    for spec, pairs in found.items():
        own, other = map(statistics.median, zip(*pairs))
        ratio = statistics.median(one / two for one, two in pairs)
        print(f"{spec:28} ours {own:10.0f}   OpenSpiel {other:8.0f}   ratio {ratio:6.1f}")


if __name__ == "__main__":
    main()
