// SPDX-License-Identifier: Apache-2.0
#include "engine/base/secrets/redaction.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "engine/base/secrets/secret_names.hpp"
#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::ptrdiff_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST_CASE("a configuration of NVUE keeps its form without what stands for secrets", "[base]") {
  const std::string clean = without_secrets(R"([
  {
    "set": {
      "interface": {
        "swp1": {
          "link": {
            "mtu": 9000
          }
        }
      },
      "system": {
        "aaa": {
          "tacacs": {
            "server": {
              "1": {
                "secret": "tacacs-word"
              }
            }
          },
          "user": {
            "cumulus": {
              "hashed-password": "$6$salt$hash-word",
              "role": "system-admin"
            }
          }
        },
        "snmp-server": {
          "readonly-community": {
            "community-word": {
              "access": {
                "any": {}
              }
            }
          },
          "username": {
            "watcher": {
              "auth-md5": "md5-word"
            }
          }
        }
      },
      "vrf": {
        "default": {
          "router": {
            "bgp": {
              "neighbor": {
                "10.0.0.1": {
                  "password": "bgp-word"
                }
              }
            }
          }
        }
      }
    }
  }
]
)");
  CAPTURE(clean);
  for (const char* word : {"tacacs-word", "hash-word", "community-word", "md5-word", "bgp-word"}) {
    INFO(word);
    CHECK(clean.find(word) == std::string::npos);
  }
  CHECK(clean.find("\"mtu\": 9000") != std::string::npos);
  CHECK(lines_in(clean) == 57);
}

TEST_CASE("the name of a secret is known in any spelling", "[base]") {
  for (const char* name :
       {"key",
        "Key",
        "KEY1",
        "m_key",
        "M_Key",
        "MKey",
        "sm_key",
        "SM_Key",
        "sa_key",
        "vs_key",
        "key_mgr_seed",
        "psk",
        "wpa-psk",
        "WPA_PSK",
        "wpa-private-key-passwd",
        "wireless-key1",
        "wep_key0",
        "wep-key-0",
        "KEY_PASSPHRASE1",
        "IEEE_8021X_PASSWORD",
        "IEEE_8021X_PRIVATE_KEY_PASSWORD",
        "password",
        "password-raw",
        "gsm.password-raw",
        "sae_password",
        "leap-password",
        "passphrase",
        "PrivateKey",
        "PresharedKey",
        "preshared-key",
        "private",
        "shared",
        "mka-cak",
        "net.ipv4.tcp_fastopen_key",
        "net.ipv6.conf.all.stable_secret",
        "rd.iscsi.password",
        "rd.iscsi.in.password",
        "systemd.set_credential",
        "SetCredential",
        "API_TOKEN",
        "clientsecret",
        "rocommunity_community",
        "--password"}) {
    INFO(name);
    CHECK(names_secret(name));
  }
}

