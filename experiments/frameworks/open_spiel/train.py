#!/usr/bin/env python3
"""Trains with the AlphaZero in Python of OpenSpiel (DeepMind and others), on one core.

    requirements.txt: open_spiel 2.0.2, jax, flax, optax and orbax-checkpoint (all Apache 2.0)
    train.external = { command = ["python3", "train.py"], needs = ["network.py"], ... }

OpenSpiel's `alpha_zero.py` starts processes: actors that play, a learner, and evaluators that play against another
search. Here one process plays and learns in turns, with the parts of OpenSpiel as they are: `alpha_zero._play_game`,
`mcts.MCTSBot`, `AlphaZeroEvaluator` with its cache, `replay_buffer.Buffer`, and the model with its loss. The loop is
that of its learner: `buffer / reuse` new positions, then `buffer / batch` steps of descent. There are no evaluators.

| setting | default | source |
|---|---|---|
| `simulations`, `width`, `blocks` | 50, 32, 2 | ours; the README has 100, 256, 10. One simulation is that of the root |
| `c` | 2.0 | README: the constant of PUCT |
| `batch`, `buffer`, `reuse` | 1024, 16384, 4 | README: positions |
| `learning-rate`, `weight-decay` | 0.001, 0.0001 | README: Adam with L2 regularization |
| `temperature`, `temperature-drop` | 1.0, 10 | example, README: moves drawn from the visits; after them, the best one |
| `noise-epsilon`, `noise-alpha` | 0.25, 1.0 | example |
| `model`, `api` | `"resnet"`, `"linen"` | README, example; also `"conv2d"`, `"mlp"`; `"nnx"` |
| `compiled` | true | ours: see below |

README is that of `open_spiel/python/algorithms/alpha_zero`, which has a command for Connect Four. The example is
`open_spiel/python/examples/alpha_zero.py`, of which the README keeps the other values.

`compiled = false` computes the network as it is shipped, without compilation: about a hundred times slower. With the
values of the README, a step follows 4096 new positions: minutes of one core. Shorter: `buffer = 2048`, `batch = 128`.

`games` are games of self-play that ended, `evaluations` are positions that the network computed in self-play, without
those in the cache. A budget in seconds or evaluations ends within a game, which is lost. Then the last positions are
learned, unless the budget is in seconds.

Not possible: games other than Connect Four on 6x7 with this adapter, evaluations of several positions at once, and the
faster AlphaZero in C++, which is not in the package. JAX compiles for ten to twenty seconds, in each continuation
again, and uses a second core for that.
"""

import contextlib
import json
import os
import pickle
import sys
import time
from importlib import metadata

import network  # before JAX: it sets its environment variables
import jax
import numpy as np
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, replay_buffer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_trainer import Training  # noqa: E402


class Spent(Exception):
    """The budget is spent."""


def main():
    training = Training("OpenSpiel AlphaZero", open_spiel=metadata.version("open_spiel"), jax=jax.__version__)
    budget, option = training.budget, training.settings.get
    game = network.load(training.game)
    if game is None:
        training.error(f"{training.game['name']} is not possible with this adapter of OpenSpiel")
    if not budget:
        training.error("this trainer needs a budget")
    np.random.seed(training.seed)
    seeds = np.random.randint(2**31, size=4)
    shape = {"api": option("api", "linen"), "model": option("model", "resnet")}
    shape |= {"width": option("width", 32), "blocks": option("blocks", 2)}
    rate, decay = option("learning-rate", 1e-3), option("weight-decay", 1e-4)
    model = network.build(game, shape, True, int(seeds[0]), rate, decay)
    batch, capacity = option("batch", 1024), option("buffer", 2**14)
    buffer = replay_buffer.Buffer(capacity, seed=int(seeds[1]))
    count = {"games": 0, "evaluations": 0, "step": 0, "fresh": 0}
    noise = option("noise-epsilon", 0.25), option("noise-alpha", 1.0)
    temperature = option("temperature", 1.0), option("temperature-drop", 10)
    bots = [network.bot(game, None, option("simulations", 50), option("c", 2.0), seed, noise) for seed in seeds[2:]]
    if training.resumed:
        with open(training.directory / training.resumed[0], "rb") as file:
            state, (buffer.buffer_state, buffer._rng), count, mine, theirs = pickle.load(file)
        model._state = network.filled(model._state, state)
        buffer._total_seen = buffer.buffer_state.entry_index
        np.random.set_state(mine)
        for bot, state in zip(bots, theirs):
            bot._random_state.set_state(state)
    elif training.started_from:
        if json.loads((training.directory / "settings.json").read_text()) != shape:
            training.error("the training that this one starts from has another network")
        network.set_weights(model, pickle.loads((training.directory / "weights.pickle").read_bytes()))

    def over():
        return training.over(games=count["games"], evaluations=count["evaluations"])

    def on_evaluation():
        if over():
            raise Spent
        count["evaluations"] += 1

    def learn():
        """Steps of gradient descent, as many as the buffer has batches."""
        losses = []
        for _ in range(len(buffer) // batch if buffer else 0):
            if training.timed and over():
                break
            losses.append(model.update(buffer.sample(batch)))
            jax.block_until_ready(losses[-1].policy)
        if losses:
            count["step"] += 1
            named = {f"{of}_loss": np.mean([float(loss[of]) for loss in losses]) for of in ("policy", "value", "l2")}
            training.metrics(iteration=count["step"], updates=len(losses), positions=len(buffer), **named)
        count["fresh"] = 0

    def save():
        """A checkpoint: the model with its optimizer, the buffer, the counts, and the generators of random numbers."""
        random = np.random.get_state(), [bot._random_state.get_state() for bot in bots]
        kept = jax.device_get((buffer.buffer_state, buffer._rng))
        with open(training.directory / "state.new", "wb") as file:
            pickle.dump((network.leaves(model._state), kept, count, *random), file)
        os.replace(training.directory / "state.new", training.directory / "state.pickle")
        training.checkpoint("state.pickle")

    saved, inference = time.monotonic(), network.Inference(model, option("compiled", True), on_evaluation)
    with contextlib.suppress(Spent):
        while not over():
            # A new evaluator has an empty cache.
            bots[0].evaluator = bots[1].evaluator = evaluator.AlphaZeroEvaluator(game, inference)
            while count["fresh"] < capacity // option("reuse", 4) and not over():
                trajectory = alpha_zero._play_game(network.Silent(), count["games"], game, bots, *temperature)
                for position in network.inputs(trajectory):
                    buffer.append(position)
                count["games"], count["fresh"] = count["games"] + 1, count["fresh"] + len(trajectory.states)
                if time.monotonic() > saved + 60:
                    save()
                    saved = time.monotonic()
            if not over():
                learn()
    if not training.timed and count["fresh"]:
        learn()
    training.count(games=count["games"], evaluations=count["evaluations"])
    if not count["step"]:
        training.log("the budget ended before the first step of learning: the weights are random")
    (training.directory / "state.pickle").unlink(missing_ok=True)
    with open(training.directory / "weights.pickle", "wb") as file:
        pickle.dump(network.leaves(network.weights(model)), file)
    (training.directory / "settings.json").write_text(json.dumps(shape))


if __name__ == "__main__":
    main()
