// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/module/module_files.hpp"

#include <algorithm>
#include <set>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kModuleFilesProbe = "module-files";
constexpr std::string_view kCommandLine = "/proc/cmdline";

// Words of a line of modprobe.d; double quotes keep blanks together and are taken off.
std::vector<std::string> quoted_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  bool open = false;
  for (const char c : line) {
    if (c == '"') {
      inside = !inside;
    } else if (!inside && (c == ' ' || c == '\t')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c != '"') words.back() += c;
  }
  return words;
}

struct NumberedLine {
  std::size_t number = 1;
  std::string text;
  std::size_t last = 1;
};

// Without comments; a line that ends with a backslash continues in the next.
std::vector<NumberedLine> lines_of(std::string_view text) {
  std::vector<NumberedLine> lines;
  std::size_t number = 0;
  bool continued = false;
  for (const std::string_view raw : split_lines(text)) {
    ++number;
    std::string_view line = trim(raw);
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    if (continued) {
      lines.back().text += ' ';
      lines.back().text += line;
      lines.back().last = number;
    } else {
      lines.push_back({number, std::string{line}, number});
    }
    continued = goes_on;
  }
  std::erase_if(lines, [](const NumberedLine& line) {
    return line.text.empty() || line.text.front() == '#' || line.text.front() == ';';
  });
  return lines;
}

bool loads_nothing(const std::vector<std::string>& words) {
  if (words.size() < 3) return false;
  const std::string program = words[2].substr(words[2].rfind('/') + 1);
  return program == "false" || program == "true" || program == ":";
}

}  // namespace

std::vector<ModuleWords> modprobe_lines(
    const std::string& module, const std::string& file, std::string_view text) {
  std::vector<ModuleWords> found;
  for (const NumberedLine& line : lines_of(text)) {
    std::vector<std::string> words = quoted_words(line.text);
    if (words.size() >= 2 && module_name(words[1]) == module)
      found.push_back({{file, line.number, line.last, is_owned(text)}, std::move(words)});
  }
  return found;
}

namespace {

class ModuleFilesReader {
 public:
  explicit ModuleFilesReader(std::string module) : module_{std::move(module)} {}

  void modules_load(const std::string& file, std::string_view text) {
    for (const NumberedLine& line : lines_of(text)) {
      if (module_name(line.text) == module_)
        found_.loads.push_back({file, line.number, line.last, is_owned(text)});
    }
  }

  void modprobe(const std::string& file, std::string_view text) {
    for (const ModuleWords& line : modprobe_lines(module_, file, text)) {
      const std::vector<std::string>& words = line.words;
      const ModuleLine& place = line;
      if (words[0] == "blacklist" || (words[0] == "install" && loads_nothing(words)))
        found_.forbidden.push_back(place);
      if (words[0] != "options") continue;
      for (std::size_t i = 2; i < words.size(); ++i)
        option(place, words[i]);
    }
  }

  // "mlx4_core.port_type_array=2,2 module_blacklist=a,b modprobe.blacklist=c"
  void command_line(std::string_view text) {
    const ModuleLine place{std::string{kCommandLine}};
    for (const std::string& word : quoted_words(trim(text))) {
      const std::size_t equals = word.find('=');
      const std::size_t dot = word.find('.');
      const std::string key = word.substr(0, equals);
      if (key == "module_blacklist" || key == "modprobe.blacklist") {
        const std::string list = equals == std::string::npos ? "" : word.substr(equals + 1);
        for (const std::string_view each : split(list, ',')) {
          if (module_name(each) == module_) found_.forbidden.push_back(place);
        }
      } else if (dot < equals && module_name(word.substr(0, dot)) == module_) {
        option(place, word.substr(dot + 1));
      }
    }
  }

  ModuleConfiguration result() && { return std::move(found_); }

 private:
  // "port_type_array=2,2"; a parameter without a value is a truth.
  void option(const ModuleLine& place, const std::string& text) {
    const std::size_t equals = text.find('=');
    const bool bare = equals == std::string::npos;
    found_.options.push_back(
        {place, module_name(text.substr(0, equals)), bare ? "1" : text.substr(equals + 1)});
  }

  std::string module_;
  ModuleConfiguration found_;
};

bool is_in(const std::string& path, std::string_view folder) {
  return path.find(folder) != std::string::npos;
}

}  // namespace

ModuleConfiguration ModuleFiles::of(const std::string& module) const {
  // modprobe reads all files in order of name, and the kernel's command line last.
  std::vector<const FileTexts::value_type*> files;
  for (const auto& entry : texts)
    files.push_back(&entry);
  const auto name_of = [](const std::string& path) {
    return path.substr(path.rfind('/') + 1);
  };
  std::ranges::stable_sort(
      files, [&](const auto* a, const auto* b) { return name_of(a->first) < name_of(b->first); });
  ModuleFilesReader reader{module};
  for (const auto* entry : files) {
    if (is_in(entry->first, "/modules-load.d/")) reader.modules_load(entry->first, entry->second);
    if (is_in(entry->first, "/modprobe.d/")) reader.modprobe(entry->first, entry->second);
  }
  if (const auto line = texts.find(kCommandLine); line != texts.end())
    reader.command_line(line->second);
  return std::move(reader).result();
}

Probe module_files_probe() {
  return {std::string{kModuleFilesProbe}, std::string{sh::probe_module_files.text}};
}

namespace {

ModuleFiles read_module_files(std::string_view output) {
  ModuleFiles files;
  files.known = true;
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    if (words[0] == "boot-image") files.has_boot_image = true;
    if (words[0] == "newer") files.newer.emplace_back(words[1]);
    if (words[0] == "image-tool") files.image_tool = words[1];
  }
  // The order of the output tells which of two namesakes counts, so it is read before it is sorted.
  std::set<std::string, std::less<>> taken;  // "modprobe.d/x.conf"
  std::set<std::string, std::less<>> paths;
  for (const std::string_view line : split_lines(output)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with('/') || colon == std::string_view::npos) continue;
    const std::string path{line.substr(0, colon)};
    if (paths.contains(path)) continue;
    const std::size_t folder = path.rfind('/', path.rfind('/') - 1);
    if (path == kCommandLine || taken.insert(path.substr(folder + 1)).second) paths.insert(path);
  }
  files.texts = file_texts(output);
  std::erase_if(files.texts, [&](const auto& entry) { return !paths.contains(entry.first); });
  return files;
}

}  // namespace

const ModuleFiles& module_files(const NodeFacts& facts) {
  return facts.parsed_or_none(kModuleFilesProbe, read_module_files);
}

}  // namespace fabric::providers
