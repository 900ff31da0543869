"""Games in batches, for those who write their own search or training: `gauntlet.env`.

The games are those of manifests, described games too. They are computed by the native module `gauntlet._native`, which
the wheels of releases hold; `python/native/build.sh` builds it for a checkout. It needs NumPy.
"""

from __future__ import annotations

import json
import operator
import os
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from . import _native
    from .aec import BoardGame

__all__ = ["Env", "env", "pettingzoo_env"]

TERMINAL = -4
"""The `current_player` of a game that is over, as in OpenSpiel."""


def env(
    game: str,
    /,
    *,
    n: Optional[int] = None,
    seed: int = 0,
    auto_reset: bool = False,
    planes: Optional[Mapping[str, Any]] = None,
    tensors: Optional[Mapping[str, Any]] = None,
    **settings: Any,
) -> Env:
    """Games at their start: `gauntlet.env("othello", size=6, n=256)`.

    `game` and `settings` are a game of a manifest, with underscores or hyphens: `env("connect-four")`,
    `env("go", size=9, move_cap=200)`, `env("ludeme", name="yavalath")`. A file of ludemes is a game too:
    `env("my.lud", options=["Board/7x7"])`.

    With `n`, all answers are arrays of n games; without it they are those of one game. A finished game ignores its
    action until it is reset; with `auto_reset` it begins again at once. `seed` decides all random actions.

    `planes` or `tensors` choose the numbers of `Env.planes`, as in the settings of a network: `planes={"stones":
    "split", "last": True}`, `tensors={}`. By default there is a plane for each kind of piece, first the own kinds of
    the side to move, then the opponent's; on boards that are not a full grid there are tensors.
    """
    native = _native_module()
    name, encoded = game.replace("_", "-"), _encoded(planes, tensors)
    if game.endswith(".lud"):
        name, settings = "ludeme", {"file": game, **settings}
    written = {key.replace("_", "-"): value for key, value in settings.items()}
    spec = json.dumps({name: written}, default=_plain)
    batch = native.Batch(spec, encoded, 1 if n is None else operator.index(n), operator.index(seed), bool(auto_reset))
    return Env(batch, single=n is None)


def pettingzoo_env(game: str, /, **options: Any) -> BoardGame:
    """One game as an `AECEnv` of PettingZoo, for its wrappers and trainers; the options are those of `env`."""
    _native_module()
    try:
        from .aec import BoardGame
    except ImportError as error:
        raise ImportError("this needs PettingZoo: `pip install pettingzoo`", name="pettingzoo") from error
    return BoardGame(game, **options)


