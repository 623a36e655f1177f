// SPDX-License-Identifier: Apache-2.0
// The programs of the table, grouped by source file. Each returns its exit status.
#pragma once

#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

// text_commands.cpp, sed.cpp
int cat(Process& process);
int grep(Process& process);
int head(Process& process);
int sed(Process& process);
int tail(Process& process);
int tr(Process& process);
int wc(Process& process);

// file_commands.cpp, file_changes.cpp
int cmp(Process& process);
int find_files(Process& process);
int ls(Process& process);
int readlink(Process& process);
int sha256sum(Process& process);
int stat(Process& process);
int chmod(Process& process);
int chown(Process& process);
int cp(Process& process);
int ln(Process& process);
int mkdir(Process& process);
int mv(Process& process);
int rm(Process& process);
int sync(Process& process);
int touch(Process& process);

// run_commands.cpp
int date(Process& process);
int hostname(Process& process);
int id(Process& process);
int kill(Process& process);
int reboot(Process& process);
int pause(Process& process);
int builtin(Process& process);  // echo, printf, test, true, false as programs
int env(Process& process);
int nohup(Process& process);
int sh(Process& process);
int sudo(Process& process);
int timeout(Process& process);
int flock(Process& process);

// module_commands.cpp, systemctl.cpp
int sysctl(Process& process);
int systemctl(Process& process);

// module_commands.cpp
int lsmod(Process& process);
int modinfo(Process& process);
int modprobe(Process& process);
int ofed_info(Process& process);
int update_initramfs(Process& process);

}  // namespace fabric::lab::commands
