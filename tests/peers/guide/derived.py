"""Numbers of the guide that follow from single runs of the gallery, computed again."""

import csv
from math import sqrt
from statistics import mean, stdev

from pages import ROOT

SAZ = "saz2021"


def scores(source, variant, size, **only):
    """The mean score of each seed: matches of a variant on a board."""
    found = {}
    with open(ROOT / "reports/gallery" / source, newline="") as file:
        for row in csv.DictReader(file):
            fits = row["kind"] == "play" and row["variant"] == variant and row["game.size"] in (str(size), f"{size}.0")
            if fits and all(row[key] == value for key, value in only.items()):
                found.setdefault(int(row["seed"]), []).append(float(row["score"]))
    return {seed: mean(values) for seed, values in found.items()}


def error(values):
    """The standard error of a mean."""
    return stdev(values) / sqrt(len(values))


def between(first, second, seeds=None):
    """The difference of two means over independent runs."""
    first, second = ([value for seed, value in side.items() if not seeds or seed in seeds] for side in (first, second))
    return mean(first) - mean(second), sqrt(error(first) ** 2 + error(second) ** 2)


def by_run(first, second):
    """The mean difference, run by run."""
    values = [first[seed] - second[seed] for seed in first.keys() & second.keys()]
    return mean(values), error(values)


def derived():
    """The page, and each number with its error as the page shows it."""
    table2, table3, fig3 = (f"{SAZ}/laptop/runs/{name}.csv" for name in ("table2", "table3", "fig3"))
    later = range(6, 21)
    found = []
    for size in (8, 10):
        saz = scores(table2, "SAZ", size)
        for rival in ("model3", "model3-games"):
            other = scores(table2, rival, size)
            found += [(between(saz, other, later), 3), (between(saz, other), 3)]
        found.append((by_run(scores(table2, "SAZ-as-model3", size), saz), 3))
        found.append((by_run(saz, scores(table2, "SAZ-as-model4", size)), 3))
    found.append((by_run(scores(table3, "model3", 8), scores(table3, "SAZ", 8)), 3))
    lead = {
        size: (scores(fig3, "SAZ", size, opponent="greedy"), scores(fig3, "model3", size, opponent="greedy")) for size in (8, 12)
    }
    gaps = {size: {seed: saz[seed] - model3[seed] for seed in saz} for size, (saz, model3) in lead.items()}
    found.append((by_run(gaps[12], gaps[8]), 3))
    for which, digits in ((0, 2), (1, 2)):
        found.append((by_run(lead[8][which], lead[12][which]), digits))
    return "docs/papers/saz2021.md", found


def wrong():
    """Derived numbers that their page does not show."""
    page, found = derived()
    text = " ".join((ROOT / page).read_text().replace("−", "-").split())
    for (value, spread), digits in found:
        shown = f"{value:.{digits}f} ± {spread:.{digits}f}"
        if shown not in text:
            yield f"{page}: {shown} follows from single runs, and is not there"
