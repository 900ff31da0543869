#!/usr/bin/env python3
"""Trains with alpha-zero-general of Surag Nair and others: the whole loop of its `Coach`, on one core.

    git clone https://github.com/suragnair/alpha-zero-general && git -C alpha-zero-general checkout f1a78e0
    train.external = { command = ["python3", "train.py"], needs = ["network.py"], settings = { clone = "..." }, ... }

The clone (MIT) is used as it is, at commit f1a78e0505c614205f8c60eaa82cd644a07a84b3: `Coach.learn` with its self-play,
`MCTS` and `Arena`, `connect4/Connect4Game` or `othello/OthelloGame`, and the training of `othello/pytorch/NNet`. The
network is ours, with the layers of `connect4/keras`, or that of the authors for Othello: see `network.py`.

| setting | default | source |
|---|---|---|
| `clone` | | the directory of the clone |
| `simulations`, `width`, `blocks` | 50, 32, 2 | ours; `main.py` has 25, `connect4/keras/NNet.py` 128 and 20 |
| `network` | `residual` | ours; in Othello also `authors`: `OthelloNNet` of `othello/pytorch`, whose `width` is 512 |
| `iterations`, `episodes` | 1000, 100 | `numIters`, `numEps` of `main.py`; games of an iteration |
| `temperature-moves` | 15 | `tempThreshold`: moves drawn from the visits; after them, the best one is played |
| `cpuct` | 1 | `main.py` |
| `queue` | 200000 | `maxlenOfQueue`: the most positions of an iteration |
| `history` | 20 | `numItersForTrainExamplesHistory`: iterations whose positions are learned |
| `arena` | 40 | `arenaCompare`: games of the new network against the last one |
| `threshold` | 0.6 | `updateThreshold`: the share of wins with which it takes the place of the last one |
| `epochs`, `batch` | 10, 64 | `connect4/keras/NNet.py` and `othello/pytorch/NNet.py` |

`main.py` trains Othello on 6x6. The search has no noise at the root. Adam has a learning rate of 0.001, fixed in the
clone. With `arena = 2` and `threshold = 0`, nearly every network is accepted. `OthelloGame` counts a draw as a loss of
the side to move after the last move.

`games` are games of self-play, `evaluations` are positions that the network computed in self-play and in the arena. The
result is the last network that the arena accepted. Before the first one, it is the network at the end of the budget. A
budget in games is spent by whole iterations, with their training and their arena; the last one may have fewer games.
Other budgets end anywhere, and an unfinished iteration is lost: choose `episodes` such that many iterations fit.

Not possible: games other than Connect Four on 6x7 and Othello up to 25x25, `authors` on boards below 5x5, evaluations
of several positions at once (the clone has none), and a continuation within an iteration: a checkpoint has the state
before the training of an iteration.
"""

import contextlib
import json
import os
import pickle
import random
import sys
import tempfile

import network
import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_trainer import Training  # noqa: E402


class Spent(Exception):
    """The budget is spent."""


def packed(history):
    """The examples of each iteration as three arrays. Their lists of numbers would make large files."""
    kinds = np.int8, np.float32, np.float64
    return [[np.array(part, kind) for part, kind in zip(zip(*examples), kinds)] for examples in history]


def main():
    training = Training("alpha-zero-general", torch=torch.__version__, numpy=np.__version__)
    game, option, budget = training.game, training.settings.get, training.budget
    if not network.is_possible(game):
        training.error(f"{game['name']} is not possible with this adapter of alpha-zero-general")
    design = option("network", "residual")
    if design != "residual" and (design != "authors" or game["kind"] != "othello" or game["rows"] < 5):
        training.error(f"there is no network {design} for {game['name']} in this adapter of alpha-zero-general")
    settings = {key: game[key] for key in ("kind", "rows", "columns")}
    settings.update(network=design, blocks=option("blocks", 2))
    settings["width"] = option("width", 512 if design == "authors" else 32)
    try:
        board, Network = network.framework(option("clone", "alpha-zero-general"), **settings)
    except FileNotFoundError as error:
        training.error(str(error))
    from Coach import Coach
    from utils import dotdict

    random.seed(training.seed)
    np.random.seed(training.seed)
    torch.manual_seed(training.seed)
    counts, losses, episodes = {"games": 0, "evaluations": 0}, {}, option("episodes", 100)

    def stop_if_over():
        # Games are spent by whole iterations.
        if training.over(**counts) and "games" not in budget:
            raise Spent

    def on_evaluation():
        stop_if_over()
        counts["evaluations"] += 1

    def on_loss(name, loss):
        stop_if_over()
        losses.setdefault(name, []).append(loss)

    def on_trained(positions):
        training.metrics(positions=positions, **{name: np.mean(of) for name, of in losses.items()})
        losses.clear()

    Network.on_evaluation, Network.on_loss, Network.on_trained = map(staticmethod, (on_evaluation, on_loss, on_trained))
    Network.args.update(epochs=option("epochs", 10), batch_size=option("batch", 64))
    net = Network(board)

    class Budgeted(Coach):
        """Counts games, and writes a checkpoint where the Coach writes its examples."""

        def executeEpisode(self):
            examples = super().executeEpisode()
            counts["games"] += 1
            return examples

        def plan(self):
            """The games of the next iteration."""
            self.args["numEps"] = min(episodes, int(budget.get("games", counts["games"] + episodes)) - counts["games"])

        def saveTrainExamples(self, iteration):
            if not self.trainExamplesHistory[-1]:
                raise Spent
            self.plan()
            accepted = os.path.exists(os.path.join(self.args.checkpoint, "best.pth.tar"))
            with open(training.directory / "state.new", "wb") as file:
                pickle.dump((net.nnet.state_dict(), packed(self.trainExamplesHistory), counts, accepted), file)
            os.replace(training.directory / "state.new", training.directory / "state.pickle")
            training.checkpoint("state.pickle")

    with tempfile.TemporaryDirectory() as scratch:
        arguments = dotdict(
            numIters=option("iterations", 1000),
            tempThreshold=option("temperature-moves", 15),
            updateThreshold=option("threshold", 0.6),
            maxlenOfQueue=option("queue", 200000),
            numMCTSSims=option("simulations", 50),
            arenaCompare=option("arena", 40),
            cpuct=option("cpuct", 1),
            numItersForTrainExamplesHistory=option("history", 20),
            checkpoint=scratch,
        )
        coach = Budgeted(board, net, arguments)
        if training.resumed:
            with open(training.directory / training.resumed[0], "rb") as file:
                weights, history, known, accepted = pickle.load(file)
            net.nnet.load_state_dict(weights)
            counts.update(known)
            coach.trainExamplesHistory = [list(zip(*parts)) for parts in history]
            coach.skipFirstSelfPlay = True
            if accepted:
                net.save_checkpoint(scratch, "best.pth.tar")
        coach.plan()
        with contextlib.suppress(Spent):
            coach.learn()
        if os.path.exists(os.path.join(scratch, "best.pth.tar")):
            net.load_checkpoint(scratch, "best.pth.tar")
    training.count(**counts)
    (training.directory / "state.pickle").unlink(missing_ok=True)
    torch.save(net.nnet.state_dict(), training.directory / "weights.pt")
    (training.directory / "settings.json").write_text(json.dumps(settings))


if __name__ == "__main__":
    main()
