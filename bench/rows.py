"""The rows of the table: what is done in a round, and what is to be reached.

A round is a dictionary of measurements by label, mostly a program's name. A goal compares two labels of each round, so
that a machine whose speed drifts from minute to minute does not decide.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import threading
from typing import Callable

from measuring import ENVIRONMENT, Failed, check_thumbnails, words
from programs import Work
from server import HOSTS, Server


MEDIA = ("runner", "vipsthumbnail", "img2dataset")
ALL = ("floor", "runner", "curl", "wget2", "aria2")
FIRST = ("floor", "runner", "curl")
SLOWER = "slower of curl and sha256sum"
FILES = "10,000 files of 300 B to 200 kB"


@dataclasses.dataclass(frozen=True)
class Goal:
    """`quantity` of `label` is at most `limit`, or `limit` times that of `against`.

    `limit_without_sha` is the limit where the processor has no instructions for SHA-256.
    """

    label: str
    quantity: str
    limit: float
    against: str = None
    limit_without_sha: float = None


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    title: str
    round: Callable
    goals: tuple = ()
    # Items of a round, where figures per 1,000 of them make sense.
    items: int = None
    # The rounds that are asked for times this.
    repeats: int = 1
    # Compares programs: measured with the server on one processor and each program on another, so that no program gains by
    # where the server is; and once more with all of them free to move.
    is_placed: bool = False
    # Takes minutes: done once, and only when named.
    is_slow: bool = False
    # Facts that are no measurements: pairs of a sentence and whether it came true.
    facts: Callable = lambda bench, programs: []


def small(in_flight, peers, secure=False, waiting=False):
    def round(bench, programs):
        url = bench.server.tls_url if secure else bench.server.url
        prefix = "/wait/files/" if waiting else "/files/"
        urls = [url(prefix + name) for name in bench.site.names("files")]
        result = {}
        for name in peers:
            work = Work(urls, in_flight, bench.folder(), bench.server.certificate if secure else None)
            result[name] = bench.run(programs[name], work, bench.site.sizes["files"])
            bench.clean()
        return result

    return round


def life(bench, programs):
    """HTTPS from many hosts that are far away, some of whose requests fail at first."""
    names = bench.site.names("files")
    urls = [bench.server.tls_url("/life/files/" + name, HOSTS[index % len(HOSTS)]) for index, name in enumerate(names)]
    result = {}
    # wget2 1.99 and aria2 give up on a 503.
    for name in ("runner", "curl"):
        work = Work(urls, 256, bench.folder(), bench.server.certificate, has_faults=True)
        result[name] = bench.run(programs[name], work, bench.site.sizes["files"])
        bench.clean()
    return result


def again(prefix):
    """A first run, and another one on what it left."""

    def round(bench, programs):
        runner = programs["runner"]
        urls = [bench.server.url(prefix + name) for name in bench.site.names("files")]
        work = Work(urls, 16, bench.folder())
        result = {label: bench.run(runner, work, bench.site.sizes["files"]) for label in ("first", "again")}
        bench.clean()
        return result

    return round


def requests_of_both(prefix, expected):
    """What the server's log says of a first run and of the one after it."""

    def facts(bench, programs):
        server = Server(bench.site.root, bench.folder() / "logging", logging=True)
        try:
            urls = [server.url(prefix + name) for name in bench.site.names("files")]
            work = Work(urls, 16, bench.folder())
            result = []
            for label, wanted in (("first", {"GET 200": len(urls)}), ("again", expected(len(urls)))):
                bench.run(programs["runner"], work, bench.site.sizes["files"])
                counts = dict(server.take_requests())
                shown = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items())) or "no request"
                result.append((f"the server's log, {label}: {shown}", counts == wanted))
            return result
        finally:
            server.stop()
            bench.clean()

    return facts


def large(bench, programs):
    result = {}
    urls = [bench.server.url(f"/large/{file}") for file in bench.site.names("large")]
    for name in ALL[1:]:
        result[name] = bench.run(programs[name], Work(urls, 16, bench.folder()), bench.site.sizes["large"])
        bench.clean()
    work = Work(urls, 16, bench.folder(), originals=bench.site.root / "large")
    result["sha256sum"] = bench.run(programs["sha256sum"], work)
    result[SLOWER] = max(result["curl"], result["sha256sum"], key=lambda measured: measured["wall"])
    return result


