// SPDX-License-Identifier: Apache-2.0
#include "engine/graphviz/svg.hpp"

#include <array>
#include <memory>

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>
#include <graphviz/gvcext.h>

#include "engine/base/check.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define FABRIC_WATCHES_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FABRIC_WATCHES_LEAKS
#endif
#endif
#ifdef FABRIC_WATCHES_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

// NOLINTBEGIN(readability-identifier-naming): Graphviz's names
extern "C" {
extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}
// NOLINTEND(readability-identifier-naming)

namespace fabric::graphviz {

namespace {

struct Free {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
  void operator()(Agraph_t* graph) const { agclose(graph); }
  void operator()(char* data) const { gvFreeRenderData(data); }
};

// Frees the layout before the graph.
class Laid {
 public:
  Laid(GVC_t* context, Agraph_t* graph) : context_{context}, graph_{graph} {
    FABRIC_CHECK(gvLayout(context, graph, "dot") == 0, "Graphviz lays out what we write");
  }
  Laid(const Laid&) = delete;
  Laid& operator=(const Laid&) = delete;
  ~Laid() { gvFreeLayout(context_, graph_); }

 private:
  GVC_t* context_;
  Agraph_t* graph_;
};

// Graphviz keeps some hundred bytes of what it has drawn, whatever is freed (libgvc 2.42).
struct LeaksOfGraphviz {
#ifdef FABRIC_WATCHES_LEAKS
  __lsan::ScopedDisabler disabled;
#endif
};

// Graphviz would write its warnings to the terminal: of a label that is wider than its line, say.
int say_nothing(char* /*message*/) {
  return 0;
}

}  // namespace

std::string svg(std::string_view dot) {
  static std::array<lt_symlist_t, 3> plugins{
      lt_symlist_t{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
      lt_symlist_t{"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
      lt_symlist_t{nullptr, nullptr}};
  [[maybe_unused]] const LeaksOfGraphviz leaks;
  agseterrf(say_nothing);
  // Without "demand loading" it looks for no others.
  const std::unique_ptr<GVC_t, Free> context{gvContextPlugins(plugins.data(), 0)};
  const std::unique_ptr<Agraph_t, Free> graph{agmemread(std::string{dot}.c_str())};
  FABRIC_CHECK(context != nullptr && graph != nullptr, "Graphviz reads what we write");
  const Laid laid{context.get(), graph.get()};
  char* data = nullptr;
  unsigned length = 0;
  FABRIC_CHECK(
      gvRenderData(context.get(), graph.get(), "svg", &data, &length) == 0,
      "Graphviz draws what it has laid out");
  const std::unique_ptr<char, Free> owned{data};
  const std::string_view picture{data, length};
  const std::size_t begin = picture.find("<svg");
  FABRIC_CHECK(begin != std::string_view::npos, "Graphviz draws SVG");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string{picture.substr(begin)};
}

}  // namespace fabric::graphviz