TEST_CASE("what everybody may know is no secret", "[base]") {
  for (const char* name :
       {"",
        "-",
        "pkey",
        "p-key",
        "P_Key",
        "PKEY",
        "PKEY_ID",
        "PKey",
        "Q_Key",
        "key_mgmt",
        "key-mgmt",
        "KEY_MGMT",
        "KeyId",
        "PublicKey",
        "public-key",
        "host_key",
        "ad_user_port_key",
        "AdUserPortKey",
        "HostKey",
        "DEFAULTKEY",
        "psk-flags",
        "mtu",
        "keystone",
        "keycloak1",
        "password-flags",
        "monkey",
        "PrivateKeyFile",
        "PrivateTmp",
        "bypass",
        "passthrough",
        "MKEY_BY_NAME",
        "m_key_lease_period",
        "vlan-raw-device",
        "PSID",
        "ssid",
        "LINK_TYPE_P1",
        "hash_policy"}) {
    INFO(name);
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("a text in which no name of a secret is found at once has none", "[base]") {
  for (const char* text : {"", "k", "ke", "p", "kex", "mtu 9000 state UP", "pa\nss", "k-e-y"}) {
    INFO(text);
    CHECK_FALSE(may_have_secret_name(text));
  }
  for (const char* text : {"key", "x wpa-PSK", "a pw", "mKEY", "Pin", "IEEE_8021X_Password=x"}) {
    INFO(text);
    CHECK(may_have_secret_name(text));
  }
}

struct Form {
  std::string text, expected;
};

TEST_CASE("a value that is a secret is replaced in every form of file", "[base]") {
  const std::vector<Form> forms{
      {"psk=my own words", "psk=(secret)"},
      {"psk = \"a b\" # x", "psk = \"(secret)\" # x"},
      {"# m_key 0x1234", "# m_key (secret)"},
      {"/etc/opensm/opensm.conf:m_key 0x1234", "/etc/opensm/opensm.conf:m_key (secret)"},
      {"/etc/opensm/opensm.conf:#sm_key\t0x1 2\nx", "/etc/opensm/opensm.conf:#sm_key\t(secret)\nx"},
      {"/etc/opensm/opensm.conf:m_key_lease_period 60",
       "/etc/opensm/opensm.conf:m_key_lease_period 60"},
      {"/etc/opensm/partitions.conf:secret=0x8001, ipoib: ALL=full;",
       "/etc/opensm/partitions.conf:secret=0x8001, ipoib: ALL=full;"},
      {R"("linkinfo":{"info_kind":"ipoib","info_data":{"key":"0x8010"}})",
       R"("linkinfo":{"info_kind":"ipoib","info_data":{"key":"0x8010"}})"},
      {R"({"info_data": {"mode":"datagram", "key": "0x8010"}, "info_kind" : "ipoib"})",
       R"({"info_data": {"mode":"datagram", "key": "0x8010"}, "info_kind" : "ipoib"})"},
      {R"([{"info_data":{"key":"0x8010"}},{"info_kind":"ipoib"}])",
       R"x([{"info_data":{"key":"(secret)"}},{"info_kind":"ipoib"}])x"},
      {R"x("info_kind":"other","info_data":{"key":"0x8010"}})x",
       R"x("info_kind":"other","info_data":{"key":"(secret)"}})x"},
      {"/etc/systemd/network/w.netdev:PrivateKey=abc=\n/etc/systemd/network/"
       "w.netdev:PublicKey=abc=",
       "/etc/systemd/network/w.netdev:PrivateKey=(secret)\n"
       "/etc/systemd/network/w.netdev:PublicKey=abc="},
      {"/etc/systemd/network/w.key:anything", "/etc/systemd/network/w.key:(secret)"},
      {"/etc/ssl/w.pem:anything\n/etc/x.conf:mtu=9", "/etc/ssl/w.pem:(secret)\n/etc/x.conf:mtu=9"},
      {"a=b\nPSK=a\nc=d\nPw=a\ne=f", "a=b\nPSK=(secret)\nc=d\nPw=(secret)\ne=f"},
      {"/etc/x.conf:key=a\\\n/etc/x.conf:b\\\n/etc/x.conf:c\n/etc/x.conf:d=e",
       "/etc/x.conf:key=(secret)\n/etc/x.conf:\n/etc/x.conf:\n/etc/x.conf:d=e"},
      {"[vpn-secrets]\nx=y\nz\n[ipv4]\nx=y", "[vpn-secrets]\nx=(secret)\n(secret)\n[ipv4]\nx=y"},
      {"/etc/a.yaml:  keys:\n/etc/a.yaml:  - one\n/etc/a.yaml:    two\n/etc/a.yaml:  mtu: 9000",
       "/etc/a.yaml:  keys:\n/etc/a.yaml:\n/etc/a.yaml:\n/etc/a.yaml:  mtu: 9000"},
      {"/etc/a.yaml:  w: {psk: a b, mtu: 9}", "/etc/a.yaml:  w: {psk: (secret), mtu: 9}"},
      {"/etc/a.yaml:  key: {private: a, b: c}\n/etc/a.yaml:  m: 1",
       "/etc/a.yaml:  key: \"(secret)\"\n/etc/a.yaml:  m: 1"},
      {"/etc/a.yaml:  psk: |\n/etc/a.yaml:    a\n/etc/a.yaml:\n/etc/a.yaml:  m: 1",
       "/etc/a.yaml:  psk: (secret)\n/etc/a.yaml:\n/etc/a.yaml:\n/etc/a.yaml:  m: 1"},
      {R"json([{"ifname":"key","psk":"a\"b","m_key":12,"mtu":9}])json",
       R"json([{"ifname":"key","psk":"(secret)","m_key":"(secret)","mtu":9}])json"},
      {"{\"secrets\": [\n  \"a\", {\"b\": \"c\"}\n], \"d\": 1}",
       "{\"secrets\": \"(secret)\"\n\n, \"d\": 1}"},
      {"/etc/sysconfig/network-scripts/ifcfg-a:KEY='x\n/etc/sysconfig/network-scripts/ifcfg-a:y'\n"
       "/etc/sysconfig/network-scripts/ifcfg-a:MTU=9",
       "/etc/sysconfig/network-scripts/ifcfg-a:KEY=\"(secret)\"\n"
       "/etc/sysconfig/network-scripts/ifcfg-a:\n/etc/sysconfig/network-scripts/ifcfg-a:MTU=9"},
      {"/etc/network/interfaces:  wpa-psk a b", "/etc/network/interfaces:  wpa-psk (secret)"},
      {"/etc/network/interfaces:  up ip macsec add m tx sa 0 pn 1 on key 01 ab",
       "/etc/network/interfaces:  up ip macsec add m tx sa 0 pn 1 on key (secret)"},
      {"/etc/network/interfaces:  up ip xfrm state add enc aes ab",
       "/etc/network/interfaces:  up ip xfrm (secret)"},
      {"/etc/modprobe.d/x.conf:options m psk=a mtu=9",
       "/etc/modprobe.d/x.conf:options m psk=(secret) mtu=9"},
      {"/etc/systemd/system/o.service:Environment=A=b \"API_TOKEN=x y\" C=d",
       "/etc/systemd/system/o.service:Environment=A=b \"API_TOKEN=(secret)\" C=d"},
      {"/proc/cmdline:rd.iscsi.password=abc root=/dev/a m.psk=\"a b\" quiet",
       "/proc/cmdline:rd.iscsi.password=(secret) root=/dev/a m.psk=\"(secret)\" quiet"},
      {"/proc/cmdline:netroot=iscsi:me:abc@192.0.2.1::3260 root=cifs://me:abc@h/s quiet",
       "/proc/cmdline:netroot=iscsi:me:(secret)@192.0.2.1::3260 root=cifs://me:(secret)@h/s quiet"},
      {"/proc/sys/net/ipv4/tcp_fastopen_key:a-b,c-d",
       "/proc/sys/net/ipv4/tcp_fastopen_key:(secret)"},
      {"/sys/bus/pci/devices/0000:01:00.0/net/a/address:0c:42:a1",
       "/sys/bus/pci/devices/0000:01:00.0/net/a/address:0c:42:a1"},
      {"x\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\ny",
       "x\n(secret)\n(secret)\n(secret)\ny"},
      {"-----BEGIN CERTIFICATE-----\nabc", "-----BEGIN CERTIFICATE-----\nabc"},
      {"it said yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk= here", "it said (secret) here"},
      {"public yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=",
       "public yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="},
      {"ran: curl --password abc --proxy https://me:abc@h/x",
       "ran: curl --password (secret) --proxy https://me:(secret)@h/x"},
      {"line 3: invalid psk 'abc', ignored", "line 3: invalid psk (secret) ignored"},
      {"Password change required but no TTY available.",
       "Password change required but no TTY available."},
      {"unknown key 'mtuu'", "unknown key 'mtuu'"},
      {"ii \tlibsecret-1-0\t0.20.5-3", "ii \tlibsecret-1-0\t0.20.5-3"},
      {"# managed by fabric: token/interface/key\n# resource: "
       "{\"beneath\":[\"bond/psk\"],\"key\":\"a\"}",
       "# managed by fabric: token/interface/key\n# resource: "
       "{\"beneath\":[\"bond/psk\"],\"key\":\"a\"}"},
      {"psk=a\r\nx\r\n", "psk=(secret)\r\nx\r\n"}};
  for (const Form& form : forms) {
    INFO(form.text);
    CHECK(without_secrets(form.text) == form.expected);
    CHECK(without_secrets(form.expected) == form.expected);
  }
}

