// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/write.hpp"
#include "engine/report/line_diff.hpp"
#include "engine/yaml/printer.hpp"

namespace fabric::cli {

namespace {

struct FormattedFile {
  std::string path, before, after;
  bool changes() const { return before != after; }
};

class FmtVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", paths_, "documents: files or directories")->default_str(".");
    app.add_flag("--check", check_, "write nothing; exit 2 if something would change");
    app.add_flag("--diff", diff_, "write nothing; show what would change");
  }

  // Nothing is written before every file is known to be right.
  Result<ExitCode> run(Context& context) override {
    std::vector<FormattedFile> files;
    ExitCode code = ExitCode::done;
    for (const std::string& path : FABRIC_TRY(all_files())) {
      const std::optional<FormattedFile> file = FABRIC_TRY(format_file(context, path));
      if (file) {
        files.push_back(*file);
      } else {
        code = ExitCode::invalid;
      }
    }
    if (code == ExitCode::invalid) return code;
    for (const FormattedFile& file : files) {
      if (!file.changes()) continue;
      show(context, file);
      if (check_) code = ExitCode::changes;
      if (check_ || diff_) continue;
      const Result<void> written =
          files::write_file(file.path, file.after, files::Readers::everybody);
      if (!written) return written.error();
    }
    return code;
  }

 private:
  Result<std::vector<std::string>> all_files() const {
    std::vector<std::string> files;
    for (const std::string& path : paths_.empty() ? std::vector<std::string>{"."} : paths_) {
      for (std::string& file : FABRIC_TRY(document_files(path)))
        files.push_back(std::move(file));
    }
    return files;
  }

  // Nullopt: it has errors, which are shown.
  static Result<std::optional<FormattedFile>> format_file(
      const Context& context, const std::string& path) {
    std::error_code failure;
    // Written beside it and renamed, the link would be replaced by a file.
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, failure))) {
      return Error{
          ErrorCode::invalid,
          fmt::format("{}: this is a symbolic link; name the file that it leads to", path)};
    }
    SourceMap sources;
    const FileId id = sources.add(path, FABRIC_TRY(read_text_file(path, limits::kDocumentBytes)));
    Diagnostics diagnostics;
    std::optional<yaml::Formatted> formatted = yaml::format(sources, id, diagnostics);
    print(context, sources, diagnostics);
    if (!formatted) return std::optional<FormattedFile>{};
    if (!formatted->is_same) {
      return Error{
          ErrorCode::internal,
          fmt::format(
              "{}: formatting would change the meaning of the document, so nothing was written; "
              "this is a bug of fabric, please report it with the file",
              path)};
    }
    return std::optional{FormattedFile{path, sources.text(id), std::move(formatted->text)}};
  }

  void show(const Context& context, const FormattedFile& file) const {
    if (context.json()) {
      context.events().emit(
          "info",
          "formatted",
          fmt::format("{}: {}", file.path, check_ || diff_ ? "would change" : "formatted"),
          {{"file", file.path}, {"written", !check_ && !diff_}});
    } else if (diff_) {
      context.result(report::unified_diff(file.path, file.before, file.after));
    } else {
      context.result(report::compose("{}\n", file.path));
    }
  }

  std::vector<std::string> paths_;
  bool check_ = false;
  bool diff_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_fmt() {
  return std::make_unique<FmtVerb>();
}

}  // namespace fabric::cli
