"""Compares AlphaGateau in JAX, on one thread, with tests/benches/deep.rs in one run. Run by hand:

    requirements: jax==0.10.2 numpy==2.4.6 safetensors==0.8.0
    python tests/peers/alphagateau_jax.py [gateau-128 gateau-128-no-g gateau-32-5x5 ...] [--rounds 3]

The bench writes each network, a batch and its answers; the same function is written here from the equations of the paper
(section 4), compiled by JAX, and must give equal answers (within 1e-4) before the timing. Then both sides take turns. Both
count processor seconds (here `time.process_time`), with XLA limited to one thread. Products with W_h
are computed for nodes here, before the gather, as in the authors' code; those with W_g for edges. One step is forward, loss,
backward and Adam on the bench's batch. The peer's evaluations are also tried at batch 1, and the better rate counts.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
AS_THE_PROGRAM = {
    "RAYON_NUM_THREADS": "1",
    "CANDLE_NUM_THREADS": "1",
    # Buffers stay with the process, as in `main.rs`.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}

import jax
import jax.numpy as jnp
from safetensors import safe_open

TOLERANCE = 1e-4
EPSILON = 1e-5


def linear(weights, name, x):
    bias = weights.get(f"{name}.bias")
    product = x @ weights[f"{name}.weight"].T
    return product if bias is None else product + bias


def bnr(weights, name, x, train):
    """Batch norm and ReLU: with the batch's moments in training, the running ones in inference, none if it is frozen."""
    mean, variance = weights.get(f"{name}.mean", 0.0), weights.get(f"{name}.variance", 1.0)
    if train and f"{name}.mean" in weights:
        mean, variance = x.mean(0), x.var(0)
    scale = weights[f"{name}.gain"] / jnp.sqrt(variance + EPSILON)
    return jax.nn.relu((x - mean) * scale + weights[f"{name}.bias"])


def softmax(scores, owners, count):
    """Softmax over the scores with the same owner."""
    powers = jnp.exp(scores - jax.ops.segment_max(scores, owners, count)[owners])
    return powers / jax.ops.segment_sum(powers, owners, count)[owners]


def layer(weights, name, h, g, senders, receivers):
    u, v, w = (linear(weights, f"{name}.{part}", h) for part in "uvh")
    edges = linear(weights, f"{name}.e", g) + u[senders] + v[receivers]
    scores = jax.nn.leaky_relu(linear(weights, f"{name}.attention", edges)[:, 0], 0.01)
    alpha = softmax(scores, receivers, len(h))
    message = w[senders] + (linear(weights, f"{name}.g", g) if f"{name}.g.weight" in weights else edges)
    sums = jax.ops.segment_sum(alpha[:, None] * message, receivers, len(h))
    return linear(weights, f"{name}.own", h) + sums, edges


def forward(weights, spec, nodes, edges, senders, receivers, train=False):
    """Logits of all edges and values of all positions; `nodes [B, N, F]`, `edges [B, E, F]`."""
    boards, count = nodes.shape[:2]
    first = jnp.arange(boards)[:, None] * count
    senders, receivers = (first + senders).reshape(-1), (first + receivers).reshape(-1)
    h = linear(weights, "nodes", nodes.reshape(boards * count, -1))
    g = linear(weights, "edges", edges.reshape(len(senders), -1))
    for block in range(spec.get("blocks", 5)):
        x, y = h, g
        for half in range(2):
            name = f"block{block}.layer{half}"
            x, y = bnr(weights, f"{name}.nodes.norm", x, train), bnr(weights, f"{name}.edges.norm", y, train)
            x, y = layer(weights, name, x, y, senders, receivers)
        h, g = h + x, g + y
    hidden = linear(weights, "policy.hidden", bnr(weights, "policy.in.norm", g, train))
    logits = linear(weights, "policy", bnr(weights, "policy.norm", hidden, train))
    x = linear(weights, "value.hidden", bnr(weights, "value.in.norm", h, train))
    x = bnr(weights, "value.norm", x, train)
    scores = linear(weights, "value.attention", x)[:, 0]
    scores = jax.nn.leaky_relu(scores, 0.01) if spec.get("pool", "leaky") == "leaky" else scores
    owners = jnp.repeat(jnp.arange(boards), count)
    pooled = jax.ops.segment_sum(softmax(scores, owners, boards)[:, None] * x, owners, boards)
    values = jnp.tanh(linear(weights, "value", jax.nn.relu(pooled)))
    return logits.reshape(boards, -1), values[:, 0]


def read(path):
    with safe_open(path, "numpy") as file:
        return {name: jnp.asarray(file.get_tensor(name)) for name in file.keys()}, file.metadata()["gauntlet"]


