"""Tests of pages in a real browser: `GAUNTLET=target/release/gauntlet python3 tests/peers/test_pages.py`.

The program renders a report and the index of a gallery; Chromium opens the files without a server, driven by its
DevTools protocol over pipes. Without Chromium the tests are skipped. GAUNTLET_SCREENSHOTS names a directory for
screenshots.
"""

import base64
import csv
import io
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("GAUNTLET", ROOT / "target/release/gauntlet")).resolve()
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
SCREENSHOTS = os.environ.get("GAUNTLET_SCREENSHOTS")
WIDE, PHONE = (1280, 800), (390, 844)
WAIT = 60


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, profile):
        to_browser, from_us = os.pipe()
        from_browser, to_us = os.pipe()
        # The browser reads from 3 and writes to 4; a shell puts them there.
        command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={profile}", "--allow-file-access-from-files", "about:blank"]
        shell = f"exec 3<&{to_browser} 4>&{to_us}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command], pass_fds=(to_browser, to_us), stderr=subprocess.DEVNULL
        )
        os.close(to_browser)
        os.close(to_us)
        self.write, self.read = from_us, from_browser
        self.bytes, self.number, self.session, self.complaints = b"", 0, None, []
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        # No page remembers what another test chose.
        self.call("Page.addScriptToEvaluateOnNewDocument", source="try { localStorage.clear(); } catch {}")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        finally:
            self.process.wait(WAIT)
            os.close(self.read)
            os.close(self.write)

    def message(self, deadline):
        while b"\0" not in self.bytes:
            if not select.select([self.read], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            got = os.read(self.read, 1 << 16)
            if not got:
                raise EOFError("Chromium has ended")
            self.bytes += got
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + WAIT
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        """Keeps what a reader would see in the console."""
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(parameters["args"]))

    def run(self, script):
        """The value of an expression in the page."""
        got = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"]))
        return got["result"].get("value")

    def open(self, path, size=WIDE, scheme="light"):
        self.complaints.clear()
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=media)
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + WAIT
        while not self.run(f"document.readyState === 'complete' && location.href === {json.dumps(path.as_uri())}"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} does not load")
            time.sleep(0.05)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        """Clicks on an element as soon as it no longer moves: pictures load late."""
        deadline, place = time.monotonic() + WAIT, None
        while (now := self.place(selector)) != place:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{selector} moves")
            place = now
            self.draw()
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, *place, button="left", clickCount=1)
        self.draw()

    def draw(self):
        """Waits until the page has been drawn again."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def place(self, selector):
        """The middle of an element, after scrolling there."""
        return self.run(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)}); it.scrollIntoView({{ block: 'center', behavior: 'instant' }});"
            " const box = it.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )

    def screenshot(self, name, whole=False):
        if SCREENSHOTS:
            image = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            Path(SCREENSHOTS, f"{name}.png").write_bytes(base64.b64decode(image["data"]))


@unittest.skipUnless(CHROMIUM, "skipped: Chromium is not installed")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(place.cleanup)
        cls.place = Path(place.name)
        for name in ("table2", "fig3a"):
            command = [PROGRAM, "reproduce", f"schaul2009/{name}", "--profile", "smoke", "--quiet"]
            subprocess.run(command, cwd=cls.place, check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(ROOT / "reports/gallery", cls.place / "gallery", ignore=shutil.ignore_patterns("runs"))
        subprocess.run([PROGRAM, "gallery", "gallery", "--quiet"], cwd=cls.place, check=True, stdout=subprocess.DEVNULL)
        cls.browser = Browser(cls.place / "browser")
        cls.addClassCleanup(cls.browser.close)
        cls.report = cls.place / "reports/schaul2009/smoke/index.html"
        cls.gallery = cls.place / "gallery/index.html"
        cls.published = cls.place / "gallery/schaul2009/paper/index.html"

    def open(self, path, size=WIDE, scheme="light"):
        self.browser.open(path, size, scheme)
        return self.browser

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])

    def values(self, name):
        text = (self.report.parent / name).read_text()
        return [float(row["value"]) for row in csv.DictReader(io.StringIO(text)) if row["value"]]

    def test_a_point_under_the_pointer_shows_a_value_of_the_csv(self):
        browser = self.open(self.report)
        x, y = browser.place("#table2 .wide circle.hint")
        browser.mouse("mouseMoved", x, y)
        text = browser.run("document.querySelector('.tip:not([hidden])')?.textContent")
        self.assertIsNotNone(text, "no text is shown")
        shown = float(re.match(r"(?:paper: )?(−?[\d.]+)", text.split("\n")[1])[1].replace("−", "-"))
        self.assertTrue(any(abs(value - shown) <= 1e-5 * max(1, abs(value)) for value in self.values("table2.csv")), text)
        browser.screenshot("report-hover")
        browser.mouse("mouseMoved", 2, 2)
        self.assertIsNone(browser.run("document.querySelector('.tip:not([hidden])')?.textContent"))

    def test_an_entry_of_the_legend_hides_its_series(self):
        browser = self.open(self.report)
        shown = "getComputedStyle(document.querySelector('#table2 .wide .series')).display"
        self.assertEqual(browser.run(shown), "inline")
        entry = browser.run("document.querySelector('#table2 .wide .series').dataset.series")
        browser.click(f"#table2 .wide .entry[data-series='{entry}']")
        self.assertEqual(browser.run(shown), "none")
        browser.click(f"#table2 .wide .entry[data-series='{entry}']")
        self.assertEqual(browser.run(shown), "inline")

    def test_a_column_sorts_and_rows_are_filtered(self):
        browser = self.open(self.published)
        browser.run("document.querySelectorAll('details').forEach(it => { it.open = true; })")
        at = "#table1 thead th[data-at='1']"
        column = "Array.from(document.querySelectorAll('#table1 tbody tr'), row => row.cells[1].textContent)"
        number = lambda text: float(re.match(r"−?[\d.]+", text)[0].replace("−", "-"))
        before = browser.run(column)
        for direction in (False, True):
            browser.click(f"{at} button")
            numbers = [number(text) for text in browser.run(column) if re.match(r"−?\d", text)]
            self.assertEqual(numbers, sorted(numbers, reverse=direction))
            self.assertGreater(len(set(numbers)), 2)
        browser.click(f"{at} button")
        self.assertEqual(browser.run(column), before)
        first = browser.run("document.querySelector('#table1 tbody th').textContent")
        browser.run(
            "(() => { const input = document.querySelector('#table1 input[type=search]');"
            f" input.value = {json.dumps(first)}; input.dispatchEvent(new Event('input')); }})()"
        )
        shown = browser.run("Array.from(document.querySelectorAll('#table1 tbody tr')).filter(row => row.offsetHeight).length")
        self.assertTrue(1 <= shown < len(before), shown)
        browser.screenshot("published-filtered")

    def test_lines_are_drawn_again_with_axes_that_follow(self):
        browser = self.open(self.report)
        button = "#fig3a .tools button:not([hidden])"
        self.assertEqual(browser.run(f"document.querySelector({json.dumps(button)}).textContent"), "Explore")
        browser.click(button)
        self.assertEqual(browser.run("document.querySelectorAll('#fig3a .uplot canvas').length > 0"), True)
        self.assertEqual(browser.run("document.querySelector('#fig3a .picture.wide').offsetHeight"), 0)
        data = browser.run("JSON.parse(document.querySelector('#fig3a script').textContent).panels[0].series[0].y")
        values = self.values("fig3a.csv")
        self.assertTrue(all(any(abs(value - known) < 1e-12 for known in values) for value in data))
        x, y = browser.place("#fig3a .u-over")
        browser.mouse("mouseMoved", x, y)
        browser.screenshot("report-explore")
        browser.click(button)
        self.assertGreater(browser.run("document.querySelector('#fig3a .picture.wide').offsetHeight"), 0)

    def test_a_part_of_a_picture_is_chosen_by_dragging(self):
        browser = self.open(self.report)
        box = "document.querySelector('#table2 .wide svg').getAttribute('viewBox')"
        whole = browser.run(box)
        x, y = browser.place("#table2 .wide svg")
        browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        for step in (40, 80, 120):
            browser.mouse("mouseMoved", x + step, y + step / 2, button="left", buttons=1)
        browser.mouse("mouseReleased", x + 120, y + 60, button="left", clickCount=1)
        self.assertNotEqual(browser.run(box), whole)
        browser.run("Array.from(document.querySelectorAll('#table2 .tools button')).find(it => it.textContent === 'Whole picture' && !it.hidden).click()")
        self.assertEqual(browser.run(box), whole)

    def test_texts_for_the_clipboard_are_those_of_the_files(self):
        browser = self.open(self.report)
        for kind, ending in (("CSV", "csv"), ("LaTeX", "tex")):
            kept = browser.run(f"document.querySelector('#table2 pre.source[data-kind={kind}]').textContent")
            self.assertEqual(kept, (self.report.parent / f"table2.{ending}").read_text())
        buttons = browser.run("Array.from(document.querySelectorAll('#table2 .tools button'), it => it.textContent)")
        self.assertTrue({"Copy CSV", "Copy LaTeX"} <= set(buttons), buttons)

    def test_a_phone_has_headings_and_no_sideways_scroll(self):
        for name, path in (("report", self.report), ("gallery", self.gallery), ("published", self.published)):
            browser = self.open(path, PHONE)
            self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), PHONE[0], path)
            bare = "Array.from(document.querySelectorAll('table.numbers tbody :is(td, th):not(.verdict):not(:empty)')).filter(it => !it.dataset.head).map(it => it.textContent)"
            # A column without a heading has none in the narrow table either.
            headless = [text for text in browser.run(bare)]
            self.assertLessEqual(len(headless), browser.run("document.querySelectorAll('table.numbers tbody tr').length"))
            found = "Array.from(document.querySelectorAll('table.numbers tbody td[data-head]:not(:empty)'), it => getComputedStyle(it, '::before').content).filter(it => it.length > 2).length"
            self.assertGreater(browser.run(found), 3, path)
            browser.screenshot(f"{name}-phone")
            browser.run("document.querySelector('table.numbers')?.scrollIntoView({ block: 'start', behavior: 'instant' })")
            browser.screenshot(f"{name}-phone-table")

    def test_pages_and_pictures_are_light_or_dark(self):
        brightness = "(selector => { const [r, g, b] = getComputedStyle(document.querySelector(selector))"
        ground = brightness + "[selector === 'body' ? 'backgroundColor' : 'fill'].match(/\\d+/g).map(Number); return r + g + b; })"
        for scheme, is_light in (("light", True), ("dark", False)):
            browser = self.open(self.report, scheme=scheme)
            for selector in ("body", "#table2 .wide svg rect"):
                self.assertEqual(browser.run(f"{ground}({json.dumps(selector)})") > 384, is_light, (scheme, selector))
            browser.run("document.querySelector('#table2').scrollIntoView({ behavior: 'instant' })")
            browser.screenshot(f"report-{scheme}")
            browser.click("button.theme")
            self.assertEqual(browser.run(f"{ground}('body')") > 384, not is_light)
            browser = self.open(self.gallery, scheme=scheme)
            browser.screenshot(f"gallery-{scheme}")
            browser.run("document.querySelector('.gallery').scrollIntoView({ behavior: 'instant' })")
            browser.screenshot(f"gallery-{scheme}-pictures")
            browser = self.open(self.published, scheme=scheme)
            browser.screenshot(f"published-{scheme}")

    def test_the_gallery_leads_to_its_reports_and_fits_a_screen(self):
        browser = self.open(self.gallery)
        self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), WIDE[0])
        self.assertNotEqual(browser.run("document.title"), "Gallery")
        links = browser.run("Array.from(document.querySelectorAll('main a'), it => it.getAttribute('href'))")
        self.assertGreater(len(links), 50)
        for link in links:
            path, _, name = link.partition("#")
            page = self.gallery.parent / path
            self.assertTrue(page.is_file() and page.suffix == ".html", link)
            self.assertTrue(not name or f'id="{name}"' in page.read_text(), link)
        titles = browser.run("Array.from(document.querySelectorAll('nav .heading'), it => it.textContent)")
        self.assertTrue(any("Scalable Neural Networks" in title for title in titles), titles)


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: Chromium is not installed")
    unittest.main()
