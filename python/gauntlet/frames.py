"""CSV of the program as frames of pandas or polars, or as plain records."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any, Literal, Union

__all__ = ["Frame", "frame_of", "records_of", "table_of"]

Frame = Literal["pandas", "polars", "records"]
"""The kind of a table: a DataFrame of pandas or polars, or a list of dictionaries."""


def frame_of(text: str, frame: Frame, names: tuple[str, ...] = ()) -> Any:
    """A table of the program, in the wanted kind; `names` are columns of names beside those of every table."""
    if frame == "records":
        return records_of(text, names)
    raw = _raw(text)
    if frame == "pandas":
        # Only an empty cell is a missing value: agents may be called `NA` or `null`.
        types = dict.fromkeys(_texts(raw, names), str)
        return _imported("pandas").read_csv(io.StringIO(raw), dtype=types, keep_default_na=False, na_values=[""])
    if frame == "polars":
        polars = _imported("polars")
        types = dict.fromkeys(_texts(raw, names), polars.String)
        return polars.read_csv(io.StringIO(raw), infer_schema_length=None, schema_overrides=types)
    raise ValueError(f'frame is "pandas", "polars" or "records", not {frame!r}')


def table_of(records: list[dict[str, Any]], frame: Frame) -> Any:
    """Records in the wanted kind."""
    if frame == "records":
        return records
    names = list(dict.fromkeys(name for record in records for name in record))
    whole = [{name: record.get(name) for name in names} for record in records]
    # By default, polars takes the types from the first rows alone.
    options = {"infer_schema_length": None} if frame == "polars" else {}
    return _imported(frame).DataFrame(whole, **options)


def records_of(text: str, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """A row for each line of CSV: numbers, truth values, texts; None where a cell is empty."""
    raw = _raw(text)
    texts = _texts(raw, names)
    rows = csv.DictReader(io.StringIO(raw))
    return [{key: cell or None if key in texts else _value(cell) for key, cell in row.items()} for row in rows]


_NAMES = ("manifest", "stage", "kind", "variant", "agent", "opponent", "game", "key", "directory")
"""Columns of names, which are texts though a name may look like a number."""

_NO_NUMBER = re.compile(r"-?0\d.*|-?\d+\.\d+0")
"""A label with digits that no number of the program has: `007`, `1.10`."""


def _texts(raw: str, names: tuple[str, ...]) -> set[str]:
    """The columns that are texts: names, and those with such a label."""
    rows = csv.reader(io.StringIO(raw))
    header = next(rows, [])
    texts = {name for name in header if name in (*_NAMES, *names)}
    for row in rows:
        texts.update(name for name, cell in zip(header, row) if name not in texts and _NO_NUMBER.fullmatch(cell))
    return texts


_DEFUSED = re.compile(r"'('*([\t\r]|\s*[=+@-]))")
"""A text with the apostrophe of the program, which keeps spreadsheets from evaluating it."""


def _raw(text: str) -> str:
    """CSV without the apostrophes of the program, so that names are those of the manifest."""
    if "'" not in text:
        return text
    rows = csv.reader(io.StringIO(text, newline=""))
    raw = io.StringIO(newline="")
    csv.writer(raw, lineterminator="\n").writerows([[_own(cell) for cell in row] for row in rows])
    return raw.getvalue()


def _own(cell: str) -> str:
    return cell[1:] if _DEFUSED.match(cell) else cell


def _value(cell: str) -> Union[None, bool, int, float, str]:
    if cell in ("", "true", "false"):
        return {"": None, "true": True, "false": False}[cell]
    try:
        return int(cell) if cell.lstrip("-").isdigit() else _finite(cell)
    except ValueError:
        return cell


def _finite(cell: str) -> float:
    """A number; words such as `nan` stay texts."""
    number = float(cell)
    if not math.isfinite(number) or "_" in cell:
        raise ValueError
    return number


def _imported(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        fix = f'`pip install {name}`, or frame="records" for a list of dictionaries'
        raise ImportError(f"{name} is not installed: {fix}", name=name) from error
