#!/usr/bin/env python3
"""Trains with AlphaZero of LightZero (OpenDILab), on one core.

    requirements.txt: LightZero 0.2.0 (Apache 2.0), for Python 3.11; DI-engine, on which it is built; torch
    train.external = { command = ["python3", "train.py"], needs = ["network.py"], ... }

LightZero's `train_alphazero` starts processes that play, and writes logs and checkpoints of its own. Here one process
does the same in turns, with the parts of LightZero as they are: `AlphaZeroPolicy` with its loss, `AlphaZeroModel`,
`AlphaZeroCollector`, the search in Python `ptree_az.MCTS`, and the buffer of DI-engine (`AdvancedReplayBuffer`,
`advanced`). Games of self-play, then steps of descent, then the next games. There are no evaluators.

| setting | default | source |
|---|---|---|
| `simulations`, `width`, `blocks` | 50, 32, 2 | ours; the config has 50, 64, 1. `blocks` is made twice: see below |
| `episodes`, `updates` | 8, 50 | config (`n_episode`, `update_per_collect`): games, and then steps of descent |
| `batch`, `learning-rate` | 256, 0.003 | config: Adam |
| `gradient-clip` | 0.5 | config (`grad_clip_value`) |
| `weight-decay` | 0.0001 | policy: L2 regularization |
| `buffer` | 1000000 | policy (`replay_buffer_size`): positions |
| `temperature` | 0.25 | policy (`fixed_temperature_value`): moves are drawn from the visits to the power of 4 |
| `noise-epsilon`, `noise-alpha` | 0.25, 0.3 | policy |
| `c`, `c-base` | 1.25, 19652 | policy (`pb_c_init`, `pb_c_base`): the constants of PUCT |
| `averages` | true | ours: see below |

The config is `zoo/board_games/connect4/config/connect4_alphazero_sp_mode_config.py` of the repository
(github.com/opendilab/LightZero, v0.2.0), policy is `AlphaZeroPolicy.config`.

`blocks` is `num_res_blocks`: LightZero makes so many for its representation, and again for its prediction. The targets
of the policy have the temperature of the moves, too. There are no steps while the buffer has fewer positions than a
batch.

Three differences. In LightZero the batch norms stay in their mode of training while it plays: they normalize each
position by itself, and their averages change with it. Here they use their averages; `averages = false` is as shipped.
The package has no environment of Connect Four. The rules here are ours, with the same images, and faster: with those of
the repository, a simulation takes more than twice the time. The policy of the package reads a root that its search in
Python does not return; ours returns it. `network.py` has all three.

`games` are games of self-play that ended, `evaluations` are positions that the network computed in self-play. A budget
in seconds or evaluations ends within a game, which is lost. Then the last positions are learned, unless the budget is
in seconds.

Not possible: games other than Connect Four on 6x7 with this adapter, evaluations of several positions at once, and the
faster search in C++, which is not in the package. Imports take about ten seconds of the budget, in each continuation
again.
"""

import collections
import contextlib
import json
import logging
import os
import pickle
import sys
import tempfile
import time
from importlib import metadata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "engines"))
from gauntlet_trainer import Training  # noqa: E402


class Spent(Exception):
    """The budget is spent."""


