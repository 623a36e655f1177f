// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/qos/qos_files.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/port/port_match.hpp"

namespace fabric::providers {

namespace {

// The tool of the vendor's drivers where it is there: dcb knows their tables only in part. A port
// whose interface is there has its RDMA device a moment later.
constexpr const char* kBody = R"sh(status=0
flags=
for p in 0 1 2 3 4 5 6 7; do
  case " $pfc " in *" $p "*) flags=$flags,1 ;; *) flags=$flags,0 ;; esac
done
on=
for p in $pfc; do [ "$p" = none ] || on="$on $p:on"; done
for d in "/sys/bus/pci/devices/$function/net"/*; do
  i=${d##*/}
  case $i in *.*) continue ;; esac
  case $(cat "$d/phys_port_name" 2>/dev/null) in *vf* | *sf*) continue ;; esac
  [ "$(cat "$d/dev_port" 2>/dev/null) $(cat "$d/type" 2>/dev/null)" = "$dev_port 1" ] || continue
  if command -v mlnx_qos >/dev/null 2>&1; then
    [ "$dcbx" != os ] || mlnx_qos -i "$i" -d os >/dev/null
    [ -z "$trust" ] || mlnx_qos -i "$i" --trust "$trust" >/dev/null || status=1
    [ -z "$pfc" ] || mlnx_qos -i "$i" --pfc "${flags#,}" >/dev/null || status=1
    for pair in $map; do
      mlnx_qos -i "$i" --dscp2prio "set,${pair%:*},${pair#*:}" >/dev/null || status=1
    done
    [ "$dcbx" != firmware ] || mlnx_qos -i "$i" -d fw >/dev/null
  else
    [ "$dcbx" != os ] || dcb dcbx set dev "$i" host ieee
    [ "$trust" != pcp ] || dcb app flush dev "$i" dscp-prio || status=1
    [ -z "$pfc" ] || dcb pfc set dev "$i" prio-pfc all:off $on || status=1
    [ -z "$map" ] || dcb app replace dev "$i" dscp-prio $map || status=1
    [ "$dcbx" != firmware ] || dcb dcbx set dev "$i" ieee
  fi
  for side in np rp; do
    for pair in $ecn; do
      f=$d/ecn/roce_$side/enable/${pair%:*}
      [ ! -e "$f" ] || echo "${pair#*:}" >"$f" || status=1
    done
  done
  f=$d/ecn/roce_np/cnp_dscp
  [ -z "$cnp_dscp" ] || [ ! -e "$f" ] || echo "$cnp_dscp" >"$f" || status=1
