"""Builds the published site: the guide as a book, with the gallery and all files that the guide links to.

    python3 docs/site.py [DIRECTORY]        # default: target/site

The guide links to files outside of docs/, which a plain `mdbook build docs` does not copy. This script copies guide and
gallery into one tree, builds a book of it with mdbook, and checks that every local link of the result leads somewhere.
"""

import argparse
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)]*)?\)")
FIRST = '<!doctype html><meta charset="utf-8"><title>Gauntlet</title><meta http-equiv="refresh" content="0; url=docs/README.html">\n'


def staged(stage):
    """Copies the guide and everything that it links to, directly or by a page; returns the pages outside of docs/."""
    folders = [ROOT / "docs", ROOT / "reports/gallery"]
    waiting = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".py")
    seen, outside = set(waiting), []
    while waiting:
        path = waiting.pop()
        goal = stage / path.relative_to(ROOT)
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copy(path, goal)
            continue
        text = path.read_text()
        if not path.is_relative_to(ROOT / "docs"):
            outside.append(path.relative_to(ROOT))
        for target, _ in LINK.findall(text):
            linked = (path.parent / unquote(target)).resolve()
            if "://" not in target and linked.is_file() and linked not in seen:
                seen.add(linked)
                waiting.append(linked)
        goal.write_text(adapted(path, text))
    return sorted(outside)


def adapted(path, text):
    """A page for the site: links to directories lead to their README or to a list of their files."""

    def on_the_site(found):
        linked = (path.parent / unquote(found.group(1))).resolve()
        if linked.is_dir() and linked.is_relative_to(ROOT):
            inside = [name for name in ("README.md", "index.html") if (linked / name).exists()]
            return f"]({found.group(1).rstrip('/')}/{inside[0]})" if inside else f"]({listed(linked, found.group(1))})"
        return found.group(0)

    return LINK.sub(on_the_site, text)


def listed(directory, target):
    """The address of a page that lists a directory."""
    LISTS.add(directory)
    return f"{target.rstrip('/')}/files.html"


LISTS = set()


def summary(outside):
    """The chapters: those of the guide, and behind them the gallery by its folders, and the other pages."""
    chapters = re.sub(r"\]\((?!http)", "](docs/", (ROOT / "docs/SUMMARY.md").read_text())
    chapters += "\n# Other pages\n\n"
    gallery, folder = Path("reports/gallery"), None
    for path in sorted(outside, key=lambda path: (path.is_relative_to(gallery), path.name != "README.md", path)):
        depth = ""
        if path.parent != gallery and path.is_relative_to(gallery):
            depth = " " * 8
            if folder != path.parent:
                folder = path.parent
                chapters += f"    - [{folder.relative_to(gallery)}]()\n"
        title = re.search(r"^# (.+)$", (ROOT / path).read_text(), re.MULTILINE)
        chapters += f"{depth}- [{re.sub(r'[][]', '', title.group(1)) if title else path}]({path})\n"
    return chapters


def list_files(directory, goal):
    """Copies the files of a directory, with a page that lists them."""
    goal.mkdir(parents=True, exist_ok=True)
    for path in directory.iterdir():
        if path.is_file() and not (goal / path.name).exists():
            shutil.copy(path, goal)
    names = sorted(path.name for path in goal.iterdir() if path.is_file())
    items = "".join(f'<li><a href="{name}">{name}</a>' for name in names)
    page = f'<!doctype html><meta charset="utf-8"><title>{directory.name}</title><ul>{items}</ul>\n'
    (goal / "files.html").write_text(page)


def broken(site):
    """Local links of the site that lead nowhere."""
    for page in sorted(site.rglob("*.html")):
        if page.name in ("print.html", "404.html", "toc.html"):
            continue
        for target in re.findall(r'(?:href|src)="([^"]+)"', page.read_text(errors="replace")):
            target = re.split("[#?]", html.unescape(target))[0]
            if target and not re.match(r"^(\w+:|//)", target):
                goal = page.parent / unquote(target)
                if not (goal.is_file() or (goal / "index.html").is_file()):
                    yield f"{page.relative_to(site)}: {target}"


def main():
    """Builds the site, and ends with an error where a link is broken."""
    options = argparse.ArgumentParser(description="Builds the published site.")
    options.add_argument("directory", nargs="?", type=Path, default=ROOT / "target/site")
    site = options.parse_args().directory.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch)
        outside = staged(stage)
        (stage / "SUMMARY.md").write_text(summary(outside))
        settings = (ROOT / "docs/book.toml").read_text()
        (stage / "book.toml").write_text(settings.replace('"../target/guide"', '"book"'))
        (stage / "docs/book.toml").unlink()
        (stage / "docs/SUMMARY.md").unlink()
        subprocess.run(["mdbook", "build", str(stage)], check=True)
        for directory in LISTS:
            list_files(directory, stage / "book" / directory.relative_to(ROOT))
        (stage / "book/index.html").write_text(FIRST)
        gallery = stage / "book/reports/gallery/index.html"
        gallery.write_text(re.sub(r'(href="[^":]+)\.md([#"])', r"\1.html\2", gallery.read_text()))
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(stage / "book", site)
    wrong = list(broken(site))
    print("\n".join([*wrong, f"{site}: {sum(1 for _ in site.rglob('*.html'))} pages, {len(wrong)} broken links"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
