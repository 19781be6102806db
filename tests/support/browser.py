"""A real Chromium without a window, spoken to over a pipe: Debian's package, nothing downloaded."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.reference import unavailable

__all__ = ["Page", "chromium"]

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class Page:
    """One tab; `problems` are console errors and broken rules, `requests` the addresses asked."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive = send, receive
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._events: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol and return its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def metric(self, name: str) -> float:
        """Return one of Chromium's measures; durations are of the page's own thread's time."""
        found = self.call("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) for each in found if each["name"] == name)

    def size(self, width: int, height: int = 800, dark: bool = False) -> None:
        phone = width < 500
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path: Path) -> None:
        """Show a file and wait until it is drawn."""
        self.load(path)
        self.drawn()

    def load(self, path: Path) -> None:
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while "Page.loadEventFired" not in self._events:
            self._next()

    def drawn(self) -> None:
        """Wait until what was changed is on the screen."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run(self, code: str) -> Any:
        """Evaluate JavaScript in the page; a promise is awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Click with the mouse into the middle of an element that has to be in sight."""
        found = f"document.querySelector({json.dumps(selector)})"
        box = self.run(
            f"(() => {{ const e = {found}; e.scrollIntoView({{block: 'center'}});"
            "const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        top = f"document.elementFromPoint({box[0]}, {box[1]})"
        assert self.run(f"{found}.contains({top})"), f"{selector} is covered"
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=box[0],
                y=box[1],
                button="left",
                clickCount=1,
            )
        self.drawn()

    def type(self, selector: str, text: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)
        self.drawn()

    def press(self, key: str, code: int, text: str = "") -> None:
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call(
            "Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {})
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.drawn()

    def text(self, selector: str) -> str:
        """Return what a reader sees of an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def printed(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def screenshot(self, path: Path, whole: bool = True) -> None:
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            read = os.read(self._receive, 1 << 20)
            assert read, "Chromium has ended"
            self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self._note(message["method"], message["params"])
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        self._events.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(str(params["entry"]))
        elif method == "Audits.issueAdded":
            self.problems.append(str(params["issue"]))


@contextmanager
def chromium() -> Iterator[Page]:
    """Start Chromium with an empty profile and yield its one page."""
    program = shutil.which("chromium")
    if program is None:
        unavailable("no chromium on this machine (Debian package chromium)")
    assert program is not None
    to_browser, send = os.pipe()
    receive, from_browser = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        shell = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'  # Chromium reads 3 and writes 4
        browser = subprocess.Popen(
            [
                *("bash", "-c", shell, "chromium", str(to_browser), str(from_browser), program),
                *QUIET,
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        try:
            yield Page(send, receive)
        finally:
            os.close(send)
            try:
                browser.wait(10)
            except subprocess.TimeoutExpired:
                browser.kill()
                browser.wait()
            os.close(receive)
