#!/usr/bin/env python3
"""Plays with the files of `train.py`: pgx's environment, mctx's Gumbel search without noise.

| option | default | meaning |
|---|---|---|
| `simulations` | 50 | simulations of a move, unless the manifest sets a budget |
| `considered-actions` | 16 | moves that the search considers at the root, as in mctx |

The move is the one that sequential halving keeps. It depends on the position alone: no random numbers are used. The
first move takes five to ten seconds more: the search is compiled then, for each number of simulations.

Inside the tree, this search follows the network closely. While the network is weak, it may overlook a threat of the
next move, even with many simulations. This is how mctx searches, and no setting of this file.
"""

import json
import os
import pickle
import sys

import network  # before JAX: it sets its environment variables
import jax
import jax.numpy as jnp
import numpy as np
import pgx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_agent import Agent, Choice  # noqa: E402

LONGEST = 128
"""More than the most moves of a game, with passes."""


def number(kind, columns, move):
    """The number of a move in pgx: the column in Connect Four; the site, or the pass after them, in Othello."""
    if kind == "connect-four":
        return ord(move[0].upper()) - ord("A")
    if move == "pass":
        return columns * columns
    return (int(move[1:]) - 1) * columns + ord(move[0].upper()) - ord("A")


class PgxAgent(Agent):
    name = "pgx and mctx"
    version = pgx.__version__
    games = list(network.GAMES)
    wants = ["moves", "legal"]

    def start(self):
        with open(f"{self.artefacts}/settings.json") as file:
            settings = json.load(file)
        board, name = network.GAMES[self.game["kind"]]
        if (settings["game"], board) != (name, (self.game["rows"], self.game["columns"])):
            raise ValueError(f"these weights were trained for {settings['game']}; the game is {self.game['name']}")
        with open(f"{self.artefacts}/weights.pickle", "rb") as file:
            self.model = jax.device_put(pickle.load(file))
        self.env = pgx.make(name)
        self.net = network.residual(self.env.num_actions, settings["width"], settings["blocks"])
        self.deciders = {}

    def decider(self, simulations):
        """A compiled function that replays moves and searches, for a number of simulations."""
        if simulations not in self.deciders:
            considered = self.options.get("considered-actions", 16)
            search = network.searcher(self.env, self.net, simulations, considered, 0.0)

            def decide(model, actions, count):
                key = jax.random.PRNGKey(0)
                state = jax.lax.fori_loop(
                    0, count, lambda at, state: self.env.step(state, actions[at]), self.env.init(key)
                )
                found = search(model, key, jax.tree.map(lambda part: part[None], state))
                root = found.search_tree.summary()
                return found.action[0], found.action_weights[0], root.value[0], state.legal_action_mask

            self.deciders[simulations] = jax.jit(decide)
        return self.deciders[simulations]

    def choose(self, position):
        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        kind, columns = self.game["kind"], self.game["columns"]
        actions = np.zeros(LONGEST, np.int32)
        actions[: len(position.moves)] = [number(kind, columns, move) for move in position.moves]
        legal = {number(kind, columns, move): move for move in position.legal}
        decide = self.decider(position.budget.get("simulations", self.options.get("simulations", 50)))
        action, weights, value, mask = jax.device_get(decide(self.model, jnp.asarray(actions), len(position.moves)))
        if set(np.flatnonzero(mask)) != set(legal):
            raise ValueError(f"pgx has other legal moves: {np.flatnonzero(mask)}, not {position.legal}")
        return Choice(legal[int(action)], float(np.clip(value, -1, 1)), [float(weights[at]) for at in legal])


if __name__ == "__main__":
    PgxAgent().run()
