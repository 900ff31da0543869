"""Gauntlet: reproducible experiments with board-game agents.

    import gauntlet

    report = gauntlet.run("my.toml", profile="smoke")    # runs what is not done yet; notebooks show tables and pictures
    runs = gauntlet.results("my.toml", profile="smoke")  # a DataFrame with one row for each job
    gauntlet.metrics("my.toml", profile="smoke")         # the learning curves of its trainings
    gauntlet.games("my.toml", only="stage=league")       # a row for each game of its matches and tournaments
    gauntlet.ratings("games.pgn")                        # Elo of the players of any tournament

    gauntlet.write_onnx(network, "mine.onnx", (2, 9, 9)) # a PyTorch network as a file that players read

A network that learns is a class as well, which needs NumPy: `gauntlet.Network`. A whole training by a program of your own is
a `gauntlet.Training`.

An agent in Python is a class:

    class MyAgent(gauntlet.Agent):
        name = "my agent"

        def choose(self, position):
            return position.rng.choice(position.legal)

    MyAgent().run()

Games for a search or a training of your own are an environment, which needs NumPy:

    games = gauntlet.env("othello", size=6, n=256)       # 256 games at once
    rewards, over = games.step(games.sample())           # also: legal, planes, clone, reset

All else calls the program `gauntlet` and computes nothing. Its errors are `GauntletError`, with the program's words.
DataFrames need pandas or polars (`frame="polars"`); `frame="records"` gives a list of dictionaries and needs neither.
"""

from .agent import Agent, Choice, Position
from .commands import games, metrics, ratings, regress, report, results, run
from .environment import Env, env, pettingzoo_env
from .frames import Frame
from .onnx import write_onnx
from .program import GauntletError, call, program
from .report import Artefact, Gate, Report
from .trainer import Training

__all__ = [
    "Agent",
    "Artefact",
    "Choice",
    "Env",
    "Frame",
    "Gate",
    "GauntletError",
    "Network",
    "Position",
    "Report",
    "Training",
    "call",
    "env",
    "games",
    "metrics",
    "pettingzoo_env",
    "program",
    "ratings",
    "regress",
    "report",
    "results",
    "run",
    "write_onnx",
]


def __getattr__(name: str) -> object:
    # The module needs NumPy, and the others do not.
    if name == "Network":
        from .network import Network

        return Network
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
