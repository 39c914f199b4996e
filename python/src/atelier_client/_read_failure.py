"""Reads error answers of the gateway into errors of this client."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .errors import (
    AuthError,
    ErrorKind,
    GatewayError,
    Issue,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ValidationError,
)

_CLASSES = {401: AuthError, 403: PermissionDeniedError, 404: NotFoundError, 429: RateLimitError}
_RETRYABLE = (429, 502, 503, 504)


def read_failure(status: int, headers: Mapping[str, str], body: Any) -> GatewayError:
    """The error of a failed answer: of any of the three error bodies, or of a proxy that answered without one."""
    kind, message, code, issues = _read_body(body) or (
        "gateway",
        f"The answer was {status} and no error body of the gateway",
        None,
        None,
    )
    facts: Dict[str, Any] = {
        "kind": kind,
        "status": status,
        "code": code or headers.get("x-error-code"),
        "suggestion": headers.get("x-suggestion"),
        "request_id": headers.get("x-request-id"),
        "body": body,
        "retryable": status in _RETRYABLE,
        "retry_after": read_retry_after(headers.get("retry-after")),
    }
    if status in (400, 413, 415, 422):
        return ValidationError(message, issues=issues or issues_of(message), **facts)
    return _CLASSES.get(status, GatewayError)(message, **facts)


_ErrorBody = Tuple[ErrorKind, str, Optional[str], Optional[List[Issue]]]


def _read_body(body: Any) -> Optional[_ErrorBody]:
    """Kind, message, code and issues; None for a body that is none of the gateway's."""
    if not isinstance(body, dict):
        return None
    if isinstance(body.get("detail"), str):
        return "detail", body["detail"], None, None
    error = body.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return None
    message, code, param = error["message"], error.get("code"), error.get("param")
    named = code if isinstance(code, str) else None
    if not isinstance(error.get("type"), str):
        return "gateway", message, named, None
    return "file", message, named, [Issue(param if isinstance(param, str) else "", message)]


def issues_of(detail: str) -> List[Issue]:
    """Splits faults in one string, `path: reason; path: reason`. A reason may contain a semicolon."""
    issues = []
    for part in re.split(r"; (?=[^\s:;]+: )", detail):
        match = re.match(r"([^\s:;]+): (.*)\Z", part, re.DOTALL)
        issues.append(Issue(match[1], match[2]) if match else Issue("", part))
    return issues


def read_retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds from a number or a date; None for anything else."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
