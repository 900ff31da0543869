"""The program: where it is, how it is called, what its exit codes mean."""

from __future__ import annotations

import collections
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from typing import IO, Iterable, Sequence

__all__ = ["GauntletError", "call", "program"]

MEANINGS = {
    1: "a job failed",
    2: "wrong usage or manifest",
    3: "a regression, or a criterion that is not met",
    4: "nothing was measured",
    6: "inconclusive",
    23: "the results are damaged",
    130: "interrupted; the next call continues",
}
"""The exit codes."""

KEPT = 200
"""Lines of standard error that an exception shows."""


_inputs: set[IO[str]] = set()
"""The inputs of the programs that run."""


def _let_go() -> None:
    """Closes the inputs in a process that was forked off: it must not keep the programs alive."""
    for stream in _inputs:
        stream.close()
    _inputs.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


class GauntletError(Exception):
    """The program ended with an error.

    `code` is its exit code, `stderr` and `stdout` are its output, `command` is the call.
    """

    def __init__(self, command: Sequence[str], code: int, stdout: str, stderr: str) -> None:
        self.command, self.code, self.stdout, self.stderr = list(command), code, stdout, stderr
        meaning = MEANINGS.get(code, f"signal {-code}" if code < 0 else "an error")
        super().__init__(f"`gauntlet {' '.join(command[1:])}` ended with {code}: {meaning}\n{stderr.strip()}")


def program() -> str:
    """The path of the program: beside this interpreter's scripts, then on PATH, then in the variable GAUNTLET."""
    name = "gauntlet" + (sysconfig.get_config_var("EXE") or "")
    schemes = {sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")}
    beside = [os.path.join(place, name) for place in schemes if place]
    for path in (*beside, shutil.which(name), os.environ.get("GAUNTLET")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(
        "the program `gauntlet` is not installed: `pip install` a wheel that has it, put it on PATH, or name it in the "
        "variable GAUNTLET"
    )


def call(*arguments: str, show: bool = False, accepted: Iterable[int] = (0,)) -> tuple[int, str]:
    """Runs the program: its exit code and standard output.

    `call("plan", "my.toml", "--json")` reaches every command. With `show`, messages appear on `sys.stderr` while it
    runs, in notebooks too. An exit code that is not `accepted` raises `GauntletError`. An interrupt waits until the
    program has saved its state. The program also saves it and ends if this process dies.
    """
    command = [program(), *arguments]
    process = subprocess.Popen(
        command,
        # The program ends with its input, which lasts as long as we do.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "NO_COLOR": "1", "GAUNTLET_ENDS_WITH_INPUT": "1"},
        # Ctrl-C reaches the program through us alone: its second signal would not let it save.
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    _inputs.add(process.stdin)
    with process:
        said: collections.deque[str] = collections.deque(maxlen=KEPT)
        listener = threading.Thread(target=_listen, args=(process.stderr, said, show))
        listener.start()
        try:
            stdout = process.stdout.read()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            raise
        finally:
            listener.join()
            _inputs.discard(process.stdin)
    if process.returncode not in accepted:
        raise GauntletError(command, process.returncode, stdout, "".join(said))
    return process.returncode, stdout


def _listen(stream: IO[str], said: collections.deque[str], show: bool) -> None:
    for line in stream:
        said.append(line)
        if show:
            sys.stderr.write(line)
            sys.stderr.flush()
