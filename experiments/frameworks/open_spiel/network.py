"""What the trainer and the player of OpenSpiel share: the game, model and search; and small parts of the trainer.

JAX reads its environment variables when it is loaded: one thread, and no accelerator.
"""

import copy
import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import pyspiel  # noqa: E402
from open_spiel.python.algorithms import mcts  # noqa: E402
from open_spiel.python.algorithms.alpha_zero import utils  # noqa: E402

# Of a kind of game: rows and columns, and the name in OpenSpiel.
GAMES = {"connect-four": ((6, 7), "connect_four")}


def load(facts):
    """The game in OpenSpiel, of the facts of ours; none if this adapter has no such game, or another board."""
    board, name = GAMES.get(facts["kind"], (None, None))
    row = facts["spec"].get("connect-four", {}).get("row", 4)
    return pyspiel.load_game(name) if (board, row) == ((facts["rows"], facts["columns"]), 4) else None


def build(game, shape, is_new, seed=0, learning_rate=1e-3, weight_decay=1e-4):
    """A model of OpenSpiel, of a shape: `api`, `model`, `width`, `blocks`. One that is not new waits for its weights.

    `build_model` compiles each of its operations. Within one function, they are compiled at once, in half of the time.
    """
    models = []

    def state():
        models.append(
            utils.api_selector(shape["api"]).Model.build_model(
                shape["model"], game.observation_tensor_shape(), game.num_distinct_actions(), shape["width"],
                shape["blocks"], weight_decay, learning_rate, None, seed=seed,
            )
        )  # fmt: skip
        return models[-1]._state

    made = jax.jit(state)() if is_new else jax.eval_shape(state)
    models[-1]._state = made
    return models[-1]


def leaves(tree):
    """The arrays of a tree: of the state of a model, for a file."""
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def filled(tree, arrays):
    """A tree with these arrays in the places of its own."""
    return jax.tree.unflatten(jax.tree.structure(tree), [jnp.asarray(array) for array in arrays])


def weights(model):
    """What the model plays with: its parameters, and the averages of its batch norms."""
    return model._state.params, model._state.batch_stats


def set_weights(model, arrays):
    params, stats = filled(weights(model), arrays)
    model._state = model._state.replace(params=params, batch_stats=stats)


class Inference:
    """A model for the evaluator of OpenSpiel. Its inference is compiled, unless it shall stay as it is shipped.

    The shipped `Model.inference` runs step by step, and its results are arrays of JAX, with which the search computes.
    This takes nearly all of the time. The compiled one makes the same computation, and its results are plain numbers.
    """

    def __init__(self, model, is_compiled, on_evaluation=lambda: None):
        self.model, self.is_compiled, self.on_evaluation = model, is_compiled, on_evaluation

        def run(parts, image, legal):
            inner = copy.copy(model)
            inner._state = model._state.replace(params=parts[0], batch_stats=parts[1])
            return inner.inference(image, legal)

        self.run = jax.jit(run)

    def inference(self, image, legal):
        self.on_evaluation()
        if not self.is_compiled:
            return self.model.inference(image, legal)
        value, policy = self.run(weights(self.model), image.astype(np.float32), legal.astype(bool))
        return float(value), np.asarray(policy).tolist()


def bot(game, evaluator, simulations, c, seed, noise=None):
    """The search of OpenSpiel's AlphaZero, with the arguments of `_init_bot` in its `alpha_zero.py`."""
    return mcts.MCTSBot(
        game, c, simulations, evaluator, solve=False, random_state=np.random.RandomState(seed), dirichlet_noise=noise,
        child_selection_fn=mcts.SearchNode.puct_value, dont_return_chance_node=True,
    )  # fmt: skip


class Silent:
    """A log of OpenSpiel that keeps nothing."""

    def print(self, *_):
        pass

    opt_print = print


def inputs(trajectory):
    """The positions of a game as the learner of OpenSpiel stores them: values are those of the first side."""
    value = jnp.asarray(trajectory.returns[0], dtype=jnp.float32)
    for state in trajectory.states:
        yield utils.TrainInput(
            observation=jnp.asarray(state.observation, dtype=jnp.float32),
            legals_mask=jnp.asarray(state.legals_mask, dtype=bool),
            policy=jnp.asarray(state.policy, dtype=jnp.float32),
            value=value,
        )
