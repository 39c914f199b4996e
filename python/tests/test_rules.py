"""Retries, timeouts, errors and verification, against a scripted server: the rules of the TypeScript client."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import io
import json
import pathlib
import tempfile
import time
import unittest
from typing import Any, Callable, Dict, Type

from scripted_server import Act, ScriptedServer, busy

from atelier_client import (
    AsyncClient,
    AuthError,
    CallbackError,
    Client,
    GatewayError,
    Issue,
    JobFailedError,
    NotFoundError,
    NotReadyError,
    PermissionDeniedError,
    Poll,
    RateLimitError,
    ValidationError,
    verify,
)

MODEL = "eta2.6-t2v"
INPUT: Any = {"prompt": "A lighthouse", "size": "1280*720"}
ID = "019e0000-0000-7000-8000-000000000001"
HANDLE = {"request_id": ID, "response_url": "r", "status_url": "s", "cancel_url": "c", "queue_position": 0}
STATUS = {"status": "IN_QUEUE", "request_id": ID, "queue_position": 1}
COMPLETED = {**STATUS, "status": "COMPLETED", "error": None}
GOOD = Act(200, HANDLE)
QUICK = Poll(min=0.01, max=0.02)


class Rules(unittest.TestCase):
    def setUp(self) -> None:
        # One for each: a request that a client gave up may arrive late.
        self.server = ScriptedServer()
        self.addCleanup(self.server.close)
        self.client = Client(f"{self.server.url}/", "atl_key")

    def raised(self, kind: Type[Any], call: Callable[[], Any]) -> Any:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        return caught.exception

    def submit(self, **options: Any) -> Any:
        return self.client.queue.submit(MODEL, INPUT, **options)

    def test_a_submission_is_repeated_under_one_key_to_the_byte(self) -> None:
        self.server.script("reset", busy(502), busy(503), busy(429), GOOD)
        self.assertEqual(self.submit(), {**HANDLE, "model": MODEL})
        self.assertEqual(self.server.lines(), [f"POST /v1/queue/{MODEL}"] * 5)
        keys = {one.headers["idempotency-key"] for one in self.server.received}
        self.assertEqual(len(keys), 1)
        self.assertRegex(keys.pop(), "^[0-9a-f]{32}$")
        self.assertEqual(
            {one.content for one in self.server.received}, {b'{"prompt":"A lighthouse","size":"1280*720"}'}
        )
        self.assertEqual(self.server.received[0].headers["authorization"], "Bearer atl_key")

    def test_a_submission_sends_the_key_that_it_is_given(self) -> None:
        self.server.script(GOOD)
        self.submit(idempotency_key="mine", cancel_after="5m")
        self.submit()
        first, second = self.server.received
        self.assertEqual((first.headers["idempotency-key"], first.headers["cancel-after"]), ("mine", "5m"))
        self.assertNotEqual(second.headers["idempotency-key"], "mine")

    def test_a_submission_is_not_repeated_after_what_stays_wrong(self) -> None:
        for code in (500, 400, 401, 403, 404, 413, 415, 422):
            self.server.script(busy(code, {"detail": "no"}))
            with self.assertRaises(GatewayError) as caught:
                self.submit()
            error = caught.exception
            self.assertEqual((error.status, error.retryable, len(self.server.received)), (code, False, 1))

    def test_a_submission_gives_up_after_max_retries(self) -> None:
        self.server.script(busy(503))
        patient = Client(self.server.url, "k", max_retries=2)
        error = self.raised(GatewayError, lambda: patient.queue.submit(MODEL, INPUT))
        self.assertEqual((error.status, error.retryable, len(self.server.received)), (503, True, 3))

    def test_a_wait_of_more_than_a_minute_is_not_waited(self) -> None:
        self.server.script(Act(429, {"detail": "later"}, {"retry-after": "61"}))
        error = self.raised(RateLimitError, self.submit)
        self.assertEqual((error.retry_after, len(self.server.received)), (61.0, 1))

    def test_a_broken_connection_is_named(self) -> None:
        self.server.script("reset")
        hasty = Client(self.server.url, "k", max_retries=0)
        error = self.raised(GatewayError, lambda: hasty.queue.submit(MODEL, INPUT))
        self.assertEqual((error.kind, error.status, error.retryable), ("network", None, True))
        self.assertRegex(str(error), f"^POST /v1/queue/eta2.6-t2v got no answer from {self.server.url}: .+")

    def test_a_webhook_is_refused_before_anything_is_sent(self) -> None:
        self.server.script(GOOD)
        extras: Any = [{"webhook_url": "https://a.test"}, {"options": {"fal-webhook": "x"}}]
        for extra in extras:
            error = self.raised(
                ValidationError, lambda: self.client.queue.submit("another", {**INPUT, **extra})
            )
            self.assertEqual((error.status, error.body), (400, {"detail": "webhook not supported"}))
        self.assertEqual(self.server.received, [])

    def test_a_read_is_repeated_five_times_at_most(self) -> None:
        stubborn = Client(self.server.url, "k", max_retries=50)
        self.server.script(busy(500))
        error = self.raised(GatewayError, lambda: stubborn.queue.status(MODEL, ID))
        self.assertEqual((error.status, len(self.server.received)), (500, 6))
        self.server.script(busy(500), busy(502), busy(503), busy(504), busy(599), Act(200, STATUS))
        self.assertEqual(stubborn.queue.status(MODEL, ID), STATUS)

    def test_a_watch_requests_at_once_and_then_lets_the_gateway_delay_the_answer(self) -> None:
        delayed = {"preference-applied": "wait=1"}
        self.server.script(
            Act(200, STATUS),
            Act(200, {**STATUS, "status": "IN_PROGRESS"}, delayed),
            Act(200, COMPLETED, delayed),
        )
        seen = [one["status"] for one in self.client.queue.watch(MODEL, ID)]
        self.assertEqual(seen, ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"])
        asked = [one.headers.get("prefer") for one in self.server.received]
        self.assertEqual(asked, [None, "wait=1", "wait=1"])

    def test_a_watch_waits_by_itself_and_reports_only_changes(self) -> None:
        self.server.script(*[Act(200, STATUS)] * 4, Act(200, COMPLETED))
        job = {"model": MODEL, "request_id": ID}
        seen = [one["status"] for one in self.client.queue.watch(job, poll=QUICK)]
        self.assertEqual((seen, len(self.server.received)), (["IN_QUEUE", "COMPLETED"], 5))

    def test_404_ends_a_watch_at_once(self) -> None:
        self.server.script(Act(200, STATUS), Act(404, {"detail": "Request not found"}))
        error = self.raised(NotFoundError, lambda: list(self.client.queue.watch(MODEL, ID)))
        self.assertEqual((str(error), error.request_id), ("Request not found", "asked-1"))
        self.assertEqual(len(self.server.received), 2)

    def test_an_attempt_that_takes_too_long_is_repeated(self) -> None:
        quick = Client(self.server.url, "k", timeout=0.3, max_retries=1)
        self.server.script("never")
        error = self.raised(GatewayError, lambda: quick.queue.status(MODEL, ID))
        self.assertEqual((error.kind, error.retryable, self.server.count_of(2)), ("timeout", True, 2))

    def test_a_page_instead_of_json_is_an_error_that_mentions_the_address(self) -> None:
        self.server.script(Act(200, b"<html>"))
        error = self.raised(GatewayError, self.client.models.list)
        self.assertEqual(
            str(error),
            f"GET /v1/models was not answered with JSON. Is {self.server.url} the address of a gateway?",
        )

    def test_uploads_and_deletes_are_repeated_only_where_nothing_was_done(self) -> None:
        acts = (lambda: self.client.files.create(b"x"), lambda: self.client.files.delete("file_1"))
        for act in acts:
            self.server.script(busy(429), busy(503), Act(200, {"id": "file_1"}))
            act()
            self.assertEqual(len(self.server.received), 3)
            for failure in (busy(502), busy(504), busy(500), "reset"):
                self.server.script(failure)
                self.raised(GatewayError, act)
                self.assertEqual(len(self.server.received), 1)

    def test_a_redirect_is_not_followed_with_the_key(self) -> None:
        self.server.script(Act(302, {}, {"location": f"{self.server.url}/elsewhere"}))
        error = self.raised(GatewayError, self.client.models.list)
        self.assertEqual((error.status, len(self.server.received)), (302, 1))

    def test_a_file_beyond_what_the_gateway_takes_is_not_sent(self) -> None:
        self.server.script(GOOD)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.bin"
            with open(path, "wb") as large:
                large.truncate(41 * 1024 * 1024)
            error = self.raised(ValidationError, lambda: self.client.files.create(path))
        self.assertEqual((error.status, error.code, error.message), (413, "file_too_large", "The file exceeds 40MB"))
        self.assertEqual(self.server.received, [])

    def test_the_name_of_a_file_cannot_end_its_header(self) -> None:
        self.server.script(GOOD)
        self.client.files.create(io.BytesIO(b"x"), filename='a"\r\nb.txt', mime_type="text/plain")
        self.assertIn(b'filename="a%22%0D%0Ab.txt"\r\ncontent-type: text/plain', self.server.received[0].content)
        self.raised(ValueError, lambda: self.client.files.create(b"x", mime_type="text/plain\r\nx: y"))

    def test_subscribe_raises_what_became_of_a_job_that_failed(self) -> None:
        error = {"code": "runtime_error", "message": "Runtime execution failed: no", "retryable": False}
        self.server.script(GOOD, Act(200, COMPLETED), Act(200, {**COMPLETED, "error": error}))
        failure = self.raised(JobFailedError, lambda: self.client.subscribe(MODEL, INPUT))
        self.assertEqual(
            (failure.kind, failure.code, str(failure), failure.job_id, failure.result["error"]),
            ("job", "runtime_error", error["message"], ID, error),
        )
        job = f"/v1/queue/{MODEL}/requests/{ID}"
        self.assertEqual(
            self.server.lines(), [f"POST /v1/queue/{MODEL}", f"GET {job}/status", f"GET {job}/response"]
        )

    def test_a_deadline_names_the_job_and_lets_it_go_on(self) -> None:
        self.server.script(GOOD, Act(200, STATUS))
        failure = self.raised(
            GatewayError, lambda: self.client.subscribe(MODEL, INPUT, poll=QUICK, deadline=1.5)
        )
        self.assertEqual((failure.kind, failure.job_id), ("timeout", ID))
        self.assertFalse(any(line.startswith("PUT") for line in self.server.lines()))

    def test_a_deadline_also_cancels_the_job_where_the_option_says_so(self) -> None:
        self.server.script(GOOD, Act(200, STATUS))
        options: Any = {"poll": QUICK, "deadline": 1.5, "cancel_on_abort": True}
        failure = self.raised(GatewayError, lambda: self.client.subscribe(MODEL, INPUT, **options))
        self.assertEqual((failure.kind, failure.job_id), ("timeout", ID))
        # The server may note the last poll, which the deadline cut off, after it.
        self.assertEqual(self.server.lines().count(f"PUT /v1/queue/{MODEL}/requests/{ID}/cancel"), 1)

    def test_an_interrupt_cancels_the_job_where_the_option_says_so(self) -> None:
        self.server.script(GOOD, Act(200, STATUS))

        def interrupt(_: Any) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            self.client.subscribe(MODEL, INPUT, on_update=interrupt, cancel_on_abort=True)
        self.assertEqual(self.server.lines()[-1], f"PUT /v1/queue/{MODEL}/requests/{ID}/cancel")

    def test_a_deadline_also_ends_a_creation_that_is_not_answered(self) -> None:
        self.server.script("never")
        failure = self.raised(GatewayError, lambda: self.client.subscribe(MODEL, INPUT, deadline=0.3))
        self.assertEqual((failure.kind, failure.job_id, self.server.count_of(1)), ("timeout", None, 1))

    def test_the_three_error_bodies_become_one_class_by_status(self) -> None:
        gateway = {"error": {"code": "UNAUTHORIZED", "message": "Invalid API key"}, "request_id": "x"}
        file = {"error": {"message": "No", "type": "invalid_request_error", "param": "file", "code": "file_required"}}
        forbidden = {"detail": "Model not allowed for this user"}
        cases: Any = [
            (401, gateway, "gateway", AuthError, "UNAUTHORIZED", "Invalid API key"),
            (403, forbidden, "detail", PermissionDeniedError, None, "Model not allowed for this user"),
            (400, file, "file", ValidationError, "file_required", "No"),
            (418, b"tea", "gateway", GatewayError, None, "The answer was 418 and no error body of the gateway"),
        ]
        for code, body, kind, expected, name, message in cases:
            self.server.script(Act(code, body))
            error = self.raised(expected, lambda: self.client.files.get("file_1"))
            self.assertEqual((error.kind, error.status, error.code, str(error)), (kind, code, name, message))

    def test_every_fault_of_an_input_is_an_issue_of_its_own(self) -> None:
        detail = "settings.duration: must be between 3 and 15; prompt: is required; or so; a.0.b: c: d"
        self.server.script(Act(422, {"detail": detail}))
        self.assertEqual(
            self.raised(ValidationError, self.submit).issues,
            [
                Issue("settings.duration", "must be between 3 and 15"),
                Issue("prompt", "is required; or so"),
                Issue("a.0.b", "c: d"),
            ],
        )

    def test_a_result_that_is_not_there_yet(self) -> None:
        self.server.script(Act(202, STATUS))
        error = self.raised(NotReadyError, lambda: self.client.queue.result(MODEL, ID))
        self.assertEqual((error.job_status, error.job_id), (STATUS, ID))

    def test_an_address_that_is_none_is_refused_at_once(self) -> None:
        for address in ("gateway.test", "ftp://gateway.test", "https://gateway.test/?a=b"):
            with self.assertRaisesRegex(ValueError, "^base_url must be an http or https"):
                Client(address, "k")

    def test_the_asynchronous_client_follows_the_same_rules(self) -> None:
        async def scenario() -> None:
            async with AsyncClient(self.server.url, "k") as client:
                self.server.script("reset", busy(503), GOOD, Act(200, COMPLETED), Act(200, COMPLETED))
                finished = await client.subscribe(MODEL, INPUT)
                self.assertEqual(finished.request_id, ID)
                self.assertEqual(len({one.headers["idempotency-key"] for one in self.server.received[:3]}), 1)

        asyncio.run(scenario())

    def test_a_cancelled_task_cancels_its_job_where_the_option_says_so(self) -> None:
        async def scenario() -> None:
            async with AsyncClient(self.server.url, "k") as client:
                self.server.script(GOOD, Act(200, STATUS))
                task: Any = None

                def cancel(_: Any) -> None:
                    task.cancel()

                subscribed = client.subscribe(MODEL, INPUT, on_update=cancel, cancel_on_abort=True, poll=QUICK)
                task = asyncio.ensure_future(subscribed)
                with self.assertRaises(asyncio.CancelledError):
                    await task

        asyncio.run(scenario())
        # A request that a thread had begun may arrive after it.
        self.assertIn(f"PUT /v1/queue/{MODEL}/requests/{ID}/cancel", self.server.lines())


class Verification(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"a secret of 24 bytes ...").decode()
    text = json.dumps(COMPLETED)

    def signed(self, age: float = 0) -> Dict[str, str]:
        timestamp = str(int(time.time() - age))
        mac = hmac.new(b"a secret of 24 bytes ...", f"msg_1.{timestamp}.{self.text}".encode(), hashlib.sha256)
        signature = base64.b64encode(mac.digest()).decode()
        return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": f"v1,b2xk v1,{signature}"}

    def test_a_callback_of_one_of_the_secrets_is_its_event(self) -> None:
        self.assertEqual(verify(self.text.encode(), self.signed(), ["whsec_b2xk", self.secret]), COMPLETED)

    def test_a_changed_a_late_and_a_foreign_one_are_refused(self) -> None:
        headers = self.signed()
        cases: Any = [
            (f"{self.text} ", headers, self.secret, "^No signature"),
            (self.text, headers, "whsec_b2xk", "^No signature"),
            (self.text, self.signed(age=400), self.secret, "^The callback is older"),
            (self.text, {**headers, "Webhook-Timestamp": "now"}, self.secret, "^webhook-timestamp is no time"),
            (self.text, {"webhook-id": "1"}, self.secret, "^webhook-timestamp is missing"),
            (self.text, headers, "whsec_?", "^The secret must be"),
        ]
        for text, given, secret, words in cases:
            with self.assertRaisesRegex(CallbackError, words):
                verify(text, given, secret)


if __name__ == "__main__":
    unittest.main()
