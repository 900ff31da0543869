"""Tests of the module in python/: `python3 -m unittest tests/peers/test_python.py`.

They run the program `gauntlet` that the module finds: beside the interpreter, on PATH, or in the variable GAUNTLET.
Without one they are skipped, and tests of DataFrames are skipped without pandas or polars.
"""

import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

try:
    import gauntlet
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    import gauntlet
from gauntlet.frames import records_of

try:
    gauntlet.program()
    HAS_PROGRAM = True
except FileNotFoundError:
    HAS_PROGRAM = False

GATE = """
schema = 1
name = "gate"
title = "A gate"
[games]
go.atari-go = { size = 5 }
[agents]
mine.naive = {}
yardstick.random = {}
[suite]
delta = 60.0
alpha = 0.05
beta = 0.05
[suite.matches.mine]
game = "go"
agent = "mine"
opponent = "yardstick"
"""
MINE = """
schema = 1
name = "test/mine"
title = "A match"
games.o.othello = { size = 4 }
[agents]
random.random = {}
naive.naive = {}
[stages.match.play.match]
game = "o"
agent = "naive"
opponent = "random"
games = 6
[[exhibit]]
name = "scores"
show.crosstable = { stage = "match" }
"""
SLOW = """
import subprocess, time
import gauntlet
class Slow(gauntlet.Agent):
    def start(self):
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
    def choose(self, position):
        time.sleep(0.5)
        return position.legal[0]
Slow().run()
"""
PGN = """[White "{}"]
[Black "{}"]
[Result "{}"]

{}

"""


def has(name):
    return importlib.util.find_spec(name) is not None


