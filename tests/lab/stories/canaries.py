# SPDX-License-Identifier: Apache-2.0
"""Secrets of the nodes, which enter nothing that fabric prints, writes or starts."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import time

from documents import HOOKS
from lab import RING, Lab, binary, command_lines

CANARY = "c4nary-Zq5-not-to-be-seen"
IN_BASE64 = "c4naryZq5" + "a" * 34 + "="
# What may hold a secret in each kind of file, by a part of its path.
KINDS = {
    "netplan": "network:\n  version: 2\n  tunnels:\n    wg9:\n      keys: {{private: {0}}}\n      peers:\n      - keys:\n          shared: {0}\n",
    "ifcfg-": "DEVICE=wlan9\nKEY={0}\nKEY_PASSPHRASE1='{0}'\nIEEE_8021X_PASSWORD={0}\n",
    "/etc/network/interfaces": "iface wlan9 inet manual\n  wpa-psk {0}\n  wireless-key1 s:{0}\n  up ip macsec add m tx sa 0 on key 01 {0}\n",
    "systemd/network": "[NetDev]\nName=wg9\nKind=wireguard\n[WireGuard]\nPrivateKey={1}\n[WireGuardPeer]\nPresharedKey={0}\n[MACsecTransmitAssociation]\nKey={0}\n",
    "system-connections": "[connection]\nid=w\n[wifi-security]\npsk={0}\n[vpn-secrets]\nx={0}\n[802-1x]\npassword={0}\n",
    "opensm": "m_key {0}\nsm_key {0}\nsa_key {0}\n# key_mgr_seed {0}\n",
    "modprobe": "options wlan9 psk={0} auth_key=\"{0}\"\n",
    "sysctl": "net.ipv4.tcp_fastopen_key = {0}\n",
    "": "password={0}\ntoken: {0}\n-----BEGIN PRIVATE KEY-----\n{0}\n-----END PRIVATE KEY-----\n",
}


def files_read(facts):
    """The patterns of files in the scripts of the probes, each as the name of one file."""
    found = set()
    for probe in facts["probes"].values():
        for pattern in re.findall(r"/(?:etc|run|usr/lib|usr/local/lib)/[\w.$*/-]+", probe["command"]):
            for kind in ("modprobe", "modules-load"):
                path = pattern.replace("$kind", kind).replace("*", "canary")
                if "$" not in path and not path.endswith("/"):
                    found.add(path)
    # Those that say which machine it is, and that systemd is there.
    return sorted(path for path in found if not re.search(r"machine-id|os-release|fabric-guard|/etc/opensm/fabric-|fabric-opensm|rules\.d|/run/fabric|/run/systemd/system$", path))


def canaries():
    """A secret stands in every file that a probe reads: it is in no output, no file of ours, no list of processes; and what hooks print is kept without theirs."""
    said = []
    document = RING.replace("{adapters", "{network_backend: networkd, adapters") % (2, 2) + HOOKS.replace("disruption: echo", "disruption: cat secret; echo")
    with Lab(document=document) as lab:
        (lab.path / "secret").write_text(f"psk={CANARY}\nx: invalid psk '{CANARY}'\n")

        def fabric(*arguments, expect=0, ours=("--lab",)):
            out = lab.path / "said"
            with out.open("w") as stream:
                running = subprocess.Popen([binary, *ours, "-vv", "--log", "fabric.log", *arguments], cwd=lab.path,
                                           stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
                while running.poll() is None:
                    for line in command_lines():
                        assert CANARY.encode() not in line, line
                    time.sleep(0.05)
            said.append(out.read_text())
            out.unlink()
            assert running.returncode == expect, (arguments, running.returncode, said[-1])

        fabric("discover", "--save", "before")
        facts = json.loads((lab.path / "before/pve1.json").read_text())
        paths = files_read(facts)
        assert len(paths) > 15 and "/etc/opensm/opensm.conf" in paths and "/etc/network/interfaces" in paths, paths
        for path in paths:
            kind = next(text for part, text in KINDS.items() if part in path)
            text = kind.format(CANARY, IN_BASE64) + ("" if "netplan" in path else KINDS[""].format(CANARY))
            # On standard input: nothing of it is in a list of processes.
            written = lab.ssh_with("pve1", f"mkdir -p {pathlib.Path(path).parent}; cat >>{path}", text)
            assert written.returncode == 0, (path, written.stderr)
        fabric("discover", "--save", "facts")
        saved = (lab.path / "facts/pve1.json").read_text()
        # The files were read, and the secrets in them only.
        assert "(secret)" in saved and "wlan9" in saved and "/etc/opensm/opensm.conf:m_key " in saved, saved
        for form in ("human", "json", "sarif"):
            fabric("plan", "--out", "ring.plan", "--format", form)
            fabric("show", "ring.plan", "--format", form, ours=())
        fabric("show", "ring.plan", "--format", "commands", ours=())
        fabric("graph", "--plan", "ring.plan", ours=())
        fabric("graph", ours=())
        fabric("explain", "pve1/cx5/1", ours=("--facts", "facts"))
        fabric("rehearse", "--seeds", "1")
        fabric("--json", "rehearse", "--seeds", "1")
        fabric("--json", "discover")
        (lab.path / "refuse-pve1").write_text("")
        fabric("apply", "--auto-approve", expect=1)
        (lab.path / "refuse-pve1").unlink()
        fabric("--json", "apply", "--auto-approve")
        fabric("verify")
        fabric("--json", "verify")
        fabric("history", ours=())
        # Also with facts of another hand, which nobody has redacted.
        raw = json.loads(saved)
        raw["probes"]["raw"] = {**next(iter(raw["probes"].values())), "standard_output": KINDS[""].format(CANARY)}
        (lab.path / "raw").mkdir()
        (lab.path / "raw/pve1.json").write_text(json.dumps(raw))
        (lab.path / "raw.log").write_text(f"wpa-psk {CANARY}\n")
        fabric("support-bundle", "--discover", "--activity-log", "fabric.log", "--out", "discovered.tar")
        fabric("support-bundle", "--activity-log", "raw.log", ours=("--facts", "raw"))
        for name in ("raw", "raw.log"):
            (shutil.rmtree if name == "raw" else os.remove)(lab.path / name)
        for bundle in lab.path.glob("*.tar"):
            assert bundle.stat().st_mode & 0o777 == 0o600, bundle
            with tarfile.open(bundle) as archive:
                names = {pathlib.Path(each.name).name for each in archive.getmembers()}
                assert {"plan.json", "journal.jsonl", "pve1.json", "log.txt", "versions.json", "README.txt"} <= names, names
        for run in (lab.path / ".fabric/runs").iterdir():
            for form in ("human", "json"):
                fabric("show", run.name, "--format", form, ours=())

        for secret in (CANARY, IN_BASE64):
            assert not any(secret in text for text in said), next(line for text in said for line in text.splitlines() if secret in line)
            for each in lab.path.rglob("*"):
                if each.is_file() and each.name != "secret":
                    assert secret.encode() not in each.read_bytes(), each
        # The planted file of pve1 is still what it was.
        assert CANARY in lab.ssh("pve1", "cat /etc/opensm/opensm.conf").stdout
        journals = "".join(path.read_text() for path in (lab.path / ".fabric/runs").rglob("*") if path.is_file())
        assert "psk=(secret)" in journals, journals
        for each in [*(lab.path / "facts").iterdir(), lab.path / "ring.plan", lab.path / "fabric.log", *(lab.path / ".fabric/runs").rglob("*.jsonl")]:
            assert each.stat().st_mode & 0o777 == 0o600, each