done
[ -n "$tos" ] || exit $status
modprobe -q rdma_cm
for n in 1 2 3 4 5 6 7 8 9 10; do
  for d in "/sys/bus/pci/devices/$function/infiniband"/*; do
    [ -e "$d/ports/$device_port" ] || continue
    c=/sys/kernel/config/rdma_cm/${d##*/}
    [ -d "$c" ] || mkdir "$c" || status=1
    echo "$tos" >"$c/ports/$device_port/default_roce_tos" || status=1
    for f in "$d"/tc/*/traffic_class; do
      [ ! -e "$f" ] || [ -z "$(cat "$f")" ] || echo "$tos" >"$f" || status=1
    done
    exit $status
  done
  sleep 1
done
echo "the port has no RDMA device" >&2
exit 1
)sh";

std::string numbers(const std::vector<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, " "));
}

template <class Number>
std::string pairs(const std::map<std::int64_t, Number>& values) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values)
    texts.push_back(fmt::format("{}:{}", key, static_cast<std::int64_t>(value)));
  return join(texts, " ");
}

std::string text(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}

// "none" is no priority; "" is left alone.
std::string pfc_text(const QosValues& values) {
  if (!values.pfc) return "";
  return values.pfc->empty() ? "none" : numbers(*values.pfc);
}

using Fields = std::map<std::string, std::string, std::less<>>;

// Of the lines "name='value'" at the beginning.
Fields fields_in(const std::string& content) {
  Fields fields;
  for (const std::string_view line : split_lines(content)) {
    const std::size_t equals = line.find("='");
    if (equals == std::string_view::npos || !line.ends_with('\'')) break;
    fields.emplace(line.substr(0, equals), line.substr(equals + 2, line.size() - equals - 3));
  }
  return fields;
}

// What is no number is left out: the script is not the same then.
std::map<std::int64_t, std::int64_t> pairs_in(const std::string& text) {
  std::map<std::int64_t, std::int64_t> found;
  for (const std::string_view word : split_words(text)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = parse_integer(word.substr(0, colon));
    const auto value = parse_integer(word.substr(colon + 1));
    if (key && value) found.emplace(*key, *value);
  }
  return found;
}

}  // namespace

QosPaths qos_paths(const ResourceAddress& address) {
  const std::string unit = "fabric-qos-" + address.name;
  return {
      "/etc/fabric/qos-" + address.name + ".sh",
      "/etc/systemd/system/" + unit + ".service",
      "/etc/udev/rules.d/96-" + unit + ".rules",
      unit + ".service"};
}

std::string qos_script(const Card& card, const AdapterPort& port, const QosValues& values) {
  const bool shares = card.shares_function();
  std::string script;
  const auto field = [&script](std::string_view name, std::string_view value) {
    script += fmt::format("{}='{}'\n", name, value);
  };
  field("function", port.function.str());
  field("dev_port", std::to_string(shares ? port.number - 1 : 0));
  field("device_port", std::to_string(shares ? port.number : 1));
  field("dcbx", values.dcbx);
  field("trust", values.trust);
  field("pfc", pfc_text(values));
  field("map", pairs(values.dscp_priorities));
  field("ecn", pairs(values.ecn));
  field("cnp_dscp", text(values.cnp_dscp));
  field("tos", text(values.tos));
  return script + kBody;
}

std::optional<QosValues> values_in_script(
    const Card& card, const AdapterPort& port, const std::string& content) {
  const std::string script = without_marker(content);
  const Fields fields = fields_in(script);
  const auto field = [&fields](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string{} : found->second;
  };
  QosValues values;
  values.dcbx = field("dcbx");
  values.trust = field("trust");
  if (const std::string pfc = field("pfc"); !pfc.empty()) {
    values.pfc.emplace();
    for (const std::string_view word : split_words(pfc)) {
      if (const auto priority = parse_integer(word)) values.pfc->push_back(*priority);
    }
  }
  values.dscp_priorities = pairs_in(field("map"));
  for (const auto& [priority, on] : pairs_in(field("ecn")))
    values.ecn.emplace(priority, on == 1);
  values.cnp_dscp = parse_integer(field("cnp_dscp"));
  values.tos = parse_integer(field("tos"));
  if (qos_script(card, port, values) != script) return std::nullopt;
  return values;
}

std::string qos_unit(const QosPaths& paths, const std::string& port) {
  return fmt::format(
      "[Unit]\n"
      "Description=Lossless RoCE of {}, by fabric\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "ExecStart=/bin/sh {}\n",
      port,
      paths.script);
}

// With the interface, and again with the RDMA device, which comes later and after each loading of
// the driver.
std::string qos_rule(const Card& card, const AdapterPort& port, const QosPaths& paths) {
  const std::string wants =
      fmt::format("TAG+=\"systemd\", ENV{{SYSTEMD_WANTS}}+=\"{}\"\n", paths.unit_name);
  return udev_port_match(card, port, false) + wants +
         fmt::format(
             "ACTION==\"add\", SUBSYSTEM==\"infiniband\", KERNELS==\"{}\", ", port.function.str()) +
         wants;
}

std::string without_marker(const std::string& content) {
  std::string kept;
  bool marker = true;
  for (const std::string_view line : split_lines(content)) {
    marker = marker && line.starts_with('#');
    if (!marker) kept += std::string{line} + "\n";
  }
  return kept;
}

}  // namespace fabric::providers
