#!/usr/bin/env python3
"""Lists the photos of a JSON API that gives them in pages, and remembers how far it came. Needs no package.

    source: {type: command, command: [./albums.py], options: {api: "https://example.org/api", album: summer}}

The API answers API/albums/ALBUM?after=ID with {"title": …, "photos": [{"id": …, "url": …, "title": …, "size": …}], "next": ID}.
"""

import json
import sys
import urllib.parse


def write(**message):
    print(json.dumps(message, ensure_ascii=False), flush=True)


def fetch(url):
    """Has runner request it: with the job's limits, retries and headers."""
    write(type="request", id=1, url=url)
    answer = json.loads(sys.stdin.readline())
    if answer.get("status") == 200:
        return json.loads(answer["body"])
    if answer.get("status") == 404:
        write(type="error", kind="config", message="there is no such album")
    else:
        write(type="error", kind="transient", message=answer.get("message") or f"the API answered {answer['status']}")
    sys.exit()


def spec():
    write(
        type="spec", protocol=1, name="albums", version="1.0", abilities=["fetch", "memory"], template=["photo"],
        options=[
            {"key": "api", "type": "string", "required": True, "help": "the URL of the API"},
            {"key": "album", "type": "string", "required": True, "help": "which album"},
        ])


def photos(options, memory):
    """Newer photos come last: those before what is remembered have been listed already."""
    album = options["album"]
    after = (memory or {}).get("after", 0)
    count = 0
    while True:
        page = fetch(f"{options['api']}/albums/{urllib.parse.quote(album, safe='')}?after={after}")
        if count == 0:
            write(type="collection", key=album, title=page["title"])
        for photo in page["photos"]:
            write(
                type="item", collection=album, key=f"{album}/{photo['id']}", url=photo["url"], title=photo["title"],
                size=photo.get("size"), fields={"photo": str(photo["id"])})
            after = photo["id"]
            count += 1
        # Kept together with the items before it, and given back the next time.
        write(type="memory", value={"after": after})
        if not page.get("next"):
            break
    # Items of earlier lists are not listed again, so that this list is not the whole of it.
    write(type="done", items=count, complete=not memory)


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("request") == "spec":
            spec()
        elif request.get("request") == "list":
            photos(request["options"], request.get("memory"))
            return
        else:
            write(type="error", kind="unsupported", message="this script knows spec and list")


main()
