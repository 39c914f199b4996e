"""A server that answers by a script, for tests of the rules."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, NamedTuple, Optional, Union


class Act(NamedTuple):
    """One answer."""

    status: int
    body: Any = None
    headers: Dict[str, str] = {}


class Received(NamedTuple):
    """One request that reached the server."""

    line: str
    headers: Dict[str, str]
    content: bytes


class ScriptedServer:
    """Answers one act a request, the last of them for ever; "reset" breaks the connection, "never" keeps it open."""

    def __init__(self) -> None:
        self.received: List[Received] = []
        self._acts: List[Union[Act, str]] = ["reset"]
        self._ended = threading.Event()
        self._changed = threading.Condition()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                owner._answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def script(self, *acts: Union[Act, str]) -> None:
        self._acts = list(acts)
        self.received.clear()

    def lines(self) -> List[str]:
        return [one.line for one in self.received]

    def count_of(self, expected: int) -> int:
        """How many requests came, once those that are expected did: a client may give up before one is read."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.received) >= expected, 30)
            return len(self.received)

    def close(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        content = request.rfile.read(int(request.headers.get("content-length") or 0))
        act = self._acts[min(len(self.received), len(self._acts) - 1)]
        headers = {name.lower(): value for name, value in request.headers.items()}
        with self._changed:
            self.received.append(Received(f"{request.command} {request.path}", headers, content))
            self._changed.notify_all()
        request.close_connection = True
        if act == "never":
            self._ended.wait(10)
        if isinstance(act, str):
            return
        body = act.body if isinstance(act.body, bytes) else json.dumps(act.body or {}).encode()
        request.send_response(act.status)
        for name, value in {"x-request-id": "asked-1", "content-length": str(len(body)), **act.headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)


def busy(status: int, body: Optional[Any] = None) -> Act:
    """At once, so that no test waits for it."""
    return Act(status, body or {"detail": "Service temporarily unavailable"}, {"retry-after": "0"})
