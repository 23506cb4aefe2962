"""Runs the browser's tests; what fails is run once more, by itself.

A browser draws when the machine lets it, so that a gesture may miss its frame on a busy one. A fault of the page fails
twice.
"""

import sys
import unittest


def run(names):
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(".", pattern="test_*.py")
    return unittest.TextTestRunner().run(suite)


result = run(sys.argv[1:])
failed = [test.id() for test, _ in result.failures + result.errors]
if failed and len(failed) <= 3 and not any("_ErrorHolder" in name or "_FailedTest" in name for name in failed):
    print("once more: " + ", ".join(failed), file=sys.stderr)
    result = run(failed)
sys.exit(0 if result.wasSuccessful() else 1)
