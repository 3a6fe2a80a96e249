"""What a child finds in its environment; its folder for temporary files comes and goes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from edge.hands.wall import environment


def test_nothing_is_copied_but_language_and_time_zone() -> None:
    own = {
        "FIELDHAND_API_KEY": "hush",
        "OPENAI_API_KEY": "hush",
        "PATH": "/tmp/evil",
        "LD_PRELOAD": "/tmp/evil.so",
        "PYTHONPATH": "/tmp",
        "HOME": "/elsewhere",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "C.UTF-8",
        "LC_TIME": "$(evil)",
        "TZ": "Europe/Zurich",
        "TERM": "xterm-256color",
        "SSH_AUTH_SOCK": "/tmp/agent",
    }
    made = dict(environment.environment(own, "/home/me"))
    assert set(made) == {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ"}
    assert "hush" not in str(made) and "evil" not in str(made)
    assert (made["HOME"], made["TERM"], made["TZ"]) == ("/home/me", "dumb", "Europe/Zurich")
    assert all(part.startswith(("/usr/", "/bin", "/sbin")) for part in made["PATH"].split(":"))
    assert dict(environment.environment({}, "", "/tmp/x"))["TMPDIR"] == "/tmp/x"


def test_a_folder_for_temporary_files_is_private_and_goes_with_all_in_it(tmp_path: Path) -> None:
    folder = environment.temporary()
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    out = tmp_path / "out"
    out.write_text("stays")
    deep = folder
    for _ in range(300):
        deep += "/d"
        os.mkdir(deep)
    os.symlink(out, folder + "/link")
    os.symlink(tmp_path, folder + "/folder")
    os.mkdir(folder + "/shut")
    Path(folder, "shut", "f").write_text("x")
    os.chmod(folder + "/shut", 0)
    os.mkfifo(folder + "/fifo")
    assert environment.remove(folder)
    assert not os.path.lexists(folder)
    assert out.read_text() == "stays"
    assert environment.remove(folder), "what is gone is gone"
