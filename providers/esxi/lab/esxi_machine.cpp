// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/lab/esxi_machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "engine/lab/card/parameters.hpp"
#include "providers/esxi/lab/esxi_programs.hpp"
#include "providers/linux/lab/build_linux.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab {
namespace {

constexpr Duration kRoundTrip{2};
constexpr std::string_view kConfiguration = "/etc/vmware/esx.conf";
constexpr std::string_view kUuid = "/system/uuid";
constexpr std::string_view kMaintenance = "/system/maintenance";
// The installer's: the board's port, the kernel's own interface on it.
constexpr std::string_view kInstalled = R"(/net/vswitch/child[0000]/name = "vSwitch0"
/net/vswitch/child[0000]/mtu = "1500"
/net/vswitch/child[0000]/uplinks = "vmnic0"
/net/vswitch/child[0000]/portgroups = "VM Network, Management Network"
/net/vmkernelnic/child[0000]/name = "vmk0"
/net/vmkernelnic/child[0000]/mtu = "1500"
/net/vmkernelnic/child[0000]/portgroup = "Management Network"
)";
constexpr std::string_view kAddress = "/net/vmkernelnic/child[0000]/ipv4address";

struct SavedEsxi final : SavedState {
  explicit SavedEsxi(const EsxiMachine& machine)
      : state{machine.state},
        loaded{machine.loaded_options},
        passed_through{machine.passed_through},
        unloaded{machine.unloaded},
        running{machine.running} {}
  MachineState state;
  std::map<std::string, std::string> loaded;
  std::set<std::size_t> passed_through;
  std::set<std::string> unloaded, running;
};

// Documentation addresses where the document and lab.yaml give none.
std::string address_of(const MachineProfile& profile) {
  return profile.address.empty() ? "192.0.2.10" : profile.address;
}
std::string client_of(const MachineProfile& profile) {
  return profile.client.empty() ? "192.0.2.1" : profile.client;
}

std::string random_uuid(Random& random) {
  const std::string digits = fmt::format("{:016x}{:016x}", random.next(), random.next());
  return fmt::format(
      "{}-{}-{}-{}-{}",
      digits.substr(0, 8),
      digits.substr(8, 4),
      digits.substr(12, 4),
      digits.substr(16, 4),
      digits.substr(20, 12));
}

void install(EsxiMachine& machine) {
  FileTree& files = machine.state.files;
  for (const ProgramEntry& entry : machine.programs.entries)
    files.install_program(entry.path, std::string{entry.name});
  files.install_null_device("/dev/null");
  files.install_directory("/root");
  files.install_directory("/tmp");
  files.install_directory("/var/run");
  files.install(
      kConfiguration,
      fmt::format("{} = \"{}\"\n{}", kUuid, random_uuid(machine.random), kInstalled));
}

}  // namespace

EsxiMachine::EsxiMachine(MachineProfile given, std::uint64_t seed)
    : LinuxHost{std::move(given), seed, esxi_programs()} {}

std::string EsxiMachine::configured(const std::string& key) const {
  const std::string prefix = key + " = \"";
  const std::string text = read_file(kConfiguration).value_or("");
  for (const std::string_view line : split_lines(std::string_view{text})) {
    if (line.starts_with(prefix) && line.ends_with('"') && line.size() > prefix.size())
      return std::string{line.substr(prefix.size(), line.size() - prefix.size() - 1)};
  }
  return "";
}

std::vector<std::string> EsxiMachine::configured_keys(const std::string& prefix) const {
  std::vector<std::string> keys;
  const std::string text = read_file(kConfiguration).value_or("");
  for (const std::string_view line : split_lines(std::string_view{text})) {
    const std::size_t end = line.find(" = ");
    if (line.starts_with(prefix) && end != std::string_view::npos)
      keys.emplace_back(line.substr(0, end));
  }
  return keys;
}

void EsxiMachine::configure(const std::string& key, const std::string& value) {
  if (configured(key) == value) return;
  const std::string text = read_file(kConfiguration).value_or("");
  std::string changed;
  for (const std::string_view line : split_lines(std::string_view{text})) {
    if (!line.starts_with(key + " = ")) changed += std::string{line} + "\n";
  }
  if (!value.empty()) changed += fmt::format("{} = \"{}\"\n", key, value);
  state.files.install(kConfiguration, std::move(changed));
  note_change();
}

void EsxiMachine::save_configuration() {
  saved_ = read_file(kConfiguration).value_or("");
}

// Everything that was not saved since is gone with the power (E-esxi-backup).
void EsxiMachine::lose_unsynced() {
  state.files.install(kConfiguration, saved_);
}

