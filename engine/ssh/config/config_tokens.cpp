// SPDX-License-Identifier: Apache-2.0
// Tokens and environment variables in values of the config.
#include <cstdlib>

#include <fmt/format.h>

#include "engine/ssh/config/config.hpp"

namespace fabric::ssh {
namespace {

Result<std::string> token(char letter, const Tokens& tokens) {
  switch (letter) {
    case '%':
      return std::string{"%"};
    case 'd':
      return tokens.home;
    case 'h':
      return tokens.host;
    case 'n':
      return tokens.original;
    case 'p':
      return std::to_string(tokens.port);
    case 'r':
      return tokens.user;
    case 'u':
      return tokens.local_user;
    default:
      return Error{ErrorCode::invalid, fmt::format("the token %{} is not supported", letter)};
  }
}

}  // namespace

Result<std::string> expand_tokens(std::string_view text, const Tokens& tokens) {
  std::string result;
  const std::string with_home = expand_home(text, tokens.home);
  for (std::size_t i = 0; i < with_home.size(); ++i) {
    const std::string_view rest = std::string_view{with_home}.substr(i);
    if (rest.front() == '%' && rest.size() > 1) {
      result += FABRIC_TRY(token(rest[1], tokens));
      ++i;
    } else if (rest.substr(0, 2) == "${" && rest.find('}') != std::string_view::npos) {
      const std::string name{rest.substr(2, rest.find('}') - 2)};
      const char* value = std::getenv(name.c_str());
      if (value == nullptr) {
        return Error{ErrorCode::invalid, fmt::format("the variable {} is not set", name)};
      }
      result += value;
      i += name.size() + 2;
    } else {
      result += rest.front();
    }
  }
  return result;
}

}  // namespace fabric::ssh
