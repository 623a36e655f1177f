// SPDX-License-Identifier: Apache-2.0
// Overloaded: a visitor for std::visit made of lambdas; a new alternative breaks every visitor.
#pragma once

namespace fabric {

template <class... Callables>
struct Overloaded : Callables... {
  using Callables::operator()...;
};
template <class... Callables>
Overloaded(Callables...) -> Overloaded<Callables...>;  // clang 14 needs the guide

}  // namespace fabric
