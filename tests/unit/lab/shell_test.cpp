// SPDX-License-Identifier: Apache-2.0
#include "tests/support/catch.hpp"
#include "tests/unit/lab/bench_host.hpp"

namespace fabric::lab {
namespace {

struct Case {
  std::string script;
  std::string out;
};

void check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    BenchHost host;
    const Answer answer = host.run(one.script);
    INFO(one.script << "\nstandard error: " << answer.err);
    CHECK(answer.out == one.out);
  }
}

TEST_CASE("the shell quotes as POSIX says", "[lab]") {
  check({
      {R"(echo 'a  b' "c  d" e\ f)", "a  b c  d e f\n"},
      {R"(x='1 2'; echo $x "$x" '$x')", "1 2 1 2 $x\n"},
      {R"(x='a   b'; echo $x)", "a b\n"},
      {R"(echo "a\"b\$c\\d\e")", "a\"b$c\\d\\e\n"},
      {"echo a\\\nb", "ab\n"},
      {R"(printf '[%s]' a "" 'b c' "d"e)", "[a][][b c][de]"},
      {"echo a # comment\necho 'b # c'", "a\nb # c\n"},
  });
}

TEST_CASE("the shell expands parameters", "[lab]") {
  check({
      {"x=file.tar.gz; echo ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${#x}",
       "file.tar file tar.gz gz 11\n"},
      {"echo ${u:-d} ${u-d} ${u:+no}[${u}]; : ${u:=set}; echo $u ${u:+yes}", "d d []\nset yes\n"},
      {"e=; echo [${e:-d}] [${e-d}] [${e+there}]", "[d] [] [there]\n"},
      {"set --; for i in \"$@\" x; do printf '<%s>' \"$i\"; done; set -- \"$@\" \"$*\"; echo $#",
       "<x>1\n"},
      {"set -- a 'b c' d; echo $# $2 ${3}; for i in \"$@\"; do printf '<%s>' \"$i\"; done",
       "3 b c d\n<a><b c><d>"},
      {"set -- a b; shift; echo $1 $#; echo \"$*\"", "b 1\nb\n"},
      {"f() { echo $0 $1 $#; }; f x y", "sh x 2\n"},
      {"p=/sys/class/net/eth0; echo ${p##*/} ${p%/*}", "eth0 /sys/class/net\n"},
      {"x='a*b'; echo \"${x%\\*b}\" \"${x%'*b'}\"", "a a\n"},
      {"false; echo $?; true; echo $?", "1\n0\n"},
      {"x=5; echo $((x * 2 + 1)) $(( (x-1) / 2 )) $((x > 3 && x < 9)) $((0x10)) $((-x)) $((x%3))",
       "11 2 1 16 -5 2\n"},
      {"i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done", "1\n2\n3\n"},
  });
}

TEST_CASE("the shell substitutes commands and splits what they print", "[lab]") {
  check({
      {"echo $(echo a; echo b) \"$(printf 'c\\nd\\n\\n')\"", "a b c\nd\n"},
      {"echo `echo x \\`echo y\\``", "x y\n"},
      {"for w in $(printf '1 2\\n3\\n'); do echo $w; done", "1\n2\n3\n"},
      {"IFS=:; x=a:b::c; for i in $x; do echo \"[$i]\"; done", "[a]\n[b]\n[]\n[c]\n"},
      {"x=$(false); echo $?", "1\n"},
      {"x=$(echo \"a b\" | sed 's/.* //'); echo $x", "b\n"},
  });
}

TEST_CASE("the shell has the usual control structures", "[lab]") {
  check({
      {"if false; then echo a; elif true; then echo b; else echo c; fi", "b\n"},
      {"for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", "1\n3\n"},
      {"for i in a b; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done",
       "a1\nb1\n"},
      {"until false; do echo once; break; done", "once\n"},
      {"case mlx5_0 in mlx4*) echo 4;; mlx5_?|x) echo 5;; *) echo no;; esac", "5\n"},
      {"case 'a*' in 'a*') echo literal;; esac; case ab in a\\*) echo no;; (a*) echo glob;; esac",
       "literal\nglob\n"},
      {"case x in esac; echo done", "done\n"},
      {"(x=1; cd /etc; exit 3); echo $? $x $PWD", "3 /\n"},
      {"{ echo a; echo b; } | while read l; do echo \"<$l>\"; done", "<a>\n<b>\n"},
      {"! true; echo $?; true && ! false && echo yes || echo no", "1\nyes\n"},
      {"f() { local x=in; echo $x; return 4; }; x=out; f; echo $? $x", "in\n4 out\n"},
      {"f() { if [ $1 -gt 0 ]; then echo $1; f $(($1-1)); fi; }; f 3", "3\n2\n1\n"},
      {"printf 'a b c\\nd\\n' | while read x y; do echo \"$y,$x\"; done", "b c,a\n,d\n"},
      {"echo 'a:b:c' | { IFS=: read x y z; echo $x$y$z; }", "abc\n"},
      {"echo a & echo b; wait; trap 'x' EXIT; echo c", "a\nb\nc\n"},
      {"eval 'x=1; echo $x'; eval echo \\$x", "1\n1\n"},
      {"x=1 env | grep ^x=; echo [$x]", "x=1\n[]\n"},
      {"export A=b; sh -c 'echo $A $0 $1' zero one", "b zero one\n"},
      {"command -v grep; command -v nothing; echo $?", "/usr/bin/grep\n127\n"},
      {"type echo >/dev/null && echo ok", "ok\n"},
  });
}

