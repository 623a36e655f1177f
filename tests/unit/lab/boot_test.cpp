// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lab/ring_lab.hpp"

namespace fabric::lab {
namespace {

TEST_CASE("a factory VPI card boots as InfiniBand and is named so", "[lab]") {
  RingLab ring{3};
  CHECK(ring.out(1, "ls /sys/class/net") == "eno1\nibp1s0f0\nibp1s0f1\nlo\n");
  CHECK(ring.out(1, "ls /sys/class/infiniband") == "ibp1s0f0\nibp1s0f1\n");
  CHECK(
      ring.out(
          1,
          "cat /sys/class/net/ibp1s0f0/type /sys/class/infiniband/ibp1s0f0/ports/1/link_layer") ==
      "32\nInfiniBand\n");
  CHECK(
      ring.out(
          1,
          "cat /sys/class/infiniband/ibp1s0f0/ports/1/state "
          "/sys/class/infiniband/ibp1s0f0/ports/1/phys_state") == "2: INIT\n5: LinkUp\n");
  CHECK(ring.out(1, "cat /sys/bus/pci/devices/0000:01:00.0/class") == "0x020700\n");
}

TEST_CASE("a setting runs only after a reboot, and names follow the link type", "[lab]") {
  RingLab ring{3};
  const std::string before = ring.out(1, "cat /proc/sys/kernel/random/boot_id");
  ring.exec(1, "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P1=2");
  CHECK(
      ring.out(1, "ls -d /sys/class/net/ib*") ==
      "/sys/class/net/ibp1s0f0\n/sys/class/net/ibp1s0f1\n");
  ring.reboot(1);
  CHECK(ring.out(1, "ls /sys/class/net") == "eno1\nenp1s0f0np0\nibp1s0f1\nlo\n");
  const std::string after = ring.out(1, "cat /proc/sys/kernel/random/boot_id");
  CHECK(after != before);
  CHECK(
      ring.exec(
              1,
              "grep -qE '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' "
              "/proc/sys/kernel/random/boot_id")
          .exit_status == 0);
  CHECK(
      ring.out(1, "readlink -f /sys/class/net/enp1s0f0np0/device") ==
      "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0\n");
  CHECK(
      ring.out(1, "cat /sys/class/infiniband/rocep1s0f0/ports/1/gid_attrs/ndevs/0") ==
      "enp1s0f0np0\n");
}

TEST_CASE("a copy of a host in its second boot has another id in the next", "[lab]") {
  constexpr auto kBootId = "cat /proc/sys/kernel/random/boot_id";
  RingLab ring{3};
  ring.reboot(1);
  const std::string running = ring.out(1, kBootId);
  LabSpec copied;
  copied.hosts["pve1"].boot_id = running.substr(0, running.size() - 1);
  RingLab copy{3, copied};
  REQUIRE(copy.out(1, kBootId) == running);
  copy.reboot(1);
  CHECK(copy.out(1, kBootId) != running);
}

TEST_CASE("MAC and GUID of a port belong together and differ between cards", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  const std::string mac = ring.out(1, "cat /sys/class/net/enp1s0f0np0/address");
  const std::string guid = ring.out(1, "cat /sys/class/infiniband/rocep1s0f0/node_guid");
  CHECK(mac.substr(0, 8) == "0c:42:a1");
  CHECK(guid.substr(0, 10) == "0c42:a103:");
  CHECK(
      guid.substr(12, 2) + guid.substr(15, 4) ==
      mac.substr(9, 2) + mac.substr(12, 2) + mac.substr(15, 2));
  CHECK(mac != ring.out(1, "cat /sys/class/net/enp1s0f1np1/address"));
  CHECK(mac != ring.out(2, "cat /sys/class/net/enp1s0f0np0/address"));
  CHECK(
      ring.out(1, "cat /sys/class/infiniband/rocep1s0f0/sys_image_guid") ==
      ring.out(1, "cat /sys/class/infiniband/rocep1s0f1/sys_image_guid"));
}

TEST_CASE("networkd and sysctl.d configure a host at boot, and only files survive", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  CHECK(
      ring.out(1, "ip -br addr show dev enp1s0f0np0") ==
      "enp1s0f0np0      UP             10.30.0.1/24 \n");
  CHECK(
      ring.out(1, "cat /sys/class/net/enp1s0f0np0/mtu; sysctl -n net.ipv4.conf.all.arp_ignore") ==
      "9000\n1\n");
  ring.exec(
      1,
      "ip addr add 10.99.0.1/24 dev enp1s0f0np0; ip link set enp1s0f0np0 mtu 4000; sysctl -w "
      "net.core.rmem_max=1; echo x > /tmp/x; echo y > /run/y");
  ring.reboot(1);
  CHECK(
      ring.out(
          1,
          "ip -4 -br addr show dev enp1s0f0np0; cat /sys/class/net/enp1s0f0np0/mtu; sysctl -n "
          "net.core.rmem_max; ls /tmp") ==
      "enp1s0f0np0      UP             10.30.0.1/24 \n9000\n212992\n");
}

TEST_CASE("networkctl reload applies what changed, reconfigure only what was read", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  ring.exec(
      1,
      "sed -i 's/10.30.0.1/10.30.0.101/' /etc/systemd/network/10-port1.network; networkctl "
      "reconfigure enp1s0f0np0");
  CHECK(ring.out(1, "ip -br addr show dev enp1s0f0np0").find("10.30.0.1/24") != std::string::npos);
  ring.exec(1, "networkctl reload");
  CHECK(
      ring.out(1, "ip -br addr show dev enp1s0f0np0").find(" 10.30.0.101/24") != std::string::npos);
  CHECK(
      ring.out(1, "networkctl status enp1s0f0np0 | grep 'Network File'")
          .find("/etc/systemd/network/10-port1.network") != std::string::npos);
  CHECK(ring.out(1, "networkctl status lo | grep 'Network File'").find("n/a") != std::string::npos);
}

TEST_CASE("the first matching .network file in lexical order wins", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  ring.exec(
      1,
      "printf '[Match]\\nName=en*\\n[Network]\\nAddress=10.50.0.1/24\\n' > "
      "/etc/systemd/network/80-all.network");
  ring.exec(
      1,
      "printf '[Match]\\nName=enp1s0f1np1\\n[Network]\\nAddress=10.51.0.1/24\\n' > "
      "/etc/systemd/network/05-first.network");
  ring.reboot(1);
  CHECK(
      ring.out(1, "ip -4 -br addr | grep enp") ==
      "enp1s0f0np0      UP             10.30.0.1/24 \nenp1s0f1np1      UP             10.51.0.1/24 "
      "\n");
}

TEST_CASE("a .link file names an interface at boot", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  ring.exec(
      1,
      "printf '[Match]\\nPermanentMACAddress=%s\\n[Link]\\nName=ring0\\n' $(cat "
      "/sys/class/net/enp1s0f0np0/address) > /etc/systemd/network/10-ring0.link");
  CHECK(ring.exec(1, "test -e /sys/class/net/ring0").exit_status == 1);
  ring.reboot(1);
  CHECK(
      ring.out(1, "ip -4 -br addr show dev ring0") ==
      "ring0            UP             10.30.0.1/24 \n");
}

TEST_CASE("a rule of udev names an interface before the .link files do", "[lab]") {
  RingLab ring{3};
  ring.make_ring();
  const std::string rules = "/etc/udev/rules.d/70-names.rules";
  ring.exec(
      1,
      "cat > " + rules +
          " <<'E'\n# by hand\n"
          "ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"0000:01:00.1\", ATTR{type}==\"1\", "
          "NAME=\"fab1\"\n"
          "SUBSYSTEM==\"net\", KERNELS==\"0000:01:00.0\", ATTR{type}==\"32\", NAME=\"never\"\n"
          "SUBSYSTEM==\"net\", KERNEL==\"enp1s0f0*\", ENV{NOT_HERE}==\"x\", NAME=\"never\"\nE\n"
          "printf '[Match]\\nOriginalName=*\\nDriver=mlx5_core\\n[Link]\\nName=late\\n' > "
          "/etc/systemd/network/10-x.link");
  ring.reboot(1);
  CHECK(ring.out(1, "ls /sys/class/net") == "eno1\nfab1\nlate\nlo\n");
  // Too late: 80-net-setup-link.rules has named it by then.
  ring.exec(1, "mv " + rules + " /etc/udev/rules.d/85-names.rules");
  ring.reboot(1);
  CHECK(ring.exec(1, "test -e /sys/class/net/fab1").exit_status == 1);
}

TEST_CASE("ifupdown configures what its files say", "[lab]") {
  LabSpec spec;
  spec.hosts["pve1"].backend = "ifupdown";
  RingLab ring{3, spec};
  ring.exec(1, "mstconfig -d 0000:01:00.0 -y set LINK_TYPE_P1=2 LINK_TYPE_P2=2");
  ring.exec(
      1,
      "cat > /etc/network/interfaces.d/ring",
      "auto enp1s0f0np0\niface enp1s0f0np0 inet static\n    address 10.30.0.1/24\n    mtu 9000\n   "
      " up echo $IFACE > /run/up\n\nauto gone\niface gone inet static\n    address 10.9.9.9/24\n");
  ring.reboot(1);
  CHECK(
      ring.out(
          1, "ip -4 -br addr show dev enp1s0f0np0; cat /sys/class/net/enp1s0f0np0/mtu /run/up") ==
      "enp1s0f0np0      DOWN           10.30.0.1/24 \n9000\nenp1s0f0np0\n");
  CHECK(
      ring.out(1, "systemctl is-active networking; ifquery --list; ifquery --state") ==
      "active\nenp1s0f0np0\ngone\nlo\neno1\nenp1s0f0np0=enp1s0f0np0\nlo=lo\neno1=eno1\n");
  const ExecResult failed = ring.exec(1, "ifup gone");
  CHECK(failed.exit_status == 1);
  CHECK(failed.standard_error == "Cannot find device \"gone\"\nifup: failed to bring up gone\n");
  ring.exec(
      1,
      "ifdown enp1s0f0np0 && sed -i s/10.30.0.1/10.30.0.7/ /etc/network/interfaces.d/ring && ifup "
      "enp1s0f0np0");
  CHECK(
      ring.out(1, "ip -4 -br addr show dev enp1s0f0np0").find(" 10.30.0.7/24") !=
      std::string::npos);
  CHECK(ring.exec(1, "command -v ifreload").exit_status == 127);
  CHECK(ring.out(1, "networkctl reload 2>&1") == "systemd-networkd is not running.\n");
}

TEST_CASE("a ConnectX-3 is one function with two ports, and its links change at once", "[lab]") {
  const FabricSpec fabric = load_text(
      "apiVersion: fabric/v1\nname: pair\nnodes:\n  pve[1-2]:\n    adapters: {cx3: {model: "
      "connectx-3-vpi}}\n"
      "networks:\n  n: {mode: ethernet, ipv4: {subnet: 10.1.0.0/24, per: port}, cables: [[pve1/1, "
      "pve2/1]]}\n");
  LabSpec spec;
  spec.hosts["pve1"].adapters["cx3"].pci = "0000:05:00.0";
  RingLab pair{fabric, spec};
  CHECK(
      pair.out(1, "ls /sys/class/net; ls /sys/bus/pci/devices") ==
      "eno1\nibp5s0\nibp5s0d1\nlo\n0000:00:1f.6\n0000:05:00.0\n");
  CHECK(
      pair.out(1, "cat /sys/class/net/ibp5s0d1/dev_port; ls /sys/class/infiniband/ibp5s0/ports") ==
      "1\n1\n2\n");
  CHECK(
      pair.exec(1, "echo eth > /sys/bus/pci/devices/0000:05:00.0/mlx4_port1").exit_status !=
      0);  // (eth, ib)
  pair.exec(
      1,
      "echo eth > /sys/bus/pci/devices/0000:05:00.0/mlx4_port2; echo eth > "
      "/sys/bus/pci/devices/0000:05:00.0/mlx4_port1");
  CHECK(
      pair.out(1, "ls -d /sys/class/net/en*") ==
      "/sys/class/net/eno1\n/sys/class/net/enp5s0\n/sys/class/net/enp5s0d1\n");
  CHECK(pair.exec(1, "mstconfig -d 0000:05:00.0 q")
            .standard_output.empty());  // 4.26 has forgotten it
  pair.exec(1, "echo 'options mlx4_core port_type_array=2,2' > /etc/modprobe.d/mlx4.conf");
  pair.exec(1, "echo ib > /sys/bus/pci/devices/0000:05:00.0/mlx4_port1");
  pair.reboot(1);
  // The driver starts from the initramfs, with the options that it has.
  CHECK(pair.exec(1, "test -e /sys/class/net/enp5s0").exit_status == 1);
  pair.exec(1, "update-initramfs -u");
  pair.reboot(1);
  CHECK(pair.exec(1, "test -e /sys/class/net/enp5s0").exit_status == 0);
  CHECK(pair.out(1, "cat /sys/module/mlx4_core/parameters/port_type_array") == "2,2\n");
}

TEST_CASE("the connection of a reboot command answers and then drops", "[lab]") {
  RingLab ring{3};
  const ExecResult answered = ring.lab.exec(pve(1), "root", "systemctl reboot", "");
  CHECK(answered.exit_status == 0);
  CHECK_FALSE(answered.host_down);
  CHECK(ring.lab.power(pve(1)) == Power::going_down);
  CHECK(ring.lab.accepts_connections(pve(1)));
  ring.lab.advance(TimePoint{Duration{1000}});
  CHECK_FALSE(ring.lab.accepts_connections(pve(1)));
  ring.lab.advance(TimePoint{Duration{4000}});
  CHECK(ring.lab.accepts_connections(pve(1)));
  CHECK(ring.lab.exec(pve(2), "root", "reboot; sleep 5; echo never", "").host_down);
  CHECK(ring.lab.monitor().reboots == 2);
}

}  // namespace
}  // namespace fabric::lab
