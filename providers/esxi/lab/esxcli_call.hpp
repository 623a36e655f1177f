// SPDX-License-Identifier: Apache-2.0
// The arguments and the output of esxcli, for every command.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::esxi {

inline constexpr int kFailed = 1;

// One field of a structure, by the name that the formatters print.
struct Field {
  std::string name;
  std::string type;  // "string", "integer", "boolean"
  std::string value;
};
using Structure = std::vector<Field>;  // in ASCII order of names

// One call of esxcli: its words, its formatter, and its options by letter ("-m").
struct Call {
  std::vector<std::string> words;
  std::string formatter;
  std::map<std::string, std::string> options;
  std::string path() const;
  std::string option(const std::string& letter) const;  // "" = not given
};
Call call_of(const std::vector<std::string>& arguments);

int print(
    Process& process,
    const Call& call,
    const std::string& type,
    const std::vector<Structure>& structures,
    bool is_list = true);
int say(Process& process, std::string_view line);
// Prints an error of esxcli on standard output (E-esxcli-errors). Returns the exit status.
int fail(Process& process, std::string_view why);

EsxiMachine& machine_of(Process& process);
// The board's own port is vmnic0; the cards' ports follow from vmnic2 on.
std::string nic_name(std::size_t card, std::uint32_t port);

using Command = std::function<int(Process&, const Call&)>;
// Commands that change a host (esxcli_changes.cpp), by their words.
const std::map<std::string, Command, std::less<>>& changing_commands();
// Commands about virtual switches and machines (esxcli_network.cpp).
const std::map<std::string, Command, std::less<>>& network_commands();

}  // namespace fabric::lab::esxi
