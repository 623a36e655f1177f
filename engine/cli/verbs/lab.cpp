// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/base/text.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/lab/lab_text.hpp"
#include "engine/cli/session/password.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/folders.hpp"
#include "engine/cli/terminal/diagnostics.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"
#include "engine/labserver/lab_service.hpp"
#include "engine/remote/shell.hpp"
#include "providers/simulated/simulated_platforms.hpp"

namespace fabric::cli {

namespace {

// Making host keys for a thousand nodes takes a while on a slow machine.
constexpr Duration kStartDeadline{180'000};
constexpr int kPollMilliseconds = 50;
constexpr std::size_t kLogBytes = std::size_t{1} << 20U;

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become_lab(std::vector<char*>& argv, int log) {
  setsid();
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv("/proc/self/exe", argv.data());
  constexpr int kNotExecutable = 126;
  _exit(kNotExecutable);
}

std::string last_lines(const std::string& log) {
  const Result<std::string> text = read_text_file(log, kLogBytes);
  if (!text) return "its log is empty";
  const std::string_view end = trim(*text);
  constexpr std::size_t kTail = 2000;
  return std::string{end.size() > kTail ? end.substr(end.size() - kTail) : end};
}

// Runs this program again with `arguments`, detached from the terminal, its output in `log`, and
// waits until the lab of `folder` answers. Fails with what the log says if it ends before.
Result<labserver::LabInfo> start_lab(
    const std::vector<std::string>& arguments,
    const std::string& folder,
    const std::string& log,
    const Clock& clock) {
  const FileDescriptor log_file = FABRIC_TRY(files::open_private(log));
  if (ftruncate(log_file.get(), 0) != 0) {
    return Error{
        ErrorCode::denied, fmt::format("{}: {}", log, std::generic_category().message(errno))};
  }
  std::vector<std::string> words{"fabric"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) become_lab(argv, log_file.get());
  if (child < 0) return Error{ErrorCode::denied, "this machine can't start a process for the lab"};
  const TimePoint deadline = clock.now() + kStartDeadline;
  while (clock.now() < deadline) {
    Result<labserver::LabInfo> info = labserver::read_lab_info(folder);
    if (info && info->pid == child) return info;
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return Error{ErrorCode::invalid, fmt::format("the lab did not start: {}", last_lines(log))};
    }
    poll(nullptr, 0, kPollMilliseconds);
  }
  kill(child, SIGTERM);
  return Error{
      ErrorCode::timed_out,
      fmt::format("the lab was not ready within {}; see {}", format_duration(kStartDeadline), log)};
}

constexpr const char* kLabDocument = ".fabric/lab/document";
constexpr const char* kLabLog = ".fabric/lab/lab.log";
// A /16 has room for two ports of each; more than this no one machine serves.
constexpr std::size_t kMostNodes = 10'000;

struct LabInputs {
  std::unique_ptr<Document> document;
  lab::LabSpec lab;
};

// Reads the document and the lab.yaml beside it; prints their errors.
Result<LabInputs> read_lab(const Context& context, const std::string& path) {
  LabInputs inputs;
  inputs.document = FABRIC_TRY(load_path(path));
  Document& document = *inputs.document;
  print_problems(context, document.sources, document.loaded.diagnostics);
  if (!document.valid()) return already_printed();
  std::optional<FileId> file;
  const std::string beside = (std::filesystem::path{document.folder} / "lab.yaml").string();
  std::error_code failure;
  if (std::filesystem::exists(beside, failure)) {
    std::string text =
        FABRIC_TRY(files::read_beneath(document.folder, "lab.yaml", limits::kLabFileBytes));
    file = document.sources.add(beside, std::move(text));
  }
  Diagnostics diagnostics;
  inputs.lab = lab::load_lab(document.sources, file, document.spec(), diagnostics);
  inputs.lab.makers = providers::simulated_platforms().makers();
  print_problems(context, document.sources, diagnostics);
  if (diagnostics.has_errors()) return already_printed();
  return inputs;
}

class LabVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.require_subcommand(1);
    CLI::App* up = add(
        app, "up", "make one simulated node per node of the document and serve them", &LabVerb::up);
    up->add_option(
          "PATH", path_, "document; a lab.yaml beside it says where the hosts differ from it")
        ->default_val(".");
    up->add_option(
          "--nodes", nodes_, "without PATH: a ring of N nodes, written to .fabric/lab/document")
        ->check(CLI::Range(std::size_t{2}, kMostNodes))
        ->type_name("N");
    up->add_option("--latency", latency_, "delay of every answer, for example 20ms")
        ->default_val("0ms")
        ->type_name("DURATION");
    up->add_option(
          "--password-env", password_env_, "accept the value of this variable as a password too")
        ->type_name("NAME");
    CLI::App* serve = add(app, "serve", "", &LabVerb::serve);
    serve->group("");  // what `up` starts; not for people
    serve->add_option("PATH", path_);
    serve->add_option("--latency", latency_);
    serve->add_option("--password-env", password_env_);
    add(app, "down", "stop the lab and remove its files", &LabVerb::down);
    add(app, "status", "show the nodes and the lab's own counters", &LabVerb::status);
    CLI::App* fault = add(app, "fault", "give a node a fault", &LabVerb::fault);
    fault->add_option("NODE", node_)->required();
    fault->add_option("--on", only_, "only commands whose line contains this text")
        ->type_name("TEXT");
    fault
        ->add_option(
            "FAULT",
            fault_,
            "lost-reply, lost-command, stall, refused, slow-boot, no-boot, disk-full, lying-exit, "
            "power-loss, cut-off, late, torn-input, boots-twice, clock-jump or none")
        ->required();
    CLI::App* recable =
        add(app,
            "recable",
            "join two ports; their former partners are left unplugged",
            &LabVerb::recable);
    recable->add_option("A", a_, "port, for example pve1/1")->required();
    recable->add_option("B", b_, "port, for example pve3/2")->required();
    CLI::App* unplug = add(app, "unplug", "unplug the cable that ends at a port", &LabVerb::unplug);
    unplug->add_option("PORT", a_, "port, for example pve1/1")->required();
    CLI::Option* one_end = unplug->add_flag(
        "--one-end", one_end_, "the other end of the cable stays plugged in, without a link");
    unplug
        ->add_flag_callback(
            "--both", [] {}, "unplug both ends: the default")
        ->excludes(one_end);
    add(app,
        "swap-card",
        "swap the card for another of its model, with factory settings; the host is off meanwhile",
        &LabVerb::swap_card)
        ->add_option("NODE", node_, "node; where it has several cards, the adapter: pve1/cx5")
        ->required();
  }

