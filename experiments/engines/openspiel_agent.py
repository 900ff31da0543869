#!/usr/bin/env python3
"""Plays with a bot of OpenSpiel: its tree search by default, or any registered bot.

    requirements: open_spiel
    agents.spiel.engine = { command = ["python3", "openspiel_agent.py"], options = { simulations = 200 } }

| option | default | meaning |
|---|---|---|
| `bot` | `"mcts"` | tree search with random roll-outs, or the name of a registered bot: `"uniform_random"` |
| `simulations` | 100 | simulations of a move, unless the manifest sets a budget |
| `c` | 1.4 | the constant of UCT |

A bot of yours with `step(state)` takes the place of these in `bot_for`. Another game is a line of `GAMES`.
"""

from importlib import metadata

import pyspiel
from gauntlet_agent import Agent


def column(move):
    """Connect Four: `D1` is `x3` or `o3`."""
    return str(ord(move[0].lower()) - ord("a"))


def mirrored(move):
    """Breakthrough: the first side begins at the bottom here, at the top in OpenSpiel."""
    return "".join(str(9 - int(letter)) if letter.isdigit() else letter for letter in move.lower())


# Of a kind of game: rows and columns, the game in OpenSpiel, our moves as there, the moves there without decoration.
GAMES = {
    "othello": ((8, 8), "othello", str.lower, str),
    "connect-four": ((6, 7), "connect_four", column, lambda action: action.lstrip("xo")),
    "breakthrough": ((8, 8), "breakthrough", mirrored, lambda action: action.rstrip("*")),
}


class OpenSpielAgent(Agent):
    games = list(GAMES)
    wants = ["moves", "legal"]

    def start(self):
        board, spiel, self.there, self.plain = GAMES[self.game["kind"]]
        if (self.game["rows"], self.game["columns"]) != board:
            raise ValueError(
                f"the board of OpenSpiel's {spiel} is {board[0]} x {board[1]}; the game is {self.game['name']}"
            )
        self.spiel = pyspiel.load_game(spiel)
        self.bot = self.options.get("bot", "mcts")
        self.name, self.version = f"OpenSpiel {self.bot}", metadata.version("open_spiel")

    def choose(self, position):
        state = self.state(position)
        player, seed = state.current_player(), position.rng.getrandbits(31)
        action = self.bot_for(position, player, seed).step(state)
        mine = {self.there(move): move for move in position.legal}
        return mine[self.plain(state.action_to_string(player, action))]

    def state(self, position):
        """The position in OpenSpiel: the one of our last move, with the moves since."""
        if position.start is not None:
            raise ValueError("this agent plays from the usual start of a game; openings of moves are fine")
        state, known = position.memory.get("state", (None, []))
        if state is None or position.moves[: len(known)] != known:
            state, known = self.spiel.new_initial_state(), []
        for move in position.moves[len(known) :]:
            player, name = state.current_player(), self.there(move)
            names = {self.plain(state.action_to_string(player, action)): action for action in state.legal_actions()}
            state.apply_action(names[name])
        position.memory["state"] = state, position.moves
        return state

    def bot_for(self, position, player, seed):
        if self.bot != "mcts":
            return pyspiel.load_bot(self.bot, self.spiel, player, {"seed": seed})
        simulations = position.budget.get("simulations", self.options.get("simulations", 100))
        rollouts = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed)
        return pyspiel.MCTSBot(self.spiel, rollouts, self.options.get("c", 1.4), simulations, 100, False, seed, False)


if __name__ == "__main__":
    OpenSpielAgent().run()
