"""This drives a headless Chromium by its DevTools protocol over a pipe (no library, no port)."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's path, or None."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    """One page. It keeps everything that the page asks of a network, and every error of its
    script."""

    def __init__(self, width=1200, height=800):
        self.room = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command_read, self.commands = os.pipe()
        self.replies, reply_write = os.pipe()
        # The protocol needs descriptors 3 and 4, so ours must have other numbers.
        given = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (command_read, reply_write)]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{given[0]} 4>&{given[1]} {given[0]}<&- {given[1]}>&-', "bash",
             find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--remote-debugging-pipe",
             "--force-color-profile=srgb", "--hide-scrollbars", f"--user-data-dir={self.room.name}",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=given, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.room.name})
        for end in (command_read, reply_write, *given):
            os.close(end)
        self.buffer, self.number, self.session = b"", 0, None
        self.requests, self.errors = [], []
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _read(self):
        while b"\0" not in self.buffer:
            if not select.select([self.replies], [], [], 240)[0]:
                raise TimeoutError("Chromium says nothing")
            piece = os.read(self.replies, 1 << 20)
            if not piece:
                raise EOFError("Chromium has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        reported = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(reported["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(reported["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if reported["type"] in ("error", "warning", "assert"):
                self.errors.append(json.dumps(reported["args"]))
            case "Page.javascriptDialogOpening":
                raise RuntimeError(f"the page opens a dialog: {reported['message']}")
            case "Log.entryAdded" if reported["entry"]["level"] in ("error", "warning"):
                self.errors.append(json.dumps(reported["entry"]))
        return message

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            reply = self._read()
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def open(self, path, fragment=""):
        # Goes through an empty page: a change of the fragment alone would load nothing.
        self.send("Page.navigate", url="about:blank")
        self.wait_for("location.href === 'about:blank'")
        self.requests.clear()
        self.send("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait_for("location.protocol === 'file:' && document.readyState === 'complete'")

    def value(self, expression):
        """The value of a JavaScript expression; waits for promises."""
        done = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {json.dumps(done['exceptionDetails'])}")
        return done["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + 240
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.05)

    def point(self, x, y, click=False):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def middle(self, element):
        """The middle of the element that a JavaScript expression gives."""
        return self.value(f"(e => {{ const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})({element})")

    def hover(self, element, click=False):
        self.point(*self.middle(element), click)

    def hover_until(self, element, expression):
        """Comes to the element until the expression is true: a page that is still being laid out moves away from
        under the pointer."""
        end = time.monotonic() + 240
        while True:
            self.hover(element)
            soon = time.monotonic() + 2
            while time.monotonic() < soon:
                if self.value(expression):
                    return
                time.sleep(0.05)
            if time.monotonic() > end:
                raise TimeoutError(expression)
            self.point(1, 1)

    def key(self, name, modifiers=0):
        text = {"text": name} if len(name) == 1 else {}
        if name == "Tab":
            text["windowsVirtualKeyCode"] = 9  # without it the focus stays
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name, modifiers=modifiers, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, modifiers=modifiers)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def theme(self, name):
        """Sets the colour scheme that the system asks for: light or dark."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        os.close(self.commands)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.replies)
        self.room.cleanup()
