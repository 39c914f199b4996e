"""Requests with retries where they are safe, as flows: generators that yield what is to be done and do no I/O.

The synchronous and the asynchronous client run the same flows (`_run.py`), so the rules exist once.
"""

from __future__ import annotations

import json
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Literal, Mapping, Optional, Tuple, TypeVar, Union

from ._read_failure import read_failure
from .errors import GatewayError

Result = TypeVar("Result")


@dataclass(frozen=True)
class Send:
    """A request to be sent once; the timeout is in seconds."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: Optional[bytes]
    timeout: float


@dataclass(frozen=True)
class Pause:
    """A wait in seconds."""

    seconds: float


@dataclass(frozen=True)
class Answer:
    """What came back; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Unanswered(Exception):
    """There was no answer; raised by the transports."""

    def __init__(self, reason: str, *, is_timeout: bool = False) -> None:
        super().__init__(reason)
        self.is_timeout = is_timeout


# What a call does, step by step; returns its result.
Flow = Generator[Union[Send, Pause], Any, Result]

# After which failures a call is retried. `read`: it changes nothing, so after any. `keyed`: a repetition is known as
# one, so after any that may pass. `refused`: a repetition would do it twice, so only where nothing was done.
Repeatable = Literal["read", "keyed", "refused"]


@dataclass(frozen=True)
class Settings:
    """How a client reaches its gateway; times are in seconds."""

    base_url: str
    api_key: Union[str, Callable[[], str]]
    max_retries: int
    timeout: float


class Deadline:
    """An end of all waits of a call; None: there is none."""

    def __init__(self, seconds: Optional[float] = None) -> None:
        self._ends_at = None if seconds is None else time.monotonic() + seconds

    def cut(self, seconds: float) -> float:
        """At most what remains."""
        return seconds if self._ends_at is None else max(0.0, min(seconds, self._ends_at - time.monotonic()))

    def has_passed(self) -> bool:
        return self._ends_at is not None and time.monotonic() >= self._ends_at

    def check(self) -> None:
        """Raises once it has passed."""
        if self.has_passed():
            raise GatewayError("The deadline has passed", kind="timeout")


NO_DEADLINE = Deadline()


@dataclass(frozen=True)
class Ask:
    """One request. The path is from the base address, with its query."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    repeatable: Repeatable
    headers: Mapping[str, str] = field(default_factory=dict)
    content: Optional[bytes] = None
    # Instead of the client's own.
    timeout: Optional[float] = None
    # Statuses of 400 and more that are an answer nevertheless.
    also_good: Tuple[int, ...] = ()
    deadline: Deadline = NO_DEADLINE


@dataclass(frozen=True)
class Reply:
    """A good answer; the body is parsed JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any


# Bound of the retries of a read, whatever max_retries is.
_MAX_READ_RETRIES = 5
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 60.0


def base_of(address: str) -> str:
    """The address of a gateway without a slash at its end. Raises a ValueError for what is none."""
    if re.fullmatch(r"https?://[^/?#]+[^?#]*", address):
        return address.rstrip("/")
    raise ValueError(f"base_url must be an http or https address without a query, got {address}")


def exchange(settings: Settings, ask: Ask) -> Flow[Reply]:
    """Sends a request, and retries it where that is safe; every refusal is raised as a GatewayError."""
    most = min(settings.max_retries, _MAX_READ_RETRIES) if ask.repeatable == "read" else settings.max_retries
    retries = 0
    while True:
        ask.deadline.check()
        try:
            return (yield from _send_once(settings, ask))
        except GatewayError as failure:
            pause = failure.retry_after
            if pause is None:
                pause = jittered(_FIRST_PAUSE * 2**retries)
            if retries >= most or not _may_repeat(ask.repeatable, failure) or pause > _LONGEST_PAUSE:
                raise
        yield Pause(ask.deadline.cut(pause))
        retries += 1


def jittered(seconds: float) -> float:
    """Between half of it and all of it, so that clients do not retry at the same time."""
    return seconds * (0.5 + random.random() / 2)


def _may_repeat(repeatable: Repeatable, failure: GatewayError) -> bool:
    status = failure.status or 0
    if repeatable == "refused":
        return status in (429, 503)
    if failure.kind in ("network", "timeout"):
        return True
    if repeatable == "read":
        return status == 429 or status >= 500
    return status in (429, 502, 503, 504)


def _send_once(settings: Settings, ask: Ask) -> Flow[Reply]:
    key = settings.api_key() if callable(settings.api_key) else settings.api_key
    call = f"{ask.method} {ask.path.split('?', 1)[0]}"
    timeout = ask.deadline.cut(settings.timeout if ask.timeout is None else ask.timeout)
    headers = {"authorization": f"Bearer {key}", **ask.headers}
    try:
        answer: Answer = yield Send(ask.method, settings.base_url + ask.path, headers, ask.content, timeout)
    except Unanswered as failure:
        ask.deadline.check()
        if failure.is_timeout:
            raise GatewayError(f"{call} took too long", kind="timeout", retryable=True) from failure
        message = f"{call} got no answer from {settings.base_url}: {failure}"
        raise GatewayError(message, kind="network", retryable=True) from failure
    return _read_reply(answer, ask, settings.base_url)


def _read_reply(answer: Answer, ask: Ask, base_url: str) -> Reply:
    status, headers = answer.status, answer.headers
    body = _parsed(answer.content)
    if not 200 <= status < 300 and status not in ask.also_good:
        raise read_failure(status, headers, body)
    if isinstance(body, (dict, list)):
        return Reply(status, headers, body)
    message = f"{ask.method} {ask.path} was not answered with JSON. Is {base_url} the address of a gateway?"
    raise GatewayError(message, kind="gateway", status=status, body=body)


def _parsed(content: bytes) -> Any:
    """JSON, else the text."""
    try:
        return json.loads(content)
    except ValueError:
        return content.decode("utf-8", "replace")
