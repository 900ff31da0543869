"""Reports: tables and figures that a notebook shows."""

from __future__ import annotations

import base64
import html
import re
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence, overload

from .frames import Frame, table_of

__all__ = ["Artefact", "Gate", "Report"]


class Artefact:
    """A table or figure: its points, and the files that the program wrote."""

    def __init__(self, facts: Mapping[str, Any], reports: Path) -> None:
        self.artefact: str = facts["artefact"]
        """`<paper>/<name>`."""
        self.title: str = facts["title"]
        self.caption: str = facts["caption"]
        self.profile: str = facts["profile"]
        self.points: list[dict[str, Any]] = facts["points"]
        """The cells or points: row, column, x, value, error, interval, number of runs, published value."""
        paper, _, name = self.artefact.rpartition("/")
        self.directory: Path = reports / (paper or name) / self.profile
        """The directory of its files."""
        self.name = name

    def path(self, ending: str) -> Path:
        """A file: `csv`, `md`, `tex`, `png` or `svg`."""
        return self.directory / f"{self.name}.{ending}"

    def frame(self, frame: Frame = "pandas") -> Any:
        """Its points as a table, one row each, with columns such as `error.size` for parts."""
        return table_of([flat(point) for point in self.points], frame)

    def __repr__(self) -> str:
        return f"<{self.artefact}: {self.title} ({self.profile}, {len(self.points)} points)>"

    def __str__(self) -> str:
        text = self.path("md")
        return text.read_text(encoding="utf-8") if text.exists() else repr(self)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{html.escape(self.title)}</h4>", f"<p><i>Profile: {html.escape(self.profile)}.</i> "]
        parts += [f"{html.escape(self.caption)}</p>", _picture(self.path("svg"), self.title), _table(str(self))]
        return "".join(parts)


class Report(Sequence[Artefact]):
    """The artefacts of a manifest, in its order; also by name: `report["transfer"]`."""

    def __init__(self, found: Sequence[Mapping[str, Any]], reports: Path) -> None:
        self.artefacts = [Artefact(facts, reports) for facts in found]

    def __len__(self) -> int:
        return len(self.artefacts)

    def __iter__(self) -> Iterator[Artefact]:
        return iter(self.artefacts)

    @overload
    def __getitem__(self, which: int | str) -> Artefact: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Artefact]: ...
    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self.artefacts[which]
        for artefact in self.artefacts:
            if which in (artefact.name, artefact.artefact):
                return artefact
        raise KeyError(f"{which}: there are {', '.join(artefact.name for artefact in self.artefacts) or 'none'}")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.artefacts)) or "<no artefacts>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.artefacts))

    def _repr_html_(self) -> str:
        return "".join(artefact._repr_html_() for artefact in self.artefacts)


class Gate:
    """The outcome of `regress`: `ruling`, the exit `code`, and everything that `night.json` holds in `facts`."""

    def __init__(self, code: int, facts: Mapping[str, Any], reports: Path) -> None:
        self.code, self.facts = code, dict(facts)
        self.ruling: str = facts["ruling"]
        """`passed`, `improved`, `regressed`, `inconclusive` or `unmeasured`."""
        self.matches: list[dict[str, Any]] = facts["matches"]
        """Each match with its ruling and reason."""
        self.directory: Path = reports / facts["suite"] / facts["profile"]
        """The directory of `night.json`, `junit.xml`, `summary.md` and `trend.svg`."""

    def __repr__(self) -> str:
        found = "; ".join(f"{one['name']}: {one['ruling']}, {one['reason']}" for one in self.matches)
        return f"<{self.facts['suite']}: {self.ruling} ({found})>"

    def _repr_html_(self) -> str:
        title = html.escape(f"{self.facts['suite']}: {self.ruling}")
        summary = self.directory / "summary.md"
        text = summary.read_text(encoding="utf-8") if summary.exists() else ""
        return f"<h4>{title}</h4>{_picture(self.directory / 'trend.svg', 'the nights so far')}{_table(text)}"


def flat(point: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Objects within an object, by their paths: `{"error": {"size": 1}}` is `{"error.size": 1}`."""
    row: dict[str, Any] = {}
    for key, value in point.items():
        if isinstance(value, Mapping):
            row.update(flat(value, f"{prefix}{key}."))
        else:
            row[prefix + key] = value
    return row


def _picture(path: Path, title: str) -> str:
    """A picture within the page, so that a notebook stays whole when it moves."""
    if not path.exists():
        return ""
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img style="max-width: 100%" alt="{html.escape(title)}" src="data:image/svg+xml;base64,{data}">'


def _table(markdown: str) -> str:
    """The table of a text in Markdown."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines]
    if len(rows) < 2:
        return ""
    head, body = _row("th", rows[0]), "".join(_row("td", row) for row in rows[2:])
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    plain = [re.sub(r"\\(.)|\*\*", lambda found: found[1] or "", cell.strip()) for cell in cells]
    return "<tr>" + "".join(f"<{tag}>{html.escape(html.unescape(cell))}</{tag}>" for cell in plain) + "</tr>"
