// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verify.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/result.hpp"
#include "engine/cli/input/facts_io.hpp"
#include "engine/cli/input/node_choice.hpp"
#include "engine/cli/input/read_wanted.hpp"
#include "engine/cli/session/connect.hpp"
#include "engine/cli/state/document.hpp"
#include "engine/cli/state/process_identity.hpp"
#include "engine/cli/state/this_host.hpp"
#include "engine/cli/terminal/format.hpp"
#include "engine/cli/terminal/verify_output.hpp"
#include "engine/cli/verbs/verb.hpp"
#include "engine/files/read.hpp"
#include "engine/files/write.hpp"
#include "engine/ibnet/look.hpp"
#include "engine/report/formats.hpp"
#include "engine/report/verify/report_tables.hpp"
#include "engine/report/verify/work_order_formats.hpp"
#include "engine/workflow/verifying.hpp"
#include "engine/workflow/wire_reading.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

namespace fabric::cli {

namespace {

// "nodes", "local", or the path of a file with the output of ibnetdiscover or iblinkinfo.
constexpr const char* kWireNodes = "nodes";
constexpr const char* kWireLocal = "local";

Result<verify::WireView> read_file(const std::string& path) {
  const std::string text = FABRIC_TRY(files::read_argument(path, limits::kSubnetBytes));
  // Either arrow of iblinkinfo; ibnetdiscover has none.
  const bool link_info = text.find(")==>") != std::string::npos;
  Result<ObservedTopology> topology =
      link_info ? providers::parse_iblinkinfo(text) : providers::parse_ibnetdiscover(text);
  if (!topology) return with_context(topology.error(), path);
  return verify::WireView{path, std::move(*topology), {}, {}};
}

Result<std::vector<verify::WireView>> look_from_here() {
  std::vector<verify::WireView> views;
  for (ibnet::Look& look : FABRIC_TRY(ibnet::look())) {
    views.push_back(
        {fmt::format("this machine{}", look.from.empty() ? "" : " (" + look.from + ")"),
         std::move(look.topology),
         std::move(look.why_not),
         std::move(look.dark)});
  }
  return views;
}

// Looks from this machine and reads the files; none of it where the document has no InfiniBand.
// Fails with ErrorCode::invalid if a file is of another format, and with ErrorCode::not_found if
// this program can't look from this machine.
Result<std::vector<workflow::WireWay>> wire_ways(
    const FabricSpec& spec, const std::vector<std::string>& ways) {
  std::vector<workflow::WireWay> found;
  if (!workflow::has_infiniband(spec)) return found;
  for (const std::string& way : ways) {
    workflow::WireWay& next = found.emplace_back();
    if (way == kWireNodes) {
      next.ask_nodes = true;
    } else if (way == kWireLocal) {
      next.views = FABRIC_TRY(look_from_here());
    } else {
      next.views.push_back(FABRIC_TRY(read_file(way)));
    }
  }
  return found;
}

using workflow::VerifyLevel;
using workflow::VerifyWish;

class VerifyVerb final : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PATH", path_, "document: a file or a directory")->default_val(".");
    app.add_option(
           "--level",
           level_,
           "wire: InfiniBand cables alone; link: cables by carrier, LLDP and the subnet's answers, "
           "and speed, FEC, module and slot of each link; odd: link, and which nodes differ from "
           "nodes of their kind; path: cables and pings; rdma: RDMA between the ends; perf: "
           "bandwidth by RDMA and TCP; failover: path, and every port of every bond is closed for "
           "some seconds, every master of a subnet stopped until its standby is master, one after "
           "the other")
        ->check(CLI::IsMember({"wire", "link", "odd", "path", "rdma", "perf", "failover"}))
        ->default_val("path")
        ->type_name("LEVEL");
    app.add_option(
           "--wire",
           wire_,
           "where the view of an InfiniBand subnet comes from: nodes (one of each subnet, by "
           "ibnetdiscover), local (this machine's own port, by libibnetdisc), or a file that "
           "ibnetdiscover or iblinkinfo printed; may be given for each subnet")
        // Or it would take PATH behind it for another way.
        ->allow_extra_args(false)
        ->default_str(kWireNodes)
        ->type_name("WAY");
    app.add_option("--seconds", seconds_, "how long perf measures each flow")
        ->check(CLI::Range(1, 3600))
        ->default_val(5)
        ->type_name("N");
    app.add_option(
           "--pairs",
           pairs_,
           "which nodes are paired in rdma and perf: neighbours (by cables, and in order behind "
           "switches), or all (each node and every other one, in rounds in which no node and no "
           "cable is used twice)")
        ->check(CLI::IsMember({"neighbours", "all"}))
        ->default_val("neighbours")
        ->type_name("WHO");
    app.add_option("--csv", csv_, "write the measurements of rdma and perf, one row for each flow")
        ->type_name("FILE");
    app.add_option(
           "--since",
           since_,
           "an earlier list of --format work-order: its orders that are done by now are listed too")
        ->type_name("FILE");
    nodes_.declare_offline(app);
    app.add_option(
           "--limit",
           limit_,
           "ping, measure, close and judge only paths, ports and cables of these nodes, for "
           "example 'pve[1-2]'")
        ->type_name("NODESET");
    add_format(app, format_, report::names_of(report::verify_formats()));
  }

