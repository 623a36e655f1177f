// SPDX-License-Identifier: Apache-2.0
// nmcli, of device, connection and general what people and programs use.
#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/kernel/interfaces.hpp"
#include "providers/linux/lab/network/network_files.hpp"
#include "providers/linux/lab/network/network_manager.hpp"

namespace fabric::lab::commands {
namespace {

constexpr int kUsage = 2;
constexpr int kActivationFailed = 4;
constexpr int kNotRunning = 8;
constexpr int kNotFound = 10;

using Row = std::map<std::string, std::string>;

struct Asked {
  bool terse = false, values_only = false;
  std::vector<std::string> fields;
  std::vector<std::string> words;
};

// Names of columns are written in either case, names of properties exactly.
std::string name_of(std::string_view field) {
  std::string name{field};
  if (name.find('.') != std::string::npos) return name;
  std::ranges::transform(
      name, name.begin(), [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
  return name;
}

// "-t -f DEVICE,STATE device", "-g NAME connection show": options come before the words.
Asked read_words(const Process& process) {
  Asked asked;
  const std::vector<std::string>& all = process.arguments;
  std::size_t at = 1;
  for (; at < all.size() && all[at].starts_with('-'); ++at) {
    const std::string& option = all[at];
    if (option == "-t" || option == "--terse") asked.terse = true;
    const bool values = option == "-g" || option == "--get-values";
    const bool takes = values || option == "-f" || option == "--fields" || option == "-m" ||
                       option == "--mode" || option == "-c" || option == "-w" || option == "--wait";
    if (!takes || ++at >= all.size()) continue;
    if (values) asked.terse = asked.values_only = true;
    if (values || option == "-f" || option == "--fields") {
      for (const std::string_view field : split(all[at], ','))
        asked.fields.push_back(name_of(field));
    }
  }
  asked.words.assign(
      all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size())), all.end());
  return asked;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : text) {
    if (each == ':' || each == '\\') result += '\\';
    result += each;
  }
  return result;
}

void print(
    Process& process,
    const Asked& asked,
    std::vector<std::string> fields,
    const std::vector<Row>& rows) {
  if (!asked.fields.empty()) fields = asked.fields;
  if (asked.terse) {
    for (const Row& row : rows) {
      std::vector<std::string> parts;
      for (const std::string& field : fields) {
        const auto found = row.find(field);
        parts.push_back(found == row.end() || found->second == "--" ? "" : escaped(found->second));
      }
      process.out(join(parts, ":") + "\n");
    }
    return;
  }
  std::vector<std::size_t> widths;
  for (const std::string& field : fields) {
    std::size_t width = field.size();
    for (const Row& row : rows)
      width = std::max(width, row.contains(field) ? row.at(field).size() : 2);
    widths.push_back(width);
  }
  const auto line = [&](const auto& text_of) {
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
      text += fmt::format("{:<{}}  ", text_of(fields[i]), widths[i]);
    text.pop_back();
    process.out(text + "\n");
  };
  line([](const std::string& field) { return field; });
  for (const Row& row : rows) {
    line([&row](const std::string& field) {
      return row.contains(field) ? row.at(field) : std::string{"--"};
    });
  }
}

int show_devices(Process& process, const Asked& asked) {
  std::vector<Row> rows;
  const LinuxHost& machine = process.machine();
  for (const Interface& each : machine.state.interfaces) {
    const ActiveDevice* active = active_device(machine, each.name);
    const std::string state = device_state(machine, each);
    const bool external = state == "connected (externally)";
    rows.push_back(
        {{"DEVICE", each.name},
         {"TYPE", device_type(each)},
         {"STATE", state},
         {"CONNECTION",
          active != nullptr ? active->profile.id
          : external        ? each.name
                            : "--"}});
  }
  const auto rank = [](const Row& row) {
    return row.at("STATE") == "connected" ? 0 : 1;
  };
  std::ranges::stable_sort(
      rows, [&rank](const Row& one, const Row& other) { return rank(one) < rank(other); });
  print(process, asked, {"DEVICE", "TYPE", "STATE", "CONNECTION"}, rows);
  return 0;
}

const ConnectionProfile* find_profile(
    const LinuxHost& machine, const std::string& by, const std::string& name) {
  for (const ConnectionProfile& each : machine.state.network_manager.profiles) {
    const bool is_it = (by != "uuid" && by != "path" && each.id == name) ||
                       (by != "id" && by != "path" && each.uuid == name) ||
                       (by == "path" && each.path == name);
    if (is_it) return &each;
  }
  return nullptr;
}

std::string device_of(const LinuxHost& machine, const ConnectionProfile& profile) {
  for (const ActiveDevice& each : machine.state.network_manager.devices) {
    if (each.profile.uuid == profile.uuid) return each.device;
  }
  return {};
}

int show_connections(Process& process, const Asked& asked, bool only_active) {
  std::vector<Row> rows;
  const LinuxHost& machine = process.machine();
  for (const ConnectionProfile& each : machine.state.network_manager.profiles) {
    const std::string device = device_of(machine, each);
    if (only_active && device.empty()) continue;
    rows.push_back(
        {{"NAME", each.id},
         {"UUID", each.uuid},
         {"TYPE", each.type},
         {"FILENAME", each.path},
         {"STATE", device.empty() ? "--" : "activated"},
         {"DEVICE", device.empty() ? "--" : device}});
  }
  print(process, asked, {"NAME", "UUID", "TYPE", "DEVICE"}, rows);
  return 0;
}

// "id NAME", "uuid NAME" or NAME alone.
struct Named {
  std::string by, name;
};
Named named_by(const std::vector<std::string>& words, std::size_t at) {
  if (at >= words.size()) return {};
  const bool says = words[at] == "id" || words[at] == "uuid" || words[at] == "path";
  if (says && at + 1 < words.size()) return {words[at], words[at + 1]};
  return {"", words[at]};
}

int show_one(Process& process, const Asked& asked, const Named& named) {
  const ConnectionProfile* profile = find_profile(process.machine(), named.by, named.name);
  if (profile == nullptr) {
    process.err(fmt::format("Error: {} - no such connection profile.\n", named.name));
    return kNotFound;
  }
  const auto line = [&process, &asked](const std::string& key, const std::string& value) {
    const auto& wanted = asked.fields;
    if (!wanted.empty() && std::ranges::find(wanted, key) == wanted.end()) return;
    if (asked.values_only) return process.out(value + "\n");
    process.out(fmt::format("{:<40}{}\n", key + ":", value.empty() ? "--" : value));
  };
  line("connection.id", profile->id);
  line("connection.uuid", profile->uuid);
  line("connection.type", profile->type == "ethernet" ? "802-3-ethernet" : profile->type);
  line("connection.interface-name", profile->interface);
  line("connection.autoconnect", profile->automatic ? "yes" : "no");
  line("connection.master", profile->master);
  std::vector<std::string> addresses;
  for (const IpPrefix& each : profile->addresses)
    addresses.push_back(each.str());
  line("ipv4.method", profile->method4);
  line("ipv4.addresses", join(addresses, ", "));
  line("GENERAL.DEVICES", device_of(process.machine(), *profile));
  return 0;
}

int up(Process& process, const Named& named) {
  LinuxHost& machine = process.machine();
  const ConnectionProfile* profile = find_profile(machine, named.by, named.name);
  if (profile == nullptr) {
    process.err(fmt::format("Error: unknown connection '{}'.\n", named.name));
    return kNotFound;
  }
  note_network_in_force(machine);
  const ProfileActivation done = activate_profile(machine, process.session.network, *profile);
  process.session.pass(Duration{300});
  process.write(done.status == 0 ? 1 : 2, done.message + "\n");
  return done.status;
}

int down(Process& process, const Named& named) {
  LinuxHost& machine = process.machine();
  const ConnectionProfile* profile = find_profile(machine, named.by, named.name);
  const std::string device = profile == nullptr ? "" : device_of(machine, *profile);
  if (device.empty()) {
    process.err(fmt::format(
        "Error: '{}' is not an active connection.\nError: no active connection provided.\n",
        named.name));
    return kNotFound;
  }
  note_network_in_force(machine);
  machine.state.network_manager.held.push_back(profile->uuid);
  process.out(fmt::format(
      "Connection '{}' successfully deactivated (D-Bus active path: "
      "/org/freedesktop/NetworkManager/ActiveConnection/{})\n",
      profile->id,
      machine.state.network_manager.activations));
  deactivate_device(machine, process.session.network, device);
  return 0;
}

int connection(Process& process, const Asked& asked) {
  const std::vector<std::string>& words = asked.words;
  LinuxHost& machine = process.machine();
  const std::string verb = words.size() > 1 ? words[1] : "show";
  if (verb == "show") {
    const bool active = words.size() > 2 && (words[2] == "--active" || words[2] == "-a");
    if (words.size() > 2 && !active) return show_one(process, asked, named_by(words, 2));
    return show_connections(process, asked, active);
  }
  if (!process.root()) {
    process.err("Error: Connection activation failed: Not authorized to control networking.\n");
    return kActivationFailed;
  }
  // Silent about a file that is no profile.
  if (verb == "reload" || verb == "load") {
    note_network_in_force(machine);
    network_manager_reload(machine, process.session.network);
    return 0;
  }
  if (verb == "up") return up(process, named_by(words, 2));
  if (verb == "down") return down(process, named_by(words, 2));
  if (verb != "delete") {
    process.err(
        fmt::format("Error: argument '{}' not understood. Try passing --help instead.\n", verb));
    return kUsage;
  }
  const Named named = named_by(words, 2);
  const ConnectionProfile* profile = find_profile(machine, named.by, named.name);
  if (profile == nullptr) {
    process.err(fmt::format(
        "Error: unknown connection '{}'.\nError: cannot delete unknown connection(s): '{}'.\n",
        named.name,
        named.name));
    return kNotFound;
  }
  process.out(
      fmt::format("Connection '{}' ({}) successfully deleted.\n", profile->id, profile->uuid));
  process.files().remove(std::string{profile->path}, "root");
  network_manager_reload(machine, process.session.network);
  return 0;
}

int delete_device(Process& process, const std::string& name) {
  LinuxHost& machine = process.machine();
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr) {
    process.err(
        fmt::format("Error: Device '{}' not found.\nError: not all devices found.\n", name));
    return kNotFound;
  }
  if (!interface->is_virtual()) {
    process.err(fmt::format(
        "Error: Device '{}' deletion failed: This device is not a software device\n", name));
    return 1;
  }
  deactivate_device(machine, process.session.network, name);
  if (machine.find_interface(name) != nullptr) delete_link(machine, process.session.network, name);
  process.out(fmt::format("Device '{}' successfully removed.\n", name));
  return 0;
}

