// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/kernel/modules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

// Linux 6.1: module_param() of each, with its permissions; 0 is not shown in sysfs.
const std::array<KernelModule, 17>& modules() {
  static const std::array<KernelModule, 17> table{{
      {"8021q", 40960, "", {}},
      {"bonding",
       229376,
       "",
       {{"max_bonds", 'i', 0, "1"}, {"num_grat_arp", 'i', 0644, "1"}, {"tx_queues", 'i', 0, "16"}}},
      {"ib_cm", 147456, "ib_core", {}},
      {"ib_core", 434176, "", {{"netns_mode", 'b', 0444, "Y"}}},
      {"ib_ipoib",
       159744,
       "ib_cm ib_core",
       {{"debug_level", 'i', 0644, "0"},
        {"recv_queue_size", 'i', 0444, "256"},
        {"send_queue_size", 'i', 0444, "128"}}},
      {"ib_umad", 40960, "ib_core", {}},
      {"ib_uverbs", 176128, "ib_core", {}},
      {"mlx4_core",
       389120,
       "",
       {{"debug_level", 'i', 0644, "0"},
        {"enable_64b_cqe_eqe", 'b', 0444, "Y"},
        {"log_num_mgm_entry_size", 'i', 0444, "-10"},
        {"port_type_array", 'a', 0444, ""}}},
      {"mlx4_en", 151552, "mlx4_core", {{"pfcrx", 'i', 0444, "0"}, {"pfctx", 'i', 0444, "0"}}},
      {"mlx4_ib", 233472, "mlx4_core ib_uverbs ib_core", {{"sm_guid_assign", 'i', 0444, "0"}}},
      {"mlx5_core", 1662976, "", {{"debug_mask", 'i', 0644, "0"}, {"prof_sel", 'i', 0444, "2"}}},
      {"mlx5_ib", 397312, "mlx5_core ib_uverbs ib_core", {}},
      {"nvme_core", 159744, "", {{"io_timeout", 'i', 0644, "30"}, {"multipath", 'b', 0444, "Y"}}},
      {"nvme_rdma", 49152, "nvme_core rdma_cm ib_core", {}},
      {"rdma_cm", 135168, "ib_cm ib_core", {}},
      {"rdma_rxe", 204800, "ib_uverbs ib_core", {}},
      {"rdma_ucm", 32768, "rdma_cm ib_uverbs ib_core", {}},
  }};
  return table;
}

constexpr std::string_view kBuiltIn[] = {"8250", "sha256_generic", "tcp_cubic"};

std::string kernel_name(std::string_view written) {
  std::string name{written};
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_whole_number(std::string_view text) {
  return parse_integer(text).has_value() ||
         (text.starts_with("0x") && parse_unsigned(text.substr(2), 16).has_value());
}

std::string decimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::string{text};
  return std::to_string(parse_unsigned(text.substr(2), 16).value_or(0));
}

// The value as the kernel shows it; nullopt if the kernel refuses it.
std::optional<std::string> shown_value(const KernelParameter& parameter, std::string_view given) {
  if (parameter.type == 'b') {
    if (given == "1" || given == "Y" || given == "y") return "Y";
    if (given == "0" || given == "N" || given == "n") return "N";
    return std::nullopt;
  }
  std::vector<std::string> numbers;
  for (const std::string_view each : split(given, ',')) {
    if (!is_whole_number(each)) return std::nullopt;
    numbers.push_back(decimal(each));
  }
  if (parameter.type == 'i' && numbers.size() != 1) return std::nullopt;
  return join(numbers, ",");
}

using Values = std::map<std::string, std::string>;

// "options MODULE P=V..." of a text with any lines.
void read_options(std::string_view text, std::string_view module, Values& values) {
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 3 || words[0] != "options" || kernel_name(words[1]) != module) continue;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string_view::npos) continue;
      values[kernel_name(words[i].substr(0, equals))] = words[i].substr(equals + 1);
    }
  }
}

