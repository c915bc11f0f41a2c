"""The tests of several processes of one run share these."""

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


def started(commands, stdout=subprocess.DEVNULL, **variables):
    """A process for each command, as torchrun would start them."""
    port = free_port()
    return [subprocess.Popen(
        command, stdout=stdout, stderr=subprocess.PIPE,
        env=environment(WORLD_SIZE=len(commands), RANK=rank, LOCAL_RANK=rank, MASTER_ADDR="localhost",
                        MASTER_PORT=port, **variables))
        for rank, command in enumerate(commands)]


def ends(processes, patience=900):
    """What each of them wrote to stderr, and its exit code. Those that wait for each other too long are killed."""
    try:
        return [(p.communicate(timeout=patience)[1].decode(), p.returncode) for p in processes]
    except subprocess.TimeoutExpired:
        for process in processes:
            process.kill()
        return [(p.communicate()[1].decode(), p.returncode) for p in processes]
