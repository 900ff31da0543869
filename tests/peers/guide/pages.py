"""The pages of the guide as the tests read them: code blocks with their marks, links, headings and plain sentences."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^(\s*)```+\s*(.*)$")
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
LANGUAGES = {"toml", "sh", "shell", "console", "bash", "python"}


@dataclass
class Block:
    """A fenced block of code: its language, the name of its file, its line and the mark in the comment before it."""

    language: str
    name: str
    line: int
    text: str
    marks: dict = field(default_factory=dict)


def guide_pages():
    """README and all chapters of the guide."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def marks_of(comment):
    """The mark of a comment, `{"not run": "needs a cluster"}`; empty for other comments."""
    kind, colon, value = comment.partition(":")
    known = ("not run", "check only", "in", "as", "page run by", "numbers", "needs")
    return {kind.strip(): value.strip()} if colon and kind.strip() in known else {}


def blocks(text):
    """All code blocks of a page. A mark counts for the block that follows it, with only empty lines between."""
    found, marks, open_block, comment = [], {}, None, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if open_block is not None:
            if fence and not fence.group(2) and line.strip().startswith("```"):
                found.append(open_block)
                open_block = None
            else:
                indent = open_block.marks.get("indent", 0)
                open_block.text += (line[indent:] if not line[:indent].strip() else line) + "\n"
        elif comment is not None:
            comment += "\n" + line
            if "-->" in line:
                marks |= marks_of(COMMENT.match(comment.strip()).group(1))
                comment = None
        elif line.strip().startswith("<!--") and "-->" not in line:
            comment = line
        elif COMMENT.fullmatch(line.strip()):
            marks |= marks_of(COMMENT.fullmatch(line.strip()).group(1))
        elif fence:
            language, _, name = fence.group(2).partition(" ")
            marks["indent"] = len(fence.group(1))
            open_block = Block(language, name.strip(), number, "", marks)
            marks = {}
        elif line.strip():
            marks = {}
    if open_block is not None:
        raise ValueError(f"line {open_block.line}: the block does not end")
    return found


def page_marks(text):
    """Marks that hold for a whole page, from comments anywhere in it."""
    found = {}
    for comment in COMMENT.findall(text):
        marks = marks_of(comment)
        if "page run by" in marks:
            found |= marks
    return found


def without_code(text):
    """The page without code blocks and comments; the lines keep their numbers."""
    kept, inside = [], False
    for line in text.splitlines():
        if FENCE.match(line):
            inside = not inside
            kept.append("")
        else:
            kept.append("" if inside else line)
    page = "\n".join(kept)
    return COMMENT.sub(lambda found: "\n" * found.group(0).count("\n"), page)


def anchors(text):
    """The anchors of a page's headings, as code hosts and mdBook make them."""
    seen, found = {}, set()
    for line in without_code(text).splitlines():
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            found.add(slug if count == 0 else f"{slug}-{count}")
    found.update(re.findall(r'(?:id|name)="([^"]+)"', text))
    return found


def links(text):
    """The targets of a page's links and pictures, each with its line."""
    for number, line in enumerate(without_code(text).splitlines(), 1):
        line = re.sub(r"`[^`]*`", lambda code: "x" * len(code.group(0)), line)
        for target in re.findall(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", line):
            yield number, target
        for target in re.findall(r'(?:src|srcset|href)="([^"]+)"', line):
            yield number, target
