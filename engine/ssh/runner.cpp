// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/runner.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "engine/base/check.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/files/read.hpp"
#include "engine/remote/observed_runner.hpp"
#include "engine/remote/perform.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/environment.hpp"
#include "engine/ssh/failure.hpp"
#include "engine/ssh/jump_host.hpp"
#include "engine/ssh/local_command.hpp"
#include "engine/ssh/session.hpp"
#include "engine/ssh/step_queue.hpp"
#include "engine/ssh/stop_signal.hpp"

namespace fabric::ssh {

namespace {

// Node: what the runner keeps of one node.

struct Node : Lane {
  Node(NodeName name_given, Target target_given)
      : name{std::move(name_given)}, target{std::move(target_given)} {}

  NodeName name;
  Target target;
  std::optional<remote::PeerIdentity> identity;

  // Only for the worker that has made it busy.
  std::optional<Result<Destination>> destination;
  std::optional<Result<Secret>> password;
  std::unique_ptr<Session> session;
  std::optional<remote::PeerIdentity> shown;  // shown by the session, for `identity`
};

std::string sha256_of(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const int done =
      EVP_Digest(content.data(), content.size(), digest.data(), &length, EVP_sha256(), nullptr);
  FABRIC_CHECK(done == 1, "OpenSSL has no SHA-256");
  std::string hex;
  for (unsigned i = 0; i < length; ++i)
    hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

using remote::Outcome;
using remote::StepRequest;
using remote::StepResult;

struct Jump {
  std::unique_ptr<JumpHost> host;
  std::thread thread;
};

// Longer than any run; keeps additions to the clock from overflowing.
constexpr Duration kLongest{1'000'000'000};
// While steps wait for a thread, wait_any() sleeps no longer than this and is not woken for each
// result: it finds a few results each time.
constexpr Duration kTogether{5};

Result<remote::Command> command_of(const remote::Step& step) {
  const auto* copy = std::get_if<remote::step::CopyFile>(&step);
  if (copy == nullptr) return remote::command_for(step);
  return remote::command_for(
      *copy, FABRIC_TRY(read_local_file(copy->source, copy->bytes, copy->sha256)));
}

}  // namespace

Result<std::string> read_local_file(
    const std::string& path, std::uint64_t bytes, std::string_view sha256) {
  Result<std::string> content = files::read_regular(path, bytes);
  if (!content && content.error().code != ErrorCode::invalid) return content;
  if (!content || content->size() != bytes) {
    return Error{
        ErrorCode::stale,
        fmt::format(
            "{} has changed: expected {} bytes{}",
            path,
            bytes,
            content ? fmt::format(", found {}", content->size()) : ", found another number")};
  }
  if (const std::string found = sha256_of(*content); found != sha256) {
    return Error{
        ErrorCode::stale,
        fmt::format("{} has changed: expected sha256 {}, found {}", path, sha256, found)};
  }
  return content;
}

struct Runner::Impl {
  Impl(const std::map<NodeName, Target>& targets, Options given, const Clock& clock_given);

  // Workers.
  void spawn_if_needed();
  void work();
  void perform(Node& node, const StepRequest& request, StepResult& result) noexcept;
  Execution perform_step(Node& node, const StepRequest& request);
  Execution perform_there(Node& node, const StepRequest& request);
  Execution execute(
      Node& node, bool fresh_session, const std::function<Execution(Session&)>& perform);
  Result<void> open(Node& node);
  Result<void> open_session(Node& node);
  Result<std::unique_ptr<Session>> open_through(const Destination& destination, JumpHost* jump);
  JumpHost& jump_host(const std::vector<Destination>& chain);
  Result<Secret> password(Node& node);

  // REQUIRES: `mutex` is held.
  void end_pauses();
  void finish(Node& node) noexcept;
  void refuse_ready(const std::string& why);

  const Options options;
  const Clock& clock;
  const LocalEnvironment local = local_environment();
  Environment environment;
  Result<Config> config;
  std::map<NodeName, Node> nodes;

  std::mutex mutex;
  std::condition_variable work_arrived;
  std::condition_variable result_arrived;
  StepQueue queue;
  std::size_t unfinished = 0;  // started and not yet returned by wait_any
  std::size_t idle_workers = 0;
  bool looks_soon = false;  // wait_any() sleeps for kTogether at most
  bool stopping = false;
  std::vector<std::thread> workers;

  std::mutex jumps_mutex;
  std::map<std::string, Jump> jumps;
  std::mutex password_mutex;  // one question on the terminal at a time
};

Runner::Impl::Impl(
    const std::map<NodeName, Target>& targets, Options given, const Clock& clock_given)
    : options{std::move(given)},
      clock{clock_given},
      environment{options, clock, {}, {}, {}},
      config{read_config(options)} {
  raise_descriptor_limit();
  for (const auto& [name, target] : targets)
    nodes.emplace(std::piecewise_construct, std::tuple{name}, std::tuple{name, target});
}

void Runner::Impl::finish(Node& node) noexcept {
  queue.finish(node, clock.now());
  work_arrived.notify_one();
  if (!looks_soon || queue.ready() == 0) result_arrived.notify_all();
}

// Called by a thread that waits for something else: no thread sleeps for a Pause alone.
void Runner::Impl::end_pauses() {
  queue.end_pauses(clock.now());
  if (queue.ready() > 0) work_arrived.notify_one();
  if (queue.has_results()) result_arrived.notify_all();
}

void Runner::Impl::spawn_if_needed() {
  const std::size_t limit = std::max<std::size_t>(options.parallelism, 1);
  if (queue.ready() <= idle_workers || workers.size() >= limit) return;
  // The terminal's signals belong to the main thread, and no thread handles a broken pipe.
  const BlockedSignals blocked;
  try {
    workers.reserve(workers.size() + 1);
    workers.emplace_back([this] { work(); });
  } catch (const std::exception& failure) {
    // With fewer workers it takes longer. Without any nothing would ever happen.
    if (workers.empty())
      refuse_ready(fmt::format("no thread can be started for the session: {}", failure.what()));
  }
}

void Runner::Impl::refuse_ready(const std::string& why) {
  while (queue.ready() > 0) {
    Node& node = static_cast<Node&>(queue.take());
    StepResult& result = node.steps.front().result.front();
    result.outcome = Outcome::failed;
    result.error = {ErrorCode::unreachable, fmt::format("{}: {}", node.name.str(), why)};
    result.ended = clock.now();
    finish(node);
  }
}

void Runner::Impl::work() {
  std::unique_lock lock{mutex};
  while (true) {
    ++idle_workers;
    spawn_if_needed();
    while (!stopping && queue.ready() == 0) {
      work_arrived.wait_for(lock, queue.until_next_pause(clock.now(), kLongest));
      end_pauses();
    }
    --idle_workers;
    if (stopping) return;
    Node& node = static_cast<Node&>(queue.take());
    // Others only add to the steps of a node that is busy.
    Lane::Pending& front = node.steps.front();
    lock.unlock();
    perform(node, front.request, front.result.front());
    lock.lock();
    if (node.session && node.shown) node.identity = std::move(node.shown);
    node.shown.reset();
    if (options.session_life == SessionLife::one_step && node.steps.size() == 1) {
      lock.unlock();
      node.session.reset();
      lock.lock();
    }
    finish(node);
  }
}

Execution Runner::Impl::perform_step(Node& node, const StepRequest& request) {
  if (const auto* here = std::get_if<remote::step::RunHere>(&request.step))
    return run_here(*here, clock, environment.stop);
  if (remote::is_shell_step(request.step)) return perform_there(node, request);
  if (const auto* talk = std::get_if<remote::step::Converse>(&request.step)) {
    Execution execution = execute(
        node, talk->fresh_session, [talk](Session& session) { return session.converse(*talk); });
    if (execution.outcome != Outcome::succeeded) node.session.reset();
    return execution;
  }
  return {Outcome::failed, {}, remote::unknown_step(node.name, request.step, "SSH")};
}

// Any error here is the failure of this node, never the end of the program with everything that is
// in flight.
void Runner::Impl::perform(Node& node, const StepRequest& request, StepResult& result) noexcept {
  result.outcome = Outcome::unknown;
  result.error.code = ErrorCode::maybe_applied;
  try {
    Execution execution = perform_step(node, request);
    if (node.session) node.shown = {node.session->host_key_fingerprint()};
    result.outcome = execution.outcome;
    result.output = std::move(execution.output);
    result.replies = std::move(execution.replies);
    result.error = std::move(execution.error);
  } catch (...) {
    try {
      node.session.reset();
      result.error.message = fmt::format("{}: {}", node.name.str(), what_was_thrown());
    } catch (...) {
      result.error.message.clear();  // wait_any() has words for it
    }
  }
  result.ended = clock.now();
}

Execution Runner::Impl::perform_there(Node& node, const StepRequest& request) {
  const auto* run = std::get_if<remote::step::Run>(&request.step);
  const remote::Command* command = remote::command_as_it_is(request.step);
  remote::Command made;
  if (command == nullptr || node.target.sudo) {
    Result<remote::Command> found = command_of(request.step);
    if (!found) return {Outcome::failed, {}, std::move(found).error()};
    made = std::move(found).value();
    if (node.target.sudo) made = remote::with_sudo(std::move(made));
    command = &made;
  }
  Execution execution =
      execute(node, run != nullptr && run->fresh_session, [command](Session& session) {
        return session.exec(*command);
      });
  if (execution.outcome != Outcome::succeeded) node.session.reset();
  return execution;
}

Execution Runner::Impl::execute(
    Node& node, bool fresh_session, const std::function<Execution(Session&)>& perform) {
  if (fresh_session) node.session.reset();
  if (node.session) {
    Execution execution = perform(*node.session);
    // The kept session had died; nothing was sent over it.
    if (execution.outcome != Outcome::failed) return execution;
    node.session.reset();
    if (options.sessions != nullptr) options.sessions->session_replaced(node.name, execution.error);
  }
  Result<void> opened = open(node);
  if (!opened) return {Outcome::failed, {}, std::move(opened).error()};
  return perform(*node.session);
}

Result<void> Runner::Impl::open(Node& node) {
  const TimePoint begun = clock.now();
  Result<void> opened = open_session(node);
  if (options.sessions == nullptr) return opened;
  const Duration took = clock.now() - begun;
  if (opened) {
    std::string to = way_to(**node.destination);
    if (const std::string old = node.session->old_key_exchange(); !old.empty())
      to += fmt::format(" by the old key exchange {}", old);
    options.sessions->session_opened(node.name, to, took);
  } else {
    options.sessions->session_refused(node.name, opened.error(), took);
  }
  return opened;
}

Result<void> Runner::Impl::open_session(Node& node) {
  if (!config) {
    return Error{ErrorCode::unreachable, node.name.str() + ": " + config.error().message};
  }
  if (!node.destination) {
    node.destination =
        DestinationResolver{*config, options, local}.resolve(node.name.str(), node.target);
    if (*node.destination && node.target.password) {
      (*node.destination)->password = [this, &node] {
        return password(node);
      };
    }
  }
  if (!*node.destination) return node.destination->error();
  const Destination& destination = **node.destination;
  JumpHost* jump = destination.jumps.empty() ? nullptr : &jump_host(destination.jumps);
  node.session = FABRIC_TRY(open_through(destination, jump));
  return {};
}

// `jump`: null to connect directly.
Result<std::unique_ptr<Session>> Runner::Impl::open_through(
    const Destination& destination, JumpHost* jump) {
  FileDescriptor transport = FABRIC_TRY(
      jump == nullptr ? connect_tcp(destination, environment) : jump->connect(destination));
  return Session::open(destination, std::move(transport), environment);
}

// The last of `chain`, reached through those before it. All of them are made here, before any of
// their threads runs, so that no such thread ever adds another.
JumpHost& Runner::Impl::jump_host(const std::vector<Destination>& chain) {
  const std::lock_guard lock{jumps_mutex};
  JumpHost* previous = nullptr;
  std::string key;
  for (const Destination& hop : chain) {
    key += fmt::format("{}@{}:{},", hop.user, hop.host, hop.port);
    Jump& jump = jumps[key];
    if (!jump.host) {
      jump.host = std::make_unique<JumpHost>(
          [this, &hop, previous] { return open_through(hop, previous); }, environment);
      try {
        const BlockedSignals blocked;
        jump.thread = std::thread{[&host = *jump.host] {
          host.run();
        }};
      } catch (...) {
        jumps.erase(key);
        throw;
      }
    }
    previous = jump.host.get();
  }
  return *previous;
}

Result<Secret> Runner::Impl::password(Node& node) {
  const std::lock_guard lock{password_mutex};
  if (!node.password) node.password = node.target.password(environment.stop);
  return *node.password;
}

Runner::Runner(const std::map<NodeName, Target>& targets, Options options, const Clock& clock)
    : impl_{std::make_unique<Impl>(targets, std::move(options), clock)} {}

Runner::~Runner() {
  {
    const std::lock_guard lock{impl_->mutex};
    impl_->stopping = true;
    impl_->environment.stop.raise();
    impl_->work_arrived.notify_all();
  }
  for (std::thread& worker : impl_->workers)
    worker.join();
  for (auto& [key, jump] : impl_->jumps) {
    if (jump.thread.joinable()) jump.thread.join();
  }
}

void Runner::start(StepRequest request) {
  const auto node = impl_->nodes.find(request.node);
  FABRIC_CHECK(node != impl_->nodes.end(), "a step for a node that the runner was not given");
  const std::lock_guard lock{impl_->mutex};
  ++impl_->unfinished;
  impl_->queue.add(node->second, std::move(request), impl_->clock.now());
  // A waiting thread may have to wake for it, or earlier than it thought.
  impl_->work_arrived.notify_one();
  impl_->result_arrived.notify_all();
  impl_->spawn_if_needed();
}

std::optional<StepResult> Runner::wait_any(Duration patience) {
  std::unique_lock lock{impl_->mutex};
  FABRIC_CHECK(impl_->unfinished > 0, "waiting for a step although none is running");
  const TimePoint deadline = impl_->clock.now() + std::min(patience, kLongest);
  while (true) {
    impl_->end_pauses();
    impl_->spawn_if_needed();
    if (impl_->queue.has_results()) break;
    Duration left = deadline - impl_->clock.now();
    if (left <= Duration::zero()) return std::nullopt;
    impl_->looks_soon = impl_->queue.ready() > 0;
    if (impl_->looks_soon) left = std::min(left, kTogether);
    impl_->result_arrived.wait_for(lock, impl_->queue.until_next_pause(impl_->clock.now(), left));
  }
  StepResult result = impl_->queue.take_result();
  --impl_->unfinished;
  if (result.outcome != Outcome::succeeded && result.error.message.empty())
    result.error.message = "this machine has no memory left for the session";
  return result;
}

std::optional<remote::PeerIdentity> Runner::identity(const NodeName& node) const {
  const std::lock_guard lock{impl_->mutex};
  const auto found = impl_->nodes.find(node);
  return found == impl_->nodes.end() ? std::nullopt : found->second.identity;
}

const Clock& Runner::clock() const {
  return impl_->clock;
}

}  // namespace fabric::ssh
