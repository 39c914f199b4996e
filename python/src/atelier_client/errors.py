"""The errors of this client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Literal, Optional

# Where an error comes from: one of the three error bodies of the protocol, the way to the gateway, a time that ran
# out, or a job.
ErrorKind = Literal["gateway", "detail", "file", "network", "timeout", "job"]


class GatewayError(Exception):
    """Every error of this client.

    kind: where it comes from.
    status: the HTTP status; None where there was no answer.
    code: the code of the error body or of the job's error, else the one in X-Error-Code.
    suggestion: the model id that was perhaps meant, where the one that was sent is unknown.
    request_id: X-Request-Id of the answer, for the operator's log.
    body: the answer as it came, parsed where it was JSON.
    retryable: whether the same call may succeed later.
    retry_after: the wait that the gateway asked for, in seconds; None where it named none.
    job_id: the job it is about, where one exists: a wait that ended early can go on with it.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind,
        status: Optional[int] = None,
        code: Optional[str] = None,
        suggestion: Optional[str] = None,
        request_id: Optional[str] = None,
        body: Any = None,
        retryable: bool = False,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.status = status
        self.code = code
        self.suggestion = suggestion
        self.request_id = request_id
        self.body = body
        self.retryable = retryable
        self.retry_after = retry_after
        self.job_id: Optional[str] = None


class AuthError(GatewayError):
    """401: there is no key, or it is not valid."""


class PermissionDeniedError(GatewayError):
    """403: the key may not use this model, or lacks a scope."""


class NotFoundError(GatewayError):
    """404: no such model, job or file, or it is not one's own."""


class RateLimitError(GatewayError):
    """429: too fast, or too much at once."""


@dataclass(frozen=True)
class Issue:
    """One fault of what was sent. The path is as `settings.duration`; empty where the whole is at fault."""

    path: str
    message: str


class ValidationError(GatewayError):
    """400, 413, 415 and 422: what was sent is wrong, and stays wrong. `issues` has one item a fault."""

    def __init__(self, message: str, *, issues: List[Issue], **facts: Any) -> None:
        super().__init__(message, **facts)
        self.issues = issues


class JobFailedError(GatewayError):
    """The job ended without a result; `result` is its body."""

    def __init__(self, result: Any) -> None:
        error = result["error"]
        super().__init__(
            error["message"], kind="job", code=error["code"], retryable=error["retryable"], body=result
        )
        self.result = result
        self.job_id = result["request_id"]


class NotReadyError(GatewayError):
    """202: the job has no result yet; `job_status` is its status."""

    def __init__(self, job_status: Any) -> None:
        message = f"Job {job_status['request_id']} is not finished: {job_status['status']}"
        super().__init__(message, kind="job", status=202, retryable=True, body=job_status)
        self.job_status = job_status
        self.job_id = job_status["request_id"]
