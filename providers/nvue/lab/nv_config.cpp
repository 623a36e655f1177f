// SPDX-License-Identifier: Apache-2.0
// `nv set`, `nv unset` and `nv config`: revisions, the applied configuration, and the confirmation
// without which it is rolled back.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/nvue/lab/nvue_machine.hpp"
#include "providers/nvue/lab/nvue_programs.hpp"

namespace fabric::lab::nvue {
namespace {

constexpr Duration kApply{1500};
constexpr Duration kUsualConfirm{600'000};

struct Call {
  Words words;  // behind `nv`
  Words options;
  std::string output = "yaml";
  std::string revision;  // -r
  bool has(std::string_view option) const {
    return std::find(options.begin(), options.end(), option) != options.end();
  }
};

Call call_of(const std::vector<std::string>& arguments) {
  Call call;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_more = i + 1 < arguments.size();
    if ((word == "-o" || word == "--output") && has_more) {
      call.output = arguments[++i];
    } else if ((word == "-r" || word == "--rev") && has_more) {
      call.revision = arguments[++i];
    } else if (word.starts_with("-")) {
      call.options.push_back(word);
    } else {
      call.words.push_back(word);
    }
  }
  return call;
}

int refuse(Process& process, const std::string& text) {
  process.err(text + "\n");
  return 1;
}

int unknown(Process& process) {
  return refuse(
      process,
      "Error: Invalid Command: " +
          join({process.arguments.begin() + 1, process.arguments.end()}, " "));
}

// The user's own revision; the first change makes one (E-nvue-revisions).
Revision& pending_of(Process& process, NvueMachine& machine) {
  const auto found = machine.nvue.pending.find(process.user);
  if (found != machine.nvue.pending.end()) return machine.revision(found->second);
  const std::uint64_t id = machine.nvue.revisions.back().id + 1;
  machine.nvue.revisions.push_back({id, "pending", process.user, machine.applied()});
  machine.nvue.pending[process.user] = id;
  process.out(fmt::format("created [rev_id: {}]\n", id));
  return machine.revision(id);
}

int change(Process& process, NvueMachine& machine) {
  const Call call = call_of(process.arguments);
  const Words words{call.words.begin() + 1, call.words.end()};
  // A refused change makes no revision.
  Value tried = machine.applied();
  if (call.words[0] == "unset") {
    if (words.empty()) return refuse(process, "Error: Incomplete Command: unset");
    unset(pending_of(process, machine).tree, words);
    machine.note_change();
    return 0;
  }
  if (const std::string wrong = set(tried, words); !wrong.empty()) return refuse(process, wrong);
  set(pending_of(process, machine).tree, words);
  machine.note_change();
  return 0;
}

// The settings that it asks about (E-nvue-confirm): the host name and the way of the login.
std::string warning_of(const Value& from, const Value& to) {
  const Words hostname{"system", "hostname"};
  if (word_at(from, hostname) != word_at(to, hostname)) {
    return fmt::format(
        "Warning: current hostname `{}` will be replaced with `{}`\n",
        word_at(from, hostname),
        word_at(to, hostname));
  }
  const Words way{"interface", "eth0"};
  const Value* before = find(from, way);
  const Value* after = find(to, way);
  const bool same = before == nullptr ? after == nullptr : after != nullptr && *before == *after;
  return same ? "" : "Warning: management interface config is changed.\n";
}

void save_now(NvueMachine& machine) {
  machine.nvue.startup = machine.applied();
  machine.note_change();
}

std::optional<Duration> confirm_time(const std::string& written) {
  constexpr std::int64_t kSecond = 1000;
  if (written.empty()) return kUsualConfirm;
  const char unit = written.back();
  const auto number = parse_integer(
      std::string_view{written}.substr(0, written.size() - (unit >= '0' && unit <= '9' ? 0U : 1U)));
  if (!number || *number <= 0) return std::nullopt;
  if (unit == 's') return Duration{*number * kSecond};
  if (unit == 'h') return Duration{*number * 3600 * kSecond};
  return Duration{*number * 60 * kSecond};  // a bare number is minutes
}

// `--confirm-yes`, `--confirm-no`, `--confirm-status` (E-nvue-confirm)
int answer_confirmation(Process& process, NvueMachine& machine, const Call& call) {
  std::optional<Confirmation>& waiting = machine.nvue.confirmation;
  if (!waiting) return refuse(process, "Error: There is no apply to confirm");
  Revision& revision = machine.revision(waiting->revision);
  if (call.has("--confirm-status")) {
    process.out(fmt::format(
        "time remaining: {}s\n",
        (waiting->until - machine.now - process.session.elapsed).count() / 1000));
    return 0;
  }
  if (call.has("--confirm-no")) {
    machine.roll_back();
    process.out("confirm_no\n");
    return 0;
  }
  waiting.reset();
  const bool saves = machine.saves_by_itself();
  revision.state = saves ? "applied_and_saved" : "applied";
  if (saves) save_now(machine);
  machine.note_change();
  process.out(fmt::format("{} [rev_id: {}]\n", revision.state, revision.id));
  return 0;
}

struct Confirm {
  Words plain;                      // the other words
  std::optional<std::string> time;  // "" = without a time
};

// The value of --confirm is a word of its own.
Confirm without_confirm(const Words& arguments) {
  Confirm found;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--confirm") {
      found.plain.push_back(arguments[i]);
      continue;
    }
    const bool has_time = i + 1 < arguments.size() && !arguments[i + 1].starts_with("-");
    found.time = has_time ? arguments[++i] : "";
  }
  return found;
}

