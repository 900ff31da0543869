"""Agents in Python for Gauntlet: one file without dependencies, Python 3.9 or newer.

    from gauntlet_agent import Agent

    class MyAgent(Agent):
        name = "my agent"

        def choose(self, position):
            return position.rng.choice(position.legal)

    MyAgent().run()

A manifest names the agent as `mine.engine = { command = ["python3", "my_agent.py"] }`. Gauntlet starts the program and
asks for moves over standard input and output. `docs/engine-protocol.md` specifies the messages; this file is all of
them that an agent needs. `print` and `input` are safe in an agent: `print` writes to standard error, `input` finds an
empty file.
"""

from __future__ import annotations

import json
import os
import random
import sys
import traceback
from typing import Any, BinaryIO, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

__all__ = ["Agent", "Choice", "Position", "PROTOCOL", "RESIGN"]

PROTOCOL = 1
"""The version of the protocol."""

RESIGN = ""
"""The choice of an agent that gives the game up."""


class Position:
    """A position to decide. Parts that the agent does not want are None.

    | attribute | meaning |
    |---|---|
    | `game` | the number of the game |
    | `ply` | number of moves since the start, including an opening |
    | `side` | the side to move: `"first"` or `"second"` |
    | `legal` | the legal moves |
    | `moves` | all moves since the start |
    | `start` | the starting position, if the game does not start as usual |
    | `position` | the position as text, if the game has a notation for it |
    | `planes` | the image `[channel][row][column]` as one flat list |
    | `slots` | for each move of `legal`, the index of its logit |
    | `clock` | the clock: keys `first-ms`, `second-ms`, `increment-ms` |
    | `budget` | the budget of this move: `time-ms`, `simulations`, `nodes` or `depth` |
    | `seed` | a seed for random choices of this side in this game, as text |
    | `memory` | a dictionary of the agent's own, kept for this side until the game is over |
    """

    __slots__ = (
        "game", "ply", "side", "legal", "moves", "start", "position", "planes", "slots", "clock", "budget", "seed",
        "memory", "_rng",
    )  # fmt: skip

    game: int
    ply: int
    side: str
    legal: list[str]
    moves: list[str]
    start: Optional[str]
    position: Optional[str]
    planes: list[float]
    slots: list[int]
    clock: Optional[dict[str, int]]
    budget: dict[str, int]
    seed: str
    memory: dict[Any, Any]

    def __init__(self, question: Mapping[str, Any], budget: Optional[dict[str, int]], memory: dict[Any, Any]) -> None:
        part = question.get
        self.game = question["game"]
        self.ply = part("ply", 0)
        self.side = part("side", "first")
        self.seed = part("seed", "")
        self.legal = part("legal")  # type: ignore[assignment]
        self.moves = part("moves")  # type: ignore[assignment]
        self.start = part("start")
        self.position = part("position")
        self.planes = part("planes")  # type: ignore[assignment]
        self.slots = part("slots")  # type: ignore[assignment]
        self.clock = part("clock")
        self.budget = budget or {}
        self.memory = memory
        self._rng: Optional[random.Random] = None

    @property
    def rng(self) -> random.Random:
        """A generator for random choices at this position.

        Its seed is that of the side in this game, with the ply. So the same question gets the same answer, in any batch
        and whatever was asked before.
        """
        if self._rng is None:
            self._rng = random.Random(f"{self.seed} {self.ply}")
        return self._rng

    @property
    def time_left(self) -> Optional[float]:
        """Seconds on the clock of the side to move; None without a clock."""
        return None if self.clock is None else self.clock[f"{self.side}-ms"] / 1000


class Choice(NamedTuple):
    """A move with the agent's reasons, which are optional."""

    move: str
    """A legal move."""
    value: Optional[float] = None
    """The expected outcome for the side to move, -1 for a loss to 1 for a win."""
    policy: Union[None, Sequence[float], Mapping[str, float]] = None
    """A weight of at least 0 for each move of `legal`, in that order; or a mapping from moves to weights."""


Chosen = Union[str, Choice]


