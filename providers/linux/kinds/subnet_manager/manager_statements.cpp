// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_statements.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/linux/kinds/subnet_manager/option_statements.hpp"
#include "providers/linux/kinds/subnet_manager/partition_statements.hpp"

namespace fabric::providers {

namespace {

using Class = StatementClass;

constexpr std::string_view kFolders[] = {"/etc/opensm/", "/etc/rdma/"};

// Of a distribution, or of MLNX_OFED. RHEL starts one for each opensm.conf.N.
bool is_options(std::string_view path) {
  return std::any_of(std::begin(kFolders), std::end(kFolders), [&](std::string_view folder) {
    const std::string_view name = path.substr(std::min(folder.size(), path.size()));
    return path.starts_with(folder) && (name == "opensm.conf" || name.starts_with("opensm.conf."));
  });
}

// "PORTS=ALL" of Debian, "GUIDS=..." and "PRIORITY=15" of RHEL.
bool is_defaults(std::string_view path) {
  return path == "/etc/default/opensm" || path == "/etc/sysconfig/opensm";
}

class Collector {
 public:
  Collector(const Resource& resource, const ManagerOnPort& manager)
      : resource_{resource}, manager_{manager}, state_{manager.state()} {}

  std::vector<Statement> collect() {
    for (const auto& words : state_.processes) {
      for (const SaidOption& option : options_of_process(words))
        if (option.key == "config") configs_.insert(option.value);
    }
    for (const auto& [path, text] : state_.files) {
      const bool is_file = (is_options(path) || configs_.contains(path)) && !is_owned(text);
      if (is_file && !is_of_another(options_of_file(path, text)))
        read_options(options_of_file(path, text));
      if (is_defaults(path)) read_defaults(path, text);
    }
    for (const auto& words : state_.processes)
      read_process(words);
    read_other_ports();
    if (!named_partitions_) {
      for (const std::string_view folder : kFolders)
        read_partitions(std::string{folder} + "partitions.conf");
    }
    read_running();
    return std::move(statements_);
  }

 private:
  void add(std::optional<Statement> statement) {
    if (statement) statements_.push_back(*std::move(statement));
  }

  void read_options(const std::vector<SaidOption>& options) {
    for (const SaidOption& option : options) {
      if (option.value == "(null)") continue;
      if (option.key == "partition_config_file") {
        if (!read_partitions(option.value)) name_unread(option);
        named_partitions_ = true;
      } else if (option.key == "root_guid_file") {
        read_guids(option, "roots");
      } else if (option.key == "io_guid_file") {
        read_guids(option, "io");
      } else {
        add(option_statement(option, resource_, manager_));
      }
      if (option.key == "sm_priority") explains_priority_ = true;
      if (option.key == "subnet_prefix") explains_prefix_ = true;
      if (option.key == "lmc") explains_lmc_ = true;
    }
  }

  // Of several OpenSMs on a node one may be of another port, whose manager of the document is
  // compared with it.
  bool is_of_another(const std::vector<SaidOption>& options) const {
    return std::any_of(options.begin(), options.end(), [this](const SaidOption& option) {
      const Result<Guid> guid = Guid::parse(option.value);
      return option.key == "guid" && guid && manager_.guid() != *guid &&
             state_.ours.contains(*guid);
    });
  }

  void read_process(const std::vector<std::string>& words) {
    std::vector<SaidOption> options = options_of_process(words);
    if (is_of_another(options)) return;
    // Debian's service starts one on every port, whether or not there is a subnet to manage.
    std::erase_if(options, [this](const SaidOption& option) {
      return option.key == "guid" ||
             (option.key == "config" && state_.files.contains(option.value));
    });
    read_options(options);
  }

  // With the node's own OpenSM the managers of all its ports go.
  void read_other_ports() {
    std::set<Guid> ours = state_.ours;
    for (const auto& [path, text] : state_.files) {
      for (const SaidOption& option :
           is_owned(text) ? options_of_file(path, text) : std::vector<SaidOption>{}) {
        const Result<Guid> guid = Guid::parse(option.value);
        if (option.key == "guid" && guid) ours.insert(*guid);
      }
    }
    for (const InfinibandPort& port : state_.ports) {
      if (&port == manager_.port() || !port.own || !port.own->manager) continue;
      const SubnetManager& found = *port.own->manager;
      const bool manages = found.state == SmState::master || found.state == SmState::standby;
      if (manages && found.guid != manager_.guid() && !ours.contains(found.guid))
        read_running("guid", found.guid.str());
    }
  }

