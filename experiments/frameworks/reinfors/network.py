"""What the trainer and the player of reinfors share: the network, and the callback with which the search computes it;
and small parts of the trainer.

reinfors has no networks: its users bring their own. This one is ours, a residual network of AlphaZero in JAX. JAX reads
its environment variables when it is loaded: one thread, and no accelerator.
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import flax.linen as nn  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

SHAPE = (2, 6, 7)
"""Channels, rows and columns of an image in reinfors: the discs of the side to move, and those of the other side."""


def is_known(game):
    """Whether it is the game that reinfors has: four in a row on 6x7."""
    facts = game["kind"], game["rows"], game["columns"], game["spec"].get("connect-four", {}).get("row", 4)
    return facts == ("connect-four", 6, 7, 4)


class Residual(nn.Module):
    """Logits of the columns, and a value from -1 to 1, of images."""

    width: int
    blocks: int

    @nn.compact
    def __call__(self, images, is_training):
        def convolved(x, channels, size):
            x = nn.Conv(channels, (size, size), use_bias=False)(x)
            return nn.BatchNorm(use_running_average=not is_training, momentum=0.9)(x)

        x = jnp.moveaxis(images.reshape(-1, *SHAPE), 1, -1)
        x = nn.relu(convolved(x, self.width, 3))
        for _ in range(self.blocks):
            x = nn.relu(x + convolved(nn.relu(convolved(x, self.width, 3)), self.width, 3))
        policy = nn.relu(convolved(x, 2, 1)).reshape(len(x), -1)
        value = nn.relu(convolved(x, 1, 1)).reshape(len(x), -1)
        value = nn.Dense(1)(nn.relu(nn.Dense(self.width)(value)))
        return nn.Dense(SHAPE[2])(policy), jnp.tanh(value)[:, 0]


def inference(net):
    """A function of weights and images, as many as the search asks for.

    JAX compiles a function for each size of a batch. The images are padded to a power of two, so that there are few.
    """
    compiled = jax.jit(lambda model, images: net.apply(model, images, False))

    def infer(model, images):
        count = len(images)
        padded = np.zeros((1 << (count - 1).bit_length(), images.shape[1]), np.float32)
        padded[:count] = images
        logits, values = compiled(model, padded)
        return np.asarray(logits)[:count], np.asarray(values)[:count]

    return infer


def updater(net, optimizer):
    """A compiled function that makes one step of gradient descent: the loss of the example."""

    def loss(params, stats, images, policies, values, legal):
        (logits, value), changed = net.apply({"params": params, **stats}, images, True, mutable=["batch_stats"])
        logits = jnp.where(legal, logits, jnp.finfo(logits.dtype).min)
        policy_loss = optax.softmax_cross_entropy(logits, policies).mean()
        value_loss = jnp.mean((value - values) ** 2)
        return policy_loss + value_loss, (changed, policy_loss, value_loss)

    def update(model, moments, samples):
        params, stats = model["params"], {"batch_stats": model["batch_stats"]}
        gradient, (stats, *losses) = jax.grad(loss, has_aux=True)(params, stats, *samples)
        change, moments = optimizer.update(gradient, moments, params)
        return {"params": optax.apply_updates(params, change), **stats}, moments, losses

    return jax.jit(update)


def samples_of(batch):
    """Images, policies, values and legal moves of the positions that reinfors collected."""
    legal = np.zeros(batch.policy_targets.shape, bool)
    legal[np.repeat(np.arange(len(legal)), np.diff(batch.legal_offsets)), batch.legal_ids] = True
    parts = batch.obs.reshape(len(legal), -1), batch.policy_targets, batch.value_targets
    return [*(part.astype(np.float32) for part in parts), legal]
