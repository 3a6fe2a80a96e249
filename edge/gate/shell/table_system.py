"""Rows of programs that tell about the system and the board. The columns are those of programs.py.

A row of SUBS is a program whose first operand says what it does: the flags before and after it, what it may be, the
operands behind it, the needs. Sources: the manuals of util-linux, procps, systemd, iproute2, kmod, apt, raspi-utils.
"""

from __future__ import annotations

from edge.gate.shell.ruin_board import QUERIES

_BUS = "s:unix R:run/systemd R:run/dbus R:run/udev"
_DEB = "R:var/lib/dpkg R:var/lib/apt R:var/cache/apt"
_INET = "s:netlink s:inet"

SYSTEM: dict[str, tuple[str, str, str]] = {
    "date": ("-uR -I? -d: -r=l --date: --utc --universal --iso-8601? --rfc-3339: --rfc-email --reference=l +", "k", ""),
    "uptime": ("-psV --pretty --since", "", "r:run/utmp R:run/systemd"),
    "uname": ("-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system !", "", ""),
    "arch": ("", "", ""),
    "hostname": ("-afisIdAy --fqdn --short --ip-address --all-ip-addresses --domain", "", "s:netlink"),
    "dnsdomainname": ("", "", ""),
    "whoami": ("", "", ""),
    "id": ("-gGnruz --user --group --groups --name --real !", "d*", ""),
    "groups": ("", "d*", ""),
    "logname": ("", "", ""),
    "who": ("-abdHlmpqrstTuwi --all --boot --heading --count !", "r d", "r:run/utmp R:run/systemd"),
    "w": ("-hsfoiu !", "d", "r:run/utmp R:run/systemd"),
    "users": ("", "", "r:run/utmp R:run/systemd"),
    "last": ("-adFiwxR -n: -s: -t: -p: -# --since: --until: --limit: --fulltimes", "d*", "r:run/utmp"),
    "lastlog": ("-u: -t: -b:", "", ""),
    "runlevel": ("", "", "r:run/utmp"),
    "printenv": ("-0 --null", "d*", ""),
    "nproc": ("--all --ignore:", "", ""),
    "free": (
        "-bkmghtlwv -s: -c: --bytes --kilo --mega --giga --human --si --total --wide --kibi --mebi --gibi",
        "",
        "",
    ),
    "df": (
        "-aBhHiklPTv -t: -x: -B: --human-readable --si --inodes --local --portability --print-type --total --type: "
        "--exclude-type: --output? --block-size: --all !",
        "d*",
        "r:run/mount",
    ),
    "ps": (
        "-ewAfFlHMcjLTmnNayVwxZ -o: -O: -p: -C: -u: -U: -g: -G: -t: -s: -q: --sort: --pid: --ppid: --user: --User: "
        "--forest "
        "--no-headers --noheaders --no-heading --headers --format: --cols: --columns: --width: --rows: --deselect "
        "--quick-pid: --tty: --context --cumulative --lines: !",
        "d*",
        "",
    ),
    "pgrep": (
        "-aflnovxciLw -u: -U: -g: -G: -P: -s: -t: -F=r -d: -r: --list-name --list-full --full --newest --oldest "
        "--exact "
        "--count --parent: --euid: --uid: --delimiter: --ignore-case --inverse !",
        "d",
        "",
    ),
    "pidof": ("-sxnqz -o: -d: !", "d*", ""),
    "pstree": ("-aAcghlnpsStTuUGZ -H: -C: -N: !", "d", ""),
    "pmap": ("-xdqpX", "d*", ""),
    "pwdx": ("", "d*", ""),
    "slabtop": ("-o --once -s: --sort:", "", ""),
    "lsblk": (
        "-abdDefilJmnOpPrstTSzVA -e: -I: -o: -x: -M -w: -E: --all --bytes --nodeps --fs --json --list --output: "
        "--output-all --paths --pairs --raw --noheadings --sort: --topology --tree? --perms --scsi --discard --inverse",
        "l*",
        "R:run/udev l:dev r:run/mount",
    ),
    "blkid": (
        "-kpilDL -s: -o: -t: -L: -U: --match-tag: --output: --match-token: --probe",
        "l*",
        "R:run/blkid R:run/udev L:dev",
    ),
    "lscpu": ("-abBcCJpxyr -e? -p? -s: --json --extended? --parse? --online --offline --all --bytes --hex", "", ""),
    "lsmem": ("-abJnPr -o: -s: --json --all --bytes --output: --summary?", "", ""),
    "lsusb": ("-vtD= -s: -d: --verbose --tree", "", "s:netlink R:run/udev L:dev R:dev/bus/usb"),
    "lspci": ("-vnnmktbxqDPQ -nn -s: -d: -vv -vvv -mm -i=r", "", ""),
    "lsmod": ("", "", ""),
    "modinfo": ("-adlpn0 -F: -k: -b: --field: --parameters --description", "d*", ""),
    "lshw": ("-short -businfo -json -xml -html -quiet -numeric -sanitize -class: -C: -c:", "", "L:dev R:run/udev"),
    "lsof": (
        "-nPlbtRUwOXVa -i? -p: -u: -c: -g? -d: -F? -s? +",
        "l*",
        "L:dev",
    ),
    "fuser": ("-avlmuIV46 -n: --verbose --mount --all --user", "l*", "L:dev"),
    "findmnt": (
        "-aAbcCDefiJklmnOPrRsuvUyx -F=r -o: -t: -T: -S: -M: -N: -d: --fstab --mtab --kernel --json --list --df --raw "
        "--pairs "
        "--noheadings --output: --types: --target: --source: --mountpoint: --options: --real --pseudo --evaluate "
        "--bytes --tree",
        "d*",
        "r:run/mount L:dev R:run/udev",
    ),
    "mountpoint": ("-qdx --quiet --fs-devno", "d", ""),
    "swapon": ("-s --summary --show? --noheadings --raw --bytes --verbose", "", ""),
    "vmstat": ("-adfmnstwDy -p: -S: --active --stats --disk --slabs --unit: --timestamp --wide", "d d", ""),
    "iostat": ("-cdhkmNstxyzp -j: -g: -o: --human --pretty --compact", "d*", ""),
    "mpstat": ("-AuVnT -I: -P: -N: -o:", "d d", ""),
    "pidstat": ("-dhIlrRstuUvVwH -p: -C: -G: -T: --human", "d d", ""),
    "sar": ("-AbBdFHhqrRuvwWyzSp -n: -P: -I: -s: -e: -i: -j: -f=r --human --pretty -m:", "d d", "R:var/log/sysstat"),
    "sensors": ("-AufjhV --no-adapter --raw --fahrenheit", "d*", ""),
    "dmesg": (
        "-HkLPrTtuxdeJP -l: -f: -s: --ctime --human --kernel --level: --facility: --decode --nopager --color? "
        "--raw --reltime --notime --userspace --time-format: --since: --until: --json --show-delta -F=r -w -W --follow "
        "--follow-new",
        "",
        "r:dev/kmsg c:syslog",
    ),
    "journalctl": (
        "-aekqrxmfNl -# -u: -n? -o: -p: -S: -U: -t: -g: -F: -c: -D=r -b? -k --no-pager --all --catalog --dmesg "
        "--lines? "
        "--unit: --user-unit: --output: --priority: --since: --until: --boot? --identifier: --grep: --case-sensitive? "
        "--follow --no-tail --reverse --quiet --merge --system --user --utc --no-hostname --no-full --full --pager-end "
        "--list-boots --disk-usage --fields --field: --output-fields: --header --facility: --cursor: --after-cursor: "
        "--show-cursor --directory=r --file=r --truncate-newline -N --verify --list-catalog --exclude-identifier:",
        "d*",
        "R:run/log R:var/log R:run/systemd",
    ),
    "locale": ("-amck -v", "d*", ""),
    "whereis": ("-bms", "d*", ""),
    "logread": ("-t -l: -e:", "", "s:unix R:run/log R:var/log"),
    "getconf": ("-a -v:", "d d", ""),
    "tty": ("-s", "", ""),
    "gpiodetect": ("-hv --help --version", "", "L:dev w:dev/gpiochip0 w:dev/gpiochip1 w:dev/gpiochip2 w:dev/gpiochip4"),
    "gpioinfo": (
        "-hvs -c: --help --version --strict --chip:",
        "d*",
        "L:dev w:dev/gpiochip0 w:dev/gpiochip1 w:dev/gpiochip2 w:dev/gpiochip4",
    ),
    "gpiofind": ("-hv", "d", "L:dev w:dev/gpiochip0 w:dev/gpiochip1 w:dev/gpiochip2 w:dev/gpiochip4"),
    "ss": (
        "-aeiklmnopstu46wxfSZHObIMTWzQV -A: -f: --tcp --udp --listening --numeric --processes --all --summary "
        "--extended "
        "--info --memory --unix --raw --no-header --oneline",
        "d*",
        "s:netlink",
    ),
    "netstat": (
        "-aeilMnoprstuvwxCFWg46 --tcp --udp --listening --numeric --programs --all --route --interfaces "
        "--statistics --wide --extend --raw --unix -I?",
        "",
        _INET,
    ),
    "arp": ("-aenvD -i: --numeric", "d", _INET),
    "route": ("-neCFv", "", _INET),
    "iwconfig": ("", "d", _INET),
    "ifconfig": ("-asv", "d", _INET),
    "ethtool": ("-iSkagTcmPlxnud --json --show-features --statistics --driver --show-ring --show-eee", "d", _INET),
    "mii-tool": ("-v", "d*", _INET),
    "iwgetid": ("-rafcmsp --raw", "d", _INET),
    "apropos": ("-aelrsw -s:", "d*", "R:var/cache/man"),
    "whatis": ("-lrsw -s:", "d*", "R:var/cache/man"),
    "man": ("-fkwaW7KIi -s: -S: -L: -l --path --where --no-hyphenation --no-justification", "d*", "R:var/cache/man"),
    "dpkg-query": ("-lWLsSpf -f: --list --show --status --listfiles --search --showformat:", "d*", _DEB),
    "lsb_release": ("-adcrisvh --all --short --description --codename --release --id", "", _DEB),
    "debsums": ("-csal", "d*", _DEB),
    "update-alternatives": ("--display: --list: --query: --get-selections", "", _DEB),
    "sysctl": ("-aneNAbxq --all --values --names --ignore --pattern: -r:", "k*", ""),
    "getcap": ("-rv", "l*", ""),
    "getfacl": ("-aceEnpRPLt", "l*", ""),
    "lsattr": ("-aRdlpVv", "l*", ""),
    "lslogins": ("-acefgGLnoprsuz -o:", "d*", "r:run/utmp"),
    "lsns": ("-lJnrpuW -o: -p: -t:", "d", ""),
    "lslocks": ("-Jnru -o: -p:", "", ""),
    "lsipc": ("-m -q -s -i: -g", "", ""),
    "ipcs": ("-aqmstpclub -i:", "", ""),
}

