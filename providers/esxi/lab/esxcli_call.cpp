// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/lab/esxcli_call.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab::esxi {

namespace {

// "structure[0].Nic.MTU.integer=1500" (E-esxcli-keyvalue)
void print_keyvalue(
    Process& process,
    const std::string& type,
    const std::vector<Structure>& structures,
    bool is_list) {
  for (std::size_t index = 0; index < structures.size(); ++index) {
    for (const Field& field : structures[index]) {
      const std::string where = is_list ? fmt::format("structure[{}].", index) : "";
      process.out(fmt::format("{}{}.{}.{}={}\n", where, type, field.name, field.type, field.value));
    }
  }
}

// Heading and rows end with a comma (E-esxcli-keyvalue).
void print_csv(Process& process, const std::vector<Structure>& structures) {
  if (structures.empty()) return;
  std::string text;
  for (const Field& field : structures.front())
    text += field.name + ",";
  text += "\n";
  for (const Structure& structure : structures) {
    for (const Field& field : structure) {
      const bool quoted = field.value.find_first_of(",\"") != std::string::npos;
      text += quoted ? "\"" + field.value + "\"," : field.value + ",";
    }
    text += "\n";
  }
  process.out(text);
}

}  // namespace

std::string Call::path() const {
  return join(words, " ");
}

std::string Call::option(const std::string& letter) const {
  const auto found = options.find(letter);
  return found == options.end() ? "" : found->second;
}

Call call_of(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFormatter = "--formatter=";
  Call call;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.starts_with(kFormatter)) {
      call.formatter = word.substr(kFormatter.size());
    } else if (word.starts_with("-") && i + 1 < arguments.size()) {
      call.options[word] = arguments[++i];
    } else {
      call.words.push_back(word);
    }
  }
  return call;
}

int print(
    Process& process,
    const Call& call,
    const std::string& type,
    const std::vector<Structure>& structures,
    bool is_list) {
  if (call.formatter == "keyvalue") {
    print_keyvalue(process, type, structures, is_list);
  } else if (call.formatter == "csv") {
    print_csv(process, structures);
  } else {
    // Tables move between releases, so nothing should read them, and the lab has none.
    for (const Structure& structure : structures) {
      for (const Field& field : structure)
        process.out(fmt::format("   {}: {}\n", field.name, field.value));
    }
  }
  return 0;
}

EsxiMachine& machine_of(Process& process) {
  return static_cast<EsxiMachine&>(process.machine());
}

// The board's own port is vmnic0; those of the cards follow from vmnic2 on.
std::string nic_name(std::size_t card, std::uint32_t port) {
  return fmt::format("vmnic{}", 2 + card * 2 + port - 1);
}

int say(Process& process, std::string_view line) {
  process.out(fmt::format("{}\n", line));
  return 0;
}

int fail(Process& process, std::string_view why) {
  say(process, why);
  return kFailed;
}

}  // namespace fabric::lab::esxi
