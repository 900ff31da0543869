"""The commands: each is one call of the program."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from .frames import Frame, frame_of, table_of
from .program import call
from .report import Gate, Report, flat

__all__ = ["games", "metrics", "ratings", "regress", "report", "results", "run"]

Place = Union[str, "os.PathLike[str]"]
Places = Union[Place, Sequence[Place]]
RULINGS = (0, 3, 4, 6)
"""The exit codes of `regress` that are rulings."""


def run(
    manifest: Places,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Sequence[str]] = (),
    jobs: Optional[int] = None,
    device: Optional[str] = None,
    results_dir: Optional[Place] = None,
    reports_dir: Optional[Place] = None,
    data_dir: Optional[Place] = None,
    require_success: bool = False,
    allow_engines: bool = False,
    yes: bool = False,
    quiet: bool = False,
) -> Report:
    """Runs what is not done yet of a manifest (a file, or an artefact such as `"quickstart"`), and renders its report.

    `set` overrides values of the manifest: `{"stages.fitness.seeds": 20}`. `allow_engines` lets a manifest start the
    programs that it names. Messages go to `sys.stderr` unless `quiet`. Running again continues an interrupted run.
    """
    places = _places(results_dir, reports_dir, data_dir)
    flags = [*_flags(profile, set, seeds, only), *_option("--jobs", jobs), *_option("--device", device), *places]
    switches = {"--require-success": require_success, "--allow-engines": allow_engines, "--yes": yes, "--quiet": quiet}
    flags += [name for name, is_on in switches.items() if is_on]
    _, output = call("run", "--json", "--no-progress", *flags, *_names(manifest), show=not quiet)
    return Report(_parsed(output), _reports(reports_dir))


def report(
    manifest: Places,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Sequence[str]] = (),
    results_dir: Optional[Place] = None,
    reports_dir: Optional[Place] = None,
    data_dir: Optional[Place] = None,
) -> Report:
    """Renders the report of finished results again; runs nothing."""
    flags = [*_flags(profile, set, seeds, only), *_places(results_dir, reports_dir, data_dir)]
    _, output = call("report", "--json", *flags, *_names(manifest))
    return Report(_parsed(output), _reports(reports_dir))


def results(
    manifest: Place,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Sequence[str]] = (),
    results_dir: Optional[Place] = None,
    reports_dir: Optional[Place] = None,
    data_dir: Optional[Place] = None,
    frame: Frame = "pandas",
) -> Any:
    """The jobs of a manifest: `runs.csv` of its report, one row for each job, with its axes, seed and numbers.

    A paper's artefacts share the file; its column `manifest` tells them apart.
    """
    flags = [*_flags(profile, set, seeds, only), *_places(results_dir, reports_dir, data_dir)]
    call("report", "--quiet", "--json", *flags, *_names(manifest))
    _, output = call("status", "--json", *flags, *_names(manifest))
    (state,) = _parsed(output)
    return frame_of(Path(state["report"], "runs.csv").read_text(encoding="utf-8"), frame)


def metrics(
    manifest: Place,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Sequence[str]] = (),
    results_dir: Optional[Place] = None,
    data_dir: Optional[Place] = None,
    frame: Frame = "pandas",
) -> Any:
    """What the trainings of a manifest measured on the way: one row for each training and step."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "metrics.csv"
        flags = [*_flags(profile, set, seeds, only), *_places(results_dir, None, data_dir)]
        call("export", "--quiet", *flags, *_names([manifest, file]))
        return frame_of(file.read_text(encoding="utf-8"), frame)


def games(
    manifest: Place,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Sequence[str]] = (),
    moves: bool = False,
    results_dir: Optional[Place] = None,
    data_dir: Optional[Place] = None,
    frame: Frame = "pandas",
) -> Any:
    """The games of the matches and tournaments of a manifest: one row for each game, on request with its moves.

    `only="stage=league"` chooses a stage. The columns are those of `games.csv`: `gauntlet explain games.csv`.
    """
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "games.csv"
        flags = [*_flags(profile, set, seeds, only), *_places(results_dir, None, data_dir), *["--moves"] * moves]
        call("export", "--quiet", *flags, *_names([manifest, file]))
        return frame_of(file.read_text(encoding="utf-8"), frame, ("first", "second"))


