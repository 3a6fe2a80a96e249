"""What holds keys by its name or its place, and what only looks like it: both ways, for each kind."""

from __future__ import annotations

import os
import random
from fnmatch import fnmatchcase

import pytest

from edge.call import Root, Scene
from edge.gate.paths import absolute, place
from edge.gate.secret import (
    BOOT,
    FOLDERS,
    MOSQUITTO,
    PARTS,
    PIECES,
    TYPICAL,
    closed_in,
    folded,
    is_closed,
    is_memory,
    is_secret,
)

SCENE = Scene("/w/proj", "/home/pi", (Root("work", "/w/proj"),))
ROUNDS = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000


def words(text: str) -> list[str]:
    """The paths of a table, which hold no blanks."""
    return text.split()


SECRETS = words("""
.env .ENV .Env prod.env .env.local .env.production config/.env.bak .env~ .env.swp #.env# .env. deploy/.env/x
Token TOKENS token.txt tokens.json api_key.txt API-KEYS.yaml credentials Credentials.json client_secret.json
credentials/site.json secrets/db.txt ~/.credentials/x.json
secrets.toml secrets.yaml secrets secret.txt passwords.csv password.txt passwd.db private_key psk.conf .token
service-account.json service_account.json application_default_credentials.json
id_rsa id_dsa id_ecdsa ID_ECDSA id_ed25519 id_ed25519_sk id_rsa.bak id_rsa_old id_ecdsa~ .ssh/config .SSH/known_hosts
.aws/config .aws/credentials .AWS/Config .kube/config .kube/cache/x .docker/config.json .config/containers/auth.json
server.pem SERVER.PEM server.key.bak tls/privkey.pem store.jks box.kdbx cert.p12 box.pfx login.ppk home.psk apns.p8
.netrc _netrc .pgpass .npmrc .pypirc .git-credentials .config/git/credentials .git/config sub/.GIT/Config
bare.git/config .git/modules/lib/config .git/config.worktree .config/gh/hosts.yml .config/gcloud/access_tokens.db
.azure/accessTokens.json .oci/config .terraform/terraform.tfstate terraform.tfstate terraform.tfstate.backup
prod.tfvars prod.auto.tfvars.json .terraformrc .vault-token .config/rclone/rclone.conf .cargo/credentials.toml
.m2/settings.xml .gnupg/private-keys-v1.d/a .password-store/mail.gpg .local/share/keyrings/login.keyring
.mozilla/firefox/x/key4.db .config/chromium/Default/Cookies logins.json wallet.dat .bash_history .zsh_history
.psql_history .my.cnf .htpasswd zerotier/authtoken.secret vpn/site.ovpn wpa_supplicant.conf wpa_supplicant-wlan0.conf
wpa_supplicant.conf.bak my.nmconnection hostapd.conf kubeconfig .vnc/passwd .subversion/auth/svn.simple/a
/etc/shadow /etc/Shadow /etc/shadow- /etc/gshadow /etc/shadow.bak /etc/sudoers /etc/sudoers.d/x /etc/netplan/50.yaml
/etc/ssl/private/x /etc/ssh/ssh_host_rsa_key /etc/dropbear/dropbear_rsa_host_key /etc/ipsec.secrets
/etc/apt/auth.conf.d/x.conf /etc/kubernetes/admin.conf /etc/rancher/k3s/k3s.yaml /etc/postfix/sasl_passwd
/etc/hostapd/wlan0.conf /etc/iwd/x /run/secrets/db /var/run/secrets/kubernetes.io/serviceaccount/token /var/log/btmp
/etc/NetworkManager/system-connections/x /run/NetworkManager/system-connections/x.nmconnection /etc/config/wireless
/boot/firmware/custom.toml /boot/firmware/CUSTOM.TOML /boot/userconf.txt /boot/firmware/network-config.bak
/proc/1/environ /proc/self/mem /proc/thread-self/maps /proc/12/task/13/environ /proc/*/environ /proc/[0-9]/mem
/data/etc/seed /run/fieldhand/first/provision.toml /run/fieldhand/old/config/config.toml
/proc/12/pagemap /proc/12/smaps_rollup /proc/kcore /proc/kmsg /proc/vmcore /proc/sys/net/ipv6/conf/all/stable_secret
/proc/self/root/etc/shadow /proc/self/cwd/x /proc/self/fd/3
/sys/bus/nvmem/devices/rpi_otp_private0/nvmem
""")

