"""Makes the screenshots of docs/pictures from a catalog of its own: places around the world, with pictures that are drawn here."""

import math
import pathlib
import random
import struct
import zlib

from playwright.sync_api import sync_playwright

import origin
from workshop import Workshop

PICTURES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/pictures"
PLACES = [
    ("Việt Nam", "Hà Nội", "Ba Đình", 21.03, 105.85), ("Việt Nam", "Đà Nẵng", "Sơn Trà", 16.07, 108.22),
    ("Japan", "Kyoto", "Kinki", 35.01, 135.77), ("Germany", "Freiburg im Breisgau", "Baden-Württemberg", 47.99, 7.85),
    ("France", "Chamonix", "Haute-Savoie", 45.92, 6.87), ("Iceland", "Reykjavík", "Höfuðborgarsvæði", 64.15, -21.94),
    ("Morocco", "Marrakesh", "Marrakesh-Safi", 31.63, -8.0), ("Peru", "Cusco", "", -13.52, -71.97),
    ("Kenya", "Nairobi", "", -1.29, 36.82), ("United States", "San Francisco", "California", 37.77, -122.42),
    ("New Zealand", "Queenstown", "Otago", -45.03, 168.66), ("Norway", "Tromsø", "Troms", 69.65, 18.96),
]
WORDS = ["Morning light", "Above the valley", "Last snow", "Towards the sea", "Blue hour", "Between two rains", "First frost", "Late sun"]
SKIES = [((252, 176, 122), (112, 132, 188)), ((255, 222, 160), (120, 180, 214)), ((245, 130, 110), (70, 60, 120)),
         ((205, 228, 240), (88, 140, 190)), ((250, 205, 190), (160, 150, 200)), ((60, 80, 130), (16, 22, 52))]
LANDS = [(58, 84, 66), (44, 62, 92), (92, 66, 52), (40, 70, 78), (80, 58, 88), (66, 78, 48)]


def mix(a, b, share):
    return tuple(int(x + (y - x) * share) for x, y in zip(a, b))


def landscape(number, width, height):
    """A sky, a sun or moon, and ridges that grow darker towards the front, as a PNG."""
    dice = random.Random(number * 7919)
    low, high = SKIES[dice.randrange(len(SKIES))]
    land = LANDS[dice.randrange(len(LANDS))]
    sun = (dice.uniform(0.15, 0.85) * width, dice.uniform(0.2, 0.5) * height, dice.uniform(0.05, 0.1) * min(width, height))
    light = mix(low, (255, 255, 240), 0.6)
    ridges = []
    for depth in range(4):
        base, waves = 0.48 + depth * 0.13, [(dice.uniform(0.6, 2.2) * (depth + 1), dice.uniform(0, 7), dice.uniform(0.02, 0.07)) for _ in range(4)]
        ridges.append([height * (base + sum(a * math.sin(f * x / width * 6.28 + p) for f, p, a in waves)) for x in range(width)])
    colours = [mix(mix(land, high, 0.62 - depth * 0.2), (10, 14, 20), depth * 0.13) for depth in range(4)]
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        sky = mix(high, low, min(1, y / height * 1.6))
        for x in range(width):
            pixel = sky
            if (x - sun[0]) ** 2 + (y - sun[1]) ** 2 < sun[2] ** 2:
                pixel = light
            for depth in range(3, -1, -1):
                if y > ridges[depth][x]:
                    pixel = colours[depth]
                    break
            rows += bytes(pixel)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b""))


SIZES = [(720, 480), (480, 640), (640, 480), (800, 450), (560, 560), (900, 400)]
DRAWN = {}
# Coprime to the number of places, so that each has pictures of all sizes.
DRAWINGS = 47


def drawn(number, *_):
    number %= DRAWINGS
    if number not in DRAWN:
        DRAWN[number] = landscape(number, *SIZES[number % len(SIZES)])
    return DRAWN[number]


def main():
    origin.picture = drawn
    for number in range(DRAWINGS):
        drawn(number)
    PICTURES.mkdir(parents=True, exist_ok=True)
    workshop = Workshop()
    try:
        count = len(PLACES) * 16
        titles = [WORDS[number % len(WORDS)] for number in range(count)]
        workshop.job("places", count, titles=titles, concurrency=16, per_host=16)
        workshop.run("places")
        for at, (section, title, subtitle, latitude, longitude) in enumerate(PLACES):
            workshop.sql(
                "INSERT INTO collection (job, key, title, subtitle, section, latitude, longitude, position, expected) VALUES "
                f"('places', 'place:{at}', '{title}', '{subtitle}', '{section}', {latitude}, {longitude}, {at + 10}, 16)",
                f"UPDATE item SET collection_id = (SELECT id FROM collection WHERE key = 'place:{at}') WHERE id % {len(PLACES)} = {at}")
        workshop.sql("DELETE FROM collection WHERE key NOT LIKE 'place:%'")
        workshop.job("harbour", 160, titles=titles[:160], concurrency=8, per_host=8)
        workshop.serve()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--no-proxy-server"])
            shoot(browser, driver, workshop)
            browser.close()
    finally:
        workshop.close()


def shoot(browser, driver, workshop):
    def page_of(**options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options})
        page = context.new_page()
        page.goto(workshop.link)
        page.get_by_role("article", name="places").wait_for()
        return page

    def save(page, name, pause=1500):
        page.wait_for_timeout(pause)
        page.screenshot(path=str(PICTURES / f"{name}.jpg"), type="jpeg", quality=78)

    light, dark = page_of(color_scheme="light"), page_of(color_scheme="dark")
    light.goto(workshop.base + "/jobs/places/photos")
    save(light, "photos")
    dark.goto(workshop.base + "/map")
    save(dark, "map", 3000)
    dark.goto(workshop.base + "/runs/1")
    save(dark, "run")
    first = workshop.sql("SELECT id FROM item ORDER BY id LIMIT 1 OFFSET 3")[0][0][0]
    dark.goto(f"{workshop.base}/jobs/places/photos?item={first}")
    dark.get_by_role("button", name="Image details").click()
    save(dark, "viewer")
    workshop.origin.delay = 0.7
    light.goto(workshop.base + "/jobs/harbour")
    light.get_by_role("button", name="Run", exact=True).click()
    light.get_by_role("progressbar", name="Whole run").wait_for()
    save(light, "live", 6000)
    phone = page_of(**{**driver.devices["Pixel 5"], "color_scheme": "dark", "device_scale_factor": 1})
    phone.goto(workshop.base + "/jobs/places/photos")
    save(phone, "phone")


if __name__ == "__main__":
    main()
