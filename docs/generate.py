"""Writes docs/reference/{commands,keys,ludemes}.md from the program.

    GAUNTLET=target/release/gauntlet python3 docs/generate.py            # writes the pages
    GAUNTLET=target/release/gauntlet python3 docs/generate.py --check    # fails if one of them is stale

Needs Python 3.9 alone.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GAMES = DOCS.parent / "crates/gauntlet-games/src/games/ludemes"
NOTE = "<!-- Written by docs/generate.py. Do not edit. -->\n\n"


def asked(program, *arguments):
    """The output of the program, by the name `gauntlet` and without the settings of this shell."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GAUNTLET")}
    with tempfile.TemporaryDirectory() as directory:
        link = Path(directory) / "gauntlet"
        link.symlink_to(Path(program).resolve())
        command = [str(link), *arguments]
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def prose(text):
    """A text as a cell; parts in backticks keep their signs."""
    parts = re.split(r"(`[^`]*`)", re.sub(r"\s+", " ", text).strip())
    kept = (part.replace("|", "\\|") if part.startswith("`") else cell_inner(part) for part in parts)
    return "".join(kept)


def cell_inner(text):
    """A text without signs that Markdown would read."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def code(text):
    """A text as code in a cell."""
    return "`" + text.strip().replace("|", "\\|") + "`"


# Commands


def sections(text):
    """The parts of a help text by their titles; the description has the title ''."""
    found, title = {"": []}, ""
    for line in text.splitlines():
        usage = re.match(r"^Usage: (.*)$", line)
        heading = re.match(r"^([A-Z][\w ,'-]*):$", line)
        if usage or heading:
            title = "Usage" if usage else heading.group(1)
            found.setdefault(title, ["  " + usage.group(1)] if usage else [])
        elif title and line and not line.startswith(" "):
            title = "After"  # remarks behind the options
            found.setdefault(title, [])
        else:
            found[title].append(line)
    found.pop("After", None)
    return found


def entries(lines):
    """Options or arguments, each with its description."""
    found = []
    for line in lines:
        one_line = re.match(r"^ {2,6}(\S.*?)(?: {2,}(\S.*))?$", line)
        if one_line and re.match(r"^ {2,6}(-|<|\[|[a-z])", line) and not line.startswith(" " * 8):
            found.append([one_line.group(1), [one_line.group(2)] if one_line.group(2) else []])
        elif found and line.strip():
            found[-1][1].append(line.strip())
        elif found and found[-1][1]:
            found[-1][1].append("\n")
    return [(name, described(text)) for name, text in found]


def described(lines):
    """The description of an option; its possible values in one sentence."""
    text = " ".join(lines)
    text = re.sub(r"\s*\n\s*(?=\[)", " ", text)
    paragraphs = [prose(part) for part in re.split(r"\s*\n\s*", text) if part.strip()]
    return "<br>".join(part.replace(" - ", "<br>") if part.startswith("Possible values:") else part for part in paragraphs)


def is_command(name):
    """Whether an entry of the main help is a command."""
    return re.fullmatch(r"[a-z]+", name) is not None and name != "help"


def table(heading, lines):
    """A section of a help text as a table below its heading."""
    rows = "".join(f"| {code(name)} | {text} |\n" for name, text in entries(lines))
    return f"{heading}\n\n| name | meaning |\n|---|---|\n{rows}\n" if rows else ""


def commands(program):
    """The page of commands, from the help texts."""
    whole = sections(asked(program, "--help"))
    titles = ["Commands"] if "Commands" in whole else [title for title in whole if title != "Start here"]
    names = [name for title in titles for name, _ in entries(whole[title]) if is_command(name)]
    common = "\n".join(whole.get("Common options", []))
    page = NOTE + "# Commands\n\nThe same text as `gauntlet COMMAND --help`.\n\n| command | what it does |\n|---|---|\n"
    body = ""
    for name in names:
        parts = sections(asked(program, name, "--help"))
        about = " ".join(line.strip() for line in parts.pop("") if line.strip())
        page += f"| [`{name}`](#gauntlet-{name}) | {prose(re.split(r'(?<=[a-z)])[.:] ', about)[0])} |\n"
        body += f"## gauntlet {name}\n\n{prose(about)}\n\n"
        body += "```text\n" + "\n".join(line.strip() for line in parts.pop("Usage", []) if line.strip()) + "\n```\n\n"
        for title, lines in parts.items():
            if "\n".join(lines).strip() == common.strip() and common.strip():
                body += "And the [common options](#common-options).\n\n"
            else:
                own = [line for line in lines if "--help" not in line and "Print help" not in line]
                body += table(f"**{title}**", own)
    if common:
        body += table("## Common options", common.splitlines())
    return page + "\n" + body.rstrip() + "\n"


# Keys


def keys(program):
    """The page of keys, from `gauntlet explain --all`."""
    listed = asked(program, "explain").splitlines()
    page = NOTE + "# Keys of manifests and of result files\n\nThe same text as `gauntlet explain TOPIC`.\n\n"
    page += "| topic | what it is |\n|---|---|\n"
    topics = [line.split(None, 1) for line in listed[1:] if line and not line.startswith(("`", " ", "ludemes ", "weights "))]
    page += "".join(f"| [`{name}`](#{anchor(name)}) | {prose(text)} |\n" for name, text in (pad(topic) for topic in topics))
    known = {topic[0] for topic in topics}
    body, rows = "", []
    for line in asked(program, "explain", "--all").splitlines() + ["end"]:
        if line and not line.startswith(" "):
            body += finished(rows, known)
            body += f"\n## {line}\n" if line in known else ""
            rows = [["", []]] if line in known else []
        elif re.match(r"^  \S[^:]*: .*", line) and is_key(line):
            rows.append([line.strip(), []])
        elif line.strip() and rows:
            rows[-1][1].append(line)
    return page + body.rstrip() + "\n"


def pad(topic):
    """A topic with its description, which may be empty."""
    return topic if len(topic) == 2 else [*topic, ""]


def anchor(name):
    """The anchor of a topic's heading."""
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def is_key(line):
    """Whether a line introduces a key: `name: type; default`."""
    return re.match(r"^  [\w.\[\]*-]+: ", line) is not None