def inside(place):
    """The numbers of the processes that work in a directory, as far as `/proc` tells."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == place and not (entry / "stat").read_text().rpartition(")")[2].startswith(" Z"):
                found.add(int(entry.name))
        except OSError:
            pass
    return found


def waited_for(is_there, seconds=20):
    """Whether something is true within some seconds."""
    begin = time.monotonic()
    while not is_there() and time.monotonic() - begin < seconds:
        time.sleep(0.05)
    return is_there()


class InPlace(unittest.TestCase):
    """Tests that run in a directory of their own."""

    def setUp(self):
        place, before = tempfile.TemporaryDirectory(), os.getcwd()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, before)
        os.chdir(place.name)


@unittest.skipUnless(HAS_PROGRAM, "there is no program gauntlet")
class Commands(InPlace):
    def run_it(self, **settings):
        return gauntlet.run("quickstart", profile="smoke", quiet=True, **settings)

    def test_a_run_its_report_and_its_rows(self):
        report = self.run_it()
        self.assertEqual([one.name for one in report], ["curves", "transfer"])
        self.assertEqual((report["transfer"].profile, len(report["transfer"].points)), ("smoke", 4))
        for ending in ("csv", "md", "tex", "png", "svg"):
            self.assertTrue(report["transfer"].path(ending).is_file(), ending)
        rows = gauntlet.results("quickstart", profile="smoke", frame="records")
        self.assertEqual(len(rows), 12)
        scores = {row["score"] for row in rows if row["stage"] == "transfer"}
        self.assertTrue(all(0 <= score <= 1 for score in scores), scores)
        steps = gauntlet.metrics("quickstart", profile="smoke", frame="records")
        self.assertEqual({row["step"] for row in steps}, {1, 2, 3})
        again = gauntlet.report("quickstart", profile="smoke")
        self.assertEqual(again["transfer"].points, report["transfer"].points)

    def test_the_games_of_a_manifest_are_rows(self):
        options = {"profile": "smoke", "frame": "records"}
        gauntlet.run("tournament", profile="smoke", quiet=True)
        games = gauntlet.games("tournament", moves=True, **options)
        self.assertEqual(len(games), sum(row["games"] for row in gauntlet.results("tournament", **options)))
        self.assertTrue(all(game["stage"] == "league" and game["moves"] for game in games))
        self.assertTrue({game["first"] for game in games} >= {"naive", "tactician"})
        self.assertNotIn("moves", gauntlet.games("tournament", **options)[0])
        settings = {game["first"]: json.loads(game["first.settings"]) for game in games}
        self.assertEqual(settings["tactician"], {"tactician": {"epsilon": 0.0}})

    def test_a_notebook_shows_tables_and_pictures(self):
        shown = self.run_it()._repr_html_()
        self.assertEqual(shown.count("<img "), 2)
        self.assertIn("data:image/svg+xml;base64,", shown)
        self.assertIn("<th>5x5</th>", shown)
        self.assertIn("<td>MDLSTM</td>", shown)
        self.assertIn("# Trained on 5x5", str(gauntlet.report("quickstart", profile="smoke")["transfer"]))

    def test_other_directories_and_overrides(self):
        report = self.run_it(results_dir="my results", reports_dir="out", set={"stages.train.seeds": 1}, jobs=1)
        self.assertEqual(report["curves"].profile, "custom")
        self.assertTrue(Path("out/quickstart/custom/runs.csv").is_file())
        self.assertFalse(Path("results").exists())

    def test_the_same_options_select_the_same_jobs_everywhere(self):
        options = {"profile": "smoke", "seeds": 3}
        plain, more = self.run_it(), gauntlet.run("quickstart", quiet=True, **options)
        self.assertEqual(gauntlet.report("quickstart", **options)["transfer"].points, more["transfer"].points)
        self.assertNotEqual(plain["transfer"].points, more["transfer"].points)
        rows = gauntlet.results("quickstart", frame="records", **options)
        self.assertEqual({row["seed"] for row in rows}, {1, 2, 3})
        steps = gauntlet.metrics("quickstart", frame="records", **options)
        self.assertEqual({row["seed"] for row in steps}, {1, 2, 3})
        chosen = gauntlet.metrics("quickstart", frame="records", only="seed=2", **options)
        self.assertEqual({row["seed"] for row in chosen}, {2})

    def test_messages_appear_while_it_runs(self):
        said = io.StringIO()
        with redirect_stderr(said):
            gauntlet.run("quickstart", profile="smoke")
        self.assertIn("12 jobs", said.getvalue())

    def test_errors_are_exceptions_with_the_words_of_the_program(self):
        with self.assertRaises(gauntlet.GauntletError) as caught:
            gauntlet.run("quickstrat", quiet=True)
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("there is no manifest `quickstrat`", caught.exception.stderr)
        self.assertIn("hint:", str(caught.exception))
        with self.assertRaisesRegex(gauntlet.GauntletError, "none of 12 jobs has a result"):
            gauntlet.results("quickstart", profile="smoke")

    def test_ratings(self):
        games = [
            ("a", "b", "1-0"),
            ("b", "a", "1/2-1/2"),
            ("a", "c", "1-0"),
            ("b", "c", "1-0"),
            ("c", "b", "0-1"),
            ("c", "a", "1-0"),
        ]
        Path("games.pgn").write_text("".join(PGN.format(*game, game[2]) for game in games))
        players = gauntlet.ratings("games.pgn", anchors={"a": 1500}, frame="records")
        elo = {row["name"]: row["likelihood.elo"] for row in players}
        self.assertEqual(set(elo), {"a", "b", "c"})
        self.assertEqual(elo["a"], 1500.0)
        self.assertLess(elo["c"], elo["b"])

    def test_the_gate(self):
        Path("gate.toml").write_text(GATE)
        self.assertEqual(gauntlet.regress("gate.toml", quiet=True).ruling, "unmeasured")
        gauntlet.call("regress", "gate.toml", "--update-baseline", "--reason", "first")
        gate = gauntlet.regress("gate.toml", commit="c1", quiet=True)
        self.assertEqual((gate.code, gate.ruling, gate.matches[0]["name"]), (0, "passed", "mine"))
        self.assertIn("<table>", gate._repr_html_())
        worse = gauntlet.regress("gate.toml", commit="c1", set={"agents.mine": "{ random = {} }"}, quiet=True)
        self.assertEqual((worse.code, worse.ruling), (3, "regressed"))
        self.assertTrue((worse.directory / "junit.xml").is_file())

    def test_the_module_is_the_program(self):
        command = [sys.executable, "-m", "gauntlet", "--version"]
        environment = {**os.environ, "PYTHONPATH": str(Path(gauntlet.__file__).parents[1])}
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
        self.assertRegex(said, r"^gauntlet \d")

    def test_a_manifest_may_be_a_file_anywhere(self):
        Path("deep").mkdir()
        for name in ("my.toml", "deep/other name.toml", "--reports=evil.toml", str(Path("absolute.toml").resolve())):
            Path(name).write_text(MINE.replace("test/mine", f"test{len(name)}/mine"))
            self.assertEqual([one.name for one in gauntlet.run(name, quiet=True)], ["scores"])
            (row,) = gauntlet.results(name, frame="records")
            self.assertEqual((row["stage"], row["games"]), ("match", 6))

    def test_names_are_no_options(self):
        for name in ("--reports=evil", "--allow-engines", "-q", "--help"):
            for command in (gauntlet.run, gauntlet.report, gauntlet.results, gauntlet.metrics, gauntlet.games, gauntlet.regress, gauntlet.ratings):
                with self.assertRaises(gauntlet.GauntletError, msg=f"{command} {name}") as caught:
                    command(name)
                self.assertEqual(caught.exception.code, 2, name)
        self.assertEqual(os.listdir(), [])
        with self.assertRaises(gauntlet.GauntletError):
            gauntlet.ratings("--x.csv", anchors={"--allow-engines": 3})

    @unittest.skipUnless(os.path.isdir("/proc/self"), "there is no /proc")
    def test_everything_ends_with_python(self):
        manifest = MINE.replace("naive.naive = {}", f'naive.engine = {{ command = ["{sys.executable}", "slow.py"] }}')
        environment = {**os.environ, "PYTHONPATH": str(Path(gauntlet.__file__).parents[1])}
        script = "import gauntlet; gauntlet.run('my.toml', allow_engines=True)"
        forks = "import multiprocessing as m, threading, time\nmain = m.get_context('fork').Process(target=time.sleep, args=(9,))\n"
        forks += f"threading.Timer(1, main.start).start()\n{script}"
        cases = [(script, number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)]
        for script, number in (*cases, (forks, signal.SIGKILL)):
            with tempfile.TemporaryDirectory() as place, self.subTest(signal=number):
                place = os.path.realpath(place)
                Path(place, "my.toml").write_text(manifest)
                Path(place, "slow.py").write_text(SLOW)
                pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                python = subprocess.Popen([sys.executable, "-c", script], env=environment, cwd=place, **pipes)
                # Python, the program, the guard, the engine and its child.
                self.assertTrue(waited_for(lambda: len(inside(place)) >= 5), inside(place))
                time.sleep(0.5 if script is not forks else 1.5)
                python.send_signal(number)
                python.wait(20)
                # The process that was forked off lives on, and holds nothing of ours.
                left = 1 if script is forks else 0
                self.assertTrue(waited_for(lambda: len(inside(place)) <= left, 6), inside(place))

    def test_an_interrupt_lets_the_program_save(self):
        script = (
            "import gauntlet, os, signal, threading\n"
            "threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try: gauntlet.run('quickstart', jobs=1, set={'stages.train.train.cma-es.settings.generations': 100000})\n"
            "except KeyboardInterrupt: print('interrupted')\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(gauntlet.__file__).parents[1])}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60}
        ended = subprocess.run([sys.executable, "-c", script], env=environment, **pipes)
        self.assertEqual(ended.stdout, "interrupted\n", ended.stderr)
        self.assertTrue(list(Path("results").rglob("*")), "the state is saved")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_frames_of_pandas(self):
        report = self.run_it()
        runs = gauntlet.results("quickstart", profile="smoke")
        self.assertEqual(len(runs), 12)
        means = runs[runs["stage"] == "transfer"].groupby(["agent", "game.size"])["score"].mean()
        points = report["transfer"].frame()
        self.assertAlmostEqual(sum(means), sum(points["value"]))
        self.assertIn("error.size", points.columns)
        Path("games.csv").write_text("white,black,result\na,b,1-0\nb,a,1-0\na,b,1/2-1/2\n")
        self.assertEqual(gauntlet.ratings("games.csv").attrs["level"], 0.95)

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_frames_of_polars(self):
        self.run_it()
        runs = gauntlet.results("quickstart", profile="smoke", frame="polars")
        self.assertEqual(runs.filter(runs["stage"] == "transfer")["score"].len(), 8)
        self.assertEqual(gauntlet.metrics("quickstart", profile="smoke", frame="polars")["step"].max(), 3)


class Module(InPlace):
    def test_the_agent_is_the_file_of_the_engines(self):
        source = Path(__file__).resolve().parents[2] / "experiments" / "engines" / "gauntlet_agent.py"
        self.assertEqual(Path(gauntlet.agent.__file__).read_text(), source.read_text())

    def test_cells_have_types(self):
        rows = records_of('a,b,c,d,e,f,g\n1,-2.5,true,,"x, y",nan,1_0\n')
        expected = {"a": 1, "b": -2.5, "c": True, "d": None, "e": "x, y", "f": "nan", "g": "1_0"}
        self.assertEqual(rows, [expected])

    @unittest.skipIf(importlib.util.find_spec("numpy") is None, "there is no numpy")
    def test_a_loss_that_is_not_finite_is_named(self):
        from gauntlet.network import Network

        class Diverged(Network):
            def learn(self, batch):
                return {"policy": 1.0, "value": 0.5, **self.settings}

        for name, number in [("policy", float("nan")), ("norm", float("inf"))]:
            told, asked = io.BytesIO(), {"version": 0, "rate": 0.1, "fresh": True, "value-weight": 1, "l2": 0, "legal-only": False}
            blocks = [("input", "f32"), ("policy", "f32"), ("legal", "u8"), ("values", "f32"), ("known", "u8")]
            named = [{"name": block, "type": kind, "shape": [0]} for block, kind in blocks]
            message = json.dumps({"learn": asked, "blocks": named}).encode() + b"\n"
            network = Diverged()
            network.settings = {name: number}
            with redirect_stderr(io.StringIO()):
                self.assertEqual(network.serve(io.BytesIO(message), told), 1)
            wanted = f"`learn` returned {number} as `{name}`, which is not finite"
            self.assertIn(wanted, json.loads(told.getvalue())["error"])

    @unittest.skipIf(importlib.util.find_spec("numpy") is None, "there is no numpy")
    def test_counts_of_numpy_are_whole_numbers(self):
        import numpy
        from gauntlet import network

        for count in [3, 3.0, numpy.int64(3), numpy.float32(3)]:
            self.assertEqual(json.dumps(network._whole("operations", count)), "3")
        for wrong in [1.5, "3", -1, float("nan"), float("inf"), [3]]:
            with self.assertRaisesRegex(ValueError, "`operations` is .*: it has to be a whole number, 0 or more"):
                network._whole("operations", wrong)

        class Counted(network.Network):
            operations, rows = numpy.int64(7), numpy.array([1, 64])

        hello = {"protocol": 1, "game": "g", "shape": [1, 3, 3], "logits": 9, "settings": {}}
        told = io.BytesIO()
        self.assertEqual(Counted().serve(io.BytesIO(json.dumps({"hello": hello}).encode() + b"\n"), told), 0)
        answer = json.loads(told.getvalue())["hello"]
        self.assertEqual((answer["operations"], answer["rows"]), (7, [1, 64]))

    def test_names_are_those_of_the_manifest(self):
        names = ["NA", "null", "nan", "'-", "'=1+2", "''=x", "'s", "a, b"]
        text = "name,value\n" + "".join(f'"{name}",{at}\n' for at, name in enumerate(names)) + "none,\n"
        wanted = ["NA", "null", "nan", "-", "=1+2", "'=x", "'s", "a, b", "none"]
        self.assertEqual([row["name"] for row in records_of(text)], wanted)
        for frame in filter(has, ["pandas", "polars"]):
            table = gauntlet.frames.frame_of(text, frame)
            self.assertEqual(list(table["name"]), wanted, frame)
            self.assertEqual(table["value"].sum(), sum(range(len(names))), frame)

    def test_labels_that_look_like_numbers_stay_texts(self):
        text = "stage,agent,version,size,key,score\nm,1.1,1.10,5,0573790523225486,0.5\nm,1.10,1.1,7,12,1.0\nm,1e5,2.0,9,13,\n"
        rows = records_of(text)
        self.assertEqual([row["agent"] for row in rows], ["1.1", "1.10", "1e5"])
        self.assertEqual([row["version"] for row in rows], ["1.10", "1.1", "2.0"])
        self.assertEqual([row["size"] for row in rows], [5, 7, 9])
        self.assertEqual([row["score"] for row in rows], [0.5, 1.0, None])
        self.assertEqual(rows[0]["key"], "0573790523225486")
        for frame in filter(has, ["pandas", "polars"]):
            table = gauntlet.frames.frame_of(text, frame)
            self.assertEqual(list(table["agent"]), ["1.1", "1.10", "1e5"], frame)
            self.assertEqual(list(table["key"]), ["0573790523225486", "12", "13"], frame)
            self.assertEqual((table["size"].sum(), table["score"].sum()), (21, 1.5), frame)
            late = gauntlet.frames.table_of([{"a": 1}] * 150 + [{"a": 2.5, "b": 1.0}], frame)
            self.assertEqual((late["a"].sum(), late["b"].sum()), (152.5, 1.0), frame)

    @unittest.skipIf(importlib.util.find_spec("numpy") is None, "there is no numpy")
    def test_transposed_answers_are_refused(self):
        import numpy
        from gauntlet.network import _numbers

        self.assertEqual(_numbers(numpy.zeros((4, 2)), (4, 2)).shape, (4, 2))
        self.assertEqual(_numbers(numpy.zeros((4, 1)), (4,)).shape, (4,))
        for array in [numpy.zeros((2, 4)), numpy.zeros((4, 3)), numpy.zeros(())]:
            with self.assertRaisesRegex(ValueError, "is needed"):
                _numbers(array, (4, 2))

    def test_names_of_players_are_those_of_games(self):
        text = "key,first,second,step\na,0.25,1.1,1\nb,0.5,2.0,2\n"
        self.assertEqual([row["first"] for row in records_of(text)], [0.25, 0.5])
        games = records_of(text, ("first", "second"))
        self.assertEqual([(row["first"], row["second"]) for row in games], [("0.25", "1.1"), ("0.5", "2.0")])

    def test_overrides_are_values_of_toml(self):
        from gauntlet.commands import _flags

        flags = _flags(overrides={"games.hex.hex": {"size": 3}, "stages.m.seeds": [1, 2], "a.b": True, "c": "x", "d": "\u00e9", "e": float("inf")})
        with self.assertRaisesRegex(ValueError, "no null"):
            _flags(overrides={"a": {"b": None}})
        wanted = ['games.hex.hex={"size" = 3}', "stages.m.seeds=[1, 2]", "a.b=true", "c=x", "d=\u00e9", "e=inf"]
        self.assertEqual([flag.removeprefix("--set=") for flag in flags if flag != "--set"], wanted)

    def test_a_missing_package_and_a_missing_program_have_a_fix(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, 'pip install pandas`, or frame="records"'):
                gauntlet.frames.frame_of("a\n1\n", "pandas")
        with self.assertRaisesRegex(ValueError, '"polars" or "records", not \'arrow\''):
            gauntlet.frames.frame_of("a\n1\n", "arrow")
        with mock.patch("os.path.isfile", return_value=False):
            with self.assertRaisesRegex(FileNotFoundError, "put it on PATH"):
                gauntlet.program()

    def test_the_program_is_looked_for_in_this_order(self):
        def program_in(place):
            Path(place).mkdir()
            path = Path(place) / "gauntlet"
            path.write_text('#!/bin/sh\necho "$0"\n')
            path.chmod(0o755)
            return str(path)

        scripts, on_path, named = program_in("scripts"), program_in("path"), program_in("named")
        found = {"PATH": "path", "GAUNTLET": named}
        with mock.patch("sysconfig.get_path", return_value="scripts"), mock.patch.dict(os.environ, found):
            self.assertEqual(gauntlet.program(), os.path.relpath(scripts))
            os.remove(scripts)
            self.assertEqual(gauntlet.program(), os.path.relpath(on_path))
            os.remove(on_path)
            self.assertEqual(gauntlet.call(), (0, f"{named}\n"))


if __name__ == "__main__":
    unittest.main()
