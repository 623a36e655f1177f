// SPDX-License-Identifier: Apache-2.0
// SharedMap<M>: an ordered map that copies share until one of them is changed.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

namespace fabric {

// Read like the map itself. A resource stands in the document, in what is wanted, in its change and
// in its work: ten thousand nodes do not hold four copies of what is said of each.
// Copies may be read, made and dropped by several threads; each is changed by one.
// What is read of one (an iterator, a reference) is good until that copy is changed.
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
  SharedMap(M map) : map_{map.empty() ? nullptr : std::make_shared<M>(std::move(map))} {}
  SharedMap(std::initializer_list<value_type> items) : SharedMap{M(items)} {}
  operator const M&() const { return **this; }
  // NOLINTEND(google-explicit-constructor)

  const M& operator*() const {
    static const M none;
    return map_ ? *map_ : none;
  }
  const M* operator->() const { return &**this; }
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

  // To be changed: a copy of its own where others share it.
  M& edit() {
    if (!map_) {
      map_ = std::make_shared<M>();
    } else if (map_.use_count() > 1) {
      map_ = std::make_shared<M>(*map_);
    }
    return *map_;
  }
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
  // What `other` has and this lacks.
  void merge(M other) { edit().merge(other); }
  template <class Key>
  void erase(const Key& key) {
    if (!contains(key)) return;
    M& map = edit();
    map.erase(map.find(key));
  }
  void erase(const_iterator position) { erase(key_type{position->first}); }
  void clear() { map_.reset(); }

  friend bool operator==(const SharedMap& a, const SharedMap& b) {
    return a.map_ == b.map_ || *a == *b;
  }

 private:
  std::shared_ptr<M> map_;
};

}  // namespace fabric
