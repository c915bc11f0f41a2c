"""Two machines for the tests: network namespaces with host names of their own, and a cable between them.

Nothing of them has a name outside, and they end with this process, however it ends. Whoever is not root needs a
namespace of users first; this must be imported before _tool, which makes a folder."""

import os
import subprocess
import sys

os.environ["PATH"] += os.pathsep + "/usr/sbin" + os.pathsep + "/sbin"
if os.geteuid() != 0:
    _user = ["unshare", "--user", "--map-root-user", "--net"]
    if subprocess.run([*_user, "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0:
        os.execvp(_user[0], [*_user, "sh", "-c", 'ip link set lo up; exec "$0" "$@"', sys.executable, *sys.argv])

from _processes import free_port  # noqa: E402
from _tool import environment, skip, wait_for  # noqa: E402

addresses = ["10.77.0.1", "10.77.0.2"]


class Machine:
    def __init__(self, number):
        self.name = f"node-{number}"
        # It waits for the end of its input, which comes with this process's end.
        self._holder = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", "echo && exec cat"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not self._holder.stdout.readline():
            skip(f"no namespaces: {self._holder.stderr.read().decode().strip()}")
        self.id = self._holder.pid
        self.do("hostname", self.name)
        self.do("ip", "link", "set", "lo", "up")

    def inside(self, *words):
        return ["nsenter", f"--net=/proc/{self.id}/ns/net", f"--uts=/proc/{self.id}/ns/uts", "--", *map(str, words)]

    def do(self, *words):
        done = subprocess.run(self.inside(*words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            skip(f"{' '.join(words)}: {done.stderr.strip()}")


machines = [Machine(0), Machine(1)]
machines[0].do("ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", str(machines[1].id))
for _machine, _address in zip(machines, addresses):
    _machine.do("ip", "address", "add", f"{_address}/24", "dev", "cable")


def connect():
    for machine in machines:
        machine.do("ip", "link", "set", "cable", "up")
    # A port that is closed refuses at once; until the link is up there is no answer at all.
    probe = ("import socket, sys; s = socket.socket(); s.settimeout(1);"
             f"sys.exit(s.connect_ex(('{addresses[1]}', 9)) != 111)")
    wait_for("the cable", lambda: subprocess.run(machines[0].inside(sys.executable, "-c", probe), check=False).returncode == 0)


def cut():
    """No packet comes through any more, so neither side is told that the other one has gone."""
    machines[0].do("ip", "link", "set", "cable", "down")


def started_on_both(command, each):
    """`each` processes of the command on each machine, as a launcher on every machine would start them."""
    port = free_port()
    return [subprocess.Popen(
        machine.inside(*command), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=environment(WORLD_SIZE=2 * each, RANK=number * each + local, LOCAL_RANK=local, LOCAL_WORLD_SIZE=each,
                        MASTER_ADDR=addresses[0], MASTER_PORT=port, GLOO_SOCKET_IFNAME="cable"))
        for number, machine in enumerate(machines) for local in range(each)]


connect()
