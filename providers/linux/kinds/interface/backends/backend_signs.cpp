// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"

#include "engine/base/text.hpp"
#include "engine/provider/file_digests.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kBackendProbe = "network-backends";
constexpr std::string_view kFilesProbe = "network-files";

void read_sign(Signs& signs, const std::vector<std::string_view>& words) {
  const std::string subject{words[1]};
  if (words[0] == "file") signs.files.insert(subject);
  if (words[0] == "tool") signs.tools.insert(subject);
  if (words[0] == "unit" && words.size() == 3 && words[2] == "active")
    signs.active_units.insert(subject);
  if (words[0] == "networkctl" && words.size() >= 6)
    signs.networkd[std::string{words[2]}] = std::string{words[5]};
  if (words[0] == "nmcli") {
    const std::vector<std::string_view> parts = split(words[1], ':');
    if (parts.size() >= 2) signs.networkmanager[std::string{parts[0]}] = std::string{parts[1]};
  }
}

Signs read_signs(std::string_view output) {
  Signs signs;
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() >= 2) read_sign(signs, words);
  }
  return signs;
}

}  // namespace

std::vector<Probe> backend_probes() {
  return {
      {std::string{kBackendProbe}, std::string{sh::probe_network_backends.text}},
      {std::string{kFilesProbe}, std::string{sh::probe_network_files.text}},
      file_digests_probe()};
}

Probe file_digests_probe() {
  return {std::string{kFileDigestsProbe}, std::string{sh::probe_file_digests.text}};
}

const FileTexts& network_files(const NodeFacts& facts) {
  return probed_files(facts, kFilesProbe);
}

bool has_signs(const NodeFacts& facts) {
  return facts.output(kBackendProbe) != nullptr;
}

const Signs& signs_of(const NodeFacts& facts) {
  return facts.parsed_or_none(kBackendProbe, read_signs);
}

}  // namespace fabric::providers
