// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/cli/input/plan_input.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/write.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/report/exports/overlay.hpp"
#include "engine/report/terminal/style.hpp"

namespace fabric::cli {

namespace {

constexpr const char* kOverlay = "overlay";

class ExportVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    std::string formats = "what to write:";
    std::vector<std::string> names;
    for (const report::ExportFormat& each : report::export_formats()) {
      formats += fmt::format("\n{} ({})", each.name, each.summary);
      names.emplace_back(each.name);
    }
    formats += fmt::format(
        "\n{} (the files that a plan writes, as a tree for each group of nodes)", kOverlay);
    names.emplace_back(kOverlay);
    app.add_option("FORMAT", format_, formats)->required()->check(CLI::IsMember(names));
    app.add_option(
           "PATH",
           paths_,
           "document: a file or a directory; of `overlay` first the folder to write")
        ->expected(0, 2);
    app.add_option("--out", out_, "write to this file")->type_name("FILE");
  }

  Result<ExitCode> run(Context& context) override {
    if (format_ == kOverlay) return write_overlays(context);
    if (paths_.size() > 1)
      return Error{
          ErrorCode::invalid, fmt::format("expected one document, found '{}' as well", paths_[1])};
    const std::unique_ptr<Document> document =
        FABRIC_TRY(load_path(paths_.empty() ? "." : paths_.front()));
    print_problems(context, document->sources, document->loaded.diagnostics);
    if (!document->valid()) return ExitCode::invalid;
    const auto formats = report::export_formats();
    const auto format = std::find_if(
        formats.begin(), formats.end(), [&](const auto& each) { return each.name == format_; });
    const std::string text = FABRIC_TRY(report::write_export(*format, document->spec()));
    if (!out_.empty()) {
      FABRIC_TRY(files::write_file(out_, text, files::Readers::everybody));
      context.note(fmt::format("written to {}", out_));
    }
    if (context.json()) {
      context.events().emit(
          "info",
          "export_result",
          "the document in another format",
          {{"result", Map{{"format", format_}, {"text", text}}}});
    } else if (out_.empty()) {
      context.result(report::Text::document(text));
    }
    return ExitCode::done;
  }

 private:
  Result<ExitCode> write_overlays(Context& context) const {
    if (paths_.empty() || !out_.empty()) {
      return Error{
          ErrorCode::invalid, "name the folder to write: `fabric export overlay DIR [PATH]`"};
    }
    const std::string& folder = paths_.front();
    std::error_code failure;
    if (std::filesystem::exists(folder, failure) && !std::filesystem::is_empty(folder, failure)) {
      return Error{
          ErrorCode::invalid,
          fmt::format("{} is not empty: overlays are written into a folder of their own", folder)};
    }
    const std::vector<std::string> files =
        FABRIC_TRY(document_files(paths_.size() > 1 ? paths_[1] : "."));
    const workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, {}));
    const workflow::Planned planned = FABRIC_TRY(plan_now(context, wanted));
    if (!planned.valid) return workflow::exit_code_of(planned);
    const std::vector<report::Overlay> overlays = FABRIC_TRY(report::overlays_of(planned.plan));
    for (const report::Overlay& overlay : overlays)
      FABRIC_TRY(write_tree(fmt::format("{}/{}", folder, overlay.name), overlay));
    const std::string list = report::overlay_list(overlays);
    FABRIC_TRY(files::write_file(folder + "/overlays.json", list, files::Readers::everybody));
    for (const std::string& title : report::not_in_overlays(planned.plan))
      context.note("left out, because it is not a file: " + title);
    context.note(
        fmt::format("written to {}: {}", folder, report::count(overlays.size(), "overlay")));
    if (context.json()) {
      context.events().emit(
          "info",
          "export_result",
          "the files of the plan",
          {{"result", Map{{"format", format_}, {"text", list}}}});
    }
    return workflow::exit_code_of(planned);
  }

  static Result<void> write_tree(const std::string& root, const report::Overlay& overlay) {
    constexpr std::uint32_t kOthers = 077;
    for (const report::OverlayFile& file : overlay.files) {
      const std::string path = root + file.path;
      FABRIC_TRY(files::make_folder(path.substr(0, path.rfind('/')), files::Readers::everybody));
      FABRIC_TRY(files::write_file(
          path,
          file.content,
          (file.mode & kOthers) == 0 ? files::Readers::owner : files::Readers::everybody));
    }
    return {};
  }

  std::string format_, out_;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Verb> make_export() {
  return std::make_unique<ExportVerb>();
}

}  // namespace fabric::cli
