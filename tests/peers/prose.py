"""Counts words and long sentences of README, guide and gallery: `tests/peers/prose.py [REVISION]`.

With a revision of git, the files are those of that revision. Code, comments and generated pages do not count. A sentence
ends with a full stop, colon, question or exclamation mark before a space and a capital letter, or with its paragraph. Cells
of tables count apart. `--check` fails if README has more than 150 lines or 1,300 words, or a page of the guide has
a sentence above 40 words. `--show` prints the sentences above 25 words.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "guide"))
from pages import ROOT, without_code

GROUPS = {
    "README": ["README.md"],
    "guide": ["docs/"],
    "gallery: README": ["reports/gallery/README.md"],
    "gallery: pages": ["reports/gallery/"],
}
GENERATED = "<!-- Written by docs/generate.py"


def texts(revision, places):
    """Names and texts of the Markdown files below these places."""
    if revision:
        command = ["git", "ls-tree", "-r", "--name-only", revision, "--", *places]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        for name in (name for name in listed if name.endswith(".md")):
            command = ["git", "show", f"{revision}:{name}"]
            yield name, subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return
    for place in places:
        found = [ROOT / place] if place.endswith(".md") else sorted((ROOT / place).rglob("*.md"))
        for path in found:
            yield str(path.relative_to(ROOT)), path.read_text()


def plain(text):
    """A text without the addresses of links, pictures and tags."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>]+>|\*", "", text)


def paragraphs(text):
    """Paragraphs, items and headings of a page, and apart the cells of its tables."""
    found, cells, current = [], [], []
    for line in [*without_code(text).splitlines(), ""]:
        stripped = line.strip()
        if stripped.startswith("|"):
            cells += [cell for cell in re.split(r"(?<!\\)\|", stripped.strip("|")) if re.search(r"\w", cell)]
            stripped = ""
        starts = re.match(r"^([*+-]|\d+\.|#+)\s+", stripped)
        if (not stripped or starts) and current:
            found.append(" ".join(current))
            current = []
        if stripped:
            current.append(stripped[starts.end() :] if starts else stripped)
    return [plain(part) for part in found], [plain(cell) for cell in cells]


def sentences(parts):
    """The sentences of these parts, as lists of words."""
    for part in parts:
        for sentence in re.split(r"(?<=[.:?!])\s+(?=[A-Z\"(0-9`])", part):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if words:
                yield words


def main():
    """Prints the table."""
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    revision = arguments[0] if arguments else None
    failures = []
    print(f"{'':18} {'words':>7} {'sentences':>9} {'> 25':>5} {'> 40':>5} {'cells > 25':>10} {'> 40':>5}")
    for group, places in GROUPS.items():
        words, lengths, cells = 0, [], []
        for name, text in texts(revision, places):
            if text.startswith(GENERATED) or (group == "gallery: pages" and name == "reports/gallery/README.md"):
                continue
            parts, table = paragraphs(text)
            words += len(re.findall(r"\S*\w\S*", plain(without_code(text))))
            for found in sentences(parts):
                lengths.append(len(found))
                if len(found) > 25 and "--show" in sys.argv:
                    print(f"    {name}: {len(found)} words: {' '.join(found)}")
                if len(found) > 40 and group in ("README", "guide"):
                    failures.append(f"{name}: a sentence of {len(found)} words")
            cells += [len(found) for found in sentences(table)]
            if name == "README.md" and (len(text.splitlines()) > 150 or len(text.split()) > 1300):
                failures.append(f"README.md: {len(text.splitlines())} lines, {len(text.split())} words")
        long, very = (sum(length > limit for length in lengths) for limit in (25, 40))
        print(
            f"{group:18} {words:7} {len(lengths):9} {long:5} {very:5} "
            f"{sum(length > 25 for length in cells):10} {sum(length > 40 for length in cells):5}"
        )
    if "--check" in sys.argv and failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
