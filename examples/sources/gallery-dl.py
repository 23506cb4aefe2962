#!/usr/bin/env python3
"""Lists what gallery-dl finds at a URL of one of the hundreds of sites that it knows. Needs gallery-dl (1.25 of Debian 12 or later).

    source: {type: command, command: [./gallery-dl.py], options: {url: "https://example.org/gallery/1"}}

gallery-dl only lists, with requests and logins of its own; what it finds is downloaded by runner. A file's key is its URL
without the query, since some sites sign their URLs anew each time.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading

# The numbers of gallery-dl's messages.
DIRECTORY, URL, QUEUE = 2, 3, 6
NAMES = ("title", "gallery_title", "album", "username", "user", "author", "board")


def write(**message):
    print(json.dumps(message, ensure_ascii=False), flush=True)


def fail(kind, message):
    write(type="error", kind=kind, message=message)
    sys.exit()


def spec():
    write(
        type="spec", protocol=1, name="gallery-dl", version="1.0", template=["category", "filename"],
        options=[
            {"key": "url", "type": "string", "required": True, "help": "the page of a gallery, an album or a user"},
            {"key": "config", "type": "string", "help": "a configuration file of gallery-dl, with logins and the like"},
            {"key": "depth", "type": "integer", "default": 2, "help": "how many pages deep it follows pages that list pages"},
            {"key": "program", "type": "string", "default": "gallery-dl", "help": "the program"},
        ])


class Lister:
    def __init__(self, options):
        self.options = options
        self.process = None
        self.collections = set()
        self.keys = set()

    def messages(self, url):
        """What gallery-dl writes for a URL: lists of a number and what belongs to it."""
        command = [self.options.get("program") or "gallery-dl", "--dump-json"]
        if self.options.get("config"):
            command += ["--config", self.options["config"]]
        try:
            self.process = subprocess.Popen(command + ["--", url], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        except OSError as error:
            fail("config", f"{command[0]} can't be started: {error.strerror}; it is in the package gallery-dl")
        output = self.process.communicate()[0]
        if not output.strip():
            fail("config", f"{command[0]} exited with {self.process.returncode} and listed nothing for {url}")
        for message in json.loads(output):
            # In place of the number an error has its name, with status 0.
            if not isinstance(message[0], int):
                fail("permanent", f"{url}: {message[0]}: {message[-1]}")
            yield message

    def list(self, url, depth):
        collection = None
        for message in self.messages(url):
            if message[0] == DIRECTORY:
                collection = self.collection(message[1])
            elif message[0] == URL:
                self.item(collection or self.collection(message[2]), message[1], message[2])
            elif message[0] == QUEUE and depth > 1:
                self.list(message[1], depth - 1)

    def collection(self, data):
        name = next((str(data[key]) for key in NAMES if isinstance(data.get(key), (str, int)) and data[key]), None)
        parts = [data.get("category"), data.get("subcategory"), data.get("thread"), name]
        key = "/".join(str(part) for part in parts if part)[:200] or "gallery"
        if key not in self.collections:
            self.collections.add(key)
            write(type="collection", key=key, title=name or key, section=data.get("category"))
        return key

    def item(self, collection, url, data):
        if not url.startswith(("http://", "https://")):
            write(type="warning", message=f"{url} is left out: only another program can download it")
            return
        key = url.split("#")[0].split("?")[0]
        if len(key.encode()) > 512:
            key = hashlib.sha256(key.encode()).hexdigest()
        if key in self.keys:
            return
        self.keys.add(key)
        filename = str(data.get("filename") or key.rsplit("/", 1)[-1])
        write(
            type="item", collection=collection, key=key, url=url, title=filename[:1000],
            metadata={name: value for name, value in data.items() if isinstance(value, (str, int, float, bool))},
            fields={"category": str(data.get("category") or "none"), "filename": filename})


def end_with_input(lister):
    """Nobody wants the list any more when standard input ends."""
    sys.stdin.read()
    if lister.process:
        lister.process.kill()
    os._exit(1)


def main():
    while line := sys.stdin.readline():
        request = json.loads(line)
        if request.get("request") == "spec":
            spec()
        elif request.get("request") == "list":
            lister = Lister(request["options"])
            threading.Thread(target=end_with_input, args=[lister], daemon=True).start()
            lister.list(lister.options["url"], lister.options.get("depth", 2))
            write(type="done", collections=len(lister.collections), items=len(lister.keys))
            os._exit(0)
        else:
            write(type="error", kind="unsupported", message="this script knows spec and list")


main()
