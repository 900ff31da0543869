"""Compares experiments/engines/torch_agent.py with our own inference: policies and values along whole games.

    requirements: torch==2.15.0 numpy==2.4.6 safetensors==0.8.0
    python tests/peers/torch_agent.py [WEIGHTS] [--program gauntlet] [--games 5]

Without WEIGHTS it trains a small AZ-CNN on Othello 6x6, which takes seconds. The agent runs as an engine and is asked
for every position of random games. `gauntlet play --hint` shows the policy and the value of our network for the same
positions, rounded to 0.1 % and 0.01. Both must agree within this rounding, and so must the most likely move, unless two
moves are equal up to it.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Otherwise this file's name hides the agent's.
sys.path = [path for path in sys.path if path != str(Path(__file__).resolve().parent)]
sys.path.append(str(Path(__file__).resolve().parent))
from engine_host import ENGINES, Engine, Othello, othello

MANIFEST = """
schema = 1
name = "small"
title = "A small AZ-CNN"
[games]
othello.othello = { size = 6 }
[agents.az.guided]
network = { az-cnn = { channels = 16, wide = 64, narrow = 32 } }
search = { simulations = 25 }
[stages.train.train.alpha-zero]
game = "othello"
agent = "az"
settings = { iterations = 6, games = 40, steps = 60, batch = 64 }
"""
SHOWN = re.compile(r"^([A-F][1-6]|pass) +([\d.]+) %")
PLAYED = re.compile(r" plays ([A-F][1-6]|pass)$")
VALUE = re.compile(r"^value +([+-][\d.]+)")


def trained(program, place):
    """The weights of a short training."""
    (place / "small.toml").write_text(MANIFEST)
    subprocess.run([program, "run", "small.toml", "--quiet"], cwd=place, check=True, stdout=subprocess.DEVNULL)
    return next(place.glob("results/jobs/train-*/weights.safetensors"))


def turn(lines, board):
    """Plays the program's moves on the board up to our turn; its policy and value there, or None after the game."""
    policy = {}
    for line in lines:
        if found := PLAYED.search(line.rstrip()):
            board.play(found[1])
        elif found := SHOWN.match(line):
            policy[found[1]] = float(found[2]) / 100
        elif found := VALUE.match(line):
            return policy, float(found[1])
    return None


def positions(program, weights, seed):
    """Positions of a game of random moves against the program, each with our policy and value."""
    command = [program, "play", str(weights), "--hint", "--simulations", "1", "--seed", str(seed)]
    command += ["--second"] if seed % 2 else []
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    dice, board = random.Random(seed), Othello(6)
    with subprocess.Popen(command, text=True, **pipes) as process:
        while shown := turn(process.stdout, board):
            # The program shows the eight most likely moves.
            assert len(shown[0]) == min(8, len(board.actions())) and set(shown[0]) <= set(board.actions()), shown
            yield board.question(seed, "00" * 32), *shown
            move = dice.choice(board.actions())
            board.play(move)
            process.stdin.write(f"{move}\n")
            process.stdin.flush()
    assert process.returncode == 0


def compare(answer, question, policy, value):
    """The distances of policies and values; the moves must be equal, unless ours shows two as equal."""
    theirs, total = dict(zip(question["legal"], answer["policy"])), sum(answer["policy"])
    apart = max(abs(theirs[move] / total - policy[move]) for move in policy)
    assert policy.get(answer["move"], 0) >= max(policy.values()) - 0.001, (answer, policy)
    return apart, abs(answer["value"] - value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", nargs="?")
    parser.add_argument("--program", default="gauntlet")
    parser.add_argument("--games", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        weights = arguments.weights or trained(arguments.program, Path(place))
        engine = Engine([sys.executable, str(ENGINES / "torch_agent.py")], othello(6), {"weights": str(weights)})
        assert engine.hello["planes"]["stones"] == "canonical", engine.hello
        asked = [one for seed in range(arguments.games) for one in positions(arguments.program, weights, seed)]
        # All positions at once, each as a game of its own.
        for number, (question, _, _) in enumerate(asked):
            question["game"] = number
        answers = engine.think([question for question, _, _ in asked])
        assert engine.close() == 0
    found = [compare(answers[number], *one) for number, one in enumerate(asked)]
    policies, values = (max(column) for column in zip(*found))
    print(f"{len(found)} positions: policies differ by {policies:.5f} at most, values by {values:.5f}")
    assert policies <= 0.00051 and values <= 0.0051, "more than the rounding"


if __name__ == "__main__":
    main()