// Each says the canary as a secret in a way of its own; "{}" is where the path stands on each line.
TEST_CASE("no way to write a value hides that it is a secret", "[base]") {
  const std::vector<std::pair<std::string, std::string>> spellings{
      // systemd: lines that go on, with comments and blanks between
      {"/etc/systemd/network/w.netdev", "[A]\nPassword=ab \\\n# why\n; and\nCANARY\nMTUBytes=9000"},
      {"/etc/systemd/network/w.netdev", "[A]\nPassword=ab\\  \nCANARY \\\n cd\nMTUBytes=9000"},
      {"/etc/systemd/network/w.netdev", "[A]\nPassword \\\n = CANARY\nMTUBytes=9000"},
      {"/etc/systemd/network/w.netdev", "[A]\nPassword = \\\n\\\n CANARY\nMTUBytes=9000"},
      {"/etc/systemd/system/o.service",
       "ExecStart=/bin/x --password \\\n# c\n  CANARY -v\nMTUBytes=9000"},
      {"/etc/systemd/system/o.service",
       "ExecStart=curl \\\n  -u me:CANARY \\\n  -v\nMTUBytes=9000"},
      {"/etc/systemd/system/o.service", "ExecStart=x \\\n# password CANARY\n -v\nMTUBytes=9000"},
      // shell and ifupdown
      {"/etc/sysconfig/network-scripts/ifcfg-a", "PSK=\\\nCANARY\nMTU=9000"},
      {"/etc/sysconfig/network-scripts/ifcfg-a", "WPA_P\\\nSK=CANARY\nMTU=9000"},
      {"/etc/sysconfig/network-scripts/ifcfg-a", "export PSK=a\\\n#CANARY\nMTU=9000"},
      {"/etc/sysconfig/network-scripts/ifcfg-a", "KEY=\"a\\\n CANARY\"\nMTU=9000"},
      {"/etc/sysconfig/network-scripts/ifcfg-a", "KEY=\"a\nb\\\"CANARY\nCANARY\"\nMTU=9000"},
      {"/etc/network/interfaces", "up curl -u admin:CANARY http://x\nmtu 9000"},
      {"/etc/network/interfaces", "up curl -su \"admin:CAN CANARY\" x\nmtu 9000"},
      {"/etc/network/interfaces", "up curl -uadmin:CANARY x\nmtu 9000"},
      {"/etc/network/interfaces", "up curl --user admin:CANARY\nmtu 9000"},
      {"/etc/network/interfaces", "up curl --proxy-user=admin:CANARY\nmtu 9000"},
      {"/etc/network/interfaces", "up curl -U 'admin:CANARY' x\nmtu 9000"},
      {"/etc/network/interfaces", "up curl --user \\\n admin:CANARY\nmtu 9000"},
      {"/etc/network/interfaces", "up curl \"https://admin:CANARY@h/x\"\nmtu 9000"},
      {"/etc/network/interfaces", "up wpa_cli set psk \\\n CANARY\nmtu 9000"},
      {"/etc/modprobe.d/x.conf", "options m psk=ab\\\nCANARY n=1\nmtu=9000"},
      {"/etc/NetworkManager/system-connections/a", "a=b\\\npsk=x CANARY\nmtu=9000"},
      // YAML
      {"/etc/netplan/a.yaml", "a:\n  ? password\n  : CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  ? \"pass\\\n    word\"\n  :\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  ? |\n    password\n  : - CANARY\n    - CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a: {? password : CANARY, mtu: 9000}"},
      {"/etc/netplan/a.yaml", "a: {password:\n CANARY, mtu: 9000}"},
      {"/etc/netplan/a.yaml", "a: {password: a\n CANARY, mtu: 9000}"},
      {"/etc/netplan/a.yaml", "a: {\n  password:\nCANARY,\n mtu: 9000}"},
      {"/etc/netplan/a.yaml", "a: {\"password\":\"CANARY\", mtu: 9000}"},
      {"/etc/netplan/a.yaml", "a: {x: [{password: [a,\n{b: CANARY}]}], mtu: 9000}"},
      {"/etc/netplan/a.yaml", "password: \"a\nCANARY\"\nmtu: 9000"},
      {"/etc/netplan/a.yaml", "password: 'a\n\n  it''s CANARY'\nmtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  password: a\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  password: >-\n\n    a\n\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n- password: |2\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  password:\n    !!str\n    |\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  &k password: |\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  !!str password: # of it\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  password: &p\n    CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  note: &p CANARY\n  mtu: 9000\n  password: *p"},
      {"/etc/netplan/a.yaml", "a:\n  note: &p a\n   CANARY\n  mtu: 9000\n  password: *p"},
      {"/etc/netplan/a.yaml", "a:\n- &p CANARY\n- mtu: 9000\n- password: *p"},
      {"/etc/netplan/a.yaml", "a: {x: &q {y: &p CANARY}, mtu: 9000}\nb: {keys: [*p, *q]}"},
      {"/etc/netplan/a.yaml", "a:\n  name: &n password\n  *n : CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  \"pass\\x77ord\": CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  \"\\u0070\\x61\\U00000073sword\": CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  'password' : CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "--- {password: CANARY}\n---\nmtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  # see: {\n  x: it's a\n  password: a, CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  x: a{b\n  password: a, CANARY\n  mtu: 9000"},
      {"/etc/netplan/a.yaml", "a:\n  x: |\n    \"\n    {\n  password: a, CANARY\n  mtu: 9000"}};
  for (const auto& [path, content] : spellings) {
    std::string text;
    for (const std::string_view line : split(content, '\n'))
      text += path + ":" + std::string{line} + "\n";
    const std::string kept = without_secrets(text);
    INFO(text << "=>\n" << kept);
    CHECK(kept.find("CANARY") == std::string::npos);
    CHECK(kept.find("9000") != std::string::npos);
    CHECK(lines_in(kept) == lines_in(text));
    CHECK(without_secrets(kept) == kept);
    for (const std::string_view line : split_lines(kept))
      CHECK(line.starts_with(path + ":"));
  }
}

TEST_CASE("what goes on over lines and is no secret stays as it was", "[base]") {
  for (const std::string text :
       {"/etc/systemd/system/o.service:ExecStart=/bin/x \\\n/etc/systemd/system/o.service:# why\n"
        "/etc/systemd/system/o.service:  --mtu 9000\n",
        "/etc/netplan/a.yaml:a: &x\n/etc/netplan/a.yaml:  ? b\n/etc/netplan/a.yaml:  : {c: *x}\n"
        "/etc/netplan/a.yaml:# managed by key\n/etc/netplan/a.yaml:  \"d\\te\": 'f\n"
        "/etc/netplan/a.yaml:    g'\n",
        "/etc/network/interfaces:up date -u 12 \\\n/etc/network/interfaces:  x\n",
        "up ip link set -user y",
        "a\\b \\\nc"}) {
    INFO(text);
    CHECK(without_secrets(text) == text);
  }
}

// A small generator of its own: the same texts in every run.
std::string some_text(std::uint64_t seed) {
  constexpr const char* kParts[] = {
      "psk",
      "=",
      ":",
      " ",
      "\n",
      "\"",
      "'",
      "{",
      "}",
      "[",
      "]",
      "\\",
      "-",
      "/etc/a.yaml:",
      "/etc/b:",
      "key",
      "CANARY",
      "  ",
      "m_key",
      "\r\n",
      ",",
      "://",
      "@",
      "iscsi:",
      "\t",
      "#",
      "-----BEGIN PRIVATE KEY-----",
      "-----END",
      "xfrm",
      "? ",
      "&a ",
      "*a ",
      "\\\n",
      "/etc/systemd/a:",
      ">-\n",
      "[secrets]",
      "|",
      "x",
      "12",
      "\xff",
      "/proc/cmdline:"};
  std::string text;
  for (int part = 0; part < 60; ++part) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    text += kParts[(seed >> 33U) % std::size(kParts)];
  }
  return text;
}

