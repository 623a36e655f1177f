// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/cli/reference/command_tree.hpp"

namespace fabric::cli {

namespace {

// No line is a request, no backslash an escape, and a dash is what one types.
std::string roff(std::string_view text) {
  std::string safe;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) safe += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string upper(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string head(const std::string& title, const std::string& version, std::string_view summary) {
  return fmt::format(
      ".TH {} 1 \"\" \"fabric {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
      roff(upper(title)),
      roff(version),
      roff(title),
      roff(summary));
}

std::string value_text(const OptionText& option) {
  if (option.choices.empty()) return option.value;
  return option.positional ? option.names.front() : option.value;
}

std::string option_item(const OptionText& option) {
  std::string text = ".TP\n";
  std::string names;
  for (const std::string& name : option.names) {
    if (!names.empty()) names += ", ";
    names += "\\fB" + roff(name) + "\\fR";
  }
  if (option.positional) names = "\\fI" + roff(option.names.front()) + "\\fR";
  if (!option.positional && !option.value.empty())
    names += " \\fI" + roff(value_text(option)) + "\\fR";
  text += names + "\n" + roff(option.description) + "\n";
  if (!option.choices.empty()) text += ".br\nOne of: " + roff(join(option.choices, ", ")) + ".\n";
  return text;
}

std::string options_section(const char* title, const CommandText& command) {
  std::string text;
  for (const bool positional : {true, false}) {
    for (const OptionText& option : command.options) {
      if (option.positional == positional) text += option_item(option);
    }
  }
  return text.empty() ? text : fmt::format(".SH {}\n{}", title, text);
}

std::string preformatted(std::string_view text) {
  return ".nf\n" + roff(text) + "\n.fi\n";
}

std::string synopsis(const CommandText& verb) {
  std::string text =
      ".SH SYNOPSIS\n\\fBfabric\\fR [\\fIGLOBAL\\fR] \\fB" + roff(verb.name) + "\\fR";
  if (!verb.commands.empty()) text += " \\fICOMMAND\\fR";
  const bool has_options = std::any_of(
      verb.options.begin(), verb.options.end(), [](const auto& each) { return !each.positional; });
  if (has_options) text += " [\\fIOPTION\\fR]...";
  for (const OptionText& option : verb.options) {
    if (!option.positional) continue;
    const std::string name =
        "\\fI" + roff(option.names.front()) + "\\fR" + (option.repeats ? "..." : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

}  // namespace

std::string manual_page(const CommandText& fabric, const std::string& version) {
  const std::size_t colon = fabric.summary.find(": ");
  std::string text = head(
      "fabric",
      version,
      colon == std::string::npos ? fabric.summary : fabric.summary.substr(colon + 2));
  text += ".SH SYNOPSIS\n\\fBfabric\\fR [\\fIGLOBAL\\fR] \\fIVERB\\fR ...\n.SH VERBS\n";
  for (const CommandText& verb : fabric.commands) {
    text += fmt::format(".TP\n\\fBfabric\\-{}\\fR(1)\n{}\n", roff(verb.name), roff(verb.summary));
  }
  text += options_section("OPTIONS OF ALL VERBS", fabric);
  return text + ".SH NOTES\n" + preformatted(fabric.footer);
}

std::string manual_page(
    const CommandText& fabric, const CommandText& verb, const std::string& version) {
  std::string text = head(fabric.name + "-" + verb.name, version, verb.summary) + synopsis(verb) +
                     options_section("OPTIONS", verb);
  for (const CommandText& below : verb.commands) {
    text += fmt::format(
        ".SH {} {}\n{}\n", roff(upper(verb.name)), roff(upper(below.name)), roff(below.summary));
    const std::string options = options_section("OPTIONS", below);
    // Below its own heading.
    const std::size_t end = options.find('\n');
    if (end != std::string::npos) text += options.substr(end + 1);
  }
  return text + ".SH NOTES\n" + preformatted(verb.footer) + ".SH SEE ALSO\n\\fBfabric\\fR(1)\n";
}

}  // namespace fabric::cli
