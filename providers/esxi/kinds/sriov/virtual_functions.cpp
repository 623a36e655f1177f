// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esxi/kinds/sh/scripts.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kVirtualFunctionsProbe = "esxi-virtual-functions";
constexpr std::string_view kNic = "== nic ";

}  // namespace

// Recognised by name, not by column: "structure[0].Nic.Name.string=vmnic0".
Probe virtual_functions_probe() {
  return {kVirtualFunctionsProbe, std::string{sh::probe_esxi_virtual_functions.text}};
}

Result<std::map<std::string, std::string>> virtual_functions_said(const NodeFacts& facts) {
  const std::string_view output = FABRIC_TRY(answer(facts, kVirtualFunctionsProbe));
  std::map<std::string, std::string> said;
  std::string* current = nullptr;
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(kNic)) {
      current = &said[std::string{trim(line.substr(kNic.size()))}];
    } else if (current != nullptr) {
      *current += std::string{line} + "\n";
    }
  }
  return said;
}

Result<std::set<std::string>> owners_of_functions(const NodeFacts& facts) {
  const auto said = FABRIC_TRY(virtual_functions_said(facts));
  std::set<std::string> owners;
  for (const auto& [nic, text] : said) {
    const auto functions = parse_esxcli_vf_list(text);
    if (!functions) return with_context(functions.error(), nic);
    for (const EsxVirtualFunction& function : *functions) {
      if (!function.owner.empty()) owners.insert(function.owner);
    }
  }
  return owners;
}

}  // namespace fabric::providers::esxi
