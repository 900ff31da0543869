#!/usr/bin/env python3
"""Plays with the files of `train.py`: the search of LightZero, without noise, and its most visited move.

| option | default | meaning |
|---|---|---|
| `simulations` | 50 | simulations of a move, unless the manifest sets a budget; the root is computed before them |
| `c`, `c-base` | 1.25, 19652 | the constants of PUCT, as in `train.py` |

Each move has a new tree. Of moves with the same number of visits, the first one is played: the move depends on the
position alone. In LightZero an evaluation has four times as many simulations as the training; here it has those of the
option.

The search follows the prior closely, and the targets of the training are sharp. After a short training, it may overlook
a win of the next move, if another move has a good value and nearly all of the prior. More simulations find it.
"""

import json
import os
import sys
from importlib import metadata

import network
import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_agent import Agent, Choice  # noqa: E402


class LightZero(Agent):
    name = "LightZero"
    version = metadata.version("LightZero")
    games = ["connect-four"]
    wants = ["moves", "legal"]

    def start(self):
        if not network.is_known(self.game):
            raise ValueError(f"these weights were trained for Connect Four on 6x7; the game is {self.game['name']}")
        with open(f"{self.artefacts}/settings.json") as file:
            self.policy = network.build(json.load(file), ["collect"], {})
        self.policy._model.load_state_dict(torch.load(f"{self.artefacts}/weights.pt"))

    def choose(self, position):
        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        board = network.Connect4(is_observed=False)
        for move in position.moves:
            board.step(self.column(move))
        simulations = position.budget.get("simulations", self.options.get("simulations", 50))
        settings = {"num_simulations": simulations}
        settings |= {"pb_c_init": self.options.get("c", 1.25), "pb_c_base": self.options.get("c-base", 19652)}
        search = network.Search(settings, self.policy.simulate_env)
        start = {"start_player_index": board.current_player - 1, "init_state": board.board}
        action, shares, root = search.get_next_action(start, self.policy._policy_value_fn, 1.0, False)
        move = next(move for move in position.legal if self.column(move) == action)
        # The value of a node is that of the side which moved there.
        value = float(np.clip(-root.value, -1, 1))
        return Choice(move, value, [float(shares[self.column(move)]) for move in position.legal])

    def column(self, move):
        return ord(move[0].upper()) - ord("A")


if __name__ == "__main__":
    LightZero().run()
