"""A trainer in the standard library alone, as docs/trainer.md describes the protocol.

Usage: train.py MARK [FAULT]: the mark is in no message; the fault is one of those of the tests. It draws numbers, and
leaves their sum.
"""

import json
import os
import random
import subprocess
import sys
import time

FAULT = sys.argv[2] if len(sys.argv) > 2 else ""


def send(**message):
    print(json.dumps(message), flush=True)


def write(name, text):
    path = os.path.join(task["directory"], name)
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


task = json.loads(sys.stdin.readline())
assert os.environ["OMP_NUM_THREADS"] == str(task["threads"])
send(hello={"name": "counter", "versions": {"python": "3"}})
print("a line that is no message")

if FAULT == "nothing":
    sys.exit(0)
if FAULT == "crash":
    sys.exit("the memory of the card is full")
if FAULT == "signal":
    os.abort()
if FAULT == "silent":
    time.sleep(60)
if FAULT == "binary":
    os.write(1, b"\xff\xfe\n")
if FAULT == "nan":
    send(metrics={"loss": float("nan")})
if FAULT == "step":
    send(metrics={"step": 1})
if FAULT == "score":
    send(metrics={"score": 0.5})
if FAULT == "unknown":
    send(dance=1)
if FAULT == "uncountable":
    send(error="this trainer does not count games")
if FAULT == "outside":
    send(checkpoint=["../state.json"])
if FAULT == "absent":
    send(checkpoint=["none.json"])
if FAULT == "link":
    os.symlink("/etc/hostname", os.path.join(task["directory"], "linked"))
if FAULT == "large":
    write("large", "x" * (2 << 20))
if FAULT == "hungry":
    # The trainer and a child of it hold 100 MB each at the same time.
    child = subprocess.Popen([sys.executable, "-c", "held = b'x' * 100_000_000; import time; time.sleep(2.5)"])
    held = b"x" * 100_000_000
    child.wait()
if FAULT == "link-itself":
    # What lies elsewhere is no result.
    os.rmdir(task["directory"])
    os.symlink(os.getcwd(), task["directory"])
    sys.exit(0)
if FAULT == "reserved":
    write("__metadata__", "{}")
    sys.exit(0)
if FAULT == "falling":
    send(games=9)
    send(games=1)
if FAULT == "child":
    subprocess.Popen(["sh", "-c", f"sleep 60; : {sys.argv[1]}"], start_new_session=True)

count, total = 0, task["seed"]
if task["started_from"]:
    assert task["started_from"] == ["result.json"]
    with open(os.path.join(task["directory"], "result.json")) as file:
        total = json.load(file)["total"]
if task["resumed"]:
    assert task["resumed"] == ["state.json"] and task["elapsed"] > 0.0
    with open(os.path.join(task["directory"], "state.json")) as file:
        count, total = json.load(file)
while count < 20:
    count += 1
    total += random.Random(total).randrange(1000)
    time.sleep(task["settings"].get("pause", 0.0))
    send(metrics={"loss": 1.0 / count, "rate": None}, progress=count / 20)
    if FAULT != "uncounted":
        send(games=count * (3 if FAULT == "overrun" else 1))
    write("state.json", json.dumps([count, total]))
    send(checkpoint=["state.json"])
    assert json.loads(sys.stdin.readline()) == {"saved": True}
os.remove(os.path.join(task["directory"], "state.json"))
write("result.json", json.dumps({"total": total}))