  Result<ExitCode> run(Context& context) override { return (this->*chosen_)(context); }

 private:
  using Action = Result<ExitCode> (LabVerb::*)(Context&);

  CLI::App* add(CLI::App& app, const std::string& name, const std::string& summary, Action action) {
    CLI::App* sub = app.add_subcommand(name, summary);
    sub->fallthrough();
    sub->callback([this, action] { chosen_ = action; });
    return sub;
  }

  Result<ExitCode> up(Context& context) {
    const Result<labserver::LabInfo> running = labserver::read_lab_info(kLabFolder);
    if (running) return grow(context, running->pid);
    if (running.error().code != ErrorCode::not_found) return running.error();
    const Result<void> latency = check_latency();
    if (!latency) return latency.error();
    FABRIC_TRY(files::make_folder(kLabFolder, files::Readers::owner));
    if (nodes_ != 0) {
      const Result<void> written = write_document();
      if (!written) return written.error();
    }
    // Read here too, so that a broken document is told on this terminal and not in a log.
    FABRIC_TRY(read_lab(context, path_));
    std::vector<std::string> serve{"lab", "serve", path_, "--latency", latency_};
    if (!password_env_.empty()) {
      FABRIC_TRY(password_in_variable(password_env_));
      serve.insert(serve.end(), {"--password-env", password_env_});
    }
    const labserver::LabInfo info =
        FABRIC_TRY(start_lab(serve, kLabFolder, kLabLog, context.clock()));
    tell_addresses(context, info);
    GlobalOptions against_lab = context.options();
    against_lab.lab = true;
    context.note(
        "next: " + Context{against_lab, context.clock()}.command(
                       path_ == "." ? "plan" : "plan " + remote::quote(path_)));
    return ExitCode::done;
  }

  // Adds the new nodes of the document to the running lab; all others stay as they are.
  Result<ExitCode> grow(Context& context, int pid) {
    if (nodes_ != 0) FABRIC_TRY(write_document());
    FABRIC_TRY(read_lab(context, path_));
    const Value answer =
        FABRIC_TRY(labserver::request(kLabFolder, Map{{"verb", "grow"}, {"path", path_}}));
    const Value* added = answer.find("added");
    const List* names = added == nullptr ? nullptr : added->as_list();
    if (names == nullptr || names->empty()) {
      return Error{
          ErrorCode::locked,
          fmt::format(
              "a lab already runs here (process {}), and has every node of the document; end it "
              "with: fabric lab down",
              pid)};
    }
    context.note(fmt::format("{} joined the lab that runs here", to_text(*added)));
    const labserver::LabInfo info = FABRIC_TRY(labserver::read_lab_info(kLabFolder));
    tell_addresses(context, info);
    return ExitCode::done;
  }

