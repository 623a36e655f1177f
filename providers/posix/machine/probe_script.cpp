// SPDX-License-Identifier: Apache-2.0
#include "providers/posix/machine/probe_script.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "providers/posix/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

// Every mark is a line of its own: "fabric-probe NONCE begin pci", "... end pci 0", "... done". The
// nonce is an argument of the script: the same probes are the same script in every run.
std::string mark(std::string_view nonce, std::string_view what, std::string_view of = {}) {
  std::string text{"fabric-probe "};
  for (const std::string_view part : {nonce, std::string_view{" "}, what, of})
    text += part;
  return text;
}

Error torn(std::string_view probe, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("probe {}: its output is cut short: {}", probe, what)};
}

// Cuts sections off the front of one stream, in the order of the script. Anything before a
// section's mark was printed by the node's login shell, not by us.
class Sections {
 public:
  Sections(std::string_view text, std::string_view nonce)
      : rest_{text},
        begins_{mark(nonce, "begin ")},
        ends_{"\n" + mark(nonce, "end ")},
        done_{mark(nonce, "done") + "\n"} {}

  struct Section {
    std::string_view content;
    std::string_view status;
  };

  Result<Section> next(const std::string& probe) {
    const std::size_t start = behind(begins_, probe, '\n');
    if (start == kNowhere) return torn(probe, "it has no beginning");
    rest_.remove_prefix(start);
    // The line end before the mark is the script's, so that content without one is kept as it is.
    const std::size_t stop = behind(ends_, probe, ' ');
    if (stop == kNowhere) return torn(probe, "it has no end");
    Section section{rest_.substr(0, stop - searched_.size()), {}};
    rest_.remove_prefix(stop);
    const std::size_t line_end = rest_.find('\n');
    if (line_end == std::string_view::npos) return torn(probe, "its end has no status");
    section.status = rest_.substr(0, line_end);
    rest_.remove_prefix(line_end + 1);
    return section;
  }

  bool at_done() const { return rest_.find(done_) != kNowhere; }

 private:
  static constexpr std::size_t kNowhere = std::string_view::npos;

  // The position after the mark in the rest of the output (searched_).
  std::size_t behind(std::string_view mark, std::string_view probe, char closing) {
    searched_ = mark;
    searched_ += probe;
    searched_ += closing;
    // find() would stop at every line end for a text that begins with one.
    const void* const found =
        memmem(rest_.data(), rest_.size(), searched_.data(), searched_.size());
    if (found == nullptr) return kNowhere;
    return static_cast<std::size_t>(static_cast<const char*>(found) - rest_.data()) +
           searched_.size();
  }

  std::string_view rest_;
  std::string begins_, ends_, done_;
  std::string searched_;
};

// The answer of MLNX-OS and Onyx to a command without a prompt (E-onyx-exec).
bool is_prompt(std::string_view said) {
  return said.starts_with("UNIX shell commands cannot be executed") ||
         said.starts_with("% Unrecognized command");
}

std::string last_said(const remote::CommandOutput& output) {
  std::string said = last_line(output.standard_error);
  return said.empty() ? last_line(output.standard_output) : said;
}

bool has_run(std::string_view nonce, const remote::CommandOutput& output) {
  return output.standard_output.find(mark(nonce, "")) != std::string::npos;
}

// The words of the systems that may have answered (probes.sh), or "prompt". Empty where none shows
// itself.
std::string_view systems(std::string_view nonce, const remote::CommandOutput& output) {
  if (!has_run(nonce, output)) return is_prompt(last_said(output)) ? "prompt" : "";
  const std::string begin = mark(nonce, "system ");
  const std::size_t at = output.standard_output.find(begin);
  if (at == std::string::npos) return {};
  const std::string_view words = std::string_view{output.standard_output}.substr(at + begin.size());
  return words.substr(0, words.find('\n'));
}

