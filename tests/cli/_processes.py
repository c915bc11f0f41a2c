"""The tests of several processes of cuset-train share these."""

import random
import socket
import subprocess

from _tool import environment


def free_port():
    """Outside the range from which the system gives ports to others meanwhile."""
    while True:
        port = random.randrange(15000, 32000)
        with socket.socket() as s:
            if s.connect_ex(("localhost", port)) != 0:
                return port


def started(commands, **variables):
    """A process for each command, as torchrun would start them."""
    port = free_port()
    return [subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=environment(WORLD_SIZE=len(commands), RANK=rank, LOCAL_RANK=rank, MASTER_ADDR="localhost",
                        MASTER_PORT=port, **variables))
        for rank, command in enumerate(commands)]


def ends(processes):
    """What each of them wrote to stderr, and its exit code."""
    return [(p.communicate(timeout=900)[1].decode(), p.returncode) for p in processes]
