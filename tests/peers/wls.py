"""Times statsmodels' weighted least squares on the table of tests/benches/ratings.rs. Run by hand:

    pip install numpy==2.4.6 statsmodels==0.15.0
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tests/peers/wls.py
    cargo bench --bench ratings -- least_squares_1000

Prints CPU seconds of one fit with standard errors (median of five), for comparison with the bench's median on the
same machine. The model is Eq. 11 of the AlphaGateau paper: one row a pair of players, one virtual draw, and a row that
fixes the mean rating at 1000.
"""

import statistics
import time

import numpy as np
import statsmodels
import statsmodels.api as sm

SCALE = 400 / np.log(10)


def table(n_players):
    """The rows (a, b, wins, draws, losses): each player meets five of the earlier ones."""
    for newcomer in range(1, n_players):
        for k in range(min(newcomer, 5)):
            opponent = (newcomer * 7919 + k * 104_729) % newcomer
            wins = 10 + (newcomer * 31 + k * 17) % 40
            yield newcomer, opponent, wins, 10, 50 - wins


def problem(n_players):
    meetings = {}
    for a, b, wins, draws, losses in table(n_players):
        own = meetings.setdefault((a, b), np.zeros(3))
        own += (wins, draws, losses)
    x = np.zeros((len(meetings) + 1, n_players))
    y, weights = np.empty(len(meetings) + 1), np.empty(len(meetings) + 1)
    for row, ((a, b), (wins, draws, losses)) in enumerate(meetings.items()):
        games = wins + draws + losses
        share = (wins + (draws + 1) / 2) / (games + 1)
        x[row, a], x[row, b] = 1, -1
        y[row] = -SCALE * np.log(1 / share - 1)
        weights[row] = games * share * (1 - share) / SCALE**2
    x[-1], y[-1], weights[-1] = 1, 1000 * n_players, 1e7
    return y, x, weights


def main():
    y, x, weights = problem(1000)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        fit = sm.WLS(y, x, weights=weights).fit()
        errors = fit.bse
        seconds.append(time.process_time() - start)
    print(f"statsmodels {statsmodels.__version__}, {len(y) - 1} pairs of 1000 players")
    print(f"median {statistics.median(seconds):.3f} s of CPU; rating of the last {fit.params[-1]:.4f} +- {errors[-1]:.4f}")


if __name__ == "__main__":
    main()
