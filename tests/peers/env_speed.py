"""Random plies of `gauntlet.env`, OpenSpiel and pgx in one run, on one core. Run by hand:

    requirements: numpy, open_spiel==2.0.2, pgx, jax[cpu]; python/native/build.sh for ours
    python tests/peers/env_speed.py [--rounds 5] [--games 256] [--seconds 1]

Every side plays uniformly random legal actions, and begins a finished game again. The number is plies in a processor
second, the median over the rounds, which take the sides in turn. A side that is not installed is left out.

    ours: sample      a loop in Python: `env.step(env.sample())`, all games at once
    ours: mask        the same, but NumPy draws the actions from `env.legal()`
    ours: playouts    `env.playouts()`: whole games without Python between their plies
    OpenSpiel         a loop in Python, one game after the other: `legal_actions`, `apply_action`
    pgx               one compiled loop (`fori_loop`) over all games at once, with its `auto_reset`
    pgx: loop         a loop in Python over its compiled step for all games
"""

import argparse
import os
import platform
import random
import statistics
import sys
import time
from pathlib import Path

os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
here = Path(__file__).resolve().parent
# Otherwise a file of this directory hides OpenSpiel.
sys.path = [str(here.parents[1] / "python"), *(path for path in sys.path if Path(path or ".").resolve() != here)]

import gauntlet
import numpy as np

GAMES = {
    "othello": (("othello", {"size": 8}), "othello", "othello"),
    "connect four": (("connect_four", {}), "connect_four", "connect_four"),
    "go 9x9": (("go", {"size": 9}), "go(board_size=9)", "go_9x9"),
}
PLIES = 64
"""Plies of a batch between two readings of the clock."""


def sampled(ours, n):
    env = gauntlet.env(ours[0], n=n, auto_reset=True, **ours[1])

    def play():
        for _ in range(PLIES):
            env.step(env.sample())
        return PLIES * n

    return play


def masked(ours, n):
    env, draw = gauntlet.env(ours[0], n=n, auto_reset=True, **ours[1]), np.random.default_rng(1)

    def play():
        for _ in range(PLIES):
            env.step((env.legal() * draw.random((n, env.actions), np.float32)).argmax(1))
        return PLIES * n

    return play


def whole(ours, n):
    """The plies of a play-out are their mean, counted before."""
    env = gauntlet.env(ours[0], n=n, auto_reset=True, **ours[1])
    ends = sum(int(env.step(env.sample())[1].sum()) for _ in range(2000))
    length, start = 2000 * n / ends, gauntlet.env(ours[0], n=n, **ours[1])

    def play():
        start.playouts()
        return n * length

    return play


def open_spiel(name, _n):
    import pyspiel

    game, draw = pyspiel.load_game(name), random.Random(1)
    state = game.new_initial_state()

    def play():
        nonlocal state
        for _ in range(1000):
            state.apply_action(draw.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
        return 1000

    return play


def pgx_parts(name, n):
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(carry):
        state, key = carry
        key, one, two = jax.random.split(key, 3)
        scores = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(one, scores, axis=1)
        return step(state, actions, jax.random.split(two, n)), key

    key = jax.random.PRNGKey(1)
    return jax, advance, (jax.jit(jax.vmap(env.init))(jax.random.split(key, n)), key)


def pgx_compiled(name, n):
    jax, advance, carry = pgx_parts(name, n)
    loop = jax.jit(lambda carry: jax.lax.fori_loop(0, PLIES, lambda _, carry: advance(carry), carry))

    def play():
        nonlocal carry
        carry = jax.block_until_ready(loop(carry))
        return PLIES * n

    return play


def pgx_loop(name, n):
    jax, advance, carry = pgx_parts(name, n)
    advance = jax.jit(advance)

    def play():
        nonlocal carry
        for _ in range(PLIES):
            carry = advance(carry)
        jax.block_until_ready(carry)
        return PLIES * n

    return play


SIDES = {
    "ours: sample": (sampled, 0),
    "ours: mask": (masked, 0),
    "ours: playouts": (whole, 0),
    "OpenSpiel": (open_spiel, 1),
    "pgx": (pgx_compiled, 2),
    "pgx: loop": (pgx_loop, 2),
}


def speed(play, seconds):
    """Plies in a processor second."""
    begin, plies = time.process_time(), 0
    while (taken := time.process_time() - begin) < seconds:
        plies += play()
    return plies / taken


def processor():
    """The name of the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print(f"{processor()}, one core; batches of {options.games}; thousand plies in a processor second")
    for title, names in GAMES.items():
        plays = {}
        for side, (make, of) in SIDES.items():
            try:
                plays[side] = make(names[of], options.games)
            except ImportError as error:
                print(f"{side} is left out: {error}")
        for play in plays.values():
            play()
        speeds = {side: [] for side in plays}
        for _ in range(options.rounds):
            for side, play in plays.items():
                speeds[side].append(speed(play, options.seconds))
        middle = {side: statistics.median(found) for side, found in speeds.items()}
        for side, found in speeds.items():
            ratio = f"{middle[side] / middle['OpenSpiel']:8.1f} times OpenSpiel" if "OpenSpiel" in middle else ""
            spread = f"({min(found) / 1e3:.0f} to {max(found) / 1e3:.0f})"
            print(f"{title:13} {side:15} {middle[side] / 1e3:9.0f} {spread:18} {ratio}")


if __name__ == "__main__":
    main()
