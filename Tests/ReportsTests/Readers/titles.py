"""Prints the titles of a CSV file as JSON, after a look at its shape."""
import csv
import json
import sys

rows = list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))
assert all(len(row) == len(rows[0]) for row in rows)
title, started = rows[0].index('title'), rows[0].index('started')
assert rows[1][started] == '2026-01-01T00:00:00.000001Z', rows[1][started]
print(json.dumps([row[title] for row in rows[1:]]))
