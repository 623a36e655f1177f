// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/terminal/context_listener.hpp"

namespace fabric::cli {

template <class Tell>
void ContextListener::each(const Tell& tell) {
  if (context_.log_) tell(static_cast<workflow::Listener&>(*context_.log_));
  tell(*context_.reporter_);
}

void ContextListener::discover_started(std::size_t nodes) {
  each([&](workflow::Listener& listener) { listener.discover_started(nodes); });
}

void ContextListener::discover_node(const NodeFacts& facts) {
  each([&](workflow::Listener& listener) { listener.discover_node(facts); });
}

void ContextListener::discover_waiting(const std::vector<NodeName>& nodes) {
  each([&](workflow::Listener& listener) { listener.discover_waiting(nodes); });
}

void ContextListener::discover_ended() {
  each([](workflow::Listener& listener) { listener.discover_ended(); });
}

void ContextListener::tick() {
  each([](workflow::Listener& listener) { listener.tick(); });
}

void ContextListener::phase(std::string_view what) {
  each([&](workflow::Listener& listener) { listener.phase(what); });
}

void ContextListener::note(std::string_view text) {
  context_.note(text);
}

void ContextListener::problem(std::string_view text) {
  if (context_.log_) context_.log_->problem(text);
  context_.error(text);
}

void ContextListener::run_started(const plans::Plan& plan, const std::string& run) {
  each([&](workflow::Listener& listener) { listener.run_started(plan, run); });
}

void ContextListener::wave_started(const plans::Wave& wave) {
  each([&](workflow::Listener& listener) { listener.wave_started(wave); });
}

void ContextListener::action_started(const plans::Action& action) {
  each([&](workflow::Listener& listener) { listener.action_started(action); });
}

void ContextListener::action_phase(const plans::Action& action, const std::string& phase) {
  each([&](workflow::Listener& listener) { listener.action_phase(action, phase); });
}

void ContextListener::action_put_off(
    const plans::Action& action, const std::string& said, Duration waited) {
  each([&](workflow::Listener& listener) { listener.action_put_off(action, said, waited); });
}

void ContextListener::action_ended(
    const plans::Action& action, const execute::ActionResult& result) {
  each([&](workflow::Listener& listener) { listener.action_ended(action, result); });
}

void ContextListener::heartbeat(const std::vector<std::string>& running_actions) {
  each([&](workflow::Listener& listener) { listener.heartbeat(running_actions); });
}

void ContextListener::run_ended(const std::vector<execute::ActionResult>& results) {
  each([&](workflow::Listener& listener) { listener.run_ended(results); });
}

}  // namespace fabric::cli
