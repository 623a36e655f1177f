#include "engine/ssh/runner.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/file_descriptor.hpp"
#include "engine/remote/observed_runner.hpp"
#include "engine/remote/perform.hpp"
#include "engine/ssh/config/config.hpp"
#include "engine/ssh/config/destination.hpp"
#include "engine/ssh/environment.hpp"
#include "engine/ssh/jump_host.hpp"
#include "engine/ssh/local_command.hpp"
#include "engine/ssh/local_file.hpp"
#include "engine/ssh/session.hpp"

namespace fabric::ssh {
namespace {

using remote::Outcome;
using remote::StepRequest;
using remote::StepResult;

struct Node {
  NodeName name;
  Target target;
  std::deque<StepRequest> queue;  // the first one is running if busy
  bool busy = false;
  std::optional<TimePoint> pause_until;  // the first one is a Pause
  std::optional<remote::PeerIdentity> identity;

  // Only for the worker that has made it busy.
  std::optional<Result<Destination>> destination;
  std::optional<Result<Secret>> password;
  std::unique_ptr<Session> session;
};

struct Jump {
  std::unique_ptr<JumpHost> host;
  std::thread thread;
};

// Longer than any run; keeps additions to the clock from overflowing.
constexpr Duration kLongest{1'000'000'000};

// The terminal's signals belong to the main thread, and a broken pipe to nobody.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

// "jump@192.0.2.1:22 > root@pve1:22"
std::string way_to(const Destination& destination) {
  std::string way;
  for (const Destination& hop : destination.jumps)
    way += fmt::format("{}@{}:{} > ", hop.user, hop.host, hop.port);
  return way + fmt::format("{}@{}:{}", destination.user, destination.host, destination.port);
}

Result<remote::Command> command_of(const remote::Step& step) {
  const auto* copy = std::get_if<remote::step::CopyFile>(&step);
  if (copy == nullptr) return remote::command_for(step);
  return remote::command_for(*copy, FABRIC_TRY(read_local_file(copy->source, copy->bytes)));
}

}  // namespace

struct Runner::Impl {
  Impl(const std::map<NodeName, Target>& targets, Options given, const Clock& clock_given);

  // Workers.
  void spawn_if_needed();
  void work();
  StepResult perform(Node& node, const StepRequest& request);
  Execution perform_there(Node& node, const StepRequest& request);
  Execution execute(Node& node, const remote::Command& command, bool fresh_session);
  Result<void> open(Node& node);
  Result<void> open_session(Node& node);
  Result<std::unique_ptr<Session>> open_through(const Destination& destination, JumpHost* jump);
  JumpHost& jump_host(const std::vector<Destination>& chain);
  Result<Secret> password(Node& node);

  // With `mutex` held.
  void make_ready(Node& node);
  void end_pauses();
  void finish_front(Node& node, StepResult result);
  Duration until_next_pause(Duration at_most) const;

  const Options options;
  const Clock& clock;
  const LocalEnvironment local = local_environment();
  Environment environment;
  Result<Config> config;
  std::map<NodeName, Node> nodes;