def durability(bench, programs):
    urls = [bench.server.url("/files/" + name) for name in bench.site.names("files")]
    result = {}
    for label in ("none", "batch"):
        work = Work(urls, 16, bench.folder(on_disk=True), durability=label)
        result[label] = bench.run(programs["runner"], work, bench.site.sizes["files"])
    work = Work(urls, 16, bench.folder(on_disk=True))
    result["curl"] = bench.run(programs["curl"], work, bench.site.sizes["files"])
    return result


def calls(bench, programs):
    """System calls per 1,000 items: the difference between two sizes of the work, so that the start does not count."""
    result = {}
    for name in ALL:
        counts = []
        for size in (1_000, 3_000):
            urls = [bench.server.url("/files/" + file) for file in bench.site.names("files", size)]
            counts.append(bench.count_calls(programs[name], Work(urls, 16, bench.folder())))
            bench.clean()
        result[name] = {"calls": (counts[1] - counts[0]) / 2}
    return result


def million(bench, programs):
    """Replies of 300 bytes: what grows with the number of items is neither the network's nor the files'."""
    runner = programs["runner"]
    result = {}
    for label, count in (("10,000", 10_000), ("100,000", 100_000), ("1,000,000", 1_000_000)):
        work = Work([bench.server.url(f"/tiny/{number:07}.bin") for number in range(count)], 16, bench.folder())
        result[label] = bench.run(runner, work)
        files = sum(1 for _ in pathlib.Path(work.output).glob("*.bin"))
        if files != count:
            raise Failed(f"runner left {files} files of {count}")
        result[label]["catalog_bytes"] = runner.database(work).stat().st_size / count
        bench.clean()
    return result


def media(bench, programs):
    """Downloads with thumbnails, beside one program that makes thumbnails and one that does both."""
    names = bench.site.names("pictures")
    urls = [bench.server.url("/pictures/" + name) for name in names]
    result = {}
    for name in MEDIA:
        if name not in programs:
            continue
        work = Work(urls, 16, bench.folder(), thumbnail=256, originals=bench.site.root / "pictures")
        result[name] = bench.run(programs[name], work, bench.site.sizes["pictures"] if name == "runner" else None)
        check_thumbnails(programs[name], work)
        result[name]["pictures_per_second"] = len(urls) / result[name]["wall"]
        bench.clean()
    return result


def page(bench, programs):
    """What `runner web` costs who looks at it, in a real browser."""
    root = pathlib.Path(__file__).resolve().parent.parent
    python = root / ".build/browser/bin/python"
    if not python.exists():
        raise Failed("Playwright is missing; scripts/browser-tests installs it")
    environment = {**os.environ, "RUNNER": str(programs["runner"].path)}
    ended = subprocess.run([python, root / "bench/page.py"], env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(f"the page could not be measured: {ended.stderr[-2000:]}")
    return json.loads(ended.stdout.splitlines()[-1])


def watched(bench, programs):
    """What a run costs while nobody, one page and ten pages follow it."""
    runner = programs["runner"]
    urls = [bench.server.url("/files/" + name) for name in bench.site.names("files")]
    result = {}
    for label, count in (("nobody", 0), ("one page", 1), ("ten pages", 10)):
        work = Work(urls, 16, bench.folder())
        with followers(runner, work, count):
            result[label] = bench.run(runner, work, bench.site.sizes["files"])
        bench.clean()
    return result


@contextlib.contextmanager
def followers(runner, work, count):
    """`runner web`, and so many readers of the stream that a page reads, as long as the block runs."""
    if count == 0:
        yield
        return
    web = subprocess.Popen(
        words([runner.path, "web", work.folder, "--listen", "127.0.0.1:0", "--database", runner.database(work)]),
        stdout=subprocess.PIPE, text=True, cwd=work.folder, env=ENVIRONMENT)
    readers = []
    try:
        address, token = web.stdout.readline().split()[-1].split("/?token=")
        command = ["curl", "-sN", "-H", f"Authorization: Bearer {token}", address + "/api/events"]
        readers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(count)]
        for reader in readers:
            # The stream is open once something of it has come; the rest is thrown away by a thread.
            if not reader.stdout.read(1):
                raise Failed("the page's stream ended at once")
            threading.Thread(target=drain, args=(reader.stdout,), daemon=True).start()
        yield
    finally:
        for process in (*readers, web):
            process.terminate()
            process.wait()


