// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/parsers/mst_status.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

bool is_device(std::string_view word) {
  constexpr std::string_view kFolder = "/dev/mst/";
  if (word.starts_with(kFolder)) word.remove_prefix(kFolder.size());
  return word.starts_with("mt") && word.find("_pci") != std::string_view::npos;
}

// "02:00.0" and "0000:02:00.0"
std::string pci_of(std::string_view word) {
  if (word.find(':') == std::string_view::npos || word.find('.') == std::string_view::npos)
    return {};
  const Result<PciAddress> address = PciAddress::parse(word);
  return address ? address->str() : std::string{};
}

bool is_heading(std::string_view line) {
  return line.ends_with("devices:") || line.starts_with("DEVICE_TYPE") ||
         line.starts_with("MST modules:") || line.find_first_not_of("- ") == std::string_view::npos;
}

// True for a line between the headings without a device: a line about the tool's modules.
bool is_remark(std::string_view line) {
  return line.find("module") != std::string_view::npos ||
         line.find("No MST devices") != std::string_view::npos ||
         line.find("mst start") != std::string_view::npos;
}

std::vector<MstDevice> device_of(std::string_view line, std::size_t number) {
  constexpr std::string_view kNet = "net-";
  const std::vector<std::string_view> words = split_words(line);
  const auto name = std::find_if(words.begin(), words.end(), is_device);
  if (name == words.end() || name - words.begin() > 1) return {};
  MstDevice device;
  device.name = *name;
  device.line = number;
  if (name != words.begin()) device.type = words.front();
  for (auto word = name + 1; word != words.end(); ++word) {
    if (const std::string pci = pci_of(*word); !pci.empty()) device.pci = pci;
    if (word->starts_with(kNet)) device.net = word->substr(kNet.size());
  }
  if (!device.type.empty() && device.pci.empty()) return {};
  return {std::move(device)};
}

}  // namespace

Result<std::vector<MstDevice>> parse_mst_status(std::string_view text) {
  std::vector<MstDevice> devices;
  bool headed = false;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty() || is_heading(line)) {
      headed = headed || line.ends_with("devices:");
      continue;
    }
    std::vector<MstDevice> device = device_of(line, number);
    if (device.empty() && !is_remark(line))
      return error_at(number, fmt::format("expected a device of mst, found '{}'", line));
    std::move(device.begin(), device.end(), std::back_inserter(devices));
  }
  if (!headed) return error_at(1, "no heading 'MST devices:' or 'PCI devices:'");
  return devices;
}

Value to_value(const std::vector<MstDevice>& devices) {
  List list;
  for (const MstDevice& device : devices) {
    Map map{{"name", device.name}};
    if (!device.type.empty()) map.emplace("type", device.type);
    if (!device.pci.empty()) map.emplace("pci", device.pci);
    if (!device.net.empty()) map.emplace("net", device.net);
    list.emplace_back(std::move(map));
  }
  return Map{{"devices", std::move(list)}};
}

}  // namespace fabric::providers
