#!/usr/bin/env python3
"""Plays with the files of `train.py`: the MCTS of alpha-zero-general, without noise, and its most visited move.

| option | default | meaning |
|---|---|---|
| `clone` | `alpha-zero-general` | the directory of the clone, as for `train.py` |
| `simulations` | 50 | simulations of a move, unless the manifest sets a budget; the first one computes the root alone |
| `cpuct` | 1 | as in `main.py` of the clone |

Each move has a new tree: in the clone's arena, a player keeps its tree. Of moves with the same number of visits, one is
drawn with the seed of the position.
"""

import json
import os
import sys

import network
import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_agent import Agent, Choice  # noqa: E402


class AlphaZeroGeneral(Agent):
    name = "alpha-zero-general"
    version = "f1a78e0"
    games = ["connect-four"]
    wants = ["moves", "legal"]

    def start(self):
        if (self.game["rows"], self.game["columns"]) != (6, 7):
            raise ValueError(f"these weights were trained for 6x7; the game is {self.game['name']}")
        with open(f"{self.artefacts}/settings.json") as file:
            shape = json.load(file)
        clone = self.options.get("clone", "alpha-zero-general")
        self.board, Network = network.framework(clone, self.game["rows"], self.game["columns"], **shape)
        self.net = Network(self.board)
        self.net.nnet.load_state_dict(torch.load(f"{self.artefacts}/weights.pt"))

    def choose(self, position):
        # Modules of the clone, which `start` made known.
        from MCTS import MCTS
        from utils import dotdict

        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        np.random.seed(position.rng.getrandbits(32))
        stones, side = self.board.getInitBoard(), 1
        for move in position.moves:
            stones, side = self.board.getNextState(stones, side, self.column(move))
        simulations = position.budget.get("simulations", self.options.get("simulations", 50))
        tree = MCTS(self.board, self.net, dotdict(numMCTSSims=simulations, cpuct=self.options.get("cpuct", 1)))
        canonical = self.board.getCanonicalForm(stones, side)
        action = int(np.argmax(tree.getActionProb(canonical, temp=0)))
        key = self.board.stringRepresentation(canonical)
        visits = {move: tree.Nsa.get((key, self.column(move)), 0) for move in position.legal}
        move = next(move for move in position.legal if self.column(move) == action)
        value = tree.Qsa.get((key, action))
        return Choice(move, None if value is None else float(np.clip(value, -1, 1)), visits)

    def column(self, move):
        return ord(move[0].upper()) - ord("A")


if __name__ == "__main__":
    AlphaZeroGeneral().run()
