"""The inputs of the models of the catalog.

Made from /openapi.json by `node python/generator/write.ts`: change the catalog or src/answers instead.
"""

from __future__ import annotations

from typing import Any, Literal, Sequence, TypedDict, Union


class Alpha20MiniInputContentItemText(TypedDict):
    type: Literal["text"]
    text: str
    """Text. What the video shows; dialogue is best put in double quotes. At most 500 Chinese characters or 1000 English words are recommended.

    Must not be empty."""


class Alpha20MiniInputContentItemPictureImageUrl(TypedDict):
    url: str
    """Picture.

    A web address, a data URL or the id of an uploaded file: jpeg, png, webp, bmp, tiff, gif; under 30 MB; sides 300 to 6000 px, both excluded; width by height 0.4 to 2.5, both excluded."""


class _Alpha20MiniInputContentItemPictureRequired(TypedDict):
    type: Literal["image_url"]
    image_url: Alpha20MiniInputContentItemPictureImageUrl
    """Picture."""


class Alpha20MiniInputContentItemPicture(_Alpha20MiniInputContentItemPictureRequired, total=False):
    role: Literal["first_frame", "last_frame", "reference_image", "", None]
    """Role. May be empty or left out for a single first frame."""


class Alpha20MiniInputContentItemVideoVideoUrl(TypedDict):
    url: str
    """Video.

    A web address or the id of an uploaded file: mp4, quicktime; at most 200 MB; sides 300 to 6000 px; width by height 0.4 to 2.5; pixels 409600 to 8295044; length 2 to 15 s; frames per second 24 to 60."""


class Alpha20MiniInputContentItemVideo(TypedDict):
    type: Literal["video_url"]
    video_url: Alpha20MiniInputContentItemVideoVideoUrl
    """Video."""
    role: Literal["reference_video"]
    """Role."""


class Alpha20MiniInputContentItemSoundAudioUrl(TypedDict):
    url: str
    """Sound.

    A web address, a data URL or the id of an uploaded file: wav, mpeg; at most 15 MB; length 2 to 15 s."""


class Alpha20MiniInputContentItemSound(TypedDict):
    type: Literal["audio_url"]
    audio_url: Alpha20MiniInputContentItemSoundAudioUrl
    """Sound."""
    role: Literal["reference_audio"]
    """Role."""


class _Alpha20MiniInputRequired(TypedDict):
    content: Sequence[Union[Alpha20MiniInputContentItemText, Alpha20MiniInputContentItemPicture, Alpha20MiniInputContentItemVideo, Alpha20MiniInputContentItemSound]]
    """Content. Texts and, beside them or alone, either the first frame, the first and the last frame, or references: up to 9 pictures, 3 videos and 3 sounds.

    1 to 65 items."""


class Alpha20MiniInput(_Alpha20MiniInputRequired, total=False):
    """Draws a video of 4 to 15 seconds with sound from words, from its frames, or with references.

    - a last_frame is only allowed together with a first_frame

    - two frames must have the roles first_frame and last_frame, one each

    - at most two pictures that are no reference_image are allowed, a first_frame and a last_frame

    - at most 50 texts are allowed

    - first and last frames cannot be mixed with references; a reference picture must have the role reference_image

    - a sound requires at least one reference picture or video

    - at most 9 reference pictures are allowed

    - at most 3 videos are allowed

    - at most 3 sounds are allowed

    - the videos must be at most 15 s together

    - the sounds must be at most 15 s together"""

    generate_audio: Union[bool, None]
    """Sound. Speech, effects and music that fit the picture, in one channel; a silent video without.

    Default: True."""
    resolution: Literal["480p", "720p", None]
    """Resolution.

    Default: '720p'."""
    ratio: Literal["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive", None]
    """Aspect ratio. adaptive: of the first frame, else of the first video or picture, else by the text.

    Default: 'adaptive'."""
    watermark: Union[bool, None]
    """Watermark. A mark in the lower right corner.

    Default: False."""
    duration: Union[int, Literal[-1], None]
    """Duration. -1: the model chooses.

    4 to 15 s.

    Default: 5."""


class Alpha15ProInputContentItemText(TypedDict):
    type: Literal["text"]
    text: str
    """Text. What the video shows; dialogue is best put in double quotes. At most 500 Chinese characters or 1000 English words are recommended.

    Must not be empty."""


class Alpha15ProInputContentItemPictureImageUrl(TypedDict):
    url: str
    """Picture.

    A web address, a data URL or the id of an uploaded file: jpeg, png, webp, bmp, tiff, gif, heic, heif; under 30 MB; sides 300 to 6000 px, both excluded; width by height 0.4 to 2.5, both excluded."""


class _Alpha15ProInputContentItemPictureRequired(TypedDict):
    type: Literal["image_url"]
    image_url: Alpha15ProInputContentItemPictureImageUrl
    """Picture."""


class Alpha15ProInputContentItemPicture(_Alpha15ProInputContentItemPictureRequired, total=False):
    role: Literal["first_frame", "last_frame", "", None]
    """Role. May be empty or left out for a single first frame."""


class Alpha15ProInputContentItemDraftDraftTask(TypedDict):
    id: str
    """Draft. The request_id of a finished draft of yours; where the model is made by an upstream that knows drafts of its own, also the id of one of those.

    Must not be empty."""


