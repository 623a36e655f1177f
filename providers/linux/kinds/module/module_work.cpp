// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/module/module_work.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/linux/kinds/module/running_modules.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers {

namespace {

// The document's value for a parameter, by the kernel's name; null = none, or none any more.
const Value* wanted(const Resource& resource, std::string_view parameter) {
  for (const auto& [name, desired] : resource.desired) {
    if (module_name(name) == parameter && !desired.value.is_null()) return &desired.value;
  }
  return nullptr;
}

// "num_vfs=8"; a parameter without a value is a truth.
Statement of_option(const Resource& resource, const ModuleWords& line, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string parameter = module_name(word.substr(0, equals));
  const std::string value = equals == std::string::npos ? "1" : word.substr(equals + 1);
  const bool secret = names_secret(parameter);
  Statement statement{
      "modprobe",
      line.words[0],
      fmt::format("{} {}{}", line.words[1], parameter, secret ? "" : "=" + value),
      line.file,
      line.line};
  const Value* document = parameter == kLoaded ? nullptr : wanted(resource, parameter);
  if (document != nullptr) {
    const bool same = same_parameter(value, to_text(*document));
    statement.said = same ? StatementClass::said : StatementClass::said_otherwise;
    if (!same) statement.instead = to_text(*document);
  } else if (!secret) {
    statement.said = StatementClass::sayable;
    statement.instead = fmt::format(
        "nodes: {{{}: {{modules: {{{}: {{{}: \"{}\"}}}}}}}}",
        resource.address.node.str(),
        resource.address.name,
        parameter,
        value);
  }
  return statement;
}

// No plan holds it, as it would have to with the line.
bool has_secret(const ModuleLine& line, const std::string& module, const ModuleFiles& files) {
  for (const ModuleWords& each : modprobe_lines(module, line.file, files.texts.at(line.file))) {
    const bool secret = std::ranges::any_of(
        each.words, [](const auto& word) { return names_secret(word.substr(0, word.find('='))); });
    if (each.line == line.line && secret) return true;
  }
  return false;
}

}  // namespace

LinkTarget adopted_module(const Resource& resource) {
  return LinkTarget{.address = resource.address};
}

std::vector<ForeignEntry> module_entries(
    const Resource& resource, const ModuleFiles& files, const FileDigests& digests) {
  std::vector<ForeignEntry> entries;
  if (!adopts(resource)) return entries;
  const std::string module = module_name(resource.address.name);
  const ModuleConfiguration found = files.of(module);
  const auto take = [&](const ModuleLine& line) {
    const bool known = std::ranges::any_of(entries, [&line](const auto& each) {
      return each.path == line.file && each.line == line.line;
    });
    if (line.owned || known || !digests.contains(line.file) || has_secret(line, module, files))
      return;
    entries.push_back({line.file, line.line, line.last});
  };
  if (wanted(resource, kLoaded) != nullptr) {
    for (const ModuleLine& line : found.forbidden)
      take(line);
  }
  for (const ModuleOption& option : found.options) {
    const Value* document =
        option.parameter == kLoaded ? nullptr : wanted(resource, option.parameter);
    if (document != nullptr && !same_parameter(option.value, to_text(*document))) take(option);
  }
  return entries;
}

std::vector<Statement> module_statements(
    const Resource& resource, const ModuleFiles& files, const std::vector<ForeignEntry>& entries) {
  std::vector<Statement> statements;
  std::set<std::string> seen;
  for (const ForeignEntry& entry : entries) {
    if (!seen.insert(entry.path).second) continue;
    for (const ModuleWords& line : modprobe_lines(
             module_name(resource.address.name), entry.path, files.texts.at(entry.path))) {
      const bool goes = std::ranges::any_of(entries, [&line](const auto& each) {
        return each.path == line.file && each.line == line.line;
      });
      if (goes && line.words[0] == "options") {
        for (std::size_t at = 2; at < line.words.size(); ++at)
          statements.push_back(of_option(resource, line, line.words[at]));
        continue;
      }
      const std::vector<std::string> rest{line.words.begin() + 1, line.words.end()};
      statements.push_back(
          {"modprobe",
           line.words[0],
           join(rest, " "),
           line.file,
           line.line,
           goes ? StatementClass::not_sayable : StatementClass::said});
    }
  }
  return statements;
}

