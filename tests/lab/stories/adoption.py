"""What somebody else configured: taken over, given back, and taken again."""
from documents import IFCFG, STORAGE, hasty
from lab import Lab
from steps import after_a_boot, no_guard_is_left


def ifcfg_adopted():
    """RHEL's network scripts: what somebody else wrote is named, taken over with `adopt`, and given back in the end."""
    foreign = "DEVICE=enp1s0f0np0\nONBOOT=yes\nBOOTPROTO=none\nIPADDR=10.99.0.1\nPREFIX=24\n"
    with Lab(document=IFCFG % "" + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}' >/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0 && ifup enp1s0f0np0")
        done = lab.fabric("--lab", "plan", expect=3)
        assert "foreign-configuration" in done.stderr and "ifcfg-enp1s0f0np0" in done.stderr, done.stderr
        (lab.path / "fabric.yaml").write_text(IFCFG % "adopt: true, " + STORAGE)
        lab.apply()
        said = lab.ssh("n1", "ip -o addr show dev enp1s0f0np0").stdout
        assert "10.30.0.1/24" in said and "10.99" not in said, said
        after_a_boot(lab)
        (lab.path / "fabric.yaml").write_text(IFCFG % "adopt: true, " + "  {}\n")
        lab.apply()
        said = lab.ssh("n1", "cat /etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0; ip -o addr show dev enp1s0f0np0; ls -A /var/lib/fabric/adopted").stdout
        assert said.startswith(foreign) and "10.99.0.1/24" in said and "10.30" not in said, said
        after_a_boot(lab)


FOREIGN = {
    "ifcfg": ("/etc/sysconfig/network-scripts/ifcfg-enp1s0f0np0", "DEVICE=enp1s0f0np0\nONBOOT=yes\nBOOTPROTO=none\nIPADDR=10.99.0.1\nPREFIX=24\n"),
    "ifupdown": ("/etc/network/interfaces.d/theirs", "auto enp1s0f0np0\niface enp1s0f0np0 inet static\n    address 10.99.0.1/24\n"),
    "networkd": ("/etc/systemd/network/05-theirs.network", "[Match]\nName=enp1s0f0np0\n[Network]\nAddress=10.99.0.1/24\n"),
}


def given_back_and_taken_again(backend, last):
    path, foreign = FOREIGN[backend]
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", f"network_backend: {backend}")

    def found(lab):
        return lab.ssh("n1", f"cat {path}; ip -o addr show dev enp1s0f0np0; ls -A /var/lib/fabric/adopted").stdout

    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}' >{path}")
        lab.apply()
        before = found(lab)
        assert "10.30.0.1/24" in before and "10.99.0.1/24 " not in before and "cx5.1" in before, before
        # The last of its commands is lost, when all has been given back.
        lab.fabric("lab", "fault", "n1", "lost-command", "--on", last, expect=0)
        (lab.path / "fabric.yaml").write_text(hasty(document) + "  {}\n")
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "rolled back by the node itself" in said, said
        assert found(lab) == before, f"{backend}: {before}\n{found(lab)}"
        lab.fabric("lab", "fault", "n1", "none", expect=0)
        no_guard_is_left(lab, "n1")
        (lab.path / "fabric.yaml").write_text(document + STORAGE)
        lab.plan_is_empty()
        (lab.path / "fabric.yaml").write_text(document + "  {}\n")
        lab.apply()
        said = found(lab)
        assert said.startswith(foreign) and "10.99.0.1/24" in said and "10.30" not in said, f"{backend}: {said}"
        lab.plan_is_empty()


def given_back_and_taken_again_ifcfg():
    """A removal that is rolled back takes over again what it had given back: RHEL's network scripts, at our own path."""
    given_back_and_taken_again("ifcfg", "ifup")


def given_back_and_taken_again_ifupdown():
    """A removal that is rolled back takes over again what it had given back: a stanza of ifupdown that was commented out."""
    given_back_and_taken_again("ifupdown", "exec ifup")


def given_back_and_taken_again_networkd():
    """A removal that is rolled back takes over again what it had given back: a whole file of networkd."""
    given_back_and_taken_again("networkd", "networkctl reconfigure")


def given_back_and_broken():
    """What is given back and does not come up is no removal that was done: it is said, and ours stays."""
    path, foreign = FOREIGN["ifupdown"]
    document = (IFCFG % "adopt: true, ").replace("network_backend: ifcfg", "network_backend: ifupdown")
    with Lab(document=document + STORAGE) as lab:
        lab.ssh("n1", f"printf '{foreign}    pre-up false\n' >{path}")
        lab.apply()
        (lab.path / "fabric.yaml").write_text(document + "  {}\n")
        said = " ".join(lab.apply(expect=11).stdout.split())
        assert "its script: exit 1" in said and "rolled back by the node itself" in said, said
        assert "10.30.0.1/24" in lab.ssh("n1", "ip -o addr show dev enp1s0f0np0").stdout
        (lab.path / "fabric.yaml").write_text(document + STORAGE)
        lab.plan_is_empty()
