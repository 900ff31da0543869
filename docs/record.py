"""Records a command in a terminal as an animated SVG: docs/pictures/terminal.svg.

    GAUNTLET=target/release/gauntlet python3 docs/record.py                 # gauntlet run quickstart
    GAUNTLET=target/release/gauntlet python3 docs/record.py FILE.svg ARGUMENTS...

The program runs in an empty directory, on a terminal of its own. The picture plays once and keeps its last frame, which is
all that programs without animations show. It follows the reader's choice of dark or light. Needs Python 3.9 alone.
"""

import argparse
import fcntl
import html
import os
import pty
import re
import select
import shutil
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

WIDTH, HEIGHT = 104, 34
CELL, LINE = 8.43, 19
FASTEST = 0.15  # seconds between two frames
TYPED = 0.06  # seconds between two keys
COLOURS = {1: "red", 2: "green", 3: "yellow", 4: "blue", 5: "purple", 6: "cyan"}
STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.back { fill: #f6f8fa; stroke: #d1d9e0 } .dim { fill: #656d76 } .bold { font-weight: 600 }
.red { fill: #cf222e } .green { fill: #1a7f37 } .yellow { fill: #9a6700 } .blue { fill: #0969da } .purple { fill: #8250df }
.cyan { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .back { fill: #0d1117; stroke: #3d444d } .dim { fill: #9198a1 } .red { fill: #ff7b72 }
  .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .purple { fill: #bc8cff } .cyan { fill: #39c5cf }
}
"""


class Screen:
    """A small terminal: text, colours, and the movements that progress bars use."""

    def __init__(self):
        self.lines, self.row, self.column, self.style = [[]], 0, 0, ""

    def write(self, text):
        """Writes text with control sequences."""
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b.|[\r\n\b]|[^\x1b\r\n\b]+", text):
            if part.startswith("\x1b["):
                self.control(part[2:-1], part[-1])
            elif part == "\n":
                self.go(self.row + 1, self.column)
            elif part == "\r":
                self.column = 0
            elif not part.startswith("\x1b"):
                for sign in part:
                    self.put(sign)

    def control(self, numbers, kind):
        """A control sequence."""
        first = int(numbers.split(";")[0]) if re.match(r"\d", numbers) else 0
        if kind == "A":
            self.go(max(0, self.row - max(1, first)), self.column)
        elif kind == "B":
            self.go(self.row + max(1, first), self.column)
        elif kind == "G":
            self.column = max(0, first - 1)
        elif kind == "K":
            line = self.lines[self.row]
            self.lines[self.row] = [] if first == 2 else line[: self.column]
        elif kind == "J":
            self.lines[self.row] = self.lines[self.row][: self.column]
            del self.lines[self.row + 1 :]
        elif kind == "m":
            self.paint([int(number) for number in numbers.split(";") if number] or [0])

    def paint(self, numbers):
        """Sets colour and weight."""
        for number in numbers:
            if number == 0:
                self.style = ""
            elif number in (1, 2):
                self.style = f"{self.style} {'bold' if number == 1 else 'dim'}".strip()
            elif 30 <= number % 60 <= 37 and number % 60 - 30 in COLOURS:
                self.style = f"{self.style} {COLOURS[number % 60 - 30]}".strip()

    def go(self, row, column):
        """Moves to a place; lines that are missing are made."""
        while len(self.lines) <= row:
            self.lines.append([])
        self.row, self.column = row, column

    def put(self, sign):
        """Writes one sign."""
        if self.column >= WIDTH:
            self.go(self.row + 1, 0)
        line = self.lines[self.row]
        line.extend([(" ", "")] * (self.column + 1 - len(line)))
        line[self.column] = (sign, self.style)
        self.column += 1

    def picture(self):
        """The last lines, each as parts of one style."""
        shown = []
        for line in self.lines[-HEIGHT:]:
            parts = []
            for sign, style in line:
                if parts and parts[-1][1] == style:
                    parts[-1][0] += sign
                else:
                    parts.append([sign, style])
            shown.append(tuple((text, style) for text, style in parts))
        return tuple(shown)


def recorded(program, arguments):
    """The frames of a run, as pairs of a time and a picture."""
    screen, frames = Screen(), []
    screen.write("\x1b[32m$\x1b[0m ")
    started = 0.5
    for sign in "gauntlet " + " ".join(arguments):
        screen.write(sign)
        frames.append((started, screen.picture()))
        started += TYPED
    screen.write("\r\n")
    with tempfile.TemporaryDirectory() as directory:
        for at, text in output(program, arguments, directory):
            screen.write(text)
            if frames[-1][1] != screen.picture():
                frames.append((started + at, screen.picture()))
    kept = [frames[0]]
    for frame, following in zip(frames[1:], [*frames[2:], None]):
        if following is None or frame[0] - kept[-1][0] >= FASTEST:
            kept.append(frame)
    return kept


def output(program, arguments, directory):
    """What a program writes to a terminal, with the times."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.environ |= {"TERM": "xterm-256color"}
        for name in [name for name in os.environ if name.startswith("GAUNTLET") or name == "NO_COLOR"]:
            del os.environ[name]
        os.execv(program, ["gauntlet", *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    begin = time.monotonic()
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        try:
            data = os.read(terminal, 65536) if ready else b""
        except OSError:
            data = b""
        if not data:
            break
        yield time.monotonic() - begin, data.decode(errors="replace")
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit(f"the command failed: {status}")


def drawn(frames):
    """The SVG of these frames."""
    rows = max(len(picture) for _, picture in frames)
    width, height = round(WIDTH * CELL + 32), rows * LINE + 32
    last = frames[-1][0] + 4
    style, groups = STYLE, ""
    for number, (at, picture) in enumerate(frames):
        is_last = number == len(frames) - 1
        start = 100 * at / last if number else 0
        end = "" if is_last else f" {100 * frames[number + 1][0] / last:.2f}% {{ visibility: hidden }}"
        style += f"@keyframes f{number} {{ 0% {{ visibility: hidden }} {start:.2f}% {{ visibility: visible }}{end} }}\n"
        style += f"#f{number} {{ animation: f{number} {last:.1f}s step-end both }}\n"
        hidden = "" if is_last else ' visibility="hidden"'
        groups += f'<g id="f{number}"{hidden}>{"".join(line(text, row) for row, text in enumerate(picture))}</g>\n'
    final = len(frames) - 1
    style += f"@media (prefers-reduced-motion: reduce) {{ g {{ animation: none !important }} #f{final} {{ visibility: visible }} }}\n"
    style += f"@media print {{ g {{ animation: none !important }} #f{final} {{ visibility: visible }} }}\n"
    title = "".join(text for text, _ in frames[-1][1][0])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n"
        f'<rect class="back" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>\n{groups}</svg>\n'
    )


def line(parts, row):
    """A line of text as SVG."""
    if not any(text.strip() for text, _ in parts):
        return ""
    spans = "".join(
        f'<tspan class="{style}">{html.escape(text)}</tspan>' if style else html.escape(text) for text, style in parts
    )
    length = sum(len(text) for text, _ in parts)
    return f'<text x="16" y="{row * LINE + 30}" textLength="{length * CELL:.1f}" xml:space="preserve">{spans}</text>'


def main():
    """Records the command."""
    program = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
    if program is None:
        sys.exit("there is no program gauntlet; set GAUNTLET")
    default = Path(__file__).resolve().parent / "pictures/terminal.svg"
    options = argparse.ArgumentParser(description="Records a command as an animated picture.")
    options.add_argument("goal", nargs="?", type=Path, default=default)
    options.add_argument("arguments", nargs=argparse.REMAINDER, help="of gauntlet")
    given = options.parse_args()
    goal, arguments = given.goal, given.arguments or ["run", "quickstart"]
    frames = recorded(str(Path(program).resolve()), arguments)
    goal.write_text(drawn(frames))
    print(f"{goal}: {len(frames)} frames, {frames[-1][0]:.0f} s, {goal.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