HARMLESS = words("""
tokenizer.py tokenizer.json secrets_manager.go .environment environment.yml token_bucket.c tokens.py token.go secret.py
keyboard.c keymap.json keys.md monkey.py hotkeys.ini.md passwd.c password_strength.js password.py credentials.py
credentials_test.go envelope env .envoy.yaml env.py environ.py environment environ src/tokens/parse.c tokens/README.md
secrets/README.md credentials/store.py /usr/lib/x/credentials/list.yaml
shadows/x shadow.css shadow_map.png .env.example .env.sample .env.template api_key_docs.md
id_rsa.pub id_ed25519.pub id_card.png ident.py ssh_host_rsa_key.pub server.pem.md pem.py .docker/Dockerfile
.docker/daemon.json .gitignore .github/config .git/HEAD .git/hooks/pre-commit git/config config config.json
.config/app.toml history.txt bash_history.md cookies.py cookie-policy.md keystore.md wallet.py netrc.md
cacert.pem fullchain.pem psk_notes.md hostapd.md wpa_supplicant.md docker/config.yml kube/config aws/config
notes.key.md monkey keynote.txt turnkey.md .aws.md .sshx/a x.ssh/a 50-cloud-init.md
/etc/passwd /etc/group /etc/hosts /etc/ssl/certs/ca.pem /usr/share/x/y.pem /etc/ssh/sshd_config /etc/fstab
/etc/NetworkManager/NetworkManager.conf /etc/apt/sources.list /etc/network/interfaces /etc/environment
/usr/share/keyrings/debian-archive-keyring.gpg /usr/share/dbus-1/system.d/wpa_supplicant.conf /usr/lib/x/tokens.json
/boot/config.txt /boot/firmware/cmdline.txt user-data custom.toml network-config /srv/custom.toml
/proc/meminfo /proc/1/status /proc/self/mountinfo /proc/net/tcp /proc/keys /proc/sys/vm/max_map_count
/proc/device-tree/model /proc/mdstat /proc/self/cmdline /proc/1/exe /proc/12/stat
/sys/class/thermal/thermal_zone0/temp /sys/class/gpio/export /sys/module/x/parameters/y
""")


