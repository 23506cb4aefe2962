"""What the tests of the page have in common: a folder with jobs and a catalog, the page's server, a browser that watches.

Every page that a test opens is watched: a violation of the content security policy, an error of a script or a request to
another machine fails the test that caused it.
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from origin import Origin

RUNNER = os.environ["RUNNER"]
expect.set_options(timeout=float(os.environ.get("EXPECT_MS", 15_000)))


class Workshop:
    """A folder of job files and a catalog. `close()` ends what was started and removes it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="runner-page."))
        self.origin = Origin()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")},
            "RUNNER_DATABASE": str(self.folder / "catalog.sqlite"), "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_STATE_HOME": str(self.folder), "NO_COLOR": "1",
        }
        (self.folder / "run").mkdir(mode=0o700)
        self.server = None
        self.port = 0
        self.link = ""

    def job(self, name, count, titles=None, media=True, **transfer):
        """A job file that fetches pictures of the origin."""
        titles = titles or [f"Picture {number}" for number in range(count)]
        rows = [{"url": self.origin.url(number), "title": titles[number]} for number in range(count)]
        (self.folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        settings = {"allow_private_addresses": True, "retries": 0, **transfer}
        text = f"""name: {name}
source: {{type: manifest, url: {name}.json}}
output: {{directory: out-{name}}}
expect: any
transfer: {json.dumps(settings)}
"""
        if media:
            text += "media: {}\n"
        (self.folder / f"{name}.yaml").write_text(text, encoding="utf-8")

    def run(self, name):
        subprocess.run([RUNNER, "run", "--quiet", str(self.folder / f"{name}.yaml")], env=self.environment, check=False, timeout=120)

    def sql(self, *statements):
        connection = sqlite3.connect(self.environment["RUNNER_DATABASE"], timeout=20)
        try:
            with connection:
                return [connection.execute(statement).fetchall() for statement in statements]
        finally:
            connection.close()

    def serve(self):
        """Starts `runner web`; the same port again after a first time, as someone who restarts it would choose."""
        self.server = subprocess.Popen(
            [RUNNER, "web", str(self.folder), "--listen", f"127.0.0.1:{self.port}"],
            env=self.environment, stdout=subprocess.PIPE, text=True)
        self.link = self.server.stdout.readline().strip()
        self.port = urlsplit(self.link).port
        return self.link

    @property
    def base(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        if self.server:
            self.server.kill()
            self.server.wait()
            self.server.stdout.close()
            self.server = None

    def close(self):
        self.kill()
        for (pid,) in self.sql("SELECT pid FROM run WHERE outcome = 'running'")[0] if (self.folder / "catalog.sqlite").exists() else []:
            try:
                os.kill(pid, 15)
            except ProcessLookupError:
                pass
        self.origin.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def many_items(workshop, job, count, collections=100):
    """Puts `count` items into the catalog below a job that has run once, as a listing of that length would."""
    per = count // collections
    workshop.sql(
        f"""INSERT INTO collection (job, key, title, position, expected)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {collections})
            SELECT '{job}', 'part-' || printf('%04d', i), 'Part ' || i, 100 + i, {per} FROM n""",
        f"""INSERT INTO item (job, collection_id, key, position, url, title, state, stem, path_hash, stored_at, size)
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1})
            SELECT '{job}', (SELECT min(id) FROM collection WHERE job = '{job}' AND key LIKE 'part-%') + i / {per},
                   'k' || i, 1000 + i, 'http://127.0.0.1:9/' || i, 'Made up ' || i,
                   CASE WHEN i % 10 < 7 THEN 'pending' ELSE 'failed' END, 'stem' || i, 1000000 + i, NULL, NULL FROM n""",
        "ANALYZE")


class BrowserCase(unittest.TestCase):
    """A test class with one workshop and one browser. `make()` fills the workshop before the server starts."""

    @classmethod
    def setUpClass(cls):
        cls.workshop = Workshop()
        try:
            cls.make()
            cls.workshop.serve()
            cls.driver = sync_playwright().start()
            cls.browser = cls.driver.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--no-proxy-server"])
        except BaseException:
            cls.workshop.close()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()
        cls.workshop.close()

    @classmethod
    def make(cls):
        """What is in the folder and in the catalog."""

    def setUp(self):
        self.contexts = []
        self.faults = []

    def tearDown(self):
        for context in self.contexts:
            context.close()
        self.assertEqual(self.faults, [])

    def sign_in(self, **options):
        """A page of a browser that has opened the link of the server once."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        self.contexts.append(context)
        page = self.open(context)
        page.goto(self.workshop.link)
        # The frame is there before the scripts are; this line is theirs.
        expect(page.get_by_role("status", name="Live")).not_to_be_empty()
        return page

    def open(self, context):
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("console", lambda message: "Content Security Policy" in message.text and self.faults.append(message.text))
        page.on("request", lambda request: self.watch(request.url))
        return page

    def watch(self, url):
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != f"127.0.0.1:{self.workshop.port}":
            self.faults.append(f"request to {url}")

    def visit(self, page, path):
        page.goto(self.workshop.base + path)

    def photos(self, page):
        return page.get_by_role("list", name="Photos")

    def assert_accessible(self, page, what):
        """Nothing that axe-core calls serious or critical. It is put in past the policy, which forbids it to everyone."""
        results = Axe().run(page).response
        serious = [
            f"{row['id']}: {row['help']}: {row['nodes'][0]['html'][:160]}"
            for row in results["violations"] if row["impact"] in ("serious", "critical")]
        self.assertEqual(serious, [], what)


def wait_until(true, seconds=20, what="it"):
    """Waits for something outside the browser; inside, `expect` waits by itself."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about in {seconds} s")
        time.sleep(0.02)