  Result<ExitCode> run(Context& context) override {
    const VerifyWish wish = wish_of_options();
    FABRIC_TRY(check_options(context, wish));
    const std::vector<std::string> former = FABRIC_TRY(former_numbers());
    const std::vector<std::string> files = FABRIC_TRY(document_files(path_));
    const workflow::NodeChoice choice = FABRIC_TRY(nodes_.choice());
    const workflow::Wanted wanted = FABRIC_TRY(read_wanted(context, files, choice));
    const verify::Report report = FABRIC_TRY(judged(context, wanted, wish));
    if (context.json()) {
      show(context, report, wanted.document->sources);
    } else {
      context.result(report::write_as(
          format_,
          report::verify_formats(),
          {report, wanted.document->spec(), wanted.document->sources, "fabric verify", former},
          audience_of(context)));
    }
    if (!csv_.empty()) {
      FABRIC_TRY(
          files::write_file(csv_, report::flow_csv(report.flows), files::Readers::everybody));
    }
    if (!limit_.empty()) context.note(fmt::format("judged only the nodes {}", limit_));
    if (format_ == "human") tell_next(context, report);
    return workflow::exit_code_of(report);
  }

 private:
  VerifyWish wish_of_options() const {
    return {
        level(),
        Duration{seconds_ * 1000},
        pairs_ == "all" ? verify::FlowPairs::all : verify::FlowPairs::neighbours,
        level_ == "failover",
        level_ == "link",
        level_ == "odd",
        {}};
  }

  // With --limit only the parts about these nodes, otherwise the whole report.
  Result<verify::Report> judged(
      Context& context, const workflow::Wanted& wanted, VerifyWish wish) const {
    if (!limit_.empty())
      wish.limit = FABRIC_TRY(workflow::chosen_nodes(wanted.document->spec(), "--limit", limit_));
    verify::Report report = level_ == "wire" ? FABRIC_TRY(wire_report(context, wanted))
                                             : FABRIC_TRY(full_report(context, wanted, wish));
    return limit_.empty() ? std::move(report) : verify::narrowed(std::move(report), wish.limit);
  }

  // The numbers of the work orders of an earlier report.
  Result<std::vector<std::string>> former_numbers() const {
    if (since_.empty()) return std::vector<std::string>{};
    return report::work_order_numbers(FABRIC_TRY(read_text_file(since_, limits::kDocumentBytes)));
  }

  // Names the command that shows the findings in full, or the level that checks more.
  void tell_next(const Context& context, const verify::Report& report) const {
    const auto wrong = std::ranges::find_if(report.findings, [](const Diagnostic& finding) {
      return finding.severity == Severity::error;
    });
    if (wrong != report.findings.end())
      return context.hint(context.command("explain " + wrong->rule));
    const std::string deeper = level_ == "wire" || level_ == "link" ? "path"
                               : level_ == "path"                   ? "rdma"
                               : level_ == "rdma"                   ? "perf"
                                                                    : "";
    if (deeper.empty() || !context.options().facts.empty()) return;
    context.hint(context.command("verify --level " + deeper, path_));
  }