@pytest.mark.parametrize("path", SECRETS)
def test_what_holds_keys_is_a_secret(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", HARMLESS)
def test_what_only_looks_like_it_is_none(path: str) -> None:
    assert not is_secret(path) and not is_closed(path)


def test_the_gate_takes_it_for_what_it_is_in_and_outside_the_workspace() -> None:
    for path in SECRETS:
        assert place(path, SCENE).kind == "secret", path
    for path in HARMLESS:
        assert place(path, SCENE).kind in ("workspace", "readable", "outside"), path


UNSEEN = ("\u200b", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u034f", "\u3164")


def changed(path: str, chance: random.Random) -> str:
    """The same file as a FAT card or a folder that folds case has it."""
    letters = list(path)
    kind = chance.randrange(4)
    if kind == 0:
        letters = [letter.upper() if chance.random() < 0.5 else letter for letter in letters]
    elif kind == 1:
        swaps = {"s": "\u017f", "k": "\u212a"}
        letters = [swaps.get(letter, letter) for letter in letters]
    elif kind == 2:
        letters.insert(chance.randrange(1, len(letters) + 1), chance.choice(UNSEEN))
    elif not folded(path).startswith("/proc"):
        letters.append(chance.choice((".", " ", "..", ". .", "~", ".bak", ".old")))
    return "".join(letters)


def test_no_other_spelling_of_a_secret_is_taken_for_something_else() -> None:
    chance = random.Random(20260731)
    for number in range(ROUNDS):
        path = chance.choice(SECRETS)
        if {"*", "#"} & set(path):
            continue
        other = path
        for _ in range(chance.randrange(1, 4)):
            other = changed(other, chance)
        other = other.replace("/", chance.choice(("/", "//", "/./", "/x/../")))
        assert is_secret(absolute(other, "/w/proj")), (number, path, other)
    print(f"{ROUNDS} spellings")


def test_every_entry_of_the_tables_is_found_and_none_is_written_with_capitals() -> None:
    for part in PARTS:
        assert part == part.lower() and is_secret(f"a/{part}") and is_secret(f"/a/{part}/b"), part
    for piece in PIECES:
        assert piece == piece.lower() and is_secret(f"/home/x/{piece}") and is_secret(f"{piece}/b"), piece
    for folder in FOLDERS:
        assert folder == folder.lower() and is_secret(folder) and is_secret(folder + "/x"), folder
        assert not is_secret(folder + "x") or "." in folder or "-" in folder or folder.endswith("btmp"), folder
    for name in BOOT:
        assert is_secret(f"/boot/firmware/{name}") and not is_secret(f"/srv/{name}")


def test_the_names_to_try_a_pattern_on_are_secrets_where_they_lie() -> None:
    places = ("", "/proc/1/")
    for name in TYPICAL:
        assert any(is_secret(place_ + name) for place_ in places), name
    for pattern in (".e*", "*.pem", "id_*", "*token*", "?hadow", ".s??", "*.nmconnection", "*.key"):
        assert any(fnmatchcase(name, pattern) for name in TYPICAL), pattern


def test_folding_leaves_plain_and_foreign_names_readable() -> None:
    assert folded("Größe/日本.TXT") == "grösse/日本.txt"
    assert folded(".E\u200bNV") == ".env"


def test_a_child_is_kept_from_secrets_and_git_keeps_its_settings() -> None:
    assert is_closed(".env") and is_closed("/etc/shadow") and is_closed("a/.ssh/config")
    assert is_closed(".ssh/keys.git/config") and is_closed(".git/credentials")
    assert not is_closed(".git/config") and not is_closed("sub/.git/modules/x/config") and not is_closed("notes")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/proc/kcore", True),
        ("/proc/kmsg", True),
        ("/proc/1/mem", True),
        ("/proc/self/task/9/mem", True),
        ("/proc/9/pagemap", True),
        ("/proc/9/maps", False),
        ("/proc/meminfo", False),
        ("/proc", False),
        ("/w/proc/1/mem", False),
        ("proc/1/mem", False),
    ],
)
def test_memory_is_no_file(path: str, wanted: bool) -> None:
    assert is_memory(path) is wanted


def test_the_names_in_a_folder_are_judged_as_whole_paths_are() -> None:
    """Names and folders are put together from the tables, with harmless parts, copies, capitals and odd letters."""
    chance = random.Random(20261)
    tables = [path.lstrip("/").split("/") for path in (*PARTS, *PIECES, *FOLDERS, *BOOT, *MOSQUITTO, *TYPICAL)]
    parts = sorted({part for path in tables for part in path})
    odd = [
        "x",
        "a.txt",
        "Key",
        "keys.json",
        "mosquitto",
        "boot",
        "proc",
        "1",
        "usr",
        "share",
        "M\u00e4rz",
        ".en\x01v",
        "...",
    ]
    compared = closed = 0
    while compared < ROUNDS:
        begin = chance.choice(["/"] * 3 + ["/boot", "/usr/share", "/proc/1", "/etc"])
        way = chance.choice([chance.choice(tables)[:-1], chance.choices(odd, k=2), [chance.choice(parts)]])
        folder = "/".join([begin.rstrip("/"), *way]) or "/"
        if is_closed(folder):
            continue
        judge = closed_in(folder)
        names = [chance.choice(tables)[-1], chance.choice(parts), chance.choice(odd)]
        for name in [
            *names,
            chance.choice(parts) + chance.choice([".bak", "~", ".", ".json", ".PEM"]),
            names[0].upper(),
        ]:
            whole = f"{folder.rstrip('/')}/{name}"
            assert judge(name) == is_closed(whole), whole
            compared, closed = compared + 1, closed + is_closed(whole)
    print(f"{compared} names compared, {closed} of them closed")
    assert closed > compared // 10