  static void tell_addresses(Context& context, const labserver::LabInfo& info) {
    if (!context.json()) return context.result(lab_addresses_text(info));
    Map addresses;
    for (const auto& [name, address] : info.addresses)
      addresses.emplace(name, address);
    context.events().emit(
        "info",
        "lab_up",
        fmt::format("{} nodes", info.addresses.size()),
        {{"addresses", addresses}, {"port", info.port}, {"pid", info.pid}});
  }

  Result<ExitCode> serve(Context& context) {
    const Duration latency = FABRIC_TRY(parse_duration(latency_));
    LabInputs inputs = FABRIC_TRY(read_lab(context, path_));
    labserver::ServeOptions options;
    options.directory = kLabFolder;
    options.latency = latency;
    if (!password_env_.empty()) options.password = FABRIC_TRY(password_in_variable(password_env_));
    for (const plans::InputFile& input : inputs.document->inputs)
      options.document.push_back(input.path);
    options.reread = [&context](const std::string& path) -> Result<labserver::LabSource> {
      LabInputs again = FABRIC_TRY(read_lab(context, path));
      labserver::LabSource source;
      source.lab = std::move(again.lab);
      for (const plans::InputFile& input : again.document->inputs)
        source.files.push_back(input.path);
      const std::shared_ptr<Document> document = std::move(again.document);
      source.fabric = {document, &document->spec()};
      return source;
    };
    const Result<void> served =
        labserver::serve(inputs.document->spec(), std::move(inputs.lab), options, context.clock());
    if (!served) return served.error();
    return ExitCode::done;
  }

  Result<ExitCode> down(Context& context) {
    // A clean-up need not know whether there is anything to clean.
    const Result<labserver::LabInfo> running = labserver::read_lab_info(kLabFolder);
    if (!running && running.error().code == ErrorCode::not_found) {
      context.note(running.error().message);
      return ExitCode::done;
    }
    FABRIC_TRY(labserver::request(kLabFolder, Map{{"verb", "down"}}));
    context.note("the lab is down");
    return ExitCode::done;
  }

  Result<ExitCode> status(Context& context) {
    const Value answer = FABRIC_TRY(labserver::request(kLabFolder, Map{{"verb", "status"}}));
    if (context.json()) {
      const Map* fields = answer.as_map();
      context.events().emit(
          "info",
          "lab_status",
          "the running lab",
          fields == nullptr ? Map{{"status", answer}} : *fields);
    } else {
      context.result(lab_status_text(answer));
    }
    return ExitCode::done;
  }

  Result<ExitCode> fault(Context& context) {
    const Result<lab::Fault> known = lab::parse_fault(fault_);
    if (!known) return known.error();
    FABRIC_TRY(labserver::request(
        kLabFolder, Map{{"verb", "fault"}, {"node", node_}, {"fault", fault_}, {"only", only_}}));
    context.note(fmt::format("{}: fault {}", node_, fault_));
    return ExitCode::done;
  }

  Result<ExitCode> recable(Context& context) {
    FABRIC_TRY(labserver::request(kLabFolder, Map{{"verb", "recable"}, {"a", a_}, {"b", b_}}));
    context.note(fmt::format("{} is now cabled to {}", a_, b_));
    return ExitCode::done;
  }

  Result<ExitCode> unplug(Context& context) {
    FABRIC_TRY(
        labserver::request(kLabFolder, Map{{"verb", "unplug"}, {"a", a_}, {"one_end", one_end_}}));
    context.note(fmt::format(
        "{} is unplugged{}", a_, one_end_ ? "; the other end of its cable stays plugged in" : ""));
    return ExitCode::done;
  }

  Result<ExitCode> swap_card(Context& context) {
    FABRIC_TRY(labserver::request(kLabFolder, Map{{"verb", "swap-card"}, {"node", node_}}));
    context.note(fmt::format("{} has another card, and boots", node_));
    return ExitCode::done;
  }

  Result<void> check_latency() const {
    const Result<Duration> latency = parse_duration(latency_);
    if (!latency) return with_context(latency.error(), "--latency");
    return {};
  }

  Result<void> write_document() {
    if (path_ != ".")
      return Error{ErrorCode::invalid, "--nodes writes a document of its own; leave PATH out"};
    path_ = kLabDocument;
    FABRIC_TRY(files::make_folder(path_, files::Readers::owner));
    return write_text_file(path_ + "/fabric.yaml", ring_document(nodes_));
  }

  std::string path_ = ".";
  std::string latency_ = "0ms", password_env_;
  std::string node_, fault_, only_, a_, b_;
  std::size_t nodes_ = 0;
  bool one_end_ = false;
  Action chosen_ = &LabVerb::status;
};

}  // namespace

std::unique_ptr<Verb> make_lab() {
  return std::make_unique<LabVerb>();
}

}  // namespace fabric::cli
