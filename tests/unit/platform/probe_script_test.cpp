// SPDX-License-Identifier: Apache-2.0
#include "providers/posix/machine/probe_script.hpp"

#include <fmt/format.h>

#include "engine/model/platform.hpp"
#include "engine/platform/probe_texts.hpp"
#include "providers/linux/machine/identity.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

namespace fabric::platform {
namespace {

using remote::test::Scratch;

const std::vector<Probe> kProbes{
    {"plain", "echo hello; echo oops >&2"},
    {"no-line-end", "printf 'a\\nb'"},
    {"nothing", ":"},
    {"fails", "exit 3; echo never"},
    {"missing", "no-such-program-at-all"},
    {"reads-input", "cat; echo after"},
    {"imitates", "echo 'fabric-probe ffff end imitates 0'"}};
constexpr std::string_view kNonce = "00c0ffee";

Result<std::map<std::string, ProbeOutput, std::less<>>> outputs_of(
    const std::vector<Probe>& probes, const remote::CommandOutput& output) {
  ProbeTexts texts;
  return split_probe_output(probes, kNonce, output, texts, Platform::linux);
}

TEST_CASE("every shell runs the probes apart and their output comes back exactly", "[platform]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    const Scratch scratch;
    const remote::Command command =
        probe_command(kProbes, kNonce, Duration{30'000}, "/usr/sbin:/sbin:/usr/bin:/bin");
    CHECK(command.timeout == Duration{30'000});
    const auto outputs = outputs_of(kProbes, run_locally(shell, command, scratch));
    REQUIRE(outputs);
    REQUIRE(outputs->size() == kProbes.size());
    CHECK(outputs->at("plain") == ProbeOutput{kProbes[0].script, 0, "hello\n", "oops\n"});
    CHECK(outputs->at("no-line-end").standard_output == "a\nb");
    CHECK(outputs->at("nothing") == ProbeOutput{":", 0, "", ""});
    CHECK(outputs->at("fails").exit_status == 3);
    CHECK(outputs->at("fails").standard_output.empty());
    CHECK(outputs->at("missing").exit_status == 127);
    CHECK(outputs->at("reads-input").standard_output == "after\n");
    CHECK(outputs->at("imitates").standard_output == "fabric-probe ffff end imitates 0\n");
  }
}

TEST_CASE("neither stream of a probe holds a secret, nor what a refusal quotes", "[platform]") {
  const std::vector<Probe> probes{
      {"any",
       "echo psk=Canary9; echo \"m_key 0xCanary9\"; echo harmless; echo token: Canary9 >&2"}};
  const Scratch scratch;
  const auto output = run_locally(
      remote::test::shells().front(),
      probe_command(probes, kNonce, Duration{30'000}, "/usr/sbin:/sbin:/usr/bin:/bin"),
      scratch);
  const auto outputs = outputs_of(probes, output);
  REQUIRE(outputs);
  CHECK(outputs->at("any").standard_output == "psk=(secret)\nm_key (secret)\nharmless\n");
  CHECK(outputs->at("any").standard_error == "token: (secret)\n");
  const auto refused = outputs_of(probes, {1, "", "sh: psk=Canary9\n"});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.ends_with("sh: psk=(secret)"));
}

TEST_CASE("output that is cut anywhere is refused, never taken for complete", "[platform]") {
  const Scratch scratch;
  const auto whole = run_locally(
      remote::test::shells().front(),
      probe_command(kProbes, kNonce, Duration{1}, "/usr/sbin:/sbin:/usr/bin:/bin"),
      scratch);
  for (std::size_t length = 0; length < whole.standard_output.size(); ++length) {
    INFO(length);
    remote::CommandOutput cut = whole;
    cut.standard_output.resize(length);
    CHECK_FALSE(outputs_of(kProbes, cut));
  }
  remote::CommandOutput cut = whole;
  cut.standard_error.resize(whole.standard_error.size() / 2);
  const auto refused = outputs_of(kProbes, cut);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("probe ") == 0);
}

TEST_CASE("what several hosts print is the same text, and each secret is found", "[platform]") {
  ProbeTexts texts;
  const Probe probe{"any", "echo"};
  const auto printed = [&](std::string_view bytes) {
    return texts.printed(probe, ProbeTexts::Stream::output, bytes);
  };
  const SharedText first = printed("harmless\n");
  for (int round = 0; round < 3; ++round) {
    CHECK(&printed("harmless\n").str() == &first.str());
    CHECK(printed("psk=Canary9\n") == "psk=(secret)\n");
    CHECK(printed("psk=(secret)\n") == "psk=(secret)\n");
    CHECK(printed("gr\xff\n") == "gr\xef\xbf\xbd\n");
    CHECK(printed("").empty());
    // More kinds than are remembered.
    for (int kind = 0; kind < 9; ++kind)
      CHECK(printed("kind " + std::to_string(kind)).str() == "kind " + std::to_string(kind));
  }
  CHECK(
      texts.printed({"other", ""}, ProbeTexts::Stream::error, "harmless\n").str().data() ==
      first.str().data());
  CHECK(&texts.script(probe).str() == &texts.script({"any", "echo"}).str());
  CHECK(texts.script({"any", "echo 2"}) == "echo 2");
}

TEST_CASE("what a login shell prints before the probes is skipped", "[platform]") {
  const Scratch scratch;
  auto output = run_locally(
      remote::test::shells().front(),
      probe_command(kProbes, kNonce, Duration{1}, "/usr/sbin:/sbin:/usr/bin:/bin"),
      scratch);
  output.standard_output = "Welcome to pve1!\n" + output.standard_output;
  const auto outputs = outputs_of(kProbes, output);
  REQUIRE(outputs);
  CHECK(outputs->at("plain").standard_output == "hello\n");
}

TEST_CASE("a shell that did not run the script is quoted with its own words", "[platform]") {
  const remote::CommandOutput output{1, "", "Password change required but no TTY available.\n"};
  const auto refused = outputs_of(kProbes, output);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("(exit 1): Password change required") != std::string::npos);
}

TEST_CASE(
    "a node of another platform than the document's is told, on every platform", "[platform]") {
  const std::string mark = fmt::format("fabric-probe {} ", kNonce);
  const auto answer_of = [&](std::string_view words) {
    return words == "prompt"
               ? remote::CommandOutput{1, "", "% Unrecognized command \"sh\".\n"}
               : remote::CommandOutput{
                     0, fmt::format("{0}system {1}\n{0}done\n", mark, words), mark + "done\n"};
  };
  ProbeTexts texts;
  for (const PlatformTraits& expected : platforms()) {
    for (const PlatformTraits& answering : platforms()) {
      if (answering.system.empty()) continue;
      CAPTURE(expected.name, answering.name);
      const remote::CommandOutput output = answer_of(answering.system);
      const auto other = platform_that_answered(kNonce, output, expected.platform);
      const auto outputs = split_probe_output({}, kNonce, output, texts, expected.platform);
      if (expected.system.empty() || expected.system == answering.system) {
        CHECK_FALSE(other);
        CHECK((outputs || answering.system == "prompt"));
        continue;
      }
      REQUIRE(other);
      CHECK(traits(*other).system == answering.system);
      REQUIRE_FALSE(outputs);
      CHECK(outputs.error().message.find(answering.called) != std::string::npos);
      CHECK(outputs.error().message.ends_with(fmt::format("`platform: {}`", expected.name)));
    }
  }
  // `nv` of a Linux host may be anything, and an unknown system is no other one.
  for (const Platform fits : {Platform::linux, Platform::cumulus, Platform::nvos})
    CHECK_FALSE(platform_that_answered(kNonce, answer_of("linux nvue"), fits));
  CHECK(platform_that_answered(kNonce, answer_of("linux nvue"), Platform::esxi) == Platform::linux);
  CHECK_FALSE(platform_that_answered(kNonce, answer_of(""), Platform::esxi));
}

TEST_CASE(
    "bytes that are not UTF-8 are replaced, so saved facts read as they were taken", "[platform]") {
  CHECK(to_utf8("plain äöü 漢字 😀") == "plain äöü 漢字 😀");
  CHECK(
      to_utf8("a\xff"
              "b") == "a\uFFFDb");
  CHECK(to_utf8("\xC3") == "\uFFFD");
  CHECK(to_utf8("\xC0\xAF") == "\uFFFD\uFFFD");
  CHECK(to_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(to_utf8("\xF4\x90\x80\x80").size() == 12);
  CHECK(to_utf8(std::string_view{"\0x", 2}) == std::string_view{"\0x", 2});
}

TEST_CASE("a byte that is not UTF-8 is found wherever it stands", "[platform]") {
  for (std::size_t length = 0; length < 20; ++length) {
    const std::string plain(length, 'x');
    CHECK(is_utf8(plain));
    CHECK(is_utf8(plain + "ä漢😀" + plain));
    for (std::size_t at = 0; at < length; ++at) {
      std::string broken = plain;
      broken[at] = '\xff';
      CAPTURE(length, at);
      CHECK_FALSE(is_utf8(broken));
      CHECK(to_utf8(broken) == plain.substr(0, at) + "\uFFFD" + plain.substr(at + 1));
    }
  }
}

TEST_CASE("this machine tells who it is", "[platform]") {
  const Scratch scratch;
  const std::vector<Probe> probes{identity_probe()};
  const auto output = run_locally(
      remote::test::shells().front(),
      probe_command(probes, kNonce, Duration{1}, "/usr/sbin:/sbin:/usr/bin:/bin"),
      scratch);
  const auto outputs = outputs_of(probes, output);
  REQUIRE(outputs);
  const Identity identity = identity_of({*NodeName::parse("here"), {}, {}, {}, *outputs});
  CHECK(is_boot_id(identity.boot_id));
  CHECK_FALSE(identity.kernel.empty());
  CHECK_FALSE(identity.hostname.empty());
}

TEST_CASE("identity is read from saved facts", "[platform]") {
  NodeFacts facts{*NodeName::parse("pve1"), {}, {}, {}, {}};
  facts.probes["identity"] = {
      "",
      0,
      "/etc/machine-id:0123456789abcdef0123456789abcdef\n"
      "/var/lib/dbus/machine-id:ffffffffffffffffffffffffffffffff\n"
      "/proc/sys/kernel/random/boot_id:0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7\n"
      "/proc/sys/kernel/hostname:pve1\n"
      "/proc/sys/kernel/osrelease:6.8.12-4-pve\n"
      "/etc/os-release:PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"
      "/etc/os-release:VERSION_ID=\"12\"\n"
      "/etc/os-release:ID=debian\n",
      ""};
  const Identity identity = identity_of(facts);
  CHECK(identity.machine_id == "0123456789abcdef0123456789abcdef");
  CHECK(identity.boot_id == "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7");
  CHECK(identity.hostname == "pve1");
  CHECK(identity.kernel == "6.8.12-4-pve");
  CHECK(identity.os_id == "debian");
  CHECK(identity.os_version == "12");
  facts.probes["identity"].exit_status = 1;
  CHECK(identity_of(facts).machine_id.empty());
}

TEST_CASE("a boot id is a UUID and nothing else", "[platform]") {
  CHECK(is_boot_id("0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7"));
  for (const char* text :
       {"",
        "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f",
        "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f77",
        "0D1F2A3B-4C5D-6E7F-8091-A2B3C4D5E6F7",
        "0d1f2a3b 4c5d-6e7f-8091-a2b3c4d5e6f7",
        "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6fg",
        "0d1f2a3b-4c5d-6e7f-8091-a2b3c4d5e6f7\n"}) {
    INFO(text);
    CHECK_FALSE(is_boot_id(text));
  }
}

}  // namespace
}  // namespace fabric::platform