// The revision in the words, or else the user's own; nullopt: there is none of that number.
std::optional<std::uint64_t> named_revision(
    const Process& process, const NvueMachine& machine, const Call& call) {
  if (call.words.size() > 2) {
    const auto number = parse_unsigned(call.words[2], 10);
    const auto& all = machine.nvue.revisions;
    const bool known = number && std::ranges::any_of(
                                     all, [&](const Revision& each) { return each.id == *number; });
    return known ? number : std::nullopt;
  }
  const auto own = machine.nvue.pending.find(process.user);
  return own == machine.nvue.pending.end() ? machine.nvue.applied : own->second;
}

// E-nvue-confirm, E-nvue-revisions
int apply(Process& process, NvueMachine& machine) {
  const auto [plain, confirm] = without_confirm(process.arguments);
  const Call call = call_of(plain);
  for (const char* answer : {"--confirm-yes", "--confirm-no", "--confirm-status"})
    if (call.has(answer)) return answer_confirmation(process, machine, call);
  const auto time = confirm_time(confirm.value_or(""));
  if (!time) return refuse(process, fmt::format("Error: '{}' is no time", *confirm));
  if (machine.nvue.confirmation) return refuse(process, "Failed to prepare to apply");
  process.session.pass(kApply);

  const auto named = named_revision(process, machine, call);
  if (!named)
    return refuse(process, fmt::format("Error: Revision {} does not exist", call.words[2]));
  const std::uint64_t id = *named;
  Revision& revision = machine.revision(id);
  if (revision.tree == machine.applied()) {
    process.out("config apply executed with no config diff\n");
    return 0;
  }
  const bool answers = call.has("-y") || call.has("--y") || call.has("--assume-yes");
  if (const std::string warning = warning_of(machine.applied(), revision.tree);
      !warning.empty() && !answers) {
    process.out(warning + "\nAre you sure? [y/N] ");
    const std::optional<std::string> said = process.input_line();
    if (!said) return refuse(process, "\nAborted apply after warnings");
    if (trim(*said) != "y") return refuse(process, "Declined apply after warnings");
  }
  Revision& before = machine.revision(machine.nvue.applied);
  if (confirm)
    machine.nvue.confirmation =
        Confirmation{id, before.id, machine.now + process.session.elapsed + *time};
  machine.nvue.applied = id;
  machine.nvue.pending.erase(revision.user);
  if (const std::string name = word_at(revision.tree, {"system", "hostname"}); !name.empty())
    machine.state.hostname = name;
  const bool saves = !confirm && machine.saves_by_itself();
  revision.state = confirm ? "confirm" : saves ? "applied_and_saved" : "applied";
  if (saves) machine.nvue.startup = revision.tree;
  machine.note_change();
  process.out(fmt::format("{} [rev_id: {}]\n", saves ? "applied_and_saved" : "applied", id));
  return 0;
}

