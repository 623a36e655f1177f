// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "providers/linux/kinds/firmware/card_firmware.hpp"
#include "providers/linux/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

const Provider kProvider = firmware_provider();
const std::string kDigest(64, 'a');
constexpr const char* kUploaded = "/var/lib/fabric/firmware/upload-0000:01:00.0-aaaaaaaaaaaaaaaa";
constexpr const char* kSaved =
    "/var/lib/fabric/firmware/backup-MT1234X05678-MT_0000000008-16.35.2000.bin";

// As the tool shows the one card of pci-cx5.txt.
std::string query(const std::string& lines, const std::string& status = "0") {
  return "== tool mstflint\n== card 0000:01:00.0\n" + lines + "\n== status " + status + "\n";
}

std::string of(const std::string& flash, const std::string& psid = "MT_0000000008") {
  return query(
      "Image type:            FS4\nFW Version:            " + flash +
      "\nFW Release Date:       18.4.2024\nPSID:                  " + psid);
}

NodeFacts facts(const std::string& flint, const std::string& files = "") {
  return node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"mlxconfig", "== tool mstconfig\n"},
       {"flint", flint},
       {"firmware-files", files}});
}

Resource wanted(
    const std::string& version,
    const std::string& psid = "MT_0000000008",
    const std::string& digest = kDigest) {
  Map image{{"source", "fw.bin"}};
  if (!digest.empty()) image = {{"source", "fw.bin"}, {"sha256", digest}, {"bytes", 4096}};
  return resource(
      "pve1/firmware/cx5",
      adapter_binding({{"image", std::move(image)}}),
      {{"version", version}, {"psid", psid}});
}

std::string version_of(const NodeFacts& from) {
  return layers(observe_one(kProvider, wanted("16.99.1000"), from), "version");
}

TEST_CASE("flash and what runs are two layers of the version", "[providers]") {
  CHECK(version_of(facts(of("16.35.2000"))) == "16.35.2000 | 16.35.2000 | -");
  CHECK(
      version_of(
          facts(query("FW Version:            16.35.4030\nFW Version(Running):   16.35.2000\n"
                      "PSID:                  MT_0000000008"))) == "16.35.2000 | 16.35.4030 | -");
  // Without the tool the kernel tells what runs, and nothing tells what is in flash.
  CHECK(
      version_of(facts("")) ==
      "16.35.2000 | unknown (the node has neither flint nor mstflint) | -");
}

TEST_CASE("a query that failed or crashed tells nothing of the flash", "[providers]") {
  CHECK(
      version_of(facts(query("Segmentation fault", "139")))
          .find("16.35.2000 | unknown (mstflint of 0000:01:00.0 (exit 139)") == 0);
  CHECK(
      version_of(facts(query("FW Version: 16.35.4030\nPSID: MT_0000000008", "1"))) ==
      "16.35.2000 | unknown (mstflint of 0000:01:00.0 (exit 1): the query failed) | -");
  CHECK(
      version_of(facts("== tool mstflint\n== card 0000:01:00.0\n== status connectx-3\n")) ==
      "16.35.2000 | unknown (the mstflint of this node does not know ConnectX-3; mstflint before "
      "4.26 does) | -");
}

TEST_CASE("while a burn is under way nobody knows what the flash will have", "[providers]") {
  CHECK(
      version_of(facts(of("16.35.2000"), "burning 0000:01:00.0\n")) ==
      "16.35.2000 | unknown (the firmware is being burned now) | -");
  CHECK(
      version_of(facts(of("16.35.2000"), "burning 0000:02:00.0\n")) ==
      "16.35.2000 | 16.35.2000 | -");
}

TEST_CASE("another PSID is an error, and a reading that nothing is done by", "[providers]") {
  Diagnostics diagnostics;
  const Observation observation = observe_one(
      kProvider, wanted("16.35.4030"), facts(of("16.35.2000", "DEL0000000004")), diagnostics);
  REQUIRE(diagnostics.items().size() == 1);
  CHECK(diagnostics.items()[0].rule == "firmware-psid-mismatch");
  CHECK(diagnostics.items()[0].severity == Severity::error);
  CHECK(
      diagnostics.items()[0].message ==
      "pve1: adapter cx5: expected PSID MT_0000000008, card 0000:01:00.0 has DEL0000000004");
  CHECK(diagnostics.items()[0].help.find("another vendor") != std::string::npos);
  CHECK(layers(observation, "psid") == "unknown (the card has PSID DEL0000000004) | - | -");
}

TEST_CASE("an older version is said as such, once it is not in flash yet", "[providers]") {
  const auto warnings = [](const std::string& flash) {
    Diagnostics diagnostics;
    observe_one(kProvider, wanted("16.35.1012"), facts(of(flash)), diagnostics);
    CHECK_FALSE(diagnostics.has_errors());
    return diagnostics.items().size();
  };
  CHECK(warnings("16.35.2000") == 1);
  CHECK(warnings("16.35.1012") == 0);
}