class Alpha15ProInputContentItemDraft(TypedDict):
    type: Literal["draft_task"]
    draft_task: Alpha15ProInputContentItemDraftDraftTask
    """Draft."""


class _Alpha15ProInputRequired(TypedDict):
    content: Sequence[Union[Alpha15ProInputContentItemText, Alpha15ProInputContentItemPicture, Alpha15ProInputContentItemDraft]]
    """Content. A text and, beside it or alone, the first frame or the first and the last frame; or a draft alone, to be made into its final video.

    1 to 3 items."""


class Alpha15ProInput(_Alpha15ProInputRequired, total=False):
    """Draws a video of 4 to 12 seconds with sound from words, from its frames, or from a draft.

    - a last_frame is only allowed together with a first_frame

    - two frames must have the roles first_frame and last_frame, one each

    - at most two pictures that are no reference_image are allowed, a first_frame and a last_frame

    - at most one text item is allowed

    - a draft_task must be the only item

    - a draft cannot be made from a draft_task

    - a draft must have the resolution 480p

    - a draft cannot return its last frame

    - a draft cannot use the service tier flex"""

    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    return_last_frame: Union[bool, None]
    """Return the last frame. Also gives the last frame as a png without a watermark, the first frame of a next video.

    Default: False."""
    service_tier: Literal["default", "flex", None]
    """Service tier. flex: waits behind all others.

    Default: 'default'."""
    execution_expires_after: Union[int, None]
    """Expires after. Counted from creation; a job that has not ended by then has failed.

    3600 to 259200 s.

    Default: 172800."""
    generate_audio: Union[bool, None]
    """Sound. Speech, effects and music that fit the picture, in one channel; a silent video without.

    Default: True."""
    draft: Union[bool, None]
    """Draft. A cheaper preview in 480p, of which a final video can be made.

    Default: False."""
    resolution: Literal["480p", "720p", "1080p", None]
    """Resolution. 720p where it is left out; a draft has 480p."""
    ratio: Literal["16:9", "4:3", "1:1", "3:4", "9:16", "21:9", "adaptive", None]
    """Aspect ratio. adaptive: of the first frame, else of the first video or picture, else by the text.

    Default: 'adaptive'."""
    duration: Union[int, Literal[-1], None]
    """Duration. -1: the model chooses.

    4 to 12 s.

    Default: 5."""
    seed: Union[int, None]
    """Seed. -1: a random one.

    -1 to 4294967295.

    Default: -1."""
    camera_fixed: Union[bool, None]
    """Camera stands still.

    Default: False."""
    watermark: Union[bool, None]
    """Watermark. A mark in the lower right corner.

    Default: False."""


class BetaEditInputCanvas(TypedDict):
    """The size of the result."""

    width: int
    """Width.

    64 to 4096 px."""
    height: int
    """Height.

    64 to 4096 px."""


class BetaEditInputImgPos(TypedDict):
    """From the top left corner of the canvas."""

    x: int
    """From the left.

    -8192 to 8192 px."""
    y: int
    """From the top.

    -8192 to 8192 px."""
    width: int
    """Width.

    1 to 8192 px."""
    height: int
    """Height.

    1 to 8192 px."""


class BetaEditInputMaskAreasItem(TypedDict):
    width: int
    """Width. Of the earlier picture.

    500 to 4096 px."""
    height: int
    """Height. Of the earlier picture.

    500 to 4096 px."""
    points: Sequence[float]
    """Polygon. x, y, x, y, … from the top left corner of the picture, clockwise; at least 3 points.

    6 to 10000 items."""


class BetaEditInputMask(TypedDict, total=False):
    """What is repainted: areas, or a black and white picture."""

    areas: Union[Sequence[BetaEditInputMaskAreasItem], None]
    """Areas.

    1 to 100 items."""
    url: Union[str, None]
    """Mask picture. Black and white; what is white is repainted.

    A web address, a data URL, base64 without a prefix or the id of an uploaded file: png, jpeg, webp, bmp, gif."""


class _BetaEditInputRequired(TypedDict):
    jobId: str
    """Earlier job. The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.

    Must not be empty."""
    imageNo: int
    """Picture. Its number in that job.

    0 to 3."""
    remixPrompt: str
    """Prompt. What the repainted part shows. May end with parameters such as --no text --seed 7.

    1 to 8096 characters."""
    canvas: BetaEditInputCanvas
    """Canvas. The size of the result."""
    imgPos: BetaEditInputImgPos
    """Picture on the canvas. From the top left corner of the canvas."""


class BetaEditInput(_BetaEditInputRequired, total=False):
    """Places a picture of an earlier job on a canvas and repaints what a mask or the canvas leaves open.

    - the picture must lie on the canvas at least in part

    - a mask must hold areas or url

    - a mask cannot hold both areas and url

    - the points of a mask area must be pairs of x and y

    - the earlier picture must be at most 4096 px wide and high

    - the width and height of a mask area must be those of the earlier picture"""

    mask: Union[BetaEditInputMask, None]
    """Mask. What is repainted: areas, or a black and white picture."""