int device(Process& process, const Asked& asked) {
  const std::vector<std::string>& words = asked.words;
  LinuxHost& machine = process.machine();
  const std::string verb = words.size() > 1 ? words[1] : "status";
  if (verb == "status" || verb == "show") return show_devices(process, asked);
  const std::string name = words.size() > 2 ? words[2] : "";
  if (!process.root()) {
    process.err("Error: Not authorized to control networking.\n");
    return 1;
  }
  if (verb == "delete") return delete_device(process, name);
  const ActiveDevice* active = active_device(machine, name);
  if (machine.find_interface(name) == nullptr) {
    process.err(fmt::format("Error: Device '{}' not found.\n", name));
    return kNotFound;
  }
  if (verb == "disconnect") {
    if (active == nullptr) {
      process.err(fmt::format("Error: Device '{}' is not active.\n", name));
      return 6;
    }
    machine.state.network_manager.held.push_back(active->profile.uuid);
    deactivate_device(machine, process.session.network, name);
    process.out(fmt::format("Device '{}' successfully disconnected.\n", name));
    return 0;
  }
  if (verb == "set" && words.size() > 4 && words[3] == "managed") {
    std::vector<std::string>& list = machine.state.network_manager.unmanaged;
    std::erase(list, name);
    if (words[4] == "no" || words[4] == "off") list.push_back(name);
    return 0;
  }
  process.err(
      fmt::format("Error: argument '{}' not understood. Try passing --help instead.\n", verb));
  return kUsage;
}

}  // namespace

int nmcli(Process& process) {
  const Asked asked = read_words(process);
  if (process.arguments.size() > 1 && process.arguments[1] == "--version") {
    process.out("nmcli tool, version 1.42.4\n");
    return 0;
  }
  if (!network_manager_runs(process.machine())) {
    process.err("Error: NetworkManager is not running.\n");
    return kNotRunning;
  }
  const std::string object = asked.words.empty() ? "general" : asked.words[0];
  const auto is = [&object](std::string_view whole) {
    return !object.empty() && whole.starts_with(object);
  };
  if (is("device")) return device(process, asked);
  if (is("connection")) return connection(process, asked);
  if (is("general")) {
    print(
        process,
        asked,
        {"STATE", "CONNECTIVITY"},
        std::vector<Row>{
            Row{{"STATE", "connected"}, {"CONNECTIVITY", "limited"}, {"RUNNING", "running"}}});
    return 0;
  }
  process.err(
      fmt::format("Error: argument '{}' not understood. Try passing --help instead.\n", object));
  return kUsage;
}

}  // namespace fabric::lab::commands
