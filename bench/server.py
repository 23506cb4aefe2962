"""nginx on 127.0.0.1, with one process of one worker, as a child of this one."""

import collections
import os
import pathlib
import shutil
import socket
import subprocess
import time

ECHO_MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")

CONFIGURATION = """\
load_module {module};
daemon off;
master_process off;
worker_rlimit_nofile 8192;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    split_clients $request_id $fault {{ 1% busy; 1% gone; * none; }}
    log_format request '$request_method $status $request_uri';
    access_log {access_log};
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    http2_max_concurrent_streams 256;
    default_type application/octet-stream;
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{tls_port} ssl http2;
{hosts}
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
        root {root};
        # The same files as below /files, with what their path stands for.
        location /fresh/ {{ alias {root}/files/; expires 1h; }}
        location ~ ^/wait(/.*)$ {{ echo_sleep 0.05; echo_exec $1; }}
        # As servers far away are: each reply waits, one request in fifty fails in a way that passes.
        location ~ ^/life(/.*)$ {{
            if ($fault = busy) {{ return 503; }}
            if ($fault = gone) {{ return 444; }}
            echo_sleep 0.05;
            echo_exec $1;
        }}
        location /tiny/ {{ return 200 {tiny}; }}
    }}
}}
"""


# Servers in the eyes of clients: each has an address, and a connection, of its own.
HOSTS = [f"127.0.{1 + number // 100}.{1 + number % 100}" for number in range(200)]


class Server:
    """A running nginx; with `logging` it writes down its requests, which `take_requests` counts.

    `run_on` puts it on some of the processors.
    """

    def __init__(self, root, folder, logging=False):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.certificate = self.folder / "certificate.pem"
        self.log = self.folder / "access.log"
        self._make_certificate()
        self.port, self.tls_port = _free_ports(2)
        hosts = "\n".join(f"        listen {host}:{self.tls_port} ssl http2;" for host in HOSTS)
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            CONFIGURATION.format(
                module=ECHO_MODULE, folder=self.folder, root=root, port=self.port, tls_port=self.tls_port, hosts=hosts,
                access_log=f"{self.log} request" if logging else "off", tiny="x" * 300))
        self.process = subprocess.Popen([program(), "-p", self.folder, "-c", configuration, "-e", self.folder / "start.log"])
        self._wait_until_it_listens()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def tls_url(self, path, host="127.0.0.1"):
        return f"https://{host}:{self.tls_port}{path}"

    def run_on(self, processors):
        os.sched_setaffinity(self.process.pid, processors)

    def take_requests(self):
        """How many requests of which method and status were logged since the last call."""
        with open(self.log, "r+") as log:
            counts = collections.Counter(" ".join(line.split()[:2]) for line in log)
            log.truncate(0)
        return counts

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=" + ",".join(f"IP:{host}" for host in ["127.0.0.1", *HOSTS]),
             "-keyout", self.folder / "key.pem", "-out", self.certificate],
            check=True, capture_output=True)

    def _wait_until_it_listens(self):
        # nginx tells nobody that it listens.
        for _ in range(500):
            if self.process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.tls_port)) == 0:
                    return
            time.sleep(0.02)
        self.stop()
        words = [(self.folder / name).read_text() for name in ("start.log", "error.log") if (self.folder / name).exists()]
        raise SystemExit("bench: nginx does not start; its own words:\n" + "".join(words))


def program():
    found = shutil.which("nginx", path="/usr/sbin:/sbin:/usr/bin:/bin")
    return found or raise_missing("nginx")


def raise_missing(name):
    raise SystemExit(f"bench: {name} is missing; scripts/install-packages bench installs it")


def _free_ports(count):
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports
