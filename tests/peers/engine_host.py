"""The other end of the engine protocol, small enough to read: starts engines, plays Othello with them, measures speed.

    python3 tests/peers/engine_host.py speed [ENGINE ...]          # moves a second in batches of 256
    python3 tests/peers/engine_host.py play A B [--games 40]       # Othello in pairs of games with random openings

An ENGINE is a command in quotes. This is not a part of Gauntlet: it helps to test an engine before Gauntlet starts it.
"""

import argparse
import json
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path

ENGINES = Path(__file__).resolve().parents[2] / "experiments" / "engines"
sys.path.insert(0, str(ENGINES))
from greedy_othello import flipped

NAMES = "first", "second"


class Engine:
    """A running engine."""

    def __init__(self, command, game, options=None, stderr=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)
        self.asked = 0
        hello = {"protocol": 1, "program": "engine host", "game": game, "seed": "01" * 32, "options": options or {}}
        self.send({"hello": hello})
        answer = self.receive()
        if "hello" not in answer:
            raise RuntimeError(answer.get("error", answer))
        self.hello = answer["hello"]
        self.wants = self.hello.get("wants", ["moves", "position", "legal"])
        if self.hello.get("planes") is not None:
            self.send({"planes": {"shape": [1, game["rows"], game["columns"]], "logits": game["actions"]}})
            self.wants = [*self.wants, "legal", "planes", "slots"]

    def send(self, message):
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the engine closed its output")
            message = json.loads(line)
            if "log" not in message:
                return message

    def think(self, positions, **beside):
        """The answers by game."""
        self.asked += 1
        shown = [{key: part for key, part in one.items() if key not in PARTS or key in self.wants} for one in positions]
        self.send({"think": shown, "id": self.asked, **beside})
        answer = self.receive()
        if "moves" not in answer:
            raise RuntimeError(answer.get("error", answer))
        assert answer.get("id", self.asked) == self.asked, answer
        return {one["game"]: one for one in answer["moves"]}

    def over(self, games):
        self.send({"over": games})

    def close(self):
        """The exit code."""
        try:
            self.send({"quit": True})
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        code = self.process.wait(5)
        self.process.stdout.close()
        return code


PARTS = {"moves", "position", "legal", "planes", "slots"}


def othello(size=6):
    """The facts of the game."""
    facts = {"name": f"othello {size}x{size}", "kind": "othello", "spec": {"othello": {"size": size}}}
    facts |= {
        "rows": size,
        "columns": size,
        "sites": size * size,
        "actions": size * size + 1,
        "sides": ["black", "white"],
    }
    return facts


class Othello:
    """A game of Othello: rules, and the parts of a question."""

    def __init__(self, size=6):
        self.size, self.side, self.moves = size, 0, []
        self.board = [["."] * size for _ in range(size)]
        low, high = size // 2 - 1, size // 2
        self.board[low][low] = self.board[high][high] = "o"
        self.board[low][high] = self.board[high][low] = "x"

    def legal(self, side=None):
        letter = "xo"[self.side if side is None else side]
        squares = [(row, column) for row in range(self.size) for column in range(self.size)]
        free = [(row, column) for row, column in squares if self.board[row][column] == "."]
        return [self.name(*square) for square in free if flipped(self.board, *square, letter)]

    def actions(self):
        """The legal moves: a pass if there is no other."""
        return self.legal() or ["pass"]

    @property
    def is_over(self):
        return not self.legal() and not self.legal(1 - self.side)

    def name(self, row, column):
        return f"{chr(ord('A') + column)}{row + 1}"

    def play(self, move):
        if move != "pass":
            row, column = int(move[1:]) - 1, ord(move[0]) - ord("A")
            for at, to in [(row, column), *flipped(self.board, row, column, "xo"[self.side])]:
                self.board[at][to] = "xo"[self.side]
        self.side = 1 - self.side
        self.moves.append(move)

    def lead(self):
        """Discs of the first side more than of the second."""
        discs = [disc for row in self.board for disc in row]
        return discs.count("x") - discs.count("o")

    def question(self, game, seed):
        legal = self.actions()
        return {
            "game": game,
            "ply": len(self.moves),
            "side": NAMES[self.side],
            "seed": seed,
            "moves": self.moves,
            "position": self.text(),
            "legal": legal,
            "planes": [self.sign(disc) for row in self.board for disc in row],
            "slots": [self.slot(move) for move in legal],
        }

    def sign(self, disc):
        return 0.0 if disc == "." else 1.0 if disc == "xo"[self.side] else -1.0

    def slot(self, move):
        return self.size**2 if move == "pass" else (int(move[1:]) - 1) * self.size + ord(move[0]) - ord("A")

    def text(self):
        rows = []
        for row in self.board:
            text, run = "", 0
            for disc in [*row, "|"]:
                if disc == ".":
                    run += 1
                    continue
                text += (str(run) if run else "") + (disc if disc in "xo" else "")
                run = 0
            rows.append(text)
        return "/".join(rows) + " " + "xo"[self.side]


