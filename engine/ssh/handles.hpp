// SPDX-License-Identifier: Apache-2.0
// Owners of libssh's objects, declared so that no header has to include libssh.
#pragma once

#include <memory>

struct ssh_session_struct;
struct ssh_channel_struct;
struct ssh_key_struct;

namespace fabric::ssh {

struct FreeSession {
  void operator()(ssh_session_struct* session) const;
};
struct FreeChannel {
  void operator()(ssh_channel_struct* channel) const;
};
struct FreeKey {
  void operator()(ssh_key_struct* key) const;
};

// Disconnects before it frees. Channels must be gone before their session.
using SessionHandle = std::unique_ptr<ssh_session_struct, FreeSession>;
using ChannelHandle = std::unique_ptr<ssh_channel_struct, FreeChannel>;
using KeyHandle = std::unique_ptr<ssh_key_struct, FreeKey>;

}  // namespace fabric::ssh
