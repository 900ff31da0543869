#!/usr/bin/env python3
"""Plays with the files of `train.py`: OpenSpiel's `MCTSBot` with its network, without noise.

| option | default | meaning |
|---|---|---|
| `simulations` | 50 | simulations of a move, unless the manifest sets a budget; at least 2 |
| `c` | 2.0 | the constant of PUCT, as in `train.py` |
| `compiled` | true | as in `train.py` |

The move is the one of `best_child`: a win at once, otherwise the most visited move. Each move has a new tree and a new
cache. The search shuffles the moves of each node, with the seed of the position.
"""

import json
import os
import pickle
import sys
from importlib import metadata

import network  # before JAX: it sets its environment variables
import numpy as np
from open_spiel.python.algorithms.alpha_zero import evaluator

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_agent import Agent, Choice  # noqa: E402


class OpenSpielAlphaZero(Agent):
    name = "OpenSpiel AlphaZero"
    version = metadata.version("open_spiel")
    games = list(network.GAMES)
    wants = ["moves", "legal"]

    def start(self):
        self.spiel = network.load(self.game)
        if self.spiel is None:
            raise ValueError(f"these weights were trained for Connect Four on 6x7; the game is {self.game['name']}")
        with open(f"{self.artefacts}/settings.json") as file:
            model = network.build(self.spiel, json.load(file), False)
        with open(f"{self.artefacts}/weights.pickle", "rb") as file:
            network.set_weights(model, pickle.load(file))
        self.inference = network.Inference(model, self.options.get("compiled", True))
        # JAX compiles the network at the first call.
        evaluator.AlphaZeroEvaluator(self.spiel, self.inference).evaluate(self.spiel.new_initial_state())

    def choose(self, position):
        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        state = self.spiel.new_initial_state()
        for move in position.moves:
            state.apply_action(self.column(move))
        simulations = position.budget.get("simulations", self.options.get("simulations", 50))
        known = evaluator.AlphaZeroEvaluator(self.spiel, self.inference)
        seed, c = position.rng.getrandbits(32), self.options.get("c", 2.0)
        root = network.bot(self.spiel, known, simulations, c, seed).mcts_search(state)
        best, visits = root.best_child(), {child.action: child.explore_count for child in root.children}
        move = next(move for move in position.legal if self.column(move) == best.action)
        value = float(np.clip(best.total_reward / max(best.explore_count, 1), -1, 1))
        return Choice(move, value, [visits.get(self.column(move), 0) for move in position.legal])

    def column(self, move):
        return ord(move[0].upper()) - ord("A")


if __name__ == "__main__":
    OpenSpielAlphaZero().run()