TEST_CASE("secure firmware is not asked for its image, which its maker has", "[providers]") {
  const NodeFacts from = facts(
      query("FW Version: 22.35.2000\nPSID: MT_0000000008\nSecurity Attributes:   secure-fw, dev"));
  const Work work = work_of(kProvider, wanted("22.35.4030"), from);
  REQUIRE(work.actions.size() == 3);
  CHECK(
      work.actions[0].title ==
      "save the settings of cx5 (0000:01:00.0), whose secure firmware 22.35.2000 can't be read "
      "back");
  CHECK(commands_of(work.actions[0]).find("-22.35.2000.query ") != std::string::npos);
  CHECK(
      work.actions[2].irreversible ==
      "a burn is not rolled back, and no copy of the flash can be made: have the maker's image of "
      "22.35.2000 for PSID MT_0000000008 at hand");
}

TEST_CASE("flash is saved, image is brought and checked, then it is burned", "[providers]") {
  const NodeFacts from = facts(of("16.35.2000"));
  const Work work = work_of(kProvider, wanted("16.35.4030"), from);
  REQUIRE(work.actions.size() == 3);
  const ActionDraft& backup = work.actions[0];
  CHECK(backup.kind == "firmware.backup");
  CHECK(
      commands_of(backup).find("fabric-backup 0000:01:00.0 " + std::string{kSaved}) !=
      std::string::npos);

  const ActionDraft& upload = work.actions[1];
  REQUIRE(upload.steps.copies().size() == 1);
  CHECK(
      upload.steps.copies()[0] ==
      remote::step::CopyFile{"fw.bin", kDigest, 4096, kUploaded, 0600, "root:root"});

  const ActionDraft& burn = work.actions[2];
  CHECK(burn.title == "burn firmware 16.35.4030 on cx5 (0000:01:00.0), which has 16.35.2000");
  CHECK(burn.once);
  CHECK(burn.timeout == Duration{600'000});
  CHECK_FALSE(burn.irreversible.empty());
  REQUIRE(burn.steps.commands().size() == 3);
  CHECK(burn.steps.commands()[0][3] == "fabric-check");
  CHECK(burn.steps.commands()[1][3] == "fabric-burn");
  CHECK(burn.steps.commands()[2] == remote::Argv{"rm", "-f", kUploaded});
  CHECK(commands_of(burn).find("psid_change") == std::string::npos);

  const ResourceAddress& address = burn.postconditions.at(0).address;
  CHECK(burn.postconditions[0] == Condition{address, "version", Layer::next_boot, "16.35.4030"});
  // The guards hold before each of them.
  for (const ActionDraft& action : work.actions) {
    REQUIRE(action.preconditions.size() >= 2);
    CHECK(action.preconditions[0] == Condition{address, "psid", Layer::running, "MT_0000000008"});
    CHECK(action.preconditions[1] == Condition{address, "version", Layer::next_boot, "16.35.2000"});
  }
}

TEST_CASE("what the actions leave is what the next one relies on", "[providers]") {
  const std::string files = "upload " + kDigest + " " + kUploaded + "\nbackup " + kSaved + "\n";
  const NodeFacts from = facts(of("16.35.2000"), files);
  const Observation observation = observe_one(kProvider, wanted("16.35.4030"), from);
  CHECK(layers(observation, kUpload) == "- | - | " + kDigest);
  CHECK(layers(observation, kBackup) == "- | - | 16.35.2000");
  const Observation before = observe_one(kProvider, wanted("16.35.4030"), facts(of("16.35.2000")));
  CHECK(layers(before, kUpload) == "- | - | absent");
  CHECK(layers(before, kBackup) == "- | - | absent");
}

TEST_CASE("with the version in flash there is nothing to burn", "[providers]") {
  CHECK(work_of(kProvider, wanted("16.35.2000"), facts(of("16.35.2000"))).actions.empty());
  // Only a boot is missing.
  const NodeFacts pending =
      facts(query("FW Version: 16.35.4030\nFW Version(Running): 16.35.2000\nPSID: MT_0000000008"));
  CHECK(work_of(kProvider, wanted("16.35.4030"), pending).actions.empty());
  CHECK(kProvider.disruption(pending, wanted("16.35.4030"), "version") == Disruption::reboot);
}

TEST_CASE("without an image, or a way to save the settings, nothing is burned", "[providers]") {
  const auto refused = [](const Resource& resource, const NodeFacts& from) {
    const Observation observation = observe_one(kProvider, resource, from);
    const auto work = kProvider.work(
        change_of(kProvider, from, resource, observation), WorkContext{from, observation, false});
    return work ? fmt::format("{} actions", work->actions.size()) : work.error().message;
  };
  Resource no_image = wanted("16.35.4030");
  no_image.binding.erase("image");
  CHECK(
      refused(no_image, facts(of("16.35.2000"))) ==
      "pve1/firmware/cx5: the flash has 16.35.2000, but the document asks for exactly 16.35.4030 "
      "and names no `image` to burn");
  CHECK(refused(wanted("16.35.4030", "MT_0000000008", ""), facts(of("16.35.2000"))) == "0 actions");
  NodeFacts no_tool = facts(of("16.35.2000"));
  no_tool.probes.erase("mlxconfig");
  CHECK(
      refused(wanted("16.35.4030"), no_tool) ==
      "pve1/firmware/cx5: the node has no mlxconfig or mstconfig to save the card's settings");
}

}  // namespace
}  // namespace fabric::providers
