"""The client of an Atelier gateway: jobs, files and callbacks of every model, typed by model id."""

from ._calls import AnyResult, CustomModel, JobHandle
from ._file_flows import FileSource
from ._queue_flows import Finished, JobRef, Poll
from .async_client import AsyncClient
from .callbacks import CallbackError, CallbackEvent, verify
from .client import Client
from .errors import (
    AuthError,
    ErrorKind,
    GatewayError,
    Issue,
    JobFailedError,
    NotFoundError,
    NotReadyError,
    PermissionDeniedError,
    RateLimitError,
    ValidationError,
)

__all__ = [
    "AnyResult",
    "AsyncClient",
    "AuthError",
    "CallbackError",
    "CallbackEvent",
    "Client",
    "CustomModel",
    "ErrorKind",
    "FileSource",
    "Finished",
    "GatewayError",
    "Issue",
    "JobFailedError",
    "JobHandle",
    "JobRef",
    "NotFoundError",
    "NotReadyError",
    "PermissionDeniedError",
    "Poll",
    "RateLimitError",
    "ValidationError",
    "verify",
]
