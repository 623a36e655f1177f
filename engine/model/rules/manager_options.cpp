// SPDX-License-Identifier: Apache-2.0
// Mode infiniband: options of OpenSM's file that a document may not set, and where it may not.

#include <fmt/format.h>

#include "engine/model/opensm_options.hpp"
#include "engine/model/rules/context.hpp"

namespace fabric::rules {

namespace {

constexpr RuleInfo kManagerOptionRules[] = {
    {"sm-option-refused",
     Severity::error,
     RuleStage::document,
     "`options` of a subnet manager stand in OpenSM's file as they are written. An option that "
     "another key of the document decides can't have a second value. Keys and passwords don't "
     "belong into a document. Paths and plugins would let a document read and run files of the "
     "node.",
     "E-opensm-options: opensm 3.3.23, `opensm -c`; linux-rdma/opensm, opensm/osm_subnet.c",
     "Use the key in the message, or leave the option out."},
};

Diagnostic& refuse(Diagnostics& diagnostics, SourceRange range, std::string message) {
  return diagnostics.error("sm-option-refused", range, std::move(message));
}

void check_name(const std::string& name, SourceRange range, Diagnostics& diagnostics) {
  const OpensmOptionRule rule = opensm_option_rule(name);
  switch (rule.is) {
    case OpensmOptionClass::settable:
      return;
    case OpensmOptionClass::decided:
      refuse(diagnostics, range, fmt::format("the option '{}' is decided by {}", name, rule.by))
          .with_help("remove it from `options`");
      return;
    case OpensmOptionClass::secret:
      refuse(
          diagnostics,
          range,
          fmt::format(
              "the option '{}' is a secret key of the subnet, and a document must not contain it",
              name))
          .with_help(
              "remove it: fabric's OpenSM has the default, as all others of the subnet must");
      return;
    case OpensmOptionClass::path:
      refuse(
          diagnostics,
          range,
          fmt::format("the option '{}' names a file or a folder of the node", name))
          .with_help(
              "remove it: the files of OpenSM are fabric's; it makes those of `roots`, `io` and "
              "`partitions`");
      return;
    case OpensmOptionClass::opens:
      refuse(
          diagnostics,
          range,
          fmt::format("the option '{}' loads code into OpenSM or opens a console to it", name))
          .with_help("remove it: a document starts no program");
      return;
  }
}

// Refuses options that no OpenSM of the document reads.
void check_place(const NetworkSpec& network, SourceRange range, Diagnostics& diagnostics) {
  if (!network.subnet_manager->external.value) return;
  refuse(
      diagnostics,
      range,
      fmt::format(
          "the manager of network {} is external: fabric does not set its options", network.name))
      .with_note(network.subnet_manager->external.range, "it is external here")
      .with_help("remove `options`, or `external`");
}

}  // namespace

RuleRows manager_option_rules() {
  return kManagerOptionRules;
}

void check_manager_options(const Context& context, Diagnostics& diagnostics) {
  for (const auto& [network_name, network] : context.spec().networks) {
    if (!network.subnet_manager || network.subnet_manager->options.empty()) continue;
    const About about{diagnostics, network_name};
    const auto& options = network.subnet_manager->options;
    check_place(network, options.begin()->second.range, diagnostics);
    for (const auto& [name, value] : options) {
      const bool may_be_set = opensm_option_rule(name).is == OpensmOptionClass::settable;
      check_name(name, value.range, diagnostics);
      std::string why = why_no_opensm_value(value.value);
      constexpr std::string_view kLmc = "01234567";  // three bits; of others OpenSM makes 0
      if (name == "lmc" &&
          (value.value.size() != 1 || kLmc.find(value.value) == std::string_view::npos))
        why = "it is a number from 0 to 7";
      if (!may_be_set || why.empty()) continue;
      refuse(
          diagnostics,
          value.range,
          fmt::format("'{}' is no value of the option '{}': {}", value.value, name, why))
          .with_help("write the value as `opensm -c` does, or leave the option out");
    }
  }
}

}  // namespace fabric::rules
