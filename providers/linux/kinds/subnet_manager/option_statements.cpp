// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/option_statements.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/infiniband/parsers/opensm.hpp"

namespace fabric::providers {

namespace {

using Class = StatementClass;

// True for keys that may stand several times, once for each service level.
bool is_repeatable(std::string_view key) {
  return key.starts_with("cc_ca_cong_setting_");
}

// OpenSM's own name of an option behind its names on the command line, as opensm(8) has them.
struct Argument {
  std::string_view name, short_name, key;
  bool has_value = true;
};
constexpr Argument kArguments[] = {
    {"--config", "-F", "config"},
    {"--guid", "-g", "guid"},
    {"--lmc", "-l", "lmc"},
    {"--priority", "-p", "sm_priority"},
    {"--subnet_prefix", "", "subnet_prefix"},
    {"--smkey", "-k", "sm_key"},
    {"--reassign_lids", "-r", "reassign_lids", false},
    {"--routing_engine", "-R", "routing_engine"},
    {"--do_mesh_analysis", "", "do_mesh_analysis", false},
    {"--lash_start_vl", "", "lash_start_vl"},
    {"--sm_sl", "", "sm_sl"},
    {"--connect_roots", "-z", "connect_roots", false},
    {"--ucast_cache", "-A", "use_ucast_cache", false},
    {"--lid_matrix_file", "-M", "lid_matrix_dump_file"},
    {"--lfts_file", "-U", "lfts_file"},
    {"--sadb_file", "-S", "sa_db_file"},
    {"--root_guid_file", "-a", "root_guid_file"},
    {"--cn_guid_file", "-u", "cn_guid_file"},
    {"--io_guid_file", "-G", "io_guid_file"},
    {"--port-shifting", "", "port_shifting", false},
    {"--scatter-ports", "", "scatter_ports"},
    {"--max_reverse_hops", "-H", "max_reverse_hops"},
    {"--ids_guid_file", "-m", "ids_guid_file"},
    {"--guid_routing_order_file", "-X", "guid_routing_order_file"},
    {"--sweep", "-s", "sweep_interval"},
    {"--timeout", "-t", "transaction_timeout"},
    {"--retries", "", "transaction_retries"},
    {"--maxsmps", "-n", "max_wire_smps"},
    {"--console", "-q", "console"},
    {"--console-port", "-C", "console_port"},
    {"--ignore_guids", "-i", "port_prof_ignore_file"},
    {"--hop_weights_file", "-w", "hop_weights_file"},
    {"--port_search_ordering_file", "-O", "port_search_ordering_file"},
    {"--dimn_ports_file", "-O", "port_search_ordering_file"},
    {"--torus_config", "", "torus_config"},
    {"--log_file", "-f", "log_file"},
    {"--log_limit", "-L", "log_max_size"},
    {"--erase_log_file", "-e", "accum_log_file", false},
    {"--Pconfig", "-P", "partition_config_file"},
    {"--part_enforce", "-Z", "part_enforce"},
    {"--no_part_enforce", "-N", "no_partition_enforcement", false},
    {"--allow_both_pkeys", "-W", "allow_both_pkeys", false},
    {"--qos", "-Q", "qos", false},
    {"--qos_policy_file", "-Y", "qos_policy_file"},
    {"--congestion_control", "", "congestion_control", false},
    {"--cckey", "", "cc_key"},
    {"--stay_on_fatal", "-y", "exit_on_fatal", false},
    {"--daemon", "-B", "daemon", false},
    {"--inactive", "-I", "sm_inactive", false},
    {"--perfmgr", "", "perfmgr", false},
    {"--perfmgr_sweep_time_s", "", "perfmgr_sweep_time_s"},
    {"--prefix_routes_file", "", "prefix_routes_file"},
    {"--consolidate_ipv6_snm_req", "", "consolidate_ipv6_snm_req", false},
    {"--log_prefix", "", "log_prefix"},
    {"-D", "", "log_flags"},
    {"--D", "", "log_flags"},
    {"--honor_guid2lid", "-x", "honor_guid2lid_file", false}};

const Argument* find_argument(std::string_view word) {
  const auto* const found =
      std::find_if(std::begin(kArguments), std::end(kArguments), [&](const Argument& each) {
        return word == each.name || (!each.short_name.empty() && word == each.short_name);
      });
  return found == std::end(kArguments) ? nullptr : found;
}

// True for an option that switches another one off.
bool is_negative(std::string_view key) {
  return key == "accum_log_file" || key == "exit_on_fatal";
}

// Keys that the probe does not list are unchanged.
std::string default_key(std::string_view key) {
  return key == "sm_key" || key == "sa_key" ? "0x1" : "0x0";
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Compares an option that has a key of its own.
void compare(
    Statement& statement,
    const Value* document,
    const Value& found,
    std::string_view key,
    std::string_view written) {
  if (document == nullptr) {
    statement.said = Class::sayable;
    statement.instead = fmt::format("subnet_manager: {{{}: {}}}", key, written);
    return;
  }
  const bool same = *document == found || opensm_value(without_blanks(to_text(*document))) ==
                                              opensm_value(without_blanks(to_text(found)));
  statement.said = same ? Class::said : Class::said_otherwise;
  if (!same) statement.instead = fmt::format("{}: {}", key, to_text(*document));
}

std::string quoted(const Value& value) {
  return value.as_string() == nullptr ? to_text(value) : fmt::format("\"{}\"", to_text(value));
}

// For a port's GUID: the document has a manager there, or manages its network elsewhere.
void judge_guid(Statement& statement, const Resource& resource, const ManagerOnPort& manager) {
  const Result<Guid> guid = Guid::parse(statement.value);
  if (!guid) return;
  const std::string port = port_of_guid(resource, guid->str());
  const List& managers = resource.bound_list(keys::kManagers);
  const bool placed = std::find(managers.begin(), managers.end(), Value{port}) != managers.end();
  if (manager.guid() == *guid || manager.state().ours.contains(*guid) || placed) {
    statement.said = Class::said;
  } else if (!port.empty()) {
    statement.said = Class::said_otherwise;
    statement.instead = fmt::format("no manager of the document is on {}", port);
  }
}

void judge_virtualization(Statement& statement, const Resource& resource, const Value& found) {
  // 1 means the cards' own setting, for which no key exists.
  if (found != Value{0} && found != Value{2}) return;
  const bool on = found == Value{2};
  compare(statement, resource.wanted(kVirtualization), on, kVirtualization, on ? "true" : "false");
}

void judge_decided(
    Statement& statement,
    const Resource& resource,
    const ManagerOnPort& manager,
    const Value& found) {
  const std::string& key = statement.key;
  if (key == "guid") return judge_guid(statement, resource, manager);
  if (key == "virt_enabled") return judge_virtualization(statement, resource, found);
  if (key == "sm_priority")
    return compare(statement, resource.wanted("priority"), found, "priority", statement.value);
  if (key == "subnet_prefix" || key == "routing_engine") {
    return compare(
        statement,
        resource.wanted(key),
        statement.value,
        key,
        fmt::format("\"{}\"", statement.value));
  }
  // Values of fabric's own unit: it runs in the foreground, is active, and writes its log at once.
  statement.said = key == "force_log_flush" ? Class::said : Class::said_otherwise;
  statement.instead = "fabric's own unit sets this option";
}

void judge_settable(Statement& statement, const Resource& resource, const Value& found) {
  const Value* document = resource.wanted(kManagerOptions);
  const Value* same = document == nullptr ? nullptr : document->find(statement.key);
  if (same != nullptr) {
    statement.said = *same == found ? Class::said : Class::said_otherwise;
    statement.instead =
        *same == found ? "" : fmt::format("options: {{{}: {}}}", statement.key, to_text(*same));
    return;
  }
  if (!why_no_opensm_value(opensm_text(found)).empty()) return;
  statement.said = Class::sayable;
  statement.instead =
      fmt::format("subnet_manager: {{options: {{{}: {}}}}}", statement.key, quoted(found));
}

}  // namespace

std::vector<SaidOption> options_of_file(const std::string& path, const std::string& text) {
  std::vector<SaidOption> said;
  std::size_t number = 0;
  for (const std::string_view each : split_lines(text)) {
    ++number;
    const std::string_view line = trim(each);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    SaidOption option{
        std::string{line.substr(0, end)}, std::string{trim(line.substr(end))}, path, number};
    if (!is_repeatable(option.key))
      std::erase_if(said, [&](const SaidOption& other) { return other.key == option.key; });
    said.push_back(std::move(option));
  }
  return said;
}

std::vector<SaidOption> options_of_process(const std::vector<std::string>& words) {
  std::vector<SaidOption> said;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    std::string value;
    const std::size_t equals = word.find('=');
    const bool joined = word.starts_with("--") && equals != std::string_view::npos;
    if (joined) {
      value = word.substr(equals + 1);
      word = word.substr(0, equals);
    }
    const Argument* argument = find_argument(word);
    if (argument == nullptr) {
      said.push_back({std::string{word}, value, {}, 0});
      continue;
    }
    if (!argument->has_value) {
      value = is_negative(argument->key) ? "FALSE" : "TRUE";
    } else if (!joined && i + 1 < words.size()) {
      value = words[++i];
    }
    said.push_back({std::string{argument->key}, value, {}, 0});
  }
  return said;
}

std::optional<Value> effective_option(const SaidOption& option, const ManagerState& state) {
  const bool secret = opensm_option_rule(option.key).is == OpensmOptionClass::secret;
  const auto known = state.options.find(option.key);
  std::optional<std::string> fallback;
  if (known != state.options.end()) fallback = known->second;
  if (secret) fallback = default_key(option.key);
  std::string text = option.value;
  if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
      text.front() == text.back())
    text = text.substr(1, text.size() - 2);
  if (fallback == text || (text == "(null)" && state.options.empty())) return std::nullopt;
  const Value by_default = fallback ? opensm_value(*fallback) : Value{};
  Value found = opensm_value(text);
  if (by_default.as_bool() != nullptr) found = text == "TRUE";
  // "Parsing error in field": OpenSM keeps the default.
  const bool no_number = by_default.as_integer() != nullptr && found.as_integer() == nullptr;
  if (no_number && !secret && !text.starts_with("0x")) return std::nullopt;
  const bool no_guid = option.key == "guid" && found == Value{0};  // the first port that is up
  return no_guid || found == by_default ? std::nullopt : std::optional{std::move(found)};
}

