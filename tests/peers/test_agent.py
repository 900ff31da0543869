"""Tests of experiments/engines: `python3 -m unittest tests/peers/test_agent.py`. Needs no package and no Gauntlet."""

import io
import json
import signal
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from engine_host import ENGINES, Engine, Othello, match, othello
from gauntlet_agent import Agent, Choice, RESIGN

HELLO = {"hello": {"protocol": 1, "program": "test", "game": othello(), "seed": "01" * 32, "options": {"depth": 3}}}
QUIT = {"quit": True}


def question(game=0, **parts):
    return {"game": game, "ply": 4, "side": "first", "seed": "07" * 32, "moves": [], "legal": ["D3", "C4"], **parts}


def think(*questions, id=1, **beside):
    return {"think": list(questions), "id": id, **beside}


def serve(agent, *messages):
    """The exit code, the agent's messages, and what it wrote to standard error."""
    lines = [json.dumps(one).encode() + b"\n" if isinstance(one, dict) else one for one in messages]
    answered, errors = io.BytesIO(), io.StringIO()
    with redirect_stderr(errors):
        code = agent.serve(lines, answered)
    return code, [json.loads(line) for line in answered.getvalue().splitlines()], errors.getvalue()


class First(Agent):
    def choose(self, position):
        return position.legal[0]


class Messages(unittest.TestCase):
    def test_a_session(self):
        code, said, _ = serve(First(), HELLO, think(question(3), question(5), id=9), {"over": [3, 5]}, QUIT)
        hello = {"protocol": 1, "name": "First", "version": "", "wants": ["moves", "position", "legal"], "batch": 256}
        moves = [{"game": 3, "move": "D3"}, {"game": 5, "move": "D3"}]
        self.assertEqual((code, said), (0, [{"hello": hello}, {"moves": moves, "id": 9}]))

    def test_start_sees_the_game_and_may_change_what_is_wanted(self):
        class Reader(First):
            def start(self):
                self.name = f"{self.game['kind']} {self.options['depth']}"
                self.planes, self.wants = {"stones": "split"}, ["legal"]

            def choose(self, position):
                assert (self.shape, self.logits, position.planes) == ((2, 6, 6), 37, [0.5])
                return position.legal[position.slots.index(20)]

        shape = {"planes": {"shape": [2, 6, 6], "logits": 37}}
        code, said, errors = serve(Reader(), HELLO, shape, think(question(planes=[0.5], slots=[14, 20])), QUIT)
        self.assertEqual(code, 0, errors)
        self.assertEqual((said[0]["hello"]["name"], said[0]["hello"]["planes"]), ("othello 3", {"stones": "split"}))
        self.assertEqual(said[1]["moves"], [{"game": 0, "move": "C4"}])

    def test_unknown_messages_keys_and_empty_lines_are_ignored(self):
        code, said, _ = serve(
            First(), HELLO, {"weather": "fine"}, b"\n", b"\r\n", think(question(new=1), other=2), QUIT
        )
        self.assertEqual((code, len(said)), (0, 2))

    def test_the_end_of_input_is_a_quit(self):
        self.assertEqual(serve(First(), HELLO)[0], 0)
        self.assertEqual(serve(First())[:2], (0, []))

    def test_nothing_is_read_after_quit(self):
        self.assertEqual(len(serve(First(), HELLO, QUIT, think(question()))[1]), 1)

    def test_values_and_policies(self):
        class Sure(Agent):
            def choose_all(self, positions):
                yield Choice("C4", -1, {"C4": 3})
                yield Choice("D3", policy=(1, 2))
                yield Choice("D3")

        _, said, _ = serve(Sure(), HELLO, think(question(0), question(1), question(2)), QUIT)
        first = {"game": 0, "move": "C4", "value": -1.0, "policy": [0.0, 3.0]}
        second = {"game": 1, "move": "D3", "policy": [1.0, 2.0]}
        self.assertEqual(said[1]["moves"], [first, second, {"game": 2, "move": "D3"}])

    def test_an_agent_may_resign(self):
        class Hopeless(Agent):
            def choose(self, position):
                return RESIGN

        _, said, _ = serve(Hopeless(), HELLO, think(question()), QUIT)
        self.assertEqual(said[1]["moves"], [{"game": 0, "resign": True}])

    def test_notes_are_messages(self):
        class Chatty(First):
            def choose(self, position):
                self.log("deep in thought")
                return position.legal[0]

        self.assertEqual(serve(Chatty(), HELLO, think(question()), QUIT)[1][1], {"log": "deep in thought"})


