#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Switches that are not what they should be, over HTTPS: web_servers.py FABRIC

Certificates that nobody pinned, that changed, have expired or are another's; TLS that is too old; logins that are refused,
redirected or never answered; answers that are garbage, of other lines, cut, endless or late. One discover asks all of them at once:
it ends in time, each is one failed node with a message, and the honest one among them is read. The password reaches nobody whose
certificate is not the right one, and is told to nobody.
"""
import json
import os
import pathlib
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

fabric = os.path.abspath(sys.argv[1])
MEMORY_MIB = 900
ADDRESSES = [f"127.0.1.{number}" for number in range(1, 60)]
ALL = ",".join(f"IP:{address}" for address in ADDRESSES)
PASSWORD = "canary-8d1f60c2"
LOGIN, COMMANDS = "action=json-login", "/admin/launch?script=json"
WELCOME = b'{"status": "OK", "status_msg": "Successfully logged-in"}'
COOKIE = ("Set-Cookie", "session=0123456789; path=/; HttpOnly; Secure")
reached = {}   # by server: what it was told
folder = pathlib.Path(tempfile.mkdtemp(prefix="fabric-web-"))


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def certificates():
    """Files of key and certificate by name, and the authority's."""
    for authority in ("ca", "other-ca"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{authority}.key", "-out",
                f"{authority}.pem", "-days", "2", "-subj", f"/CN={authority}")
    for name, signer, alternative, expired in (
            ("signed", "ca", ALL, False), ("strange", "other-ca", ALL, False),
            ("another", "ca", "IP:192.0.2.1", False), ("expired", "ca", ALL, True)):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        (folder / f"{name}.ext").write_text(f"subjectAltName={alternative}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{signer}.pem", "-CAkey", f"{signer}.key", "-CAcreateserial", "-out",
                f"{name}.pem", "-days", "-1" if expired else "2", "-extfile", f"{name}.ext")


def fingerprint(name):
    return "SHA256:" + openssl("x509", "-in", f"{name}.pem", "-noout", "-fingerprint", "-sha256").strip().split("=")[1]


def answer(body, status="200 OK", *headers):
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}"] + [f"{name}: {value}" for name, value in headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read_request(client):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = client.recv(65536)
        if not piece:
            return None, None, None
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += client.recv(65536)
    return head.split(b"\r\n")[0].decode().split()[1], head, body


def results(body, change=lambda line, each: each):
    """What an honest switch says to each line: a version, and text for all others."""
    said = []
    for line in json.loads(body)["commands"]:
        data = ({"Product name": "Onyx", "Product release": "3.9.1014", "Host ID": "7CFE90A1B2C3"} if line == "show version" else
                '##\n## Running database "initial"\n## Hostname: sw\n##\n   lldp\n' if line == "show running-config" else "")
        said.append(change(line, {"status": "OK", "executed_command": line, "status_message": "", "data": data}))
    return json.dumps({"results": said}).encode()


def site(say, welcome=answer(WELCOME, "200 OK", COOKIE)):
    """`say(client, body)` answers the lines; what comes before is as it should be unless `welcome` is something else."""
    def serve(client):
        while True:
            path, _, body = read_request(client)
            if path is None:
                return
            if LOGIN in path:
                if callable(welcome):
                    return welcome(client)
                client.sendall(welcome)
            elif path == COMMANDS:
                if say(client, body) is False:
                    return
            else:
                client.sendall(answer(WELCOME))
    return serve


def says(data):
    return lambda client, _body: client.sendall(data(_body) if callable(data) else data)


def floods(piece, first=b""):
    def flood(client, _body=None):
        client.sendall(first)
        while True:
            client.sendall(piece)
    return flood


def sleeps(client, _body=None):
    time.sleep(1000)


def drips(client, _body):
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        client.sendall(b" ")
        time.sleep(0.2)


