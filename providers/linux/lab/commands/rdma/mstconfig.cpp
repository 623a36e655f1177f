// SPDX-License-Identifier: Apache-2.0
// mstconfig and mlxconfig: three layers of values (E-mlxconfig-layers), column layouts by version
// (E-mlxconfig-columns), errors on standard output with status 3 (E-mlxconfig-errors).
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "providers/linux/lab/commands/rdma/mst_device.hpp"
#include "providers/linux/lab/commands/rdma/rdma_families.hpp"

namespace fabric::lab::commands {
namespace {

constexpr int kFailed = 3;
constexpr Duration kAccessTakes{120};  // of the card's NV registers
constexpr Duration kWriteTakes{250};

struct CommandLine {
  std::optional<std::string> device;
  bool enhanced = false;
  bool yes = false;
  std::string verb;
  std::vector<std::string> parameters;
};

std::optional<CommandLine> parse_command_line(Process& process) {
  CommandLine result;
  const std::vector<std::string>& words = process.arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!result.verb.empty()) {
      result.parameters.push_back(word);
    } else if ((word == "-d" || word == "--dev") && i + 1 < words.size()) {
      result.device = words[++i];
    } else if (word == "-e" || word == "--show_default") {
      result.enhanced = true;
    } else if (word == "-y" || word == "--yes") {
      result.yes = true;
    } else if (word == "q" || word == "query") {
      result.verb = "query";
    } else if (word == "s" || word == "set") {
      result.verb = "set";
    } else if (word == "r" || word == "reset") {
      result.verb = "reset";
    } else if (word == "-v" || word == "--version") {
      result.verb = "version";
    } else {
      process.out(fmt::format("-E- unknown argument {}\n", word));
      return std::nullopt;
    }
  }
  return result;
}

std::string pad(std::string text, int width) {
  if (text.size() < static_cast<std::size_t>(width)) {
    text.resize(static_cast<std::size_t>(width), ' ');
  } else {
    text += ' ';  // a value too long leaves one blank before the next column
  }
  return text;
}

// The columns that the firmware can tell beside next boot.
struct Columns {
  bool standard = false;
  bool current = false;
};

class Tool {
 public:
  Tool(Process& process, CommandLine line)
      : process_{process},
        machine_{process.machine()},
        line_{std::move(line)},
        version_{tool_version_number(machine_.profile.tool_version)},
        layout_{layout_of(version_)} {}

