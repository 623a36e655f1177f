// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

void write_units(RingLab& ring, int seconds) {
  ring.exec(
      1,
      "cat > /etc/systemd/system/watch.service",
      "[Unit]\nDescription=x\n[Service]\nType=oneshot\nExecStart=/bin/sh /root/act\n");
  ring.exec(
      1,
      "cat > /etc/systemd/system/watch.timer",
      fmt::format("[Timer]\nOnActiveSec={}s\n[Install]\nWantedBy=timers.target\n", seconds));
  ring.exec(1, "cat > /root/act", "date +%s > /root/acted\n");
  CHECK(ring.exec(1, "systemctl daemon-reload").exit_status == 0);
}

TEST_CASE(
    "a timer starts its service once its time is over, and not when it was stopped", "[lab]") {
  RingLab ring{3};
  write_units(ring, 120);
  CHECK(ring.exec(1, "systemctl is-active watch.timer").exit_status == 3);
  CHECK(ring.exec(1, "systemctl enable --now watch.timer").exit_status == 0);
  CHECK(ring.out(1, "systemctl is-active watch.timer") == "active\n");
  CHECK(ring.out(1, "systemctl is-enabled watch.timer") == "enabled\n");
  ring.wait(Duration{119'000});
  CHECK_FALSE(ring.lab.read_file(pve(1), "/root/acted"));
  ring.wait(Duration{2'000});
  CHECK(ring.lab.read_file(pve(1), "/root/acted"));
  CHECK(ring.out(1, "systemctl is-active watch.timer") == "inactive\n");

  ring.exec(1, "rm /root/acted; systemctl start watch.timer");
  CHECK(ring.exec(1, "systemctl disable --now watch.timer").exit_status == 0);
  ring.wait(Duration{200'000});
  CHECK_FALSE(ring.lab.read_file(pve(1), "/root/acted"));
  CHECK(ring.out(1, "systemctl is-enabled watch.timer") == "disabled\n");
}

TEST_CASE("an enabled timer counts anew after a boot, a started one is gone", "[lab]") {
  RingLab ring{3};
  write_units(ring, 120);
  ring.exec(1, "systemctl start watch.timer");
  ring.reboot(1);
  ring.wait(Duration{200'000});
  CHECK_FALSE(ring.lab.read_file(pve(1), "/root/acted"));
  ring.exec(1, "systemctl enable watch.timer");
  ring.reboot(1);
  ring.wait(Duration{60'000});
  CHECK_FALSE(ring.lab.read_file(pve(1), "/root/acted"));
  ring.wait(Duration{61'000});
  CHECK(ring.lab.read_file(pve(1), "/root/acted"));
}

TEST_CASE("a service that is not waited for starts by itself", "[lab]") {
  RingLab ring{3};
  write_units(ring, 120);
  CHECK(
      ring.exec(1, "systemctl start --no-block watch.service; test -e /root/acted").exit_status ==
      1);
  ring.wait(Duration{1'000});
  CHECK(ring.lab.read_file(pve(1), "/root/acted"));
  CHECK(ring.exec(1, "systemctl start nothing.timer").exit_status == 5);
}

TEST_CASE(
    "a host that is cut off by its network files comes back when they are as before", "[lab]") {
  RingLab ring{3};
  write_units(ring, 60);
  ring.exec(1, "cat > /root/act", "rm /etc/systemd/network/10-x.network; networkctl reload\n");
  REQUIRE(ring.lab.set_fault(pve(1), Fault::cut_off));
  ring.exec(1, "systemctl start watch.timer");
  ring.exec(1, "cat > /etc/systemd/network/10-x.network", "[Match]\nName=eno1\n");
  CHECK(ring.lab.accepts_connections(pve(1)));  // nothing has read it yet
  ring.exec(1, "networkctl reload");
  CHECK_FALSE(ring.lab.accepts_connections(pve(1)));
  ring.wait(Duration{61'000});
  CHECK(ring.lab.accepts_connections(pve(1)));
}

// pve1, which cuts itself off by writing a network file, and has a timer that takes the file away.
void cut_off_late(RingLab& ring) {
  write_units(ring, 60);
  ring.exec(1, "cat > /root/act", "rm /etc/systemd/network/10-x.network; networkctl reload\n");
  REQUIRE(ring.lab.set_fault(pve(1), Fault::late));
  ring.exec(1, "systemctl start watch.timer");
  ring.exec(
      1, "cat > /etc/systemd/network/10-x.network; networkctl reload", "[Match]\nName=eno1\n");
  CHECK_FALSE(ring.lab.accepts_connections(pve(1)));
  CHECK(ring.lab.keeps_sessions(pve(1)));
}

TEST_CASE("what is sent to a host that is cut off may arrive when it is rolled back", "[lab]") {
  RingLab ring{3};
  cut_off_late(ring);
  CHECK(ring.exec(1, "echo late > /root/late").delivery == Delivery::stall);
  CHECK_FALSE(ring.lab.read_file(pve(1), "/root/late"));
  ring.wait(Duration{61'000});
  CHECK(ring.lab.accepts_connections(pve(1)));
  CHECK(ring.lab.read_file(pve(1), "/root/late"));
  REQUIRE(ring.lab.monitor().late_changes.size() == 1);
  CHECK(ring.lab.monitor().late_changes.front().node == pve(1));
}

TEST_CASE("what only reads may arrive late", "[lab]") {
  RingLab ring{3};
  cut_off_late(ring);
  ring.exec(1, "cat /etc/hostname; ip -j link");
  ring.wait(Duration{61'000});
  CHECK(ring.lab.accepts_connections(pve(1)));
  CHECK(ring.lab.monitor().late_changes.empty());
}

}  // namespace
}  // namespace fabric::lab
