"""Flows about jobs: create, read, watch, cancel, subscribe."""

from __future__ import annotations

import json
import re
import secrets
import time
from dataclasses import dataclass
from typing import Any, Callable, Generic, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from ._exchange import NO_DEADLINE, Ask, Deadline, Flow, Pause, Reply, Settings, exchange, jittered
from .errors import GatewayError, Issue, JobFailedError, NotReadyError, ValidationError

Data = TypeVar("Data")

# Seconds that a cancel may take after the wait has ended.
_CANCEL_TIMEOUT = 5.0
_GROWTH = 1.5
# Longest wait that the protocol allows, in seconds.
_MAX_WAIT = 60
_WEBHOOKS = ("webhook", "webhooks", "webhookurl", "webhookendpoint", "webhookeventsfilter", "falwebhook")


@dataclass(frozen=True)
class Finished(Generic[Data]):
    """The result of a job that succeeded."""

    data: Data
    request_id: str


@dataclass(frozen=True)
class Poll:
    """Pauses between polls in seconds: at first `min`, then longer and longer up to `max`."""

    min: float = 1.0
    max: float = 10.0


@dataclass(frozen=True)
class Job:
    """Which job: its model and its id."""

    model: str
    request_id: str


# The handle of a creation, or the id of a model that is followed by the id of the job.
JobRef = Union[Mapping[str, Any], str]


def job_of(job: JobRef, request_id: Optional[str]) -> Job:
    """The job of a call, in either form."""
    if isinstance(job, str):
        if request_id is None:
            raise TypeError("expected the handle of a job, or a model id and a request id")
        return Job(job, request_id)
    return Job(job["model"], job["request_id"])


def query_text(**members: Any) -> str:
    """`?a=1&b=2`, or nothing; what is None is left out."""
    present = {name: value for name, value in members.items() if value is not None}
    return f"?{urlencode(present)}" if present else ""


def json_content(value: Any) -> Tuple[bytes, Mapping[str, str]]:
    """The bytes of a body, written once so that a retry has the same, and their header."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(), {"content-type": "application/json"}


def read(settings: Settings, path: str, deadline: Deadline = NO_DEADLINE) -> Flow[Any]:
    """The body of a GET."""
    reply = yield from exchange(settings, Ask("GET", path, "read", deadline=deadline))
    return reply.body


def submit(
    settings: Settings,
    model: str,
    input: Mapping[str, Any],
    *,
    idempotency_key: Optional[str] = None,
    cancel_after: Union[str, int, None] = None,
    deadline: Deadline = NO_DEADLINE,
) -> Flow[Any]:
    """Creates a job. A retry after a lost answer returns the same job: nothing is made twice."""
    _refuse_webhook(input)
    content, headers = json_content(input)
    headers = {**headers, "idempotency-key": idempotency_key or secrets.token_hex(16)}
    if cancel_after is not None:
        headers["cancel-after"] = str(cancel_after)
    reply = yield from exchange(
        settings, Ask("POST", _path_of(model), "keyed", headers=headers, content=content, deadline=deadline)
    )
    return {**reply.body, "model": model}


def status(
    settings: Settings,
    job: Job,
    *,
    logs: bool = False,
    wait: Optional[int] = None,
    deadline: Deadline = NO_DEADLINE,
) -> Flow[Reply]:
    """The status of a job, with the headers of the answer."""
    path = f"{_path_of_job(job)}/status{'?logs=1' if logs else ''}"
    headers = {} if wait is None else {"prefer": f"wait={wait}"}
    return (yield from exchange(settings, Ask("GET", path, "read", headers=headers, deadline=deadline)))


def result(settings: Settings, job: Job, deadline: Deadline = NO_DEADLINE) -> Flow[Any]:
    """The result of a job. Raises a NotReadyError until the job ends."""
    ask = Ask("GET", f"{_path_of_job(job)}/response", "read", deadline=deadline)
    reply = yield from exchange(settings, ask)
    if reply.status == 202:
        raise NotReadyError(reply.body)
    return reply.body


def cancel(settings: Settings, job: Job, deadline: Deadline = NO_DEADLINE) -> Flow[Any]:
    """`requested`, or `already_completed`."""
    ask = Ask("PUT", f"{_path_of_job(job)}/cancel", "keyed", also_good=(400,), deadline=deadline)
    reply = yield from exchange(settings, ask)
    return "already_completed" if reply.status == 400 else "requested"


def list_of_model(settings: Settings, model: str, **filters: Any) -> Flow[Any]:
    """A page of the user's jobs of a model."""
    page = yield from read(settings, f"{_path_of(model)}/requests{query_text(**filters)}")
    return {**page, "data": [{**job, "model": model} for job in page["data"]]}


