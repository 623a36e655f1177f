// SPDX-License-Identifier: Apache-2.0
// Modules of a simulated host: loaded at boot, by hand, with options from modprobe.d.
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

TEST_CASE(
    "the drivers of the cards are loaded, and shown by lsmod and in /proc and /sys", "[lab]") {
  RingLab ring{3};
  CHECK(ring.out(1, "sed 's/ .*//' /proc/modules") == "ib_core\nib_uverbs\nmlx5_core\nmlx5_ib\n");
  CHECK(ring.out(1, "lsmod | grep -c mlx5_ib") == "4\n");
  CHECK(ring.out(1, "cat /sys/module/mlx5_core/parameters/prof_sel") == "2\n");
  CHECK(ring.out(1, "stat -c %a /sys/module/mlx5_core/parameters/debug_mask") == "644\n");
}

TEST_CASE("modprobe loads what a module needs, with the options of modprobe.d", "[lab]") {
  RingLab ring{3};
  ring.exec(1, "echo 'options ib-ipoib recv_queue_size=0x200' > /etc/modprobe.d/x.conf");
  CHECK(ring.exec(1, "modprobe ib_ipoib").exit_status == 0);
  CHECK(ring.out(1, "cat /sys/module/ib_ipoib/parameters/recv_queue_size") == "512\n");
  CHECK(ring.exec(1, "grep -q ^ib_cm /proc/modules").exit_status == 0);
  CHECK(ring.exec(1, "modprobe -r ib_core").exit_status == 1);
  CHECK(ring.exec(1, "modprobe -r ib-ipoib").exit_status == 0);
  CHECK(ring.exec(1, "test -e /sys/module/ib_ipoib").exit_status == 1);
  CHECK(ring.exec(1, "modprobe mlx9_core").exit_status == 1);
  CHECK(ring.exec(1, "modprobe tcp_cubic").exit_status == 0);
}

TEST_CASE("a parameter that may be written is, and any other is not", "[lab]") {
  RingLab ring{3};
  CHECK(ring.exec(1, "echo 1 > /sys/module/mlx5_core/parameters/debug_mask").exit_status == 0);
  CHECK(ring.out(1, "cat /sys/module/mlx5_core/parameters/debug_mask") == "1\n");
  CHECK(ring.exec(1, "echo x > /sys/module/mlx5_core/parameters/debug_mask").exit_status != 0);
  CHECK(ring.exec(1, "echo 1 > /sys/module/mlx5_core/parameters/prof_sel").exit_status != 0);
}

TEST_CASE("modules-load.d is read at boot, but what is blacklisted stays out", "[lab]") {
  RingLab ring{3};
  ring.exec(
      1, "echo bonding > /etc/modules-load.d/a.conf; echo rdma-rxe >> /etc/modules-load.d/a.conf");
  ring.exec(1, "echo 'blacklist rdma_rxe' > /etc/modprobe.d/b.conf");
  ring.exec(1, "modprobe 8021q");
  ring.reboot(1);
  CHECK(ring.exec(1, "grep -q ^bonding /proc/modules").exit_status == 0);
  CHECK(ring.exec(1, "grep -q ^rdma_rxe /proc/modules").exit_status == 1);
  CHECK(ring.exec(1, "grep -q ^8021q /proc/modules").exit_status == 1);
}

}  // namespace
}  // namespace fabric::lab