const Value* tree_of(Process& process, NvueMachine& machine, const std::string& named) {
  if (named == "startup") return &machine.nvue.startup;
  if (named == "applied") return &machine.applied();
  const auto own = machine.nvue.pending.find(process.user);
  if (named.empty() || named == "pending")
    return own == machine.nvue.pending.end() ? &machine.applied()
                                             : &machine.revision(own->second).tree;
  const auto number = parse_unsigned(named, 10);
  for (const Revision& each : machine.nvue.revisions)
    if (number && each.id == *number) return &each.tree;
  return nullptr;
}

int show_config(Process& process, NvueMachine& machine, const Call& call) {
  std::string named = call.revision;
  for (const char* option : {"applied", "pending", "startup"})
    if (call.has(std::string{"--"} + option)) named = option;
  const Value* tree = tree_of(process, machine, named);
  if (tree == nullptr)
    return refuse(process, fmt::format("Error: Revision {} does not exist", named));
  if (call.output == "commands") {
    for (const std::string& line : set_lines(*tree))
      process.out(line + "\n");
  } else if (call.output == "json") {
    const Map header{
        {"model", "MSN2700"},
        {"nvue-api-version", "nvue_v1"},
        {"rev-id", static_cast<std::int64_t>(machine.nvue.applied)},
        {"version",
         machine.platform == Platform::nvos ? "nvos-25.02.4002" : "Cumulus Linux 5.9.1"}};
    process.out(to_json_pretty(List{Map{{"header", header}}, Map{{"set", *tree}}}));
  } else {
    process.out(diff_yaml(Value{Map{}}, *tree));
  }
  return 0;
}

int list_revisions(Process& process, NvueMachine& machine, const Call& call) {
  if (call.output == "json") {
    Map map;
    for (const Revision& each : machine.nvue.revisions)
      map.emplace(std::to_string(each.id), Map{{"state", each.state}, {"user", each.user}});
    process.out(to_json_pretty(map));
    return 0;
  }
  process.out(
      fmt::format("{:<20}  {:<17}  {:<32}  {:<19}\n", "Rev ID", "State", "Apply ID", "Apply Date"));
  process.out(fmt::format("{0:->20}  {0:->17}  {0:->32}  {0:->19}\n", ""));
  for (const Revision& each : machine.nvue.revisions) {
    process.out(fmt::format(
        "{:<20}  {:<17}  {:<32}  {:<19}\n",
        each.id,
        each.state,
        fmt::format("rev_{}_apply_1", each.id),
        "2026-01-01 00:00:00"));
  }
  return 0;
}

}  // namespace

int configure(Process& process, NvueMachine& machine) {
  if (process.arguments[1] != "config") return change(process, machine);
  const Call call = call_of(process.arguments);
  const std::string verb = call.words.size() > 1 ? call.words[1] : "";
  if (verb == "apply") return apply(process, machine);
  if (verb == "show") return show_config(process, machine, call);
  if (verb == "revision" || verb == "history") return list_revisions(process, machine, call);
  if (verb == "save") {
    // The applied configuration, whatever is pending (E-nvue-save).
    save_now(machine);
    process.out("saved [rev_id: applied]\n");
    return 0;
  }
  if (verb == "detach") {
    const auto own = machine.nvue.pending.find(process.user);
    if (own == machine.nvue.pending.end()) return 0;
    machine.revision(own->second).state = "detached";
    process.out(fmt::format("detached [rev_id: {}]\n", own->second));
    machine.nvue.pending.erase(own);
    return 0;
  }
  if (verb == "diff") {
    const Value* from =
        tree_of(process, machine, call.words.size() > 2 ? call.words[2] : "applied");
    const Value* to = tree_of(process, machine, call.words.size() > 3 ? call.words[3] : "pending");
    if (from == nullptr || to == nullptr) return refuse(process, "Error: no such revision");
    process.out(
        call.output == "json" ? to_json_pretty(diff_value(*from, *to)) : diff_yaml(*from, *to));
    return 0;
  }
  return unknown(process);
}

}  // namespace fabric::lab::nvue