  void read_defaults(const std::string& path, const std::string& text) {
    std::size_t number = 0;
    for (const std::string_view each : split_lines(text)) {
      ++number;
      const std::string_view line = trim(each);
      const std::size_t equals = line.find('=');
      if (line.empty() || line.front() == '#') continue;
      if (equals == std::string_view::npos) {
        statements_.push_back({"opensm", "line", std::string{line}, path, number});
        continue;
      }
      std::string value{trim(line.substr(equals + 1))};
      std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
      const std::string_view key = line.substr(0, equals);
      if (key == "PRIORITY" && !value.empty()) read_options({{"sm_priority", value, path, number}});
      const bool names_ports = key == "PORTS" || key == "GUIDS";
      if (!names_ports && key != "PRIORITY" && !value.empty())
        statements_.push_back({"opensm", std::string{key}, value, path, number});
      if (!names_ports) continue;
      for (const std::string_view guid : split_words(value)) {
        if (guid.starts_with("0x"))
          add(option_statement({"guid", std::string{guid}, path, number}, resource_, manager_));
      }
    }
  }

  // What an option names and is not there OpenSM does without.
  void name_unread(const SaidOption& option) {
    if (state_.missing.contains(option.value) || !effective_option(option, state_)) return;
    statements_.push_back(
        {option.file.empty() ? "running" : "opensm",
         option.key,
         option.value,
         option.file,
         option.line,
         Class::not_sayable,
         {}});
  }

  // Whether it was read.
  bool read_partitions(const std::string& path) {
    const std::string* text = text_at(state_.files, path);
    if (text == nullptr) return false;
    if (is_owned(*text) || !read_.insert(path).second) return true;
    std::vector<Statement> found = partition_statements(resource_, path, *text);
    std::move(found.begin(), found.end(), std::back_inserter(statements_));
    return true;
  }

  // A GUID a line: of switches that are roots, of ports of I/O nodes.
  void read_guids(const SaidOption& option, std::string_view attribute) {
    const std::string* text = text_at(state_.files, option.value);
    if (text == nullptr) return name_unread(option);
    std::size_t number = 0;
    for (const std::string_view each : split_lines(*text)) {
      ++number;
      const std::string_view line = trim(each);
      if (line.empty() || line.front() == '#') continue;
      Statement statement{"opensm", option.key, std::string{line}, option.value, number};
      judge_listed(statement, attribute);
      statements_.push_back(std::move(statement));
    }
  }

  void judge_listed(Statement& statement, std::string_view attribute) const {
    const Result<Guid> guid = Guid::parse(statement.value);
    if (!guid) return;
    const bool roots = attribute == "roots";
    const std::string name = roots ? switch_of(*guid) : port_of_guid(resource_, guid->str());
    const auto desired = resource_.desired.find(attribute);
    const List* list =
        desired == resource_.desired.end() ? nullptr : desired->second.value.as_list();
    if (list != nullptr && std::find(list->begin(), list->end(), Value{name}) != list->end()) {
      statement.said = Class::said;
    } else if (!name.empty()) {
      statement.said = Class::sayable;
      statement.instead =
          fmt::format("subnet_manager: {{{}: [{}]}}", attribute, name.substr(0, name.find('/')));
    } else if (roots) {
      statement.said = Class::sayable;
      statement.instead = fmt::format(
          "a node {{platform: unmanaged, node_guid: \"{}\"}} that is one of `roots`", guid->str());
    }
  }

  std::string switch_of(Guid guid) const {
    const auto found = resource_.binding.find(keys::kNodeGuids);
    const Map* guids = found == resource_.binding.end() ? nullptr : found->second.as_map();
    for (const auto& [name, told] : guids == nullptr ? Map{} : *guids) {
      const Result<Guid> each = Guid::parse(to_text(told));
      if (each && *each == guid) return name;
    }
    return {};
  }

  // What the port tells of the manager that runs on it, where no file and no argument says so.
  void read_running() {
    const InfinibandPort* port = manager_.port();
    const bool foreign = port != nullptr && !state_.is_running(manager_.paths().unit_name) &&
                         port->own && port->own->manager && manager_.guid() &&
                         port->own->manager->guid == *manager_.guid();
    if (!foreign) return;
    if (!explains_priority_)
      read_running("sm_priority", std::to_string(port->own->manager->priority));
    if (!explains_prefix_ && !port->prefix.empty()) read_running("subnet_prefix", port->prefix);
    if (!explains_lmc_ && !port->lmc.empty()) read_running("lmc", port->lmc);
  }

  void read_running(const char* key, std::string value) {
    add(option_statement({key, std::move(value), {}, 0}, resource_, manager_));
  }

  const Resource& resource_;
  const ManagerOnPort& manager_;
  const ManagerState& state_;
  std::vector<Statement> statements_;
  std::set<std::string> read_;     // files of partitions
  std::set<std::string> configs_;  // files of options that run
  bool named_partitions_ = false;
  bool explains_priority_ = false, explains_prefix_ = false, explains_lmc_ = false;
};

}  // namespace

std::vector<std::string> foreign_manager_files(const ManagerState& state) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : state.files) {
    const bool partitions =
        path == "/etc/opensm/partitions.conf" || path == "/etc/rdma/partitions.conf";
    if ((is_options(path) || partitions) && !is_owned(text)) paths.push_back(path);
  }
  return paths;
}

std::vector<Statement> manager_statements(const Resource& resource, const ManagerOnPort& manager) {
  return Collector{resource, manager}.collect();
}

}  // namespace fabric::providers
