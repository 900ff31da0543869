"""Runs what README and the guide show, and follows their links: `GAUNTLET=target/release/gauntlet tests/peers/guide.py`.

Every block of TOML, shell and Python runs, in order, in a temporary directory of its page, with the profile `smoke`.
A comment before a block changes that:

    <!-- not run: REASON -->       the block does not run
    <!-- check only: REASON -->    a manifest is checked, but not run
    <!-- in: FRAME -->             a part of a manifest: put into tests/peers/guide/FRAME.toml, which then runs
    <!-- as: COMMANDS -->          these commands run instead, at a small scale
    <!-- needs: MODULE ... -->     skipped with a word where these programs or Python modules are missing
    <!-- page run by: FILE -->     another test runs the blocks of this page

A block whose info string names a file (```toml first.toml) is written to that file. A whole manifest (`schema = 1`) is
checked and run, unless a later block runs it. Arguments name pages; without any, all are read.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent / "guide"), str(Path(__file__).resolve().parents[2] / "python")]
import derived
import numbers_of_tables
from pages import LANGUAGES, ROOT, anchors, blocks, guide_pages, links, page_marks

FRAMES = ROOT / "tests/peers/guide"
SHELLS = {"sh", "shell", "console", "bash"}
SECONDS = 300


class Page:
    """A page under test: its directory, and what came of its blocks."""

    def __init__(self, path, directory, program):
        self.path, self.directory = path, directory
        self.name = str(path.relative_to(ROOT))
        self.ran, self.skipped, self.failures = 0, [], []
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GAUNTLET")}
        tools = directory / ".tools"
        tools.mkdir(parents=True)
        (tools / "gauntlet").symlink_to(program)
        (directory / "experiments").symlink_to(ROOT / "experiments")
        baselines = directory / "results/baselines"
        shutil.copytree(ROOT / "results/baselines", baselines)
        path_list = os.pathsep.join([str(tools), self.environment["PATH"]])
        python = str(ROOT / "python")
        self.environment |= {"PATH": path_list, "PYTHONPATH": python, "NO_COLOR": "1", "GAUNTLET_PROFILE": "smoke"}

    def test(self):
        """Runs all blocks of the page."""
        text = self.path.read_text()
        other = page_marks(text).get("page run by")
        if other:
            if not (ROOT / other).is_file() or self.path.name not in (ROOT / other).read_text():
                self.failures.append(f"{self.name}: {other} does not run this page")
            return
        listed = blocks(text)
        for index, block in enumerate(listed):
            if block.name:
                (self.directory / block.name).parent.mkdir(parents=True, exist_ok=True)
                (self.directory / block.name).write_text(block.text)
            if block.language in LANGUAGES:
                self.try_block(block, listed[index + 1 :])

    def try_block(self, block, later):
        """Runs a block, or notes why not."""
        marks = block.marks
        missing = [need for need in marks.get("needs", "").split() if not is_there(need)]
        if "not run" in marks:
            self.skipped.append(f"{self.name}:{block.line}: not run: {marks['not run']}")
        elif missing:
            self.skipped.append(f"{self.name}:{block.line}: skipped without {', '.join(missing)}")
        elif "as" in marks:
            self.shell(block, marks["as"])
        elif block.language in SHELLS:
            self.shell(block, block.text.replace("$ gauntlet", "gauntlet"))
        elif block.language == "python":
            if not block.name:
                self.command(block, [sys.executable, "-c", block.text])
            elif not any(block.name in other.text for other in later):
                self.failures.append(f"{self.name}:{block.line}: no later block uses {block.name}")
        else:
            self.toml(block, later)

    def toml(self, block, later):
        """Checks and runs a manifest or, in its frame, a part of one."""
        name, text = block.name, block.text
        if "in" in block.marks:
            name = f"{block.marks['in']}-{block.line}.toml"
            frame = (FRAMES / f"{block.marks['in']}.toml").read_text()
            text = frame.replace("# the block", text)
            if text == frame:
                self.failures.append(f"{self.name}:{block.line}: the frame has no place for the block")
        elif "schema = 1" not in text:
            if not name or not any(name in other.text for other in later):
                self.failures.append(f"{self.name}:{block.line}: a part of a manifest needs a frame or a reason")
            return
        name = name or f"block-{block.line}.toml"
        (self.directory / name).write_text(text)
        self.command(block, ["gauntlet", "check", name])
        check_only = "check only" in block.marks or text.startswith("# check only:")
        if not check_only and not any(name in other.text for other in later if other.language in SHELLS):
            self.command(block, ["gauntlet", "run", name, "--quiet", "--force"])

    def shell(self, block, commands):
        """Runs commands of a shell."""
        self.command(block, ["bash", "-euo", "pipefail", "-c", commands])

    def command(self, block, command):
        """Runs a command in the page's directory; its output is shown if it fails."""
        started = time.monotonic()
        environment, where = self.environment, self.directory
        try:
            done = subprocess.run(
                command, cwd=where, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )
            failed = f"exit code {done.returncode}" if done.returncode else None
            said = (done.stdout + done.stderr).decode(errors="replace")
        except subprocess.TimeoutExpired:
            failed, said = f"more than {SECONDS} s", ""
        self.ran += 1
        seconds = time.monotonic() - started
        if seconds > 10:
            print(f"  {self.name}:{block.line}: {seconds:.0f} s")
        if failed:
            self.failures.append(f"{self.name}:{block.line}: {failed}\n{block.text}{said[-3000:]}")


