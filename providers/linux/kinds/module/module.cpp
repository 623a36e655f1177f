// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/provider/diagnose.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/module/module_work.hpp"
#include "providers/linux/kinds/module/running_modules.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/os/module_names.hpp"

namespace fabric::providers {

namespace {

Reading in_terms_of(const DesiredAttribute& desired, const std::string& found) {
  return same_parameter(found, to_text(desired.value)) ? Reading::of(desired.value)
                                                       : Reading::of(found);
}

// Observes one module.
class Observer {
 public:
  Observer(
      const Resource& resource,
      const RunningModules& modules,
      const ModuleFiles& files,
      const FileDigests& digests)
      : resource_{resource},
        name_{module_name(resource.address.name)},
        modules_{modules},
        files_{files},
        configuration_{files.of(name_)},
        taken_{module_entries(resource, files, digests)} {}

  Observation observe() const {
    Observation observation{resource_.address, {}};
    for (const auto& [name, desired] : resource_.desired) {
      if (desired.value.is_null()) {
        // A value that stays in force until the next boot no longer belongs to the document.
        observation.attributes[name].persistent = ours(name);
        continue;
      }
      observation.attributes[name] =
          name == kLoaded
              ? LayeredReading{loaded_now(), std::nullopt, loaded_at_boot()}
              : LayeredReading{running(name, desired), std::nullopt, persistent(name, desired)};
    }
    return observation;
  }

  void report(Diagnostics& diagnostics) const {
    report_would_lose(
        diagnostics,
        resource_,
        "the module " + resource_.address.name.str(),
        would_be_lost(resource_, module_statements(resource_, files_, taken_)));
    const DesiredAttribute* loaded = desired_of(kLoaded);
    for (const ModuleLine& line : configuration_.forbidden) {
      if (loaded == nullptr || is_taken(line)) continue;
      report_line(
          diagnostics,
          line,
          loaded->source,
          fmt::format("forbids the module {}", resource_.address.name));
    }
    for (const ModuleOption& option : configuration_.options) {
      const DesiredAttribute* desired = desired_of(option.parameter);
      if (option.owned || option.parameter == kLoaded || desired == nullptr || is_taken(option))
        continue;
      if (same_parameter(option.value, to_text(desired->value))) continue;
      report_line(
          diagnostics,
          option,
          desired->source,
          fmt::format(
              "sets {} of the module {} to {}, but the document asks for {}",
              option.parameter,
              resource_.address.name,
              option.value,
              to_text(desired->value)));
    }
  }

 private:
  bool is_taken(const ModuleLine& line) const {
    return std::ranges::any_of(taken_, [&line](const ForeignEntry& each) {
      return each.path == line.file && each.line == line.line;
    });
  }

  // Null if it is not wanted, or not any more.
  const DesiredAttribute* desired_of(std::string_view attribute) const {
    for (const auto& [name, desired] : resource_.desired) {
      if (module_name(name) == attribute && !desired.value.is_null()) return &desired;
    }
    return nullptr;
  }

  // The value of an attribute that is no longer wanted, in a file of fabric.
  Reading ours(const std::string& attribute) const {
    if (!files_.known) return Reading::unknown("the files of the module could not be read");
    if (attribute == kLoaded) {
      const bool found = std::ranges::any_of(
          configuration_.loads, [](const ModuleLine& line) { return line.owned; });
      return found ? Reading::of(true) : Reading::absent();
    }
    for (const ModuleOption& option : configuration_.options) {
      if (option.owned && option.parameter == module_name(attribute))
        return Reading::of(option.value);
    }
    return Reading::absent();
  }

  void report_line(
      Diagnostics& diagnostics,
      const ModuleLine& line,
      const SourceRange& range,
      const std::string& what) const {
    const bool boot = line.file == "/proc/cmdline";
    report_finding_at(
        diagnostics,
        resource_,
        range,
        "foreign-configuration",
        fmt::format(
            "{}: {} {}",
            resource_.address.node.str(),
            boot ? "the kernel's command line" : fmt::format("{}:{}", line.file, line.line),
            what))
        .with_help(
            boot ? "remove it from the boot loader's configuration"
            : adopts(resource_)
                ? "remove that line on the node"
                : "remove that line on the node, or let fabric take it over: adopt: "
                  "true");
  }

  Reading loaded_now() const {
    if (!modules_.known) return Reading::unknown("the modules of the kernel could not be read");
    return modules_.has(name_) ? Reading::of(true) : Reading::absent();
  }