  int run() {
    if (line_.verb == "version") {
      process_.out(fmt::format(
          "{}, mstflint {}.0, Git SHA Hash: N/A\n",
          process_.name(),
          machine_.profile.tool_version));
      return 0;
    }
    if (line_.verb.empty()) return fail("no command found.");
    if (line_.verb != "query" && !line_.device) {
      return fail(fmt::format("{} command expects device to be specified.", line_.verb));
    }
    if (const std::string name = given_twice(); !name.empty())
      return fail(fmt::format("Duplicate parameter, {}.", name));
    if (!process_.root()) return fail("Failed to open the device");
    std::vector<MstDevice> devices;
    if (line_.device) {
      const std::optional<MstDevice> device = find_device(machine_, *line_.device);
      if (!device) return fail("Failed to open the device");
      devices.push_back(*device);
    } else {
      devices = all_devices(machine_);
      if (devices.empty()) return fail("Failed to get devices.");
    }
    int status = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      process_.session.pass(kAccessTakes);
      if (too_old(machine_, machine_.state.cards[devices[i].card])) continue;  // prints nothing
      status = std::max(status, run_on(devices[i], i + 1));
    }
    return status;
  }

 private:
  int fail(const std::string& message) {
    process_.out("-E- " + message + "\n");
    return kFailed;
  }

  std::string given_twice() const {
    std::set<std::string> seen;
    for (const std::string& text : line_.parameters) {
      const std::string name = text.substr(0, text.find('='));
      if (line_.verb == "set" && !seen.insert(name).second) return name;
    }
    return {};
  }

  int run_on(const MstDevice& device, std::size_t number) {
    card_ = &machine_.state.cards[device.card];
    parameters_ = parameters_of(*card_);
    parameters_.erase(
        std::remove_if(
            parameters_.begin(),
            parameters_.end(),
            [&](const Parameter& parameter) { return parameter.since > version_; }),
        parameters_.end());
    if (line_.verb == "reset") return reset();
    header(device, number);
    return line_.verb == "set" ? set() : query();
  }

  void label(const std::string& name, const std::string& value) {
    process_.out(fmt::format("{:<{}}{:<{}}\n", name, layout_.label, value, layout_.label));
  }

  void header(const MstDevice& device, std::size_t number) {
    process_.out(fmt::format("\nDevice #{}:\n----------\n\n", number));
    label("Device type:", card_->hardware.tool_name);
    if (layout_.old_header) {
      process_.out(fmt::format("{}{}\n\n", pad("PCI device:", layout_.label), device.name));
      return;
    }
    label("Name:", card_->part_number);
    label("Description:", card_->description);
    label("Device:", device.name);
    process_.out("\n");
  }

  const Parameter* find(const std::string& name) const {
    const auto found = std::ranges::find_if(
        parameters_, [&](const Parameter& parameter) { return parameter.name == name; });
    return found == parameters_.end() ? nullptr : &*found;
  }

  Columns columns() const {
    if (!line_.enhanced || !card_->hardware.current_settings) return {};
    if (card_->hardware.firmware_major != 12) return {true, true};
    // ConnectX-4 learnt to tell its default in 12.14.0016, its current value in 12.17.1010.
    const Result<Version> release = Version::parse(card_->firmware);
    const Result<Version> standard_since = Version::parse("12.14.0016");
    const Result<Version> current_since = Version::parse("12.17.1010");
    if (!release || !standard_since || !current_since) return {};
    return {*release >= *standard_since, *release >= *current_since};
  }

  std::string title(const Columns& shown) const {
    const bool single = !shown.standard && !shown.current;
    if (layout_.ends_align) {
      std::string text = fmt::format("{:<20}", "Configurations:");
      if (shown.standard) text += fmt::format("{:>44}", "Default");
      if (shown.current) text += fmt::format("{:>{}}", "Current", shown.standard ? 20 : 46);
      return text + fmt::format("{:>{}}", "Next Boot", single ? 46 : 18);
    }
    const int indent = layout_.indent + layout_.name;
    std::string text = pad("Configurations:", single ? layout_.header_single : indent);
    if (shown.standard) text += pad("Default", layout_.value);
    if (shown.current) text += pad("Current", layout_.value);
    return text + "Next Boot";
  }

  std::string cell(const Parameter& parameter, std::uint64_t value, bool element) const {
    if (parameter.kind == ParameterKind::array && element) return std::to_string(value);
    return value_text(parameter, value);
  }

  void row(
      const Parameter& parameter, const std::string& name, bool element, const Columns& shown) {
    const auto found = card_->settings.find(
        parameter.kind == ParameterKind::array && !element ? element_name(name, 0) : name);
    const Setting setting =
        found == card_->settings.end()
            ? Setting{parameter.standard, parameter.standard, parameter.standard}
            : found->second;
    const bool marked = (shown.standard && setting.next != setting.standard) ||
                        (shown.current && setting.next != setting.current);
    std::string text = marked ? "*" : " ";
    text +=
        std::string(static_cast<std::size_t>(layout_.indent - 1), ' ') + pad(name, layout_.name);
    if (shown.standard) text += pad(cell(parameter, setting.standard, element), layout_.value);
    if (shown.current) text += pad(cell(parameter, setting.current, element), layout_.value);
    const std::string next = cell(parameter, setting.next, element);
    const bool narrow = !layout_.ends_align && next.size() < 16;
    text += narrow ? pad(next, std::min(layout_.value, 20)) : last_cell(next);
    process_.out(text + "\n");
    any_marked_ = any_marked_ || marked;
  }

  std::string last_cell(const std::string& text) const {
    return layout_.ends_align ? fmt::format("{:<20}", text) : text;
  }

  // "NAME", "NAME[3]" or "NAME[0..7]": the base name and the elements meant.
  struct Selection {
    const Parameter* parameter = nullptr;
    std::vector<std::uint64_t> elements;
    std::string problem;
  };

  Selection select(const std::string& text) const {
    Selection result;
    const std::size_t bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    result.parameter = find(name);
    if (result.parameter == nullptr) {
      // For an array the tool names the first requested element.
      const std::string asked = text.substr(0, text.find(".."));
      const bool whole = asked.size() == text.size();
      result.problem =
          fmt::format("The Device doesn't support {}{} parameter", asked, whole ? "" : "]");
      return result;
    }
    if (bracket == std::string::npos) return result;
    const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
    const std::size_t dots = inside.find("..");
    const std::optional<std::uint64_t> first = parse_unsigned(inside.substr(0, dots), 10);
    const std::optional<std::uint64_t> last =
        dots == std::string::npos ? first : parse_unsigned(inside.substr(dots + 2), 10);
    if (result.parameter->kind != ParameterKind::array || !first || !last) {
      result.problem = fmt::format("The Device doesn't support {} parameter", text);
    } else if (*last >= result.parameter->length) {
      result.problem = fmt::format(
          "Index {} of the parameter {} is out of range. Maximal index is {}",
          *last,
          name,
          result.parameter->length - 1);
    } else {
      for (std::uint64_t i = *first; i <= *last; ++i)
        result.elements.push_back(i);
    }
    return result;
  }

  int query() {
    const Columns shown = columns();
    process_.out(title(shown) + "\n");
    std::vector<Selection> selections;
    for (const std::string& text : line_.parameters) {
      selections.push_back(select(text));
      if (!selections.back().problem.empty()) return fail(selections.back().problem);
    }
    for (const Parameter& parameter : parameters_) {
      if (selections.empty()) row(parameter, parameter.name, false, shown);
    }
    for (const Selection& selection : selections) {
      if (selection.elements.empty())
        row(*selection.parameter, selection.parameter->name, false, shown);
      for (const std::uint64_t element : selection.elements)
        row(*selection.parameter, element_name(selection.parameter->name, element), true, shown);
    }
    if (any_marked_)
      process_.out(
          "The '*' shows parameters with next value different from default/current value.\n");
    if (line_.enhanced && !(shown.standard && shown.current)) {
      const std::string_view what = shown.standard  ? "current"
                                    : shown.current ? "default"
                                                    : "default and current";
      process_.out(
          fmt::format("Device Firmware does not support reading {} configurations\n", what));
    }
    return 0;
  }

  struct Assignment {
    std::string name;
    const Parameter* parameter = nullptr;
    std::uint64_t value = 0;
  };

  // "" or why not. All assignments are checked before the first is written.
  std::string parse_assignments(std::vector<Assignment>& assignments) const {
    for (const std::string& text : line_.parameters) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) return fmt::format("illegal configuration: {}", text);
      const Selection selection = select(text.substr(0, equals));
      if (!selection.problem.empty()) return selection.problem;
      const Parameter& parameter = *selection.parameter;
      const std::string value_given = text.substr(equals + 1);
      const std::optional<std::uint64_t> value = parse_value(parameter, value_given);
      if (!value) return fmt::format("Unknown value {}", value_given);
      if (parameter.kind == ParameterKind::array && selection.elements.empty())
        return fmt::format("illegal configuration: {}", text);
      std::vector<std::string> names{parameter.name};
      if (!selection.elements.empty()) names.clear();
      for (const std::uint64_t element : selection.elements)
        names.push_back(element_name(parameter.name, element));
      for (const std::string& name : names)
        assignments.push_back(Assignment{name, &parameter, *value});
    }
    return assignments.empty() ? "set command expects parameters" : "";
  }

  bool confirmed(const std::string& question) {
    process_.out("\n " + question + " (y/n) [n] : ");
    if (line_.yes) {
      process_.out("y\n");
      return true;
    }
    const std::string answer{trim(process_.input_line().value_or(""))};
    return to_lower(answer) == "y" || to_lower(answer) == "yes";
  }

  // The first value that is larger than the card allows; the tool asks before it checks.
  const Assignment* too_large(const std::vector<Assignment>& assignments) const {
    const auto found = std::ranges::find_if(assignments, [](const auto& one) {
      return one.parameter->most > 0 && one.value > one.parameter->most;
    });
    return found == assignments.end() ? nullptr : &*found;
  }

  int set() {
    process_.out(set_title() + "New\n");
    std::vector<Assignment> assignments;
    const std::string problem = parse_assignments(assignments);
    if (!problem.empty()) return fail(problem);
    for (const Assignment& one : assignments) {
      const bool element = one.parameter->kind == ParameterKind::array;
      process_.out(
          std::string(static_cast<std::size_t>(layout_.indent), ' ') + pad(one.name, layout_.name) +
          pad(cell(*one.parameter, card_->next_of(one.name), element), layout_.value) +
          last_cell(cell(*one.parameter, one.value, element)) + "\n");
    }
    if (!confirmed("Apply new Configuration?")) return fail("Aborted by user.");
    process_.out("Applying... ");
    if (const Assignment* one = too_large(assignments); one != nullptr) {
      process_.out("Failed!\n");
      return fail(fmt::format(
          "Parameter {}' value is larger than maximum allowed {}",
          one->name,
          one->parameter->most));
    }
    for (const Assignment& one : assignments) {
      process_.session.pass(kWriteTakes);
      if (process_.session.stopped()) return kFailed;
      Setting& setting = card_->settings[one.name];
      if (setting.next != one.value) {
        setting.next = one.value;
        machine_.note_change();
      }
    }
    return applied();
  }

  std::string set_title() const {
    if (layout_.ends_align) return title({}) + "       ";
    return pad("Configurations:", layout_.indent + layout_.name) +
           pad("Next Boot", layout_.value >= 20 ? 16 : layout_.value);
  }

  int applied() {
    process_.out("Done!\n-I- Please reboot machine to load new configurations.\n");
    return 0;
  }

  int reset() {
    if (!confirmed("Reset configuration for device " + *line_.device + "?"))
      return fail("Aborted by user.");
    process_.out("Applying... ");
    process_.session.pass(kWriteTakes);
    for (auto& [name, setting] : card_->settings)
      setting.next = setting.standard;
    machine_.note_change();
    return applied();
  }

  Process& process_;
  LinuxHost& machine_;
  CommandLine line_;
  std::uint32_t version_;
  Layout layout_;
  Card* card_ = nullptr;
  std::vector<Parameter> parameters_;
  bool any_marked_ = false;
};

}  // namespace

int mstconfig(Process& process) {
  std::optional<CommandLine> line = parse_command_line(process);
  if (!line) return kFailed;
  return Tool{process, std::move(*line)}.run();
}

}  // namespace fabric::lab::commands
