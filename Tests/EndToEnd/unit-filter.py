# Becomes another program under the filters of system calls that a unit of systemd asks for, as far as systemd makes them of
# seccomp: SystemCallFilter=, MemoryDenyWriteExecute=, RestrictNamespaces=, RestrictAddressFamilies=.
#
# python3 unit-filter.py UNIT PROGRAM ARGUMENT...
import ctypes, os, subprocess, sys

unit, command = open(sys.argv[1]).read().splitlines(), sys.argv[2:]
lines = [line.split("=", 1)[1] for line in unit if line.startswith("SystemCallFilter=")]

def expand(word):
    if not word.startswith("@"):
        return {word}
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True).stdout
    names = [line.strip() for line in text.splitlines()[1:]]
    return set().union(*(expand(name) for name in names if name and not name.startswith("#")))

allowed = set().union(*(expand(word) for word in ["@default"] + lines[0].split()))
for line in lines[1:]:
    calls = set().union(*(expand(word) for word in line.lstrip("~").split()))
    allowed = allowed - calls if line.startswith("~") else allowed | calls

lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
lib.seccomp_init.restype = ctypes.c_void_p
ALLOW, DENY = 0x7FFF0000, 0x00050000 | 1

class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

EQUAL, MASKED_EQUAL = 4, 7

def add(context, action, name, *comparisons):
    number = lib.seccomp_syscall_resolve_name(name.encode())
    if number < 0:
        return False
    array = (Comparison * len(comparisons))(*comparisons)
    assert lib.seccomp_rule_add_array(ctypes.c_void_p(context), action, number, len(comparisons), array) == 0
    return True

filters = lib.seccomp_init(DENY)
assert sum(add(filters, ALLOW, name) for name in sorted(allowed)) > 200
more = lib.seccomp_init(ALLOW)
for name, argument in [("clone", 0), ("unshare", 0)]:
    for flag in [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]:
        add(more, DENY, name, Comparison(argument, MASKED_EQUAL, flag, flag))
add(more, DENY, "setns")
# All families but AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK.
for family in set(range(46)) - {1, 2, 10, 16}:
    add(more, DENY, "socket", Comparison(0, EQUAL, family, 0))
if "MemoryDenyWriteExecute=true" in unit:
    add(more, DENY, "mmap", Comparison(2, MASKED_EQUAL, 6, 6))
    add(more, DENY, "mprotect", Comparison(2, MASKED_EQUAL, 4, 4))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
# The first one has the call that loads the second.
assert lib.seccomp_load(ctypes.c_void_p(more)) == 0
assert lib.seccomp_load(ctypes.c_void_p(filters)) == 0
os.execv(command[0], command)
