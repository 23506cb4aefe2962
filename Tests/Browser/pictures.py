"""Makes the screenshots of docs/pictures from a catalog of its own: flags, and made-up photos of places."""

import json
import math
import pathlib
import random
import subprocess
import sys

from playwright.sync_api import sync_playwright

from workshop import RUNNER, Workshop

PICTURES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/pictures"
PLACES = [
    ("Việt Nam", "Hà Nội", 21.03, 105.85), ("Việt Nam", "Đà Nẵng", 16.07, 108.22), ("Japan", "Kyoto", 35.01, 135.77),
    ("Germany", "Freiburg im Breisgau", 47.99, 7.85), ("France", "Chamonix", 45.92, 6.87), ("Iceland", "Reykjavík", 64.15, -21.94),
    ("Morocco", "Marrakesh", 31.63, -8.0), ("Peru", "Cusco", -13.52, -71.97), ("Kenya", "Nairobi", -1.29, 36.82),
    ("United States", "San Francisco", 37.77, -122.42), ("New Zealand", "Queenstown", -45.03, 168.66), ("Norway", "Tromsø", 69.65, 18.96),
]
WORDS = ["Morning light", "Above the valley", "Last snow", "Towards the sea", "Blue hour", "Between two rains", "First frost", "Late sun"]
