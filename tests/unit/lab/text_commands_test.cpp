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

TEST_CASE("grep prints, counts and fails as GNU grep does", "[lab]") {
  check({
      {"grep -H . /etc/hostname /etc/none 2>/dev/null; echo $?", "/etc/hostname:node1\n2\n"},
      {"printf 'a1\\nb2\\n' | grep -c '[ab]'", "2\n"},
      {"printf 'x\\n' | grep -q x && echo yes; printf 'x\\n' | grep -v x; echo $?", "yes\n1\n"},
      {"printf 'ab\\na.b\\n' | grep -F a.b", "a.b\n"},
      {"printf 'k1\\nk2\\n' | grep -nE 'k(1|3)'; printf 'A\\n' | grep -i a", "1:k1\nA\n"},
      {"mkdir -p /tmp/d/e; echo iface x > /tmp/d/e/f; echo y > /tmp/d/g; grep -r iface /tmp/d; "
       "grep -lr . /tmp/d",
       "/tmp/d/e/f:iface x\n/tmp/d/e/f\n/tmp/d/g\n"},
      {"grep -h . /etc/hostname /etc/debian_version; grep -s . /none; echo $?", "node1\n12.8\n2\n"},
  });
}

TEST_CASE("sed substitutes, deletes and prints", "[lab]") {
  check({
      {"echo a.b.c | sed 's/\\./-/g'; echo abc | sed -n 's/b/[&]/p'", "a-b-c\na[b]c\n"},
      {"printf '1\\n2\\n3\\n' | sed -n 2p; printf '1\\n2\\n3\\n' | sed '1d;$d'", "2\n2\n"},
      {"echo key=value | sed -E 's/^([a-z]+)=(.*)$/\\2 \\1/'; printf 'a\\nb\\nc\\nd\\n' | sed -n "
       "'/b/,/c/p'",
       "value key\nb\nc\n"},
      {"echo 'old' > /tmp/f; sed -i 's/old/new/' /tmp/f; cat /tmp/f; echo x/y | sed 's|/|:|'",
       "new\nx:y\n"},
      {"printf 'a\\n\\nb\\n' | sed '/^$/d'", "a\nb\n"},
  });
}

TEST_CASE("small text tools", "[lab]") {
  check({
      {"echo abc | tr ab AB; echo 'a : b' | tr -d ' :'; echo 'a:b' | tr : '\\n'; echo a | tr a-z A",
       "ABc\nab\na\nb\n"},
      {"printf '1\\n2\\n3\\n' | tail -n 1; printf '1\\n2\\n3\\n' | head -n2; printf 123 | tail -c "
       "2",
       "3\n1\n2\n23"},
      {"printf 'abc' | wc -c; printf 'a b\\n' | wc -l", "3\n1\n"},
      {"printf abc | sha256sum",
       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n"},
      {"printf '%s %5.1s|%-4s|%04d %x %%\\n' a bcd e 7 255", "a     b|e   |0007 ff %\n"},
  });
}

TEST_CASE("files are made, moved and described", "[lab]") {
  check({
      {"umask 077; mkdir -p /srv/a/b; echo x > /srv/a/b/c; stat -c '%a %n' /srv/a/b/c; chmod 644 "
       "/srv/a/b/c; chown admin:root /srv/a/b/c; ls -l /srv/a/b/c | sed 's/ *2 1970.*//'",
       "600 /srv/a/b/c\n-rw-r--r-- 1 admin root\n"},
      {"ln -s b /srv/l; readlink /srv/l; readlink -f /bin/sh; readlink /etc/hostname; echo $?",
       "b\n/usr/bin/sh\n1\n"},
      {"echo 1 > /tmp/a; echo 2 > /tmp/b; mv -f /tmp/a /tmp/b; cat /tmp/b; ls /tmp; rm /tmp/b; rm "
       "/tmp/b; rm -f /tmp/b; echo $?",
       "1\nb\n0\n"},
      {"test -e /etc/hostname -a -d /etc && echo yes; [ ! -L /bin ] || echo link; [ a = b -o 1 -lt "
       "2 ] && echo or",
       "yes\nlink\nor\n"},
      {"rm -r /srv; mkdir /srv/x 2>&1; mkdir /etc 2>&1",
       "mkdir: cannot create directory '/srv/x': No such file or directory\nmkdir: cannot create "
       "directory '/etc': File exists\n"},
      {"mkdir -p /srv/d/e/f /srv/d/g; echo > /srv/d/e/h; ls -R /srv/d",
       "/srv/d:\ne\ng\n\n/srv/d/e:\nf\nh\n\n/srv/d/e/f:\n\n/srv/d/g:\n"},
      {"find /etc -name 'host*' -type f", "/etc/hostname\n/etc/hosts\n"},
  });
}

TEST_CASE("users other than root are kept out and sudo lets them in", "[lab]") {
  BenchHost host;
  CHECK(
      host.run("id -u; echo x > /etc/x", "", "admin") ==
      Answer{2, "1000\n", "sh: 1: cannot create /etc/x: Permission denied\n"});
  CHECK(
      host.run("sudo -n sh -c 'id -u; echo x > /etc/x' && cat /etc/x", "", "admin").out ==
      "0\nx\n");
  // It hands no variables on, and the kernel shows them.
  CHECK(
      host.run(
              "X=1 sudo -n sh -c 'tr \"\\0\" \"\\n\" </proc/$PPID/environ | grep X=; echo $X'",
              "",
              "admin")
          .out == "X=1\n\n");
  CHECK(
      host.run("modprobe ib_ipoib || echo $?", "", "admin").out ==
      "127\n");  // no sbin in a user's PATH
}

TEST_CASE("time passes only in commands, and none in one that was killed", "[lab]") {
  BenchHost host;
  CHECK(host.run("sleep 2.5; timeout 1 sleep 3; echo $?").out == "124\n");
  CHECK(host.took >= Duration{3500});
  CHECK(host.took < Duration{3600});
}

TEST_CASE("a full disk refuses content with ENOSPC, but not on tmpfs", "[lab]") {
  BenchHost host;
  host.machine.state.files.set_full(true);
  const Answer answer = host.run("echo x > /etc/new; echo $?; echo y > /tmp/t && cat /tmp/t");
  CHECK(answer.out == "2\ny\n");
  CHECK(answer.err == "sh: 1: cannot create /etc/new: No space left on device\n");
}

}  // namespace
}  // namespace fabric::lab