def match(first, second, games, size=6, seed=1):
    """The score of the first engine, 0 to 1: pairs of games with one random opening, colours swapped, all at once."""
    dice = random.Random(seed)
    boards = []
    for _ in range(games // 2):
        opening = Othello(size)
        for _ in range(4):
            opening.play(dice.choice(opening.actions()))
        for _ in range(2):
            board = Othello(size)
            for move in opening.moves:
                board.play(move)
            boards.append(board)
    engines = first, second
    seeds = [[f"{dice.getrandbits(256):064x}" for _ in NAMES] for _ in boards]
    while live := [at for at, board in enumerate(boards) if not board.is_over]:
        for which, engine in enumerate(engines):
            turns = [at for at in live if not boards[at].is_over and (boards[at].side ^ (at & 1)) == which]
            if not turns:
                continue
            answers = engine.think([boards[at].question(at, seeds[at][which]) for at in turns])
            for at in turns:
                assert answers[at]["move"] in boards[at].actions(), answers[at]
                boards[at].play(answers[at]["move"])
    for engine in engines:
        engine.over(list(range(len(boards))))
    leads = [board.lead() * (1 if at % 2 == 0 else -1) for at, board in enumerate(boards)]
    return sum((lead > 0) + (lead == 0) / 2 for lead in leads) / len(leads)


def speed(command, batch=256, seconds=3.0):
    """Moves a second of an engine on Othello 8x8, with positions from the middle of games."""
    dice, questions = random.Random(1), []
    for game in range(batch):
        board = Othello(8)
        for _ in range(20):
            board.play(dice.choice(board.actions()))
        questions.append(board.question(game, f"{dice.getrandbits(256):064x}"))
    engine, moves = Engine(command, othello(8)), 0
    questions = questions[: engine.hello.get("batch", 256)]
    engine.think(questions)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        moves += len(engine.think(questions))
    rate = moves / (time.perf_counter() - start)
    engine.close()
    return rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["speed", "play"])
    parser.add_argument("engines", nargs="*")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--size", type=int, default=6)
    arguments = parser.parse_args()
    own = [f"{sys.executable} {ENGINES / name}" for name in ("echo_agent.py", "random_agent.py")]
    commands = [shlex.split(engine) for engine in arguments.engines or own]
    if arguments.task == "speed":
        for command in commands:
            print(f"{speed(command):10.0f} moves/s  {shlex.join(command)}")
        return
    first, second = (Engine(command, othello(arguments.size)) for command in commands[:2])
    score = match(first, second, arguments.games, arguments.size)
    print(f"{first.hello['name']} scores {score:.3f} against {second.hello['name']} in {arguments.games} games")
    for engine in (first, second):
        engine.close()


if __name__ == "__main__":
    main()
