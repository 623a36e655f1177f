// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/state/this_host.hpp"

#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/run_folder.hpp"
#include "engine/cli/terminal/interrupt.hpp"
#include "engine/files/write.hpp"
#include "plans/plan_file.hpp"

namespace fabric::cli {

namespace {

class RecordedRun final : public workflow::OpenRun {
 public:
  explicit RecordedRun(std::unique_ptr<FileJournal> journal) : journal_{std::move(journal)} {}
  execute::AppendFile& journal() override { return *journal_; }
  bool interrupted() override { return InterruptGuard::interrupted(); }

 private:
  std::unique_ptr<FileJournal> journal_;
  InterruptGuard guard_;
};

}  // namespace

std::shared_ptr<void> ThisHost::hear_interrupts() {
  return std::make_shared<InterruptGuard>();
}

std::string ThisHost::new_run() {
  return new_run_id(context_.clock(), random_);
}

execute::LeaseHolder ThisHost::holder(const std::string& run) {
  return this_holder(run);
}

bool ThisHost::has_ended(const execute::LeaseHolder& holder) {
  return cli::has_ended(holder);
}

Result<void> ThisHost::check_copies(const plans::Plan& plan) {
  return cli::check_copies(images_, plan);
}

workflow::BindFiles ThisHost::bind_files() {
  return images_of(images_);
}

Result<std::unique_ptr<workflow::OpenRun>> ThisHost::begin_run(
    const std::string& run, const plans::Plan& plan) {
  const std::string text = plans::to_plan_file(plan);
  FABRIC_TRY(plans::check_plan_size(text.size()));
  const std::string folder = FABRIC_TRY(make_run_folder(run));
  FABRIC_TRY(write_text_file(folder + "/plan.json", text));
  FABRIC_TRY(files::make_folder(folder + "/document", files::Readers::owner));
  for (const FileId file : document_.files)
    FABRIC_TRY(write_text_file(
        document_of_run(folder, document_.sources.path(file)), document_.sources.text(file)));
  if (!signature_.empty()) FABRIC_TRY(write_text_file(folder + "/plan.json.sig", signature_));
  std::unique_ptr<FileJournal> journal = FABRIC_TRY(FileJournal::create(folder + "/journal.jsonl"));
  context_.summarize("run_id", run);
  return std::unique_ptr<workflow::OpenRun>{std::make_unique<RecordedRun>(std::move(journal))};
}

}  // namespace fabric::cli