bool EsxiMachine::in_maintenance() const {
  return configured(std::string{kMaintenance}) == "true";
}

bool EsxiMachine::is_nic(std::size_t card, std::uint32_t port) const {
  const Card& here = state.cards[card];
  if (passed_through.contains(card) || unloaded.contains("nmlx5_core") || in_recovery())
    return false;
  return here.ports[port - 1].link_type == LinkType::ethernet ||
         here.current_of("FORCE_ETH_PCI_SUBCLASS") == 1;
}

bool EsxiMachine::in_recovery() const {
  const auto loaded = loaded_options.find("nmlx5_core");
  if (loaded == loaded_options.end()) return false;
  const std::vector<std::string_view> words = split_words(std::string_view{loaded->second});
  return std::find(words.begin(), words.end(), "mst_recovery=1") != words.end();
}

bool EsxiMachine::is_shown(std::size_t card) const {
  return !passed_through.contains(card) &&
         configured("/device/" + state.cards[card].function_of(1) + "/unseen") != "true";
}

std::vector<VirtualMachine> EsxiMachine::virtual_machines() const {
  // The world id of a virtual machine stays while it runs, whatever else starts or stops.
  constexpr std::int64_t kFirst = 2'099'011;
  constexpr std::int64_t kBetween = 11;
  std::vector<VirtualMachine> machines;
  for (const std::string& name : running) {
    std::int64_t number = 0;
    for (const char letter : name)
      number = (number * 31 + letter) % 9'973;
    machines.push_back({name, kFirst + kBetween * number});
  }
  return machines;
}

std::vector<VirtualMachine> EsxiMachine::holders() const {
  std::vector<VirtualMachine> holders;
  for (const VirtualMachine& each : virtual_machines()) {
    for (const std::string& volume : state.files.list("/vmfs/volumes")) {
      const std::string text =
          read_file(fmt::format("/vmfs/volumes/{0}/{1}/{1}.vmx", volume, each.name)).value_or("");
      if (text.find("pciPassthru0.present = \"TRUE\"") != std::string::npos)
        holders.push_back(each);
    }
  }
  return holders;
}

std::vector<KernelNic> EsxiMachine::kernel_nics() const {
  std::vector<KernelNic> nics;
  for (std::size_t index = 0;; ++index) {
    const std::string child = fmt::format("/net/vmkernelnic/child[{:04}]/", index);
    const std::string name = configured(child + "name");
    if (name.empty()) return nics;
    nics.push_back({child, name, configured(child + "mtu"), configured(child + "portgroup")});
  }
}

std::optional<Vswitch> EsxiMachine::vswitch_of_group(const std::string& port_group) const {
  for (const Vswitch& each : vswitches()) {
    const auto& groups = each.port_groups;
    if (std::find(groups.begin(), groups.end(), port_group) != groups.end()) return each;
  }
  return std::nullopt;
}

std::vector<Vswitch> EsxiMachine::vswitches() const {
  std::vector<Vswitch> switches;
  for (std::size_t index = 0;; ++index) {
    const std::string child = fmt::format("/net/vswitch/child[{:04}]/", index);
    const std::string name = configured(child + "name");
    if (name.empty()) return switches;
    const auto words = [&](const char* key) {
      std::vector<std::string> list;
      const std::string text = configured(child + key);
      for (const std::string_view word : split(std::string_view{text}, ','))
        list.emplace_back(trim(word));
      return list;
    };
    const bool distributed = configured(child + "distributed") == "true";
    switches.push_back(
        {name, configured(child + "mtu"), words("uplinks"), words("portgroups"), distributed});
  }
}

std::string EsxiMachine::nic_mtu(const std::string& nic) const {
  for (const Vswitch& each : vswitches()) {
    for (const std::string& uplink : each.uplinks) {
      if (uplink == nic) return each.mtu;
    }
  }
  return "1500";
}

std::string EsxiMachine::uuid() const {
  return configured(std::string{kUuid});
}

std::string EsxiMachine::module_options(const std::string& module) const {
  return configured(fmt::format("/vmkernel/module/{}.so/options", module));
}

std::unique_ptr<SavedState> EsxiMachine::save() const {
  return std::make_unique<SavedEsxi>(*this);
}

void EsxiMachine::restore(std::unique_ptr<SavedState> saved) {
  auto* mine = dynamic_cast<SavedEsxi*>(saved.get());
  FABRIC_CHECK(mine != nullptr, "what is restored was saved by this machine");
  state = std::move(mine->state);
  loaded_options = std::move(mine->loaded);
  passed_through = std::move(mine->passed_through);
  unloaded = std::move(mine->unloaded);
  running = std::move(mine->running);
}

