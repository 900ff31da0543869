#!/usr/bin/env python3
"""Trains with pgx: its environments, and the Gumbel search of mctx. On a processor here, in one thread.

    requirements.txt: pgx 2.6.0, mctx 0.0.71, dm-haiku, optax and jax (all Apache 2.0)
    train.external = { command = ["python3", "train.py"], needs = ["network.py"], ... }

pgx is a library of environments. Its AlphaZero is an example: `examples/alphazero` of github.com/sotetsuk/pgx, 079b2d7.
This is our own code of the same method: self-play of many games at once with `gumbel_muzero_policy`, then one pass over
the positions of these games in batches, then the next iteration, with new games. There is no buffer.

| setting | default | source |
|---|---|---|
| `simulations`, `width`, `blocks` | 50, 32, 2 | ours; the example has 32, 128, 6 |
| `self-play-batch` | 1024 | `selfplay_batch_size` of the example: games at once |
| `steps` | 256 | `max_num_steps` of the example: moves of each game in an iteration; games that end begin again |
| `batch`, `learning-rate` | 4096, 0.001 | `training_batch_size`, `learning_rate` of the example; Adam |
| `considered-actions` | 16 | `max_num_considered_actions` of mctx |
| `gumbel-scale` | 1.0 | of the example |

The example has these values for 9x9 Go on accelerators, and none for Connect Four. With them, an iteration takes 13
million evaluations: on one core of a processor, use `self-play-batch = 64`, `steps = 64`, `batch = 128` or the like.

One difference: in the example, the flag `terminated` of the last game is still set at the first move of the next one,
and the search from there sees no moves. Here it is cleared.

`evaluations` are positions that the network computed in self-play. `games` are games of self-play that ended. Several
end at the same move: for a budget in games, `self-play-batch` has to be small beside it.

Not possible: boards other than 6x7 (Connect Four) and 8x8 (Othello). The compilation takes 20 to 30 seconds of the
budget, in each continuation again.
"""

import json
import math
import os
import pickle
import sys

import network  # before JAX: it sets its environment variables
import jax
import jax.numpy as jnp
import mctx
import numpy as np
import optax
import pgx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_trainer import Training  # noqa: E402


def targets(steps):
    """Images, policies, values and whether the value is known (the game ended), of all steps, for the loss."""
    images, policies, rewards, done = map(np.stack, zip(*steps))
    values, known = np.zeros_like(rewards), np.zeros_like(done)
    value, ended = np.zeros_like(rewards[0]), np.zeros_like(done[0])
    for at in reversed(range(len(steps))):
        value = rewards[at] - np.where(done[at], 0.0, value)
        ended = ended | done[at]
        values[at], known[at] = value, ended
    return [part.reshape(-1, *part.shape[2:]) for part in (images, policies, values, known)]


def updater(net, optimizer):
    """A compiled function that makes one step of gradient descent."""

    def loss(weights, averages, images, policies, values, known):
        (logits, value), averages = net.apply(weights, averages, images, True)
        policy_loss = jnp.mean(optax.softmax_cross_entropy(logits, policies))
        value_loss = jnp.mean(optax.l2_loss(value, values) * known)
        return policy_loss + value_loss, (averages, policy_loss, value_loss)

    def update(model, moments, samples):
        gradient, (averages, *losses) = jax.grad(loss, has_aux=True)(*model, *samples)
        change, moments = optimizer.update(gradient, moments)
        return (optax.apply_updates(model[0], change), averages), moments, losses

    return jax.jit(update)


def main():
    training = Training("pgx and mctx", pgx=pgx.__version__, mctx=mctx.__version__, jax=jax.__version__)
    board, name = network.GAMES.get(training.game["kind"], (None, None))
    is_usual = training.game["spec"][training.game["kind"]].get("row", 4) == 4
    if board != (training.game["rows"], training.game["columns"]) or not is_usual:
        training.error(f"{training.game['name']} is not possible with this adapter of pgx")
    option = training.settings.get
    simulations, lanes, length = option("simulations", 50), option("self-play-batch", 1024), option("steps", 256)
    batch = option("batch", 4096)
    if lanes * length < batch:
        training.error("self-play-batch * steps, the positions of an iteration, are fewer than a batch")
    shape = {"game": name, "width": option("width", 32), "blocks": option("blocks", 2)}
    env = pgx.make(name)
    net = network.residual(env.num_actions, shape["width"], shape["blocks"])
    optimizer = optax.adam(option("learning-rate", 0.001))
    search = network.searcher(env, net, simulations, option("considered-actions", 16), option("gumbel-scale", 1.0))
    move, update = network.self_play(env, search, lanes), updater(net, optimizer)
    start, rng = jax.jit(jax.vmap(env.init)), np.random.default_rng(training.seed)
    key = jax.random.PRNGKey(training.seed)
    model = jax.jit(net.init, static_argnums=2)(key, start(jax.random.split(key, 1)).observation, True)
    moments, games, evaluations, iteration = optimizer.init(model[0]), 0, 0, 0
    if training.resumed:
        with open(training.directory / training.resumed[0], "rb") as file:
            model, moments, key, rng, games, evaluations, iteration = pickle.load(file)
    elif training.started_from:
        if json.loads((training.directory / "settings.json").read_text()) != shape:
            training.error("the training that this one starts from has another network")
        model = pickle.loads((training.directory / "weights.pickle").read_bytes())

    def over():
        """Whether the budget is spent, or the next move of the batch would exceed it."""
        spent = evaluations + lanes * (simulations + 1) > training.budget.get("evaluations", math.inf)
        return training.over(games=games, evaluations=evaluations) or spent

    is_over = over()
    while not is_over:
        key, *keys = jax.random.split(key, length + 2)
        state, steps = start(jax.random.split(keys[0], lanes)), []
        for at in range(length):
            state, made = move(model, keys[1 + at], state)
            steps.append([np.asarray(part) for part in made])
            games, evaluations = games + int(steps[-1][3].sum()), evaluations + lanes * (simulations + 1)
            if is_over := over():
                break
        # Work in units other than seconds is spent by self-play: the positions of the last iteration are learned, too.
        samples, losses = targets(steps), []
        order = rng.permutation(len(samples[0]))
        for at in range(0, len(order) - batch + 1, batch):
            if training.timed and over():
                break
            model, moments, loss = update(model, moments, [part[order[at : at + batch]] for part in samples])
            losses.append([float(part) for part in loss])
        iteration += 1
        if losses:
            policy_loss, value_loss = np.mean(losses, axis=0)
            training.metrics(iteration=iteration, policy_loss=policy_loss, value_loss=value_loss, updates=len(losses))
        with open(training.directory / "state.new", "wb") as file:
            pickle.dump((*jax.device_get((model, moments, key)), rng, games, evaluations, iteration), file)
        os.replace(training.directory / "state.new", training.directory / "state.pickle")
        training.checkpoint("state.pickle")
        is_over = is_over or over()
    training.count(games=games, evaluations=evaluations)
    (training.directory / "state.pickle").unlink(missing_ok=True)
    with open(training.directory / "weights.pickle", "wb") as file:
        pickle.dump(jax.device_get(model), file)
    (training.directory / "settings.json").write_text(json.dumps(shape))


if __name__ == "__main__":
    main()