class Env:
    """Games of one kind, made by `gauntlet.env`; a context manager, closed at its end.

    Player 0 moves first. Shapes below are those of n games; one game (`n=None`) has answers without the first axis.
    Faults are exceptions: `ValueError` for an illegal action, which names the legal ones, and `RuntimeError` for an
    environment that is closed, in use by another thread, or of the process before a fork.
    """

    players = 2

    def __init__(self, batch: _native.Batch, single: bool) -> None:
        self._batch, self._single = batch, single
        self.game: str = batch.name
        """The name of the game with its size."""
        self.n: Optional[int] = None if single else batch.games
        """Number of games; None if it is one game without an axis."""
        self.actions: int = batch.actions
        """Number of actions: those of every position lie below it."""
        self.planes_shape: tuple[int, int, int] = batch.shape
        """Channels, rows and columns of a position in `planes`."""
        self.logits: int = batch.logits
        """Number of logits of a position, to which `slots` leads."""

    def reset(
        self, indices: Optional[ArrayLike] = None, *, state: Optional[str] = None, seed: Optional[int] = None
    ) -> None:
        """Begins all games again, or those of `indices`: numbers, or truth values for all games.

        `state` is a position to begin at, as `state()` writes it. A `seed` renews the random streams of these games.
        """
        self._batch.reset(self._indices(indices), state, None if seed is None else operator.index(seed))

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], Any]:
        """Plays an action in each game: the rewards of both players [n, 2], and whether each game is over [n].

        A reward is 1 for a win and -1 for a loss, in the step that ends the game, and 0 otherwise. If an action is
        illegal, none is played.
        """
        rewards, over = self._batch.step(self._whole(actions, "actions"))
        return (rewards[0], bool(over[0])) if self._single else (rewards, over)

    def legal(self) -> NDArray[np.bool_]:
        """Which actions are legal [n, actions]: none if a game is over. PettingZoo calls it the action mask."""
        return self._answer(self._batch.legal())

    def legal_actions(self, index: int = 0) -> list[int]:
        """The legal actions of one game, ascending."""
        return self._batch.legal_actions(operator.index(index))

    @property
    def current_player(self) -> Any:
        """The player to move [n]: 0 or 1, and -4 if a game is over."""
        return self._answer(self._batch.players())

    def planes(self) -> NDArray[np.float32]:
        """The positions as numbers for a network [n, channels, rows, columns], seen by the side to move."""
        return self._answer(self._batch.planes())

    def slots(self) -> NDArray[np.int32]:
        """The logit of each legal action [n, actions], and -1 for the others.

        It is the action itself, except where a network sees the board turned (chess, Breakthrough) or where actions
        share logits (tensors).
        """
        return self._answer(self._batch.slots())

    def sample(self) -> Any:
        """A random legal action of each game [n], each with equal probability; -1 if a game is over."""
        return self._answer(self._batch.sample())

    def playouts(self) -> NDArray[np.float32]:
        """The rewards of both players [n, 2] after random actions to the end, on a copy of each game."""
        return self._answer(self._batch.playouts())

    def clone(self, indices: Optional[ArrayLike] = None) -> Env:
        """An independent copy of all games, or of those of `indices`, in their order and as often as named.

        A copy of all games has their random streams: both draw the same actions, until `reset(seed=...)`. With
        `indices`, each copy has a new stream, so that play-outs of copies of one game differ.
        """
        if indices is None:
            return Env(self._batch.clone(), self._single)
        return Env(self._batch.clone(self._indices(indices)), single=False)

    def state(self, index: int = 0) -> Optional[str]:
        """The notation of a position, without its history; None if the game has none."""
        return self._batch.state(operator.index(index))

    def text(self, index: int = 0) -> str:
        """A board as text."""
        return self._batch.text(operator.index(index))

    def action_name(self, action: int) -> str:
        """The notation of an action: `D3`, `pass`, `e2e4`."""
        return self._batch.action_name(operator.index(action))

    def action(self, name: str, index: int = 0) -> int:
        """The legal action of one game with this notation."""
        return self._batch.action(operator.index(index), name)

    def close(self) -> None:
        """Frees the games. Each further call, except this one, is a `RuntimeError`."""
        self._batch.close()

    def __enter__(self) -> Env:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> Env:
        return self.clone()

    def __deepcopy__(self, _: object) -> Env:
        return self.clone()

    def __repr__(self) -> str:
        return f"<{self.game}: {'one game' if self._single else f'{self.n} games'}>"

    def _answer(self, array: Any) -> Any:
        """The array, or its only row; a number if that is one."""
        if not self._single:
            return array
        return array[0] if array.ndim > 1 else array.item()

    def _indices(self, indices: Optional[ArrayLike]) -> NDArray[np.int64]:
        import numpy as np

        if indices is None:
            return np.arange(self._batch.games)
        array = np.asarray(indices)
        if array.dtype != bool:
            return _integers(array if array.ndim else array[None], "indices")
        if array.shape != (self._batch.games,):
            raise ValueError(f"indices of truth values are one for each of {self._batch.games} games")
        return np.flatnonzero(array)

    def _whole(self, values: ArrayLike, what: str) -> NDArray[np.int64]:
        """One integer for each game."""
        import numpy as np

        array = np.asarray(values)
        wanted = () if self._single else (self._batch.games,)
        if array.shape != wanted:
            words = "one action" if self._single else f"an action for each of {self._batch.games} games"
            raise ValueError(f"step takes {words}, not an array of shape {array.shape}")
        return _integers(array[None] if self._single else array, what)


def _integers(array: Any, what: str) -> NDArray[np.int64]:
    import numpy as np

    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} are integers, not {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{what} have one axis, not {array.ndim}")
    return np.ascontiguousarray(array, np.int64)


def _encoded(planes: Optional[Mapping[str, Any]], tensors: Optional[Mapping[str, Any]]) -> Optional[str]:
    given = {"planes": planes, "tensors": tensors}
    chosen = {key: dict(value) for key, value in given.items() if value is not None}
    if len(chosen) > 1:
        raise ValueError("choose `planes` or `tensors`, not both")
    return json.dumps(chosen, default=_plain) if chosen else None


def _plain(value: Any) -> Union[str, int]:
    """Paths and integers of other libraries, for JSON."""
    return os.fspath(value) if isinstance(value, os.PathLike) else operator.index(value)


def _native_module() -> Any:
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ImportError("gauntlet.env needs NumPy: `pip install numpy`", name="numpy") from error
    try:
        from . import _native
    except ImportError as error:
        fix = "install a wheel of a release, or run `python/native/build.sh` in a checkout"
        raise ImportError(f"gauntlet.env needs the module gauntlet._native: {fix}", name="gauntlet._native") from error
    return _native