  // Fails where two options contradict each other.
  Result<void> check_options(Context& context, const VerifyWish& wish) const {
    const bool offline = !context.options().facts.empty();
    if (offline && level_ != "wire" && wish.level != VerifyLevel::link) {
      return Error{
          ErrorCode::invalid, "saved facts can't be pinged: --facts needs --level link or wire"};
    }
    if (offline && wish.odd) {
      return Error{
          ErrorCode::invalid,
          "saved facts contain no modules and slots: --level odd needs the nodes"};
    }
    if (!csv_.empty() && wish.level < VerifyLevel::rdma) {
      return Error{ErrorCode::invalid, "--csv needs --level rdma or perf: nothing else measures"};
    }
    if (pairs_ == "all" && wish.level < VerifyLevel::rdma) {
      return Error{
          ErrorCode::invalid, "--pairs all needs --level rdma or perf: nothing else measures"};
    }
    if (!since_.empty() && !format_.starts_with("work-order"))
      return Error{ErrorCode::invalid, "--since needs --format work-order or one of its kind"};
    return {};
  }

  // No node is asked but those that look at a subnet.
  Result<verify::Report> wire_report(Context& context, const workflow::Wanted& wanted) const {
    const FabricSpec& spec = wanted.document->spec();
    const std::vector<workflow::WireWay> ways = FABRIC_TRY(wire_ways(spec, wire_));
    std::optional<discovery::Snapshot> snapshot;
    std::unique_ptr<remote::StepRunner> runner;
    if (!context.options().facts.empty()) {
      Random random = fresh_random(context.clock());
      Diagnostics ignored;
      snapshot = discovery::observe(
          wanted.resources,
          FABRIC_TRY(read_facts(context, wanted, nullptr, random)),
          wanted.registry,
          ignored);
    } else if (std::find(wire_.begin(), wire_.end(), kWireNodes) != wire_.end()) {
      runner = FABRIC_TRY(connect(context, *wanted.document));
    }
    return verify::judge_wire(
        spec,
        workflow::read_wire(
            context.listener(),
            wanted.desired(),
            snapshot ? &*snapshot : nullptr,
            ways,
            runner.get()));
  }

  Result<verify::Report> full_report(
      Context& context, const workflow::Wanted& wanted, const VerifyWish& wish) const {
    workflow::VerifySources sources;
    sources.ways = FABRIC_TRY(wire_ways(wanted.document->spec(), wire_));
    Random random = fresh_random(context.clock());
    std::unique_ptr<remote::StepRunner> runner;
    if (context.options().facts.empty()) runner = FABRIC_TRY(connect(context, *wanted.document));
    sources.facts = FABRIC_TRY(read_facts(context, wanted, runner.get(), random));
    ThisHost host{context, random, *wanted.document, ""};
    VerifyWish locked = wish;
    if (wish.failover)
      locked.lock = execute::LeaseTerms{
          .holder = host.holder(host.new_run()),
          .has_ended = [&host](const execute::LeaseHolder& holder) {
            return host.has_ended(holder);
          }};
    return workflow::verify_fabric(
        context.listener(), wanted.desired(), std::move(sources), locked, runner.get(), random);
  }

  VerifyLevel level() const {
    if (level_ == "link" || level_ == "odd" || level_ == "wire") return VerifyLevel::link;
    if (level_ == "rdma") return VerifyLevel::rdma;
    return level_ == "perf" ? VerifyLevel::perf : VerifyLevel::path;
  }

  std::string path_, level_, pairs_, csv_, format_, since_, limit_;
  std::vector<std::string> wire_{kWireNodes};
  std::int64_t seconds_ = 5;
  NodeOptions nodes_;
};

}  // namespace

std::unique_ptr<Verb> make_verify() {
  return std::make_unique<VerifyVerb>();
}

}  // namespace fabric::cli
