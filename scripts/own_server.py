"""A server of a script's own, with a folder of its own if none is named, and statements sent to it."""
import http.client
import socket
import subprocess
import tempfile
import time
import urllib.parse


class OwnServer:
    """Starts `entasis server` on a free port; waits until it answers."""

    def __init__(self, binary, name, *options, path=None, environment=None):
        self.folder = None if path else tempfile.TemporaryDirectory(prefix=f"{name}-", dir="/tmp")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        path = path or self.folder.name
        command = [binary, "server", "--http-port", str(self.port), "--path", str(path), *options]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.ask("SELECT 1")
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def ask(self, query, **parameters):
        """The response with its headers and when its last byte came (`last_byte`), and the end of its body; the body may be
        large."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", "/?" + urllib.parse.urlencode(parameters), query.encode())
        response = connection.getresponse()
        response.last_byte = time.monotonic()
        tail = b""
        try:
            while piece := response.read1(1 << 20):
                response.last_byte = time.monotonic()
                tail = (tail + piece)[-1000:]
        except http.client.IncompleteRead:
            pass  # A late error breaks the connection.
        return response, tail.decode(errors="replace")

    def text(self, query, **parameters):
        """The answer as text, and its seconds; an error ends the script."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3600)
        start = time.monotonic()
        connection.request("POST", "/?" + urllib.parse.urlencode(parameters), query.encode())
        response = connection.getresponse()
        text = response.read().decode()
        if response.status != 200:
            raise SystemExit(f"{query[:200]}\n{text}")
        return text, time.monotonic() - start

    def stop(self):
        """Ends the process, and removes its own folder."""
        self.process.terminate()
        self.process.wait()
        if self.folder:
            self.folder.cleanup()