class Positions(unittest.TestCase):
    def played(self, *messages):
        seen = []

        class Watcher(First):
            def choose(self, position):
                position.memory["asked"] = position.memory.get("asked", 0) + 1
                seen.append((position.game, position.side, position.memory["asked"], position.rng.random()))
                return position.legal[0]

        code, _, errors = serve(Watcher(), HELLO, *messages, QUIT)
        self.assertEqual(code, 0, errors)
        return seen

    def test_memory_lasts_for_a_side_until_the_game_is_over(self):
        other = question(side="second")
        seen = self.played(think(question()), think(other), think(question()), {"over": [0]}, think(question()))
        counts = [("first", 1), ("second", 1), ("first", 2), ("first", 1)]
        self.assertEqual([(side, asked) for _, side, asked, _ in seen], counts)

    def test_a_game_that_was_never_seen_may_be_over(self):
        self.assertEqual(self.played({"over": [8]}), [])

    def test_random_choices_depend_on_the_question_alone(self):
        one, two = question(0), question(1, seed="08" * 32)
        together = self.played(think(one, two), think(one))
        apart = self.played(think(two), think(one))

        def draws(seen):
            return [draw for *_, draw in seen]

        first, second, again = draws(together)
        self.assertEqual(draws(apart), [second, first])
        self.assertEqual(again, first)
        later = draws(self.played(think(question(0, ply=6))))
        self.assertEqual(len({first, second, *later}), 3)

    def test_budget_and_clock(self):
        class Timed(First):
            def choose(self, position):
                assert position.budget == {"time-ms": 100} and position.time_left == 58.0
                return position.legal[0]

        clock = {"first-ms": 60000, "second-ms": 58000, "increment-ms": 100}
        asked = think(question(side="second", clock=clock), budget={"time-ms": 100})
        self.assertEqual(serve(Timed(), HELLO, asked, QUIT)[0], 0)


class Mistakes(unittest.TestCase):
    def fails(self, agent, expected, *messages):
        code, said, errors = serve(agent, HELLO, *(messages or [think(question())]), QUIT)
        self.assertEqual(code, 1)
        self.assertIn(expected, said[-1]["error"])
        self.assertIn("Traceback", errors)

    def choosing(self, chosen):
        class Wrong(Agent):
            def choose(self, position):
                return chosen

        return Wrong()

    def test_an_exception_is_an_error_message_with_its_traceback(self):
        class Broken(Agent):
            def choose(self, position):
                return 1 / 0

        self.fails(Broken(), "ZeroDivisionError: division by zero")

    def test_an_illegal_move_is_named(self):
        self.fails(self.choosing("A1"), "'A1' is not a legal move of game 0, ply 4")

    def test_a_choice_is_a_text(self):
        self.fails(self.choosing(14), "a choice is a move (a text) or a Choice, not 14")
        self.fails(self.choosing(None), "not None")

    def test_numbers_are_finite(self):
        self.fails(self.choosing(Choice("D3", float("nan"))), "Out of range float values")

    def test_an_answer_for_each_position(self):
        class Short(Agent):
            def choose_all(self, positions):
                return ["D3"]

        self.fails(Short(), "1 choices for 2 positions", think(question(0), question(1)))

    def test_an_agent_chooses(self):
        self.fails(Agent(), "neither `choose` nor `choose_all`")

    def test_another_version_is_refused(self):
        code, said, _ = serve(First(), {"hello": {**HELLO["hello"], "protocol": 2}})
        self.assertEqual(code, 1)
        self.assertIn("version 1 of the protocol, the program 2", said[0]["error"])

    def test_what_is_no_message(self):
        self.fails(First(), "JSONDecodeError", b"hello?\n")


NOISY = """
import os, subprocess, sys
from gauntlet_agent import Agent
class Noisy(Agent):
    def choose(self, position):
        print("a print of the agent")
        os.write(1, b"a library in C\\n")
        subprocess.run(["echo", "a child"])
        assert sys.stdin.read() == ""
        return position.legal[0]
Noisy().run()
"""


class Processes(unittest.TestCase):
    def script(self, text):
        path = Path(self.place) / "agent.py"
        path.write_text(f"import sys; sys.path.insert(0, {str(ENGINES)!r})\n{text}")
        return [sys.executable, str(path)]

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def test_prints_do_not_reach_the_protocol(self):
        with tempfile.TemporaryFile() as errors:
            engine = Engine(self.script(NOISY), othello(), stderr=errors)
            for _ in range(2):
                self.assertEqual(engine.think([question()])[0]["move"], "D3")
            self.assertEqual(engine.close(), 0)
            errors.seek(0)
            text = errors.read().decode()
        for said in ("a print of the agent", "a library in C", "a child"):
            self.assertEqual(text.count(said), 2, text)

    def test_long_messages_are_whole(self):
        class_ = "class A(Agent):\n    def choose(self, p): return Choice(p.legal[0], policy=[0.123456789] * 20000)\n"
        engine = Engine(self.script(f"from gauntlet_agent import *\n{class_}A().run()"), othello())
        answers = engine.think([question(game) for game in range(30)])
        self.assertEqual({len(one["policy"]) for one in answers.values()}, {20000})
        self.assertEqual(engine.close(), 0)

    def test_a_host_that_dies_leaves_no_agent(self):
        first = "class A(Agent):\n    def choose(self, p): return p.legal[0]\n"
        text = f"from gauntlet_agent import *\n{first}A().run()"
        engine = Engine(self.script(text), othello(), stderr=subprocess.PIPE)
        engine.process.stdin.close()
        engine.process.stdout.close()
        self.assertEqual(engine.process.wait(5), 0)
        self.assertEqual(engine.process.stderr.read(), b"")
        engine.process.stderr.close()

    def test_an_interrupt_is_quiet(self):
        # A shell lets its background jobs ignore interrupts, and a child inherits that.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        engine = Engine([sys.executable, str(ENGINES / "echo_agent.py")], othello(), stderr=subprocess.PIPE)
        engine.process.send_signal(signal.SIGINT)
        self.assertEqual(engine.process.wait(5), 130)
        self.assertEqual(engine.process.stderr.read(), b"")
        for stream in (engine.process.stdin, engine.process.stdout, engine.process.stderr):
            stream.close()


class Examples(unittest.TestCase):
    def start(self, name):
        shell = ["sh"] if name.endswith(".sh") else [sys.executable]
        engine = Engine([*shell, str(ENGINES / name)], othello())
        self.addCleanup(lambda: self.assertEqual(engine.close(), 0))
        return engine

    def test_greedy_is_better_than_random(self):
        score = match(self.start("greedy_othello.py"), self.start("random_agent.py"), 100)
        self.assertGreater(score, 0.7)

    def test_all_positions_at_once_or_one_by_one(self):
        engine, board = self.start("random_agent.py"), Othello()
        questions = [board.question(game, f"{game:064x}") for game in range(40)]
        together = engine.think(questions)
        alone = {game: engine.think([one])[game] for game, one in enumerate(questions)}
        self.assertEqual(together, alone)
        self.assertEqual({one["move"] for one in alone.values()}, set(board.actions()))

    def test_the_shell_plays_a_game(self):
        engine, board = self.start("minimal.sh"), Othello()
        self.assertEqual(engine.hello["batch"], 1)
        while not board.is_over:
            expected = board.actions()[0]
            self.assertEqual(engine.think([board.question(7, "0a" * 32)])[7]["move"], expected)
            board.play(expected)
        engine.over([7])

    def test_the_shortest_agents_have_15_lines(self):
        for name in ("random_agent.py", "echo_agent.py"):
            self.assertLessEqual(len((ENGINES / name).read_text().splitlines()), 15)


if __name__ == "__main__":
    unittest.main()
