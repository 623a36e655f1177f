// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/ansible.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/node_set.hpp"

namespace fabric::description {

namespace {

constexpr std::int64_t kLargestPort = 65'535;
constexpr std::int64_t kUsualPort = 22;

// Keys of a login without use for a document, or with the same effect as none.
constexpr std::array<std::string_view, 5> kNothing{
    "ansible_python_interpreter",
    "ansible_become_user",
    "ansible_group_priority",
    "ansible_ssh_pipelining",
    "ansible_ssh_executable"};

bool is_yes(const std::string& value) {
  const std::string word = to_lower(value);
  return word == "true" || word == "yes" || word == "1" || word == "on";
}

bool is_path(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.find("{{") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

// "[user@]host[:port]"
bool is_jump(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view host = at == std::string_view::npos ? text : text.substr(at + 1);
  const std::size_t colon = host.find(':');
  return (at == std::string_view::npos || is_host_text(text.substr(0, at))) &&
         is_host_text(host.substr(0, colon)) &&
         (colon == std::string_view::npos || parse_unsigned(host.substr(colon + 1), 10));
}

// The jump host of a login: "-J b", "-o ProxyJump=b", "-o ProxyCommand=ssh -W %h:%p b".
struct SshWords {
  std::string jump;
  std::vector<std::string> others;
};

SshWords ssh_words(std::string_view text) {
  SshWords found;
  std::string plain{text};
  std::erase_if(plain, [](char c) { return c == '"' || c == '\''; });
  const std::vector<std::string_view> words = split_words(plain);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    const bool has_next = i + 1 < words.size();
    if ((word == "-J" || word == "-o") && has_next) {
      const bool is_jump_word = word == "-J";
      word = words[++i];
      if (is_jump_word) {
        found.jump = word;
        continue;
      }
    } else if (word.starts_with("-o") || word.starts_with("-J")) {
      if (word.starts_with("-J")) {
        found.jump = word.substr(2);
        continue;
      }
      word.remove_prefix(2);
    }
    const std::string lower = to_lower(word);
    if (lower.starts_with("proxyjump=")) {
      found.jump = word.substr(word.find('=') + 1);
    } else if (lower.starts_with("proxycommand=ssh")) {
      // The host is the word that is neither an option nor an option's value.
      for (++i; i < words.size(); ++i) {
        const bool takes_value = words[i] == "-W" || words[i] == "-p" || words[i] == "-i" ||
                                 words[i] == "-l" || words[i] == "-o";
        if (takes_value) {
          ++i;
        } else if (!words[i].starts_with('-')) {
          found.jump = words[i];
          break;
        }
      }
    } else {
      found.others.emplace_back(word);
    }
  }
  return found;
}

std::string platform_of_os(const std::string& os) {
  const std::string word =
      to_lower(os.substr(os.rfind('.') == std::string::npos ? 0 : os.rfind('.') + 1));
  if (word == "onyx" || word == "mlnxos") return "mlnx-os";
  if (word == "nvue" || word == "cumulus") return "cumulus";
  return {};
}

// The variables of one host, as its node.
class Login {
 public:
  explicit Login(Node& node) : node_{node} {}

  void read(const Inventory::Variables& variables) {
    for (const auto& [key, value] : variables)
      set(key, value);
    const auto method = variables.find("ansible_become_method");
    const bool by_sudo = method == variables.end() || method->second == "sudo";
    if (!node_.become.empty() && !by_sudo) {
      node_.become.clear();
      left_out("ansible_become_method", method->second);
    }
  }

 private:
  void left_out(const std::string& key, const std::string& value) {
    if (node_.notes.size() < limits::kForeignNotes)
      node_.notes.push_back(fmt::format("left out: {} is '{}'", key, value));
  }

