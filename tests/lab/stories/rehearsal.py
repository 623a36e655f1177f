"""Rehearsals: of live nodes and of the examples."""
from documents import example
from lab import Lab


def examples_rehearsed():
    """Each example prints its one screen; what no provider does yet is said on it, and the exit code says so too."""
    def screen(name, exit_code, *texts):
        with Lab(document=example(name)) as lab:
            done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=exit_code)
            assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
            for text in ("2 seeds of faults", "converged, whatever struck", *texts):
                assert text in done.stdout, f"{name}: {text!r} is not in:\n{done.stdout}"

    screen("ring", 0, "never cut by the plan itself")
    screen("cx3-pair-infiniband", 0)
    screen("roce-lag", 3, "platform mlnx-os (fabric.yaml:20) has no provider yet")
    screen("esx-classic", 3, "platform esx-classic (fabric.yaml:9) has no provider yet")
    with Lab(document=example("vsphere8-sriov")) as lab:
        done = lab.fabric("--lab", "rehearse", expect=3)
        assert "Nothing to rehearse" in done.stdout and "Set aside: platform esxi (fabric.yaml:9)" in done.stdout, done.stdout


def rehearsed():
    """Drift of a live node is in its copy; the rehearsal changes nothing, and a seed is told again word by word."""
    with Lab() as lab:
        lab.apply()
        lab.ssh("pve2", "mstconfig -d 0000:01:00.0 -y set HOST_CHAINING_MODE=0; ip link set dev enp1s0f0np0 mtu 1500")
        before = lab.fabric("--lab", "plan", expect=0).stdout
        done = lab.fabric("--lab", "rehearse", "--seeds", "2", expect=0)
        for text in ("copies of 3 nodes, 2 seeds", "never cut by the plan itself", "nothing was left out", "it converged, whatever struck"):
            assert text in done.stdout, f"{text!r} is not in:\n{done.stdout}"
        assert len(done.stdout.splitlines()) <= 24 and max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        story = lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert story == lab.fabric("--lab", "rehearse", "--seed", "2", expect=0).stdout
        assert lab.fabric("--lab", "plan", expect=0).stdout == before
        lab.monitor_is_clean(reboots=3)
