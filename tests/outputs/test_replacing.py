"""Folders put in place: what a crash between any two steps leaves is mended, and a failure changes nothing."""

from pathlib import Path

import pytest

from outputs import replacing
from outputs.replacing import clean_up, put_in_place, workplace


def make(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "data").write_text(text)
    return folder


@pytest.fixture(params=[True, False], ids=["exchange", "two renames"])
def out(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a folder, on a system that can exchange names and on one that cannot."""
    if not request.param:
        monkeypatch.setattr(replacing, "_exchange", lambda one, other: False)
    return tmp_path / "out"


def test_this_system_can_exchange_names(tmp_path: Path) -> None:
    one, other = make(tmp_path / "one", "1"), make(tmp_path / "other", "2")
    assert replacing._exchange(one, other)
    assert ((one / "data").read_text(), (other / "data").read_text()) == ("2", "1")
    assert not replacing._exchange(one, tmp_path / "nothing")


def test_a_folder_takes_the_place_of_another(out: Path) -> None:
    for text in ("first", "second", "third"):
        put_in_place(make(workplace(out) / "new", text), out)
        assert (out / "data").read_text() == text
        clean_up(out)
        assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_kill_between_the_two_renames_is_mended(out: Path) -> None:
    make(workplace(out) / "old", "first")
    make(workplace(out) / "new", "second")
    clean_up(out)
    assert (out / "data").read_text() == "first"
    assert not workplace(out).exists()


def test_a_kill_after_the_renames_keeps_the_new_one(out: Path) -> None:
    make(workplace(out) / "old", "first")
    make(out, "second")
    clean_up(out)
    assert (out / "data").read_text() == "second"


def test_a_kill_while_writing_keeps_the_old_one(out: Path) -> None:
    make(out, "first")
    make(workplace(out) / "new", "half")
    clean_up(out)
    assert (out / "data").read_text() == "first"
    assert not workplace(out).exists()


def test_a_failing_rename_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "_exchange", lambda one, other: False)
    out = make(tmp_path / "out", "first")
    new = make(workplace(out) / "new", "second")
    rename = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if self == new:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        put_in_place(new, out)
    assert (out / "data").read_text() == "first"


def test_another_output_beside_it_is_left_alone(tmp_path: Path) -> None:
    """Building `out` must not take the half-written successor of `out-2` for its own."""
    other = make(workplace(tmp_path / "out-2") / "new", "half")
    clean_up(tmp_path / "out")
    assert (other / "data").read_text() == "half"
