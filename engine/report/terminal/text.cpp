// SPDX-License-Identifier: Apache-2.0
#include "engine/report/terminal/text.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace fabric::report {

Text compose_text(std::string_view format, std::span<const Argument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const Argument& argument : arguments)
    std::visit([&store](const auto& value) { store.push_back(value); }, argument.value());
  return Text::made(fmt::vformat(fmt::string_view{format.data(), format.size()}, store));
}

}  // namespace fabric::report
