"""What the server has: files of random bytes, and pictures; the same ones for every run."""

import pathlib
import random
import subprocess

SMALL_COUNT = 10_000
LARGE_COUNT = 4
LARGE_SIZE = 256 * 1024 * 1024
PICTURE_COUNT = 1_000

SEED = 20260101
SMALLEST, MEDIAN, LARGEST = 300, 8_000, 200_000
# Of the logarithm of the size; gives a mean of 12 kB.
SPREAD = 1.0


class Site:
    """Folders below one root: `files` with many small ones, `large` with a few, `pictures`."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.sizes = {}
        self._random = random.Random(SEED)

    def add_small_files(self):
        """10,000 files of 300 B to 200 kB, their sizes log-normal with a median of 8 kB."""
        folder = self._folder("files")
        for number in range(SMALL_COUNT):
            size = round(self._random.lognormvariate(0, SPREAD) * MEDIAN)
            self._write(folder, f"{number:05}.bin", min(max(size, SMALLEST), LARGEST))

    def add_large_files(self):
        folder = self._folder("large")
        for number in range(LARGE_COUNT):
            self._write(folder, f"{number}.bin", LARGE_SIZE)

    def add_pictures(self, tools):
        """1,000 JPEGs of 0.1 to 1 megapixel, by bench/pictures.c."""
        folder = self._folder("pictures")
        subprocess.run([tools / "pictures", folder, str(PICTURE_COUNT), str(SEED)], check=True)
        self.sizes["pictures"] = {path.name: path.stat().st_size for path in folder.iterdir()}

    def names(self, kind, count=None):
        return sorted(self.sizes[kind])[:count]

    def _folder(self, kind):
        folder = self.root / kind
        folder.mkdir(parents=True)
        self.sizes[kind] = {}
        return folder

    def _write(self, folder, name, size):
        self.sizes[folder.name][name] = size
        with open(folder / name, "wb") as file:
            while size > 0:
                piece = self._random.randbytes(min(size, 1 << 24))
                file.write(piece)
                size -= len(piece)
