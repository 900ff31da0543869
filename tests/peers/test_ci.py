"""Tests of the files in ci/, with stand-ins for the services: `python3 -m unittest tests/peers/test_ci.py`.

The steps of action.yml run with stand-ins for the program and, if node is installed, for GitHub. The note of the GitLab
template goes to a small server. No test asks the services themselves.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NIGHT = {"version": 2, "suite": "gate", "profile": "base", "ruling": "regressed", "matches": [{"ruling": "passed"}]}
PROGRAM = """#!/bin/sh
printf '%s\\n' "$@" >arguments
printf '%s\\n' '{night}'
exit {code}
"""
COMMENT = """
const kept = JSON.parse(process.argv[1]);
const issues = {
  listComments: "list",
  updateComment: async (call) => console.log(JSON.stringify({ update: call })),
  createComment: async (call) => console.log(JSON.stringify({ create: call })),
};
const github = { rest: { issues }, paginate: async () => kept };
const payload = { pull_request: { number: 7 } };
const context = { serverUrl: "https://host", repo: { owner: "me", repo: "agent" }, runId: 5, payload };
require(process.argv[2])({ github, context, core: { info: () => {} } });
"""


class Place(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def write(self, name, text, mode=0o644):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


class Action(Place):
    def step(self, night, code, arguments=""):
        """The outputs of the step `gate`, and the arguments of the program."""
        self.write("bin/gauntlet", PROGRAM.format(night=night, code=code), 0o755)
        settings = {"MANIFEST": "my gate.toml", "ARGUMENTS": arguments, "RESULTS": "results", "REPORTS": "out/reports"}
        settings |= {"COMMIT": "abc", "GITHUB_OUTPUT": str(self.place / "outputs")}
        settings["PATH"] = f"{self.place / 'bin'}:{os.environ['PATH']}"
        subprocess.run(["bash", ROOT / "ci/gate.sh"], check=True, cwd=self.place, env=settings)
        outputs = dict(line.split("=", 1) for line in (self.place / "outputs").read_text().splitlines())
        return outputs, (self.place / "arguments").read_text().splitlines()

    def test_a_ruling_is_an_output_and_no_failure(self):
        outputs, arguments = self.step(json.dumps(NIGHT, indent=2), 3, "--profile smoke  --jobs 2")
        expected = {"code": "3", "ruling": "regressed", "suite": "gate", "report": "out/reports/gate/base"}
        self.assertEqual(outputs, expected)
        self.assertEqual(arguments[:4], ["regress", "my gate.toml", "--json", "--no-progress"])
        self.assertEqual(arguments[-4:], ["--profile", "smoke", "--jobs", "2"])

    def test_a_wrong_manifest_has_no_report(self):
        outputs, _ = self.step("", 2)
        self.assertEqual(outputs, {"code": "2", "ruling": "", "suite": "", "report": ""})

    def test_steps_and_outputs_have_the_names_of_the_scripts(self):
        text = (ROOT / "action.yml").read_text()
        written = set(re.findall(r'echo "(\w+)=', (ROOT / "ci/gate.sh").read_text()))
        self.assertEqual(set(re.findall(r"steps\.gate\.outputs\.(\w+)", text)), written)
        for name in re.findall(r"ci/[\w.]+", text):
            self.assertTrue((ROOT / name).is_file(), name)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_a_comment_is_made_once_and_then_updated(self):
        summary = self.write("summary.md", "## gate: pass\n")
        env = {"PATH": os.environ["PATH"], "SUITE": "gate", "SUMMARY": str(summary)}
        other = {"id": 1, "body": "looks good"}
        own = {"id": 2, "body": "<!-- gauntlet: gate -->\nolder"}

        def call(kept):
            command = ["node", "-e", COMMENT, json.dumps(kept), str(ROOT / "ci/comment.js")]
            return json.loads(subprocess.run(command, check=True, env=env, stdout=subprocess.PIPE).stdout)

        made = call([other])["create"]
        self.assertEqual((made["issue_number"], made["owner"]), (7, "me"))
        self.assertTrue(made["body"].startswith("<!-- gauntlet: gate -->\n## gate: pass\n"), made["body"])
        self.assertIn("https://host/me/agent/actions/runs/5", made["body"])
        self.assertEqual(call([other, own])["update"]["comment_id"], 2)


class Notes(http.server.BaseHTTPRequestHandler):
    """A stand-in for GitLab's notes."""

    def answer(self, found):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):
        assert self.headers["PRIVATE-TOKEN"] == "secret"
        self.answer([{"id": number, "body": body} for number, body in self.server.notes.items()])

    def do_POST(self):
        self.server.notes[len(self.server.notes)] = self.body()
        self.answer({})

    def do_PUT(self):
        self.server.notes[int(self.path.rpartition("/")[2])] = self.body()
        self.answer({})

    def log_message(self, *_):
        pass


class GitLab(Place):
    def note(self, server, **settings):
        """The last step of the template, as its shell runs it."""
        template = (ROOT / "ci/gitlab.yml").read_text()
        script = textwrap.dedent(template.split("<<'END'\n")[1].split("      END\n")[0])
        env = {"PATH": os.environ["PATH"], "CI_API_V4_URL": f"http://localhost:{server.server_port}", **settings}
        return subprocess.run(
            [sys.executable, "-c", script], cwd=self.place, env=env, stderr=subprocess.PIPE, text=True
        )

    def test_a_note_is_made_once_and_then_updated(self):
        server = http.server.HTTPServer(("localhost", 0), Notes)
        server.notes = {0: "looks good"}
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = {
            "GAUNTLET_TOKEN": "secret",
            "CI_PROJECT_ID": "3",
            "MANIFEST": "gate.toml",
            "CI_JOB_URL": "https://job",
        }
        self.assertIn("not a merge request", self.note(server, **settings).stderr)
        settings["CI_MERGE_REQUEST_IID"] = "7"
        for text in ("## gate: pass\n", "## gate: regression\n"):
            self.write("reports/gate/base/summary.md", text)
            ended = self.note(server, **settings)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual(list(server.notes), [0, 1])
            self.assertTrue(server.notes[1].startswith(f"<!-- gauntlet: gate.toml -->\n{text}"))
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    unittest.main()
