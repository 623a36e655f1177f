// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_statements.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"
#include "providers/linux/kinds/subnet_manager/option_statements.hpp"

namespace fabric::providers {

namespace {

using Class = StatementClass;

constexpr std::int64_t kDefault = 0x7fff;

// Lines of one P_Key are one partition.
struct Joined {
  std::string name;
  std::int64_t pkey = 0;
  bool ipoib = false;
  std::int64_t mtu = 0;  // IBTA's code
  std::size_t line = 1;
  std::vector<PartitionMember> members;
  std::vector<std::pair<std::string, std::size_t>> more;  // values without a key, with lines
};

void add_more(Joined& partition, const Partition& line) {
  const auto add = [&](std::string what) {
    partition.more.emplace_back(std::move(what), line.line);
  };
  const auto flag = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) add(fmt::format("{}={}", name, *value));
  };
  flag("rate", line.flags.rate);
  flag("sl", line.flags.sl);
  flag("Q_Key", line.flags.q_key);
  flag("TClass", line.flags.tclass);
  flag("FlowLabel", line.flags.flow_label);
  for (const std::int64_t scope : line.flags.scopes)
    add(fmt::format("scope={}", scope));
  if (line.index0) add("indx0");
  for (const PartitionGroup& group : line.groups)
    partition.more.emplace_back("mgid=" + group.mgid, group.line);
}

std::vector<Joined> joined(const PartitionsConf& conf) {
  std::vector<Joined> partitions;
  for (const Partition& line : conf.partitions) {
    const std::int64_t pkey = line.p_key.value_or(0);
    auto known = std::ranges::find_if(
        partitions, [&](const Joined& each) { return each.pkey == pkey && pkey != 0; });
    if (known == partitions.end()) {
      partitions.push_back({line.name, pkey, false, 0, line.line, {}, {}});
      known = partitions.end() - 1;
    }
    known->ipoib = known->ipoib || line.ipoib;
    if (line.flags.mtu) known->mtu = *line.flags.mtu;
    add_more(*known, line);
    known->members.insert(known->members.end(), line.members.begin(), line.members.end());
  }
  return partitions;
}

std::int64_t bytes_of(std::int64_t code) {
  constexpr std::int64_t kSmallest = 256;
  return code < 1 || code > 5 ? 0 : kSmallest << (code - 1);
}

class ManagerStatementsReader {
 public:
  ManagerStatementsReader(const Resource& resource, const std::string& path)
      : resource_{resource}, path_{path} {}

  void read(const Joined& partition) {
    for (const auto& [what, line] : partition.more)
      add(partition, line, what, Class::not_sayable);
    const Map* document = wanted(partition.pkey);
    if (document == nullptr) {
      read_unsaid(partition);
      return;
    }
    const bool implied = is_implied(*document);
    if (partition.ipoib && text_in(*document, "ipoib") != "true")
      add(partition, partition.line, "ipoib", Class::said_otherwise, "ipoib: false");
    const std::string mtu = text_in(*document, "mtu");
    const std::int64_t bytes = bytes_of(partition.mtu);
    if (bytes != 0 && mtu != std::to_string(bytes)) {
      const std::string what = fmt::format("mtu={}", partition.mtu);
      if (mtu.empty()) {
        add(partition, partition.line, what, Class::sayable, fmt::format("mtu: {}", bytes));
      } else {
        add(partition, partition.line, what, Class::said_otherwise, "mtu: " + mtu);
      }
    }
    for (const PartitionMember& member : last_of_each(partition.members))
      read_member(partition, member, *document, implied);
  }

  std::vector<Statement> statements;

 private:
  const Map* wanted(std::int64_t pkey) const {
    for (const Value& each : or_null(resource_.wanted(kPartitions)).items()) {
      const Map* map = each.as_map();
      if (map != nullptr && text_in(*map, "pkey") == std::to_string(pkey)) return map;
    }
    return nullptr;
  }

  // Every port has it if its document does not name it.
  static bool is_implied(const Map& partition) {
    const List& list = value_at(partition, "members").items();
    if (text_in(partition, "pkey") != std::to_string(kDefault) || list.size() != 1) return false;
    const Map& only = list.front().members();
    return text_in(only, "who") == "ALL" && text_in(only, "full") == "true";
  }

  // The member's name in a document; "" if it has none.
  std::string who(const PartitionMember& member) const {
    if (member.keyword == PartitionKeyword::all) return "ALL";
    if (member.keyword == PartitionKeyword::self) return "SELF";
    if (member.keyword) return {};
    return port_of_guid(resource_, member.port->str());
  }

  static std::string written(const PartitionMember& member) {
    return fmt::format(
        "{}={}",
        member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
        membership_name(member.membership));
  }

  // Of two members for the same port OpenSM takes the later one.
  static std::vector<PartitionMember> last_of_each(const std::vector<PartitionMember>& members) {
    std::vector<PartitionMember> last;
    for (const PartitionMember& member : members) {
      std::erase_if(last, [&](const PartitionMember& other) {
        return other.keyword == member.keyword && other.port == member.port;
      });
      last.push_back(member);
    }
    return last;
  }

