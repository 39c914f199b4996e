"""Runs flows: with the platform's HTTP client, or for asyncio with httpx where it is installed, else in threads."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from http.client import HTTPException
from typing import Any, Callable, Dict, Optional, Union
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._exchange import Answer, Flow, Pause, Result, Send, Unanswered

try:
    import httpx
except ImportError:
    httpx = None  # type: ignore[assignment]

# No answer of the protocol is near it.
_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024


def run(flow: Flow[Result]) -> Result:
    """Runs a flow to its end; what a step raises is raised inside it."""
    step: Callable[[], Union[Send, Pause]] = partial(next, flow)
    while True:
        try:
            effect = step()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            step = partial(flow.send, _perform(effect))
        except BaseException as failure:
            step = partial(flow.throw, failure)


def _perform(effect: Union[Send, Pause]) -> Optional[Answer]:
    if isinstance(effect, Send):
        return send(effect)
    time.sleep(effect.seconds)
    return None


class AsyncRunner:
    """Runs flows in an event loop; keeps the connections of httpx until it is closed."""

    def __init__(self) -> None:
        self._http: Any = None

    async def run(self, flow: Flow[Result]) -> Result:
        """As `run`; a cancellation of the task is raised inside the flow, which may still cancel its job."""
        step: Callable[[], Union[Send, Pause]] = partial(next, flow)
        while True:
            try:
                effect = step()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            try:
                step = partial(flow.send, await self._perform(effect))
            except BaseException as failure:
                step = partial(flow.throw, failure)

    async def close(self) -> None:
        """Ends kept connections."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def _perform(self, effect: Union[Send, Pause]) -> Optional[Answer]:
        if isinstance(effect, Pause):
            await asyncio.sleep(effect.seconds)
            return None
        if httpx is None:
            # A thread cannot be interrupted: after a cancellation it ends by its own timeout.
            return await asyncio.to_thread(send, effect)
        try:
            return await asyncio.wait_for(self._ask(effect), effect.timeout)
        except asyncio.TimeoutError as failure:
            raise Unanswered(f"{effect.timeout} seconds have passed", is_timeout=True) from failure
        except httpx.HTTPError as failure:
            raise Unanswered(str(failure) or type(failure).__name__) from failure

    async def _ask(self, call: Send) -> Answer:
        if self._http is None:
            # The timeout of the whole attempt bounds each part of it.
            self._http = httpx.AsyncClient(timeout=None, follow_redirects=False)
        asked = self._http.stream(call.method, call.url, headers=dict(call.headers), content=call.content)
        async with asked as response:
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                _check_size(len(content))
            return Answer(response.status_code, dict(response.headers), bytes(content))


class _NoRedirects(HTTPRedirectHandler):
    """The gateway redirects no call of this client, and a key must not be sent elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def send(call: Send) -> Answer:
    """Sends a request by the platform's HTTP client. Raises Unanswered."""
    ends_at = time.monotonic() + call.timeout
    request = Request(call.url, data=call.content, headers=dict(call.headers), method=call.method)
    try:
        try:
            # Zero would mean a socket that never waits.
            response = _opener.open(request, timeout=max(call.timeout, 0.001))
        except HTTPError as failed:
            response = failed
        with response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, headers, _read(response, headers, ends_at))
    except (OSError, HTTPException) as failure:
        reason = failure.reason if isinstance(failure, URLError) else failure
        raise Unanswered(str(reason) or type(reason).__name__, is_timeout=_is_timeout(reason)) from failure


def _read(response: Any, headers: Dict[str, str], ends_at: float) -> bytes:
    """The whole body; the timeout of the socket bounds each read, `ends_at` all of them."""
    content = bytearray()
    while True:
        chunk = response.read1(_CHUNK_BYTES)
        content += chunk
        _check_size(len(content))
        if not chunk:
            break
        if time.monotonic() > ends_at:
            raise Unanswered("the answer took too long", is_timeout=True)
    length = headers.get("content-length", "")
    if length.isdigit() and len(content) < int(length):
        raise Unanswered("the connection was closed within the answer")
    return bytes(content)


def _check_size(size: int) -> None:
    if size > _MAX_ANSWER_BYTES:
        raise Unanswered(f"the answer is longer than {_MAX_ANSWER_BYTES} bytes")


def _is_timeout(reason: object) -> bool:
    # Before Python 3.10, that of a socket is a class of its own.
    return isinstance(reason, TimeoutError) or type(reason).__name__ == "timeout"
