"""The asynchronous client of one gateway: the same calls, awaited."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, List, Mapping, Optional, Union

from . import _file_flows, _model_flows, _queue_flows
from ._calls import AsyncSubmitCalls, AsyncSubscribeCalls
from ._exchange import NO_DEADLINE, Deadline, Settings, base_of
from ._queue_flows import Finished, JobRef, Poll, Watch, job_of
from ._run import AsyncRunner
from .bodies import (
    FileObject,
    FilePage,
    JobResult,
    JobStatus,
    ListedJob,
    ModelDescription,
    ModelSummary,
    OwnJobPage,
    Validation,
)
from .callbacks import verify


class AsyncQueue(AsyncSubmitCalls):
    """Jobs of one model: creation, status, result, cancel."""

    def __init__(self, settings: Settings, runner: AsyncRunner) -> None:
        self._settings = settings
        self._run = runner.run

    async def _submit(self, model: str, input: Any, **options: Any) -> Any:
        return await self._run(_queue_flows.submit(self._settings, model, input, **options))

    async def status(
        self,
        job: JobRef,
        request_id: Optional[str] = None,
        *,
        logs: bool = False,
        wait: Optional[int] = None,
    ) -> JobStatus:
        """`wait` delays the answer until the status changes or so many seconds pass; at most 60."""
        named = job_of(job, request_id)
        body: JobStatus = (await self._run(_queue_flows.status(self._settings, named, logs=logs, wait=wait))).body
        return body

    async def result(self, job: JobRef, request_id: Optional[str] = None) -> JobResult:
        """The result; `error` is set where the job failed. Raises a NotReadyError until the job ends."""
        body: JobResult = await self._run(_queue_flows.result(self._settings, job_of(job, request_id)))
        return body

    async def cancel(self, job: JobRef, request_id: Optional[str] = None) -> str:
        """`requested`: a queued job is cancelled, a running one was requested to stop; or `already_completed`."""
        outcome: str = await self._run(_queue_flows.cancel(self._settings, job_of(job, request_id)))
        return outcome

    async def watch(
        self, job: JobRef, request_id: Optional[str] = None, *, poll: Poll = Poll(), logs: bool = False
    ) -> AsyncIterator[JobStatus]:
        """Every change of the job's status until it is COMPLETED, the current one first."""
        watch = Watch(self._settings, job_of(job, request_id), poll=poll, logs=logs)
        while True:
            change = await self._run(watch.next())
            if change is None:
                return
            yield change

    async def wait(
        self,
        job: JobRef,
        request_id: Optional[str] = None,
        *,
        deadline: Optional[float] = None,
        poll: Poll = Poll(),
        logs: bool = False,
        on_update: Optional[Callable[[JobStatus], None]] = None,
    ) -> Finished[Any]:
        """Waits for the end of a job, at most `deadline` seconds. Raises a JobFailedError where it failed."""
        end = NO_DEADLINE if deadline is None else Deadline(deadline)
        named = job_of(job, request_id)
        finished: Finished[Any] = await self._run(
            _queue_flows.wait(self._settings, named, poll=poll, logs=logs, on_update=on_update, deadline=end)
        )
        return finished

    async def list(
        self,
        model: str,
        *,
        external_task_id: Optional[str] = None,
        status: Optional[str] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
    ) -> OwnJobPage:
        """The user's jobs of a model, the newest first; `after` is the `last_id` of the page before."""
        page: OwnJobPage = await self._run(
            _queue_flows.list_of_model(
                self._settings,
                model,
                external_task_id=external_task_id,
                status=status,
                limit=limit,
                after=after,
            )
        )
        return page


class AsyncJobs:
    """One's own jobs, whatever their model."""

    def __init__(self, settings: Settings, runner: AsyncRunner) -> None:
        self._settings = settings
        self._run = runner.run

    async def list(
        self,
        *,
        model: Optional[str] = None,
        status: Optional[str] = None,
        external_task_id: Optional[str] = None,
        since: Union[str, int, None] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
    ) -> OwnJobPage:
        """The newest first, a page a call; `since` is Unix seconds or ISO 8601."""
        query = _queue_flows.query_text(
            external_task_id=external_task_id,
            model=model,
            status=status,
            since=since,
            limit=limit,
            after=after,
        )
        page: OwnJobPage = await self._run(_queue_flows.read(self._settings, f"/v1/jobs{query}"))
        return page

    async def get(self, request_id: str) -> ListedJob:
        """One of them by its id alone, with the input that was kept."""
        job: ListedJob = await self._run(_queue_flows.read(self._settings, _queue_flows.path_of_own(request_id)))
        return job


