// SPDX-License-Identifier: Apache-2.0
#include "engine/labserver/handles.hpp"

#include <libssh/libssh.h>
#include <libssh/server.h>

namespace fabric::labserver {

// Without a disconnect message: a host that goes down sends none.
void FreeSession::operator()(ssh_session_struct* session) const {
  ssh_free(session);
}

void FreeChannel::operator()(ssh_channel_struct* channel) const {
  ssh_channel_free(channel);
}

void FreeKey::operator()(ssh_key_struct* key) const {
  ssh_key_free(key);
}

void FreeBind::operator()(ssh_bind_struct* bind) const {
  ssh_bind_free(bind);
}

void FreeEvent::operator()(ssh_event_struct* event) const {
  ssh_event_free(event);
}

}  // namespace fabric::labserver
