"""The texts of /proc and /sys of several boards, in the forms that the kernel's documentation gives, as folders.

Each board is path -> text. `laid` writes one below a folder, which edge.hands.facts_reader reads like the root.
"""

from __future__ import annotations

from pathlib import Path

from edge.hands.facts_reader import Reader

EVERYWHERE = ("/proc", "/sys", "/etc", "/usr", "/run", "/var/log", "/var/service", "/service")

ZERO = {
    "/proc/device-tree/model": "Raspberry Pi Zero W Rev 1.1\0",
    "/proc/device-tree/compatible": "raspberrypi,model-zero-w\0brcm,bcm2835\0",
    "/proc/device-tree/serial-number": "00000000deadbeef\0",
    "/proc/cpuinfo": "processor\t: 0\nmodel name\t: ARMv6-compatible processor rev 7 (v6l)\nBogoMIPS\t: 697.95\n"
    "Features\t: half thumb fastmult vfp edsp java tls\nCPU implementer\t: 0x41\nCPU architecture: 7\n"
    "CPU variant\t: 0x0\nCPU part\t: 0xb76\nCPU revision\t: 7\n\nHardware\t: BCM2835\nRevision\t: 9000c1\n"
    "Serial\t\t: 00000000deadbeef\nModel\t\t: Raspberry Pi Zero W Rev 1.1\n",
    "/proc/meminfo": "MemTotal:         442584 kB\nMemFree:           59720 kB\nMemAvailable:     268464 kB\n"
    "SwapTotal:        102396 kB\nSwapFree:         101628 kB\n",
    "/proc/loadavg": "0.08 0.03 0.01 1/91 1234\n",
    "/proc/uptime": "350.05 301.49\n",
    "/proc/sys/kernel/osrelease": "6.1.21+\n",
    "/proc/sys/kernel/hostname": "greenhouse\n",
    "/proc/sys/kernel/random/boot_id": "0d7e3c2a-5b1f-4c52-9a42-2f1e2b7c9d10\n",
    "/proc/self/mounts": "/dev/root / ext4 rw,noatime 0 0\nproc /proc proc rw,relatime 0 0\n",
    "/proc/self/cgroup": "0::/user.slice\n",
    "/sys/fs/cgroup/user.slice/memory.max": "max\n",
    "/sys/devices/system/cpu/online": "0\n",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq": "700000\n",
    "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "1000000\n",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor": "ondemand\n",
    "/sys/class/thermal/thermal_zone0/type": "cpu-thermal\n",
    "/sys/class/thermal/thermal_zone0/temp": "41218\n",
    "/sys/class/hwmon/hwmon0/name": "cpu_thermal\n",
    "/sys/class/hwmon/hwmon0/temp1_input": "41218\n",
    "/sys/class/hwmon/hwmon1/name": "rpi_volt\n",
    "/sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1\n",
    "/sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n",
    "/sys/block/mmcblk0/size": "31116288\n",
    "/sys/block/mmcblk0/device/type": "SD\n",
    "/sys/block/mmcblk0/device/name": "SC16G\n",
    "/sys/block/mmcblk0/device/date": "04/2019\n",
    "/sys/block/mmcblk0/device/serial": "0x12345678\n",
    "/usr/lib/os-release": 'PRETTY_NAME="Raspbian GNU/Linux 12 (bookworm)"\nNAME="Raspbian GNU/Linux"\nID=raspbian\n',
}
# An old card of the first board: no device tree, no MemAvailable, an old revision code.
FIRST = {
    "/proc/cpuinfo": "Processor\t: ARMv6-compatible processor rev 7 (v6l)\nBogoMIPS\t: 697.95\n"
    "CPU implementer\t: 0x41\nCPU part\t: 0xb76\n\nHardware\t: BCM2708\n"
    "Revision\t: 000e\nSerial\t\t: 00000000cafe0001\n",
    "/proc/meminfo": "MemTotal:         448776 kB\nMemFree:          412000 kB\n",
    "/proc/uptime": "12.50 3.20\n",
    "/proc/self/mounts": "/dev/root / ext4 rw 0 0\n/dev/mmcblk0p2 / ext4 ro,noatime 0 0\n",
}
FIVE = {
    "/proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
    "/proc/device-tree/compatible": "raspberrypi,5-model-b\0brcm,bcm2712\0",
    "/proc/cpuinfo": "".join(
        f"processor\t: {n}\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n" for n in range(4)
    )
    + "Revision\t: c04170\nSerial\t\t: 10000000aaaa5555\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n",
    "/proc/meminfo": "MemTotal:        4146304 kB\nMemFree:         2948160 kB\nMemAvailable:    3507840 kB\n"
    "SwapTotal:       2097136 kB\nSwapFree:        2097136 kB\n",
    "/proc/pressure/memory": "some avg10=1.25 avg60=0.10 avg300=0.01 total=1000\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
    "/proc/vmstat": "nr_free_pages 737040\noom_kill 2\n",
    "/proc/sys/kernel/arch": "aarch64\n",
    "/proc/self/cgroup": "0::/system.slice/fieldhand.service\n",
    "/sys/fs/cgroup/system.slice/fieldhand.service/memory.max": "268435456\n",
    "/sys/fs/cgroup/system.slice/memory.max": "max\n",
    "/sys/devices/system/cpu/online": "0-3\n",
    "/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled": "0\n",
    "/sys/class/hwmon/hwmon2/name": "rp1_adc\n",
    "/sys/class/hwmon/hwmon2/in1_input": "1475\n",
    "/sys/class/hwmon/hwmon2/temp1_input": "52100\n",
    "/sys/class/hwmon/hwmon3/name": "pwmfan\n",
    "/sys/class/hwmon/hwmon3/fan1_input": "2850\n",
    "/sys/class/hwmon/hwmon4/name": "ina219\n",
    "/sys/class/hwmon/hwmon4/curr1_input": "740\n",
    "/sys/class/hwmon/hwmon4/power1_input": "3700000\n",
    "/sys/class/rtc/rtc0/name": "rpi-rtc\n",
    "/sys/class/power_supply/ups/type": "Battery\n",
    "/sys/class/power_supply/ups/status": "Discharging\n",
    "/sys/class/power_supply/ups/capacity": "63\n",
    "/sys/class/power_supply/ups/voltage_now": "3850000\n",
    "/sys/class/watchdog/watchdog0/bootstatus": "32\n",
    "/sys/block/zram0/disksize": "2147450880\n",
    "/sys/block/zram0/mm_stat": "16384 74 12288 0 12288 0 0 0 0\n",
    "/sys/block/mmcblk0/device/type": "MMC\n",
    "/sys/block/mmcblk0/device/name": "BJTD4R\n",
    "/sys/block/mmcblk0/device/life_time": "0x02 0x01\n",
    "/sys/block/mmcblk0/device/pre_eol_info": "0x02\n",
    "/sys/block/mmcblk0/size": "61079552\n",
    "/sys/block/mmcblk0boot0/device/type": "MMC\n",
    "/sys/fs/pstore/dmesg-ramoops-0": "",
}
# A container of busybox: no model, a limit in the old layout of control groups.
ALPINE = {
    "/proc/version": "Linux version 5.10.0-alpine (build@host) (gcc 12) #1 SMP\n",
    "/proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Atom(TM) CPU\n",
    "/proc/meminfo": "MemTotal: broken\nMemAvailable:  100 kB\n",
    "/proc/loadavg": "nonsense\n",
    "/proc/self/cgroup": "9:memory:/docker/abc\n0::/\n",
    "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "67108864\n",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "/sys/class/dmi/id/sys_vendor": "PC Engines\n",
    "/sys/class/dmi/id/product_name": "apu2\n",
    "/sys/class/dmi/id/product_serial": "1234567\n",
    "/etc/os-release": 'NAME="Alpine Linux"\nID=alpine\nPRETTY_NAME="Alpine Linux v3.19"\n',
}


def laid(texts: dict[str, str], top: Path) -> Reader:
    """A reader of the board that these texts make, below `top`."""
    for path, text in texts.items():
        file = top / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return Reader(EVERYWHERE, top=str(top))


def nobody_waits() -> str:
    """For what asks whether it is late."""
    return ""
