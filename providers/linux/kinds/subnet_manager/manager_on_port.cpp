// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace fabric::providers {

namespace {

Result<std::map<std::string, std::string>> not_made(const Resource& resource, std::string why) {
  return Error{ErrorCode::invalid, fmt::format("{}: {}", resource.address.str(), std::move(why))};
}

std::string text_at(const std::map<std::string, std::string>& files, const std::string& path) {
  const auto found = files.find(path);
  return found == files.end() ? std::string{} : found->second;
}

}  // namespace

ManagerOnPort::ManagerOnPort(
    const Resource& resource, const std::vector<Card>& cards, const ManagerState& state)
    : state_{state},
      address_{resource.address},
      paths_{manager_paths(resource.address)},
      files_{not_made(resource, "its port is not known")} {
  const FoundPort found = fabric::providers::find_port(cards, resource.binding);
  if (found.port == nullptr) {
    files_ = not_made(resource, found.why);
    return;
  }
  guid_ = found.port->port_guid;
  const bool shared = found.card->shares_function();
  port_ = state.find_port(found.port->rdma_device, shared ? found.port->number : 1);
  if (guid_) {
    files_ = manager_files(resource, *guid_, state.knows_virtualization == true);
  } else {
    files_ = not_made(resource, "the port GUID is not known: no RDMA device shows it");
  }
}

std::string ManagerOnPort::missing_guid() const {
  if (files_ || files_.error().code != ErrorCode::unreachable) return {};
  // The reading stands beside the address already.
  const std::string& message = files_.error().message;
  const std::string address = address_.str() + ": ";
  return message.starts_with(address) ? message.substr(address.size()) : message;
}

std::string ManagerOnPort::file(const std::string& path) const {
  const auto found = state_.files.find(path);
  return found == state_.files.end() ? std::string{} : found->second;
}

ManagerTexts ManagerOnPort::lying() const {
  return {file(paths_.options), file(paths_.partitions), file(paths_.roots), file(paths_.io)};
}

// Lists of GUIDs have no copy: their file counts.
ManagerTexts ManagerOnPort::started_with() const {
  return {
      file(paths_.running(paths_.options)),
      file(paths_.running(paths_.partitions)),
      file(paths_.roots),
      file(paths_.io)};
}

ManagerTexts ManagerOnPort::expected() const {
  if (!files_) return {};
  return {
      text_at(*files_, paths_.options),
      text_at(*files_, paths_.partitions),
      text_at(*files_, paths_.roots),
      text_at(*files_, paths_.io)};
}

bool ManagerOnPort::is_installed() const {
  if (!files_) return false;
  std::vector<std::string> paths{paths_.unit, paths_.rule};
  paths.insert(paths.end(), kServiceGuards.begin(), kServiceGuards.end());
  return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return file(path) == text_at(*files_, path);
  });
}

Reading ManagerOnPort::manages() const {
  if (!state_.known) return Reading::unknown("the node's managers could not be read");
  if (!state_.is_running(paths_.unit_name)) return Reading::absent();
  if (!state_.has_sminfo) return Reading::unknown("sminfo (infiniband-diags) is not installed");
  if (port_ == nullptr) return Reading::unknown("the port is not InfiniBand");
  if (port_->own && port_->own->manager && guid_ && port_->own->manager->guid == *guid_) {
    const std::optional<SmState>& state = port_->own->manager->state;
    if (state == SmState::master || state == SmState::standby) return Reading::of(true);
    return Reading::of(
        state ? fmt::format("{}", state_name(*state)) : std::string{"in a state of no standard"});
  }
  // No link, no subnet: the other end boots, or is no InfiniBand port yet. A manager that runs here
  // has all that can be done for it; whether the subnet has one `verify` asks the ports.
  if (port_->state == "DOWN") return Reading::of(true);
  return Reading::unknown(fmt::format("the port is {}, no manager answers on it", port_->state));
}

}  // namespace fabric::providers
