"""Flows about models, and the secret of callbacks."""

from __future__ import annotations

from typing import Any, Mapping
from urllib.parse import quote

from ._exchange import Ask, Flow, Settings, exchange
from ._queue_flows import json_content, read


def list_models(settings: Settings) -> Flow[Any]:
    """What there is, a line each."""
    page = yield from read(settings, "/v1/models")
    return page["data"]


def get(settings: Settings, model: str) -> Flow[Any]:
    """One of them whole."""
    return (yield from read(settings, _path_of(model)))


def schema(settings: Settings, model: str) -> Flow[Any]:
    """The JSON Schema of its input."""
    description = yield from get(settings, model)
    return description["input_schema"]


def validate(settings: Settings, model: str, input: Mapping[str, Any]) -> Flow[Any]:
    """A dry run: raises what a creation would raise, and stores nothing."""
    content, headers = json_content(input)
    ask = Ask("POST", f"{_path_of(model)}/validate", "keyed", headers=headers, content=content)
    reply = yield from exchange(settings, ask)
    return reply.body


def callback_secret(settings: Settings) -> Flow[Any]:
    """What signs the user's callbacks, `whsec_…`."""
    body = yield from read(settings, "/v1/webhooks/default/secret")
    return body["key"]


def _path_of(model: str) -> str:
    return f"/v1/models/{quote(model, safe='')}"