TEST_CASE("whatever stands around it, a secret is found and no line is lost", "[base]") {
  const std::string planted[] = {
      "psk=Canary9", "\t# m_key = Canary9", "PrivateKey = \"Canary9\"", "x: {password: Canary9}"};
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const std::string& secret = planted[seed % std::size(planted)];
    const std::string text = some_text(seed) + "\n" + secret + "\n" + some_text(seed + 1);
    const std::string kept = without_secrets(text);
    INFO(text << "\n=>\n" << kept);
    REQUIRE(lines_in(kept) == lines_in(text));
    REQUIRE(kept.find("Canary9") == std::string::npos);
  }
}

// By the processor's time: quadratic would be 400 times as long.
TEST_CASE("the time it takes is linear in the size of the text", "[base]") {
  const auto repeated = [](std::string_view part, std::size_t size) {
    std::string text;
    while (text.size() < size)
      text += part;
    return text;
  };
  for (const std::string_view part :
       {"psk ",
        "psk=",
        "psk '",
        "psk \"",
        "iscsi:",
        "://",
        "{",
        "psk{",
        "a=\"",
        "key:\n",
        "\\\n",
        "-----BEGIN PRIVATE KEY-----",
        "x",
        "x.",
        "/etc/a:key ",
        "--password ",
        "=",
        "A",
        "\"psk\"",
        "@:",
        "/etc/a.yaml:&a {*a, psk: &a\n",
        "/etc/a.yaml:psk: {x: [*a, &a \n",
        "/etc/a.yaml:? ? psk\n",
        "/etc/a.yaml: - &a - psk: *a\n",
        "/etc/a.yaml:{&a",
        "/etc/b:psk \\\n",
        "/etc/systemd/a:#\\\n",
        "-u a:b "}) {
    INFO(part);
    const auto took = [&](std::size_t size) {
      const std::string text = repeated(part, size);
      const std::clock_t start = std::clock();
      CHECK_FALSE(without_secrets(text).empty());
      return std::clock() - start;
    };
    CHECK(took(400'000) < 80 * took(20'000) + CLOCKS_PER_SEC / 10);
  }
}

}  // namespace
}  // namespace fabric
