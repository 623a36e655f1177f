// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/support_bundle.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "engine/base/limits.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/verbs/commit.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/read.hpp"
#include "engine/report/run/run_text.hpp"
#include "engine/value/json.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

constexpr std::string_view kReadme =
    "The files that are needed to examine a run of fabric.\n"
    "\n"
    "versions.json       fabric, its commit, this machine's kernel\n"
    "history.txt         the runs that took place here\n"
    "run/plan.json       the plan of the run\n"
    "run/journal.jsonl   the result of each action\n"
    "facts/NODE.json     what each node printed, with the commands; of --facts or --discover\n"
    "log.txt             the file of --log that was given by --activity-log\n"
    "\n"
    "Secrets are replaced by (secret). Names, addresses and serial numbers are not: look through "
    "it\n"
    "before you hand it on.\n";

class SupportBundleVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("RUN", run_, "a run of `fabric history`; default: the last one");
    app.add_option("--out", out_, "write the archive here; default: fabric-support-RUN.tar");
    app.add_option("--activity-log", log_, "also a file that --log has written");
    app.add_flag("--discover", discover_, "also read the facts of the nodes now, and add them");
    app.add_option("--document", path_, "the document of --discover")->default_val(".");
  }

  Result<ExitCode> run(Context& context) override {
    std::vector<files::ArchivedFile> bundled{
        {"README.txt", std::string{kReadme}}, {"versions.json", versions()}};
    bundled.push_back({"history.txt", history()});
    const std::vector<std::string> runs = FABRIC_TRY(run_names());
    const std::string name = !run_.empty() ? run_ : runs.empty() ? "no-run" : runs.front();
    if (!run_.empty() || !runs.empty()) append(bundled, FABRIC_TRY(bundled_run(name)));
    append(bundled, bundled_facts(FABRIC_TRY(facts(context))));
    if (!log_.empty()) {
      // The bundle is given to others: no link of the working tree is followed.
      const std::string text =
          FABRIC_TRY(files::read_regular(log_, limits::kJournalBytes, files::Links::refused));
      bundled.push_back({"log.txt", without_secrets(text)});
    }
    for (files::ArchivedFile& file : bundled)
      file.path = fmt::format("fabric-support-{}/{}", name, file.path);
    const std::string path = out_.empty() ? fmt::format("fabric-support-{}.tar", name) : out_;
    const auto now = static_cast<std::uint64_t>(context.clock().unix_milliseconds() / 1000);
    if (Result<void> written = write_text_file(path, files::tar_archive(bundled, now)); !written)
      return written.error();
    tell(context, path, bundled);
    return ExitCode::done;
  }

 private:
  static void append(std::vector<files::ArchivedFile>& all, std::vector<files::ArchivedFile> more) {
    all.insert(
        all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  static std::string versions() {
    Map all{
        {"fabric", FABRIC_VERSION},
        {"commit", std::string{source_commit()}},
        {"plan_format", std::string{plans::kFormatVersion}}};
    utsname system{};
    if (uname(&system) == 0) {
      all.emplace("system", std::string{system.sysname});
      all.emplace("kernel", std::string{system.release});
      all.emplace("machine", std::string{system.machine});
    }
    return to_json_pretty(Value{std::move(all)});
  }

  // A journal that can't be read is a reason to look into it, and none to give up.
  static std::string history() {
    const Result<std::vector<execute::RunRecord>> runs = recorded_runs();
    return runs ? report::history_text(*runs).str() : runs.error().message + "\n";
  }

  // Saved ones, or of the nodes if they are to be asked; none else.
  Result<std::vector<NodeFacts>> facts(Context& context) const {
    if (!context.options().facts.empty()) return all_saved_facts(context.options().facts);
    if (!discover_) return std::vector<NodeFacts>{};
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, {}));
    wanted.outside.clear();  // nothing is changed, so nothing is guarded
    Random random = fresh_random(context.clock());
    const std::unique_ptr<remote::StepRunner> runner =
        FABRIC_TRY(connect(context, *wanted.document));
    return read_facts(context, wanted, runner.get(), random);
  }

  static void tell(
      const Context& context,
      const std::string& path,
      const std::vector<files::ArchivedFile>& bundled) {
    if (context.json()) {
      List names;
      for (const files::ArchivedFile& file : bundled)
        names.emplace_back(file.path);
      context.events().emit(
          "info", "support_bundle", path, {{"file", path}, {"files", std::move(names)}});
      return;
    }
    context.result(report::compose("{}\n", path));
    context.note("look through it before you hand it on: names and addresses are in it");
  }

  std::string run_, out_, log_, path_;
  bool discover_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_support_bundle() {
  return std::make_unique<SupportBundleVerb>();
}

}  // namespace fabric::cli
