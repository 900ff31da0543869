"""Networks in Python: the side of the program in docs/network-protocol.md, version 1.

This file needs only the standard library and NumPy. It can be copied beside a network of your own.
"""

import json
import math
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, Optional

import numpy

PROTOCOL = 1
"""The version of the protocol."""

_TYPES = {"f32": numpy.dtype("<f4"), "u8": numpy.dtype("u1")}


class Batch(NamedTuple):
    """Examples of self-play, with the rules of a step."""

    input: numpy.ndarray
    """The images, `[examples, channels, rows, columns]`, 32-bit floats."""
    policy: numpy.ndarray
    """The target of the policy: a probability for each logit, `[examples, logits]`."""
    legal: numpy.ndarray
    """Whether a logit belongs to a legal move, `[examples, logits]`, booleans."""
    values: numpy.ndarray
    """The outcomes for the side to move, -1 to 1, `[examples]`."""
    known: numpy.ndarray
    """Whether the outcome is known, `[examples]`, booleans; others have policy targets alone."""
    rate: float
    """The learning rate."""
    fresh: bool
    """Whether the optimiser is reset before this step."""
    value_weight: float
    """The weight of the squared error of the values in the loss."""
    l2: float
    """The weight of the squares of all weights in the loss."""
    legal_only: bool
    """Whether the softmax of the policy is over legal moves alone."""


