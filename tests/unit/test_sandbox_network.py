"""What the kernel denies a parser, whatever runs in its process."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from obedient import begin_workers_with, obey

from corpus.errors import ConfigError
from corpus.parsers.sandbox import seccomp
from corpus.parsers.sandbox.child import _warn_of_network
from corpus.parsers.sandbox.pool import Sandbox
from corpus.parsers.sandbox.seccomp import ALLOW, ERROR, KILL, MACHINES, program

LIBC = "import ctypes, os, socket, struct, subprocess, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
ADDRESS = 'address = struct.pack("=HH4s8x", socket.AF_INET, socket.htons({port}), bytes([127, 0, 0, 1]))\n'


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Runs the documents that it is given."""
    obey(tmp_path, monkeypatch)
    with Sandbox(seconds=60, memory_mb=2048) as made:
        yield made


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.setblocking(False)
        yield made


def run(sandbox: Sandbox, program: str) -> list[str]:
    return sandbox.parse((LIBC + program).encode(), "program.txt").text.split("\n")


def nobody_came(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return True
    return False


def test_a_listener_hears_of_those_who_may_connect(listener: socket.socket) -> None:
    with socket.create_connection(listener.getsockname()):
        assert not nobody_came(listener)


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_c_code_in_the_parser_gets_no_socket(sandbox: Sandbox, family: str) -> None:
    program = f"say(libc.socket(socket.{family}, socket.SOCK_DGRAM, 0)); say(ctypes.get_errno())"
    assert run(sandbox, program) == ["-1", str(errno.EPERM)]


def test_c_code_in_the_parser_connects_to_nothing(sandbox: Sandbox, listener: socket.socket) -> None:
    """Not even with a socket that it has: the channel."""
    port = listener.getsockname()[1]
    program = ADDRESS.format(port=port) + (
        "say(libc.connect(int(sys.argv[1]), address, len(address)))\n"
        "say(ctypes.get_errno())\n"
        "say(libc.sendto(int(sys.argv[1]), b'secret', 6, 0, address, len(address)))\n"
        "say(ctypes.get_errno())\n"
    )
    assert run(sandbox, program) == ["-1", str(errno.EPERM)] * 2
    assert nobody_came(listener)


def test_a_program_that_the_parser_starts_connects_to_nothing(sandbox: Sandbox, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    program = (
        f"python = 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'\n"
        "say(subprocess.run([sys.executable, '-c', python], stderr=subprocess.PIPE).stderr.splitlines()[-1].decode())\n"
        f"say(subprocess.run(['bash', '-c', 'echo secret > /dev/tcp/127.0.0.1/{port}'], stderr=-3).returncode)\n"
        "say(subprocess.run(['echo', 'hello'], stdout=subprocess.PIPE).stdout.decode().strip())\n"
    )
    python, bash, echo = run(sandbox, program)
    assert "PermissionError" in python
    assert bash != "0"
    assert echo == "hello", "programs as such may be started: tesseract is one"
    assert nobody_came(listener)


def test_a_pair_of_sockets_reaches_nobody_but_its_ends(sandbox: Sandbox, tmp_path: Path) -> None:
    """A runtime of Rust wants one for its signals; one of datagrams could be sent to any path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "listener"))
        program = (
            "a, b = socket.socketpair(); a.send(b'x'); say(b.recv(1).decode())\n"
            "pair = (ctypes.c_int * 2)()\n"
            "say(libc.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM, 0, pair)); say(ctypes.get_errno())\n"
        )
        assert run(sandbox, program) == ["x", "-1", str(errno.EPERM)]


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("libc.ptrace(16, os.getppid(), 0, 0)", errno.EPERM),  # attach to the owner
        ("libc.unshare(0x40000000)", errno.EPERM),  # a network of its own
        ("libc.unshare(0x10000000)", errno.EPERM),  # users of its own
        ("libc.syscall(425, 8, ctypes.create_string_buffer(120))", errno.EPERM),  # io_uring_setup
        ("libc.syscall(435, ctypes.create_string_buffer(88), 88)", errno.ENOSYS),  # clone3
        ("libc.syscall(56 if sys.maxsize and os.uname().machine == 'x86_64' else 220, 0x10000000)", errno.EPERM),
        ("libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)", errno.EPERM),
    ],
)
def test_other_ways_out_are_closed_too(sandbox: Sandbox, call: str, refused: int) -> None:
    assert run(sandbox, f"say({call}); say(ctypes.get_errno())") == ["-1", str(refused)]


def test_the_filter_cannot_be_taken_off(sandbox: Sandbox) -> None:
    assert "Seccomp:\t2" in run(sandbox, "say(open('/proc/self/status').read())")
    assert "NoNewPrivs:\t1" in run(sandbox, "say(open('/proc/self/status').read())")


def test_without_a_filter_on_linux_nothing_is_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where there is no table of system calls, or where the kernel or a container refuses."""
    begin_workers_with(
        tmp_path,
        monkeypatch,
        "import os\nhere = os.uname()\nos.uname = lambda: os.uname_result((*tuple(here)[:4], 'riscv64'))\n",
    )
    with Sandbox(seconds=60, memory_mb=2048) as sandbox, pytest.raises(ConfigError, match="riscv64") as refused:
        sandbox.parse(b"# A\n", "a.md")
    assert "seccomp" in refused.value.hint


def test_on_other_systems_parsers_work_and_a_warning_says_once_what_is_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begin_workers_with(
        tmp_path,
        monkeypatch,
        "import corpus.parsers.sandbox.seccomp as f\nf.install = lambda: False\n",
    )
    _warn_of_network.cache_clear()
    with caplog.at_level(logging.WARNING), Sandbox(seconds=60, memory_mb=2048) as sandbox:
        sandbox.parse(b"# A\n", "a.md")
        sandbox.close()
        sandbox.parse(b"# A\n", "a.md")
    assert [record.message for record in caplog.records].count(
        f"parsers are not denied the network on {sys.platform}: "
        "this system is for development, not for documents of strangers"
    ) == 1


# --- the filter itself, run here as the kernel runs it, for the machines that these tests do not run on


def verdict(machine: str, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What a filter says of a call."""
    words = {0: number, 4: architecture}
    for at, argument in enumerate((*arguments, 0, 0, 0, 0, 0, 0)[:6]):
        words[16 + 8 * at], words[20 + 8 * at] = argument & 0xFFFFFFFF, argument >> 32
    accumulator, at, instructions = 0, 0, program(machine)
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            accumulator = words[operand]
        elif code == 0x54:
            accumulator &= operand
        else:
            true = {0x15: accumulator == operand, 0x35: accumulator >= operand, 0x45: bool(accumulator & operand)}[code]
            at += if_true if true else if_false


HERE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED = ERROR | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_denies_what_is_in_its_table_and_allows_what_a_parser_needs(machine: str) -> None:
    column = MACHINES.index(machine)
    for name, numbers in seccomp.DENIED.items():
        number = numbers[column]
        assert number is None or verdict(machine, HERE[machine], number) == REFUSED, name
    needed = {
        "read": (0, 63),
        "write": (1, 64),
        "openat": (257, 56),
        "mmap": (9, 222),
        "futex": (202, 98),
        "execve": (59, 221),
        "prlimit64": (302, 261),
        "wait4": (61, 260),
        "pipe2": (293, 59),
    }
    for name, numbers in needed.items():
        assert verdict(machine, HERE[machine], numbers[column]) == ALLOW, name


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_looks_at_arguments(machine: str) -> None:
    column, here = MACHINES.index(machine), HERE[machine]
    clone, pair, send = (n[column] for n in (seccomp.CLONE, seccomp.SOCKETPAIR, seccomp.SENDTO))
    assert verdict(machine, here, clone, (0x3D0F00,)) == ALLOW  # a thread
    assert verdict(machine, here, clone, (0x01200011,)) == ALLOW  # a fork
    assert verdict(machine, here, clone, (0x10000011,)) == REFUSED  # a user namespace
    assert verdict(machine, here, clone, (0x40000011,)) == REFUSED  # a network namespace
    assert verdict(machine, here, pair, (1, 1 | 0o2004000)) == ALLOW  # a stream, non-blocking, closed on exec
    for kind in (2, 3, 5):
        assert verdict(machine, here, pair, (1, kind)) == REFUSED
    assert verdict(machine, here, send, (3, 0x7F0000001000, 6, 0, 0, 0)) == ALLOW
    assert verdict(machine, here, send, (3, 0x7F0000001000, 6, 0, 0x1000, 16)) == REFUSED
    assert verdict(machine, here, send, (3, 0x7F0000001000, 6, 0, 0x7F0000000000 & ~0xFFFFFFFF, 16)) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_knows_no_other_convention_and_no_younger_call(machine: str) -> None:
    here = HERE[machine]
    for stranger in (0x40000003, 0x40000028, *(other for other in HERE.values() if other != here)):
        assert verdict(machine, stranger, 1) == KILL
    assert verdict(machine, here, 0x40000000 + 41) == KILL  # socket, by the convention called x32
    assert verdict(machine, here, 463) == ERROR | errno.ENOSYS
    assert verdict(machine, here, 462) == ALLOW


def test_the_numbers_are_those_of_this_machine() -> None:
    headers = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if os.uname().machine != "x86_64" or not headers.exists():
        pytest.skip("the numbers of system calls are in the headers of Linux on x86_64, which are not installed")
    defined = dict(
        line.removeprefix("#define __NR_").split()
        for line in headers.read_text().splitlines()
        if "__NR_" in line and line.split()[2:]
    )
    for name, (number, _) in seccomp.DENIED.items():
        assert defined.get(name, str(number)) == str(number), name
    assert (defined["clone"], defined["sendto"], defined["socketpair"], defined["seccomp"]) == tuple(
        str(numbers[0]) for numbers in (seccomp.CLONE, seccomp.SENDTO, seccomp.SOCKETPAIR, seccomp.SECCOMP)
    )
