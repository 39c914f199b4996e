"""The client against a started gateway: ATELIER_URL is its address, ATELIER_API_KEY a key with every scope."""

from __future__ import annotations

import asyncio
import os
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, List, Tuple

from atelier_client import AsyncClient, Client, JobFailedError, NotFoundError, ValidationError

URL = os.environ.get("ATELIER_URL", "")
KEY = os.environ.get("ATELIER_API_KEY", "")
PICTURE = "gamma-v3-image"
SPEECH = "theta-3.1-flash-tts-preview"


@unittest.skipIf(URL == "", "ATELIER_URL names no gateway")
class Gateway(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client(URL, KEY)

    def test_subscribe_gives_a_picture_and_reports_the_progress(self) -> None:
        seen: List[str] = []
        finished = self.client.subscribe(
            "gamma-v3-image",
            {"prompt": "A red balloon over a lake", "aspect_ratio": "1:1"},
            deadline=120,
            on_update=lambda status: seen.append(status["status"]),
        )
        self.assertEqual(seen[-1], "COMPLETED")
        image = finished.data["images"][0]
        with urllib.request.urlopen(image["url"] or "", timeout=30) as response:
            self.assertEqual(len(response.read()), image["file_size"])

    def test_a_job_is_followed_by_its_handle_and_its_picture_is_a_file_again(self) -> None:
        job = self.client.queue.submit("theta-3.1-flash-tts-preview", {"text": "The tide is out."})
        again = self.client.queue.submit(SPEECH, {"text": "Once."}, idempotency_key="python-once")
        same = self.client.queue.submit(SPEECH, {"text": "Once."}, idempotency_key="python-once")
        self.assertEqual(again["request_id"], same["request_id"])
        audio = self.client.queue.wait(job, deadline=120).data["audio"]
        self.assertEqual(audio["content_type"], "audio/wav")
        self.assertEqual(self.client.queue.cancel(job), "already_completed")
        self.assertEqual(self.client.jobs.get(job["request_id"])["input"]["text"], "The tide is out.")
        listed = self.client.queue.list(SPEECH, limit=1)
        self.assertEqual((len(listed["data"]), listed["data"][0]["model"]), (1, SPEECH))

    def test_files_come_are_listed_and_go(self) -> None:
        file = self.client.files.create(b"one,two\n", filename="table.csv", mime_type="text/csv")
        self.assertEqual((file["filename"], file["bytes"], file["mime_type"]), ("table.csv", 8, "text/csv"))
        with urllib.request.urlopen(self.client.files.get(file["id"])["url"], timeout=30) as response:
            self.assertEqual(response.read(), b"one,two\n")
        self.assertIn(file["id"], [one["id"] for one in self.client.files.list()["data"]])
        self.client.files.delete(file["id"])
        with self.assertRaises(NotFoundError) as caught:
            self.client.files.get(file["id"])
        self.assertEqual(caught.exception.code, "file_not_found")

    def test_an_input_with_a_fault_names_its_field(self) -> None:
        with self.assertRaises(ValidationError) as caught:
            self.client.models.validate(PICTURE, {"prompt": ""})
        self.assertEqual(caught.exception.issues[0].path, "prompt")
        valid = self.client.models.validate(PICTURE, {"prompt": "A boat"})
        self.assertEqual(valid["billed_jobs"], 1)

    def test_the_asynchronous_client_sees_a_cancelled_job_fail(self) -> None:
        async def scenario() -> str:
            async with AsyncClient(URL, KEY) as client:
                job = await client.queue.submit(SPEECH, {"text": "[atelier:slow=60] Never said."})
                self.assertEqual(await client.queue.cancel(job), "requested")
                seen = [status["status"] async for status in client.queue.watch(job)]
                self.assertEqual(seen[-1], "COMPLETED")
                with self.assertRaises(JobFailedError) as caught:
                    await client.queue.wait(job, deadline=60)
                return caught.exception.code or ""

        self.assertEqual(asyncio.run(scenario()), "cancelled")

    def test_a_callback_is_verified(self) -> None:
        notices: List[Tuple[bytes, Any]] = []
        arrived = threading.Event()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                notices.append((content, self.headers))
                self.send_response(204)
                self.end_headers()
                if b'"COMPLETED"' in content:
                    arrived.set()

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", 0), Receiver)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            job = self.client.queue.submit(PICTURE, {"prompt": "A kite", "callback_url": address})
            self.assertTrue(arrived.wait(60), "no callback arrived")
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
        content, headers = notices[-1]
        event = self.client.callbacks.verify(content, headers, self.client.callbacks.secret())
        self.assertEqual((event["status"], event["request_id"]), ("COMPLETED", job["request_id"]))


if __name__ == "__main__":
    unittest.main()
