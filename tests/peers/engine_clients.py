"""Drives `gauntlet engine` by clients of other programs, and reports illegal moves, crashes and losses of step.

    python3 tests/peers/engine_clients.py target/release/gauntlet [--games 20]

* UCI: python-chess (`pip install chess`) is the referee of a match against stockfish, in the manner of cutechess: some
  games by nodes, some by time for a move, some by the clock. A loss on time counts as a fault. Then an endless analysis
  is stopped, and the delay is measured.
* GTP: a referee in this file plays Go on 9x9 against gnugo, in the manner of gogui-twogtp. After each move it compares
  the stones of both programs.
* Gomocup: a referee in this file lets two of our players play Gomoku, and checks rows and points itself.

A part whose client or opponent is missing is skipped, with a word. The exit code is 1 after any fault.
"""

import argparse
import queue
import shutil
import subprocess
import sys
import threading
import time

ROLLOUTS = "search = { guide.rollouts = { count = 1, most-plies = 40 }, search = { simulations = 60 } }"
STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


class Program:
    """A program that answers lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self, seconds=60):
        line = self.lines.get(timeout=seconds)
        if line is None:
            raise RuntimeError("the program has ended")
        return line

    def gtp(self, command):
        """The answer to a command of GTP."""
        self.send(command)
        first = self.read()
        lines = [first[1:].strip()]
        while (line := self.read()) != "":
            lines.append(line)
        if not first.startswith("="):
            raise RuntimeError(f"{command}: {first}")
        return "\n".join(lines).strip()

    def end(self, farewell):
        self.send(farewell)
        try:
            return self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise RuntimeError("the program ignores its end") from None


def uci_match(program, games, faults):
    """Games against stockfish."""
    try:
        import chess
        import chess.engine
    except ImportError:
        return print("uci: skipped, python-chess is missing (pip install chess)")
    if STOCKFISH is None:
        return print("uci: skipped, stockfish is missing")
    ours = chess.engine.SimpleEngine.popen_uci([program, "engine", "--protocol", "uci", "--agent", ROLLOUTS])
    other = chess.engine.SimpleEngine.popen_uci([STOCKFISH])
    other.configure({"Skill Level": 0})
    kinds = ["nodes 60", "movetime 30 ms", "clock 4 s + 0.05 s"]
    results = {"1-0": 0, "0-1": 0, "1/2-1/2": 0, "*": 0}
    plies, slowest = 0, 0.0
    for number in range(games):
        board, kind = chess.Board(), number % len(kinds)
        clocks = {True: 4.0, False: 4.0}
        ours_is_white = number % 2 == 0
        while not board.is_game_over(claim_draw=True) and board.ply() < 160:
            engine = ours if board.turn == ours_is_white else other
            limit = chess.engine.Limit(nodes=60) if kind == 0 else chess.engine.Limit(time=0.03)
            if kind == 2:
                limit = chess.engine.Limit(
                    white_clock=clocks[True], black_clock=clocks[False], white_inc=0.05, black_inc=0.05
                )
            begun = time.monotonic()
            try:
                # python-chess raises an error for an illegal move.
                result = engine.play(board, limit, game=number)
            except chess.engine.EngineError as error:
                faults.append(f"uci, game {number}: {error}")
                break
            spent = time.monotonic() - begun
            if engine is ours and kind == 1:
                slowest = max(slowest, spent)
            if kind == 2:
                clocks[board.turn] -= spent
                if clocks[board.turn] < 0 and engine is ours:
                    faults.append(f"uci, game {number}: time forfeit at ply {board.ply()}")
                clocks[board.turn] += 0.05
            board.push(result.move)
            plies += 1
        outcome = board.result(claim_draw=True)
        if not ours_is_white:
            outcome = {"1-0": "0-1", "0-1": "1-0"}.get(outcome, outcome)
        results[outcome] += 1
    told = ", ".join(f"{count} {outcome}" for outcome, count in results.items() if count)
    print(f"uci: {games} games against stockfish at skill 0 by {', '.join(kinds)}: {told} for us; {plies} plies")
    print(f"uci: slowest move at 30 ms: {1000 * slowest:.0f} ms")
    delays = []
    for _ in range(10):
        with ours.analysis(chess.Board(), chess.engine.Limit()) as analysis:
            time.sleep(0.2)
            begun = time.monotonic()
            analysis.stop()
            analysis.wait()
            delays.append(time.monotonic() - begun)
            scored = any("score" in info and "pv" in info for info in [analysis.info])
        if not scored:
            faults.append("uci: no score or no line in an analysis")
    print(f"uci: slowest answer to stop: {1000 * max(delays):.0f} ms")
    if max(delays) > 0.1:
        faults.append("uci: stop takes more than 100 ms")
    ours.quit()
    other.quit()


def gtp_match(program, games, faults):
    """Games of Go on 9x9 against gnugo."""
    if GNUGO is None:
        return print("gtp: skipped, gnugo is missing")
    # gnugo repeats positions over longer cycles, as its rules allow.
    game = "go = { size = 9, komi = 6.5, superko = \"simple\" }"
    agent = "uct = { simulations = 100 }"
    wins, moves = 0, 0
    for number in range(games):
        ours = Program([program, "engine", "--protocol", "gtp", "--game", game, "--agent", agent, "--seed", str(number)])
        other = Program([GNUGO, "--mode", "gtp", "--level", "1", "--seed", str(number + 1), "--chinese-rules"])
        for each in (ours, other):
            for line in ("boardsize 9", "clear_board", "komi 6.5"):
                each.gtp(line)
        if number % 4 == 3:
            ours.gtp("time_settings 10 0 0")
        sides = {"b": ours, "w": other} if number % 2 == 0 else {"b": other, "w": ours}
        passes, colour, ply, resigned = 0, "b", 0, False
        try:
            while passes < 2 and ply < 150:
                mover, waiter = sides[colour], sides["w" if colour == "b" else "b"]
                move = mover.gtp(f"genmove {colour}")
                if move.lower() == "resign":
                    resigned = True
                    break
                passes = passes + 1 if move.lower() == "pass" else 0
                waiter.gtp(f"play {colour} {move}")
                compare(ours, other, ply)
                colour, ply = ("w" if colour == "b" else "b"), ply + 1
            # Take back and repeat: both stay in step.
            for each in (ours, other):
                each.gtp("undo")
            compare(ours, other, ply)
            score = ours.gtp("final_score")
            our_colour = "B" if number % 2 == 0 else "W"
            wins += resigned or score.startswith(our_colour)
        except (RuntimeError, queue.Empty) as error:
            faults.append(f"gtp, game {number}, ply {ply}: {error!r}")
        moves += ply
        if ours.end("quit") != 0:
            faults.append(f"gtp, game {number}: the exit code is not 0")
        other.end("quit")
    print(f"gtp: {games} games of Go 9x9 against gnugo at level 1: {wins} won by us, by our count; {moves} moves")


def compare(ours, other, ply):
    """The stones of both programs."""
    theirs = {vertex for colour in ("black", "white") for vertex in other.gtp(f"list_stones {colour}").split()}
    own = set(ours.gtp("final_status_list alive").split())
    if own != theirs:
        raise RuntimeError(f"other stones after ply {ply}: {sorted(own ^ theirs)}")


def gomocup_match(program, games, faults):
    """Games of Gomoku between two of our players."""
    command = [program, "engine", "--protocol", "gomocup", "--agent"]
    plies, wins = 0, [0, 0, 0]
    for number in range(games):
        players = [Program([*command, "benchmark"]), Program([*command, "uct = { simulations = 50 }"])]
        for player in players:
            player.send("START 15")
            if player.read() != "OK":
                faults.append("gomocup: START")
            player.send("INFO timeout_turn 50")
        stones, turn, last = {}, number % 2, None
        try:
            while len(stones) < 225:
                player = players[turn]
                if len(stones) % 10 == 8:
                    # The whole board instead of the last move.
                    player.send("BOARD")
                    for (column, row), owner in stones.items():
                        player.send(f"{column},{row},{1 if owner == turn else 2}")
                    player.send("DONE")
                else:
                    player.send("BEGIN" if last is None else f"TURN {last}")
                last = player.read()
                point = tuple(int(text) for text in last.split(","))
                if point in stones or not all(0 <= at < 15 for at in point):
                    raise RuntimeError(f"illegal move {last}")
                stones[point] = turn
                if five(stones, point):
                    wins[turn] += 1
                    break
                turn = 1 - turn
            else:
                wins[2] += 1
        except (RuntimeError, ValueError, queue.Empty) as error:
            faults.append(f"gomocup, game {number}, ply {len(stones)}: {error!r}")
        plies += len(stones)
        for player in players:
            player.end("END")
    print(f"gomocup: {games} games of Gomoku 15x15, benchmark {wins[0]}, uct by time {wins[1]}, drawn {wins[2]}; {plies} plies")


def five(stones, point):
    """Whether a stone completes five in a row."""
    for step in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            at = (point[0] + sign * step[0], point[1] + sign * step[1])
            while stones.get(at) == stones[point]:
                count, at = count + 1, (at[0] + sign * step[0], at[1] + sign * step[1])
        if count >= 5:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--only", choices=["uci", "gtp", "gomocup"])
    arguments = parser.parse_args()
    faults = []
    for name, match in (("uci", uci_match), ("gtp", gtp_match), ("gomocup", gomocup_match)):
        if arguments.only in (None, name):
            match(arguments.program, arguments.games, faults)
    print("\n".join(faults) if faults else "no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
