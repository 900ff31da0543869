"""SPSA as Fishtest applies it, written from its formulas, on the hill of `crates/gauntlet-play/src/learning/spsa/tests.rs`.

    python3 tests/peers/spsa.py

Prints the Elo that is lost to the best numbers after 5,000 pairs of games, for 2, 5 and 10 numbers, from a start that loses
100. `cargo test --release -p gauntlet-play noisy_hill -- --nocapture` prints the numbers of this project: both means agree
within their errors. Needs numpy.
"""

import numpy as np

PAIRS, BATCH, C_END, R_END, ALPHA, GAMMA, STABILITY = 5000, 10, 0.1, 0.01, 0.602, 0.101, 0.1
START, TOP, HEIGHT, TUNINGS = 0.2, 0.7, 400.0, 2000


def elo(numbers):
    """Strength, with the top at 0."""
    return -HEIGHT * ((numbers - TOP) ** 2).mean(axis=1)


def tune(count, rng):
    """The Elo that each tuning loses in the end."""
    offset = STABILITY * PAIRS
    c = C_END * PAIRS**GAMMA
    a = R_END * C_END**2 * (offset + PAIRS) ** ALPHA
    theta = np.full((TUNINGS, count), START)
    for done in range(0, PAIRS, BATCH):
        k = done + 1
        c_k, a_k = c / k**GAMMA, a / (offset + k) ** ALPHA
        flip = rng.choice([-1.0, 1.0], size=theta.shape)
        up, down = np.clip(theta + c_k * flip, 0, 1), np.clip(theta - c_k * flip, 0, 1)
        wins = rng.binomial(2 * BATCH, 1 / (1 + 10 ** ((elo(down) - elo(up)) / 400)))
        result = 2 * wins - 2 * BATCH
        # Fishtest: R = a_k / c_k^2, and the step is R c_k result flip.
        theta = np.clip(theta + (a_k / c_k**2) * c_k * result[:, None] * flip, 0, 1)
    return -elo(theta)


def main():
    rng = np.random.default_rng(1)
    for count in (2, 5, 10):
        lost = tune(count, rng)
        print(f"{count} numbers: {lost.mean():.1f} Elo lost, s.d. {lost.std(ddof=1):.1f}, {TUNINGS} tunings")


if __name__ == "__main__":
    main()
