// SPDX-License-Identifier: Apache-2.0
#include "engine/ssh/handles.hpp"

#include <libssh/libssh.h>

namespace fabric::ssh {

void FreeSession::operator()(ssh_session_struct* session) const {
  // ssh_disconnect() lets go of a descriptor that it was given, and leaves it open; this one closes
  // it. The unsent rest is a farewell that no peer waits for.
  ssh_silent_disconnect(session);
  ssh_free(session);
}

void FreeChannel::operator()(ssh_channel_struct* channel) const {
  ssh_channel_free(channel);
}

void FreeKey::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

}  // namespace fabric::ssh
