// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/verbs/scaffold.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/remote/shell.hpp"
#include "engine/report/terminal/text.hpp"

namespace fabric::cli {

namespace {

constexpr std::size_t kPathColumns = 32;

class InitVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("DIR", directory_, "folder of the new repository; made if it does not exist")
        ->default_val(".");
    app.add_option("--template", template_, "what to begin with")
        ->check(CLI::IsMember(template_names()))
        ->default_val(template_names().front())
        ->type_name("NAME");
  }

  Result<ExitCode> run(Context& context) override {
    const std::vector<ScaffoldFile> files = scaffold(template_);
    const Result<void> written = write_scaffold(directory_, files);
    if (!written) return written.error();
    if (context.json()) {
      List paths;
      for (const ScaffoldFile& file : files)
        paths.emplace_back(file.path);
      context.events().emit(
          "info",
          "init_result",
          fmt::format("{} files from the template {}", files.size(), template_),
          {{"directory", directory_}, {"template", template_}, {"files", std::move(paths)}});
    } else {
      context.result(summary(context.options(), files));
    }
    return ExitCode::done;
  }

 private:
  report::Text summary(const GlobalOptions& options, const std::vector<ScaffoldFile>& files) const {
    report::Text text = report::compose("a new repository from the template {}:\n\n", template_);
    for (const ScaffoldFile& file : files)
      text += report::compose("  {}{}\n", report::pad(file.path, kPathColumns), file.purpose);
    const std::filesystem::path place = std::filesystem::path{options.directory} / directory_;
    const std::string there = place.lexically_normal().string();
    const std::string command =
        there == "." ? "fabric" : fmt::format("fabric --chdir {}", remote::quote(there));
    return text + report::compose(
                      "\nNext: change what fabric.yaml marks with CHANGE, then\n\n"
                      "  {0} validate\n  {0} plan\n",
                      command);
  }

  std::string directory_, template_;
};

}  // namespace

std::unique_ptr<Verb> make_init() {
  return std::make_unique<InitVerb>();
}

}  // namespace fabric::cli
