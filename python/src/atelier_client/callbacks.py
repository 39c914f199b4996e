"""Verifies callbacks (webhooks) of the gateway."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, Sequence, Union

from .bodies import FailedResult, ImageResult, RunningStatus, SpeechResult, VideoResult

# The body of a callback: that the job runs, or how it ended.
CallbackEvent = Union[RunningStatus, VideoResult, ImageResult, SpeechResult, FailedResult]

# Allowed difference between the time of a callback and ours, in seconds.
_TOLERANCE = 5 * 60


class CallbackError(Exception):
    """The callback is not from the gateway, or too old: answer it with 400 and ignore it."""


def verify(body: Union[str, bytes], headers: Mapping[str, Any], secret: Union[str, Sequence[str]]) -> CallbackEvent:
    """Verifies a callback by Standard Webhooks and returns its event.

    `body` is the raw body, before anything parses it; `headers` are those of any framework; `secret` is `whsec_…`, or
    several of them. Raises a CallbackError.
    """
    webhook_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise CallbackError("webhook-timestamp is no time")
    if abs(time.time() - int(timestamp)) > _TOLERANCE:
        raise CallbackError("The callback is older than five minutes, or from the future")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{webhook_id}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not any(_is_signed(signed, signatures, one) for one in secrets):
        raise CallbackError("No signature of the callback is of this secret")
    event: CallbackEvent = json.loads(content)
    return event


def _header(headers: Mapping[str, Any], name: str) -> str:
    """One header; the names of a framework may be in any case, and its values lists."""
    for key, value in headers.items():
        if str(key).lower() == name:
            first = value[0] if isinstance(value, (list, tuple)) and value else value
            if isinstance(first, str):
                return first
    raise CallbackError(f"{name} is missing")


def _is_signed(signed: bytes, signatures: str, secret: str) -> bool:
    """Whether one of the signatures is of this secret; compared in constant time."""
    key = _decoded(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    if not key:
        raise CallbackError("The secret must be whsec_ and base64")
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    found = [_decoded(part[len("v1,") :]) for part in signatures.split(" ") if part.startswith("v1,")]
    return any(one is not None and hmac.compare_digest(one, expected) for one in found)


def _decoded(text: str) -> Optional[bytes]:
    """The bytes of base64; None for text that is not."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