bool is_blacklisted(const FileTree& files, std::string_view module) {
  const std::string text = boot_image_text(files);
  const std::vector<std::string_view> lines = split_lines(text);
  return std::ranges::any_of(lines, [module](std::string_view line) {
    const std::vector<std::string_view> words = split_words(line);
    return words.size() == 2 && words[0] == "blacklist" && kernel_name(words[1]) == module;
  });
}

// Loads a module with the options in `text`, a copy of modprobe.d.
// NOLINTNEXTLINE(misc-no-recursion): what modules depend on is no circle
std::string load(LinuxHost& machine, const std::string& written, std::string_view text) {
  const std::string name = kernel_name(written);
  if (is_built_in(name) || machine.state.modules.contains(name)) return "";
  const KernelModule* module = find_module(name);
  if (module == nullptr)
    return fmt::format("Module {} not found in directory /lib/modules/{}", written, kKernelRelease);
  for (const std::string_view each : split_words(module->depends)) {
    if (std::string why = load(machine, std::string{each}, text); !why.empty()) return why;
  }
  Values given;
  read_options(text, name, given);
  Values values;
  for (const KernelParameter& parameter : module->parameters) {
    std::string& value = values[std::string{parameter.name}];
    value = parameter.value;
    const auto option = given.find(std::string{parameter.name});
    if (option == given.end()) continue;
    const std::optional<std::string> shown = shown_value(parameter, option->second);
    if (!shown) return fmt::format("could not insert '{}': Invalid argument", written);
    value = *shown;
  }
  machine.state.modules[name] = std::move(values);
  machine.note_change();
  return "";
}

void install_parameter(
    LinuxHost& machine, const std::string& module, const KernelParameter& parameter) {
  if (parameter.mode == 0) return;
  const std::string name{parameter.name};
  LinuxHost* owner = &machine;
  std::function<FileError(std::string_view)> writer;
  if ((parameter.mode & 0200U) != 0) {
    writer = [owner, module, name, parameter](std::string_view text) {
      const std::optional<std::string> value = shown_value(parameter, trim(text));
      if (!value) return FileError::invalid;
      owner->state.modules[module][name] = *value;
      owner->note_change();
      return FileError::none;
    };
  }
  machine.state.files.install_generated(
      fmt::format("/sys/module/{}/parameters/{}", module, name),
      [owner, module, name]() -> std::optional<std::string> {
        const auto found = owner->state.modules.find(module);
        if (found == owner->state.modules.end()) return std::nullopt;
        return found->second.at(name) + "\n";
      },
      std::move(writer));
}

std::string proc_modules(const LinuxHost& machine) {
  std::string text;
  for (const auto& [name, values] : machine.state.modules) {
    const std::vector<std::string> users = users_of(machine, name);
    std::string list;
    for (const std::string& user : users)
      list += user + ",";
    text += fmt::format(
        "{} {} {} {} Live 0x0000000000000000\n",
        name,
        find_module(name)->size,
        users.size(),
        list.empty() ? "-" : list);
  }
  return text;
}

}  // namespace

const KernelModule* find_module(std::string_view name) {
  const auto found = std::ranges::find_if(
      modules(), [&](const KernelModule& module) { return module.name == name; });
  return found == modules().end() ? nullptr : &*found;
}

bool is_built_in(std::string_view name) {
  return std::find(std::begin(kBuiltIn), std::end(kBuiltIn), name) != std::end(kBuiltIn);
}

void install_kernel_files(LinuxHost& machine) {
  std::string text;
  for (const std::string_view name : kBuiltIn)
    text += fmt::format("kernel/lib/{}.ko\n", name);
  machine.state.files.install(fmt::format("/lib/modules/{}/modules.builtin", kKernelRelease), text);
  // A setting of systemd's package, so that a bond is only made on demand.
  machine.state.files.install(
      "/usr/lib/modprobe.d/systemd.conf",
      "options bonding max_bonds=0\noptions dummy numdummies=0\noptions ifb numifbs=0\n");
  machine.state.files.install(kBootImage, boot_image_text(machine.state.files));
}

