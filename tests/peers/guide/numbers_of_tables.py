"""Whether tables of the guide show the numbers of the gallery's CSV.

A comment before a table names its sources: `<!-- numbers: saz2021/laptop/table2.csv ... -->`, below reports/gallery.
With the word `twice` among them, errors are two standard errors. Each `value ± error` and each `value [low, high]` of the table is then a row of these files, rounded.
"""

import csv
import re

from pages import COMMENT, ROOT, guide_pages, marks_of

NUMBER = r"[-−]?\d+(?:[.,]\d+)*"
PAIR = re.compile(rf"({NUMBER}) ± ({NUMBER})")
INTERVAL = re.compile(rf"({NUMBER}) \\?\[({NUMBER}), ({NUMBER})\\?\]")


def parsed(text):
    """The number, and half of the unit of its last digit."""
    text = text.replace("−", "-").replace(",", "")
    digits = len(text.partition(".")[2])
    return float(text), 0.5000001 * 10.0**-digits


def near(text, value):
    """Whether a text is this value, rounded."""
    shown, half = parsed(text)
    return value is not None and abs(shown - value) <= half


def rows(sources, times):
    """Value, error and interval of all rows of these files, and those of the paper's numbers."""
    found = []
    for source in sources:
        with open(ROOT / "reports/gallery" / source, newline="") as file:
            for row in csv.DictReader(file):
                value, error, low, high = (number(row, key) for key in ("value", "error", "interval_low", "interval_high"))
                found.append((value, error and error * times, low, high))
                error = number(row, "published_error")
                found.append((number(row, "published"), error and error * times, None, None))
    return found


def number(row, key):
    """A number of a row, if it has one."""
    return float(row[key]) if row.get(key) else None


def tables(text):
    """Tables with a mark: their sources, and their lines."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        comment = COMMENT.fullmatch(line.strip())
        sources = marks_of(comment.group(1)).get("numbers") if comment else None
        if sources:
            start = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), len(lines))
            end = next((n for n in range(start, len(lines)) if not lines[n].startswith("|")), len(lines))
            yield at + 1, sources.split(), list(enumerate(lines[start:end], start + 1))


def wrong():
    """Numbers in marked tables that are in none of their files."""
    for page in guide_pages():
        for line, sources, table in tables(page.read_text()):
            name = page.relative_to(ROOT)
            times, sources = (2, sources[1:]) if sources[0] == "twice" else (1, sources)
            absent = [source for source in sources if not (ROOT / "reports/gallery" / source).is_file()]
            if absent or not table:
                yield f"{name}:{line}: no table, or no file {absent}"
                continue
            known = rows(sources, times)
            for place, row in table:
                for value, error in PAIR.findall(row):
                    if not any(near(value, v) and e is not None and near(error, e) for v, e, _, _ in known if v is not None):
                        yield f"{name}:{place}: {value} ± {error} is in none of {', '.join(sources)}"
                for value, low, high in INTERVAL.findall(row):
                    fits = (near(value, v) and near(low, a) and near(high, b) for v, _, a, b in known if v is not None)
                    if not any(fits):
                        yield f"{name}:{place}: {value} [{low}, {high}] is in none of {', '.join(sources)}"
