"""A web server on 127.0.0.1 with made-up pictures, as slow as a test wants it, that knows how many requests it has at once."""

import http.server
import struct
import threading
import zlib


def picture(number, width=480, height=320):
    """A PNG of a colour that differs from number to number: a gradient, so that it compresses to little."""
    red, green, blue = (number * 73) % 200 + 40, (number * 151) % 200 + 40, (number * 199) % 200 + 40
    rows = []
    for y in range(height):
        shade = y / height
        pixel = bytes((int(red * (1 - shade / 2)), int(green * (0.5 + shade / 2)), int(blue * (1 - shade / 3))))
        rows.append(b"\0" + pixel * width)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b"")


SIZES = [(480, 320), (320, 480), (480, 480), (640, 360), (480, 360)]


class Origin:
    """`delay` seconds before each picture; `most` requests were served at once since `reset()`; `paths` in their order."""

    def __init__(self):
        self.delay = 0
        self.now = self.most = 0
        self.paths = []
        self.lock = threading.Lock()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with origin.lock:
                    origin.now += 1
                    origin.most = max(origin.most, origin.now)
                    origin.paths.append(self.path)
                try:
                    if origin.delay:
                        threading.Event().wait(origin.delay)
                    self.answer()
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with origin.lock:
                        origin.now -= 1

            def answer(self):
                name = self.path.rsplit("/", 1)[-1].split(".")[0]
                if not name.isdigit():
                    self.send_error(404)
                    return
                number = int(name)
                body = picture(number, *SIZES[number % len(SIZES)])
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "max-age=3600")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        http.server.ThreadingHTTPServer.request_queue_size = 256
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, number):
        return f"http://127.0.0.1:{self.port}/{number}.png"

    def reset(self):
        with self.lock:
            self.most = self.now
            self.paths.clear()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
