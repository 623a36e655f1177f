# SPDX-License-Identifier: Apache-2.0
"""Runs command lines of `fabric` in copies of one process: see served_program.cpp."""
import os
import socket
import subprocess
import tempfile


class Served:
    def __init__(self, program, environment):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(600)
        self.process = subprocess.Popen([program], stdin=other, env=environment)
        other.close()

    def run(self, arguments, cwd, environment):
        """As subprocess.run([fabric, *arguments], cwd=cwd, env=environment, stdin=DEVNULL, capture_output=True)."""
        words = [str(cwd), str(len(arguments) + 1), "fabric", *map(str, arguments)]
        words += [f"{name}={value}" for name, value in environment.items()]
        with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            socket.send_fds(self.socket, [b"".join(os.fsencode(word) + b"\0" for word in words)],
                            [nothing.fileno(), out.fileno(), err.fileno()])
            code = int(self.socket.recv(64))
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(arguments, code, out.read(), err.read())
