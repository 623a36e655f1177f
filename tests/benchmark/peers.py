# SPDX-License-Identifier: Apache-2.0
"""The programs that people run a command on many hosts with, and how each is told what ssh has to know."""
import shutil
import subprocess

VERSIONS = {
    "ssh": (["ssh", "-V"], "OpenSSH's client, one for each host, started by xargs"),
    "clush": (["clush", "--version"], "ClusterShell"),
    "pdsh": (["pdsh", "-V"], "with its module for ssh"),
    "parallel-ssh": (["parallel-ssh", "--version"], "Debian's package pssh"),
    "ansible": (["ansible", "--version"], "the module raw, one task, no facts gathered, no connection kept; measured once"),
}


def there():
    return [name for name in VERSIONS if shutil.which(name)]


def version(name):
    done = subprocess.run(VERSIONS[name][0], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[0]


def command(name, hosts, at_once, command_file):
    """Command and environment that run what the file says on all hosts, so many at once, and print what they say."""
    config, listed, said = hosts.folder / "ssh_config", str(hosts.folder / "hosts"), command_file.read_text()
    if name == "ssh":
        return ["xargs", "-a", listed, "-P", str(at_once), "-I", "@HOST@", "ssh", "-F", str(config), "@HOST@", said], {}
    if name == "clush":
        return ["clush", "-S", "-n", "-f", str(at_once), "-l", hosts.user, "-o", f"-F {config}", "--hostfile", listed, said], {}
    if name == "pdsh":
        # It would leave standard input open, and the lab waits for its end before it closes a session.
        return (["pdsh", "-S", "-R", "ssh", "-l", hosts.user, "-f", str(at_once), "-w", f"^{listed}", said],
                {"PDSH_SSH_ARGS_APPEND": f"-n -F {config}"})
    if name == "parallel-ssh":
        return ["parallel-ssh", "-i", "-h", listed, "-l", hosts.user, "-p", str(at_once), "-t", "0", "-x", f"-F {config}", said], {}
    # By a look-up the script is no template, whatever braces it has.
    settings = hosts.folder / "ansible.cfg"
    settings.write_text("[defaults]\nhost_key_checking = True\n[ssh_connection]\nusetty = False\n"
                        f"ssh_args = -F {config} -o ControlMaster=no\n")
    return (["ansible", "all", "-i", listed, "-f", str(at_once), "-m", "raw", "-a", f'{{{{ lookup("file", "{command_file}") }}}}'],
            {"ANSIBLE_CONFIG": str(settings), "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8", "HOME": str(hosts.folder)})
