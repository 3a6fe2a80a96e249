"""From settings to a model."""

from __future__ import annotations

import pytest

from edge.call import Scene
from edge.config import ModelSettings
from edge.faults import ConfigFault
from edge.model import make

SCENE = Scene("/", "/")


def test_each_spelling_makes_its_model(tmp_path):
    (tmp_path / "s").write_text('"x"\n')
    made = make(ModelSettings(f"scripted:{tmp_path}/s"), SCENE)
    assert (made.name, made.mode, made.endpoint) == (f"scripted:{tmp_path}/s", "json", "")
    chat = make(ModelSettings("chat:qwen3:4b", "http://127.0.0.1:8080/v1", "json"), SCENE)
    assert (chat.name, chat.mode, chat.endpoint) == ("chat:qwen3:4b", "json", "127.0.0.1:8080/v1/chat/completions")
    assert make(ModelSettings(), SCENE).name == "offline"


@pytest.mark.parametrize("spec", ["", "chat", "chat:", "scripted:", "offline:x", "gpt"])
def test_what_is_no_model_is_a_config_fault(spec):
    with pytest.raises(ConfigFault, match="there is no model"):
        make(ModelSettings(spec, "http://127.0.0.1:1/v1"), SCENE)


def test_a_chat_model_needs_an_address():
    with pytest.raises(ConfigFault, match="address of its server"):
        make(ModelSettings("chat:x"), SCENE)


def test_the_key_comes_from_the_environment_and_is_shown_nowhere(monkeypatch):
    monkeypatch.setenv("FIELDHAND_API_KEY", "sesame-open")
    model = make(ModelSettings("chat:x", "https://example.com/v1"), SCENE)
    assert "sesame" not in repr(model)
    with pytest.raises(ConfigFault, match="unencrypted") as caught:
        make(ModelSettings("chat:x", "http://example.com/v1"), SCENE)
    assert "sesame" not in str(caught.value)
