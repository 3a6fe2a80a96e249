"""Commands that are known to destroy, second part: disks and flash, and what a board is made of. Pure.

Sources: the manuals of util-linux, mtd-utils, raspi-utils, i2c-tools, libgpiod, rpi-eeprom, u-boot-tools.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[tuple[str, ...]], str]

QUERIES = (
    "measure_clock",
    "measure_volts",
    "measure_temp",
    "get_config",
    "get_throttled",
    "get_mem",
    "get_camera",
    "get_lcd_info",
    "get_rsts",
    "version",
    "commands",
    "codec_enabled",
    "mem_oom",
    "mem_reloc_stats",
    "read_ring_osc",
    "dispmanx_list",
    "bootloader_version",
    "bootloader_config",
    "pmic_read_adc",
)
_PAST = "works on hardware past the hardware tools"
_FLASH = "writes flash"


def always(what: str) -> Look:
    return lambda _words: what


def without(what: str, *quiet: str) -> Look:
    """Destructive unless one of the `quiet` words is there."""
    return lambda words: "" if set(quiet) & set(words) else what


def only(what: str, *loud: str) -> Look:
    """Destructive only with one of the `loud` words."""
    return lambda words: what if set(loud) & {word.partition("=")[0] for word in words} else ""


def _vcgencmd(words: tuple[str, ...]) -> str:
    verb = next((word for word in words if word[:1] != "-"), "")
    if verb.startswith(("set", "otp_w", "bootloader_u", "otp_p")):
        return "changes the firmware's settings"
    return ""


def _transfer(words: tuple[str, ...]) -> str:
    """i2ctransfer: messages `w2@0x20` write."""
    return _PAST if any(word[:1] == "w" and word[1:2].isdigit() for word in words) else ""


def _pinctrl(words: tuple[str, ...]) -> str:
    verbs = [word for word in words if word[:1] != "-"]
    if verbs[:1] == ["set"] or {"op", "ip", "dh", "dl", "pu", "pd", "pn", "no", "a0", "a1", "a2", "a3"} & set(
        verbs[1:]
    ):
        return _PAST
    return ""


def _gpio(words: tuple[str, ...]) -> str:
    """gpio of wiringPi and its successors."""
    verbs = [word for word in words if word[:1] != "-"]
    quiet = ("read", "readall", "allreadall", "exports", "wfi", "drive-query", "")
    return "" if (verbs[0] if verbs else "") in quiet else _PAST


def _parted(words: tuple[str, ...]) -> str:
    loud = {"mklabel", "mkpart", "rm", "resizepart", "mktable", "set", "toggle", "rescue", "name", "move", "resize"}
    if loud & set(words) or not ({"print", "-l", "--list", "unit"} & set(words)):
        return "changes partitions"
    return ""


def _hdparm(words: tuple[str, ...]) -> str:
    quiet = set("iIgtTvCNqHdaWACkmrQ")
    for word in words:
        if word.startswith("--") or (word[:1] == "-" and any(letter not in quiet for letter in word[1:])):
            return "changes a disk"
    return ""


def _fsck(words: tuple[str, ...]) -> str:
    return "" if any(word in ("-n", "-N", "-V", "-h", "--help") for word in words) else "repairs a file system"


def _nvme(words: tuple[str, ...]) -> str:
    quiet = (
        "list",
        "id-ctrl",
        "id-ns",
        "smart-log",
        "error-log",
        "list-subsys",
        "version",
        "help",
        "fw-log",
        "get-feature",
    )
    return "" if words[:1] == () or words[0] in quiet else "changes a disk"


def _dtoverlay(words: tuple[str, ...]) -> str:
    quiet = ("-l", "-a", "-h", "--help", "-?")
    return "" if not words or words[0] in quiet else "changes the device tree of the board"


def _raspi_config(words: tuple[str, ...]) -> str:
    asks = words[:1] == ("nonint",) and words[1:2] and words[1].startswith(("get_", "is_"))
    return "" if asks else "changes the configuration of the board"


def _eeprom(words: tuple[str, ...]) -> str:
    return "" if not words or words[0] in ("-l", "-h", "-v", "--help") else "changes the boot ROM"


def _wipefs(words: tuple[str, ...]) -> str:
    """wipefs without -a and -o only lists."""
    for word in words:
        letters = word[1:] if word[:1] == "-" and word[1:2] != "-" else ""
        if "a" in letters or "o" in letters or word.partition("=")[0] in ("--all", "--offset"):
            return "" if {"-n", "--no-act"} & set(words) else "wipes what is on a disk"
    return ""


def _blockdev(words: tuple[str, ...]) -> str:
    loud = any(word[:2] == "--" and not word.startswith(("--get", "--report")) for word in words)
    return "changes a disk" if loud else ""


_DISK_PLAIN = {
    "makes a file system": "mkfs mke2fs mkdosfs mkntfs mkexfatfs mkudffs mkfs_msdos",
    "makes swap space": "mkswap",
    "discards data": "blkdiscard",
    _FLASH: "flash_erase flash_eraseall flashcp flash_unlock flash_lock nandwrite nandtest ubiformat ubimkvol ubirmvol "
    "ubiupdatevol ubirsvol ubiattach ubidetach flashrom mtdpart sunxi-fel rkdeveloptool fastboot heimdall",
    "changes partitions": "cfdisk cgdisk growpart delpart addpart resizepart",
    "changes volumes": "pvcreate pvremove vgcreate vgremove lvcreate lvremove lvreduce vgreduce lvresize",
    "changes a file system": "resize2fs xfs_growfs xfs_repair debugfs e2label fatlabel dosfslabel zerofree swaplabel",
}
DISKS: dict[str, Look] = {
    **{name: always(what) for what, names in _DISK_PLAIN.items() for name in names.split()},
    "wipefs": _wipefs,
    "blockdev": _blockdev,
    "tune2fs": without("changes a file system", "-l"),
    "gdisk": without("changes partitions", "-l"),
    "partx": without("changes partitions", "-s", "--show", "-l", "--list"),
    "kpartx": without("changes partitions", "-l"),
    "fdisk": without("changes partitions", "-l", "--list", "-x", "-s", "-v", "-V"),
    "sfdisk": without("changes partitions", "-l", "--list", "-d", "--dump", "-J", "--json", "-F", "-s", "-V"),
    "sgdisk": without("changes partitions", "-p", "--print", "-v", "--verify", "-i"),
    "parted": _parted,
    "mtd_debug": without(_FLASH, "info", "read"),
    "mtd": without(_FLASH, "verify", "dump"),
    "mmc": without("changes a card", "extcsd", "help"),
    "hdparm": _hdparm,
    "sdparm": only("changes a disk", "--set", "-s", "--clear", "--command"),
    "nvme": _nvme,
    "cryptsetup": only("changes an encrypted disk", "luksFormat", "erase", "luksErase", "luksKillSlot", "reencrypt"),
    "mdadm": only(
        "changes an array", "--zero-superblock", "--create", "--stop", "--fail", "--remove", "-C", "-S", "-f"
    ),
    "badblocks": only("writes a disk", "-w", "-n"),
    "fsck": _fsck,
    "e2fsck": _fsck,
    "fsck.ext4": _fsck,
    "fsck.vfat": _fsck,
    "dosfsck": _fsck,
    "btrfs": only("changes a file system", "delete", "format", "balance", "check", "rescue", "resize"),
    "zpool": only("changes a file system", "destroy", "create", "labelclear", "remove"),
    "zfs": only("changes a file system", "destroy", "rollback"),
    "losetup": only("changes a disk", "-D", "--detach-all"),
}
_BOARD_PLAIN = {
    "changes the configuration of the board": "armbian-config dietpi-config orangepi-config",
    "changes the firmware": "rpi-update rpi-eeprom-digest fwupdtool firstboot jffs2reset swupdate",
    "writes to the firmware": "vcmailbox",
    "changes how the board starts": "fw_setenv grub-set-default grub-editenv u-boot-update extlinux-update",
    "changes the device tree of the board": "dtmerge",
    "touches memory of the board": "devmem devmem2 memtool io mw poke inb outb setpci wrmsr",
    _PAST: "gpioset i2cset spidev_test spi-config spi-pipe spitools pigs pigpiod cansend cangen canplayer "
    "ledctl usbreset picocom-send ttylog-send x728pwr gpio-halt",
    "writes to an attached controller": "avrdude esptool esptool.py openocd stm32flash dfu-programmer bossac "
    "picotool st-flash teensy_loader_cli pyocd JLinkExe nrfjprog lpc21isp urjtag xc3sprog iceprog openFPGALoader "
    "micronucleus espefuse espefuse.py nrfutil probe-rs pymcuprog minipro edbg",
}
BOARD: dict[str, Look] = {
    **{name: always(what) for what, names in _BOARD_PLAIN.items() for name in names.split()},
    "sysupgrade": without("changes the firmware", "-l", "--list-backup", "-b", "--create-backup", "-T", "--test"),
    "fwupdmgr": without("changes the firmware", "get-devices", "get-updates", "get-history", "get-remotes"),
    "rauc": only("changes the firmware", "install", "write-slot", "mark", "status mark-active"),
    "mender": only("changes the firmware", "install", "commit", "rollback", "-install", "-commit", "-rollback"),
    "nvram": without("changes the configuration of the board", "show", "get", "getall"),
    "setserial": without(_PAST, "-g", "-a", "-ag", "-gv", "-ga", "-V"),
    "uhubctl": only(_PAST, "-a", "--action"),
    "dfu-util": without("writes to an attached controller", "-l", "--list", "-V", "--version"),
    "rpi-eeprom-update": _eeprom,
    "rpi-eeprom-config": only("changes the boot ROM", "-e", "--edit", "-a", "--apply", "-o", "--out", "--config"),
    "vcgencmd": _vcgencmd,
    "dtoverlay": _dtoverlay,
    "dtparam": _dtoverlay,
    "raspi-config": _raspi_config,
    "pinctrl": _pinctrl,
    "raspi-gpio": _pinctrl,
    "gpio": _gpio,
    "i2ctransfer": _transfer,
}