  void set(const std::string& key, const std::string& value) {
    const auto take = [&](std::string& to, bool good) {
      if (good) to = value;
      if (!good) left_out(key, value);
    };
    if (key == "rack" && is_host_text(value)) node_.labels["rack"] = value;
    if (!key.starts_with("ansible_")) return;
    if (key == "ansible_host" || key == "ansible_ssh_host") {
      take(node_.address, is_host_text(value));
    } else if (key == "ansible_user" || key == "ansible_ssh_user") {
      take(node_.user, is_host_text(value));
    } else if (key == "ansible_port" || key == "ansible_ssh_port") {
      const auto port = parse_integer(value);
      if (port && *port > 0 && *port <= kLargestPort) {
        node_.ssh_port = *port == kUsualPort ? 0 : static_cast<std::uint32_t>(*port);
      } else {
        left_out(key, value);
      }
    } else if (key == "ansible_ssh_private_key_file" || key == "ansible_private_key_file") {
      take(node_.identity_file, is_path(value));
    } else if (key == "ansible_become" || key == "ansible_sudo") {
      if (is_yes(value)) node_.become = "sudo";
    } else if (key == "ansible_ssh_common_args" || key == "ansible_ssh_extra_args") {
      read_ssh_words(key, value);
    } else if (key == "ansible_network_os") {
      node_.platform = platform_of_os(value);
      node_.is_switch = !node_.platform.empty();
      if (node_.platform.empty()) left_out(key, value);
    } else if (key == "ansible_connection") {
      const bool by_ssh = value.ends_with("ssh") || value.ends_with("network_cli") ||
                          value == "paramiko" || value == "smart";
      if (!by_ssh) left_out(key, value);
    } else if (key.find("pass") != std::string::npos) {
      if (node_.notes.size() < limits::kForeignNotes)
        node_.notes.push_back(fmt::format("left out: {}, which is a secret", key));
    } else if (
        key != "ansible_become_method" && std::ranges::find(kNothing, key) == kNothing.end()) {
      left_out(key, value);
    }
  }

  void read_ssh_words(const std::string& key, const std::string& value) {
    const SshWords words = ssh_words(value);
    if (is_jump(words.jump)) {
      node_.jump = words.jump;
    } else if (!words.jump.empty()) {
      left_out(key, value);
      return;
    }
    if (!words.others.empty()) left_out(key, join(words.others, " "));
  }