std::string boot_image_text(const FileTree& files) {
  std::map<std::string, std::string> paths;  // by name: /etc hides /usr/lib
  for (const std::string_view folder : {"/usr/lib/modprobe.d", "/etc/modprobe.d"}) {
    for (const std::string& name : files.list(folder)) {
      if (name.ends_with(".conf")) paths[name] = std::string{folder} + "/" + name;
    }
  }
  std::string text;
  for (const auto& [name, path] : paths) {
    std::string content;
    if (files.read(path, "root", content) == FileError::none) text += content + "\n";
  }
  return text;
}

std::string load_module(LinuxHost& machine, const std::string& name) {
  std::string why = load(machine, name, boot_image_text(machine.state.files));
  install_module_files(machine);
  return why;
}

std::string unload_module(LinuxHost& machine, const std::string& written) {
  const std::string name = kernel_name(written);
  if (is_built_in(name)) return fmt::format("Module {} is builtin.", written);
  if (!machine.state.modules.contains(name))
    return find_module(name) != nullptr ? "" : fmt::format("Module {} not found.", written);
  const bool drives = std::ranges::any_of(machine.state.cards, [&](const Card& card) {
    return name.starts_with(card.mlx4() ? "mlx4_" : "mlx5_");
  });
  if (drives || !users_of(machine, name).empty())
    return fmt::format("Module {} is in use.", written);
  machine.state.modules.erase(name);
  machine.note_change();
  install_module_files(machine);
  return "";
}

void load_boot_modules(LinuxHost& machine) {
  machine.state.modules.clear();
  std::string image;
  machine.state.files.read(kBootImage, "root", image);
  for (const Card& card : machine.state.cards) {
    for (const char* driver : {"core", "en", "ib"}) {
      if (!card.mlx4() && std::string_view{driver} == "en") continue;
      load(machine, fmt::format("mlx{}_{}", card.mlx4() ? 4 : 5, driver), image);
    }
  }
  const std::string now = boot_image_text(machine.state.files);
  for (const std::string_view folder : {"/usr/lib/modules-load.d", "/etc/modules-load.d"}) {
    for (const std::string& file : machine.state.files.list(folder)) {
      std::string content;
      machine.state.files.read(fmt::format("{}/{}", folder, file), "root", content);
      for (const std::string_view line : split_lines(content)) {
        const std::string name{trim(line)};
        const bool comment = name.empty() || name.front() == '#' || name.front() == ';';
        if (!comment && !is_blacklisted(machine.state.files, kernel_name(name)))
          load(machine, name, now);
      }
    }
  }
}

std::string boot_option(const LinuxHost& machine, std::string_view module, std::string_view name) {
  std::string image;
  machine.state.files.read(kBootImage, "root", image);
  Values values;
  read_options(image, module, values);
  const auto found = values.find(std::string{name});
  return found == values.end() ? "" : found->second;
}

void install_module_files(LinuxHost& machine) {
  FileTree& files = machine.state.files;
  LinuxHost* owner = &machine;
  files.install_generated("/proc/modules", [owner] { return proc_modules(*owner); });
  files.install_directory("/sys/module");
  files.erase_all_below("/sys/module");
  for (const auto& [name, values] : machine.state.modules) {
    files.install_generated(
        fmt::format("/sys/module/{}/initstate", name), [] { return std::string{"live\n"}; });
    for (const KernelParameter& parameter : find_module(name)->parameters)
      install_parameter(machine, name, parameter);
  }
}

std::vector<std::string> users_of(const LinuxHost& machine, std::string_view name) {
  std::vector<std::string> users;
  for (const auto& [other, values] : machine.state.modules) {
    const std::vector<std::string_view> depends = split_words(find_module(other)->depends);
    if (std::find(depends.begin(), depends.end(), name) != depends.end()) users.push_back(other);
  }
  return users;
}

}  // namespace fabric::lab
