#include "engine/provider/link_state.hpp"
#include "engine/verify/verify.hpp"

namespace fabric::verify {

std::vector<Probe> verify_probes() {
  return {
      link_state_probe(),
      {"lldp",
       R"(command -v lldpcli >/dev/null 2>&1 || { echo "lldpcli is not installed" >&2; exit 127; }
lldpcli -f json0 show neighbors details
)"},
  };
}

}  // namespace fabric::verify