class Network:
    """A network that plays and learns. Write its five methods and call `run`.

    When `start` is called, `game` (its name), `shape` (channels, rows, columns), `logits` and `settings` (those of the
    manifest) are set.
    """

    name: str = ""
    """The name, up to 200 bytes; the name of the class by default."""
    versions: Mapping[str, str] = {}
    """Versions of the network and of its libraries: `{"torch": torch.__version__}`."""
    device: str = ""
    """The device that computes it: `"cpu"`."""
    rows: Sequence[int] = ()
    """The numbers of rows that it evaluates at once, ascending: others are filled up with zeros. Any by default."""
    operations: int = 0
    """Floating-point operations of the evaluation of a position, for budgets of `compute`."""

    instance: int = int(os.environ.get("GAUNTLET_INSTANCE", 0))
    """The number of this process among its `instances`, from 0: that of its card, for example."""

    game: str = ""
    shape: tuple[int, int, int] = (0, 0, 0)
    logits: int = 0
    settings: Mapping[str, Any] = {}

    def start(self) -> None:
        """Prepares the network for `shape`, `logits` and `settings`."""

    def seed(self, seed: int) -> None:
        """Draws new weights by a seed, 0 to 2^53 - 1, and resets the optimiser."""
        raise NotImplementedError(f"{type(self).__name__} has no `seed`")

    def evaluate(self, input: numpy.ndarray) -> tuple[Any, Any]:
        """The logits `[rows, logits]` and the values `[rows]`, -1 to 1, of images."""
        raise NotImplementedError(f"{type(self).__name__} has no `evaluate`")

    def learn(self, batch: Batch) -> Mapping[str, float]:
        """A step of optimisation. Returns the parts of the loss before it, `policy` and `value`, perhaps `entropy`, and
        any other numbers for the curves."""
        raise NotImplementedError(f"{type(self).__name__} does not learn")

    def save(self) -> bytes:
        """All that the next steps depend on: weights, optimiser, random generators."""
        raise NotImplementedError(f"{type(self).__name__} has no `save`")

    def load(self, state: bytes) -> None:
        """Restores the bytes of `save`."""
        raise NotImplementedError(f"{type(self).__name__} has no `load`")

    def log(self, text: str) -> None:
        """Sends a note to the log of Gauntlet."""
        self._send({"log": text})

    def run(self) -> None:
        """Serves Gauntlet until it is enough, then exits."""
        if os.isatty(0):
            print("This program is a network: it waits for messages of Gauntlet on standard input.", file=sys.stderr)
        asked, answered = _streams()
        sys.exit(self.serve(asked, answered))

    def serve(self, asked: BinaryIO, answered: BinaryIO) -> int:
        """Answers the messages of one stream on another; returns the exit code."""
        self._answered, self._version = answered, 0
        try:
            while line := asked.readline():
                message = json.loads(line)
                blocks = {block["name"]: _read(asked, block) for block in message.get("blocks", ())}
                if "quit" in message:
                    break
                self._hear(message, blocks)
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

    def _hear(self, message: Mapping[str, Any], blocks: Mapping[str, numpy.ndarray]) -> None:
        """Handles a message. Unknown messages are ignored."""
        if "evaluate" in message:
            logits, values = self.evaluate(blocks["input"])
            rows = len(blocks["input"])
            shaped = {"logits": _numbers(logits, (rows, self.logits)), "values": _numbers(values, (rows,))}
            self._send({"answers": {"version": self._version}}, shaped)
        elif "learn" in message:
            self._learn(message["learn"], blocks)
        elif "save" in message:
            self._send({"saved": {}}, {"state": numpy.frombuffer(self.save(), dtype="u1")})
        elif "load" in message:
            self.load(blocks["state"].tobytes())
            self._version = message["load"]["version"]
            self._send({"ready": {}})
        elif "seed" in message:
            self.seed(message["seed"]["seed"])
            self._version = 0
            self._send({"ready": {}})
        elif "hello" in message:
            self._greet(message["hello"])

    def _greet(self, hello: Mapping[str, Any]) -> None:
        if hello["protocol"] != PROTOCOL:
            raise ValueError(f"this network speaks version {PROTOCOL} of the protocol, the program {hello['protocol']}")
        self.game, self.shape, self.logits = hello["game"], tuple(hello["shape"]), hello["logits"]
        self.settings = hello["settings"]
        self.start()
        answer = {
            "protocol": PROTOCOL,
            "name": self.name or type(self).__name__,
            "versions": dict(self.versions),
            "device": self.device,
            "rows": [_whole("rows", rows) for rows in self.rows],
            "operations": _whole("operations", self.operations),
        }
        self._send({"hello": answer})

    def _learn(self, rules: Mapping[str, Any], blocks: Mapping[str, numpy.ndarray]) -> None:
        rules = {key.replace("-", "_"): rule for key, rule in rules.items() if key != "version"}
        examples = {**blocks, "legal": blocks["legal"].astype(bool), "known": blocks["known"].astype(bool)}
        numbers = {name: float(number) for name, number in self.learn(Batch(**examples, **rules)).items()}
        for name, number in numbers.items():
            if not math.isfinite(number):
                raise ValueError(f"`learn` returned {number} as `{name}`, which is not finite: the training may have diverged")
        self._version += 1
        parts = ("policy", "value", "entropy")
        losses = {name: numbers.pop(name) for name in parts if name in numbers}
        self._send({"learned": {"version": self._version, "losses": losses, "metrics": numbers}})

    def _send(self, message: Mapping[str, Any], blocks: Optional[Mapping[str, numpy.ndarray]] = None) -> None:
        # Without NaN, which is not JSON.
        blocks = blocks or {}
        announced = [
            {"name": name, "type": "u8" if block.dtype == _TYPES["u8"] else "f32", "shape": list(block.shape)}
            for name, block in blocks.items()
        ]
        whole = {**message, "blocks": announced} if announced else message
        line = json.dumps(whole, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        self._answered.write(b"".join([line, *(block.tobytes() for block in blocks.values())]))
        self._answered.flush()

    _answered: BinaryIO
    _version: int


def _read(stream: BinaryIO, block: Mapping[str, Any]) -> numpy.ndarray:
    """A block of a message. The array can be changed."""
    kind, shape = _TYPES[block["type"]], block["shape"]
    size = kind.itemsize
    for side in shape:
        size *= side
    numbers = stream.read(size)
    if len(numbers) != size:
        raise EOFError(f"the message ended within the block {block['name']}")
    return numpy.frombuffer(bytearray(numbers), dtype=kind).reshape(shape)


def _whole(name: str, number: Any) -> int:
    """A count as a number that JSON can write, also one of NumPy."""
    whole = None
    try:
        whole = int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    if whole is None or whole != number or whole < 0:
        raise ValueError(f"`{name}` is {number!r}: it has to be a whole number, 0 or more")
    return whole


def _numbers(numbers: Any, shape: tuple[int, ...]) -> numpy.ndarray:
    """32-bit floats of this shape, from an array, or from a tensor of PyTorch or JAX."""
    if hasattr(numbers, "detach"):
        numbers = numbers.detach().cpu().numpy()
    array = numpy.ascontiguousarray(numbers, dtype="<f4")
    if array.size != numpy.prod(shape, dtype=int) or array.shape[:1] != shape[:1]:
        raise ValueError(f"`evaluate` returned the shape {array.shape}: {shape} is needed")
    return array.reshape(shape)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol. Nothing else can read or write them: prints go to standard error."""
    sys.stdout.flush()
    asked, answered = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdin, sys.stdout = open(0, closefd=False), sys.stderr
    return asked, answered
