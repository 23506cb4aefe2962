"""The page in a real browser: first paint, frames while scrolling, latencies of its data, memory of its server.

Runs in the environment of scripts/browser-tests, which has Playwright; prints JSON. RUNNER names the program.
"""

import json
import pathlib
import statistics
import sys
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/Browser"))

from playwright.sync_api import sync_playwright
from workshop import Workshop, many_items

PAINTS = 7
REQUESTS = 9
PATHS = {
    "jobs": "/api/jobs", "items": "/api/jobs/{job}/items?limit=250", "index": "/api/jobs/{job}/items/index?every=250",
    "search": "/api/jobs/{job}/items?search=999&limit=250", "collections": "/api/jobs/{job}/collections",
    "largest first": "/api/jobs/{job}/items?sort=size&limit=250", "an item": "/api/items/5",
}
# What a person does who drags to the end: a step a frame, and the time of each.
SCROLL = """async () => {
    const box = document.querySelector(".grid"), times = [];
    let last = performance.now();
    for (let step = 0; step < 240; step++) {
        box.scrollTop += 900;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = performance.now();
        times.push(now - last);
        last = now;
    }
    return times;
}"""


def seconds(workshop, path):
    """How long an answer takes; one that is still being sorted is asked for again, as the page does."""
    token = workshop.link.split("token=")[1]
    begin = time.monotonic()
    while True:
        request = urllib.request.Request(workshop.base + path, headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request) as response:
                response.read()
                return time.monotonic() - begin
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(int(error.headers.get("Retry-After", "1")))


def paint(browser, cookies, workshop, path):
    """First contentful paint of a page that no cache knows."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(workshop.base + path)
    # The policy of the page forbids what wait_for_function would do.
    while not (at := page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")):
        time.sleep(0.01)
    result = at / 1000
    page.get_by_role("list", name="Photos").get_by_role("listitem").first.wait_for()
    filled = page.evaluate("() => performance.now()") / 1000
    context.close()
    return result, filled


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1])


def main():
    workshop = Workshop()
    figures = {}
    try:
        for job, count in (("hundred", 100_000), ("million", 1_000_000)):
            workshop.job(job, 3, media=False)
            workshop.run(job)
            many_items(workshop, job, count)
        workshop.serve()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--no-proxy-server"])
            context = browser.new_context()
            context.new_page().goto(workshop.link)
            cookies = context.cookies()
            context.close()
            paints = [paint(browser, cookies, workshop, "/jobs/hundred/photos") for _ in range(PAINTS)][1:]
            figures["first paint, 100,000 items"] = {"wall": statistics.median(row[0] for row in paints)}
            figures["first pictures, 100,000 items"] = {"wall": statistics.median(row[1] for row in paints)}
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies(cookies)
            page = context.new_page()
            page.goto(workshop.base + "/jobs/million/photos")
            page.get_by_role("list", name="Photos").get_by_role("listitem").first.wait_for()
            figures["a frame while scrolling, 1,000,000 items"] = {"wall": statistics.median(page.evaluate(SCROLL)) / 1000}
            browser.close()
        for name, path in PATHS.items():
            times = [seconds(workshop, path.format(job="million")) for _ in range(REQUESTS)]
            figures[f"GET {name}, 1,000,000 items"] = {"wall": statistics.median(times)}
        figures["the server"] = {"peak_kib": memory(workshop.server.pid)}
        print(json.dumps(figures))
    finally:
        workshop.close()


if __name__ == "__main__":
    main()