def is_there(need):
    """Whether a program or a Python module is installed."""
    return shutil.which(need) is not None or importlib.util.find_spec(need) is not None


def broken_links():
    """Links of README, guide, CONTRIBUTING and the gallery that lead nowhere."""
    pages = [*guide_pages(), ROOT / "CONTRIBUTING.md", *sorted((ROOT / "reports/gallery").rglob("*.md"))]
    known = {}
    for page in pages:
        for line, target in links(page.read_text()):
            if "://" in target or target.startswith(("mailto:", "data:")):
                continue
            file, _, anchor = target.partition("#")
            goal = page if not file else (page.parent / file).resolve()
            place = f"{page.relative_to(ROOT)}:{line}: {target}"
            if not goal.exists():
                yield f"{place}: there is no such file"
            elif not goal.is_relative_to(ROOT):
                yield f"{place}: outside the repository"
            elif anchor and goal.suffix == ".md":
                known.setdefault(goal, anchors(goal.read_text()))
                if anchor not in known[goal]:
                    yield f"{place}: there is no such heading"


def unlisted():
    """Chapters that the summary of the book does not list."""
    summary = ROOT / "docs/SUMMARY.md"
    named = {(summary.parent / target).resolve() for _, target in links(summary.read_text())}
    for page in (ROOT / "docs").rglob("*.md"):
        if page != summary and page.resolve() not in named:
            yield f"docs/SUMMARY.md does not list {page.relative_to(ROOT)}"


def main(names):
    """Tests the pages, and ends with the number of failures."""
    failures = [*broken_links(), *unlisted(), *numbers_of_tables.wrong(), *derived.wrong()]
    print(f"links, chapters and numbers of tables: {len(failures)} wrong")
    program = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
    pages = [Path(name).resolve() for name in names] or guide_pages()
    ran, skipped = 0, []
    if program is None:
        print("blocks skipped: there is no program gauntlet; set GAUNTLET")
        pages = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, path in enumerate(pages):
            page = Page(path, Path(scratch) / str(number), Path(program).resolve())
            page.test()
            ran, skipped, failures = ran + page.ran, skipped + page.skipped, failures + page.failures
    for line in [*skipped, *failures]:
        print(line)
    print(f"{ran} commands ran, {len(skipped)} blocks did not, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
