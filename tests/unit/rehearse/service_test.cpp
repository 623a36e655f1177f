// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/service.hpp"

#include "tests/support/simulated_lab.hpp"
#include "tests/unit/rehearse/ring_plan.hpp"

namespace fabric::rehearse {

namespace {

// Hosts that somebody reboots, one after the other; each boot takes 2 s.
struct Watched {
  explicit Watched(int hosts)
      : ring{hosts}, lab{ring.spec, test::simulated()}, watch{ring.spec, lab, {}} {
    lab.watch([this](const lab::HostEvent& event) { watch.look(event.at); });
  }
  void reboot(int number) {
    lab.exec(named("pve" + std::to_string(number)), "root", "systemctl reboot", "");
  }
  void wait(Duration duration) {
    now += duration;
    lab.advance(now);
  }

  RingPlan ring;
  lab::Lab lab;
  ServiceWatch watch;
  TimePoint now{};
};

}  // namespace

TEST_CASE("two opposite nodes of a ring down cut the two between them apart") {
  Watched watched{4};
  watched.reboot(1);
  watched.reboot(3);
  watched.wait(Duration{60'000});
  const Service service = watched.watch.end(watched.now);
  REQUIRE(service.ring_cut);
  CHECK(service.ring_cut->network == "storage");
  CHECK(
      service.ring_cut->apart ==
      std::vector<std::vector<NodeName>>{{named("pve2")}, {named("pve4")}});
  CHECK(service.ring_cut->down == std::vector<NodeName>{named("pve1"), named("pve3")});
  CHECK(service.ring_cut->over);
  CHECK(service.ring_cut->lasted >= Duration{2'000});
  CHECK(service.ring_cut->lasted < Duration{10'000});
  CHECK(service.down_at_once.size() == 2);
}

TEST_CASE("one node of a ring, or two neighbours, leave the others together") {
  Watched one{4};
  one.reboot(2);
  one.wait(Duration{60'000});
  CHECK(!one.watch.end(one.now).ring_cut);

  Watched two{4};
  two.reboot(1);
  two.reboot(2);
  two.wait(Duration{60'000});
  const Service service = two.watch.end(two.now);
  CHECK(!service.ring_cut);
  CHECK(service.down_at_once.size() == 2);
}

TEST_CASE("a cut that nobody mends lasts until the end, and says so") {
  Watched watched{4};
  REQUIRE(watched.lab.set_fault(named("pve1"), lab::Fault::no_boot));
  REQUIRE(watched.lab.set_fault(named("pve3"), lab::Fault::no_boot));
  watched.reboot(1);
  watched.reboot(3);
  watched.wait(Duration{600'000});
  const Service service = watched.watch.end(watched.now);
  REQUIRE(service.ring_cut);
  CHECK(!service.ring_cut->over);
  CHECK(service.ring_cut->lasted > Duration{590'000});
}

}  // namespace fabric::rehearse
