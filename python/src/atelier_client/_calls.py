"""Calls that are typed by model id.

Made from /openapi.json by `node python/generator/write.ts`: change the catalog or src/answers instead.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Mapping, NewType, Optional, Union, overload

from ._queue_flows import Finished, Poll
from .bodies import CreatedJob, ImageResult, JobStatus, SpeechResult, VideoResult
from .inputs import (
    Alpha15ProInput,
    Alpha20MiniInput,
    BetaEditInput,
    BetaOutpaintInput,
    BetaUpscaleInput,
    DeltaSpeech01TurboInput,
    DeltaSpeech02HdInput,
    EpsilonQ2TurboExtendInput,
    EpsilonQ2TurboImg2videoInput,
    EpsilonQ3TurboStartEnd2videoInput,
    Eta26T2vInput,
    GammaV26MotionControlInput,
    GammaV2ImageInput,
    GammaV2MultiImage2imageInput,
    GammaV3ImageInput,
    GammaV3OmniVideoInput,
    GammaV3TurboT2vInput,
    Theta31FlashTtsPreviewInput,
    ZetaV6I2vInput,
)


class JobHandle(CreatedJob):
    """A job that was created: the answer of a creation and its model."""

    model: str


# A model of the operator, whose input has no type here: `CustomModel("my-model")`.
CustomModel = NewType("CustomModel", str)

# A result of a model that is not known here.
AnyResult = Union[VideoResult, ImageResult, SpeechResult]


class SubmitCalls:
    """`submit`, whose input is that of the model."""

    @overload
    def submit(self, model: Literal["alpha-2-0-mini"], input: Alpha20MiniInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["alpha-1-5-pro"], input: Alpha15ProInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["beta-edit"], input: BetaEditInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["beta-outpaint"], input: BetaOutpaintInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["beta-upscale"], input: BetaUpscaleInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v2-6-motion-control"], input: GammaV26MotionControlInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v2-multi-image2image"], input: GammaV2MultiImage2imageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v2-image"], input: GammaV2ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v3-image"], input: GammaV3ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v3-turbo-t2v"], input: GammaV3TurboT2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["gamma-v3-omni-video"], input: GammaV3OmniVideoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["epsilon-q2-turbo-extend"], input: EpsilonQ2TurboExtendInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["epsilon-q2-turbo-img2video"], input: EpsilonQ2TurboImg2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["epsilon-q3-turbo-start-end2video"], input: EpsilonQ3TurboStartEnd2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["zeta-v6-i2v"], input: ZetaV6I2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["eta2.6-t2v"], input: Eta26T2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["delta-speech-01-turbo"], input: DeltaSpeech01TurboInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["delta-speech-02-hd"], input: DeltaSpeech02HdInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: Literal["theta-3.1-flash-tts-preview"], input: Theta31FlashTtsPreviewInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    def submit(self, model: CustomModel, input: Mapping[str, Any], *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    def submit(self, model: str, input: Any, **options: Any) -> Any:
        """Creates a job. A retry after a lost answer returns the same job: nothing is made twice.

        idempotency_key: the same key with the same input is the same job, for 24 hours; a new one unless given.
        cancel_after: a deadline of the job itself, as `90s`, `5m` or seconds; after it the job ends as `expired`.
        """
        return self._submit(model, input, **options)

    def _submit(self, model: str, input: Any, **options: Any) -> Any:
        raise NotImplementedError


class AsyncSubmitCalls:
    """`submit`, whose input is that of the model."""

    @overload
    async def submit(self, model: Literal["alpha-2-0-mini"], input: Alpha20MiniInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["alpha-1-5-pro"], input: Alpha15ProInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["beta-edit"], input: BetaEditInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["beta-outpaint"], input: BetaOutpaintInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["beta-upscale"], input: BetaUpscaleInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v2-6-motion-control"], input: GammaV26MotionControlInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v2-multi-image2image"], input: GammaV2MultiImage2imageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v2-image"], input: GammaV2ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v3-image"], input: GammaV3ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v3-turbo-t2v"], input: GammaV3TurboT2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["gamma-v3-omni-video"], input: GammaV3OmniVideoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["epsilon-q2-turbo-extend"], input: EpsilonQ2TurboExtendInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["epsilon-q2-turbo-img2video"], input: EpsilonQ2TurboImg2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["epsilon-q3-turbo-start-end2video"], input: EpsilonQ3TurboStartEnd2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["zeta-v6-i2v"], input: ZetaV6I2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["eta2.6-t2v"], input: Eta26T2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["delta-speech-01-turbo"], input: DeltaSpeech01TurboInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["delta-speech-02-hd"], input: DeltaSpeech02HdInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: Literal["theta-3.1-flash-tts-preview"], input: Theta31FlashTtsPreviewInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    @overload
    async def submit(self, model: CustomModel, input: Mapping[str, Any], *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None) -> JobHandle: ...
    async def submit(self, model: str, input: Any, **options: Any) -> Any:
        """Creates a job. A retry after a lost answer returns the same job: nothing is made twice.

        idempotency_key: the same key with the same input is the same job, for 24 hours; a new one unless given.
        cancel_after: a deadline of the job itself, as `90s`, `5m` or seconds; after it the job ends as `expired`.
        """
        return await self._submit(model, input, **options)

    async def _submit(self, model: str, input: Any, **options: Any) -> Any:
        raise NotImplementedError


class SubscribeCalls:
    """`subscribe`, whose input is that of the model."""

    @overload
    def subscribe(self, model: Literal["alpha-2-0-mini"], input: Alpha20MiniInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["alpha-1-5-pro"], input: Alpha15ProInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["beta-edit"], input: BetaEditInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["beta-outpaint"], input: BetaOutpaintInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["beta-upscale"], input: BetaUpscaleInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v2-6-motion-control"], input: GammaV26MotionControlInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v2-multi-image2image"], input: GammaV2MultiImage2imageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v2-image"], input: GammaV2ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v3-image"], input: GammaV3ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v3-turbo-t2v"], input: GammaV3TurboT2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["gamma-v3-omni-video"], input: GammaV3OmniVideoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["epsilon-q2-turbo-extend"], input: EpsilonQ2TurboExtendInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["epsilon-q2-turbo-img2video"], input: EpsilonQ2TurboImg2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["epsilon-q3-turbo-start-end2video"], input: EpsilonQ3TurboStartEnd2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["zeta-v6-i2v"], input: ZetaV6I2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["eta2.6-t2v"], input: Eta26T2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    def subscribe(self, model: Literal["delta-speech-01-turbo"], input: DeltaSpeech01TurboInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    def subscribe(self, model: Literal["delta-speech-02-hd"], input: DeltaSpeech02HdInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    def subscribe(self, model: Literal["theta-3.1-flash-tts-preview"], input: Theta31FlashTtsPreviewInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    def subscribe(self, model: CustomModel, input: Mapping[str, Any], *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[AnyResult]: ...
    def subscribe(self, model: str, input: Any, **options: Any) -> Any:
        """Creates a job, waits for its end and returns its result. Raises a JobFailedError where it failed.

        deadline: seconds that all of it may take; the job itself goes on after it, and its id is in `job_id`.
        cancel_on_abort: also cancels the job when the deadline, an interrupt or a cancellation ends the wait.
        on_submit: called once, when the job exists. on_update: called with every change.
        The others are those of `queue.submit` and `queue.watch`.
        """
        return self._subscribe(model, input, **options)

    def _subscribe(self, model: str, input: Any, **options: Any) -> Any:
        raise NotImplementedError


class AsyncSubscribeCalls:
    """`subscribe`, whose input is that of the model."""

    @overload
    async def subscribe(self, model: Literal["alpha-2-0-mini"], input: Alpha20MiniInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["alpha-1-5-pro"], input: Alpha15ProInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["beta-edit"], input: BetaEditInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["beta-outpaint"], input: BetaOutpaintInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["beta-upscale"], input: BetaUpscaleInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v2-6-motion-control"], input: GammaV26MotionControlInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v2-multi-image2image"], input: GammaV2MultiImage2imageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v2-image"], input: GammaV2ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v3-image"], input: GammaV3ImageInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[ImageResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v3-turbo-t2v"], input: GammaV3TurboT2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["gamma-v3-omni-video"], input: GammaV3OmniVideoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["epsilon-q2-turbo-extend"], input: EpsilonQ2TurboExtendInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["epsilon-q2-turbo-img2video"], input: EpsilonQ2TurboImg2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["epsilon-q3-turbo-start-end2video"], input: EpsilonQ3TurboStartEnd2videoInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["zeta-v6-i2v"], input: ZetaV6I2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["eta2.6-t2v"], input: Eta26T2vInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[VideoResult]: ...
    @overload
    async def subscribe(self, model: Literal["delta-speech-01-turbo"], input: DeltaSpeech01TurboInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    async def subscribe(self, model: Literal["delta-speech-02-hd"], input: DeltaSpeech02HdInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    async def subscribe(self, model: Literal["theta-3.1-flash-tts-preview"], input: Theta31FlashTtsPreviewInput, *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[SpeechResult]: ...
    @overload
    async def subscribe(self, model: CustomModel, input: Mapping[str, Any], *, idempotency_key: Optional[str] = None, cancel_after: Union[str, int, None] = None, deadline: Optional[float] = None, cancel_on_abort: bool = False, poll: Poll = Poll(), logs: bool = False, on_submit: Optional[Callable[[JobHandle], None]] = None, on_update: Optional[Callable[[JobStatus], None]] = None) -> Finished[AnyResult]: ...
    async def subscribe(self, model: str, input: Any, **options: Any) -> Any:
        """Creates a job, waits for its end and returns its result. Raises a JobFailedError where it failed.

        deadline: seconds that all of it may take; the job itself goes on after it, and its id is in `job_id`.
        cancel_on_abort: also cancels the job when the deadline, an interrupt or a cancellation ends the wait.
        on_submit: called once, when the job exists. on_update: called with every change.
        The others are those of `queue.submit` and `queue.watch`.
        """
        return await self._subscribe(model, input, **options)

    async def _subscribe(self, model: str, input: Any, **options: Any) -> Any:
        raise NotImplementedError