def main():
    training = Training("LightZero", lightzero=metadata.version("LightZero"), torch=metadata.version("torch"))
    # LightZero needs several seconds for its imports, which are a part of the budget.
    import network
    import numpy as np
    import torch
    from ding.envs import BaseEnvManager
    from ding.worker import AdvancedReplayBuffer
    from lzero.worker import AlphaZeroCollector

    option = training.settings.get
    if not network.is_known(training.game):
        training.error(f"{training.game['name']} is not possible with this adapter of LightZero")
    if not training.budget:
        training.error("this trainer needs a budget")
    logging.disable(logging.INFO)
    np.random.seed(training.seed)
    torch.manual_seed(training.seed)
    shape = {"width": option("width", 32), "blocks": option("blocks", 2), "averages": option("averages", True)}
    mcts = {"num_simulations": option("simulations", 50), "pb_c_init": option("c", 1.25)}
    mcts |= {"pb_c_base": option("c-base", 19652), "root_noise_weight": option("noise-epsilon", 0.25)}
    policy = network.build(
        shape, ["learn", "collect"], {**mcts, "root_dirichlet_alpha": option("noise-alpha", 0.3)}, optim_type="Adam",
        learning_rate=option("learning-rate", 0.003), weight_decay=option("weight-decay", 1e-4), entropy_weight=0.0,
        grad_clip_value=option("gradient-clip", 0.5), piecewise_decay_lr_scheduler=False,
    )  # fmt: skip
    model, optimizer, batch, capacity = policy._model, policy._optimizer, option("batch", 256), option("buffer", 10**6)
    count, positions = {"games": 0, "evaluations": 0, "step": 0, "fresh": 0}, collections.deque(maxlen=capacity)
    if training.resumed:
        with open(training.directory / training.resumed[0], "rb") as file:
            weights, moments, known, count, *random = pickle.load(file)
        model.load_state_dict(weights)
        optimizer.load_state_dict(moments)
        positions.extend(map(network.position, known[0] / 2, *known[1:]))
        np.random.set_state(random[0])
    elif training.started_from:
        if json.loads((training.directory / "settings.json").read_text()) != shape:
            training.error("the training that this one starts from has another network")
        model.load_state_dict(torch.load(training.directory / "weights.pt"))

    def over():
        return training.over(games=count["games"], evaluations=count["evaluations"])

    def on_evaluation():
        if over():
            raise Spent
        count["evaluations"] += 1

    def learn():
        losses = []
        for _ in range(option("updates", 50)):
            # The buffer has no samples before it has a batch.
            if training.timed and over() or (samples := buffer.sample(batch, 0)) is None:
                break
            losses.append(policy.learn_mode.forward(samples))
        if losses:
            count["step"] += 1
            means = {name: np.mean([loss[name] for loss in losses]) for name in ("policy_loss", "value_loss")}
            training.metrics(iteration=count["step"], updates=len(losses), positions=len(positions), **means)
        count["fresh"] = 0

    def save():
        """A checkpoint: the model with its optimizer, the positions, the counts, and the state of random numbers."""
        state = model.state_dict(), optimizer.state_dict(), network.packed(positions), count, np.random.get_state()
        with open(training.directory / "state.new", "wb") as file:
            pickle.dump(state, file)
        os.replace(training.directory / "state.new", training.directory / "state.pickle")
        training.checkpoint("state.pickle")

    policy.on_evaluation, saved, temperature = on_evaluation, time.monotonic(), option("temperature", 0.25)
    with tempfile.TemporaryDirectory() as scratch:
        logs = os.path.relpath(scratch)
        settings = AdvancedReplayBuffer.default_config()
        settings.replay_buffer_size = capacity
        buffer = AdvancedReplayBuffer(settings, exp_name=logs)
        buffer.push(list(positions), 0)
        env = BaseEnvManager([network.Connect4], BaseEnvManager.default_config())
        collector = AlphaZeroCollector(env=env, policy=policy.collect_mode, exp_name=logs)
        with contextlib.suppress(Spent):
            while not over():
                while count["fresh"] < option("episodes", 8) and not over():
                    (game,) = collector.collect(1, policy_kwargs={"temperature": temperature})
                    fresh = list(map(network.position, *network.parts(game)))
                    positions.extend(fresh)
                    buffer.push(fresh, 0)
                    count["games"], count["fresh"] = count["games"] + 1, count["fresh"] + 1
                    if time.monotonic() > saved + 60:
                        save()
                        saved = time.monotonic()
                if not over():
                    learn()
        if not training.timed and count["fresh"]:
            learn()
        collector.close()
        buffer.close()
    training.count(games=count["games"], evaluations=count["evaluations"])
    if not count["step"]:
        training.log("the budget ended before the first step of learning: the weights are random")
    (training.directory / "state.pickle").unlink(missing_ok=True)
    torch.save(model.state_dict(), training.directory / "weights.pt")
    (training.directory / "settings.json").write_text(json.dumps(shape))


if __name__ == "__main__":
    main()
