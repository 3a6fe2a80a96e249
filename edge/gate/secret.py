"""Which paths hold keys, pass phrases and tokens, as text. Pure; nothing is opened.

Rules:
1. A path is judged part by part, never by letters inside a name: `tokenizer.py` is no token, `.ENV` is an `.env`.
2. Case does not count, nor do signs that are not seen, nor dots and blanks at the end of a name: a FAT card and a
   folder that folds case open the same file under all of them.
3. A copy is as good as the thing: `.bak`, `.old`, `~` and the like are taken off first.
4. Public halves (`.pub`), examples (`.env.example`) and the certificates that every system carries are no secrets.
5. The kinds: by the name of any part (PARTS), by how a part ends (ENDS), by a name that says it with an ending for
   data (STEMS), by a piece of a path (PIECES), by where an absolute path lies (FOLDERS), below /proc, below /boot.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PARTS = frozenset(
    (
        # shells, remote access, keys
        *(".env", ".ssh", ".gnupg", ".pgpass", ".netrc", "_netrc", ".authinfo", ".password-store", ".putty"),
        *("shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "opasswd", "btmp"),
        # clouds, clusters, registries, version control
        *(".aws", ".azure", ".oci", ".boto", ".s3cfg", ".kube", "kubeconfig", "k3s.yaml", ".terraform", ".terraform.d"),
        *(".terraformrc", ".vault-token", ".vault_pass", ".vault-pass", ".git-credentials"),
        *(".dockercfg", ".npmrc", ".yarnrc.yml", ".pypirc"),
        # mail, data bases, network
        *(
            ".msmtprc",
            "msmtprc",
            ".fetchmailrc",
            ".my.cnf",
            ".mylogin.cnf",
            ".smbcredentials",
            "smbpasswd",
            ".htpasswd",
        ),
        *("sasl_passwd", "sasl_passwd.db", "passwd.client", "chap-secrets", "pap-secrets", "hostapd.conf"),
        # what was typed
        *(".bash_history", ".zsh_history", ".zhistory", ".sh_history", ".ash_history", ".ksh_history", ".histfile"),
        *("fish_history", ".psql_history", ".mysql_history", ".rediscli_history", ".mongo_history", ".dbshell"),
        # browsers, mail programs, wallets
        *(
            ".mozilla",
            ".thunderbird",
            "logins.json",
            "key3.db",
            "key4.db",
            "cookies.sqlite",
            "login data",
            "wallet.dat",
        ),
        # key rings of a board: the seed of its random numbers, the cell of its processor that is burnt once
        *("rng-seed", "kaslr-seed", "stable_secret", "userconf.txt"),
    )
)
ENDS = (
    *(
        ".pem",
        ".key",
        ".p8",
        ".p12",
        ".pfx",
        ".ppk",
        ".jks",
        ".keystore",
        ".kdbx",
        ".kdb",
        ".psk",
        ".keytab",
        ".agekey",
    ),
    *(".env", ".nmconnection", ".ovpn", ".secret", ".secrets", ".tfstate", ".tfvars", ".tfvars.json", ".htpasswd"),
    *("_history.sqlite", ".cookies"),
)
# A name that says what is in it, alone or with an ending for data: `credentials.json` and `tokens`, not `tokens.py`.
STEMS = frozenset(
    (
        *(
            "credentials",
            "credential",
            "secrets",
            "token",
            "tokens",
            "password",
            "passwords",
            "passphrase",
            "passphrases",
        ),
        *("apikey", "apikeys", "api_key", "api_keys", "api-key", "api-keys", "access_token", "auth_token", "authtoken"),
        *("refresh_token", "client_secret", "client_secrets", "private_key", "privatekey", "wifi_password", "psk"),
        *("service_account", "service-account", "serviceaccount", "application_default_credentials"),
    )
)
ALSO_WITH_ENDING = frozenset(("secret", "passwd", "key", "keys"))
_HOLDING = (["credentials"], ["secrets"], [".credentials"])
DATA = frozenset(
    (
        *("json", "yaml", "yml", "toml", "ini", "txt", "cfg", "conf", "config", "env", "xml", "csv", "db", "sqlite"),
        *("properties", "enc", "gpg", "asc", "b64", "hex", "bin", "dat", "tfvars"),
    )
)
PIECES = (
    *(".docker/config.json", ".config/containers/auth.json", "containers/auth.json", ".config/gh", ".config/hub"),
    *(".config/glab-cli", ".config/gcloud", ".config/doctl", ".config/rclone", ".config/op", ".config/git/credentials"),
    *(".config/sops", ".config/age", ".config/google-chrome", ".config/chromium", ".config/bravesoftware"),
    *(".config/microsoft-edge", ".config/filezilla", ".config/syncthing", ".config/configstore", ".config/heroku"),
    *(".local/share/keyrings", ".local/share/kwalletd", ".local/share/fish/fish_history", ".cache/huggingface/token"),
    *(".huggingface/token", ".cargo/credentials", ".gem/credentials", ".composer/auth.json", ".m2/settings.xml"),
    *(".gradle/gradle.properties", ".nuget/nuget.config", ".subversion/auth", ".purple/accounts.xml", ".vnc/passwd"),
    *("snap/chromium/common/chromium", "docker/key.json"),
)
FOLDERS = (
    *("/etc/wireguard", "/etc/openvpn", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/sudoers.d", "/etc/netplan"),
    *("/etc/networkmanager/system-connections", "/run/networkmanager/system-connections", "/etc/hostapd", "/etc/iwd"),
    *("/run/netplan", "/usr/lib/networkmanager/system-connections", "/etc/ipsec.d/private", "/etc/swanctl/private"),
    *("/etc/apt/auth.conf", "/etc/apt/auth.conf.d", "/etc/kubernetes", "/etc/rancher", "/etc/credstore"),
    *("/etc/credstore.encrypted", "/run/credentials", "/run/secrets", "/var/run/secrets", "/etc/config/wireless"),
    *("/var/lib/iwd", "/var/lib/connman", "/var/lib/tailscale", "/var/lib/samba/private", "/var/lib/cloud"),
    *("/var/lib/networkmanager", "/var/log/btmp", "/etc/letsencrypt/keys"),
    *("/proc/kcore", "/proc/vmcore", "/proc/kmsg"),
    # on a card of ours: the seed of the next start, the first partition and damaged data while they are mounted
    *("/data/etc/seed", "/data/etc/seed.new", "/run/fieldhand/first", "/run/fieldhand/old"),
)
_PARTIAL = tuple([f"/{piece}/" for piece in PIECES])
_BELOW = tuple([f"{folder}/" for folder in FOLDERS])
# Certificates of everybody, in these and below.
_PUBLIC = ("/etc/ssl/certs", "/etc/ca-certificates", "/usr", "/etc/pki/ca-trust", "/etc/pki/tls/certs")
_PUBLIC_NAMES = frozenset(("cacert.pem", "ca-certificates.pem", "ca-bundle.pem", "fullchain.pem", "chain.pem"))
# What packages brought: by these words alone nothing there is a secret.
_PACKAGES = ("/usr/share/", "/usr/lib/", "/usr/include/")
# Names to try a pattern on: one that aims at any of these means a secret. Few, or every pattern would seem to.
TYPICAL = PARTS | frozenset(
    (
        *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_rsa_key", "ssh_host_ed25519_key", ".env.local"),
        *("wpa_supplicant.conf", "server.pem", "server.key", "home.nmconnection", "credentials", "credentials.json"),
        *("secrets.toml", "secrets.yaml", "secrets.yml", "secrets.json", "token", "tokens", "environ"),
    )
)
# What an imager leaves beside the firmware: the first user's password, the key of the network (under /boot only).
BOOT = frozenset(("custom.toml", "firstrun.sh", "user-data", "network-config", "userconf"))
MOSQUITTO = frozenset(("passwd", "pwfile", "passwordfile", "password_file", "passwords"))
# Parts of /proc/PID that give a process's memory or lead into what it has open (proc(5)).
MEMORY = frozenset(("mem", "pagemap"))
PROCESS = MEMORY | frozenset(
    ("environ", "fd", "fdinfo", "root", "cwd", "maps", "smaps", "smaps_rollup", "numa_maps", "map_files", "auxv")
)
# What the rules say of whole names, and of folders whose names count for what is in them: without a dot and with one.
_ALL_WORDS = frozenset(
    (
        *(PARTS | STEMS | BOOT | MOSQUITTO),
        *[path.rpartition("/")[2] for path in (*PIECES, *FOLDERS)],
        *("mosquitto", "proc", "boot", "config"),
    )
)
_WORDS = frozenset(word for word in _ALL_WORDS if "." not in word)
_DOTTED = _ALL_WORDS - _WORDS
_STEMS = STEMS | ALSO_WITH_ENDING
# Endings of data by which a name is closed only together with one of these words.
_SIMPLE = frozenset(
    ("txt", "json", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "csv", "sh", "bin", "dat", "db")
)
# Endings of names that no rule closes but for how the name begins (`id_rsa`, `.env.`): no data, no copies, no keys.
PLAIN_ENDS = frozenset(
    (
        *("py", "pyi", "c", "h", "cc", "cpp", "hpp", "rs", "go", "js", "mjs", "ts", "tsx", "java", "lua", "rb", "pl"),
        *("zig", "s", "dts", "dtsi", "md", "rst", "html", "css", "log", "gz", "svg", "png", "jpg", "so", "o", "pyc"),
    )
)
_COPIES = (
    *("~", ".bak", ".old", ".orig", ".save", ".saved", ".backup", ".swp", ".swo", ".copy", ".tmp", ".1"),
    *(".dpkg-old", ".dpkg-dist", ".dpkg-new", ".rpmsave", ".rpmnew"),
)
_LAYERS = 8  # copies of copies that are looked through
_EXAMPLES = ("example", "sample", "template", "dist", "tmpl", "default", "defaults", "schema")
_KEYS = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss")
# Letters that are printable to Python and yet not seen: what a folder that folds case leaves out as well.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")


def folded(path: str) -> str:
    """`path` as a file system that folds case sees it."""
    if path.isascii():
        return path.lower()
    return "".join(
        [
            letter
            for letter in path.casefold()
            if letter.isprintable() and letter not in _UNSEEN and not "\ufe00" <= letter <= "\ufe0f"
        ]
    )


def is_secret(path: str) -> bool:
    """True when a part of `path` is the name of something that holds keys, or an absolute `path` is where keys lie."""
    return is_closed(path) or _of_git(folded(path).split("/"))


def is_closed(path: str) -> bool:
    """True for what a child does not get below a folder that it was given: secrets, but git gets its settings."""
    path = folded(path)
    parts = [_bare(part) for part in path.split("/")]
    if path.startswith("/proc/"):
        return _in_proc(path, parts)
    if any(map(_part, parts)) or (_stem(parts) and not path.startswith(_PACKAGES)):
        return not _public(path, parts)
    path = "/".join(parts)
    whole = f"/{path}/"
    if f"{path}/".startswith(_BELOW) or any(piece in whole for piece in _PARTIAL):
        return True
    if path.startswith("/boot/"):
        return parts[-1] in BOOT
    return "mosquitto" in parts and parts[-1] in MOSQUITTO


def closed_in(folder: str) -> Callable[[str], bool]:
    """`is_closed` of the names in a folder that is not closed itself; what the folder says is looked at once."""
    path = folded(folder).rstrip("/")
    above = [_bare(part) for part in path.split("/")]
    start = "/".join(above)
    boot, mosquitto = _inside(start, "/boot"), "mosquitto" in above
    # All together where a part of the way counts whatever comes after it, and where letters count by all of the path.
    together = _inside(path, "/proc") or any(map(_part, above)) or not folder.isascii()

    def closed(name: str) -> bool:
        bare = _bare(name.lower())
        if together or not name.isascii() or _part(bare) or _stem([above[-1], bare]):
            return is_closed(f"{folder.rstrip('/')}/{name}")
        whole = f"{start}/{bare}/"
        # A piece that is in this path and not in that of the folder ends with the name.
        if whole.startswith(_BELOW) or whole.endswith(_PARTIAL):
            return True
        return bare in BOOT if boot else mosquitto and bare in MOSQUITTO

    return closed


def is_plain(folder: str) -> bool:
    """True when nothing in the way to a folder counts for the names in it: `open_names` may be quick there."""
    parts = [_bare(part) for part in folded(folder).split("/")]
    return folder.isascii() and parts[1:2] not in (["proc"], ["boot"]) and all(map(is_quick, parts))


def is_quick(name: str) -> bool:
    """True when no rule closes this name in a plain folder, and a folder of this name in one is plain as well."""
    if not name.isascii() or _has_heads(f"/{name}".lower()):
        return False
    return name.rpartition(".")[2] in PLAIN_ENDS or not _doubtful(name)


def are_quick(names: list[str]) -> bool:
    """True when `is_quick` is sure to be so of all of them; one look for many names, and no name with a dot passes."""
    low = "/".join(names).lower()
    if not low.isascii() or "." in low or "id_" in low or "otp_private" in low or "key" in low:
        return False
    return "~" not in low and "#" not in low and " " not in low and _WORDS.isdisjoint(low.split("/"))


def open_names(folder: str, names: list[str], plain: bool, end: str = "") -> list[str]:
    """Of the names in a folder that is not closed itself, those that `is_secret` does not close.

    plain: `is_plain` of the folder; a fraction of a microsecond a name then, where most names are as usual. end: what
    all of the names end with after their last dot, where that is known.
    """
    if not names:
        return names
    whole = "/" + "/".join(names)
    if plain and whole.isascii() and not _has_heads(whole.lower()):
        if end in PLAIN_ENDS:
            return names
        doubtful = [name for name in names if name.rpartition(".")[2] not in PLAIN_ENDS and _doubtful(name)]
        if not doubtful:
            return names
        look = closed_in(folder)  # a plain folder is in no repository
        closed = {name for name in doubtful if look(name)}
        return [name for name in names if name not in closed] if closed else names
    return [name for name in names if not is_secret(f"{folder.rstrip('/')}/{name}")]


def _has_heads(whole: str) -> bool:
    """True when one of the names, each after a slash, may be a secret whatever its ending says."""
    return "/id_" in whole or "/.env." in whole or "otp_private" in whole


def _doubtful(name: str) -> bool:
    """True when an ASCII name has to be looked at by all rules: by its ending, or it is a word of theirs."""
    low = name.lower()
    end = low.rpartition(".")[2]
    if end in _SIMPLE:
        return low in _DOTTED or low.endswith(ENDS) or low.startswith("wpa_") or low.lstrip(".").split(".")[0] in _STEMS
    return "." in low or low in _WORDS or low.endswith(("key", "~", "#", " "))


def _of_git(parts: list[str]) -> bool:
    """Settings of a repository: the address of a remote may hold a token."""
    return _bare(parts[-1]) in ("config", "config.worktree") and any(part.endswith(".git") for part in parts[:-1])


def is_memory(path: str) -> bool:
    """True for memory of the kernel or of a process, and for the kernel's messages, which are gone once read."""
    parts = folded(path).split("/")
    if parts[:2] != ["", "proc"] or len(parts) < 3:
        return False
    return parts[2] in ("kcore", "vmcore", "kmsg") or (_process(parts[2]) and not MEMORY.isdisjoint(parts[3:]))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _bare(part: str) -> str:
    """A name without what FAT does not count and without what makes it a copy."""
    name = part.rstrip(". ") or part
    if name.startswith("#") and name.endswith("#"):
        name = name[1:-1]
    for _ in range(_LAYERS if name.endswith(_COPIES) else 0):
        copy = next((copy for copy in _COPIES if name.endswith(copy) and len(name) > len(copy)), "")
        if not copy:
            break
        name = name[: -len(copy)].rstrip(". ") or name
    return name


