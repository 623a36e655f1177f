// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/lab/esx_classic_machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "providers/esx_classic/lab/esx_classic_programs.hpp"
#include "providers/linux/lab/build_linux.hpp"
#include "providers/linux/lab/system/base_system.hpp"

namespace fabric::lab {
namespace {

constexpr const char* kConfiguration = "/etc/vmware/esx.conf";
constexpr const char* kBulletins = "/etc/vmware/esxupdate";  // one file for each that is installed
constexpr const char* kRelease = "/etc/vmware-release";
constexpr std::string_view kDriver = "mlx4_en";

struct SavedClassic final : SavedState {
  SavedClassic(std::unique_ptr<SavedState> saved, std::map<std::string, std::string> kept)
      : system{std::move(saved)}, loaded{std::move(kept)} {}
  std::unique_ptr<SavedState> system;
  std::map<std::string, std::string> loaded;
};

std::string module_key(const std::string& module, const char* what) {
  return fmt::format("/vmkernel/module/{}.o/{}", module, what);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(text))
    words.emplace_back(word);
  return words;
}

// The value of a word "KEY=VALUE" of an option string; "" = there is none.
std::string option(const std::string& options, std::string_view key) {
  for (const std::string_view word : split_words(std::string_view{options})) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && word.substr(0, equals) == key)
      return std::string{word.substr(equals + 1)};
  }
  return "";
}

// Written as a program of the host does, so that an unsynced file may be lost.
void write(EsxClassicMachine& machine, const std::string& path, const std::string& text) {
  InodeNumber number = 0;
  FileTree& files = machine.state.files;
  constexpr std::uint32_t kMode = 0644;
  if (files.open_for_write(path, "root", kMode, FileTree::Open::truncate, number) ==
      FileError::none)
    files.append(number, text);
}

// Sets the port types by the driver's options: a card that can't have a type gets one that it can
// (E-esx-port-types).
void set_port_types(Card& card, const std::string& options) {
  const std::uint64_t bus = parse_unsigned(card.pci.substr(5, 2), 16).value_or(0);
  const std::string types = option(options, "port_types");
  const std::vector<std::string_view> numbers = split(std::string_view{types}, ',');
  for (CardPort& port : card.ports) {
    std::string type = option(options, "port_type_default");
    for (std::size_t at = 0; at + 2 < numbers.size(); at += 3) {
      if (parse_unsigned(numbers[at], 10) == bus &&
          parse_unsigned(numbers[at + 1], 10) == port.number)
        type = numbers[at + 2];
    }
    const bool ethernet = type == "2" && card.hardware.ethernet;
    port.link_type =
        ethernet || !card.hardware.infiniband ? LinkType::ethernet : LinkType::infiniband;
  }
}

}  // namespace

namespace esx_classic {

std::optional<Bulletin> bulletin_of(const std::string& text) {
  Bulletin bulletin;
  for (const std::string_view line : split_lines(std::string_view{text})) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, blank);
    const std::string_view rest = trim(line.substr(blank));
    if (word == "id") bulletin.id = rest;
    if (word == "summary") bulletin.summary = rest;
    if (word == "modules") bulletin.modules = words_of(rest);
    if (word == "needs") bulletin.needs = words_of(rest);
  }
  return bulletin.id.empty() ? std::nullopt : std::optional{std::move(bulletin)};
}

}  // namespace esx_classic

EsxClassicMachine::EsxClassicMachine(MachineProfile given, std::uint64_t seed)
    : LinuxMachine{std::move(given), seed, esx_classic_programs()} {}

std::string EsxClassicMachine::configured(const std::string& key) const {
  const std::string prefix = key + " = \"";
  const std::string text = read_file(kConfiguration).value_or("");
  for (const std::string_view line : split_lines(std::string_view{text})) {
    if (line.starts_with(prefix) && line.ends_with('"') && line.size() > prefix.size())
      return std::string{line.substr(prefix.size(), line.size() - prefix.size() - 1)};
  }
  return "";
}

void EsxClassicMachine::configure(const std::string& key, const std::string& value) {
  const std::string text = read_file(kConfiguration).value_or("");
  std::string changed;
  for (const std::string_view line : split_lines(std::string_view{text})) {
    if (!line.starts_with(key + " = ")) changed += std::string{line} + "\n";
  }
  if (!value.empty()) changed += fmt::format("{} = \"{}\"\n", key, value);
  if (changed == text) return;
  write(*this, kConfiguration, changed);
}

