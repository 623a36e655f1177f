// SPDX-License-Identifier: Apache-2.0
// dpkg-query, apt-get, apt-cache and dpkg, as observed on Debian 12.
#include "providers/linux/lab/system/packages.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/lab/bench_host.hpp"

namespace fabric::lab {
namespace {

MachineProfile profile(Archive archive = Archive::online) {
  MachineProfile profile;
  profile.name = "node1";
  profile.archive = archive;
  return profile;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("dpkg-query shows what is installed in the form that was asked for", "[lab]") {
  BenchHost host;
  const Answer one =
      host.run("dpkg-query -W -f='${db:Status-Abbrev}|${Package}|${Version}\\n' bash");
  CHECK(one == Answer{0, "ii |bash|5.2.15-2+b7\n", ""});
  const Answer none = host.run("dpkg-query -W perftest");
  CHECK(none.status == 1);
  CHECK(none.err == "dpkg-query: no packages found matching perftest\n");
  CHECK(host.run("dpkg-query -W | wc -l").out != "0\n");
}

TEST_CASE("apt-get installs with what is needed, and programs and services come along", "[lab]") {
  MachineProfile bare = profile();
  bare.lldpd = false;
  BenchHost host{bare};
  CHECK(host.run("lldpcli").status == 127);
  CHECK(host.run("apt-get -y install lldpd opensm").status == 0);
  CHECK(host.run("command -v lldpcli").status == 0);
  CHECK(host.run("systemctl is-active lldpd").out == "active\n");
  CHECK(host.run("dpkg-query -W -f='${db:Status-Abbrev}' libopensm9").out == "ii ");
  CHECK(
      host.run("apt-get -y install no-such-thing").err ==
      "E: Unable to locate package no-such-thing\n");
}

TEST_CASE("an index that is missing knows nothing until it is fetched", "[lab]") {
  BenchHost host;
  host.run("rm /var/lib/apt/lists/*Packages");
  CHECK(host.run("apt-cache show perftest").status == 100);
  CHECK(host.run("apt-get -y install perftest").status == 100);
  CHECK(host.run("apt-get update").status == 0);
  CHECK(host.run("apt-cache show perftest").status == 0);
  CHECK(host.run("apt-get -y install perftest").status == 0);
}

TEST_CASE("without a network update warns and installing fails", "[lab]") {
  BenchHost host{profile(Archive::offline)};
  const Answer update = host.run("apt-get update");
  CHECK(update.status == 0);
  CHECK(has(update.err, "W: Failed to fetch"));
  const Answer install = host.run("apt-get -y install perftest");
  CHECK(install.status == 100);
  CHECK(has(install.err, "E: Unable to fetch some archives"));
  CHECK(host.run("dpkg-query -W perftest").status == 1);
}

TEST_CASE("an archive that refuses makes update fail, and the others are read", "[lab]") {
  BenchHost host{profile(Archive::unsubscribed)};
  const Answer update = host.run("apt-get update");
  CHECK(update.status == 100);
  CHECK(has(update.err, "401  Unauthorized"));
  CHECK(host.run("apt-cache show perftest").status == 0);
  CHECK(host.run("apt-get -y install perftest").status == 0);
}

TEST_CASE("a database that another program holds is waited for as long as apt was told", "[lab]") {
  BenchHost host{profile(Archive::locked)};
  const Answer install = host.run("apt-get -y -o DPkg::Lock::Timeout=30 install perftest");
  CHECK(install.status == 100);
  CHECK(has(install.err, "E: Could not get lock /var/lib/dpkg/lock-frontend"));
  CHECK(host.took >= std::chrono::seconds{30});
}

TEST_CASE("ifupdown2 would replace ifupdown, which --no-remove forbids", "[lab]") {
  MachineProfile older = profile();
  older.backend = "ifupdown";
  BenchHost host{older};
  const Answer install = host.run("apt-get -y --no-remove install ifupdown2");
  CHECK(install.status == 100);
  CHECK(install.err == "E: Packages need to be removed but remove is disabled.\n");
}

TEST_CASE("dpkg removes one package, and none that another needs", "[lab]") {
  BenchHost host;
  CHECK(host.run("apt-get -y install opensm").status == 0);
  CHECK(host.run("dpkg --remove rdma-core").status == 1);
  CHECK(host.run("dpkg --remove opensm rdma-core").status == 0);
  CHECK(host.run("dpkg-query -W -f='${db:Status-Abbrev}' opensm").out == "rc ");
  CHECK(host.run("dpkg --remove bash", "", "admin").status == 2);
}

TEST_CASE("what was unpacked only is configured without a network", "[lab]") {
  BenchHost host{profile(Archive::offline)};
  host.run(
      "sed -i '/^Package: mstflint/,/^$/s/ok installed/ok half-configured/' /var/lib/dpkg/status");
  CHECK(host.run("dpkg-query -W -f='${db:Status-Abbrev}' mstflint").out == "iF ");
  CHECK(host.run("apt-get -y install mstflint").status == 0);
  CHECK(host.run("dpkg-query -W -f='${db:Status-Abbrev}' mstflint").out == "ii ");
}

}  // namespace
}  // namespace fabric::lab