def finished(rows, known):
    """The description of a topic, and the table of its keys."""
    if not rows:
        return ""
    text = "\n" + prose(" ".join(line.strip() for line in rows[0][1])) + "\n" if rows[0][1] else ""
    if len(rows) > 1:
        text += "\n| key | type; default | meaning |\n|---|---|---|\n"
    for head, lines in rows[1:]:
        name, _, kind = head.partition(": ")
        text += f"| {code(name)} | {prose(kind)} | {meaning(lines, known)} |\n"
    return text


def meaning(lines, known):
    """The description of a key: paragraphs, and its choices as a list in a cell."""
    parts = []
    for line in lines:
        depth, text = len(line) - len(line.lstrip()), line.strip()
        starts = depth >= 8 and re.match(r'^("|\{)', text) or text.startswith(("The paper: ", "See `gauntlet explain"))
        if starts or not parts:
            parts.append(text)
        else:
            parts[-1] += " " + text
    shown = []
    for part in parts:
        link = re.fullmatch(r"See `gauntlet explain ([^`]+)`\.", part)
        if link:
            name = link.group(1)
            shown.append(f"See [`{name}`](#{anchor(name)})." if name in known else prose(part))
        else:
            choice = re.match(r'^("[^"]*"|\{.*?\} \([^)]*\)): (.*)$', part)
            shown.append(f"{code(choice.group(1))}: {prose(choice.group(2))}" if choice else prose(part))
    return "<br>".join(shown)


# Ludemes


def ludemes(program):
    """The page of ludemes: the program's explanation of them, and its games."""
    about = "Every ludeme that the program knows. [Your own game](../own-game.md) shows how to use them."
    page = NOTE + f"# Ludemes\n\n{about}\n\n"
    return page + explained(asked(program, "explain", "ludemes")) + library()


def explained(text):
    """The tables of `gauntlet explain ludemes`: an entry is a grammar, its meaning and an example, each of one or more lines."""
    page, grammar, group, rows = "", [], None, []
    for line in text.splitlines()[1:]:
        entry = re.match(r"^  (\(.*\)): <(.*)>$", line)
        kind = re.match(r"^  <(\w+)>: (.*)$", line)
        if line and not line.startswith(" "):
            page += f"{prose(' '.join(grammar))}\n\n" if group is None else tabled(rows) + "\n"
            group, rows = line, []
            page += f"## {line}\n\n"
            page += "| type | what it is |\n|---|---|" if line == "Types" else "| ludeme | gives | meaning | example |\n|---|---|---|---|"
        elif group is None:
            grammar.append(line)
        elif entry:
            rows.append(([code(entry.group(1)), entry.group(2)], [], []))
        elif kind:
            rows.append(([f"`{kind.group(1)}`"], [kind.group(2)], []))
        elif line.strip():
            first, meaning, example = rows[-1]
            is_example = example or (len(first) > 1 and line.strip().startswith("("))
            (example if is_example else meaning).append(line.strip())
    return page + tabled(rows) + "\n\n"


def tabled(rows):
    """The rows of a table of ludemes."""
    page = ""
    for first, meaning, example in rows:
        page += "\n| " + " | ".join([*first, prose(" ".join(meaning))] + ([code(" ".join(example))] if example else [])) + " |"
    return page


def library():
    """The games that come with the program."""
    page = "## Games that come with the program\n\n| name | game |\n|---|---|\n"
    for path in sorted((GAMES / "library").glob("*.lud")):
        about = []
        for line in path.read_text().splitlines():
            if not line.startswith("//"):
                break
            about.append(line.lstrip("/ "))
        page += f"| [`{path.stem.replace('_', '-')}`](../../{path.relative_to(DOCS.parent)}) | {prose(' '.join(about))} |\n"
    return page


def main():
    """Writes or checks the pages."""
    parser = argparse.ArgumentParser(description="Writes the reference of commands, keys and ludemes from the program.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is stale")
    is_check = parser.parse_args().check
    program = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
    if program is None:
        sys.exit("there is no program gauntlet; set GAUNTLET")
    pages = {"commands": commands(program), "keys": keys(program), "ludemes": ludemes(program)}
    stale = []
    for name, text in pages.items():
        path = DOCS / f"reference/{name}.md"
        if not path.exists() or path.read_text() != text:
            stale.append(str(path.relative_to(DOCS.parent)))
            if not is_check:
                path.write_text(text)
    if is_check and stale:
        sys.exit(f"stale: {', '.join(stale)}; run python3 docs/generate.py")
    print(f"{'written' if stale else 'unchanged'}: {', '.join(stale) or 'docs/reference'}")


if __name__ == "__main__":
    main()