namespace {

constexpr Duration kImageTakes{900'000};
constexpr const char* kSetParameter = R"sh(printf '%s' "$2" > "/sys/module/$1")sh";

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

bool is_value(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\'; });
}

remote::Argv image_command(const ModuleFiles& files) {
  if (files.image_tool == "update-initramfs") return {"update-initramfs", "-u", "-k", "all"};
  return {"dracut", "--force", "--regenerate-all"};
}

class ModuleWork {
 public:
  ModuleWork(const Change& change, const WorkContext& context)
      : change_{change},
        context_{context},
        name_{module_name(change.resource.address.name)},
        files_{module_files(context.facts)},
        modules_{running_modules(context.facts)},
        digests_{file_digests(context.facts)},
        taken_{module_entries(change.resource, files_, digests_)} {}

  Result<Work> plan() const {
    if (const std::string why = impossible(); !why.empty())
      return fabric::impossible(change_.resource, why);
    Work work;
    if (!taken_.empty() && any(&AttributeChange::write)) work.actions.push_back(copies_draft());
    if (any(&AttributeChange::write)) work.actions.push_back(write_draft());
    if (context_.reboot_planned) return work;
    if (any(&AttributeChange::activate)) {
      work.actions.push_back(modules_.has(name_) ? set_draft() : load_draft());
    }
    return work;
  }

 private:
  std::string impossible() const {
    if (!is_word(change_.resource.address.name)) return "this name can't be the name of a module";
    for (const auto& [parameter, desired] : change_.resource.desired) {
      if (!is_word(parameter)) return fmt::format("'{}' is not the name of a parameter", parameter);
      if (!desired.value.is_null() && names_secret(parameter))
        return fmt::format(
            "{} is a secret by its name, and fabric reads no secrets: set it by hand", parameter);
      if (!desired.value.is_null() && !is_value(to_text(desired.value)))
        return fmt::format("the value of {} can't stand in modprobe.d", parameter);
    }
    return {};
  }

  bool any(bool AttributeChange::*flag) const {
    return std::ranges::any_of(
        change_.attributes, [flag](const AttributeChange& each) { return each.*flag; });
  }

  bool writes(bool parameters) const {
    return std::ranges::any_of(change_.attributes, [&](const AttributeChange& each) {
      return each.write && (each.attribute != kLoaded) == parameters;
    });
  }

  // The resource's part in one of its two files, without attributes that are no longer wanted.
  Resource part(bool parameters) const {
    Resource part = change_.resource;
    std::erase_if(part.desired.edit(), [parameters](const auto& each) {
      return (each.first != kLoaded) != parameters || each.second.value.is_null();
    });
    return part;
  }

  std::string options_text(const Resource& part) const {
    std::string text = owned_marker(part) + "options " + name_;
    for (const auto& [parameter, desired] : part.desired) {
      const std::string value = to_text(desired.value);
      const bool quoted = value.find_first_of(" \t") != std::string::npos;
      text += fmt::format(" {}={}", module_name(parameter), quoted ? '"' + value + '"' : value);
    }
    return text + "\n";
  }

  // Writes or removes one of the two files. True if it is written.
  bool put(ActionDraft& draft, bool parameters) const {
    const std::string path = parameters ? options_path(name_) : load_path(name_);
    const Resource here = part(parameters);
    const std::string* former = text_at(files_.texts, path);
    if (here.desired.empty()) {
      remove_file(draft, path, former);
      return false;
    }
    replace_file(
        draft, {path, parameters ? options_text(here) : owned_marker(here) + name_ + "\n"}, former);
    return true;
  }

  ActionDraft copies_draft() const {
    ActionDraft draft;
    draft.kind = methods::kNetworkAdopt;
    draft.title = fmt::format("keep its former configuration in {}:", adoption_folder(target_));
    for (const ForeignEntry& each : taken_)
      draft.title += fmt::format(" {}:{} (made a comment)", each.path, each.line);
    draft.title += statements_summary(module_statements(change_.resource, files_, taken_));
    draft.steps.run_each(keep_copies(target_, taken_, digests_));
    return draft;
  }

  // Lines of others become comments, or are lines again with what took their place.
  void adopt(ActionDraft& draft) const {
    if (!taken_.empty()) {
      draft.steps.run_each(comment_out(target_, taken_, files_.texts, digests_));
      draft.undo.run(put_back(target_));
      draft.file_preconditions = adopted_as_read(taken_, digests_);
      return;
    }
    const auto marked = marked_as_read(target_, files_.texts, digests_);
    if (change_.kind != ChangeKind::remove || marked.empty()) return;
    draft.file_preconditions = marked;
    draft.steps.run(put_back(target_, marked));
    draft.undo.run(take_again(target_));
  }

  ActionDraft write_draft() const {
    ActionDraft draft;
    draft.kind = methods::kModuleWrite;
    draft.stage = Stage::prepare;
    std::vector<std::string> texts;
    for (const bool parameters : {false, true}) {
      if (!writes(parameters)) continue;
      const char* verb = put(draft, parameters) ? "write" : "remove";
      texts.push_back(
          fmt::format("{} {}", verb, parameters ? options_path(name_) : load_path(name_)));
    }
    adopt(draft);
    if (writes(true) && waits_for_image(name_, files_)) rebuild_image(draft, files_);
    draft.title = join(texts, ", ");
    for (const AttributeChange& each : change_.attributes) {
      if (!each.write) continue;
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::persistent, each.desired});
    }
    return draft;
  }

