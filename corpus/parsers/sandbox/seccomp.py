"""Which system calls a parser's process is denied, as a filter that the kernel runs: no network, nobody else's memory.

What it has open stays open, and what it starts inherits the filter. A filter of seccomp is a program for the classic
Berkeley packet filter over the number of a call and its arguments.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

#: (number on x86_64, number on aarch64); None where there is none
DENIED: dict[str, tuple[int | None, int | None]] = {
    # the network, and every other way to a process that listens
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "connect": (42, 203),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "listen": (50, 201),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "socket": (41, 198),
    # other processes
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    # another view of the machine
    "chroot": (161, 51),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "pivot_root": (155, 41),
    "setns": (308, 268),
    "umount2": (166, 39),
    "unshare": (272, 97),
    # the kernel itself
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "userfaultfd": (323, 282),
}
CLONE = (56, 220)  #: denied where it asks for a namespace
SENDTO = (44, 206)  #: denied where it names an address
SOCKETPAIR = (53, 199)  #: denied but for streams, which reach nobody; a pair of datagram sockets can be sent elsewhere
CLONE3 = 435
SECCOMP = (317, 277)
UNKNOWN = 463  #: calls from this number on are younger than the table
X32 = 0x40000000  #: set in the numbers of another convention on x86_64

MACHINES = ("x86_64", "aarch64")  #: the columns of the table
AUDIT_ARCH = (0xC000003E, 0xC00000B7)  #: as the kernel calls them

NEW_NAMESPACE = 0x7E020000  #: the flags of clone that ask for a namespace
SOCKET_TYPE, STREAM = 0xF, 1
KILL, ALLOW, ERROR = 0x80000000, 0x7FFF0000, 0x00050000  #: verdicts; an error's number is added to the last
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06  #: instructions
NUMBER, ARCHITECTURE, ARGUMENTS = (
    0,
    4,
    16,
)  #: places in `struct seccomp_data`; each argument has 8 bytes, the low 4 first

Instruction = tuple[int, int, int, int]  #: code, jump if true, jump if false, operand


def program(machine: str) -> list[Instruction]:
    """The filter for a machine of `MACHINES`.

    A call by another architecture's convention ends the process, because its numbers mean other calls.
    """
    column = MACHINES.index(machine)
    refuse = (RETURN, 0, 0, ERROR | errno.EPERM)
    unknown = (RETURN, 0, 0, ERROR | errno.ENOSYS)  # C libraries then fall back to what they did before
    filtered: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, AUDIT_ARCH[column]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, KILL),
        (AT_LEAST, 0, 1, UNKNOWN),
        unknown,
        (EQUAL, 0, 1, CLONE3),  # its flags lie in memory, where no filter can look
        unknown,
    ]
    for numbers in DENIED.values():
        if (number := numbers[column]) is not None:
            filtered += [(EQUAL, 0, 1, number), refuse]
    flags, kind, address = ARGUMENTS, ARGUMENTS + 8, ARGUMENTS + 4 * 8
    return [
        *filtered,
        (EQUAL, 0, 3, CLONE[column]),
        (LOAD, 0, 0, flags),
        (ANY_BIT, 0, 1, NEW_NAMESPACE),
        refuse,
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 4, SOCKETPAIR[column]),
        (LOAD, 0, 0, kind),
        (AND, 0, 0, SOCKET_TYPE),
        (EQUAL, 1, 0, STREAM),
        refuse,
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 5, SENDTO[column]),
        (LOAD, 0, 0, address),
        (EQUAL, 0, 2, 0),
        (LOAD, 0, 0, address + 4),
        (EQUAL, 1, 0, 0),
        refuse,
        (RETURN, 0, 0, ALLOW),
    ]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install() -> bool:
    """Deny this process, all its threads and all that they start what is in the table, for ever.

    Returns whether that could be done: on systems other than Linux it cannot. On Linux raises `OSError` if the kernel
    does not do it.
    """
    if sys.platform != "linux":
        return False
    machine = os.uname().machine
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"no table of system calls for {machine}, only for {' and '.join(MACHINES)}")
    instructions = b"".join(struct.pack("=HBBI", *instruction) for instruction in program(machine))
    filtered = _Program(len(instructions) // 8, instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, filter_mode, all_threads = 38, 1, 1
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0:
        raise _refused("prctl")
    number = SECCOMP[MACHINES.index(machine)]
    if libc.syscall(number, filter_mode, all_threads, ctypes.byref(filtered)) != 0:
        raise _refused("seccomp")
    return True


def _refused(call: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{call}: {os.strerror(number)}")
