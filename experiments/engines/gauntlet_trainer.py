"""Trainers in Python for Gauntlet: one file without dependencies, Python 3.9 or newer.

    from gauntlet_trainer import Training

    training = Training()
    while not training.over(games):
        ...
        training.metrics(loss=loss)
    (training.directory / "weights.json").write_text(...)

A manifest names the trainer as `train.external = { game = "board", command = ["python3", "my_trainer.py"] }`. Gauntlet
starts the program and keeps the files that it leaves in `directory`. `docs/trainer.md` specifies the messages. `print` is
safe in a trainer: it writes to standard error.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import sys
import time
from typing import Any, Optional, Union

__all__ = ["PROTOCOL", "Training"]

PROTOCOL = 1
"""The version of the protocol."""

INTERVAL = 0.2
"""Seconds between two messages about the counts."""

TIMES = {"seconds", "processor-seconds"}
"""The units of time."""


class Training:
    """The training that this program was started for.

    | attribute | meaning |
    |---|---|
    | `game` | the game's facts: `name`, `kind`, `spec`, `rows`, `columns`, `sites`, `actions`, `sides` |
    | `seed` | a seed for all randomness, 0 to 2^32 - 1 |
    | `settings` | the settings of the manifest |
    | `budget` | the amount of work: `seconds`, `processor-seconds`, `evaluations` or `games`; empty if there is none |
    | `timed` | whether that amount is a time |
    | `threads` | the cores that the program may use |
    | `directory` | the directory for its files, as a `pathlib.Path`. All of them are the result |
    | `resumed` | the files of the last checkpoint, if the training continues; they are in `directory` |
    | `started_from` | the files of an earlier training, if the stage names one; they are in `directory` as well |
    """

    def __init__(self, name: str = "", **versions: str) -> None:
        self._begin = time.monotonic()
        # Unbuffered: no part of a later answer is read with this line.
        line = b""
        while not line.endswith(b"\n") and (part := os.read(0, 1)):
            line += part
        if not line:
            sys.exit(f"{sys.argv[0]} is a trainer: name it in a manifest, as `train.external`")
        task = json.loads(line)
        if task["protocol"] != PROTOCOL:
            sys.exit(f"Gauntlet speaks version {task['protocol']} of the protocol, and this trainer version {PROTOCOL}")
        self.game: dict[str, Any] = task["game"]
        self.seed: int = task["seed"]
        self.settings: dict[str, Any] = task["settings"]
        self.budget: dict[str, float] = task["budget"]
        self.timed = not TIMES.isdisjoint(self.budget)
        self.threads: int = task["threads"]
        self.directory = pathlib.Path(task["directory"])
        self.resumed: list[str] = task["resumed"]
        self.started_from: list[str] = task["started_from"]
        self._elapsed: float = task["elapsed"]
        self._processor_elapsed: float = task.get("processor_elapsed", 0.0)
        self._next = self._begin
        # Prints of libraries are no messages, and nothing else reads the answers.
        self._input = os.fdopen(os.dup(0), encoding="utf-8")
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        sys.stdin, sys.stdout = open(0, closefd=False), sys.stderr
        self._output = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        if name or versions:
            self._send(hello={"name": name or pathlib.Path(sys.argv[0]).name, "versions": versions})

    @property
    def seconds(self) -> float:
        """Seconds of this training, with those before its last checkpoint."""
        return self._elapsed + time.monotonic() - self._begin

    @property
    def processor_seconds(self) -> float:
        """Processor time of this training, with that of ended child processes and that before its last checkpoint."""
        times = os.times()
        return self._processor_elapsed + times.user + times.system + times.children_user + times.children_system

    def over(self, games: Optional[int] = None, evaluations: Optional[int] = None) -> bool:
        """Whether the budget is spent; tells the counts so far. Always false without a budget.

        Call it as often as you like: it writes a message at most five times a second.
        """
        times = {"seconds": self.seconds, "processor-seconds": self.processor_seconds}
        counts = {**times, "games": games, "evaluations": evaluations}
        for unit, most in self.budget.items():
            count = counts[unit]
            if count is None:
                self.error(f"this trainer does not count {unit}")
            is_over = count >= most
            # A message for each of many short games would take longer than the games.
            if is_over or time.monotonic() >= self._next:
                self._next = time.monotonic() + INTERVAL
                told = {name: value for name, value in counts.items() if value is not None and name not in TIMES}
                self._send(progress=min(count / most, 1.0), **told)
            return is_over
        return False

    def count(self, games: Optional[int] = None, evaluations: Optional[int] = None) -> None:
        """Tells the games and the evaluations so far."""
        counts = {"games": games, "evaluations": evaluations}
        told = {name: value for name, value in counts.items() if value is not None}
        if told:
            self._send(**told)

    def progress(self, share: float) -> None:
        """Tells the finished share of the work, 0 to 1."""
        self._send(progress=share)

    def metrics(self, **numbers: float) -> None:
        """A line of metrics. Numbers that are not finite count as not measured. `step` is the number of the line."""
        if "step" in numbers:
            raise ValueError("a metric cannot be called `step`: lines of metrics have numbers of their own")
        self._send(metrics={name: float(value) if math.isfinite(value) else None for name, value in numbers.items()})

    def checkpoint(self, *files: Union[str, pathlib.Path]) -> None:
        """Names files in the directory from which the training can continue after an interruption.

        They replace those of the last call. The call returns when they are saved: then they can change again.
        """
        self._send(checkpoint=[pathlib.Path(self.directory, file).relative_to(self.directory).as_posix() for file in files])
        if not self._input.readline():
            sys.exit("Gauntlet has gone")

    def log(self, note: str) -> None:
        """A note for Gauntlet's log."""
        self._send(log=note)

    def error(self, reason: str) -> None:
        """Ends the training, which fails with this reason."""
        self._send(error=reason)
        sys.exit(1)

    def _send(self, **message: Any) -> None:
        self._output.write(json.dumps(message, allow_nan=False, separators=(",", ":")) + "\n")
        self._output.flush()
