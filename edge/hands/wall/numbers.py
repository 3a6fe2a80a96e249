"""Numbers of the system calls that a filter has to know, for the four machines Fieldhand runs on.

From arch/x86/entry/syscalls/syscall_64.tbl and syscall_32.tbl, arch/arm/tools/syscall.tbl (EABI) and
include/uapi/asm-generic/unistd.h of Linux 6.1; what came later (451 and above) has one number on all machines.
"""

from __future__ import annotations

# The order of the columns, and the value of AUDIT_ARCH_* (include/uapi/linux/audit.h) of each.
MACHINES = ("x86_64", "i386", "arm", "generic")
ARCHES = (0xC000003E, 0x40000003, 0x40000028, 0xC00000B7)
# The last call known here. What is newer is answered by ENOSYS, as on an older kernel.
LAST = 469
ARM_PRIVATE = (0x0F0001, 0x0F0006)  # breakpoint .. get_tls, arch/arm/include/uapi/asm/unistd.h
X32 = 0x40000000  # the bit of calls of the x32 ABI

NUMBERS = {
    "socket": (41, 359, 281, 198),
    "socketpair": (53, 360, 288, 199),
    "socketcall": (-1, 102, -1, -1),
    "clone": (56, 120, 120, 220),
    "clone3": (435, 435, 435, 435),
    "unshare": (272, 310, 337, 97),
    "setns": (308, 346, 375, 268),
    "mknod": (133, 14, 14, -1),
    "mknodat": (259, 297, 324, 33),
    "ioctl": (16, 54, 54, 29),
    "setrlimit": (160, 75, 75, 164),
    "prlimit64": (302, 340, 369, 261),
    "kill": (62, 37, 37, 129),
    "tkill": (200, 238, 238, 130),
    "tgkill": (234, 270, 268, 131),
    "rt_sigqueueinfo": (129, 178, 178, 138),
    "rt_tgsigqueueinfo": (297, 335, 363, 240),
    "pidfd_open": (434, 434, 434, 434),
    "open": (2, 5, 5, -1),
    "openat": (257, 295, 322, 56),
    "openat2": (437, 437, 437, 437),
    "creat": (85, 8, 8, -1),
    "truncate": (76, 92, 92, 45),
    "truncate64": (-1, 193, 193, -1),
    "mount": (165, 21, 21, 40),
    "umount": (-1, 22, -1, -1),
    "umount2": (166, 52, 52, 39),
    "move_mount": (429, 429, 429, 429),
    "open_tree": (428, 428, 428, 428),
    "fsopen": (430, 430, 430, 430),
    "fsconfig": (431, 431, 431, 431),
    "fsmount": (432, 432, 432, 432),
    "fspick": (433, 433, 433, 433),
    "pivot_root": (155, 217, 218, 41),
    "mount_setattr": (442, 442, 442, 442),
    "chroot": (161, 61, 61, 51),
    "ptrace": (101, 26, 26, 117),
    "process_vm_readv": (310, 347, 376, 270),
    "process_vm_writev": (311, 348, 377, 271),
    "pidfd_getfd": (438, 438, 438, 438),
    "kcmp": (312, 349, 378, 272),
    "process_madvise": (440, 440, 440, 440),
    "process_mrelease": (448, 448, 448, 448),
    "move_pages": (279, 317, 344, 239),
    "migrate_pages": (256, 294, 400, 238),
    "bpf": (321, 357, 386, 280),
    "perf_event_open": (298, 336, 364, 241),
    "io_uring_setup": (425, 425, 425, 425),
    "io_uring_enter": (426, 426, 426, 426),
    "io_uring_register": (427, 427, 427, 427),
    "userfaultfd": (323, 374, 388, 282),
    "add_key": (248, 286, 309, 217),
    "request_key": (249, 287, 310, 218),
    "keyctl": (250, 288, 311, 219),
    "create_module": (174, 127, -1, -1),
    "init_module": (175, 128, 128, 105),
    "finit_module": (313, 350, 379, 273),
    "delete_module": (176, 129, 129, 106),
    "get_kernel_syms": (177, 130, -1, -1),
    "query_module": (178, 167, -1, -1),
    "kexec_load": (246, 283, 347, 104),
    "kexec_file_load": (320, -1, 401, 294),
    "reboot": (169, 88, 88, 142),
    "swapon": (167, 87, 87, 224),
    "swapoff": (168, 115, 115, 225),
    "clock_settime": (227, 264, 262, 112),
    "clock_settime64": (-1, 404, 404, -1),
    "settimeofday": (164, 79, 79, 170),
    "adjtimex": (159, 124, 124, 171),
    "clock_adjtime": (305, 343, 372, 266),
    "clock_adjtime64": (-1, 405, 405, -1),
    "stime": (-1, 25, -1, -1),
    "syslog": (103, 103, 103, 116),
    "acct": (163, 51, 51, 89),
    "quotactl": (179, 131, 131, 60),
    "quotactl_fd": (443, 443, 443, 443),
    "nfsservctl": (180, 169, 169, 42),
    "open_by_handle_at": (304, 342, 371, 265),
    "iopl": (172, 110, -1, -1),
    "ioperm": (173, 101, -1, -1),
    "vm86": (-1, 166, -1, -1),
    "vm86old": (-1, 113, -1, -1),
    "modify_ldt": (154, 123, -1, -1),
    "sethostname": (170, 74, 74, 161),
    "setdomainname": (171, 121, 121, 162),
    "fanotify_init": (300, 338, 367, 262),
    "lookup_dcookie": (212, 253, 249, 18),
    "uselib": (134, 86, 86, -1),
    "vhangup": (153, 111, 111, 58),
    "pciconfig_read": (-1, -1, 272, -1),
    "pciconfig_write": (-1, -1, 273, -1),
    "pciconfig_iobase": (-1, -1, 271, -1),
    "lsm_set_self_attr": (460, 460, 460, 460),
    "open_tree_attr": (467, 467, 467, 467),
}


def number(name: str, machine: str) -> int:
    """The number of a call on a machine; -1 where it has none."""
    return NUMBERS[name][MACHINES.index(machine)]