# name -> first operand, flags, operands behind it, needs
SUBS: dict[str, tuple[str, str, str, str]] = {
    "systemctl": (
        "status show cat is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers "
        "list-sockets list-dependencies list-jobs list-machines list-paths list-automounts get-default "
        "show-environment",
        "-alqr -t: -p: -P: -n: -o: --all --no-pager --no-legend --full --plain --type: --state: --property: --value "
        "--lines: "
        "--output: --failed --quiet --user --system --recursive --reverse --after --before --no-ask-password --legend: "
        "--show-types --with-dependencies",
        "d*",
        _BUS,
    ),
    "timedatectl": (
        "status show timesync-status show-timesync list-timezones",
        "-ap: --property: --value --all --no-pager --no-ask-password -p: -a",
        "d*",
        _BUS,
    ),
    "hostnamectl": (
        "status hostname chassis deployment location icon-name",
        "--static --transient --pretty --json: -j --no-pager",
        "",
        _BUS,
    ),
    "localectl": ("status list-locales list-keymaps", "--no-pager", "", _BUS),
    "loginctl": (
        "list-sessions list-users list-seats session-status user-status show-session show-user show-seat seat-status",
        "-alp: -n: --no-pager --no-legend --property: --value --all -p: -l -a",
        "d*",
        _BUS,
    ),
    "networkctl": (
        "list status lldp",
        "-an --all --no-pager --no-legend --stats -s -n: --full",
        "d*",
        _BUS + " s:netlink R:run/systemd",
    ),
    "resolvectl": (
        "status statistics show-cache show-server-state",
        "--no-pager -i:",
        "d*",
        _BUS,
    ),
    "systemd-analyze": (
        "time blame critical-chain calendar timespan timestamp unit-paths security plot dot dump condition",
        "--no-pager --user --system --fuzz: --iterations: --base-time:",
        "d*",
        _BUS,
    ),
    "bootctl": ("status list is-installed", "--no-pager", "", ""),
    "coredumpctl": ("list info", "--no-pager -r -1 -n: --since: --until:", "d*", _BUS + " R:var/lib/systemd/coredump"),
    "udevadm": (
        "info",
        "-q: -p: -n: -a -r -x -t -P: --query: --path: --name: --attribute-walk --root --export --export-db -e --tree "
        "--property: --value --no-pager",
        "d*",
        "R:run/udev L:dev",
    ),
    "apt": (
        "list show policy search depends rdepends showsrc",
        "-a -q -qq --installed --upgradable --all-versions --names-only -n",
        "d*",
        _DEB,
    ),
    "apt-cache": (
        "policy show showpkg search depends rdepends madison pkgnames stats unmet showsrc dump",
        "-n -f -i -q --names-only --installed --recurse --no-recommends --full --all-versions -a",
        "d*",
        _DEB,
    ),
    "apt-mark": ("showhold showauto showmanual showinstall showremove", "", "d*", _DEB),
    "apt-config": ("dump shell", "", "d*", ""),
    "vcgencmd": (" ".join(QUERIES), "-t", "d*", "w:dev/vcio w:dev/vchiq"),
    "rfkill": ("list", "-Jnr -o: --json --noheadings --raw --output: --output-all", "d*", "r:dev/rfkill"),
    "chronyc": (
        "tracking sources sourcestats activity ntpdata rtcdata clients serverstats",
        "-n -c -v -a",
        "d*",
        "s:unix R:run/chrony",
    ),
    "getent": ("passwd group services protocols shells networks rpc aliases", "", "d*", ""),
}