// Empty where the answer fits `expected`, and where nothing shows which one it is.
std::vector<const PlatformTraits*> other_platforms(
    std::string_view nonce, const remote::CommandOutput& output, Platform expected) {
  std::vector<const PlatformTraits*> others;
  if (traits(expected).system.empty()) return others;
  const std::vector<std::string_view> words = split_words(systems(nonce, output));
  for (const PlatformTraits& each : platforms()) {
    if (std::find(words.begin(), words.end(), each.system) == words.end()) continue;
    if (each.system == traits(expected).system) return {};
    others.push_back(&each);
  }
  return others;
}

// A shell that never got to the script (no `sh`, a forced command, a password that expired).
std::optional<Error> not_run(std::string_view nonce, const remote::CommandOutput& output) {
  if (has_run(nonce, output)) return std::nullopt;
  const std::string said = last_said(output);
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the node's shell did not run the probes (exit {}){}",
          output.exit_status,
          said.empty() ? "" : ": " + without_secrets(to_utf8(said)))};
}

}  // namespace

remote::Command probe_command(
    std::span<const Probe> probes,
    std::string_view nonce,
    Duration timeout,
    std::string_view folders) {
  // Reserves memory at once: the text of each node has tens of kilobytes.
  constexpr std::size_t kAround = 256;
  std::size_t bytes = sh::probes.text.size() + kAround;
  for (const Probe& probe : probes)
    bytes += probe.script.size() + kAround;
  std::string script;
  script.reserve(bytes);
  script += sh::probes.text;
  const std::string begin = "mark \"" + mark("$nonce", "begin ");
  // Standard input is this very script: a tool must not read from it.
  const std::string end = "\n) </dev/null\nfinish \"" + mark("$nonce", "end ");
  for (const Probe& probe : probes) {
    FABRIC_CHECK(
        probe.id.find_first_of(" \n'\"$") == std::string::npos, "a probe's id is one plain word");
    for (const std::string_view part :
         {std::string_view{begin},
          std::string_view{probe.id},
          std::string_view{"\"\n(\n"},
          std::string_view{probe.script},
          std::string_view{end},
          std::string_view{probe.id},
          std::string_view{" $?\"\n"}})
      script += part;
  }
  script += fmt::format("mark \"{}\"\n", mark("$nonce", "done"));
  return remote::Command{{"sh", "-s", folders, nonce}, std::move(script), timeout};
}

Result<std::map<std::string, ProbeOutput, std::less<>>> split_probe_output(
    std::span<const Probe> probes,
    std::string_view nonce,
    const remote::CommandOutput& output,
    ProbeTexts& texts,
    Platform expected) {
  std::string others;
  for (const PlatformTraits* each : other_platforms(nonce, output, expected))
    others += fmt::format("{}{}", others.empty() ? "" : " or ", each->called);
  if (!others.empty()) {
    return Error{
        ErrorCode::invalid,
        fmt::format("it answers as {}, not as `platform: {}`", others, to_string(expected))};
  }
  if (std::optional<Error> failure = not_run(nonce, output)) return *std::move(failure);
  Sections standard_output{output.standard_output, nonce};
  Sections standard_error{output.standard_error, nonce};
  std::map<std::string, ProbeOutput, std::less<>> outputs;
  for (const Probe& probe : probes) {
    const Sections::Section printed = FABRIC_TRY(standard_output.next(probe.id));
    const Sections::Section complained = FABRIC_TRY(standard_error.next(probe.id));
    const std::optional<std::uint64_t> status = parse_unsigned(printed.status, 10);
    if (!status || *status > 255 || printed.status != complained.status) {
      return torn(probe.id, "its end has no status");
    }
    outputs[probe.id] = {
        texts.script(probe),
        static_cast<int>(*status),
        texts.printed(probe, ProbeTexts::Stream::output, printed.content),
        texts.printed(probe, ProbeTexts::Stream::error, complained.content)};
  }
  if (!standard_output.at_done() || !standard_error.at_done()) {
    return Error{
        ErrorCode::invalid, "the output of the probes is cut short: the end mark is missing"};
  }
  return outputs;
}

std::optional<Platform> platform_that_answered(
    std::string_view nonce, const remote::CommandOutput& output, Platform expected) {
  const auto others = other_platforms(nonce, output, expected);
  return others.empty() ? std::nullopt : std::optional{others.front()->platform};
}

}  // namespace fabric::platform
