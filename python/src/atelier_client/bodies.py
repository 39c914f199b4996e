"""The bodies that the gateway answers. Times are Unix seconds.

Made from /openapi.json by `node python/generator/write.ts`: change the catalog or src/answers instead.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class CreatedJob(TypedDict):
    """A new job: its id, its URLs and its place in the queue."""

    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    queue_position: int
    """0: next, or already starting."""


class StatusPage(TypedDict):
    """Jobs of one model."""

    object: Literal["list"]
    data: List[JobStatus]
    first_id: Union[str, None]
    last_id: Union[str, None]
    """What `after` takes for the next page."""
    has_more: bool


# A job in one of its three states.
JobStatus = Union["QueuedStatus", "RunningStatus", "CompletedStatus"]


class _QueuedStatusRequired(TypedDict):
    status: Literal["IN_QUEUE"]
    model: str
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    created_at: int
    """Unix time in seconds."""
    queue_position: int
    """0: next, or already starting."""


class QueuedStatus(_QueuedStatusRequired, total=False):
    """A job that waits, with the keys that the users of its model’s family know of a task."""

    external_task_id: str


class _RunningStatusRequired(TypedDict):
    status: Literal["IN_PROGRESS"]
    model: str
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    created_at: int
    """Unix time in seconds."""
    logs: Union[List[LogLine], None]
    """Null unless the request has `logs=1`."""


class RunningStatus(_RunningStatusRequired, total=False):
    """A job that runs, with the keys that the users of its model’s family know of a task."""

    external_task_id: str
    progress: float
    """0 to 1; absent until it is known.

    0 to 1."""
    started_at: int
    """Unix time in seconds."""


class LogLine(TypedDict):
    """One event of a job."""

    timestamp: str
    level: Literal["INFO", "WARN", "ERROR"]
    source: str
    message: str


class _CompletedStatusRequired(TypedDict):
    status: Literal["COMPLETED"]
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    logs: Union[List[LogLine], None]
    """Null unless the request has `logs=1`."""
    metrics: Metrics
    error: Union[JobError, None]
    """Null where the job succeeded."""
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""


class CompletedStatus(_CompletedStatusRequired, total=False):
    """A finished job; `error` tells failure from success."""

    error_type: str
    started_at: int
    """Unix time in seconds."""


class Metrics(TypedDict):
    """Figures of a finished job."""

    inference_time: float
    """Seconds."""


class JobErrorProvider(TypedDict):
    """Present only where an upstream gave a reason."""

    code: str
    message: str


class _JobErrorRequired(TypedDict):
    code: Literal["runtime_error", "invalid_input", "file_download_error", "file_invalid", "content_policy_violation", "provider_unavailable", "submission_uncertain", "expired", "cancelled", "response_too_large", "internal_error"]
    message: str
    retryable: bool
    """Whether creating the same job again can help."""


class JobError(_JobErrorRequired, total=False):
    """Why a job did not succeed."""

    provider: JobErrorProvider
    """Present only where an upstream gave a reason."""


# The same for all models, beside the keys that the users of the model’s family know.
JobResult = Union["VideoResult", "ImageResult", "SpeechResult", "FailedResult"]


class VideoResultVideo(TypedDict):
    """One file of a result. Its URL needs no key."""

    url: Union[str, None]
    """Signed for a day; null once the file was deleted."""
    content_type: str
    file_name: str
    file_size: int
    """Bytes."""
    width: int
    height: int
    duration: float
    fps: float


class VideoResultLastFrame(TypedDict):
    """Where the last frame was requested."""

    url: Union[str, None]
    """Signed for a day; null once the file was deleted."""
    content_type: str
    width: int
    height: int


class _VideoResultRequired(TypedDict):
    request_id: str
    status: Literal["COMPLETED"]
    model: str
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""
    metrics: Metrics
    error: None
    duration: float
    """Seconds: the real duration of the video."""
    video: VideoResultVideo


class VideoResult(_VideoResultRequired, total=False):
    """A finished video."""

    external_task_id: str
    started_at: int
    """Unix time in seconds."""
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost
    watermarked_url: Union[str, None]
    """Where a watermarked copy was requested."""
    last_frame: VideoResultLastFrame
    """Where the last frame was requested."""


class CostLinesItem(TypedDict):
    unit: Literal["second", "image", "character", "token", "credit", "gpu_second"]
    quantity: float
    price: str
    """Of one unit."""
    basis: Literal["reported", "computed"]
    """By the upstream, or here from input and files."""


class Cost(TypedDict):
    """What a job cost, once it is settled."""

    amount: str
    """Decimal, two to six digits behind the point."""
    currency: str
    """ISO 4217."""
    lines: List[CostLinesItem]


class ResultFile(TypedDict):
    """One file of a result. Its URL needs no key."""

    url: Union[str, None]
    """Signed for a day; null once the file was deleted."""
    content_type: str
    file_name: str
    file_size: int
    """Bytes."""


class ImageResultImagesItem(TypedDict):
    """One file of a result. Its URL needs no key."""

    url: Union[str, None]
    """Signed for a day; null once the file was deleted."""
    content_type: str
    file_name: str
    file_size: int
    """Bytes."""
    index: int
    width: int
    height: int


class _ImageResultRequired(TypedDict):
    request_id: str
    status: Literal["COMPLETED"]
    model: str
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""
    metrics: Metrics
    error: None
    images: List[ImageResultImagesItem]


class ImageResult(_ImageResultRequired, total=False):
    """Finished images."""

    external_task_id: str
    started_at: int
    """Unix time in seconds."""
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost


class SpeechResultAudio(TypedDict):
    """One file of a result. Its URL needs no key."""

    url: Union[str, None]
    """Signed for a day; null once the file was deleted."""
    content_type: str
    file_name: str
    file_size: int
    """Bytes."""
    duration: float
    """Seconds."""
    sample_rate: int
    channels: int


class _SpeechResultRequired(TypedDict):
    request_id: str
    status: Literal["COMPLETED"]
    model: str
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""
    metrics: Metrics
    error: None
    audio: SpeechResultAudio


class SpeechResult(_SpeechResultRequired, total=False):
    """Finished speech."""

    external_task_id: str
    started_at: int
    """Unix time in seconds."""
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost


class _FailedResultRequired(TypedDict):
    request_id: str
    status: Literal["COMPLETED"]
    model: str
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""
    metrics: Metrics
    error: JobError


class FailedResult(_FailedResultRequired, total=False):
    """A job that failed, was cancelled or expired."""

    external_task_id: str
    started_at: int
    """Unix time in seconds."""
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost


class Cancellation(TypedDict):
    """What a cancellation did."""

    status: Literal["OK", "CANCELLATION_REQUESTED", "ALREADY_COMPLETED"]
    request_id: str


class OwnJobPage(TypedDict):
    """Jobs of every model."""

    object: Literal["list"]
    data: List[ListedJob]
    first_id: Union[str, None]
    last_id: Union[str, None]
    """What `after` takes for the next page."""
    has_more: bool


class _ListedJobQueuedStatusRequired(TypedDict):
    status: Literal["IN_QUEUE"]
    model: str
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    created_at: int
    """Unix time in seconds."""
    queue_position: int
    """0: next, or already starting."""


class ListedJobQueuedStatus(_ListedJobQueuedStatusRequired, total=False):
    """A job that waits, with the keys that the users of its model’s family know of a task."""

    external_task_id: str
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost
    input: Dict[str, Any]
    """As it was stored; only where one job is read."""


class _ListedJobRunningStatusRequired(TypedDict):
    status: Literal["IN_PROGRESS"]
    model: str
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    created_at: int
    """Unix time in seconds."""
    logs: Union[List[LogLine], None]
    """Null unless the request has `logs=1`."""


class ListedJobRunningStatus(_ListedJobRunningStatusRequired, total=False):
    """A job that runs, with the keys that the users of its model’s family know of a task."""

    external_task_id: str
    progress: float
    """0 to 1; absent until it is known.

    0 to 1."""
    started_at: int
    """Unix time in seconds."""
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost
    input: Dict[str, Any]
    """As it was stored; only where one job is read."""


class _ListedJobCompletedStatusRequired(TypedDict):
    status: Literal["COMPLETED"]
    request_id: str
    response_url: str
    status_url: str
    cancel_url: str
    logs: Union[List[LogLine], None]
    """Null unless the request has `logs=1`."""
    metrics: Metrics
    error: Union[JobError, None]
    """Null where the job succeeded."""
    created_at: int
    """Unix time in seconds."""
    completed_at: int
    """Unix time in seconds."""
    model: str


class ListedJobCompletedStatus(_ListedJobCompletedStatusRequired, total=False):
    """A finished job; `error` tells failure from success."""

    error_type: str
    started_at: int
    """Unix time in seconds."""
    external_task_id: str
    tags: Dict[str, str]
    """Names and values of the `Atelier-Tags` header of the creation."""
    cost: Cost
    input: Dict[str, Any]
    """As it was stored; only where one job is read."""


# A job with its model and, where one job is read, its input.
ListedJob = Union["ListedJobQueuedStatus", "ListedJobRunningStatus", "ListedJobCompletedStatus"]


class FileObjectDimensions(TypedDict):
    width: int
    height: int


class _FileObjectRequired(TypedDict):
    id: str
    object: Literal["file"]
    filename: str
    bytes: int
    mime_type: str
    file_type: Literal["image", "audio", "video", "document", "text"]
    source: Literal["upload", "input", "output"]
    dimensions: Union[FileObjectDimensions, None]
    """Pixels as displayed; null for all but JPEG, PNG and GIF."""
    storage_policy: Literal["temporary"]
    created_at: int
    """Unix time in seconds."""
    expires_at: int
    """Unix time in seconds."""
    url: str
    """Signed, valid for an hour."""


class FileObject(_FileObjectRequired, total=False):
    """A stored file with a fresh signed URL."""

    purpose: str
    """As it was sent; absent where none was."""
    status: Literal["processed"]
    """Only beside `purpose`."""


class FilePage(TypedDict):
    """Uploads of one user."""

    object: Literal["list"]
    data: List[FileObject]
    first_id: Union[str, None]
    last_id: Union[str, None]
    """What `after` takes for the next page."""
    has_more: bool


class FileDeletion(TypedDict):
    """A file that was deleted."""

    id: str
    object: Literal["file"]
    deleted: Literal[True]


class ModelList(TypedDict):
    """Every model that clients may use."""

    object: Literal["list"]
    data: List[ModelSummary]


class ModelSummary(TypedDict):
    """A model in the list of models."""

    id: str
    object: Literal["model"]
    owned_by: str
    kind: Literal["video", "image", "speech"]
    family: str
    title: str
    summary: str
    accepts_callback: bool


class ModelDescriptionLimits(TypedDict):
    max_body_bytes: int


class ModelDescriptionRulesItem(TypedDict):
    says: str
    fields: List[str]


class ModelDescription(TypedDict):
    """All that a form, a document or a typed client needs of a model."""

    id: str
    object: Literal["model"]
    owned_by: str
    kind: Literal["video", "image", "speech"]
    family: str
    title: str
    summary: str
    accepts_callback: bool
    limits: ModelDescriptionLimits
    input_schema: Dict[str, Any]
    """JSON Schema with hints for forms."""
    rules: List[ModelDescriptionRulesItem]
    """Constraints between fields, a sentence each."""
    examples: List[Any]


class Validation(TypedDict):
    """An input that would be accepted."""

    object: Literal["validation"]
    model: str
    valid: Literal[True]
    billed_jobs: int
    """Jobs that the caller would pay for."""
    quote: Union[Quote, None]
    """What it may cost at most; null: the model has no price."""


class QuoteLinesItem(TypedDict):
    unit: Literal["second", "image", "character", "token", "credit", "gpu_second"]
    quantity: float
    price: str
    """Of one unit."""


class Quote(TypedDict):
    """What a job may cost at most."""

    amount: str
    """Decimal, two to six digits behind the point."""
    currency: str
    """ISO 4217."""
    lines: List[QuoteLinesItem]
    price_version: str


class Balance(TypedDict):
    """What a key may still spend."""

    currency: Union[str, None]
    """Null: no prices are set."""
    project: AccountBalance
    key: Union[AccountBalance, None]
    """Null: the key has no limit of its own."""


class AccountBalance(TypedDict):
    """The budget of a project or a key."""

    name: str
    limit: Union[str, None]
    """Null: no limit."""
    spent: str
    """Decimal, two to six digits behind the point."""
    held: str
    """What unfinished jobs may cost at most."""
    uncertain: str
    """Held for submissions whose outcome is unknown."""
    available: Union[str, None]
    """limit - spent - held - uncertain; null: no limit."""


class CallbackSecret(TypedDict):
    """For a verifier of Standard Webhooks."""

    key: str
    """whsec_…."""


class CallbackPage(TypedDict):
    object: Literal["list"]
    data: List[Callback]
    first_id: Union[str, None]
    last_id: Union[str, None]
    """What `after` takes for the next page."""
    has_more: bool


class Callback(TypedDict):
    """A callback (webhook) of one of your jobs."""

    id: str
    object: Literal["callback"]
    request_id: str
    model: str
    status: Literal["IN_PROGRESS", "COMPLETED"]
    state: Literal["waiting", "delivered", "failed", "superseded"]
    """`superseded`: the COMPLETED of the job is sent in its place."""
    created_at: int
    """Unix time in seconds."""


class CallbackContent(TypedDict):
    """A callback (webhook) with its body."""

    id: str
    object: Literal["callback"]
    request_id: str
    model: str
    status: Literal["IN_PROGRESS", "COMPLETED"]
    state: Literal["waiting", "delivered", "failed", "superseded"]
    """`superseded`: the COMPLETED of the job is sent in its place."""
    created_at: int
    """Unix time in seconds."""
    body: Union[str, None]
    """What an attempt would send at this moment; null where nothing is sent any more."""


class GatewayErrorBodyError(TypedDict):
    code: str
    message: str


class GatewayErrorBody(TypedDict):
    """Refused for every endpoint alike: by key, rate or quota."""

    error: GatewayErrorBodyError
    request_id: str


class DetailErrorBody(TypedDict):
    """Refused by the queue, by the models or by the admin API."""

    detail: str


class FileErrorBodyError(TypedDict):
    message: str
    type: Literal["invalid_request_error", "api_error"]
    param: Union[str, None]
    """The field at fault."""
    code: str


class FileErrorBody(TypedDict):
    """Refused by the file endpoints."""

    error: FileErrorBodyError