  void read_member(
      const Joined& partition, const PartitionMember& member, const Map& document, bool implied) {
    const std::string name = who(member);
    if (member.membership == PartitionMembership::both || name.empty()) {
      // `ALL` is more than any single port.
      if (implied && member.membership == PartitionMembership::full) return;
      add(partition, member.line, written(member), Class::not_sayable);
      return;
    }
    const std::string how{membership_name(member.membership)};
    const Value* same = nullptr;
    for (const Value& each : value_at(document, "members").items()) {
      if (each.as_map() != nullptr && text_in(*each.as_map(), "who") == name) same = &each;
    }
    const bool full = member.membership == PartitionMembership::full;
    if (same != nullptr && text_in(*same->as_map(), "full") == (full ? "true" : "false")) return;
    if (implied && full) return;
    const std::string document_says = same != nullptr && !implied
                                          ? fmt::format("{}: {}", name, full ? "limited" : "full")
                                          : fmt::format(
                                                "partitions: {{{}: {{{}members: {{{}: {}}}}}}}",
                                                document_name(partition),
                                                implied ? "pkey: \"0x7fff\", " : "",
                                                name,
                                                how);
    add(partition,
        member.line,
        written(member),
        same != nullptr && !implied ? Class::said_otherwise : Class::sayable,
        document_says);
  }

  void read_unsaid(const Joined& partition) {
    std::string members;
    bool sayable = partition.pkey != 0;
    for (const PartitionMember& member : last_of_each(partition.members)) {
      const std::string name = who(member);
      if (member.membership == PartitionMembership::both || name.empty()) {
        sayable = false;
        continue;
      }
      members += fmt::format(
          "{}{}: {}", members.empty() ? "" : ", ", name, membership_name(member.membership));
    }
    const std::int64_t bytes = bytes_of(partition.mtu);
    const std::string yaml = fmt::format(
        "partitions: {{{}: {{pkey: \"0x{:04x}\"{}{}, members: {{{}}}}}}}",
        document_name(partition),
        partition.pkey,
        partition.ipoib ? ", ipoib: true" : "",
        bytes == 0 ? "" : fmt::format(", mtu: {}", bytes),
        members);
    std::string value =
        partition.pkey == 0 ? std::string{} : fmt::format("0x{:04x}", partition.pkey);
    for (const PartitionMember& member : partition.members) {
      if (who(member).empty() || member.membership == PartitionMembership::both)
        value += " " + written(member);
    }
    add(partition,
        partition.line,
        std::string{trim(value)},
        sayable ? Class::sayable : Class::not_sayable,
        sayable ? yaml : "");
  }

  static std::string key_of(const Joined& partition) {
    return partition.name.empty() ? fmt::format("p{:04x}", partition.pkey) : partition.name;
  }

  // As a document may call it: OpenSM takes other characters, too.
  static std::string document_name(const Joined& partition) {
    constexpr std::size_t kLongest = 64;
    std::string name = key_of(partition);
    std::erase(name, '"');
    name.resize(std::min(name.size(), kLongest));
    const auto is_free = [](unsigned char c) {
      return std::isalnum(c) == 0 && c != '_' && c != '.' && c != '-';
    };
    std::replace_if(name.begin(), name.end(), is_free, '-');
    return name;
  }

  void add(
      const Joined& partition,
      std::size_t line,
      std::string value,
      StatementClass said,
      std::string instead = {}) {
    statements.push_back(
        {"partitions", key_of(partition), std::move(value), path_, line, said, std::move(instead)});
  }

  const Resource& resource_;
  const std::string& path_;
};

// One for each partition that the document lacks, otherwise one for each member and flag.
std::vector<Statement> partition_statements(
    const Resource& resource, const std::string& path, const std::string& text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf)
    return {{"partitions", "unreadable", conf.error().message, path, 1, Class::not_sayable, {}}};
  ManagerStatementsReader reader{resource, path};
  for (const Joined& partition : joined(*conf))
    reader.read(partition);
  return std::move(reader.statements);
}

using Class = StatementClass;

constexpr std::string_view kFolders[] = {"/etc/opensm/", "/etc/rdma/"};

// An options file of a distribution or of MLNX_OFED. RHEL starts an OpenSM per opensm.conf.N.
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
    for (const OpensmProcess& process : state_.processes) {
      for (const SaidOption& option : options_of_process(process.words))
        if (option.key == "config") configs_.insert(option.value);
    }
    for (const auto& [path, text] : state_.files) {
      const bool is_file = (is_options(path) || configs_.contains(path)) && !is_owned(text);
      if (is_file && !is_of_another(options_of_file(path, text)))
        read_options(options_of_file(path, text));
      if (is_defaults(path)) read_defaults(path, text);
    }
    for (const OpensmProcess& process : state_.processes)
      read_process(process.words);
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

  // Of several OpenSMs on a node, one may run on another port, whose manager in the document is
  // compared with it.
  bool is_of_another(const std::vector<SaidOption>& options) const {
    return std::ranges::any_of(options, [this](const SaidOption& option) {
      const Result<Guid> guid = Guid::parse(option.value);
      return option.key == "guid" && guid && manager_.guid() != *guid &&
             state_.ours.contains(*guid);
    });
  }

  void read_process(const std::vector<std::string>& words) {
    std::vector<SaidOption> options = options_of_process(words);
    if (is_of_another(options)) return;
    // Debian's service starts an OpenSM on every port, with or without a subnet to manage.
    std::erase_if(options, [this](const SaidOption& option) {
      return option.key == "guid" ||
             (option.key == "config" && state_.files.contains(option.value));
    });
    read_options(options);
  }

  // The managers of all ports end with the node's own OpenSM.
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

  // OpenSM ignores a file of an option that is missing.
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

  // Returns true if it was read.
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
    const List& list = or_null(resource_.wanted(attribute)).items();
    if (std::find(list.begin(), list.end(), Value{name}) != list.end()) {
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
    for (const auto& [name, told] : resource_.bound_map(keys::kNodeGuids)) {
      const Result<Guid> each = Guid::parse(to_text(told));
      if (each && *each == guid) return name;
    }
    return {};
  }

  // Values that the port tells of its running manager, if no file and no argument has them.
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
