// SPDX-License-Identifier: Apache-2.0
#include "engine/log/activity_log.hpp"

#include <cerrno>
#include <map>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file_descriptor.hpp"
#include "engine/base/overloaded.hpp"
#include "engine/base/printable.hpp"
#include "engine/base/secrets/redaction.hpp"
#include "engine/files/place.hpp"
#include "engine/files/write.hpp"
#include "engine/remote/shell.hpp"

namespace fabric::log {

namespace {

// Hands each line to a function; one at a time.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LineSink(ActivityLog::Line line) : line_{std::move(line)} {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_(std::string{message.payload.data(), message.payload.size()} + '\n');
  }
  void flush_() override {}

 private:
  ActivityLog::Line line_;
};

// A path below /dev is any file of the user: a terminal, an open file. A file anywhere else is
// private to the user, and no link in a working tree is followed. fabric does not wait for the
// reader of a pipe; a pipe with a reader is written as any file.
Result<FileDescriptor> open_to_append(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
  FileDescriptor file;
  if (path.starts_with("/dev/")) {
    file = FileDescriptor{::open(path.c_str(), kFlags, 0600)};
  } else {
    const Result<files::Place> place = files::place_of(path);
    if (!place && place.error().code != ErrorCode::not_found)
      return with_context(place.error(), "--log");
    errno = ENOENT;
    if (place) {
      file = FileDescriptor{::openat(
          place->folder.get(), place->name.c_str(), kFlags | O_NOFOLLOW | O_NONBLOCK, 0600)};
    }
    if (file) fcntl(file.get(), F_SETFL, O_APPEND);
  }
  struct stat found {};
  const bool is_private = file && fstat(file.get(), &found) == 0 &&
                          (!S_ISREG(found.st_mode) || fchmod(file.get(), 0600) == 0);
  if (is_private) return file;
  return Error{
      ErrorCode::denied,
      fmt::format(
          "--log {}: {}",
          path,
          errno == ELOOP   ? "expected a file, found a symbolic link"
          : errno == ENXIO ? "expected a file, found a pipe that no process reads"
                           : std::generic_category().message(errno))};
}

}  // namespace

struct ActivityLog::Impl {
  struct Step {
    std::string node, what, phase;
    TimePoint started;
  };

  Impl(std::vector<spdlog::sink_ptr> sinks, const Clock& given)
      : clock{given}, logger{"fabric", sinks.begin(), sinks.end()} {
    // The time is that of the injected clock.
    logger.set_pattern("%v");
    logger.flush_on(spdlog::level::info);
    logger.set_level(spdlog::level::info);
  }

  void put(std::string_view node, std::string_view text) {
    logger.info(fmt::format(
        "{} {}: {}",
        format_utc(clock.unix_milliseconds()),
        printable(node),
        printable(without_secrets(text))));
  }

  std::string phase_of(const NodeName& node) const {
    const auto found = actions.find(node);
    return found == actions.end() ? phase : found->second;
  }

  std::string command_text(const remote::Argv& argv) const {
    if (argv.empty()) return {};
    return planned.contains(argv) ? remote::command_line(argv) : remote::quote(argv.front());
  }

  std::string text_of(const remote::Step& step) const {
    return std::visit(
        Overloaded{
            [this](const remote::step::Run& run) { return command_text(run.command.argv); },
            [](const remote::step::WriteFile& write) {
              return fmt::format("write {} ({} bytes)", write.path, write.content.size());
            },
            [](const remote::step::CopyFile& copy) {
              return fmt::format("copy {} to {} ({} bytes)", copy.source, copy.path, copy.bytes);
            },
            [](const remote::step::RemoveFile& removal) { return "remove " + removal.path; },
            [this](const remote::step::RunHere& here) {
              return command_text(here.command.argv) + " on this machine";
            },
            [](const remote::step::Converse& talk) {
              return fmt::format("{} lines at a prompt", talk.lines.size());
            },
            [](const remote::step::Pause&) {
              return std::string{};
            }},
        step);
  }