class _BetaOutpaintInputRequired(TypedDict):
    jobId: str
    """Earlier job. The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.

    Must not be empty."""
    imageNo: int
    """Picture. Its number in that job.

    0 to 3."""
    scale: float
    """Scale. How many times the area of the picture the result has; 2 makes each side 1.41 times as long.

    1.1 to 2."""


class BetaOutpaintInput(_BetaOutpaintInputRequired, total=False):
    """Continues a picture of an earlier job beyond its four borders.

    - the earlier picture must be at most 4096 px wide and high"""

    remixPrompt: Union[str, None]
    """Prompt. What the new part shows. May be or end with parameters such as --no text --seed 7.

    1 to 8192 characters."""


class _BetaUpscaleInputRequired(TypedDict):
    jobId: str
    """Earlier job. The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.

    Must not be empty."""


class BetaUpscaleInput(_BetaUpscaleInputRequired, total=False):
    """Doubles the sides of a picture of an earlier job, softly or with details of its own.

    - the earlier picture must be at most 4096 px wide and high"""

    imageNo: Union[int, None]
    """Picture. Its number in that job.

    0 to 3.

    Default: 0."""
    type: Literal[0, 1, None]
    """Way. 0: soft, 1: creative.

    Default: 0."""


class GammaV26MotionControlInputElementListItem(TypedDict):
    element_id: int
    """Element id.

    At least 0."""


class GammaV26MotionControlInputWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class _GammaV26MotionControlInputRequired(TypedDict):
    image_url: str
    """Character. A character that is clearly visible, not covered and not in an extreme pose.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides 300 to 65536 px; width by height 0.4 to 2.5."""
    video_url: str
    """Motion. One continuous shot, its character always in the frame. Of several people the largest counts.

    A web address or the id of an uploaded file: mp4, quicktime; at most 100 MB; sides 340 to 3850 px; length 3 to 30 s."""
    character_orientation: Literal["image", "video"]
    """Orientation of. Whose orientation the character takes. image: at most 10 s of motion; video: at most 30 s."""
    mode: Literal["std", "pro"]
    """Quality. std is economical, pro is better."""