std::optional<Statement> option_statement(
    const SaidOption& option, const Resource& resource, const ManagerOnPort& manager) {
  const ManagerState& state = manager.state();
  const auto found = effective_option(option, state);
  if (!found) return std::nullopt;
  const OpensmOptionRule rule = opensm_option_rule(option.key);
  Statement statement{
      option.file.empty() ? "running" : "opensm",
      option.key,
      option.key == "guid" ? option.value : opensm_text(*found),
      option.file,
      option.line};
  // An option that OpenSM of this node does not know may be one of another OpenSM; no key has it.
  const bool unknown = !state.options.empty() && !state.options.contains(option.key) &&
                       rule.is != OpensmOptionClass::secret;
  if (unknown) return statement;
  switch (rule.is) {
    case OpensmOptionClass::settable:
      if (!is_repeatable(option.key)) judge_settable(statement, resource, *found);
      return statement;
    case OpensmOptionClass::decided:
      if (option.key.ends_with("_file")) return std::nullopt;
      judge_decided(statement, resource, manager, *found);
      return statement;
    case OpensmOptionClass::secret:
      statement.value.clear();
      return statement;
    case OpensmOptionClass::path:
      if (option.key == "log_file" || option.key == "dump_files_dir") {
        statement.said = Class::said_otherwise;
        statement.instead = "the log of fabric's unit";
      }
      return statement;
    case OpensmOptionClass::opens:
      return statement;
  }
  return statement;
}

std::string port_of_guid(const Resource& resource, std::string_view guid) {
  const Result<Guid> wanted = Guid::parse(guid);
  for (const auto& [port, told] : resource.bound_map(keys::kPortGuids)) {
    const Result<Guid> each = Guid::parse(to_text(told));
    if (wanted && each && *each == *wanted) return port;
  }
  return {};
}

}  // namespace fabric::providers
