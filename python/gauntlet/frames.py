"""CSV of the program as frames of pandas or polars, or as plain records."""

from __future__ import annotations

import csv
import io
import math
from typing import Any, Literal, Union

__all__ = ["Frame", "frame_of", "records_of", "table_of"]

Frame = Literal["pandas", "polars", "records"]
"""The kind of a table: a DataFrame of pandas or polars, or a list of dictionaries."""


def frame_of(text: str, frame: Frame) -> Any:
    """A table of the program, in the wanted kind."""
    if frame == "records":
        return records_of(text)
    if frame == "pandas":
        return _imported("pandas").read_csv(io.StringIO(text))
    if frame == "polars":
        return _imported("polars").read_csv(io.StringIO(text), infer_schema_length=None)
    raise ValueError(f'frame is "pandas", "polars" or "records", not {frame!r}')


def table_of(records: list[dict[str, Any]], frame: Frame) -> Any:
    """Records in the wanted kind."""
    return records if frame == "records" else _imported(frame).DataFrame(records)


def records_of(text: str) -> list[dict[str, Any]]:
    """A row for each line of CSV: numbers, truth values, texts; None where a cell is empty."""
    return [{key: _value(cell) for key, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


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