  ActionDraft activate_draft(std::string_view kind) const {
    ActionDraft draft;
    draft.kind = kind;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::runtime;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate) continue;
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::running, each.desired});
    }
    return draft;
  }

  // modprobe takes the parameters from the files that were written before.
  ActionDraft load_draft() const {
    ActionDraft draft = activate_draft(methods::kModuleLoad);
    draft.title = "load " + name_;
    draft.steps.run({"modprobe", name_});
    draft.undo.run({"modprobe", "-r", name_});
    draft.preconditions.push_back({change_.resource.address, kLoaded, Layer::running, Value{}});
    return draft;
  }

  ActionDraft set_draft() const {
    ActionDraft draft = activate_draft(methods::kModuleSet);
    std::vector<std::string> texts;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate || each.attribute == kLoaded) continue;
      const std::string parameter = module_name(each.attribute);
      const std::string place = fmt::format("{}/parameters/{}", name_, parameter);
      texts.push_back(fmt::format("{}={}", parameter, to_text(each.desired)));
      draft.steps.run({"sh", "-c", kSetParameter, "fabric", place, to_text(each.desired)});
      const Value* before = each.observed.running ? each.observed.running->value() : nullptr;
      if (before == nullptr) continue;
      draft.preconditions.push_back(
          {change_.resource.address, each.attribute, Layer::running, *before});
      draft.undo.run({"sh", "-c", kSetParameter, "fabric", place, to_text(*before)});
    }
    draft.title = fmt::format("set {} of {}", join(texts, " "), name_);
    return draft;
  }

  const Change& change_;
  const WorkContext& context_;
  std::string name_;
  const ModuleFiles& files_;
  RunningModules modules_;
  FileDigests digests_;
  std::vector<ForeignEntry> taken_;
  LinkTarget target_ = adopted_module(change_.resource);
};

}  // namespace

std::string load_path(const std::string& name) {
  return fmt::format("/etc/modules-load.d/fabric-{}.conf", name);
}

std::string options_path(const std::string& name) {
  return fmt::format("/etc/modprobe.d/fabric-{}.conf", name);
}

bool waits_for_image(const std::string& name, const ModuleFiles& files) {
  const bool driver = name.starts_with("mlx4_") || name.starts_with("mlx5_");
  return driver && files.has_boot_image && !files.image_tool.empty();
}

void rebuild_image(ActionDraft& draft, const ModuleFiles& files) {
  draft.steps.run(image_command(files));
  draft.undo.run(image_command(files));
  draft.timeout = kImageTakes;
}

Result<Work> module_work(const Change& change, const WorkContext& context) {
  return ModuleWork{change, context}.plan();
}

}  // namespace fabric::providers
