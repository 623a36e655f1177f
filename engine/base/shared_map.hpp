// SPDX-License-Identifier: Apache-2.0
// SharedMap<M>: an ordered map that copies share until one of them is changed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "engine/base/shared.hpp"

namespace fabric {

// Read like the map itself. A resource is in the document, in the desired resources, in its change
// and in its work: ten thousand nodes do not hold four copies of it. Threads: as Shared. An
// iterator or a reference is valid until its copy of the map is changed.
template <class M>
class SharedMap {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names that maps have.
  using key_type = typename M::key_type;
  using mapped_type = typename M::mapped_type;
  using value_type = typename M::value_type;
  using const_iterator = typename M::const_iterator;
  // NOLINTEND(readability-identifier-naming)

  SharedMap() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands for the map.
  SharedMap(M map) : map_{std::move(map)} {}
  SharedMap(std::initializer_list<value_type> items) : SharedMap{M(items)} {}
  operator const M&() const { return **this; }
  // NOLINTEND(google-explicit-constructor)

  const M& operator*() const { return *map_; }
  const M* operator->() const { return &*map_; }
  const_iterator begin() const { return (**this).begin(); }
  const_iterator end() const { return (**this).end(); }
  bool empty() const { return (**this).empty(); }
  std::size_t size() const { return (**this).size(); }
  template <class Key>
  const_iterator find(const Key& key) const {
    return (**this).find(key);
  }
  template <class Key>
  bool contains(const Key& key) const {
    return (**this).contains(key);
  }
  const mapped_type& at(const key_type& key) const { return (**this).at(key); }

  // The map to be changed: its own copy if others share it.
  M& edit() { return map_.edit(); }
  mapped_type& operator[](const key_type& key) { return edit()[key]; }
  template <class... Arguments>
  auto emplace(Arguments&&... arguments) {
    return edit().emplace(std::forward<Arguments>(arguments)...);
  }
  template <class Key, class Mapped>
  auto insert_or_assign(Key&& key, Mapped&& mapped) {
    return edit().insert_or_assign(std::forward<Key>(key), std::forward<Mapped>(mapped));
  }
  template <class Iterator>
  void insert(Iterator begin, Iterator end) {
    edit().insert(begin, end);
  }
  // Adds the entries of `other` whose keys this lacks.
  void merge(M other) { edit().merge(other); }
  template <class Key>
  void erase(const Key& key) {
    if (!contains(key)) return;
    M& map = edit();
    map.erase(map.find(key));
  }
  void erase(const_iterator position) { erase(key_type{position->first}); }
  void clear() { map_ = {}; }

  friend bool operator==(const SharedMap& a, const SharedMap& b) { return &*a == &*b || *a == *b; }

 private:
  Shared<M> map_;
};

}  // namespace fabric
