"""Pictures of a report page: docs/pictures/report-{light,dark}.png.

    GAUNTLET=target/release/gauntlet python3 docs/screenshot.py [ARTEFACT]      # default: schaul2009/table1

Reproduces the artefact in an empty directory and opens its page in Chromium without a window. Needs chromium.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURES = Path(__file__).resolve().parent / "pictures"
SIZE = "1280,1000"


def main():
    """Takes both pictures."""
    program = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None or browser is None:
        sys.exit("there is no program gauntlet (set GAUNTLET), or no chromium")
    options = argparse.ArgumentParser(description="Takes both pictures of a report.")
    options.add_argument("artefact", nargs="?", default="schaul2009/table1")
    artefact = options.parse_args().artefact
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GAUNTLET")}
    with tempfile.TemporaryDirectory() as directory:
        command = [str(Path(program).resolve()), "reproduce", artefact, "--quiet"]
        subprocess.run(command, cwd=directory, env=environment, check=True, stdout=subprocess.DEVNULL)
        page = next(Path(directory, "reports", artefact.split("/")[0]).glob("*/index.html"))
        for theme, scheme in (("dark", 0), ("light", 1)):
            goal = PICTURES / f"report-{theme}.png"
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={SIZE}"]
            options += [f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={goal}"]
            subprocess.run([browser, *options, page.as_uri()], check=True, stderr=subprocess.DEVNULL)
            print(f"{goal}: {goal.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
