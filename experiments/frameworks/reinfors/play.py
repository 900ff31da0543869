#!/usr/bin/env python3
"""Plays with the files of `train.py`: the search of reinfors, without noise, and its most visited move.

| option | default | meaning |
|---|---|---|
| `simulations` | 50 | simulations of a move, unless the manifest sets a budget; at least 2 |
| `c-puct` | 1.5 | as in `policies.AlphaZero` of reinfors |

Each move has a new tree. reinfors tells the move alone, without its value or the visits. It depends on the position
alone, except that the position's seed is given to the search.
"""

import json
import os
import pickle
import sys

import network  # before JAX: it sets its environment variables
import jax
import numpy as np
import reinfors

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_agent import Agent  # noqa: E402


class ReinforsAgent(Agent):
    name = "reinfors"
    version = reinfors.core_version()
    games = ["connect-four"]
    wants = ["moves", "legal"]

    def start(self):
        if not network.is_known(self.game):
            raise ValueError(f"these weights were trained for Connect Four on 6x7; the game is {self.game['name']}")
        with open(f"{self.artefacts}/settings.json") as file:
            net = network.Residual(**json.load(file))
        with open(f"{self.artefacts}/weights.pickle", "rb") as file:
            model = jax.device_put(pickle.load(file))
        infer = network.inference(net)
        self.infer = lambda images: infer(model, images)
        # JAX compiles the network at the first call.
        self.infer(np.zeros((1, int(np.prod(network.SHAPE))), np.float32))
        self.rules, self.reward = reinfors.games.Connect4(), reinfors.Reward(win=1.0, loss=-1.0)

    def choose(self, position):
        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        env = reinfors.Env(self.rules, self.reward)
        for move in position.moves:
            env.step({env.active_agents()[0]: self.column(move)})
        search = reinfors.policies.AlphaZero(
            num_simulations=position.budget.get("simulations", self.options.get("simulations", 50)),
            c_puct=self.options.get("c-puct", 1.5),
            temperature=0.0,
            noise=None,
        )
        action = search.choose([env], self.infer, seed=position.rng.getrandbits(32), gamma=1.0)[0]
        return next(move for move in position.legal if self.column(move) == action)

    def column(self, move):
        return ord(move[0].upper()) - ord("A")


if __name__ == "__main__":
    ReinforsAgent().run()
