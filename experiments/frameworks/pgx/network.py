"""What the trainer and the player of pgx share: the games, the network and the search; and a move of self-play.

JAX reads its environment variables when it is loaded: one thread, and no accelerator.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import haiku as hk  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import mctx  # noqa: E402

# Of a kind of game: rows and columns, and the name in pgx.
GAMES = {"connect-four": ((6, 7), "connect_four"), "othello": ((8, 8), "othello")}


def residual(actions, width, blocks):
    """A residual network with batch norm before each convolution: logits of the moves, and a value from -1 to 1."""

    def forward(image, is_training):
        def active(x):
            return jax.nn.relu(hk.BatchNorm(True, True, 0.9)(x, is_training))

        x = hk.Conv2D(width, 3)(image.astype(jnp.float32))
        for _ in range(blocks):
            x += hk.Conv2D(width, 3)(active(hk.Conv2D(width, 3)(active(x))))
        x = active(x)
        logits = hk.Linear(actions)(hk.Flatten()(active(hk.Conv2D(2, 1)(x))))
        hidden = jax.nn.relu(hk.Linear(width)(hk.Flatten()(active(hk.Conv2D(1, 1)(x)))))
        return logits, jnp.tanh(hk.Linear(1)(hidden))[:, 0]

    return hk.without_apply_rng(hk.transform_with_state(forward))


def searcher(env, net, simulations, considered, scale):
    """A function from weights, a key and a batch of positions to the search of mctx from them."""

    def recurrent(model, _, action, state):
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        (logits, value), _ = net.apply(*model, state.observation, False)
        logits = jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min)
        reward = jnp.take_along_axis(state.rewards, mover[:, None], 1)[:, 0]
        value = jnp.where(state.terminated, 0.0, value)
        discount = jnp.where(state.terminated, 0.0, -1.0)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), state

    def search(model, key, state):
        (logits, value), _ = net.apply(*model, state.observation, False)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        return mctx.gumbel_muzero_policy(
            params=model, rng_key=key, root=root, recurrent_fn=recurrent, num_simulations=simulations,
            invalid_actions=~state.legal_action_mask, max_num_considered_actions=considered, gumbel_scale=scale,
        )  # fmt: skip

    return search


def self_play(env, search, lanes):
    """A compiled function that makes one move in each game of the batch. A game that ends begins again."""

    def step(model, key, state):
        first, second = jax.random.split(key)
        found = search(model, first, state)
        after = jax.vmap(env.step)(state, found.action)
        reward = jnp.take_along_axis(after.rewards, state.current_player[:, None], 1)[:, 0]
        fresh, done = jax.vmap(env.init)(jax.random.split(second, lanes)), after.terminated
        following = jax.tree.map(lambda new, old: jax.vmap(jnp.where)(done, new, old), fresh, after)
        return following, (state.observation, found.action_weights, reward, done)

    return jax.jit(step)
