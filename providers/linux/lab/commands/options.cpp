// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/options.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::lab::commands {
namespace {

class OptionReader {
 public:
  OptionReader(Process& process, const OptionSyntax& syntax) : process_{process}, syntax_{syntax} {}

  std::optional<Options> read() {
    const std::vector<std::string>& words = process_.arguments;
    for (at_ = 1; at_ < words.size(); ++at_) {
      const std::string& word = words[at_];
      if (word == "--") {
        result_.operands.insert(
            result_.operands.end(),
            words.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
            words.end());
        break;
      }
      const bool option = word.size() > 1 && word[0] == '-';
      if (!option) {
        if (syntax_.stop_at_operand) {
          result_.operands.assign(words.begin() + static_cast<std::ptrdiff_t>(at_), words.end());
          break;
        }
        result_.operands.push_back(word);
      } else if (!(word[1] == '-' ? long_option(word.substr(2)) : short_options(word))) {
        return std::nullopt;
      }
    }
    return std::move(result_);
  }

 private:
  static bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  bool long_option(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (contains(syntax_.long_flags, name) && equals == std::string::npos) {
      result_.given[name].emplace_back();
      return true;
    }
    if (!contains(syntax_.long_valued, name)) {
      process_.fail(1, fmt::format("unrecognized option '--{}'", name));
      return false;
    }
    if (equals != std::string::npos) {
      result_.given[name].push_back(text.substr(equals + 1));
      return true;
    }
    if (at_ + 1 >= process_.arguments.size()) {
      process_.fail(1, fmt::format("option '--{}' requires an argument", name));
      return false;
    }
    result_.given[name].push_back(process_.arguments[++at_]);
    return true;
  }

  bool short_options(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name(1, word[i]);
      if (syntax_.flags.find(word[i]) != std::string_view::npos) {
        result_.given[name].emplace_back();
        continue;
      }
      if (syntax_.valued.find(word[i]) == std::string_view::npos) {
        process_.fail(1, fmt::format("invalid option -- '{}'", name));
        return false;
      }
      if (i + 1 < word.size()) {
        result_.given[name].push_back(word.substr(i + 1));
        return true;
      }
      if (at_ + 1 >= process_.arguments.size()) {
        process_.fail(1, fmt::format("option requires an argument -- '{}'", name));
        return false;
      }
      result_.given[name].push_back(process_.arguments[++at_]);
    }
    return true;
  }

  Process& process_;
  const OptionSyntax& syntax_;
  Options result_;
  std::size_t at_ = 1;
};

}  // namespace

std::string Options::value(const std::string& name, const std::string& otherwise) const {
  const auto found = given.find(name);
  return found == given.end() || found->second.empty() ? otherwise : found->second.back();
}

std::optional<Options> parse_options(Process& process, const OptionSyntax& syntax) {
  return OptionReader{process, syntax}.read();
}

}  // namespace fabric::lab::commands
