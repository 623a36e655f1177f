// SPDX-License-Identifier: Apache-2.0
// EsxClassicMachine: an ESX host of 2010 for a user of its service console, a Linux system with
// esxupdate, esxcfg-* and vmware-vim-cmd. Its answers follow the evidence beside each of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/spec.hpp"
#include "providers/linux/lab/linux_machine.hpp"

namespace fabric::lab {

namespace esx_classic {

// A bundle's bulletin, or a package of ESX 3.5, as written in its file.
struct Bulletin {
  std::string id, summary;
  std::vector<std::string> modules;  // the modules in it
  std::vector<std::string> needs;    // modules of other bulletins
};
// Parses "id ...", "summary ...", "modules ...", "needs ..."; nullopt: the file has another format.
std::optional<Bulletin> bulletin_of(const std::string& text);

}  // namespace esx_classic

class EsxClassicMachine final : public LinuxMachine {
 public:
  EsxClassicMachine(MachineProfile given, std::uint64_t seed);

  // For each running module: the options that it was loaded with.
  std::map<std::string, std::string> loaded;

  // The value of `KEY = "VALUE"` in esx.conf; "" = there is none.
  std::string configured(const std::string& key) const;
  void configure(const std::string& key, const std::string& value);
  // The installed bulletins in the order of installation.
  std::vector<esx_classic::Bulletin> installed() const;
  void install(const esx_classic::Bulletin& bulletin);
  void remove(const std::string& id);
  // The modules that installed bulletins have brought.
  std::vector<std::string> modules() const;
  bool is_enabled(const std::string& module) const;
  std::string options(const std::string& module) const;
  bool in_maintenance() const;

  std::unique_ptr<SavedState> save() const override;
  void restore(std::unique_ptr<SavedState> saved) override;
  std::string state_text() const override;
  void boot(const Network& network) override;
};

// A freshly installed host with the cards that the document names.
std::unique_ptr<Machine> make_esx_classic_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed);

}  // namespace fabric::lab
