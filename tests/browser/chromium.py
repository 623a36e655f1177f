# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium by the DevTools protocol over two pipes: no port is opened, and nothing has to be installed for it."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time


class Failure(Exception):
    """What the page did and the test did not expect."""


def find():
    """The browser's program; None if none is installed."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


class Browser:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="fabric-browser-", ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.answers, theirs_out = os.pipe()

        def as_its_pipes():
            # High first: one of them may be the other's number.
            os.dup2(theirs_in, 100)
            os.dup2(theirs_out, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             "--hide-scrollbars", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=as_its_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.number = 0
        self.replies, self.events = {}, []
        self.news = threading.Condition()
        self.is_closed = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        rest = b""
        while piece := os.read(self.answers, 1 << 20):
            *whole, rest = (rest + piece).split(b"\0")
            with self.news:
                for text in whole:
                    message = json.loads(text)
                    if "id" in message:
                        self.replies[message["id"]] = message
                    else:
                        self.events.append(message)
                self.news.notify_all()
        with self.news:
            self.is_closed = True
            self.news.notify_all()

    def call(self, method, session=None, seconds=120, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        with self.news:
            if not self.news.wait_for(lambda: number in self.replies or self.is_closed, seconds) or number not in self.replies:
                raise Failure(f"{method}: the browser does not answer")
            reply = self.replies.pop(number)
        if "error" in reply:
            raise Failure(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def close(self):
        try:
            self.call("Browser.close", seconds=20)
            self.process.wait(20)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()


class Page:
    """One page, opened from a file."""

    def __init__(self, browser, path, dark=False, width=1440, height=900):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.set_colours(dark)
        began = time.monotonic()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")
        self.wait_until_drawn()
        self.seconds = time.monotonic() - began
        self.work = self.working_time()

    def wait_until_drawn(self):
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def working_time(self):
        """Seconds of CPU time that the page's own thread has taken so far."""
        metrics = {each["name"]: each["value"] for each in self.call("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"]

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(expression):
            if time.monotonic() > end:
                raise Failure(f"in {seconds} s this did not come true: {expression}")
            time.sleep(0.01)

    def set_colours(self, dark):
        self.call("Emulation.setEmulatedMedia", media="",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def click(self, selector):
        """With the mouse, in the middle of what is seen of the element."""
        place = self.run(f"""(() => {{ const element = {selector};
            element.scrollIntoView({{block: 'nearest'}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def key(self, key, code=None):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        about = {"key": key, "code": code or key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def complaints(self):
        """What the page or the browser had to say: exceptions, refused scripts, requests."""
        found = []
        with self.browser.news:
            events = [event for event in self.browser.events if event.get("sessionId") == self.session]
        for event in events:
            method, about = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(about["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
                found.append(about["entry"]["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append("the console was written to")
            elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith("file:"):
                found.append("a request: " + about["request"]["url"][:100])
        return found

    def screenshot(self, path, whole=False):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def print(self, path):
        paper = self.call("Page.printToPDF", printBackground=True, landscape=True)
        pathlib.Path(path).write_bytes(base64.b64decode(paper["data"]))
