"""Flows about files: upload, read, list, delete."""

from __future__ import annotations

import os
import re
import secrets
from typing import Any, BinaryIO, Optional, Tuple, Union
from urllib.parse import quote

from ._exchange import Ask, Flow, Settings, exchange
from ._queue_flows import query_text, read
from .errors import Issue, ValidationError

# What can be uploaded: bytes, a path, or an open file, which is read to its end first.
FileSource = Union[bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO]

# Seconds that an upload may take.
UPLOAD_TIMEOUT = 600.0
# Of the protocol.
_MAX_BYTES = 40 * 1024 * 1024


def create(
    settings: Settings,
    source: FileSource,
    *,
    filename: Optional[str],
    mime_type: Optional[str],
    timeout: float,
) -> Flow[Any]:
    """Uploads one file."""
    content, own_name = _bytes_of(source)
    boundary = secrets.token_hex(16)
    form = _form(boundary, content, filename or own_name or "file", mime_type)
    headers = {"content-type": f"multipart/form-data; boundary={boundary}"}
    ask = Ask("POST", "/v1/files", "refused", headers=headers, content=form, timeout=timeout)
    reply = yield from exchange(settings, ask)
    return reply.body


def get(settings: Settings, file_id: str) -> Flow[Any]:
    """A file again, with a fresh address."""
    return (yield from read(settings, _path_of(file_id)))


def list_files(settings: Settings, **filters: Any) -> Flow[Any]:
    """A page of one's own uploads."""
    return (yield from read(settings, f"/v1/files{query_text(**filters)}"))


def delete(settings: Settings, file_id: str) -> Flow[None]:
    """A repetition after a lost answer would say that there is no such file, so there is none."""
    yield from exchange(settings, Ask("DELETE", _path_of(file_id), "refused"))


def _path_of(file_id: str) -> str:
    return f"/v1/files/{quote(file_id, safe='')}"


def _bytes_of(source: FileSource) -> Tuple[bytes, Optional[str]]:
    """The content and the name of a file; nothing is read beyond what the gateway takes."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _checked(bytes(source)), None
    if isinstance(source, os.PathLike):
        with open(source, "rb") as opened:
            return _checked(opened.read(_MAX_BYTES + 1)), os.path.basename(os.fspath(source))
    name = getattr(source, "name", None)
    return _checked(source.read(_MAX_BYTES + 1)), os.path.basename(name) if isinstance(name, str) else None


def _checked(content: bytes) -> bytes:
    if len(content) <= _MAX_BYTES:
        return content
    message = "The file exceeds 40MB"
    raise ValidationError(
        message, issues=[Issue("file", message)], kind="file", status=413, code="file_too_large"
    )


def _form(boundary: str, content: bytes, filename: str, mime_type: Optional[str]) -> bytes:
    """A form with one file; quotes and line breaks of a name are escaped as browsers do."""
    escapes = {'"': "%22", "\r": "%0D", "\n": "%0A"}
    name = re.sub('["\r\n]', lambda sign: escapes[sign[0]], filename)
    if mime_type is not None and not re.fullmatch(r"[\w.+-]+/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*", mime_type):
        raise ValueError(f"mime_type must be like image/png, got {mime_type!r}")
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n'
        f"content-type: {mime_type or 'application/octet-stream'}\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