def _part(part: str) -> bool:
    """True when a folded name stands for something secret wherever it lies."""
    if part in PARTS:
        return True
    last = part.rpartition(".")[2]
    if part.startswith(".env."):
        return last not in _EXAMPLES
    if part.endswith(ENDS):
        return True
    if part.startswith(_KEYS):
        return last != "pub"
    if part.endswith("_key") and part.startswith(("ssh_host_", "dropbear_")):
        return True
    if part.startswith("wpa_supplicant") and part.endswith(".conf"):
        return True
    return "otp_private" in part


def _stem(parts: list[str]) -> bool:
    """True when the last part of a path says that it holds secrets, or its folder does and it is data."""
    name = parts[-1]
    if name in STEMS:
        return True
    stem, dot, end = name.lstrip(".").partition(".")
    if not dot:
        return stem in STEMS and name.startswith(".")
    return end in DATA and (stem in STEMS or stem in ALSO_WITH_ENDING or parts[-2:-1] in _HOLDING)


def _public(path: str, parts: list[str]) -> bool:
    """What looks like a secret and is everybody's: certificates of the system, a rule of the message bus."""
    last = parts[-1]
    if last.endswith(".pem") and (last in _PUBLIC_NAMES or any(_inside(path, folder) for folder in _PUBLIC)):
        return not any(map(_part, parts[:-1]))
    return last == "wpa_supplicant.conf" and "dbus-1" in parts


def _process(name: str) -> bool:
    """A process in /proc: by its number, oneself, or a pattern that may be either."""
    return name.isdigit() or name in ("self", "thread-self") or not {"*", "?", "["}.isdisjoint(name)


def _in_proc(path: str, parts: list[str]) -> bool:
    if any(_inside(path, folder) for folder in FOLDERS) or parts[-1] in PARTS:
        return True
    return _process(parts[2]) and not PROCESS.isdisjoint(parts[3:])