class Watch:
    """Polls the status of a job until it ends.

    The gateway delays its answer until the status changes or the pause is over (`Prefer: wait`); the client pauses
    itself where a proxy does not allow that.
    """

    def __init__(
        self, settings: Settings, job: Job, *, poll: Poll, logs: bool, deadline: Deadline = NO_DEADLINE
    ) -> None:
        self._settings = settings
        self._job = job
        self._poll = poll
        self._logs = logs
        self._deadline = deadline
        self._seen: Any = None
        self._wait = poll.min
        # When the next poll is due, by the monotonic clock.
        self._due = 0.0

    def next(self) -> Flow[Any]:
        """The next change of the status, the current one first; None after the one that is COMPLETED."""
        while self._seen is None or self._seen["status"] != "COMPLETED":
            rest = self._due - time.monotonic()
            if rest > 0:
                yield Pause(self._deadline.cut(rest))
            requested_at = time.monotonic()
            # The first status is read without delay.
            wait = None if self._seen is None else min(_MAX_WAIT, max(1, round(self._wait)))
            reply = yield from status(
                self._settings, self._job, logs=self._logs, wait=wait, deadline=self._deadline
            )
            if self._take(reply, requested_at):
                return self._seen
        return None

    def _take(self, reply: Reply, requested_at: float) -> bool:
        """Notes a status and when the next one is due; whether it is news."""
        before, self._seen = self._seen, reply.body
        is_news = bool(reply.body != before)
        if before is None:
            return is_news
        is_same = reply.body["status"] == before["status"]
        self._wait = min(self._poll.max, self._wait * _GROWTH) if is_same else self._poll.min
        has_waited = "preference-applied" in reply.headers
        if not (has_waited and is_news):
            retry_after = reply.headers.get("retry-after", "")
            asked = int(retry_after) if not has_waited and re.fullmatch(r"[0-9]{1,5}", retry_after) else 0
            self._due = requested_at + max(jittered(self._wait), asked)
        return is_news


def wait(
    settings: Settings,
    job: Job,
    *,
    poll: Poll,
    logs: bool = False,
    on_update: Optional[Callable[[Any], None]] = None,
    deadline: Deadline = NO_DEADLINE,
) -> Flow[Any]:
    """Waits for the end of a job and returns its result. Raises a JobFailedError where it failed."""
    try:
        watch = Watch(settings, job, poll=poll, logs=logs, deadline=deadline)
        while True:
            change = yield from watch.next()
            if change is None:
                break
            if on_update is not None:
                on_update(change)
        data = yield from result(settings, job, deadline)
    except GatewayError as failure:
        failure.job_id = failure.job_id or job.request_id
        raise
    if data["error"] is not None:
        raise JobFailedError(data)
    return Finished(data, job.request_id)


def subscribe(
    settings: Settings,
    model: str,
    input: Mapping[str, Any],
    *,
    idempotency_key: Optional[str] = None,
    cancel_after: Union[str, int, None] = None,
    deadline: Optional[float] = None,
    cancel_on_abort: bool = False,
    poll: Poll = Poll(),
    logs: bool = False,
    on_submit: Optional[Callable[[Any], None]] = None,
    on_update: Optional[Callable[[Any], None]] = None,
) -> Flow[Any]:
    """Creates a job, waits for its end and returns its result."""
    end = Deadline(deadline)
    handle = yield from submit(
        settings, model, input, idempotency_key=idempotency_key, cancel_after=cancel_after, deadline=end
    )
    job = Job(model, handle["request_id"])
    try:
        if on_submit is not None:
            on_submit(handle)
        return (yield from wait(settings, job, poll=poll, logs=logs, on_update=on_update, deadline=end))
    except GeneratorExit:
        raise
    except BaseException as failure:
        # An interrupt or the cancellation of a task is no Exception.
        if cancel_on_abort and (end.has_passed() or not isinstance(failure, Exception)):
            yield from _cancel_quietly(settings, job)
        raise


def _cancel_quietly(settings: Settings, job: Job) -> Flow[None]:
    """Ignores a failed cancel: the error that ended the wait is raised."""
    try:
        yield from cancel(settings, job, Deadline(_CANCEL_TIMEOUT))
    except GatewayError:
        pass


def _path_of(model: str) -> str:
    return f"/v1/queue/{quote(model, safe='')}"


def _path_of_job(job: Job) -> str:
    return f"{_path_of(job.model)}/requests/{quote(job.request_id, safe='')}"


def _refuse_webhook(input: Mapping[str, Any]) -> None:
    """The gateway would refuse it in the same words; a model that notifies takes `callback_url`."""
    options = input.get("options")
    names: List[str] = [*input, *(options if isinstance(options, Mapping) else ())]
    field = next((name for name in names if re.sub("[-_]", "", name.lower()) in _WEBHOOKS), None)
    if field is not None:
        message = "webhook not supported"
        body = {"detail": message}
        raise ValidationError(message, issues=[Issue(field, message)], kind="detail", status=400, body=body)



def path_of_own(request_id: str) -> str:
    """A job by its id alone."""
    return f"/v1/jobs/{quote(request_id, safe='')}"
