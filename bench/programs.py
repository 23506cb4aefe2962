"""The programs that are compared: how each is told to fetch the same files to the same place."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from server import raise_missing


# Of every thumbnail.
QUALITY = 80


@dataclasses.dataclass(frozen=True)
class Work:
    """Files to fetch into `folder / "out"`; all else that a program needs is beside that."""

    urls: list
    in_flight: int
    folder: pathlib.Path
    certificate: pathlib.Path = None
    durability: str = "none"
    # Whether some requests fail in a way that passes, and are to be tried again.
    has_faults: bool = False
    # Pixels of the longer side of a WebP that is to be made of each file.
    thumbnail: int = None
    # The folder that the server has the files from.
    originals: pathlib.Path = None

    @property
    def output(self):
        return self.folder / "out"


class Floor:
    name = "floor"
    does = "writes the files, and no more: no hash, no temporary name, no record, no retry"

    def __init__(self, tools):
        self.path = tools / "floor"

    def version(self):
        return "libcurl " + first_number(["curl-config", "--version"])

    def command(self, work):
        write_lines(work.folder / "list", work.urls)
        certificate = [work.certificate] if work.certificate else []
        return [self.path, work.in_flight, work.folder / "list", work.output, *certificate]


class Runner:
    name = "runner"
    does = "SHA-256 of every file, checks, temporary names, a catalog with what became of every item"

    def __init__(self, path):
        self.path = path

    def version(self):
        return first_number([self.path, "--version"])

    def command(self, work):
        write_lines(work.folder / "list.txt", work.urls)
        lines = [
            "name: bench",
            "source: {type: manifest, url: list.txt}",
            'output: {directory: out, path: "{name}"}',
            "expect: image" if work.thumbnail else "expect: any",
            "transfer:",
            f"  concurrency: {work.in_flight}",
            f"  per_host: {work.in_flight}",
            "  allow_private_addresses: true",
            f"  durability: {work.durability}",
        ]
        if work.certificate:
            lines.append(f"  ca_file: {json.dumps(str(work.certificate))}")
        if work.thumbnail:
            lines.append(f"media: {{thumbnail: {{size: {work.thumbnail}, format: webp, quality: {QUALITY}}}}}")
        write_lines(work.folder / "job.yaml", lines)
        return [self.path, "run", work.folder / "job.yaml", "--quiet", "--database", self.database(work)]

    def database(self, work):
        return work.folder / "catalog.sqlite"


class Curl:
    name = "curl"
    does = "no hash, no temporary name, no record of what was fetched"

    def __init__(self):
        self.path = find("curl")

    def version(self):
        return first_number([self.path, "--version"])

    def command(self, work):
        pairs = (f'url = "{url}"\noutput = "{work.output}/{name_of(url)}"' for url in work.urls)
        write_lines(work.folder / "curl.config", pairs)
        certificate = ["--cacert", work.certificate] if work.certificate else []
        # Without --retry-all-errors a connection that ends before the reply is a file less.
        retries = ["--retry", 4, "--retry-delay", 1, "--retry-all-errors"] if work.has_faults else []
        return [self.path, "-q", "-s", "-f", "-Z", "--parallel-max", work.in_flight, *certificate, *retries,
                "-K", work.folder / "curl.config"]


class Wget2:
    name = "wget2"
    does = "no hash, no temporary name, no record of what was fetched"

    def __init__(self):
        self.path = find("wget2")

    def version(self):
        return first_number([self.path, "--version"])

    def command(self, work):
        write_lines(work.folder / "list", work.urls)
        certificate = [f"--ca-certificate={work.certificate}"] if work.certificate else []
        return [self.path, "--config=", "-q", f"--max-threads={work.in_flight}", "--no-hsts", "--no-ocsp",
                "-P", work.output, *certificate, "-i", work.folder / "list"]


class Aria2:
    name = "aria2"
    does = "no hash, no record of what was fetched; a control file beside a file on its way"

    def __init__(self):
        self.path = find("aria2c")

    def version(self):
        return first_number([self.path, "--version"])

    def command(self, work):
        write_lines(work.folder / "list", work.urls)
        certificate = [f"--ca-certificate={work.certificate}"] if work.certificate else []
        return [self.path, "--no-conf", "-q", f"-j{work.in_flight}", "-x1", "-s1", "--file-allocation=none",
                "-d", work.output, *certificate, "-i", work.folder / "list"]


class SHA256Sum:
    """What it costs to hash the files that are there, and no more."""

    name = "sha256sum"
    does = "SHA-256 of files that are on this machine: no request"

    def __init__(self):
        self.path = find("sha256sum")

    def version(self):
        return first_number([self.path, "--version"])

    def command(self, work):
        return [self.path, *(work.originals / name_of(url) for url in work.urls)]


class VipsThumbnail:
    name = "vipsthumbnail"
    does = "thumbnails of files that are on this machine: no request, no check, no record"

    def __init__(self):
        self.path = find("vipsthumbnail")

    def version(self):
        return first_number([self.path, "--vips-version"])

    def command(self, work):
        files = [work.originals / name_of(url) for url in work.urls]
        return [self.path, "--size", f"{work.thumbnail}x{work.thumbnail}>",
                "--output", f"{work.output}/%s.webp[Q={QUALITY},strip]", *files]


class Img2dataset:
    """From PyPI, in an environment of its own."""

    name = "img2dataset"
    does = "thumbnails only, SHA-256 of every file, a JSON file for each; one process for each processor, 16 threads each"

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "bin/img2dataset"

    def install(self):
        """Whether it is there, in the end; says why where it is not."""
        if os.access(self.path, os.X_OK):
            return True
        print("img2dataset is installed from PyPI, 800 MB, once", flush=True)
        for command in (
            [sys.executable, "-m", "venv", "--clear", self.folder],
            [self.folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
             "img2dataset"],
        ):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode != 0:
                last = (done.stderr or done.stdout).strip().splitlines()[-3:]
                print("The row media goes without img2dataset, which can't be installed from PyPI:", *last, sep="\n  ",
                      end="\n\n", flush=True)
                return False
        return True

    def version(self):
        return first_number([self.folder / "bin/pip", "show", "img2dataset"])

    def command(self, work):
        write_lines(work.folder / "list", work.urls)
        processes = os.cpu_count()
        # A library of its own would ask PyPI for news at every start.
        return [find("env"), "NO_ALBUMENTATIONS_UPDATE=1", self.path, "--url_list", work.folder / "list",
                "--output_folder", work.output, "--image_size", work.thumbnail, "--resize_mode", "keep_ratio_largest",
                "--resize_only_if_bigger", "True", "--encode_format", "webp", "--encode_quality", QUALITY,
                "--processes_count", processes, "--thread_count", work.in_flight,
                "--number_sample_per_shard", -(-len(work.urls) // (2 * processes))]


def name_of(url):
    return url.rsplit("/", 1)[1]


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))


def find(name):
    return shutil.which(name) or raise_missing(name)


def first_number(command):
    text = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    found = re.search(r"\d+(\.\d+)+\S*", text)
    return found.group() if found else text.strip()