  Node& node_;
};

// "[a:c]" as names; nullopt where the text has no such range.
std::optional<std::vector<std::string>> letters(std::string_view text) {
  const std::size_t open = text.find('[');
  constexpr std::size_t kLength = 5;  // "[a:c]"
  if (open == std::string_view::npos || text.size() < open + kLength || text[open + 2] != ':' ||
      text[open + 4] != ']')
    return std::nullopt;
  const char first = text[open + 1];
  const char last = text[open + 3];
  const bool is_letters = first >= 'a' && last <= 'z' && first <= last;
  if (!is_letters) return std::nullopt;
  std::vector<std::string> names;
  for (char c = first; c <= last; ++c)
    names.push_back(fmt::format("{}{}{}", text.substr(0, open), c, text.substr(open + kLength)));
  return names;
}

// Ansible's "[01:20]" and "[1:9:2]" are "[01-20]" and "[1-9/2]" of a node set.
std::string as_node_set(std::string_view written) {
  std::string set;
  std::size_t colons = 0;
  bool inside = false;
  for (const char c : written) {
    if (c == '[') colons = 0;
    if (c == '[' || c == ']') inside = c == '[';
    const bool sign = inside && c == ':';
    set += !sign ? c : colons++ == 0 ? '-' : '/';
  }
  return set;
}

}  // namespace

Result<void> Inventory::count(std::size_t values, std::size_t line) {
  counted_ += values;
  if (counted_ > limits::kForeignValues)
    return refusal(
        line,
        fmt::format("the lines up to here come to more than {} values", limits::kForeignValues));
  return {};
}

void Inventory::add_child(const std::string& group, const std::string& child) {
  groups_[group].children.insert(child);
  groups_[child];
}

void Inventory::name(const std::string& note) {
  if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
}

Result<std::vector<std::string>> Inventory::add_hosts(
    const std::string& group, std::string_view written, std::size_t line) {
  const bool has_range = written.find('[') != std::string_view::npos;
  std::vector<std::string> patterns{std::string{written}};
  if (auto spelled = letters(written)) patterns = *std::move(spelled);
  std::vector<std::string> found;
  for (const std::string& pattern : patterns) {
    const Result<NodeSet> set = NodeSet::parse(has_range ? as_node_set(pattern) : pattern);
    if (!set) return refusal(line, set.error().message);
    FABRIC_TRY(count(set->size(), line));
    for (std::size_t i = 0; i < set->size(); ++i) {
      const std::string name = set->at(i);
      const std::size_t colon = name.find(':');
      const std::string host = name.substr(0, colon);
      if (safe_name(host) != host)
        return refusal(line, fmt::format("'{}' is not the name of a host", host));
      Variables& variables = hosts_[host];
      if (colon != std::string::npos) variables["ansible_port"] = name.substr(colon + 1);
      if (hosts_.size() > limits::kNodes)
        return refusal(line, fmt::format("more than {} hosts", limits::kNodes));
      groups_[group].hosts.insert(host);
      found.push_back(host);
    }
  }
  return found;
}

Result<void> Inventory::set_group(
    const std::string& group, const std::string& key, const std::string& value, std::size_t line) {
  FABRIC_TRY(count(1, line));
  groups_[group].variables[key] = value;
  return {};
}

Result<void> Inventory::set_hosts(
    const std::vector<std::string>& hosts,
    const std::string& key,
    const std::string& value,
    std::size_t line) {
  FABRIC_TRY(count(hosts.size(), line));
  // Of the site's own variables, only `rack` is about a fabric.
  if (!key.starts_with("ansible_") && key != "rack") return {};
  for (const std::string& host : hosts) {
    const auto known = hosts_.find(host);
    if (known != hosts_.end()) known->second[key] = value;
  }
  return {};
}

// How far below `all` each group is; a circle is cut where it closes.
std::map<std::string, std::size_t> Inventory::depths() const {
  std::map<std::string, std::size_t> found;
  for (const auto& [name, group] : groups_)
    found.emplace(name, name == "all" ? 0 : 1);
  for (std::size_t round = 0; round < groups_.size(); ++round) {
    bool changed = false;
    for (const auto& [name, group] : groups_) {
      for (const std::string& child : group.children) {
        std::size_t& depth = found[child];
        if (depth > found.at(name) || depth > groups_.size()) continue;
        depth = found.at(name) + 1;
        changed = true;
      }
    }
    if (!changed) break;
  }
  return found;
}

Inventory::Variables Inventory::variables_of(
    const std::string& host,
    const std::map<std::string, std::set<std::string>>& groups_of,
    const std::map<std::string, std::size_t>& depths) const {
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const std::string& group : groups_of.at(host))
    order.emplace_back(depths.at(group), group);
  std::sort(order.begin(), order.end());
  Variables all;
  for (const auto& [depth, group] : order) {
    for (const auto& [key, value] : groups_.at(group).variables)
      all[key] = value;
  }
  for (const auto& [key, value] : hosts_.at(host))
    all[key] = value;
  return all;
}

Result<Description> Inventory::take() const {
  if (hosts_.empty())
    return refusal(1, notes_.empty() ? "the inventory has no host" : notes_.front());
  std::map<std::string, std::set<std::string>> parents;
  for (const auto& [name, group] : groups_) {
    for (const std::string& child : group.children)
      parents[child].insert(name);
  }
  std::map<std::string, std::set<std::string>> groups_of;
  for (const auto& [host, variables] : hosts_)
    if (groups_.contains("all"))
      groups_of[host].insert("all");
    else
      groups_of[host];
  for (const auto& [name, group] : groups_) {
    std::set<std::string> above;
    std::vector<std::string> left{name};
    while (!left.empty()) {
      const std::string next = left.back();
      left.pop_back();
      if (!above.insert(next).second) continue;
      const auto more = parents.find(next);
      if (more != parents.end()) left.insert(left.end(), more->second.begin(), more->second.end());
    }
    for (const std::string& host : group.hosts)
      groups_of[host].insert(above.begin(), above.end());
  }
  const std::map<std::string, std::size_t> deep = depths();
  Description found;
  found.notes = notes_;
  for (const auto& [host, own] : hosts_) {
    Node& node = found.nodes[host];
    Login{node}.read(variables_of(host, groups_of, deep));
    // A host is reached by its name unless an address is given.
    if (node.address.empty()) node.address = host;
  }
  return found;
}

}  // namespace fabric::description