std::vector<esx_classic::Bulletin> EsxClassicMachine::installed() const {
  std::vector<esx_classic::Bulletin> bulletins;
  for (const std::string& name : state.files.list(kBulletins)) {
    auto bulletin =
        esx_classic::bulletin_of(read_file(fmt::format("{}/{}", kBulletins, name)).value_or(""));
    if (bulletin) bulletins.push_back(*std::move(bulletin));
  }
  return bulletins;
}

// A driver that comes is enabled (guide, 4.4.2.1).
void EsxClassicMachine::install(const esx_classic::Bulletin& bulletin) {
  std::string text = fmt::format("id {}\nsummary {}\n", bulletin.id, bulletin.summary);
  text += fmt::format("modules {}\n", fmt::join(bulletin.modules, " "));
  text += fmt::format("needs {}\n", fmt::join(bulletin.needs, " "));
  write(*this, fmt::format("{}/{}", kBulletins, bulletin.id), text);
  for (const std::string& module : bulletin.modules)
    configure(module_key(module, "enabled"), "true");
}

void EsxClassicMachine::remove(const std::string& id) {
  state.files.remove(fmt::format("{}/{}", kBulletins, id), "root");
}

std::vector<std::string> EsxClassicMachine::modules() const {
  std::vector<std::string> modules;
  for (const esx_classic::Bulletin& bulletin : installed())
    modules.insert(modules.end(), bulletin.modules.begin(), bulletin.modules.end());
  return modules;
}

bool EsxClassicMachine::is_enabled(const std::string& module) const {
  return configured(module_key(module, "enabled")) == "true";
}

std::string EsxClassicMachine::options(const std::string& module) const {
  return configured(module_key(module, "options"));
}

bool EsxClassicMachine::in_maintenance() const {
  return configured("/system/maintenance") == "true";
}

std::unique_ptr<SavedState> EsxClassicMachine::save() const {
  return std::make_unique<SavedClassic>(LinuxMachine::save(), loaded);
}

void EsxClassicMachine::restore(std::unique_ptr<SavedState> saved) {
  auto* mine = dynamic_cast<SavedClassic*>(saved.get());
  FABRIC_CHECK(mine != nullptr, "what is restored was saved by this machine");
  loaded = std::move(mine->loaded);
  LinuxMachine::restore(std::move(mine->system));
}

std::string EsxClassicMachine::state_text() const {
  std::string text = LinuxMachine::state_text();
  for (const auto& [module, options] : loaded)
    text += fmt::format("loaded {} {}\n", module, options);
  return text;
}

// Without the driver of the cards, or what lies between, nothing above it loads (guide, 4.2.1).
void EsxClassicMachine::boot(const Network& network) {
  LinuxMachine::boot(network);
  const std::vector<std::string> there = modules();
  const auto may_load = [&](const std::string& module) {
    return std::find(there.begin(), there.end(), module) != there.end() && is_enabled(module);
  };
  loaded.clear();
  for (const esx_classic::Bulletin& bulletin : installed()) {
    const bool needs_met = std::all_of(bulletin.needs.begin(), bulletin.needs.end(), may_load);
    for (const std::string& module : bulletin.modules) {
      if (needs_met && may_load(module)) loaded[module] = options(module);
    }
  }
  const auto driver = loaded.find(std::string{kDriver});
  if (driver == loaded.end()) return;
  for (Card& card : state.cards)
    set_port_types(card, driver->second);
}

std::unique_ptr<Machine> make_esx_classic_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  auto machine = std::make_unique<EsxClassicMachine>(profile_of(node, host), seed);
  machine->epoch = kEpochMilliseconds;
  machine->state.files.set_time(kEpochMilliseconds);
  install_base_system(*machine);
  insert_cards(*machine, node, host);
  FileTree& files = machine->state.files;
  const std::string& release = node.os->release.value;
  files.install(
      kRelease,
      release.find('3') != std::string::npos ? "VMware ESX Server 3.5.0 build-64607\n"
                                             : "VMware ESX 4.0.0 build-164009\n");
  files.install_directory(kBulletins);
  files.install(kConfiguration, fmt::format("/system/uuid = \"{}\"\n", make_uuid(machine->random)));
  for (const auto& [path, content] : host.files)
    files.install(path, content);
  return machine;
}

}  // namespace fabric::lab