  // A file that is not fabric's; "" if it is fabric's or there is none.
  std::string foreign(const std::string& path) const {
    const auto file = files_.texts.find(path);
    return file == files_.texts.end() || is_owned(file->second) ? "" : path + " is not fabric's";
  }

  Reading loaded_at_boot() const {
    if (modules_.built_in.contains(name_)) return Reading::of(true);
    if (!files_.known) return Reading::unknown("/etc/modules-load.d could not be read");
    const auto& forbidden = configuration_.forbidden;
    if (std::ranges::any_of(forbidden, [this](auto& each) { return is_taken(each); }))
      return Reading::absent();
    if (!configuration_.loads.empty()) return Reading::of(true);
    if (const std::string why = foreign(load_path(name_)); !why.empty())
      return Reading::unknown(why);
    return Reading::absent();
  }

  Reading running(const std::string& name, const DesiredAttribute& desired) const {
    if (!modules_.known) return Reading::unknown("the modules of the kernel could not be read");
    if (modules_.loaded.contains(name_)) {
      const ModuleParameter* parameter = modules_.parameter(name_, module_name(name));
      return parameter == nullptr ? Reading::unknown("the kernel does not show this parameter")
                                  : in_terms_of(desired, parameter->value);
    }
    if (modules_.built_in.contains(name_))
      return Reading::unknown(
          "the module is built into the kernel: only its command line can set it");
    return Reading::absent();
  }

  Reading persistent(const std::string& name, const DesiredAttribute& desired) const {
    if (!files_.known) return Reading::unknown("/etc/modprobe.d could not be read");
    const std::string path = options_path(name_);
    if (const std::string why = foreign(path); !why.empty()) return Reading::unknown(why);
    Reading reading = Reading::absent();
    bool is_ours = false;
    for (const ModuleOption& option : configuration_.options) {
      // Another file's different value is a finding, and does not count here.
      const bool same = same_parameter(option.value, to_text(desired.value));
      if (option.parameter != module_name(name)) continue;
      if (is_taken(option) && !same) return Reading::absent();
      if (!option.owned && !same) continue;
      is_ours = option.owned;
      reading = in_terms_of(desired, option.value);
    }
    const bool stale = is_ours && waits_for_image(name_, files_) &&
                       std::ranges::find(files_.newer, path) != files_.newer.end();
    if (stale) return Reading::of(reading.text() + ", not yet in the initramfs");
    return reading;
  }

  const Resource& resource_;
  std::string name_;
  const RunningModules& modules_;
  const ModuleFiles& files_;
  ModuleConfiguration configuration_;
  std::vector<ForeignEntry> taken_;  // over, by this plan
};

std::vector<Probe> probes_of_module() {
  return {module_files_probe(), running_modules_probe(), file_digests_probe()};
}

bool module_supports(const Resource& /*resource*/, std::string_view /*feature*/) {
  return true;
}

std::vector<Observation> observe_module(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const RunningModules& modules = running_modules(facts);
  const ModuleFiles& files = module_files(facts);
  const FileDigests digests = file_digests(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const Observer observer{resource, modules, files, digests};
    observation = observer.observe();
    observer.report(diagnostics);
  });
}

std::vector<Resource> module_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_in_files(module_files(facts).texts, facts.node, kinds::kModule, wanted);
}

Disruption module_disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view attribute) {
  const RunningModules& modules = running_modules(facts);
  const std::string name = module_name(resource.address.name);
  // The module is loaded with the parameter, or takes it while it runs.
  if (attribute == kLoaded || !modules.loaded.contains(name)) return Disruption::runtime;
  const ModuleParameter* parameter = modules.parameter(name, module_name(attribute));
  return parameter != nullptr && parameter->writable ? Disruption::runtime : Disruption::reboot;
}

}  // namespace

// "module": a kernel module that is loaded, now and at every boot, with parameters. Attributes:
// `loaded`, and one for each parameter, running and in files of fabric below /etc/modules-load.d
// and /etc/modprobe.d. Another file that loads the module at boot is as good. A parameter that the
// kernel can't change while the module is loaded needs a boot; those of the cards' drivers need
// their files in the initramfs too. No module is ever unloaded. Diagnostics: foreign-configuration
// where another file gives a parameter another value, or forbids the module.
Provider module_provider() {
  return {
      .kind = kinds::kModule,
      .probes = probes_of_module,
      // Features are parameters: any.
      .supports = module_supports,
      .observe = observe_module,
      .orphans = module_orphans,
      .disruption = module_disruption,
      .work = module_work,
      .folders = {"/etc/modprobe.d/", "/etc/modules-load.d/"},
  };
}

}  // namespace fabric::providers
