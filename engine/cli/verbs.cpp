#include "engine/cli/verb.hpp"

namespace fabric::cli {

const std::vector<VerbEntry>& verbs() {
  static const std::vector<VerbEntry> table{
      {"init",
       "begin a repository: a document to change, its schema, CI files",
       "fabric init my-fabric --template pair  # then edit my-fabric/fabric.yaml",
       make_init},
      {"validate",
       "read and check the document; contacts nobody",
       "fabric validate examples/ring          # exit 3 and every problem with its line",
       make_validate},
      {"discover",
       "show what is on the nodes, as JSON",
       "fabric discover --save facts           # raw facts, one file a node, for --facts",
       make_discover},
      {"plan",
       "show what apply would do, in which order and why; changes nothing",
       "fabric plan --out ring.plan            # then: fabric apply ring.plan",
       make_plan},
      {"apply",
       "do it: exactly the plan, wave by wave, then verify",
       "fabric apply                           # plans, shows it and asks for 'yes'",
       make_apply},
      {"verify",
       "test cables and paths by what the wire does",
       "fabric verify --level link             # cables only, no pings\n"
       "fabric verify --level wire --wire dump.txt  # InfiniBand cables by what ibnetdiscover "
       "printed",
       make_verify},
      {"show",
       "render a plan file",
       "fabric show ring.plan --format commands  # every command it would run",
       make_show},
      {"graph",
       "draw the topology, or a plan's actions",
       "fabric graph | dot -Tsvg > ring.svg",
       make_graph},
      {"explain",
       "say what a rule means, or why a value of the document is what it is",
       "fabric explain pve1/cx5/1              # its network, cable, MTU and addresses",
       make_explain},
      {"parse",
       "turn one tool's raw output into JSON, with the parser discovery uses",
       "mstconfig -d 5e:00.0 q | fabric parse mlxconfig-query",
       make_parse},
      {"schema",
       "print a JSON Schema of fabric",
       "fabric schema > fabric.schema.json     # for the editor",
       make_schema},
      {"lab",
       "simulated hardware behind real SSH, to try and to test",
       "fabric lab up --nodes 4 && fabric --lab plan .fabric/lab/document",
       make_lab},
      {"version", "print the version", "fabric version", make_version},
  };
  return table;
}

}  // namespace fabric::cli
