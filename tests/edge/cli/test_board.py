"""Which board a run works with: its file, its header as far as it can be known, the service that has its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.call import Gpio
from edge.cli.board import SERVICE, choose, headed
from edge.config import Settings
from edge.faults import ConfigFault
from edge.peripherals.boards.header import FULL
from edge.peripherals.guard import door
from tests.support import agent
from tests.support.chips import ChipServer
from tests.support.services import Place


def test_a_simulated_board_has_no_lines_and_no_header() -> None:
    assert headed(None) is None


@pytest.mark.parametrize("board, header", [("pi3", FULL), ("pi5", FULL), ("generic", "")])
def test_the_header_is_known_by_the_label_of_its_chip(tmp_path: Path, board: str, header: str) -> None:
    server = ChipServer(tmp_path, board)
    try:
        found = headed(Gpio(server.chips, lines=("A",), lab=("A",)))
    finally:
        server.close()
    assert found == Gpio(server.chips, lines=("A",), lab=("A",), header=header)


def test_chips_that_cannot_be_looked_at_have_no_header_that_is_known(tmp_path: Path) -> None:
    gone = Gpio(f"model:{tmp_path}/nobody")
    assert headed(gone) == Gpio(gone.chips, header="")
    told = headed(Gpio(gone.chips, "pinctrl-rp1"))
    assert told is not None and told.header == FULL


def test_a_board_file_that_cannot_be_read_is_not_called_the_settings_file(tmp_path: Path) -> None:
    for name in (f"{tmp_path}/none.toml", str(tmp_path)):
        with pytest.raises(ConfigFault, match=r"the board file .* (cannot be read|is not a regular file)"):
            choose(Settings(board=name))


def test_a_board_file_that_no_process_could_be_told_is_refused(tmp_path: Path) -> None:
    words = ", ".join(f'"{number:076d}"' for number in range(40))
    tables = "".join(f"[outputs.o{number}]\nwords = [{words}]\n" for number in range(32))
    large = tmp_path / "large.toml"
    large.write_text(f"[sim]\n{tables}")
    with pytest.raises(ConfigFault, match=r"so much is declared in .*large\.toml"):
        choose(Settings(board=str(large)))


def test_a_service_is_looked_for_where_it_listens() -> None:
    assert SERVICE == door.SERVICE and choose(Settings(board="sim")).socket == door.SERVICE


def test_a_service_that_owns_other_things_than_the_settings_say_is_joined_and_that_is_told(tmp_path: Path) -> None:
    with Place(tmp_path) as place:
        place.settings.write_text(place.settings.read_text() + f'[guard]\nsocket = "{place.socket}"\n')
        place.up()
        words = ("tool", "output_list", "--config", str(place.settings), "--board", "auto")
        same = agent.run(*words, home=tmp_path)
        assert same.returncode == 0 and "other settings" not in same.stderr, same.stderr
        place.settings.write_text(place.settings.read_text().replace("max_on = 60", "max_on = 7"))
        other = agent.run(*words, home=tmp_path)
        assert other.returncode == 0 and "was started with other settings than these" in other.stderr, other.stderr


def test_a_service_that_keeps_a_simulated_board_is_not_asked_to_switch_a_line(tmp_path: Path) -> None:
    with Place(tmp_path, settings='board = "sim"\n') as place:
        place.up()
        board = tmp_path / "board.toml"
        gpio, guard = f'[gpio]\nchips = "{place.chips.chips}"\n', f'[guard]\nsocket = "{place.socket}"\n'
        board.write_text(f'{gpio}{guard}[outputs.fan]\nline = "GPIO27"\n')
        words = ("tool", "output_set", "name=fan", "state=on", "for_seconds=5", "--yes", "--board", str(board))
        done = agent.run(*words, home=tmp_path)
    assert done.returncode == 7 and "keeps a simulated board, not these lines" in done.stdout + done.stderr, done.stderr
    assert "fan is on" not in done.stdout + done.stderr
