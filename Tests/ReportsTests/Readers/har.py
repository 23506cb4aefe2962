"""Checks an HTTP archive by its schema and prints its entries."""
import json
import os
import sys

import jsonschema

har = json.load(open(sys.argv[1]))
schema = json.load(open(os.path.join(os.path.dirname(__file__), 'har.json')))
jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(har)
for entry in har['log']['entries']:
    timings = entry['timings']
    parts = [timings[name] for name in ('blocked', 'dns', 'connect', 'send', 'wait', 'receive')]
    assert abs(sum(part for part in parts if part > 0) - entry['time']) < 0.01, entry
print([(entry['_key'], entry['response']['status'], entry['timings']['ssl']) for entry in har['log']['entries']])