TEST_CASE("the shell redirects", "[lab]") {
  check({
      {"echo a > /tmp/f; echo b >> /tmp/f; cat < /tmp/f", "a\nb\n"},
      {"ls /nowhere 2>/dev/null; echo $?", "2\n"},
      {"ls /nowhere 2>&1 | wc -l", "1\n"},
      {"exec 3>/tmp/o; echo x >&3; exec 3>&-; cat /tmp/o", "x\n"},
      {"{ echo out; echo err >&2; } 2>&1 >/dev/null", "err\n"},
      {"cat <<EOF\na $((1+1))\n$(echo sub) \"q\"\nEOF\necho after", "a 2\nsub \"q\"\nafter\n"},
      {"cat <<'EOF'\n$x `y`\nEOF", "$x `y`\n"},
      {"cat <<-EOF | tr a b\n\taa\n\tEOF\necho c", "bb\nc\n"},
      {"cat <<A; cat <<B\n1\nA\n2\nB", "1\n2\n"},
      {"while read l; do echo \"$l\"; done </etc/hostname", "node1\n"},
      {"if [ -r /nothing ]; then :; fi > /tmp/x; echo $?", "0\n"},
  });
}

TEST_CASE("path names expand over the simulated tree", "[lab]") {
  check({
      {"cd /etc; echo os-rel* host*", "os-release hostname hosts\n"},
      {"echo /etc/nothing*; echo /etc/h*tname '/etc/h*'", "/etc/nothing*\n/etc/hostname /etc/h*\n"},
      {"touch /tmp/a1 /tmp/a2 /tmp/b1; echo /tmp/[ab]1 /tmp/a? /tmp/[!a]*",
       "/tmp/a1 /tmp/b1 /tmp/a1 /tmp/a2 /tmp/b1\n"},
      {"echo /*/machine-id", "/etc/machine-id\n"},
      {"for f in /etc/sysctl.d/*.conf; do echo ${f##*/}; done", "99-sysctl.conf\n"},
  });
}

TEST_CASE("an unknown command is 127 and says so as dash does", "[lab]") {
  BenchHost host;
  CHECK(host.run("foo --bar") == Answer{127, "", "sh: 1: foo: not found\n"});
  CHECK(host.run("true\nawk x || echo $?").out == "127\n");
  CHECK(host.run("/nowhere/prog") == Answer{127, "", "sh: 1: /nowhere/prog: not found\n"});
  CHECK(host.run("/etc/hostname") == Answer{126, "", "sh: 1: /etc/hostname: Permission denied\n"});
}

TEST_CASE("set -e and set -u end a script where POSIX says", "[lab]") {
  BenchHost host;
  CHECK(host.run("set -e; echo a; false; echo b") == Answer{1, "a\n", ""});
  CHECK(
      host.run("set -e; false || true; if false; then :; fi; ! true; echo alive").out == "alive\n");
  CHECK(host.run("set -e; f() { false; echo in; }; f && echo x; echo y").out == "in\nx\ny\n");
  CHECK(host.run("set -e; (exit 3); echo no").status == 3);
  CHECK(host.run("set -u; echo $nothing; echo no").status == 2);
  CHECK(host.run("echo ${x:?must be set}; echo no") == Answer{2, "", "sh: 1: x: must be set\n"});
}

TEST_CASE(
    "a script on standard input has its own arguments and leaves none for its commands", "[lab]") {
  BenchHost host;
  CHECK(host.run("sh -s -- a 'b c'", "echo $# \"$2\"; cat\n").out == "2 b c\n");
  CHECK(host.run("sh -es", "false\necho no\n").status == 1);
}

TEST_CASE("a syntax error is status 2 with its line", "[lab]") {
  BenchHost host;
  CHECK(
      host.run("echo a\nif true; then\n") ==
      Answer{2, "", "sh: 3: Syntax error: end of file unexpected\n"});
  CHECK(host.run("echo )").status == 2);
  CHECK(host.run("echo 'open").err == "sh: 1: Syntax error: Unterminated quoted string\n");
}

TEST_CASE("endless loops and recursions end", "[lab]") {
  BenchHost host;
  CHECK(host.run("while :; do :; done").status == 137);
  CHECK(host.run("f() { f; }; f").status != 0);
  CHECK(host.run("x=$(yes)").status == 127);
}

}  // namespace
}  // namespace fabric::lab