class AsyncFiles:
    """The user's uploaded files."""

    def __init__(self, settings: Settings, runner: AsyncRunner) -> None:
        self._settings = settings
        self._run = runner.run

    async def create(
        self,
        source: _file_flows.FileSource,
        *,
        filename: Optional[str] = None,
        mime_type: Optional[str] = None,
        timeout: float = _file_flows.UPLOAD_TIMEOUT,
    ) -> FileObject:
        """Uploads one file, of at most 40 MiB; it lives seven days. Its id stands for it in every media field."""
        file: FileObject = await self._run(
            _file_flows.create(self._settings, source, filename=filename, mime_type=mime_type, timeout=timeout)
        )
        return file

    async def get(self, file_id: str) -> FileObject:
        """The file again, with a fresh address."""
        file: FileObject = await self._run(_file_flows.get(self._settings, file_id))
        return file

    async def list(
        self, *, limit: Optional[int] = None, order: Optional[str] = None, after: Optional[str] = None
    ) -> FilePage:
        """One's own uploads."""
        page: FilePage = await self._run(_file_flows.list_files(self._settings, limit=limit, order=order, after=after))
        return page

    async def delete(self, file_id: str) -> None:
        """Deletes it; jobs that were given it keep their own copy."""
        await self._run(_file_flows.delete(self._settings, file_id))


class AsyncModels:
    """The models of the gateway."""

    def __init__(self, settings: Settings, runner: AsyncRunner) -> None:
        self._settings = settings
        self._run = runner.run

    async def list(self) -> List[ModelSummary]:
        """What there is, a line each."""
        models: List[ModelSummary] = await self._run(_model_flows.list_models(self._settings))
        return models

    async def get(self, model: str) -> ModelDescription:
        """One of them whole: schema, rules, limits, examples."""
        description: ModelDescription = await self._run(_model_flows.get(self._settings, model))
        return description

    async def schema(self, model: str) -> Mapping[str, Any]:
        """The JSON Schema of what a creation takes."""
        schema: Mapping[str, Any] = await self._run(_model_flows.schema(self._settings, model))
        return schema

    async def validate(self, model: str, input: Mapping[str, Any]) -> Validation:
        """A dry run: raises what a creation would raise, and stores nothing."""
        validation: Validation = await self._run(_model_flows.validate(self._settings, model, input))
        return validation


class AsyncCallbacks:
    """Callbacks (webhooks): their secret and their verification."""

    verify = staticmethod(verify)

    def __init__(self, settings: Settings, runner: AsyncRunner) -> None:
        self._settings = settings
        self._run = runner.run

    async def secret(self) -> str:
        """The secret that signs the user's callbacks, `whsec_…`."""
        secret: str = await self._run(_model_flows.callback_secret(self._settings))
        return secret


class AsyncClient(AsyncSubscribeCalls):
    """All calls of one gateway, by subject, with httpx where it is installed and in threads elsewhere.

    `async with AsyncClient(…)`, or `aclose()`, ends kept connections.

    base_url: where the gateway is, as `https://gateway.example.com`.
    api_key: the key, or what gives it before each attempt.
    max_retries: most retries of a call.
    timeout: seconds that one attempt may take.
    """

    def __init__(
        self,
        base_url: str,
        api_key: Union[str, Callable[[], str]],
        *,
        max_retries: int = 4,
        timeout: float = 60.0,
    ) -> None:
        self._settings = Settings(base_of(base_url), api_key, max_retries, timeout)
        self._runner = AsyncRunner()
        self.queue = AsyncQueue(self._settings, self._runner)
        self.jobs = AsyncJobs(self._settings, self._runner)
        self.files = AsyncFiles(self._settings, self._runner)
        self.models = AsyncModels(self._settings, self._runner)
        self.callbacks = AsyncCallbacks(self._settings, self._runner)

    async def _subscribe(self, model: str, input: Any, **options: Any) -> Any:
        return await self._runner.run(_queue_flows.subscribe(self._settings, model, input, **options))

    async def aclose(self) -> None:
        """Ends kept connections."""
        await self._runner.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.aclose()