  std::mutex mutex;
  std::condition_variable work_arrived;
  std::condition_variable result_arrived;
  std::deque<Node*> ready;
  std::vector<Node*> pausing;
  std::deque<StepResult> results;
  std::size_t unfinished = 0;  // started and not yet returned by wait_any
  std::size_t idle_workers = 0;
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
      config{
          options.config_file && options.config_file->empty()
              ? Result<Config>{Config{}}
              : Config::read(
                    options.config_file.value_or(home_directory() + "/.ssh/config"),
                    home_directory())} {
  raise_descriptor_limit();
  for (const auto& [name, target] : targets) {
    Node node{name, target, {}, false, {}, {}, {}, {}, nullptr};
    nodes.emplace(name, std::move(node));
  }
}

void Runner::Impl::make_ready(Node& node) {
  if (node.busy || node.queue.empty()) return;
  node.busy = true;
  if (const auto* pause = std::get_if<remote::step::Pause>(&node.queue.front().step)) {
    node.pause_until = clock.now() + std::min(pause->duration, kLongest);
    pausing.push_back(&node);
    // Whoever waits now may have to wake earlier than it thought.
    work_arrived.notify_one();
    result_arrived.notify_all();
    return;
  }
  ready.push_back(&node);
  work_arrived.notify_one();
}

void Runner::Impl::finish_front(Node& node, StepResult result) {
  node.queue.pop_front();
  node.busy = false;
  results.push_back(std::move(result));
  result_arrived.notify_all();
  make_ready(node);
}

// Called by whoever waits for something else: no thread sleeps for a Pause alone.
void Runner::Impl::end_pauses() {
  const TimePoint now = clock.now();
  const auto over = std::stable_partition(
      pausing.begin(), pausing.end(), [&](const Node* node) { return *node->pause_until > now; });
  const std::vector<Node*> ended{over, pausing.end()};
  pausing.erase(over, pausing.end());
  for (Node* node : ended) {
    node->pause_until.reset();
    StepResult result;
    result.ticket = node->queue.front().ticket;
    result.ended = now;
    finish_front(*node, std::move(result));
  }
}

Duration Runner::Impl::until_next_pause(Duration at_most) const {
  for (const Node* node : pausing)
    at_most = std::min(at_most, *node->pause_until - clock.now());
  return std::max(at_most, Duration::zero());
}

void Runner::Impl::spawn_if_needed() {
  const std::size_t limit = std::max<std::size_t>(options.parallelism, 1);
  if (ready.size() <= idle_workers || workers.size() >= limit) return;
  const BlockedSignals blocked;  // inherited by the thread
  workers.emplace_back([this] { work(); });
}

void Runner::Impl::work() {
  std::unique_lock lock{mutex};
  while (true) {
    ++idle_workers;
    spawn_if_needed();
    while (!stopping && ready.empty()) {
      work_arrived.wait_for(lock, until_next_pause(kLongest));
      end_pauses();
    }
    --idle_workers;
    if (stopping) return;
    Node& node = *ready.front();
    ready.pop_front();
    const StepRequest request = node.queue.front();
    lock.unlock();
    StepResult result = perform(node, request);
    lock.lock();
    if (node.session) node.identity = {node.session->host_key_fingerprint()};
    finish_front(node, std::move(result));
  }
}

StepResult Runner::Impl::perform(Node& node, const StepRequest& request) {
  Execution execution;
  if (const auto* here = std::get_if<remote::step::RunHere>(&request.step)) {
    execution = run_here(*here, clock, environment.stop);
  } else if (remote::is_shell_step(request.step)) {
    execution = perform_there(node, request);
  } else {
    execution = {Outcome::failed, {}, remote::unknown_step(node.name, request.step, "SSH")};
  }
  StepResult result;
  result.ticket = request.ticket;
  result.outcome = execution.outcome;
  result.output = std::move(execution.output);
  result.error = std::move(execution.error);
  result.ended = clock.now();
  return result;
}

Execution Runner::Impl::perform_there(Node& node, const StepRequest& request) {
  const auto* run = std::get_if<remote::step::Run>(&request.step);
  Result<remote::Command> found = command_of(request.step);
  if (!found) return {Outcome::failed, {}, std::move(found).error()};
  remote::Command command = std::move(found).value();
  if (node.target.sudo) command = remote::with_sudo(std::move(command));
  Execution execution = execute(node, command, run != nullptr && run->fresh_session);
  if (execution.outcome != Outcome::succeeded) node.session.reset();
  return execution;
}

Execution Runner::Impl::execute(Node& node, const remote::Command& command, bool fresh_session) {
  if (fresh_session) node.session.reset();
  if (node.session) {
    Execution execution = node.session->exec(command);
    // The kept session had died; nothing was sent over it.
    if (execution.outcome != Outcome::failed) return execution;
    node.session.reset();
    if (options.sessions != nullptr) options.sessions->session_replaced(node.name, execution.error);
  }
  Result<void> opened = open(node);
  if (!opened) return {Outcome::failed, {}, std::move(opened).error()};
  return node.session->exec(command);
}

Result<void> Runner::Impl::open(Node& node) {
  const TimePoint begun = clock.now();
  Result<void> opened = open_session(node);
  if (options.sessions == nullptr) return opened;
  const Duration took = clock.now() - begun;
  if (opened) {
    options.sessions->session_opened(node.name, way_to(**node.destination), took);
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
      const BlockedSignals blocked;
      jump.thread = std::thread{[&host = *jump.host] {
        host.run();
      }};
    }
    previous = jump.host.get();
  }
  return *previous;
}

Result<Secret> Runner::Impl::password(Node& node) {
  const std::lock_guard lock{password_mutex};
  if (!node.password) node.password = node.target.password();
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
  for (auto& [key, jump] : impl_->jumps)
    jump.thread.join();
}

void Runner::start(StepRequest request) {
  const auto node = impl_->nodes.find(request.node);
  FABRIC_CHECK(node != impl_->nodes.end(), "a step for a node that the runner was not given");
  const std::lock_guard lock{impl_->mutex};
  ++impl_->unfinished;
  node->second.queue.push_back(std::move(request));
  impl_->make_ready(node->second);
  impl_->spawn_if_needed();
}

std::optional<StepResult> Runner::wait_any(Duration patience) {
  std::unique_lock lock{impl_->mutex};
  FABRIC_CHECK(impl_->unfinished > 0, "waiting for a step although none is running");
  const TimePoint deadline = impl_->clock.now() + std::min(patience, kLongest);
  while (true) {
    impl_->end_pauses();
    impl_->spawn_if_needed();
    if (!impl_->results.empty()) break;
    const Duration left = deadline - impl_->clock.now();
    if (left <= Duration::zero()) return std::nullopt;
    impl_->result_arrived.wait_for(lock, impl_->until_next_pause(left));
  }
  StepResult result = std::move(impl_->results.front());
  impl_->results.pop_front();
  --impl_->unfinished;
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