  const Clock& clock;
  spdlog::logger logger;
  std::string phase = "starting";
  std::map<NodeName, std::string> actions;  // under way, and how far
  std::set<remote::Argv> planned;           // commands that the plan shows
  std::map<remote::Ticket, Step> steps;     // steps that have not ended
};

ActivityLog::ActivityLog(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
ActivityLog::~ActivityLog() = default;

Result<std::unique_ptr<ActivityLog>> ActivityLog::open(
    const std::string& path, Line line, const Clock& clock) {
  std::vector<spdlog::sink_ptr> sinks;
  if (line) sinks.push_back(std::make_shared<LineSink>(std::move(line)));
  if (!path.empty()) {
    const auto file = std::make_shared<FileDescriptor>(FABRIC_TRY(open_to_append(path)));
    // A log that can't be written any more is no reason to stop what it tells of.
    sinks.push_back(std::make_shared<LineSink>([file, path](std::string_view text) {
      static_cast<void>(files::write_all(file->get(), text, path));
    }));
  }
  return std::unique_ptr<ActivityLog>{
      new ActivityLog{std::make_unique<Impl>(std::move(sinks), clock)}};
}

void ActivityLog::step_started(const remote::StepRequest& request) {
  if (std::holds_alternative<remote::step::Pause>(request.step)) return;
  impl_->steps.insert_or_assign(
      request.ticket,
      Impl::Step{
          request.node.str(),
          impl_->text_of(request.step),
          impl_->phase_of(request.node),
          impl_->clock.now()});
}

void ActivityLog::step_ended(const remote::StepResult& result) {
  const auto found = impl_->steps.find(result.ticket);
  if (found == impl_->steps.end()) return;
  const Impl::Step step = std::move(found->second);
  impl_->steps.erase(found);
  const Duration took = impl_->clock.now() - step.started;
  std::string became;
  if (result.outcome == remote::Outcome::succeeded) {
    became = fmt::format(
        "exit {}, {} bytes of output, {} of errors",
        result.output.exit_status,
        result.output.standard_output.size(),
        result.output.standard_error.size());
  } else {
    became = fmt::format(
        "{}: {}",
        result.outcome == remote::Outcome::failed ? "not run" : "unknown whether it ran",
        result.error.message);
  }
  impl_->put(
      step.node, fmt::format("{}: {}: {}, {} ms", step.phase, step.what, became, took.count()));
}

void ActivityLog::session_opened(const NodeName& node, std::string_view to, Duration took) {
  impl_->put(node.str(), fmt::format("session to {} opened, {} ms", to, took.count()));
}

void ActivityLog::session_refused(const NodeName& node, const Error& why, Duration took) {
  impl_->put(node.str(), fmt::format("no session: {}, {} ms", why.message, took.count()));
}

void ActivityLog::session_replaced(const NodeName& node, const Error& why) {
  impl_->put(node.str(), fmt::format("session lost ({}), trying a new one", why.message));
}

void ActivityLog::phase(std::string_view what) {
  impl_->phase = what;
}

void ActivityLog::run_started(const plans::Plan& plan, const std::string& run) {
  for (const plans::Action& action : plan.actions) {
    for (const WorkSteps* steps : {&action.draft.steps, &action.draft.undo}) {
      for (remote::Argv& argv : steps->commands())
        impl_->planned.insert(std::move(argv));
      impl_->planned.insert(steps->command_here());
    }
  }
  impl_->put("run " + run, fmt::format("begins, {} actions", plan.actions.size()));
}

void ActivityLog::action_started(const plans::Action& action) {
  impl_->actions.insert_or_assign(action.node, action.id);
}

void ActivityLog::action_phase(const plans::Action& action, const std::string& phase) {
  impl_->actions.insert_or_assign(action.node, fmt::format("{} {}", action.id, phase));
}

void ActivityLog::action_ended(const plans::Action& action, const execute::ActionResult& result) {
  impl_->actions.erase(action.node);
  impl_->put(
      action.node.str(),
      fmt::format("{} {}, {} ms", action.id, to_string(result.state), result.took.count()));
}

void ActivityLog::problem(std::string_view text) {
  impl_->put("fabric", text);
}

}  // namespace fabric::log
