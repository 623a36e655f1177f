// SPDX-License-Identifier: Apache-2.0
// What finds a port again after a boot, under every shell of this machine: /sys is a scratch
// folder, and `ip` moves its interfaces as the kernel would.
#include <filesystem>
#include <set>

#include "engine/remote/shell.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/link_rollback.hpp"
#include "providers/linux/kinds/link_name/name_rollback.hpp"

#include "tests/support/local_shell.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;
namespace fs = std::filesystem;
using remote::test::run_locally;
using remote::test::Scratch;
using remote::test::Shell;
using remote::test::shells;
using remote::test::write_text;

constexpr const char* kFunction = "0000:01:00.1";

struct Interface {
  std::string name;
  std::string function{kFunction};
  std::string dev_port{"0"};
  std::string type{"1"};
  std::string phys_port_name{"p1"};
  std::string alternative{};
};

// Renames what is down and finds no other interface of that name, also by an alternative name.
constexpr const char* kIp = R"sh(#!/bin/sh
echo "$*" >>"$SYS/log"
case "$*" in
  "link property del dev "*) rm -f "$SYS/class/net/$5/alternative/$7" ;;
  *" down") : >"$SYS/class/net/${4}/down" ;;
  *" up") rm "$SYS/class/net/$4/down" ;;
  *" name "*)
    [ -e "$SYS/class/net/$4/down" ] || exit 2
    for other in "$SYS/class/net/"*; do
      [ "${other##*/}" != "$6" ] || exit 2
      [ ! -e "$other/alternative/$6" ] || exit 2
    done
    place=$(readlink -f "$SYS/class/net/$4")
    mv "$place" "${place%/*}/$6"
    rm "$SYS/class/net/$4"
    ln -s "${place%/*}/$6" "$SYS/class/net/$6" ;;
esac
)sh";

class Node {
 public:
  Node(Shell shell, const std::vector<Interface>& interfaces) : shell_{std::move(shell)} {
    fs::create_directories(scratch_.at("class/net"));
    write_text(scratch_.at("ip"), kIp);
    fs::permissions(scratch_.at("ip"), fs::perms::owner_all);
    for (const Interface& each : interfaces) {
      const std::string device = scratch_.at("bus/pci/devices/" + each.function);
      const std::string place = device + "/net/" + each.name;
      fs::create_directories(place + "/alternative");
      write_text(place + "/dev_port", each.dev_port + "\n");
      write_text(place + "/type", each.type + "\n");
      if (!each.phys_port_name.empty())
        write_text(place + "/phys_port_name", each.phys_port_name + "\n");
      if (!each.alternative.empty()) write_text(place + "/alternative/" + each.alternative, "");
      fs::create_directory_symlink(device, place + "/device");
      fs::create_directory_symlink(place, scratch_.at("class/net/" + each.name));
    }
  }

  int run(const remote::Argv& argv) {
    remote::Command command;
    command.argv = argv;
    std::string script{command.argv.at(2)};
    const std::string root = scratch_.at("");
    for (std::size_t at = 0; (at = script.find("/sys/", at)) != std::string::npos;)
      script.replace(at, 5, root);
    // A function: BusyBox takes its own `ip` whatever PATH says.
    command.argv.at(2) =
        "SYS=" + remote::quote(root) + "; export SYS; ip() { \"$SYS/ip\" \"$@\"; }\n" + script;
    return run_locally(shell_, command, scratch_).exit_status;
  }

  // "mlx0 old1", in order, each that is down with a "!".
  std::string names() const {
    std::set<std::string> found;
    for (const auto& each : fs::directory_iterator{scratch_.at("class/net")})
      found.insert((fs::exists(each.path() / "down") ? "!" : "") + each.path().filename().string());
    std::string text;
    for (const std::string& name : found)
      text += (text.empty() ? "" : " ") + name;
    return text;
  }

  std::string log() const { return remote::test::read_text(scratch_.at("log")); }

 private:
  Shell shell_;
  Scratch scratch_;
};

const NodeFacts& facts() {
  static const NodeFacts found = node_facts({{"pci", fixture("pci-cx5.txt")}});
  return found;
}

// The second port of the card, an interface of Ethernet that was called enp1s0f1np1.
struct Second {
  std::vector<Card> cards;
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;

  Second() : cards{inventory_of(facts())} {
    for (const Card& each : cards) {
      for (const AdapterPort& found : each.ports) {
        if (found.netdev != "enp1s0f1np1") continue;
        card = &each;
        port = &found;
      }
    }
    REQUIRE(port != nullptr);
  }

  remote::Argv name_back() const {
    return providers::name_back(
               facts(), NamedPort{card, port}, resource("pve1/link_name/cx5.2", {}, {}))
        .front();
  }
  remote::Argv empty() const {
    LinkTarget target{resource("pve1/interface/cx5.2", {}, {}).address};
    target.card = card;
    target.port = port;
    return empty_after_boot(target);
  }
};

TEST_CASE("a port gets its name back whatever a boot has made of it", "[providers]") {
  const Second second;
  for (const Shell& shell : shells()) {
    CAPTURE(shell.name);
    const auto after = [&](const std::vector<Interface>& interfaces, int wanted = 0) {
      Node node{shell, interfaces};
      CHECK(node.run(second.name_back()) == wanted);
      return node.names();
    };
    CHECK(after({{.name = "cut0"}}) == "enp1s0f1np1");
    // Systemd keeps the former name as an alternative of the new one.
    CHECK(after({{.name = "cut0", .alternative = "enp1s0f1np1"}}) == "enp1s0f1np1");
    // The boot did not rename it.
    CHECK(after({{.name = "enp1s0f1np1"}}) == "enp1s0f1np1");
    // Neither representors nor another type or port.
    CHECK(
        after(
            {{.name = "aaa0", .phys_port_name = "pf0vf0"},
             {.name = "aaa1", .dev_port = "1"},
             {.name = "aaa2", .type = "32"},
             {.name = "cut0"}}) == "aaa0 aaa1 aaa2 enp1s0f1np1");
    // The other port of the card has the name: it waits for its own turn.
    const std::string swapped =
        after({{.name = "enp1s0f1np1", .function = "0000:01:00.0"}, {.name = "enp1s0f0np0"}});
    CHECK(swapped.find("!back") == 0);
    CHECK(swapped.ends_with(" enp1s0f1np1"));
    // Somebody else has it: not ours to rename.
    CHECK(
        after({{.name = "enp1s0f1np1", .function = "0000:02:00.0"}, {.name = "cut0"}}, 1) ==
        "cut0 enp1s0f1np1");
    // The port is gone.
    CHECK(after({{.name = "eth0", .function = "0000:02:00.0"}}, 1) == "eth0");
  }
}

TEST_CASE("what a boot gave a port is taken from that port alone", "[providers]") {
  const Second second;
  for (const Shell& shell : shells()) {
    CAPTURE(shell.name);
    Node node{
        shell,
        {{.name = "cut0"},
         {.name = "cut0_0", .phys_port_name = "pf0vf0"},
         {.name = "other", .function = "0000:01:00.0"}}};
    CHECK(node.run(second.empty()) == 0);
    CHECK(node.log() == "address flush dev cut0 scope global\nlink set dev cut0 down\n");
    CHECK(node.names() == "!cut0 cut0_0 other");
    // No port, no failure: there is nothing to roll back.
    Node none{shell, {}};
    CHECK(none.run(second.empty()) == 0);
    CHECK(none.log().empty());
  }
}

}  // namespace
}  // namespace fabric::providers
