#!/usr/bin/env python3
"""Trains with reinfors of Adam Roberts: its self-play and its search (in Rust), on one core.

    requirements.txt: reinfors 0.4.0 (MIT or Apache 2.0), jax, flax and optax (Apache 2.0)
    train.external = { command = ["python3", "train.py"], needs = ["network.py"], ... }

reinfors plays games of itself, several at once, and returns positions with the visits of the search and the outcome of
the game (`Engine`, `policies.AlphaZero`, `learners.AlphaZero`). By its design the network, the loss and the steps of
gradient descent are those of its user. Ours follow `examples/train_alphazero_example.py` of its repository
(github.com/jeepjeepjeep/reinfors), which learns Connect Four: collect positions, learn them, collect the next ones. The
example uses PyTorch; we use JAX, which computes small batches on one core in less than half of the time.

| setting | default | source |
|---|---|---|
| `simulations`, `width`, `blocks` | 50, 32, 2 | ours; the example has 48, 32, and no residual blocks |
| `n-games` | 8 | example: games at once. The network computes half as many positions at once |
| `collect` | 512 | example: the fewest new positions of an iteration |
| `batch` | 256 | example |
| `passes` | 1 | example (`--train-passes`): passes over the positions of an iteration |
| `learning-rate`, `weight-decay` | 0.001, 0.0001 | example: Adam with L2 regularization |
| `buffer` | 0 | example: none. With a number, a pass draws from so many last positions; for chess, 65536 |
| `c-puct` | 1.5 | `policies.AlphaZero` |
| `noise-epsilon`, `noise-alpha` | 0.25, 0.3 | `noise.Dirichlet`, the default of `policies.AlphaZero` |
| `temperature`, `temperature-drop` | 1.0, 8 | `policies.AlphaZero`: moves drawn from the visits; then the best one |
| `infer-cache` | 0 | `Engine`: positions whose evaluations are kept; 0 keeps none |

`games` are games of self-play that ended, `evaluations` are positions that the network computed in self-play. Games end
side by side: for a budget in games, `n-games` has to be small beside it. A budget in seconds or evaluations ends
anywhere. Positions that were collected since the last iteration are learned then, unless the budget is in seconds.

JAX compiles for about ten seconds at the start, in each continuation again, and uses a second core for that.

Not possible: games other than Connect Four on 6x7. reinfors has chess, but no Othello, no Go and no other boards.
"""

import json
import os
import pickle
import sys
import time

import network  # before JAX: it sets its environment variables
import jax
import numpy as np
import optax
import reinfors

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_trainer import Training  # noqa: E402


class Spent(Exception):
    """The budget is spent."""


def main():
    training = Training("reinfors", reinfors=reinfors.core_version(), jax=jax.__version__)
    game, budget, option = training.game, training.budget, training.settings.get
    if not network.is_known(game):
        training.error(f"{game['name']} is not possible with this adapter of reinfors")
    if not budget:
        training.error("this trainer needs a budget")
    shape = {"width": option("width", 32), "blocks": option("blocks", 2)}
    net = network.Residual(**shape)
    decay, rate = option("weight-decay", 1e-4), option("learning-rate", 1e-3)
    optimizer = optax.chain(optax.add_decayed_weights(decay), optax.adam(rate))
    policy = reinfors.policies.AlphaZero(
        num_simulations=option("simulations", 50),
        c_puct=option("c-puct", 1.5),
        temperature=option("temperature", 1.0),
        temperature_drop=option("temperature-drop", 8),
        noise=reinfors.noise.Dirichlet(option("noise-epsilon", 0.25), option("noise-alpha", 0.3)),
    )
    engine = reinfors.Engine(
        reinfors.games.Connect4(), reinfors.Reward(win=1.0, loss=-1.0), policy, reinfors.learners.AlphaZero(gamma=1.0),
        n_games=option("n-games", 8), seed=training.seed, n_threads=1, infer_cache=option("infer-cache", 0),
    )  # fmt: skip
    infer, update = network.inference(net), network.updater(net, optimizer)
    rng = np.random.default_rng(training.seed)
    model = jax.jit(net.init, static_argnums=2)(jax.random.PRNGKey(training.seed), np.zeros(network.SHAPE), False)
    moments, games, evaluations, iteration = optimizer.init(model["params"]), 0, 0, 0
    batch, collect, passes, buffer = option("batch", 256), option("collect", 512), option("passes", 1), []
    if training.resumed:
        with open(training.directory / training.resumed[0], "rb") as file:
            model, moments, rng, games, evaluations, iteration, buffer, snapshot = pickle.load(file)
        engine.restore(reinfors.EngineSnapshot.from_bytes(snapshot))
    elif training.started_from:
        if json.loads((training.directory / "settings.json").read_text()) != shape:
            training.error("the training that this one starts from has another network")
        model = pickle.loads((training.directory / "weights.pickle").read_bytes())

    def over():
        return training.over(games=games, evaluations=evaluations)

    def evaluate(images):
        """The callback of the search. An exception here ends the collection."""
        nonlocal evaluations
        if over():
            raise Spent
        evaluations += len(images)
        return infer(model, images)

    is_over, saved = over(), time.monotonic()
    while not is_over:
        # Small parts of a collection have the same games as a whole one, and the budget can end between them.
        fresh = []
        try:
            while sum(len(part[0]) for part in fresh) < collect and not over():
                collected = engine.collect(n_records=1, infer=evaluate)
                games += len(collected.telemetry["episodes"])
                fresh.append(network.samples_of(collected))
        except Spent:
            pass
        is_over = over()
        if not fresh or (is_over and training.timed):
            break
        fresh, most = [np.concatenate(parts) for parts in zip(*fresh)], option("buffer", 0)
        buffer = [np.concatenate(parts)[-most:] for parts in zip(buffer, fresh)] if buffer else fresh
        losses = []
        for _ in range(passes):
            order = rng.permutation(len(buffer[0]))[: len(fresh[0])]
            # Only whole batches are learned: JAX would compile another function for the last, smaller one.
            for at in range(0, len(order) - batch + 1, batch):
                if training.timed and (is_over := over()):
                    break
                model, moments, loss = update(model, moments, [part[order[at : at + batch]] for part in buffer])
                losses.append([float(part) for part in loss])
        engine.weights_updated()
        buffer, iteration = buffer if most else [], iteration + 1
        if losses:
            means = dict(zip(("policy_loss", "value_loss"), np.mean(losses, axis=0)))
            training.metrics(iteration=iteration, positions=len(fresh[0]), **means)
        if time.monotonic() > saved + 30:
            state = *jax.device_get((model, moments)), rng, games, evaluations, iteration, buffer
            with open(training.directory / "state.new", "wb") as file:
                pickle.dump((*state, engine.snapshot().to_bytes()), file)
            os.replace(training.directory / "state.new", training.directory / "state.pickle")
            training.checkpoint("state.pickle")
            saved = time.monotonic()
    training.count(games=games, evaluations=evaluations)
    if not iteration:
        training.log("the budget ended before the first iteration: the weights are random")
    (training.directory / "state.pickle").unlink(missing_ok=True)
    with open(training.directory / "weights.pickle", "wb") as file:
        pickle.dump(jax.device_get(model), file)
    (training.directory / "settings.json").write_text(json.dumps(shape))


if __name__ == "__main__":
    main()
