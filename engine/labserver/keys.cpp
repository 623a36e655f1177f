// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/keys.hpp"

#include <fmt/format.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <sys/stat.h>

#include "engine/files/write.hpp"

namespace fabric::labserver {

Result<KeyHandle> make_key() {
  ssh_key key = nullptr;
  if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) != SSH_OK) {
    return Error{ErrorCode::denied, "no ed25519 key can be made"};
  }
  return KeyHandle{key};
}

std::string public_line(ssh_key_struct* key) {
  char* text = nullptr;
  if (ssh_pki_export_pubkey_base64(key, &text) != SSH_OK) return "";
  std::string line = fmt::format("{} {}", ssh_key_type_to_char(ssh_key_type(key)), text);
  ssh_string_free_char(text);
  return line;
}

Result<void> write_key(ssh_key_struct* key, const std::string& path) {
  // Not through a link that another user has put there.
  FABRIC_TRY(files::remove_file(path));
  const mode_t before = umask(0077);
  const int written = ssh_pki_export_privkey_file(key, nullptr, nullptr, nullptr, path.c_str());
  umask(before);
  if (written == SSH_OK) {
    return files::write_file(
        path + ".pub", public_line(key) + " fabric-lab\n", files::Readers::everybody);
  }
  return Error{ErrorCode::invalid, path + " can't be written"};
}

BindHandle bind_with_key(KeyHandle key) {
  BindHandle bind{ssh_bind_new()};
  // Else accepting would read /etc/ssh/libssh_server_config.
  const bool off = false;
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_PROCESS_CONFIG, &off);
  ssh_bind_options_set(bind.get(), SSH_BIND_OPTIONS_IMPORT_KEY, key.release());  // now the bind's
  return bind;
}

}  // namespace fabric::labserver
