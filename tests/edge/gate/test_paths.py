"""Where a path leads, as text."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from edge.call import Root, Scene
from edge.gate.paths import absolute, inside, is_hook, is_odd, is_secret, is_startup, is_workspace, place

ROUNDS = 50_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 5_000
SCENE = Scene(
    "/w/proj",
    "/home/pi",
    (Root("work", "/w/proj"), Root("data", "/data")),
    state="/w/proj/.state",
    own=("/w/proj/key",),
    settings=("/w/proj/c.toml", "/home/pi/.config/fieldhand", "/etc/fieldhand"),
)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("a", "/w/proj/a"),
        ("./a//b", "/w/proj/a/b"),
        ("../x", "/w/x"),
        ("../../../../x", "/x"),
        ("/a/./b/../c", "/a/c"),
        ("", "/w/proj"),
        (".", "/w/proj"),
        ("a/", "/w/proj/a"),
        ("%2e%2e/x", "/w/proj/%2e%2e/x"),
    ],
)
def test_absolute_resolves_dots_and_slashes_as_text(path: str, wanted: str) -> None:
    assert absolute(path, "/w/proj") == wanted


@pytest.mark.parametrize(
    ("path", "kind", "root", "rest"),
    [
        ("notes", "workspace", "work", "notes"),
        (".", "workspace", "work", "."),
        ("/data/x/y", "workspace", "data", "x/y"),
        ("/w/project2/x", "outside", "system", "w/project2/x"),
        ("../proj/x", "workspace", "work", "x"),
        ("/etc/hosts", "readable", "system", "etc/hosts"),
        ("/var/log/syslog", "readable", "system", "var/log/syslog"),
        ("/var/lib/x", "system", "system", "var/lib/x"),
        ("/dev/mem", "system", "system", "dev/mem"),
        ("~/x", "system", "system", "home/pi/x"),
        ("~", "system", "system", "home/pi"),
        ("~pi/x", "workspace", "work", "~pi/x"),
        ("~root", "workspace", "work", "~root"),
        ("key", "own", "work", "key"),
        ("c.toml", "workspace", "work", "c.toml"),
        (".state/tapes/a", "own", "work", ".state/tapes/a"),
        ("sub/.SSH/config", "secret", "work", "sub/.SSH/config"),
        ("/etc/Shadow", "secret", "system", "etc/Shadow"),
    ],
)
def test_place_finds_root_kind_and_rest(path: str, kind: str, root: str, rest: str) -> None:
    found = place(path, SCENE)
    assert (found.kind, found.root, found.path) == (kind, root, rest)


@pytest.mark.parametrize("path", [".env", "a/.ENV", ".env.local", "id_rsa", "server.pem", "x/.aws/config", "Token"])
def test_secrets_are_found_whatever_the_case(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path", ["tokenizer.py", "secrets_manager.go", "environment", "keys.md", "shadows/x", "envelope"]
)
def test_names_that_only_look_like_secrets_are_none(path: str) -> None:
    assert not is_secret(path)


def test_inside_is_by_parts_and_not_by_letters() -> None:
    assert inside("/a/b", "/a") and inside("/a", "/a") and inside("/x", "/")
    assert not inside("/ab", "/a")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ssh/ssh_host_rsa_key",
        "/etc/ssh/ssh_host_ed25519_key",
        "/etc/wpa_supplicant/wpa_supplicant.conf",
        "/etc/wpa_supplicant/wpa_supplicant-wlan0.conf",
        "/etc/NetworkManager/system-connections/home.nmconnection",
        "/etc/NetworkManager/system-connections/home",
        "/boot/firmware/userconf.txt",
        "/boot/firmware/custom.toml",
        "/boot/firstrun.sh",
        "/boot/firmware/user-data",
        "/etc/wireguard/wg0.conf",
        "/etc/openvpn/client.ovpn",
        "/etc/openvpn/client/auth.txt",
        "/etc/ppp/chap-secrets",
        "/etc/ppp/pap-secrets",
        "/etc/krb5.keytab",
        "/etc/ipsec.secrets",
        "/etc/security/opasswd",
        "/etc/mosquitto/passwd",
        "/etc/msmtprc",
        "/etc/hostapd/hostapd.conf",
        "/etc/ssl/private/anything",
        "/etc/sudoers.d/010_pi",
        "/proc/kcore",
        "/proc/1/mem",
        "/proc/self/environ",
        "/proc/self/fd/3",
        "/proc/thread-self/root/etc/shadow",
        "/proc/77/cwd/x",
        "/proc/77/task/78/maps",
    ],
)
def test_places_that_hold_keys_are_secrets(path: str) -> None:
    assert is_secret(path) and place(path, SCENE).kind == "secret"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/ssh/ssh_host_rsa_key.pub",
        "/etc/ssh/sshd_config",
        "/etc/wpa_supplicant/functions.sh",
        "/usr/share/dbus-1/system.d/wpa_supplicant.conf",
        "/etc/NetworkManager/NetworkManager.conf",
        "/boot/firmware/config.txt",
        "/boot/cmdline.txt",
        "/etc/passwd",
        "/etc/group",
        "/etc/mosquitto/mosquitto.conf",
        "/etc/ppp/options",
        "/etc/ssl/openssl.cnf",
        "/etc/ssl/certs/x.crt",
        "/proc/meminfo",
        "/proc/self/status",
        "/proc/self/mountinfo",
        "/proc/sys/kernel/hostname",
        "/proc/device-tree/model",
        "/proc/cpuinfo",
        "/usr/share/doc/wireguard/README",
        "/sys/class/thermal/thermal_zone0/temp",
    ],
)
def test_their_neighbours_without_keys_stay_readable(path: str) -> None:
    assert place(path, SCENE).kind == "readable"


@pytest.mark.parametrize(
    "path",
    [
        ".bashrc",
        ".Profile",
        "sub/.zshrc",
        ".config/autostart/x.desktop",
        ".config/systemd/user/x.service",
        ".git/info/attributes",
        ".git/index",
        "bare.git/HEAD",
        "crontab",
        "etc/cron.d/job",
        ".local/bin/ls",
        ".envrc",
    ],
)
def test_what_is_run_by_itself_later_is_a_startup_file_for_a_change_only(path: str) -> None:
    spot = place(path, SCENE)
    assert is_startup(spot.full) and (spot.kind, spot.change) == ("workspace", "startup")


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", "bare.git/hooks/update", ".fieldhand/skills", ".Fieldhand"])
def test_hooks_and_skills_are_changed_by_the_operator_alone(path: str) -> None:
    spot = place(path, SCENE)
    assert is_hook(spot.full) and (spot.kind, spot.change) == ("workspace", "hook")


@pytest.mark.parametrize(
    "path",
    ["bashrc", "profile.md", ".gitignore", ".github/x", "hooks/x", "config/autostart", ".config/x", "cron.daily.md"],
)
def test_names_that_only_look_like_startup_files_are_none(path: str) -> None:
    assert place(path, SCENE).change == "workspace"


@pytest.mark.parametrize("path", ["c.toml", "./x/../c.toml", "~/.config/fieldhand/config.toml", "/etc/fieldhand/x"])
def test_settings_are_settings_for_a_change_only(path: str) -> None:
    spot = place(path, SCENE)
    assert spot.change == "settings" and spot.kind in ("workspace", "system", "readable")


@pytest.mark.parametrize(
    "path",
    [
        "a\0b",
        "a\nb",
        "\x1b[2Jx",
        "x\x7f",
        "x\x9by",
        "a\u2028b",
        "safe\u202etxt.exe",
        "\u2066x",
        "\ud800",
        "x" * 4097,
        "ä" * 2049,
        "a\u200bb",
        "\ufeffx",
        "soft\u00adhyphen",
        "\u3164",
        "\u2800",
        "x\u2063y",
        "x\U000e0041\U000e0042",
        "x\ufff9y",
        "\x00",
        "a\rb",
        "\udcff",
    ],
    ids=ascii,
)
def test_what_a_person_cannot_see_in_a_path_makes_it_odd(path: str) -> None:
    assert is_odd(path)
    spot = place(path, SCENE)
    assert (spot.kind, spot.change, spot.root) == ("odd", "odd", "") and spot.full.isascii() and len(spot.full) < 2500


@pytest.mark.parametrize(
    "path",
    [
        "plain",
        "Größe.txt",
        "日本",
        "a b",
        "a\u00a0b",
        "नी\u200dल",
        "x" * 4096,
        "-rf",
        "a'b",
        "☀\ufe0f.txt",
        "\U0001f336 dry",
    ],
)
def test_letters_of_every_language_are_not_odd(path: str) -> None:
    assert not is_odd(path)


def test_a_relative_path_without_a_working_folder_leads_nowhere() -> None:
    bare = Scene("", "/home/pi")
    assert place("x", bare).kind == "adrift" and place(".", bare).kind == "adrift"
    assert place("/etc/hosts", bare).kind == "readable" and place("~/x", bare).full == "/home/pi/x"


@pytest.mark.parametrize(
    "path",
    [
        "/home/pi",
        "/home/pi/x",
        "/root",
        "/tmp/x",
        "/var/tmp/x",
        "/srv/x",
        "/opt/x",
        "/mnt/usb",
        "/data",
        "/var/lib/fieldhand",
    ],
)
def test_folders_that_may_be_a_workspace(path: str) -> None:
    assert is_workspace(path)


@pytest.mark.parametrize(
    "path",
    [
        *("", "x", "/", "/etc", "/etc/x", "/usr/local/x", "/lib64/x", "/sbin", "/boot/firmware", "/proc/1", "/dev/shm"),
        *("/var", "/var/lib", "/var/lib/x", "/var/lib/fieldhand2", "/var/log", "/var/log/x", "/var/spool/cron"),
        *("/run", "/run/x", "/tmp", "/var/tmp", "/home", "/srv", "/opt", "/mnt"),
    ],
)
def test_system_trees_and_folders_of_everybody_are_no_workspace(path: str) -> None:
    assert not is_workspace(path)


PIECES = (
    *(
        "",
        ".",
        "..",
        "...",
        "....",
        ". .",
        " ",
        "%2e%2e",
        "%2f",
        "..%2f",
        "\\\\",
        "..\\\\..",
        "~",
        "~pi",
        "-",
        "*",
        "$HOME",
        "proj",
    ),
    *(
        "w",
        "data",
        "etc",
        "proc",
        "self",
        "root",
        "home",
        "pi",
        "key",
        ".state",
        "c.toml",
        "a b",
        "日本",
        "..a",
        "a..",
        "\uff0e\uff0e",
    ),
)


def test_whatever_is_written_a_path_is_in_a_root_only_when_it_is_below_it() -> None:
    """A random path against the normal form of the standard library, which resolves the same dots as text."""
    chance = random.Random(4437)
    kinds: Counter[str] = Counter()
    for _ in range(ROUNDS):
        path = "/".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 9)))
        path = chance.choice(("", "/", "//", "~/", "./", "../", "/w/proj/", "/data/", "/proc/")) + path
        spot = place(path, SCENE)
        said = SCENE.home + path[1:] if path == "~" or path.startswith("~/") else path
        wanted = os.path.normpath(os.path.join(SCENE.cwd, said)).replace("//", "/")
        assert spot.full == wanted, path
        roots = {root.name: root.path for root in SCENE.roots}
        top = roots.get(spot.root, "")
        assert os.path.normpath(f"{top}/{spot.path}") == wanted and ".." not in spot.path.split("/"), path
        assert (spot.root in roots) == any(f"{wanted}/".startswith(f"{one}/") for one in roots.values()), path
        if spot.kind == "workspace":
            assert spot.root in roots, path
        kinds[spot.kind] += 1
    assert set(kinds) == {"workspace", "outside", "readable", "system", "own", "secret"}
    print(f"{ROUNDS} paths: {dict(kinds)}")


@pytest.mark.parametrize(
    ("path", "kind", "change"),
    [
        ("KEY", "own", "own"),
        (".State/TAPES/a", "own", "own"),
        ("./x/..//.state/./tapes/../audit.key", "own", "own"),
        ("/w/proj/../proj/key", "own", "own"),
        ("//w//proj//key", "own", "own"),
        ("/data/../w/proj/key", "own", "own"),
        ("C.TOML", "workspace", "settings"),
        ("~/.Config/Fieldhand/new.toml", "system", "settings"),
        ("keys", "workspace", "workspace"),
        ("key2", "workspace", "workspace"),
        (".state2/x", "workspace", "workspace"),
        ("c.toml.md", "workspace", "workspace"),
        ("/data/.BashRC", "workspace", "startup"),
        ("a/.GIT/hooks/x", "workspace", "hook"),
        ("/proc/self/root/w/proj/x", "secret", "secret"),
        ("/../../../etc/shadow", "secret", "secret"),
        ("../../etc/./ssl/../shadow", "secret", "secret"),
        ("/etc/passwd/../shadow", "secret", "secret"),
    ],
)
def test_another_spelling_is_the_same_place(path: str, kind: str, change: str) -> None:
    spot = place(path, SCENE)
    assert (spot.kind, spot.change) == (kind, change)
