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


def frame_of(text: str, frame: Frame) -> Any:
    """A table of the program, in the wanted kind."""
    if frame == "records":
        return records_of(text)
    if frame == "pandas":
        # Only an empty cell is a missing value: agents may be called `NA` or `null`.
        return _imported("pandas").read_csv(io.StringIO(_raw(text)), keep_default_na=False, na_values=[""])
    if frame == "polars":
        return _imported("polars").read_csv(io.StringIO(_raw(text)), infer_schema_length=None)
    raise ValueError(f'frame is "pandas", "polars" or "records", not {frame!r}')


def table_of(records: list[dict[str, Any]], frame: Frame) -> Any:
    """Records in the wanted kind."""
    return records if frame == "records" else _imported(frame).DataFrame(records)


def records_of(text: str) -> list[dict[str, Any]]:
    """A row for each line of CSV: numbers, truth values, texts; None where a cell is empty."""
    return [{key: _value(cell) for key, cell in row.items()} for row in csv.DictReader(io.StringIO(_raw(text)))]


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