def ratings(
    *files: Place,
    method: Optional[str] = None,
    anchors: Optional[Mapping[str, float]] = None,
    mean: Optional[float] = None,
    advantage: Union[None, float, str] = None,
    prior: Optional[float] = None,
    level: Optional[float] = None,
    skip_bad: bool = False,
    unplayed: Optional[str] = None,
    frame: Frame = "pandas",
) -> Any:
    """The ratings of the players of a tournament: PGN, CSV, `games.jsonl` and other known files.

    One row for each player, the strongest first: `likelihood.elo` with `likelihood.error`, `least_squares.elo`, games,
    score. A DataFrame of pandas has everything else of `gauntlet rate --json` in `attrs`.
    """
    given = {"--method": method, "--mean": mean, "--advantage": advantage, "--prior": prior, "--level": level}
    given["--unplayed"] = unplayed
    flags = [part for name, value in given.items() for part in _option(name, value)]
    for name, elo in (anchors or {}).items():
        flags += _option("--anchor", f"{name}={elo}")
    _, output = call("rate", "--json", *flags, *(["--skip-bad"] if skip_bad else []), *_names(files))
    rated = _parsed(output)
    table = table_of([flat(player) for player in rated.pop("players")], frame)
    if frame == "pandas":
        table.attrs.update(rated)
    return table


def regress(
    manifest: Place,
    *,
    profile: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    only: Union[str, Sequence[str]] = (),
    commit: Optional[str] = None,
    attempt: Optional[int] = None,
    jobs: Optional[int] = None,
    results_dir: Optional[Place] = None,
    reports_dir: Optional[Place] = None,
    allow_engines: bool = False,
    quiet: bool = False,
) -> Gate:
    """Compares tonight's players with the baseline of a manifest with a `[suite]`.

    A regression is a ruling, not an exception: see `Gate.ruling` and `Gate.code`.
    """
    flags = [*_flags(profile, set, None, only), *_places(results_dir, reports_dir)]
    flags += [*_option("--commit", commit), *_option("--attempt", attempt), *_option("--jobs", jobs)]
    flags += ["--allow-engines"] if allow_engines else []
    code, output = call("regress", "--json", *flags, *_names(manifest), show=not quiet, accepted=RULINGS)
    return Gate(code, _parsed(output), _reports(reports_dir))


def _parsed(output: str) -> Any:
    return json.loads(output) if output.strip() else []


def _names(places: Places) -> list[str]:
    """Names at the end of a command line; one that begins with a hyphen is no option."""
    names = [places] if isinstance(places, (str, os.PathLike)) else places
    return ["--", *map(os.fspath, names)]


def _reports(reports_dir: Optional[Place]) -> Path:
    """The directory of the reports, by the rule of the program."""
    return Path(reports_dir or os.environ.get("GAUNTLET_REPORTS") or "reports")


def _places(
    results: Optional[Place] = None, reports: Optional[Place] = None, data: Optional[Place] = None
) -> list[str]:
    return [*_option("--results", results), *_option("--reports", reports), *_option("--data", data)]


def _option(name: str, value: Any) -> list[str]:
    return [] if value is None else [f"{name}={value}"]


def _toml(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key), ensure_ascii=False)} = {_toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if value is None:
        raise ValueError("TOML has no null: leave the key out")
    # Numbers that JSON lacks are words of TOML.
    return str(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _flags(
    profile: Optional[str] = None,
    overrides: Optional[Mapping[str, Any]] = None,
    seeds: Union[None, int, Sequence[int]] = None,
    only: Union[str, Iterable[str]] = (),
) -> list[str]:
    flags = _option("--profile", profile)
    for key, value in (overrides or {}).items():
        flags += _option("--set", f"{key}={value if isinstance(value, str) else _toml(value)}")
    if seeds is not None:
        flags += _option("--seeds", seeds if isinstance(seeds, int) else list(seeds))
    for condition in [only] if isinstance(only, str) else only:
        flags += _option("--only", condition)
    return flags
