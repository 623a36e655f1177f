// SPDX-License-Identifier: Apache-2.0
// Owners of libssh's objects on the server's side.
#pragma once

#include <memory>

struct ssh_session_struct;
struct ssh_channel_struct;
struct ssh_key_struct;
struct ssh_bind_struct;
struct ssh_event_struct;

namespace fabric::labserver {

struct FreeSession {
  void operator()(ssh_session_struct* session) const;
};
struct FreeChannel {
  void operator()(ssh_channel_struct* channel) const;
};
struct FreeKey {
  void operator()(ssh_key_struct* key) const;
};
struct FreeBind {
  void operator()(ssh_bind_struct* bind) const;
};
struct FreeEvent {
  void operator()(ssh_event_struct* event) const;
};

using SessionHandle = std::unique_ptr<ssh_session_struct, FreeSession>;
using ChannelHandle = std::unique_ptr<ssh_channel_struct, FreeChannel>;
using KeyHandle = std::unique_ptr<ssh_key_struct, FreeKey>;
// Holds a host key; it never listens, because the server has its own sockets.
using BindHandle = std::unique_ptr<ssh_bind_struct, FreeBind>;
using EventHandle = std::unique_ptr<ssh_event_struct, FreeEvent>;

}  // namespace fabric::labserver