std::string EsxiMachine::state_text() const {
  std::string text = read_file(kConfiguration).value_or("");
  for (const auto& [module, options] : loaded_options)
    text += fmt::format("loaded {} {}\n", module, options);
  for (const std::string& machine : running)
    text += "running " + machine + "\n";
  for (const std::string& module : unloaded)
    text += "unloaded " + module + "\n";
  for (const Card& card : state.cards) {
    text += fmt::format("card {} {} {}\n", card.pci, card.firmware, card.flash());
    for (const auto& [name, setting] : card.settings)
      text += fmt::format("{} {} {}\n", name, setting.current, setting.next);
  }
  return text;
}

// The root file system lives in memory: what programs left in it is gone (E-esxi-no-boot-id).
void EsxiMachine::boot(const Network& /*network*/) {
  start_clock();
  state.files.set_time(unix_milliseconds());
  state.files.erase_all_below("/tmp");
  state.files.erase_all_below("/var/run");
  state.hostname = profile.name;
  state.mst_started = true;  // its module is loaded with the others
  for (Card& card : state.cards)
    load_settings(card);
  loaded_options.clear();
  for (const char* module : {"nmlx5_core", "nmlx5_rdma"})
    loaded_options[module] = module_options(module);
  unloaded.clear();
  passed_through.clear();
  // The recovery mode resets what did not come up (E-esxi-recovery).
  for (const Card& card : state.cards) {
    if (in_recovery()) configure("/device/" + card.function_of(1) + "/unseen", "");
  }
  for (std::size_t card = 0; card < state.cards.size(); ++card) {
    if (configured("/device/" + state.cards[card].function_of(1) + "/owner") == "passthru")
      passed_through.insert(card);
  }
  // Virtual machines that start with the host; none in maintenance mode.
  running.clear();
  if (in_maintenance()) return;
  for (const std::string& volume : state.files.list("/vmfs/volumes")) {
    for (const std::string& machine : state.files.list("/vmfs/volumes/" + volume))
      running.insert(machine);
  }
}

void EsxiMachine::prepare(const LabHost& host) {
  for (Card& card : state.cards) {
    const auto found = host.adapters.find(card.adapter);
    if (found != host.adapters.end()) apply_settings(card, found->second.next_boot, false);
  }
}

// Without the folder of the vendor's tools (E-esxi-path).
MachineReply EsxiMachine::exec(
    const Network& network, std::string_view user, std::string_view line, std::string_view input) {
  state.files.set_time(unix_milliseconds());
  Session session{*this, network};
  const Handle in = session.open_buffer(std::string{input});
  const Handle out = session.open_buffer("");
  const Handle err = session.open_buffer("");
  session.pass(kRoundTrip);
  Process process{
      session,
      {"sh"},
      {{"HOME", "/"},
       {"PATH", "/bin:/sbin"},
       {"SHELL", "/bin/sh"},
       {"SSH_CONNECTION", fmt::format("{} 50514 {} 22", client_of(profile), address_of(profile))},
       {"USER", std::string{user}}},
      {{0, in}, {1, out}, {2, err}},
      std::string{user},
      "/"};
  MachineReply reply;
  reply.exit_status = run_script(process, line, "sh", {});
  reply.standard_output = std::move(session.file(out).data);
  reply.standard_error = std::move(session.file(err).data);
  reply.took = session.elapsed;
  return reply;
}

bool EsxiMachine::reads_input(std::string_view line) const {
  return line == "sh" || line.find("sh -s") != std::string_view::npos ||
         line.find("cat >") != std::string_view::npos;
}

void EsxiMachine::order_reboot(const Network& /*network*/) {
  shutdown_at = now;
}

std::optional<std::string> EsxiMachine::read_file(std::string_view path) const {
  std::string content;
  if (state.files.read(path, "root", content) != FileError::none) return std::nullopt;
  return content;
}

std::unique_ptr<Machine> make_esxi_machine(
    const NodeSpec& node, const LabHost& host, std::uint64_t seed) {
  MachineProfile profile = profile_of(node, host);
  profile.tool = host.tool.value_or("mlxconfig");
  auto machine = std::make_unique<EsxiMachine>(std::move(profile), seed);
  machine->epoch = kEpochMilliseconds;
  machine->state.files.set_time(kEpochMilliseconds);
  install(*machine);
  insert_cards(*machine, node, host);
  for (const auto& [path, content] : host.files) {
    const bool is_configuration = path == kConfiguration;
    machine->state.files.install(
        path, is_configuration ? content + std::string{kInstalled} : content);
  }
  machine->configure(std::string{kAddress}, address_of(machine->profile));
  machine->save_configuration();
  return machine;
}

}  // namespace fabric::lab