class Agent:
    """A player. Give it a name and `choose`, or `choose_all` for many positions at once, and call `run`.

    When `start` is called, `game` (the game's facts), `seed` and `options` (those of the manifest) are set. `shape` and
    `logits` are set before the first position if the agent asks for `planes` or `tensors`.
    """

    name: str = ""
    """The name, 1 to 200 bytes; the name of the class by default."""
    version: str = ""
    """The version. Change it with the behaviour."""
    games: Optional[Sequence[str]] = None
    """The kinds of games that it plays: `["othello"]`; any by default."""
    wants: Sequence[str] = ("moves", "position", "legal")
    """The parts of a position that it reads. Fewer parts are faster."""
    planes: Optional[Mapping[str, Any]] = None
    """The images that it reads, as `planes` of a guided player: `{}`, `{"stones": "split"}`."""
    tensors: Optional[Mapping[str, Any]] = None
    """The images that it reads instead, as `tensors` of a guided player."""
    batch: int = 256
    """The most positions of one `choose_all`, 1 to 4096."""

    game: Mapping[str, Any] = {}
    """The game: `name`, `kind`, `spec`, `rows`, `columns`, `sites`, `actions`, `sides`."""
    seed: str = ""
    """The seed of this player in this job, as text."""
    options: Mapping[str, Any] = {}
    """The options of the manifest."""
    shape: tuple[int, int, int] = (0, 0, 0)
    """Channels, rows and columns of the images."""
    logits: int = 0
    """Number of logits: the indices in `slots` are below it."""

    _write: Callable[[bytes], object]
    _memories: dict[tuple[int, str], dict[Any, Any]]

    def start(self) -> None:
        """Prepares the agent: loads files, reads `options`, may change `name`, `games`, `planes` and the like."""

    def choose(self, position: Position) -> Chosen:
        """A legal move, a `Choice`, or `RESIGN`."""
        raise NotImplementedError(f"{type(self).__name__} has neither `choose` nor `choose_all`")

    def choose_all(self, positions: Sequence[Position]) -> Iterable[Chosen]:
        """The choices for positions of different games, in their order."""
        choose = self.choose
        return [choose(position) for position in positions]

    def over(self, game: int) -> None:
        """A game is over. `memory` is dropped without this."""

    def log(self, text: str) -> None:
        """Sends a note to the log of Gauntlet."""
        self._send({"log": text})

    def run(self) -> None:
        """Plays until Gauntlet says that it is enough, then exits."""
        if os.isatty(0):
            print(
                "This program is an engine: it waits for JSON messages of Gauntlet on standard input.", file=sys.stderr
            )
        asked, answered = _streams()
        sys.exit(self.serve(asked, answered))

    def serve(self, asked: Iterable[bytes], answered: BinaryIO) -> int:
        """Answers the messages of one stream on another; returns the exit code."""
        self._write, self._memories = answered.write, {}
        try:
            for line in asked:
                if line.strip() and not self._hear(json.loads(line)):
                    break
        except KeyboardInterrupt:
            return 130
        except BrokenPipeError:
            return 1
        except Exception as error:
            traceback.print_exc()
            try:
                self._send({"error": f"{type(error).__name__}: {error}"[:4000]})
            except OSError:
                pass
            return 1
        return 0

    def _hear(self, message: Mapping[str, Any]) -> bool:
        """Handles a message; false if it is the last one. Unknown messages are ignored."""
        if "think" in message:
            self._think(message)
        elif "over" in message:
            for game in message["over"]:
                self._memories.pop((game, "first"), None)
                self._memories.pop((game, "second"), None)
                self.over(game)
        elif "hello" in message:
            self._greet(message["hello"])
        elif "planes" in message:
            self.shape, self.logits = tuple(message["planes"]["shape"]), message["planes"]["logits"]
        elif "error" in message:
            print(f"Gauntlet stops: {message['error']}", file=sys.stderr)
        return "quit" not in message

    def _greet(self, hello: Mapping[str, Any]) -> None:
        if hello["protocol"] != PROTOCOL:
            raise ValueError(f"this agent speaks version {PROTOCOL} of the protocol, the program {hello['protocol']}")
        self.game, self.seed, self.options = hello["game"], hello["seed"], hello.get("options", {})
        self.start()
        answer = {
            "protocol": PROTOCOL,
            "name": self.name or type(self).__name__,
            "version": self.version,
            "wants": list(self.wants),
            "batch": self.batch,
        }
        for key in ("games", "planes", "tensors"):
            if (setting := getattr(self, key)) is not None:
                answer[key] = setting
        self._send({"hello": answer})

    def _think(self, message: Mapping[str, Any]) -> None:
        budget, memories = message.get("budget"), self._memories
        positions = []
        for question in message["think"]:
            key = (question["game"], question.get("side", "first"))
            memory = memories.get(key)
            if memory is None:
                memory = memories[key] = {}
            positions.append(Position(question, budget, memory))
        chosen = list(self.choose_all(positions))
        if len(chosen) != len(positions):
            raise ValueError(f"choose_all returned {len(chosen)} choices for {len(positions)} positions")
        self._send({"moves": list(map(_answer, positions, chosen)), "id": message["id"]})

    def _send(self, message: Mapping[str, Any]) -> None:
        # Without NaN, which is no JSON.
        self._write(json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n")


def _answer(position: Position, chosen: Chosen) -> dict[str, Any]:
    """An answer of the protocol."""
    move, value, policy = (chosen, None, None) if isinstance(chosen, str) else _parts(chosen)
    if move == RESIGN:
        return {"game": position.game, "resign": True}
    if position.legal is not None and move not in position.legal:
        raise ValueError(f"{move!r} is no legal move of game {position.game}, ply {position.ply}: {position.legal}")
    answer: dict[str, Any] = {"game": position.game, "move": move}
    if value is not None:
        answer["value"] = float(value)
    if policy is not None:
        weights = [policy.get(move, 0.0) for move in position.legal] if isinstance(policy, Mapping) else policy
        answer["policy"] = [float(weight) for weight in weights]
    return answer


def _parts(chosen: Any) -> Choice:
    if isinstance(chosen, Choice) and isinstance(chosen.move, str):
        return chosen
    raise TypeError(f"a choice is a move (a text) or a Choice, not {chosen!r}")


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol.

    Nothing else can read or write them afterwards, neither the agent's code nor libraries in C nor its children:
    standard input becomes empty, standard output goes to standard error.
    """
    sys.stdout.flush()
    asked, answered = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), sys.stderr
    return asked, _Whole(answered)  # type: ignore[return-value]


class _Whole:
    """A stream without a buffer that writes all of its bytes: a pipe takes a part of a long message."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def write(self, message: bytes) -> None:
        rest = memoryview(message)
        while rest:
            rest = rest[self.stream.write(rest) :]
