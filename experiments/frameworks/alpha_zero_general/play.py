#!/usr/bin/env python3
"""Plays with the files of `train.py`: the MCTS of alpha-zero-general, without noise, and its most visited move.

| option | default | meaning |
|---|---|---|
| `clone` | `alpha-zero-general` | the directory of the clone, as for `train.py` |
| `simulations` | 50 | of a move, unless the manifest sets a budget. At least 2: the first computes the root alone |
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
    games = ["connect-four", "othello"]
    wants = ["moves", "legal"]

    def start(self):
        with open(f"{self.artefacts}/settings.json") as file:
            settings = json.load(file)
        kind, rows, columns = (settings[key] for key in ("kind", "rows", "columns"))
        if (kind, rows, columns) != (self.game["kind"], self.game["rows"], self.game["columns"]):
            raise ValueError(f"these weights were trained for {kind} {rows}x{columns}; the game is {self.game['name']}")
        self.board, Network = network.framework(self.options.get("clone", "alpha-zero-general"), **settings)
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
            stones, side = self.board.getNextState(stones, side, self.number(move))
        simulations = max(2, position.budget.get("simulations", self.options.get("simulations", 50)))
        tree = MCTS(self.board, self.net, dotdict(numMCTSSims=simulations, cpuct=self.options.get("cpuct", 1)))
        canonical = self.board.getCanonicalForm(stones, side)
        legal = {self.number(move): move for move in position.legal}
        valid = np.flatnonzero(self.board.getValidMoves(canonical, 1))
        if set(valid) != set(legal):
            raise ValueError(f"the clone has other legal moves: {valid}, not {position.legal}")
        action = int(np.argmax(tree.getActionProb(canonical, temp=0)))
        key = self.board.stringRepresentation(canonical)
        visits = [tree.Nsa.get((key, number), 0) for number in legal]
        value = tree.Qsa.get((key, action))
        return Choice(legal[action], None if value is None else float(np.clip(value, -1, 1)), visits)

    def number(self, move):
        """The number in the clone: the column in Connect Four; the site, or the pass after them, in Othello."""
        columns, column = self.game["columns"], network.COLUMNS.find(move[0].upper())
        if self.game["kind"] == "connect-four":
            return column
        return columns * columns if move == "pass" else (int(move[1:]) - 1) * columns + column


if __name__ == "__main__":
    AlphaZeroGeneral().run()
