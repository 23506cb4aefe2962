"""Runs a program on some work, checks what it left, and tells what it took."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from programs import name_of

TIMEOUT = 600


class Failed(Exception):
    """A program did not do the work; its time would mean nothing."""


class Bench:
    """The compiled tools, the server, the site, and folders for output.

    Folders are numbered and never used twice: on ext4 a file that is made where others were just deleted takes many
    times as long, for minutes. `clean` deletes those in memory; those on disk go at the very end.
    """

    def __init__(self, tools, site, server, memory, disk, rounds):
        # Where programs run: one processor, or None for all of them.
        self.processor = None
        self.tools = tools
        self.site = site
        self.server = server
        self.memory = memory
        self.disk = disk
        self.rounds = rounds
        self._folders = 0

    def folder(self, on_disk=False):
        self._folders += 1
        folder = (self.disk if on_disk else self.memory) / f"run-{self._folders}"
        (folder / "out").mkdir(parents=True)
        return folder

    def clean(self):
        for folder in self.memory.glob("run-*"):
            shutil.rmtree(folder)

    def run(self, program, work, sizes=None):
        """Fetches the work with a program. Gives seconds of `wall`, `user`, `system` and `cpu`, and `peak_kib`.

        With `sizes`, by name, each of the files must be there in full.
        """
        result = self.measure(program.command(work), work.folder, program.name)
        if sizes is not None:
            check_output(program, work, sizes)
        return result

    def measure(self, command, folder, name):
        report = folder / "measured.json"
        log = folder / "log"
        with open(log, "wb") as output:
            subprocess.run(
                words([self.tools / "measure", report, TIMEOUT, *command]), stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, cwd=folder, env=ENVIRONMENT, check=True,
                preexec_fn=keeping_to(self.processor) if self.processor is not None else None)
        result = json.loads(report.read_text())
        if result.pop("status") != 0:
            raise Failed(f"{name} failed; the end of its words:\n" + log.read_text(errors="replace")[-2000:])
        result["cpu"] = result["user"] + result["system"]
        return result

    def count_calls(self, program, work):
        """How many system calls a program makes for the work, all its threads together."""
        report = work.folder / "calls"
        command = ["strace", "-f", "-c", "-qq", "-o", report, *program.command(work)]
        self.measure([shutil.which("strace"), *command[1:]], work.folder, program.name)
        # The last line: 100.00  seconds  microseconds per call  calls  errors  total
        return int(report.read_text().splitlines()[-1].split()[3])


# No proxy, no settings of the user's: programs differ in what they read of them.
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "TZ": "UTC"}


def keeping_to(processor):
    """What a child process does before it becomes a program that runs on that processor only."""
    return lambda: os.sched_setaffinity(0, {processor})


def processor_facts():
    """The processor's name, whether it has instructions for SHA-256, and what SHA-256 costs on it."""
    lines = dict(line.split(":", 1) for line in open("/proc/cpuinfo") if ":" in line)
    fields = {name.strip(): value.strip() for name, value in lines.items()}
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    speed = subprocess.run(
        ["openssl", "speed", "-seconds", "1", "-bytes", "16384", "-evp", "sha256"], capture_output=True, text=True).stdout
    found = re.search(r"^sha256\s+([\d.]+)k$", speed, re.MULTILINE | re.IGNORECASE)
    return {
        "name": fields.get("model name", os.uname().machine),
        "has_sha_instructions": "sha_ni" in flags or "sha2" in flags,
        "sha256_mb_per_second": round(float(found.group(1)) / 1000) if found else None,
    }


def words(command):
    return [str(word) for word in command]


def check_output(program, work, sizes):
    found = {entry.name: entry.stat().st_size for entry in os.scandir(work.output) if entry.is_file()}
    wanted = {name_of(url): sizes[name_of(url)] for url in work.urls}
    if found != wanted:
        wrong = [name for name in wanted if found.get(name) != wanted[name]]
        raise Failed(f"{program.name} left {len(found)} files of {len(wanted)}; {len(wrong)} are missing or not whole")


def check_thumbnails(program, work):
    """One WebP for each file of the work, wherever the program puts it."""
    found = [path for path in work.output.rglob("*.webp") if path.open("rb").read(4) == b"RIFF"]
    if len(found) != len(work.urls):
        raise Failed(f"{program.name} left {len(found)} thumbnails of {len(work.urls)}")


def compile_tools(folder):
    """The programs in C beside this file."""
    source = pathlib.Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    vips = subprocess.run(["pkg-config", "--cflags", "--libs", "vips"], check=True, capture_output=True, text=True).stdout
    for name, libraries in (("floor", ["-lcurl"]), ("measure", []), ("pictures", [*vips.split(), "-lm"])):
        subprocess.run(
            words(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", folder / name, source / f"{name}.c", *libraries]),
            check=True)