class GammaV26MotionControlInput(_GammaV26MotionControlInputRequired, total=False):
    """Moves the character of an image as the one in a reference video moves, for as long as that video.

    - the video must be at most 10 s long when character_orientation is image"""

    element_list: Union[Sequence[GammaV26MotionControlInputElementListItem], None]
    """Subject. One of the subject library; then only the orientation in the video counts.

    At most 1 item."""
    prompt: Union[str, None]
    """Prompt. What shows beside the motion, and what must not.

    At most 2500 characters."""
    keep_original_sound: Literal["yes", "no", None]
    """Keep its sound. Whether the sound of the reference video stays.

    Default: 'yes'."""
    watermark_info: Union[GammaV26MotionControlInputWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""


class GammaV2MultiImage2imageInputSubjectImageListItem(TypedDict):
    subject_image: str
    """Subject image. Already cropped to the subject: the service crops nothing.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""


class GammaV2MultiImage2imageInputWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class _GammaV2MultiImage2imageInputRequired(TypedDict):
    subject_image_list: Sequence[GammaV2MultiImage2imageInputSubjectImageListItem]
    """Subjects. One to four images.

    1 to 4 items."""


class GammaV2MultiImage2imageInput(_GammaV2MultiImage2imageInputRequired, total=False):
    """Brings one to four subjects together in new pictures, with a scene and a style to follow."""

    prompt: Union[str, None]
    """Prompt. What the picture shows.

    At most 2500 characters."""
    scene_image: Union[str, None]
    """Scene. Where the subjects are.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""
    style_image: Union[str, None]
    """Style. How it is drawn.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""
    n: Union[int, None]
    """Pictures.

    1 to 9.

    Default: 1."""
    resolution: Literal["1k", None]
    """Resolution."""
    aspect_ratio: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3", "21:9", None]
    """Aspect ratio.

    Default: '16:9'."""
    watermark_info: Union[GammaV2MultiImage2imageInputWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""


class GammaV2ImageInputWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class _GammaV2ImageInputRequired(TypedDict):
    prompt: str
    """Prompt. What the picture shows.

    1 to 2500 characters."""


class GammaV2ImageInput(_GammaV2ImageInputRequired, total=False):
    """Draws one to nine pictures from words or from a reference image."""

    negative_prompt: Union[str, None]
    """Negative prompt. What it must not show. Ignored together with an image.

    At most 2500 characters."""
    image: Union[str, None]
    """Reference image. Makes it image to image; leave it out for text to image.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""
    n: Union[int, None]
    """Pictures.

    1 to 9.

    Default: 1."""
    resolution: Literal["1k", "2k", None]
    """Resolution.

    Default: '1k'."""
    aspect_ratio: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3", "21:9", None]
    """Aspect ratio.

    Default: '16:9'."""
    watermark_info: Union[GammaV2ImageInputWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""


class GammaV3ImageInputWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class GammaV3ImageInputElementListItem(TypedDict):
    element_id: int
    """Element id.

    At least 0."""


class _GammaV3ImageInputRequired(TypedDict):
    prompt: str
    """Prompt. What the picture shows. A positive prompt: what must not appear is best said in it, too.

    1 to 2500 characters."""


class GammaV3ImageInput(_GammaV3ImageInputRequired, total=False):
    """Draws one to nine pictures from words, from a reference image, or with subjects of the library.

    - an image is required when image_reference is set

    - subjects and reference images together must be at most 10"""

    negative_prompt: Union[str, None]
    """Negative prompt. What it must not show. Ignored together with an image.

    At most 2500 characters."""
    image: Union[str, None]
    """Reference image. Makes it image to image; leave it out for text to image.

    A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""
    n: Union[int, None]
    """Pictures.

    1 to 9.

    Default: 1."""
    resolution: Literal["1k", "2k", None]
    """Resolution.

    Default: '1k'."""
    aspect_ratio: Literal["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3", "21:9", None]
    """Aspect ratio.

    Default: '16:9'."""
    watermark_info: Union[GammaV3ImageInputWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""
    image_reference: Literal["subject", "face", None]
    """Taken from the image. subject: the features of the character; face: its looks, with exactly one face in the image."""
    element_list: Union[Sequence[GammaV3ImageInputElementListItem], None]
    """Subjects. Of the subject library; together with the reference image at most 10.

    At most 10 items."""


class GammaV3TurboT2vInputSettings(TypedDict, total=False):
    resolution: Literal["720p", "1080p", None]
    """Resolution.

    Default: '720p'."""
    aspect_ratio: Literal["16:9", "9:16", "1:1", None]
    """Aspect ratio.

    Default: '16:9'."""
    duration: Union[int, None]
    """Duration.

    3 to 15 s.

    Default: 5."""


class GammaV3TurboT2vInputOptionsWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class GammaV3TurboT2vInputOptions(TypedDict, total=False):
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""
    watermark_info: Union[GammaV3TurboT2vInputOptionsWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""


class _GammaV3TurboT2vInputRequired(TypedDict):
    prompt: str
    """Prompt. What the video shows. Several shots: `shot n, m, words` one after another, with n the number and m the seconds of the shot; 1 to 6 shots. 2500 characters are recommended.

    1 to 3072 characters."""


class GammaV3TurboT2vInput(_GammaV3TurboT2vInputRequired, total=False):
    """Draws a video of 3 to 15 seconds from words, in one shot or up to six.

    - the seconds of the shots must add up to settings.duration"""

    settings: Union[GammaV3TurboT2vInputSettings, None]
    """Settings."""
    options: Union[GammaV3TurboT2vInputOptions, None]
    """Options."""


class GammaV3OmniVideoInputMultiPromptItem(TypedDict):
    index: int
    """Number.

    1 to 6."""
    prompt: str
    """Prompt.

    1 to 512 characters."""
    duration: str
    """Duration."""


class _GammaV3OmniVideoInputImageListItemRequired(TypedDict):
    image_url: str
    """Image.

    A web address, base64 without a prefix, a data URL or the id of an uploaded file: jpeg, png; at most 10 MB; sides at least 300 px; width by height 0.4 to 2.5."""


class GammaV3OmniVideoInputImageListItem(_GammaV3OmniVideoInputImageListItemRequired, total=False):
    type: Literal["first_frame", "end_frame", None]
    """Use as. Left out: a reference."""


class GammaV3OmniVideoInputElementListItem(TypedDict):
    element_id: int
    """Element id.

    At least 0."""


class _GammaV3OmniVideoInputVideoListItemRequired(TypedDict):
    video_url: str
    """Video.

    A web address or the id of an uploaded file: mp4, quicktime; at most 200 MB; sides 700 to 4553 px; width by height 0.4 to 2.5; pixels 490000 to 8294400; length 3 to 15.5 s; frames per second 24 to 60."""


class GammaV3OmniVideoInputVideoListItem(_GammaV3OmniVideoInputVideoListItemRequired, total=False):
    refer_type: Literal["feature", "base", None]
    """Use as. base: the video to edit; feature: its characteristics.

    Default: 'base'."""
    keep_original_sound: Literal["yes", "no", None]
    """Keep its sound. Whether the sound of the reference video stays.

    Default: 'yes'."""


class GammaV3OmniVideoInputWatermarkInfo(TypedDict, total=False):
    """Also produce a watermarked result."""

    enabled: Union[bool, None]
    """Watermarked copy.

    Default: False."""


class GammaV3OmniVideoInput(TypedDict, total=False):
    """Draws a video of 3 to 15 seconds from words, images, frames, elements and a video, or edits a video.

    - the shot_type is required when multi_shot is true

    - the prompt must not be empty unless multi_shot is true with shot_type customize

    - the shots are required when multi_shot is true with shot_type customize

    - each shot must have an index of its own

    - the durations of the shots must add up to the duration

    - the prompt must not refer to an element, image or video that is not given

    - a shot must not refer to an element, image or video that is not given

    - there must be at most one first_frame and one end_frame

    - an end_frame needs a first_frame

    - with more than 2 images there must be no end_frame

    - a first_frame or end_frame cannot be used together with a base video

    - with a first_frame there must be at most 3 elements

    - images and elements together must be at most 7, or 4 with a reference video

    - the sound must be off when a reference video is given

    - the aspect_ratio is required unless there is a first_frame or a base video"""

    multi_shot: Union[bool, None]
    """Several shots.

    Default: False."""
    shot_type: Literal["customize", "intelligence", None]
    """Cut by. customize: the shots below; intelligence: the model, from the prompt."""
    prompt: Union[str, None]
    """Prompt. What the video shows, and what it must not. Refers to <<<element_1>>>, <<<image_1>>>, <<<video_1>>>. Unused with shots of your own.

    At most 2500 characters."""
    multi_prompt: Union[Sequence[GammaV3OmniVideoInputMultiPromptItem], None]
    """Shots. One to six; their seconds add up to the duration.

    1 to 6 items."""
    image_list: Union[Sequence[GammaV3OmniVideoInputImageListItem], None]
    """Images. References, or the first and the last frame. Up to 7, or 4 with a video, elements included.

    At most 7 items."""
    element_list: Union[Sequence[GammaV3OmniVideoInputElementListItem], None]
    """Elements. Of the subject library.

    At most 7 items."""
    video_list: Union[Sequence[GammaV3OmniVideoInputVideoListItem], None]
    """Video.

    At most 1 item."""
    sound: Literal["on", "off", None]
    """Sound. Only off together with a reference video.

    Default: 'off'."""
    mode: Literal["std", "pro", "4k", None]
    """Quality. std is 720p, pro is 1080p.

    Default: 'pro'."""
    aspect_ratio: Literal["16:9", "9:16", "1:1", None]
    """Aspect ratio. Required unless a first frame or a base video gives it."""
    duration: Union[int, str, None]
    """Duration. A number, or the same as a string. No effect with a base video.

    3 to 15 s.

    Default: 5."""
    watermark_info: Union[GammaV3OmniVideoInputWatermarkInfo, None]
    """Watermark. Also produce a watermarked result."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""
    external_task_id: Union[str, None]
    """Your task id. Looks up the job later; unique among your jobs.

    1 to 256 characters."""


class EpsilonQ2TurboExtendInput(TypedDict, total=False):
    """Goes on from the last frame of a video by one to seven seconds.

    - exactly one of video_creation_id and video_url is required"""

    video_creation_id: Union[str, None]
    """Earlier video. The id of a creation of an earlier job, of the upstream too where it makes the model. Either this or an address.

    Must not be empty."""
    video_url: Union[str, None]
    """Video. Any video of 4 to 60 seconds.

    A web address or the id of an uploaded file: mp4, quicktime, webm, 3gpp; length 4 to 60 s."""
    images: Union[Sequence[str], None]
    """End frame. At most one image, with which the extension ends.

    At most 1 item."""
    prompt: Union[str, None]
    """Prompt. Guides what is added."""
    resolution: Literal["540p", "720p", "1080p", None]
    """Resolution.

    Default: '720p'."""
    duration: Union[int, None]
    """Extension.

    1 to 7 s.

    Default: 5."""
    watermark: Union[bool, None]
    """Watermark. Also gives a copy with a mark.

    Default: False."""
    wm_url: Union[str, None]
    """Mark. The standard mark when left out. No effect without a watermark.

    A web address or the id of an uploaded file: png, jpeg, webp, gif, bmp, tiff."""
    wm_position: Literal["top_left", "top_right", "bottom_right", "bottom_left", None]
    """Position of the mark.

    Default: 'bottom_left'."""
    meta_data: Union[str, None]
    """Metadata. Kept in the file as it is. A default that names the job is used when it is empty."""
    payload: Union[str, None]
    """Pass-through. Given back as it is.

    At most 1048576 characters."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""


class _EpsilonQ2TurboImg2videoInputRequired(TypedDict):
    images: Sequence[str]
    """First frame. Exactly one image.

    1 to 1 item."""


class EpsilonQ2TurboImg2videoInput(_EpsilonQ2TurboImg2videoInputRequired, total=False):
    """Moves on from a first frame for one to ten seconds, with speech, sounds and music if wanted."""

    prompt: Union[str, None]
    """Prompt. What happens in the video.

    At most 5000 characters."""
    audio: Union[bool, None]
    """Sound. Speech and background sounds.

    Default: False."""
    voice_id: Union[str, None]
    """Voice. Only with sound. Chosen automatically when empty."""
    audio_type: Literal["all", "speech_only", "sound_effect_only", None]
    """What is heard. Only with sound.

    Default: 'all'."""
    is_rec: Union[bool, None]
    """Recommended prompt. A prompt of the service takes the place of yours; costs extra.

    Default: False."""
    bgm: Union[bool, None]
    """Background music. As long as the video. No effect at 9 and 10 seconds.

    Default: False."""
    duration: Union[int, None]
    """Duration.

    1 to 10 s.

    Default: 5."""
    seed: Union[int, None]
    """Seed. Drawn when left out or 0.

    -9007199254740991 to 9007199254740991."""
    resolution: Literal["540p", "720p", "1080p", None]
    """Resolution.

    Default: '720p'."""
    watermark: Union[bool, None]
    """Watermark. Also gives a copy with a mark.

    Default: False."""
    wm_url: Union[str, None]
    """Mark. The standard mark when left out. No effect without a watermark.

    A web address or the id of an uploaded file: png, jpeg, webp, gif, bmp, tiff."""
    wm_position: Literal[1, 2, 3, 4, None]
    """Position of the mark. 1 top left, 2 top right, 3 bottom right, 4 bottom left.

    Default: 3."""
    payload: Union[str, None]
    """Pass-through. Given back as it is.

    At most 1048576 characters."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""


class _EpsilonQ3TurboStartEnd2videoInputRequired(TypedDict):
    images: Sequence[str]
    """Start and end frame. Two images of about the same size; the first is the start frame.

    2 to 2 items."""


class EpsilonQ3TurboStartEnd2videoInput(_EpsilonQ3TurboStartEnd2videoInputRequired, total=False):
    """Draws the 1 to 16 seconds that lead from a start frame to an end frame, with sound.

    - the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame"""

    prompt: Union[str, None]
    """Prompt. What happens in the video.

    At most 5000 characters."""
    is_rec: Union[bool, None]
    """Recommended prompt. A prompt of the service takes the place of yours; costs extra.

    Default: False."""
    duration: Union[int, None]
    """Duration.

    1 to 16 s.

    Default: 5."""
    seed: Union[int, None]
    """Seed. Drawn when left out or 0.

    -9007199254740991 to 9007199254740991."""
    resolution: Literal["540p", "720p", "1080p", None]
    """Resolution.

    Default: '720p'."""
    audio: Union[bool, None]
    """Sound. Speech and effects.

    Default: True."""
    watermark: Union[bool, None]
    """Watermark. Also gives a copy with a mark.

    Default: False."""
    wm_url: Union[str, None]
    """Mark. The standard mark when left out. No effect without a watermark.

    A web address or the id of an uploaded file: png, jpeg, webp, gif, bmp, tiff."""
    wm_position: Literal[1, 2, 3, 4, None]
    """Position of the mark. 1 top left, 2 top right, 3 bottom right, 4 bottom left.

    Default: 3."""
    meta_data: Union[str, None]
    """Metadata. Kept in the file as it is. A default that names the job is used when it is empty."""
    payload: Union[str, None]
    """Pass-through. Given back as it is.

    At most 1048576 characters."""
    callback_url: Union[str, None]
    """Callback address. Notified with POST when the status of the job changes.

    At most 2048 characters."""


class _ZetaV6I2vInputRequired(TypedDict):
    image: str
    """First frame. A public address.

    A web address or the id of an uploaded file: jpeg, png, webp; at most 20 MB; sides 1 to 10000 px."""
    prompt: str
    """Prompt. What happens in the video.

    1 to 5000 characters."""
    duration: float
    """Duration.

    1 to 15 s."""
    quality: Literal["360p", "540p", "720p", "1080p"]
    """Quality. Costs more a second the higher it is, and more with sound."""


class ZetaV6I2vInput(_ZetaV6I2vInputRequired, total=False):
    """Moves on from a first frame for 1 to 15 seconds, with sound if wanted."""

    seed: Union[int, None]
    """Seed. Drawn when left out.

    0 to 2147483647."""
    generate_audio_switch: Union[bool, None]
    """Sound.

    Default: False."""
    generate_multi_clip_switch: Union[bool, None]
    """Several clips.

    Default: False."""


class _Eta26T2vInputRequired(TypedDict):
    prompt: str
    """Prompt. What the video shows, in Chinese or English. Cut after 1500 characters.

    Must not be empty."""


class Eta26T2vInput(_Eta26T2vInputRequired, total=False):
    """Draws a video of 2 to 15 seconds with sound from words, in one shot or several."""

    negative_prompt: Union[str, None]
    """Negative prompt. What it must not show, in Chinese or English."""
    duration: Union[int, None]
    """Duration.

    2 to 15 s.

    Default: 5."""
    size: Literal["1280*720", "720*1280", "960*960", "1088*832", "832*1088", "1920*1080", "1080*1920", "1440*1440", "1632*1248", "1248*1632", None]
    """Size. Width*height in pixels, not a ratio or a level.

    Default: '1920*1080'."""
    audio_url: Union[str, None]
    """Guiding audio. A sound that takes the place of the composed one.

    A web address or the id of an uploaded file: mpeg, wav, mp4, webm, ogg, flac, aac."""
    shot_type: Literal["single", "multi", None]
    """Shots."""
    prompt_extend: Union[bool, None]
    """Extend the prompt. Rewrites the prompt; takes longer.

    Default: True."""
    seed: Union[int, None]
    """Seed. Drawn when left out. The same seed does not promise the same video.

    0 to 2147483647."""
    watermark: Union[bool, None]
    """Watermark. A mark in the lower right corner.

    Default: False."""


class DeltaSpeech01TurboInputVoiceSetting(TypedDict, total=False):
    voice_id: Union[str, None]
    """Voice. Required unless timbre_weights is given, and left out beside it."""
    speed: Union[float, None]
    """Speed.

    0.5 to 2.

    Default: 1."""
    vol: Union[float, None]
    """Volume.

    0 to 10.

    Default: 1."""
    pitch: Union[int, None]
    """Pitch.

    -12 to 12 semitones.

    Default: 0."""
    emotion: Literal["happy", "sad", "angry", "fearful", "disgusted", "surprised", "calm", None]
    """Emotion. Normally chosen by the model."""


class DeltaSpeech01TurboInputTimbreWeightsItem(TypedDict):
    voice_id: str
    """Voice.

    Must not be empty."""
    weight: int
    """Weight.

    1 to 100."""


class DeltaSpeech01TurboInputAudioSetting(TypedDict, total=False):
    sample_rate: Literal[8000, 16000, 22050, 24000, 32000, 44100, None]
    """Sample rate.

    Default: 32000."""
    bitrate: Literal[32000, 64000, 128000, 256000, None]
    """Bitrate. No effect but with mp3.

    Default: 128000."""
    format: Literal["mp3", "pcm", "flac", "wav", None]
    """Format.

    Default: 'mp3'."""
    channel: Literal[1, 2, None]
    """Channels.

    Default: 1."""


class DeltaSpeech01TurboInputPronunciationDict(TypedDict, total=False):
    """Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral."""

    tone: Union[Sequence[str], None]
    """Replacements."""


class DeltaSpeech01TurboInputVoiceModify(TypedDict, total=False):
    """With mp3, wav and flac."""

    pitch: Union[int, None]
    """Depth.

    -100 to 100."""
    intensity: Union[int, None]
    """Intensity.

    -100 to 100."""
    timbre: Union[int, None]
    """Timbre.

    -100 to 100."""
    sound_effects: Literal["spacious_echo", "auditorium_echo", "lofi_telephone", "robotic", None]
    """Effect."""


class _DeltaSpeech01TurboInputRequired(TypedDict):
    text: str
    """Text. What is said. A new line is a new paragraph; `<#x#>` between spoken words pauses for x seconds, 0.01 to 99.99 with at most two decimals.

    1 to 9999 characters."""


class DeltaSpeech01TurboInput(_DeltaSpeech01TurboInputRequired, total=False):
    """Speaks up to 9999 characters quickly in one voice or a mix of four, with pauses and subtitles.

    - a voice_id or timbre_weights must be given and not be empty

    - a voice_id must be left empty when timbre_weights is used

    - voice effects cannot be used with the format pcm"""

    output_format: Literal["url", "hex", None]
    """Answer with. The address of the sound, or the sound itself as hexadecimal text, which can pass the 64 MB of an answer.

    Default: 'url'."""
    voice_setting: Union[DeltaSpeech01TurboInputVoiceSetting, None]
    """Voice."""
    timbre_weights: Union[Sequence[DeltaSpeech01TurboInputTimbreWeightsItem], None]
    """Timbre mix. Up to four voices and their weights.

    At most 4 items."""
    audio_setting: Union[DeltaSpeech01TurboInputAudioSetting, None]
    """Sound."""
    text_normalization: Union[bool, None]
    """Normalise the text. Reads numbers and the like in words.

    Default: False."""
    latex_read: Union[bool, None]
    """Read formulas. Chinese only, and sets the language to it. Formulas stand in $$, each backslash inside doubled.

    Default: False."""
    force_cbr: Union[bool, None]
    """Constant bitrate. Normally not needed.

    Default: False."""
    language_boost: Union[Literal["Chinese", "Chinese,Yue", "English", "Arabic", "Russian", "Spanish", "French", "Portuguese", "German", "Turkish", "Dutch", "Ukrainian", "Vietnamese", "Indonesian", "Japanese", "Italian", "Korean", "Thai", "Polish", "Romanian", "Greek", "Czech", "Finnish", "Hindi", "Bulgarian", "Danish", "Hebrew", "Malay", "Persian", "Slovak", "Swedish", "Croatian", "Filipino", "Hungarian", "Norwegian", "Slovenian", "Catalan", "Nynorsk", "Tamil", "Afrikaans", "auto"], None]
    """Language. Null or auto: by the script of the text.

    Default: None."""
    pronunciation_dict: Union[DeltaSpeech01TurboInputPronunciationDict, None]
    """Pronunciation. Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral."""
    voice_modify: Union[DeltaSpeech01TurboInputVoiceModify, None]
    """Voice effects. With mp3, wav and flac."""
    subtitle_enable: Union[bool, None]
    """Subtitles.

    Default: False."""
    subtitle_type: Literal["sentence", "word", None]
    """Subtitles by.

    Default: 'sentence'."""
    aigc_watermark: Union[bool, None]
    """Marker. A rhythm at the end that marks generated speech.

    Default: False."""


class DeltaSpeech02HdInputVoiceSetting(TypedDict, total=False):
    voice_id: Union[str, None]
    """Voice. Required unless timbre_weights is given, and left out beside it."""
    speed: Union[float, None]
    """Speed.

    0.5 to 2.

    Default: 1."""
    vol: Union[float, None]
    """Volume.

    0 to 10.

    Default: 1."""
    pitch: Union[int, None]
    """Pitch.

    -12 to 12 semitones.

    Default: 0."""
    emotion: Literal["happy", "sad", "angry", "fearful", "disgusted", "surprised", "calm", None]
    """Emotion. Normally chosen by the model."""


class DeltaSpeech02HdInputTimbreWeightsItem(TypedDict):
    voice_id: str
    """Voice.

    Must not be empty."""
    weight: int
    """Weight.

    1 to 100."""


class DeltaSpeech02HdInputAudioSetting(TypedDict, total=False):
    sample_rate: Literal[8000, 16000, 22050, 24000, 32000, 44100, None]
    """Sample rate.

    Default: 32000."""
    bitrate: Literal[32000, 64000, 128000, 256000, None]
    """Bitrate. No effect but with mp3.

    Default: 128000."""
    format: Literal["mp3", "pcm", "flac", "wav", None]
    """Format.

    Default: 'mp3'."""
    channel: Literal[1, 2, None]
    """Channels.

    Default: 1."""


class DeltaSpeech02HdInputPronunciationDict(TypedDict, total=False):
    """Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral."""

    tone: Union[Sequence[str], None]
    """Replacements."""


class DeltaSpeech02HdInputVoiceModify(TypedDict, total=False):
    """With mp3, wav and flac."""

    pitch: Union[int, None]
    """Depth.

    -100 to 100."""
    intensity: Union[int, None]
    """Intensity.

    -100 to 100."""
    timbre: Union[int, None]
    """Timbre.

    -100 to 100."""
    sound_effects: Literal["spacious_echo", "auditorium_echo", "lofi_telephone", "robotic", None]
    """Effect."""


class _DeltaSpeech02HdInputRequired(TypedDict):
    text: str
    """Text. What is said. A new line is a new paragraph; `<#x#>` between spoken words pauses for x seconds, 0.01 to 99.99 with at most two decimals.

    1 to 9999 characters."""


class DeltaSpeech02HdInput(_DeltaSpeech02HdInputRequired, total=False):
    """Speaks up to 9999 characters in one voice or a mix of four, with pauses, effects and subtitles.

    - a voice_id or timbre_weights must be given and not be empty

    - a voice_id must be left empty when timbre_weights is used

    - voice effects cannot be used with the format pcm"""

    output_format: Literal["url", "hex", None]
    """Answer with. The address of the sound, or the sound itself as hexadecimal text, which can pass the 64 MB of an answer.

    Default: 'url'."""
    voice_setting: Union[DeltaSpeech02HdInputVoiceSetting, None]
    """Voice."""
    timbre_weights: Union[Sequence[DeltaSpeech02HdInputTimbreWeightsItem], None]
    """Timbre mix. Up to four voices and their weights.

    At most 4 items."""
    audio_setting: Union[DeltaSpeech02HdInputAudioSetting, None]
    """Sound."""
    text_normalization: Union[bool, None]
    """Normalise the text. Reads numbers and the like in words.

    Default: False."""
    latex_read: Union[bool, None]
    """Read formulas. Chinese only, and sets the language to it. Formulas stand in $$, each backslash inside doubled.

    Default: False."""
    force_cbr: Union[bool, None]
    """Constant bitrate. Normally not needed.

    Default: False."""
    language_boost: Union[Literal["Chinese", "Chinese,Yue", "English", "Arabic", "Russian", "Spanish", "French", "Portuguese", "German", "Turkish", "Dutch", "Ukrainian", "Vietnamese", "Indonesian", "Japanese", "Italian", "Korean", "Thai", "Polish", "Romanian", "Greek", "Czech", "Finnish", "Hindi", "Bulgarian", "Danish", "Hebrew", "Malay", "Persian", "Slovak", "Swedish", "Croatian", "Filipino", "Hungarian", "Norwegian", "Slovenian", "Catalan", "Nynorsk", "Tamil", "Afrikaans", "auto"], None]
    """Language. Null or auto: by the script of the text.

    Default: None."""
    pronunciation_dict: Union[DeltaSpeech02HdInputPronunciationDict, None]
    """Pronunciation. Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral."""
    voice_modify: Union[DeltaSpeech02HdInputVoiceModify, None]
    """Voice effects. With mp3, wav and flac."""
    subtitle_enable: Union[bool, None]
    """Subtitles.

    Default: False."""
    subtitle_type: Literal["sentence", "word", None]
    """Subtitles by.

    Default: 'sentence'."""
    aigc_watermark: Union[bool, None]
    """Marker. A rhythm at the end that marks generated speech.

    Default: False."""


class _Theta31FlashTtsPreviewInputRequired(TypedDict):
    text: str
    """Text. What is said. A style may stand before it, as in `Say cheerfully: have a good day`.

    Must not be empty."""


class Theta31FlashTtsPreviewInput(_Theta31FlashTtsPreviewInputRequired, total=False):
    """Speaks a text in one of thirty preset voices; the style can be asked for in the text."""

    voice_name: Literal["Zephyr", "Puck", "Charon", "Kore", "Fenrir", "Leda", "Orus", "Aoede", "Callirrhoe", "Autonoe", "Enceladus", "Iapetus", "Umbriel", "Algieba", "Despina", "Erinome", "Algenib", "Rasalgethi", "Laomedeia", "Achernar", "Alnilam", "Schedar", "Gacrux", "Pulcherrima", "Achird", "Zubenelgenubi", "Vindemiatrix", "Sadachbia", "Sadaltager", "Sulafat", None]
    """Voice.

    Default: 'Kore'."""