def drain(stream):
    while stream.read1(65536):
        pass


def start(bench, programs):
    runner = programs["runner"]
    folder = bench.folder()
    runner.command(Work([bench.server.url("/files/00000.bin")], 16, folder))
    result = {
        "--version": bench.measure([runner.path, "--version"], folder, "runner --version"),
        "check": bench.measure([runner.path, "check", folder / "job.yaml"], folder, "runner check"),
    }
    bench.clean()
    return result


ROWS = (
    Row("small", f"{FILES}, 16 in flight", small(16, ALL), items=10_000, is_placed=True,
        goals=(Goal("runner", "wall", 1.2, "curl", 1.4), Goal("runner", "cpu", 1.2, "curl", 1.4))),
    Row("small-64", f"{FILES}, 64 in flight", small(64, FIRST), items=10_000, is_placed=True,
        goals=(Goal("runner", "wall", 1.2, "curl", 1.4), Goal("runner", "cpu", 1.2, "curl", 1.4))),
    Row("small-256", f"{FILES}, 256 in flight", small(256, FIRST), items=10_000, is_placed=True,
        goals=(Goal("runner", "wall", 1.1, "curl"), Goal("runner", "cpu", 1.1, "curl"))),
    Row("https", f"{FILES}, HTTPS with HTTP/2 (aria2 speaks HTTP/1.1), 16 in flight",
        small(16, ALL, secure=True), items=10_000, is_placed=True,
        goals=(Goal("runner", "wall", 1.0, "curl"), Goal("runner", "cpu", 1.2, "curl"))),
    Row("life", f"{FILES}, HTTPS with HTTP/2 from 200 hosts that wait 50 ms and fail one request in fifty, 256 in flight",
        life, items=10_000, is_placed=True,
        goals=(Goal("runner", "wall", 1.1, "curl"), Goal("runner", "cpu", 1.2, "curl"))),
    Row("large", "4 files of 256 MiB, 16 in flight", large, is_placed=True, goals=(Goal("runner", "wall", 1.1, SLOWER),)),
    Row("fresh", f"{FILES} again, all replies fresh", again("/fresh/"), items=10_000,
        goals=(Goal("again", "wall", 0.1, "first"),),
        facts=requests_of_both("/fresh/", lambda count: {})),
    Row("revalidated", f"{FILES} again, 304 for all", again("/files/"), items=10_000,
        goals=(Goal("again", "wall", 0.6, "first"),),
        facts=requests_of_both("/files/", lambda count: {"GET 304": count})),
    Row("waiting", f"{FILES}, a server that waits 50 ms before each reply, 256 in flight",
        small(256, FIRST, waiting=True), items=10_000, is_placed=True, goals=(Goal("runner", "cpu", 1.1, "curl"),)),
    Row("durability", f"{FILES}, on disk, durability none and batch", durability, items=10_000,
        goals=(Goal("batch", "wall", 1.25, "none"),)),
    Row("calls", "system calls per 1,000 of these files, 16 in flight", calls),
    Row("start", "start of the program", start, repeats=5,
        goals=(Goal("--version", "wall", 0.020), Goal("check", "wall", 0.020))),
    Row("media", "1,000 JPEGs of 0.1 to 1 megapixel, thumbnails of 256 pixels as WebP", media, items=1_000,
        goals=(Goal("runner", "cpu", 1.3, "vipsthumbnail"), Goal("runner", "wall", 0.2, "img2dataset"))),
    Row("page", "the page in headless Chromium, beside a catalog of 1,100,000 items", page, is_slow=True,
        goals=(Goal("first paint, 100,000 items", "wall", 0.3),
               Goal("a frame while scrolling, 1,000,000 items", "wall", 0.05),
               Goal("the server", "peak_kib", 40 * 1024))),
    Row("watched", f"{FILES}, 16 in flight, while pages follow the run", watched, items=10_000,
        goals=(Goal("one page", "cpu", 1.05, "nobody"), Goal("ten pages", "cpu", 1.15, "nobody"))),
    Row("million", "1,000,000 replies of 300 bytes, 16 in flight", million, is_slow=True,
        goals=(Goal("1,000,000", "peak_kib", 64 * 1024), Goal("1,000,000", "peak_kib", 1.1, "10,000"),
               Goal("1,000,000", "catalog_bytes", 500))),
)
