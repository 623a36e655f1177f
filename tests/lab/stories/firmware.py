# SPDX-License-Identifier: Apache-2.0
"""Firmware: the image that is burned, and the one that is too old."""
import json
import shlex

from lab import Lab


def old_firmware():
    """9000 on firmware 16.22.1002 is refused at plan time; with the rule obeyed it converges."""
    lab_yaml = 'hosts: {pve2: {adapters: {cx5: {firmware: "16.22.1002"}}}}\n'
    with Lab(lab_yaml=lab_yaml) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        assert "chain-mtu-firmware" in done.stderr and "pve2" in done.stderr, done.stderr
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("mtu: 9000", "mtu: 8000"))
        lab.apply()
        lab.fabric("--lab", "verify", expect=0)


BURN = """\
apiVersion: fabric/v1
name: burn
nodes:
  pve[1-2]:
    adapters:
      cx5:
        model: connectx-5-vpi
        firmware: {version: "16.35.4030", psid: MT_0000000008, image: images/fw.bin}
"""


def firmware_image(lab, version="16.35.4030", psid="MT_0000000008"):
    (lab.path / "images").mkdir(exist_ok=True)
    (lab.path / "images/fw.bin").write_text(f"fabric lab firmware image\nversion {version}\npsid {psid}\n")


def flash_of(lab, node):
    said = lab.ssh(node, "mstflint -d 0000:01:00.0 q").stdout
    return [line.split(":")[1].strip() for line in said.splitlines() if line.startswith("FW Version")]


def firmware_burn():
    """Flash and settings are saved, the image is burned, the node boots it; then nothing is left, and back again says so."""
    with Lab(document=BURN) as lab:
        done = lab.fabric("--lab", "plan", expect=3)
        assert "firmware-image-missing" in done.stderr and "fabric.yaml:8:" in done.stderr, done.stderr
        firmware_image(lab)
        lab.apply()
        lab.monitor_is_clean(reboots=2)
        lab.plan_is_empty()
        for node in ("pve1", "pve2"):
            assert flash_of(lab, node) == ["16.35.4030"], flash_of(lab, node)
            kept = lab.ssh(node, "cd /var/lib/fabric/firmware && ls && cat backup-*.bin && grep -c LINK_TYPE_P1 *.settings")
            assert "upload" not in kept.stdout and "burning" not in kept.stdout, kept.stdout
            assert "version 16.35.2000" in kept.stdout and kept.stdout.endswith("1\n"), kept.stdout
        document = lab.path / "fabric.yaml"
        document.write_text(document.read_text().replace("16.35.4030", "16.35.1012"))
        firmware_image(lab, "16.35.1012")
        done = lab.fabric("--lab", "plan", expect=0)
        assert "firmware-downgrade" in done.stdout + done.stderr, done.stdout + done.stderr
        lab.apply()
        assert flash_of(lab, "pve1") == ["16.35.1012"]
        lab.plan_is_empty()


def secure_firmware():
    """A card with secure firmware gives no image back: its settings are saved, and the plan says which image to have at hand."""
    document = BURN.replace("connectx-5-vpi", "connectx-7").replace("16.35.4030", "28.42.1000").replace("MT_0000000008", "MT_0000000834")
    with Lab(document=document) as lab:
        firmware_image(lab, "28.42.1000", "MT_0000000834")
        assert "secure-fw" in lab.ssh("pve1", "mstflint -d 0000:01:00.0 q").stdout
        assert lab.ssh("pve1", "mstflint -d 0000:01:00.0 ri /root/image.bin").returncode != 0
        said = " ".join(lab.fabric("--lab", "plan", expect=0).stdout.split())
        assert "have the maker's image of" in said and "MT_0000000834" in said, said
        lab.apply()
        assert flash_of(lab, "pve1") == flash_of(lab, "pve2") == ["28.42.1000"]
        lab.plan_is_empty()


def firmware_of_another_card():
    """Another PSID of the card is refused when planning, of the image before anything is burned; a changed file is stale."""
    with Lab(document=BURN) as lab:
        firmware_image(lab, psid="DEL0000000004")
        document = lab.path / "fabric.yaml"
        right = document.read_text()
        document.write_text(right.replace("MT_0000000008", "DEL0000000004"))
        done = lab.fabric("--lab", "plan", expect=3)
        assert "firmware-psid-mismatch" in done.stderr and "has MT_0000000008" in " ".join(done.stderr.split()), done.stderr
        document.write_text(right)
        done = lab.apply(expect=10)
        said = " ".join((done.stdout + done.stderr).split())
        assert "expected PSID MT_0000000008 of the image, found DEL0000000004" in said, said
        firmware_image(lab, version="16.35.3006")
        said = " ".join(lab.apply(expect=10).stdout.split())
        assert "expected version 16.35.4030 of the image, found 16.35.3006" in said, said
        lab.fabric("--lab", "plan", "--out", "burn.plan", expect=0)
        firmware_image(lab)
        done = lab.fabric("--lab", "apply", "burn.plan", expect=7)
        assert "images/fw.bin has changed since the plan was made" in " ".join(done.stderr.split()), done.stderr
        assert flash_of(lab, "pve1") == flash_of(lab, "pve2") == ["16.35.2000"]
        lab.monitor_is_clean(reboots=0)


def firmware_lost_reply():
    """The reply of a burn is lost: what is in flash decides, and a burn that never ran is not begun again by itself."""
    with Lab(document=BURN) as lab:
        firmware_image(lab)
        lab.fabric("--lab", "plan", "--out", "burn.plan", expect=0)
        plan = json.loads((lab.path / "burn.plan").read_text())
        # All but the burns, so that the next change of each node is its burn.
        for action in plan["actions"]:
            if action["kind"] == "firmware.backup":
                script = action["steps"][0]["script"]
                words = ["sh", "-c", plan["scripts"][script["name"]], script["called"], *script["args"]]
                assert lab.ssh(action["node"], shlex.join(words)).returncode == 0
            for copy in [step["copy"] for step in action["steps"] if "copy" in step]:
                text = (lab.path / copy["source"]).read_text()
                assert lab.ssh(action["node"], f"printf %s {shlex.quote(text)} >{copy['path']}").returncode == 0
        lab.fabric("lab", "fault", "pve1", "lost-reply", "--on", "mstflint", expect=0)
        lab.fabric("lab", "fault", "pve2", "lost-command", "--on", "mstflint", expect=0)
        done = lab.fabric("--lab", "apply", "burn.plan", expect=10)
        assert flash_of(lab, "pve1") == ["16.35.4030"] and flash_of(lab, "pve2") == ["16.35.2000"], done.stdout
        lab.apply()
        assert flash_of(lab, "pve2") == ["16.35.4030"]
        lab.plan_is_empty()
