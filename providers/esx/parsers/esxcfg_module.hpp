// SPDX-License-Identifier: Apache-2.0
// `esxcfg-module -g MODULE`: the options that the next load of a driver will have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.hpp"
#include "engine/value/value.hpp"

namespace fabric::providers {

struct EsxModuleOption {
  std::string key;
  std::optional<std::string> value;  // nullopt: a word without "="
};

struct EsxModule {
  std::string name;
  bool enabled = false;
  // The whole option string; setting one option replaces all of it.
  std::string options_text;
  std::vector<EsxModuleOption> options;  // in order; the driver takes the last of equal ones
  std::size_t line = 1;
};

// One module a line. Fails with ErrorCode::invalid, "line N: ...", on a line of another shape and
// on a text without any module.
Result<std::vector<EsxModule>> parse_esxcfg_module(std::string_view text);
Value to_value(const std::vector<EsxModule>& modules);

}  // namespace fabric::providers