def seconds(call, least=2.0):
    """Processor seconds of one call: the mean over two seconds of calls."""
    jax.block_until_ready(call())
    start, calls = time.process_time(), 0
    while time.process_time() - start < least:
        jax.block_until_ready(call())
        calls += 1
    return (time.process_time() - start) / calls


class Peer:
    """A network of the bench, from its file."""

    def __init__(self, stem):
        self.weights, header = read(f"{stem}.safetensors")
        self.lesson, _ = read(f"{stem}.lesson.safetensors")
        self.spec = json.loads(header)["net"]["gateau"]
        senders, receivers = (self.lesson[name].astype(jnp.int32) for name in ("senders", "receivers"))
        boards, count = len(self.lesson["values"]), int(senders.max()) + 1
        self.nodes = self.lesson["inputs"].reshape(boards, count, -1)
        self.edges = self.lesson["edges"].reshape(boards, len(senders), -1)

        def answer(weights, nodes, edges, train=False):
            return forward(weights, self.spec, nodes, edges, senders, receivers, train)

        def loss(weights):
            logits, values = answer(weights, self.nodes, self.edges, True)
            policy = -(self.lesson["policy_targets"] * jax.nn.log_softmax(logits, 1)).sum() / boards
            return policy + jnp.square(values - self.lesson["value_targets"].reshape(-1)).mean()

        def step(weights, first, second):
            slopes = jax.grad(loss)(weights)
            first = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, first, slopes)
            second = jax.tree.map(lambda old, new: 0.999 * old + 0.001 * new * new, second, slopes)
            move = lambda weight, one, two: weight - 1e-3 * one / (jnp.sqrt(two) + 1e-8)
            return jax.tree.map(move, weights, first, second), first, second

        self.answer, self.step = jax.jit(answer), jax.jit(step)

    def check(self):
        """The largest difference between our answers and JAX's."""
        logits, values = self.answer(self.weights, self.nodes, self.edges)
        apart = jnp.abs(logits - self.lesson["policy_logits"]).max()
        apart = max(float(apart), float(jnp.abs(values - self.lesson["values"].reshape(-1)).max()))
        assert apart < TOLERANCE, f"the answers differ by {apart}"
        return apart

    def rates(self):
        """Evaluations a second at the bench's batch and at batch 1, and samples a second of steps."""
        many = len(self.nodes) / seconds(lambda: self.answer(self.weights, self.nodes, self.edges))
        one = 1 / seconds(lambda: self.answer(self.weights, self.nodes[:1], self.edges[:1]))
        zeros = jax.tree.map(jnp.zeros_like, self.weights)
        return many, one, len(self.nodes) / seconds(lambda: self.step(self.weights, zeros, zeros))


def ours(name, shelf):
    """Evaluations a second, their share of the ceiling of matrix products, and steps a second."""
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--bench", "deep", "--", name]
    if bench := os.environ.get("BENCH"):
        command = [bench, name]
    output = subprocess.run(
        [*command, f"--save={shelf}"],
        env={**os.environ, **AS_THE_PROGRAM},
        check=True,
        capture_output=True,
        text=True,
    )
    line = next(line for line in output.stdout.splitlines() if line.split()[0] == name)
    _, rate, _, _, share, steps = line.split()
    return float(rate), float(share.rstrip("%")), float(steps)


def compare(name, rounds, shelf):
    found = []
    for _ in range(rounds):
        rate, share, steps = ours(name, shelf)
        peer = Peer(f"{shelf}/{name}")
        apart, (many, one, samples) = peer.check(), peer.rates()
        steps *= len(peer.nodes)
        found.append((rate, many, rate / many, one, rate / max(many, one), share, steps, samples, steps / samples))
    rate, many, ratio, one, best, share, steps, samples, step_ratio = map(statistics.median, zip(*found))
    print(
        f"{name:16} {rate:8.1f} {many:8.1f} {ratio:6.2f} {one:8.1f} {best:6.2f} {share:6.1f}%"
        f" {steps:8.1f} {samples:8.1f} {step_ratio:6.2f} {apart:9.1e}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", default=["gateau-128-no-g", "gateau-128", "gateau-32-5x5"])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"JAX {jax.__version__}, one thread; medians of {arguments.rounds} rounds")
    print(
        f"{'network':16} {'evals/s':>8} {'JAX':>8} {'ratio':>6} {'JAX, 1':>8} {'best':>6} {'roof':>7}"
        f" {'samples':>8} {'JAX':>8} {'ratio':>6} {'apart':>9}"
    )
    with tempfile.TemporaryDirectory() as shelf:
        for name in arguments.networks:
            compare(name, arguments.rounds, Path(shelf))


if __name__ == "__main__":
    main()