def cut(client, _body):
    client.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"results": [')
    return False


HONEST = site(says(lambda body: answer(results(body))))
# Name: (what it does, its certificate, and how the document knows it).
PINNED = object()
SERVERS = {
    "honest": (HONEST, "signed", PINNED),
    "honest-by-authority": (HONEST, "signed", "ca"),
    # A certificate that is pinned is that one, whatever it says of itself.
    "pinned-though-expired": (HONEST, "expired", PINNED),
    "unknown": (HONEST, "signed", None),
    "changed": (HONEST, "strange", "signed"),
    "expired": (HONEST, "expired", "ca"),
    "of-another": (HONEST, "another", "ca"),
    "of-a-stranger": (HONEST, "strange", "ca"),
    "old-tls": (HONEST, "signed", PINNED),
    "login-refused": (site(sleeps, answer(b'{"status": "ERROR", "status_msg": "Invalid username or password"}')), "signed", PINNED),
    "login-missing": (site(sleeps, answer(b"", "404 Not Found")), "signed", PINNED),
    "login-redirected": (site(sleeps, answer(b"", "302 Found", ("Location", "https://{elsewhere}/"), COOKIE)), "signed", PINNED),
    "login-without-session": (site(sleeps, answer(WELCOME)), "signed", PINNED),
    "login-garbage": (site(sleeps, answer(b"\x1b[2J<html>\xff", "200 OK", COOKIE)), "signed", PINNED),
    "login-silent": (site(sleeps, sleeps), "signed", PINNED),
    "login-endless": (site(sleeps, floods(b"a" * 65536, b"HTTP/1.1 200 OK\r\n\r\n")), "signed", PINNED),
    "session-ends": (site(says(answer(b'{"status": "ERROR", "status_message": "Authentication failure"}', "401 Unauthorized"))), "signed", PINNED),
    "session-ends-politely": (site(says(answer(b'{"status": "ERROR", "status_message": "Authentication failure"}'))), "signed", PINNED),
    "server-error": (site(says(answer(b"", "500 Internal Server Error"))), "signed", PINNED),
    "redirect": (site(says(answer(b"", "307 Temporary Redirect", ("Location", "https://{elsewhere}/")))), "signed", PINNED),
    "garbage": (site(says(answer(b"\x1b[2J\x1b]0;owned\x07\xff\xfe" + bytes(1000)))), "signed", PINNED),
    "html": (site(says(answer(b"<html><body>Login</body></html>"))), "signed", PINNED),
    "no-http": (site(says(b"\x00\x01\x02" * 1000)), "signed", PINNED),
    "too-deep": (site(says(answer(b'{"results":' + b"[" * 100000))), "signed", PINNED),
    "fewer": (site(says(lambda body: answer(json.dumps({"results": json.loads(results(body))["results"][1:]}).encode()))), "signed", PINNED),
    "more": (site(says(lambda body: answer(json.dumps({"results": json.loads(results(body))["results"] * 2}).encode()))), "signed", PINNED),
    "other-lines": (site(says(lambda body: answer(results(body, lambda line, each: each | {"executed_command": "show clock"})))), "signed", PINNED),
    "without-status": (site(says(lambda body: answer(results(body, lambda line, each: {"data": "x"})))), "signed", PINNED),
    "endless": (site(floods(b"a" * 65536, b"HTTP/1.1 200 OK\r\n\r\n")), "signed", PINNED),
    "endless-chunks": (site(floods(b"10000\r\n" + b"a" * 65536 + b"\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")), "signed", PINNED),
    "endless-headers": (site(floods(b"X: " + b"a" * 1000 + b"\r\n", b"HTTP/1.1 200 OK\r\n")), "signed", PINNED),
    "endless-continue": (site(floods(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)), "signed", PINNED),
    "slow": (site(drips), "signed", PINNED),
    "silent": (site(sleeps), "signed", PINNED),
    "cut": (site(cut), "signed", PINNED),
    "hangs-up": (site(lambda client, body: False), "signed", PINNED),
    "no-tls": (None, "signed", PINNED),
    "says-nothing": (None, "signed", PINNED),
}
READ = {"honest", "honest-by-authority", "pinned-though-expired"}
NOT_TRUSTED = {"unknown", "changed", "expired", "of-another", "of-a-stranger", "old-tls", "no-tls", "says-nothing"}
WORDS = {
    "unknown": ("is pinned nowhere", "openssl s_client -connect 127.0.1.", "https: {certificate: "),
    "changed": ("is not the one that https.certificate pins", "somebody stands in between"),
    "expired": ("is not accepted by https.ca_file: certificate has expired",),
    "of-a-stranger": ("is not accepted by https.ca_file",),
    "of-another": ("127.0.1.",),
    "login-refused": ("login: Invalid username or password",),
    "login-missing": ("login: it answers 'HTTP/1.1 404 Not Found'",),
    "login-redirected": ("login: it answers 'HTTP/1.1 302 Found'",),
    "login-without-session": ("login: it gives no session",),
    "session-ends": ("login: it ends the session as soon as it has begun",),
    "redirect": ("it answers 'HTTP/1.1 307",),
    "html": ("its answer is no JSON",),
    "fewer": ("show",),
    "other-lines": ("is of 'show clock'",),
    "endless": ("exceeds",),
    "endless-headers": ("exceeds",),
    "slow": ("no answer within",),
    "silent": ("no answer within",),
}


class Server:
    def __init__(self, name, serve, certificate):
        self.name, self.serve = name, serve
        self.address = ADDRESSES[len(reached)]
        self.socket = socket.create_server((self.address, 0), backlog=16)
        self.port = self.socket.getsockname()[1]
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if name == "old-tls":
            self.tls.minimum_version = self.tls.maximum_version = ssl.TLSVersion.TLSv1_1
            self.tls.set_ciphers("ALL:@SECLEVEL=0")
        self.tls.load_cert_chain(folder / f"{certificate}.pem", folder / f"{certificate}.key")
        reached[name] = b""
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self.quietly, args=(client,), daemon=True).start()

    def quietly(self, client):
        try:
            with client:
                if self.name == "no-tls":
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100)
                    reached[self.name] += client.recv(65536)
                elif self.name == "says-nothing":
                    time.sleep(1000)
                else:
                    with self.tls.wrap_socket(client, server_side=True) as session:
                        self.serve(Heard(session, self.name))
        except (OSError, ValueError):
            pass


class Heard:
    """A session of which is kept what was said to the server."""

    def __init__(self, session, name):
        self.session, self.name = session, name

    def recv(self, size):
        data = self.session.recv(size)
        reached[self.name] += data
        return data

    def sendall(self, data):
        self.session.sendall(data.replace(b"{elsewhere}", f"{elsewhere.address}:{elsewhere.port}".encode()))


def document(servers):
    lines = ["apiVersion: fabric/v1", "name: hostile", "nodes:"]
    for name, server in servers.items():
        known = SERVERS[name][2]
        how = (f", certificate: \"{fingerprint(SERVERS[name][1])}\"" if known is PINNED else
               "" if known is None else ", ca_file: ca.pem" if known == "ca" else f", certificate: \"{fingerprint(known)}\"")
        lines.append(f"  {name}: {{platform: mlnx-os, address: {server.address}, ssh: {{user: operator}}, https: {{port: {server.port}{how}}}}}")
    return "\n".join(lines) + "\n"


def limits():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MIB << 20, MEMORY_MIB << 20))


def main():

    servers = {name: Server(name, serve, certificate) for name, (serve, certificate, _) in SERVERS.items()}
    work = folder / "work"
    work.mkdir()
    shutil.copy(folder / "ca.pem", work)
    (work / "fabric.yaml").write_text(document(servers))
    (folder / "home").mkdir()
    credentials = folder / "credentials.yaml"
    credentials.write_text("".join(f"{name}: {{password: {PASSWORD}}}\n" for name in servers))
    credentials.chmod(0o600)
    # Whoever reads the environment as others do goes to this proxy, and gives its keys to that file.
    proxy = f"http://{elsewhere.address}:{elsewhere.port}"
    environment = os.environ | {
        "HOME": str(folder / "home"), "SSH_AUTH_SOCK": "", "https_proxy": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy,
        "SSLKEYLOGFILE": str(folder / "keys"), "SSL_CERT_FILE": str(folder / "other-ca.pem")}
    begin = time.monotonic()
    done = subprocess.run(
        [fabric, "-vv", "--parallelism", "100", "--timeout", "15s", "--credentials", str(credentials), "--log", str(folder / "log"),
         "discover", "--save", "facts"], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
        preexec_fn=None if "sanitized" in sys.argv else limits)
    seconds = time.monotonic() - begin
    output = done.stdout + done.stderr
    assert done.returncode == 4, f"exit {done.returncode}: {output[-3000:]}"
    assert b"\x1b" not in output, "an escape sequence came through"
    said = {}
    for name in servers:
        facts = json.loads((work / f"facts/{name}.json").read_text())
        said[name] = (facts.get("failure") or {}).get("message", "") if isinstance(facts.get("failure"), dict) else facts.get("failure") or ""
        assert bool(said[name]) == (name not in READ), f"{name}: {said[name] or 'counts as read'}"
        for word in WORDS.get(name, ()):
            assert word in said[name], f"{name}: {word!r} is not in: {said[name]}"
        told = PASSWORD.encode() in reached[name]
        assert told == (name not in NOT_TRUSTED), f"{name} was {'' if told else 'not '}given the password"
    assert not reached["elsewhere"], f"somebody went elsewhere: {reached['elsewhere'][:200]}"
    assert not (folder / "keys").exists(), "the keys of the sessions were written down"
    for path in [folder / "log", *work.rglob("*")]:
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), f"the password is in {path}"
    assert PASSWORD.encode() not in output, "the password was printed"
    host = json.loads((work / "facts/honest.json").read_text())
    assert host["identity"]["host_key"] == fingerprint("signed"), host["identity"]
    print(f"{len(servers)} servers, {seconds:.1f} s")


class Elsewhere(Server):
    """Where a redirect or a proxy of the environment leads."""

    def quietly(self, client):
        with client:
            reached[self.name] += client.recv(65536) or b"a connection"


try:
    certificates()
    elsewhere = Elsewhere("elsewhere", None, "signed")
    main()
finally:
    shutil.rmtree(folder, ignore_errors=True)
