"""Publishing: to a Hub on loopback and to folders; what is refused, retried, kept and never told."""

import errno
import re
import shutil
import socket
import traceback
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from pytest_httpserver import HTTPServer
from rich.console import Console

from flows.locks import LockedError, output_lock
from flows.publish import PublishSettings, publish_dataset
from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.dataset import OutputError
from outputs.manifest import read_manifest
from outputs.publishing.plan import PublishError, UnfitError, published_names
from tests.fake_hub import FakeHub
from tests.helpers import log_text, write_scratchpad

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
"""The client sends large files in a way that its own HTTP library wants otherwise."""

TOKEN = "hf_" + "T0ken" * 6


def build(root: Path, runs: int = 1, note: str = "") -> Path:
    logs = {f"runs/r{number}.log": log_text(*((step, 10.8) for step in range(900))) for number in range(runs)}
    write_scratchpad(root / "archive", logs, [{"run_id": "r0", "note": note}])
    settings = BuildSettings(archive=str(root / "archive"), out=str(root / "dataset"))
    assert build_dataset(settings, QuietReporter(Console(quiet=True))).validation.is_passed()
    return root / "dataset"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return build(tmp_path)


@pytest.fixture
def hub(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    fake = FakeHub(httpserver)
    httpserver.expect_request(re.compile(".*")).respond_with_handler(fake.answer)
    monkeypatch.setenv("HF_ENDPOINT", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("SPEEDRUN_ETL_RETRY_S", "0")
    yield fake


def publish(dataset: Path, **settings: object) -> tuple[bool, str]:
    told: list[str] = []
    chosen = {"repo": None if "to" in settings else "owner/name", **settings}
    done = publish_dataset(PublishSettings(dataset=dataset, **chosen), told.append)  # type: ignore[arg-type]  # keywords of a test
    return done, "\n".join(told)


def whole(dataset: Path) -> dict[str, bytes]:
    return {name: (dataset / name).read_bytes() for name in published_names(dataset)}


def test_a_dataset_goes_up_in_one_commit(dataset: Path, hub: FakeHub) -> None:
    done, told = publish(dataset, tag="v1", is_private=True)
    assert done
    assert hub.files == whole(dataset)
    assert len(hub.commits) == 1
    assert re.fullmatch(r"Publish the dataset with manifest [0-9a-f]{64}", hub.messages[0]["summary"])
    assert hub.tags == {"v1": hub.head}
    assert any(path.startswith("/lfs/") for _, path in hub.seen)
    assert hub.tokens == {f"Bearer {TOKEN}", ""}, "only the signed upload address needs no token"
    assert TOKEN not in told


def test_nothing_changed_means_no_commit(
    dataset: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the dataset was built again, at another time."""
    publish(dataset)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "5")
    again = build(dataset.parent)
    assert (again / "manifest.json").read_bytes() != hub.files["manifest.json"]
    done, told = publish(again)
    assert (done, len(hub.commits)) == (False, 1)
    assert "Nothing changed: no commit is made." in told


def test_only_what_differs_goes_up_with_its_diff(dataset: Path, hub: FakeHub) -> None:
    publish(dataset, tag="v1")
    changed = build(dataset.parent, runs=2)
    done, told = publish(changed, tag="v2")
    assert done
    assert "upload runs.parquet" in told
    assert "upload ideas.parquet" not in told
    assert hub.files == whole(changed)
    assert "| runs | 1 | 2 | 1 | 0 |" in hub.messages[1]["description"]
    assert hub.tags.keys() == {"v1", "v2"}


def test_a_dry_run_tells_all_and_does_nothing(dataset: Path, hub: FakeHub) -> None:
    done, told = publish(dataset, is_dry_run=True, tag="v1")
    assert not done
    for name, data in whole(dataset).items():
        assert f"upload {name} ({len(data):,} bytes)" in told
    assert {method for method, _ in hub.seen} <= {"GET", "HEAD"}
    assert not hub.is_there


def test_nothing_is_deleted_without_being_asked(dataset: Path, hub: FakeHub) -> None:
    publish(dataset)
    hub.commits[-1] |= {"old.parquet": b"x", ".gitattributes": b"y"}
    told = publish(dataset)[1]
    assert "keep, as --prune is not given: old.parquet" in told
    assert "old.parquet" in hub.files
    assert "delete old.parquet" in publish(dataset, is_pruning=True, is_dry_run=True)[1]
    assert publish(dataset, is_pruning=True)[0]
    assert hub.files == whole(dataset) | {".gitattributes": b"y"}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_hub_is_asked_again(dataset: Path, hub: FakeHub, status: int) -> None:
    hub.fails = [("/commit/", status), ("/preupload/", status), ("/repos/create", status)]
    assert publish(dataset)[0]
    assert hub.files == whole(dataset)
    assert hub.fails == []


def test_a_hub_that_stays_busy_ends_in_a_sentence(dataset: Path, hub: FakeHub) -> None:
    hub.fails = [("/commit/", 503)] * 50
    with pytest.raises(PublishError, match="The Hub answers 503") as caught:
        publish(dataset)
    assert TOKEN not in str(caught.value)
    assert hub.commits == []


def test_a_hub_that_cannot_be_reached_ends_in_a_sentence(
    dataset: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(PublishError, match=r"cannot be reached \(.*refused\): check the network"):
            publish(dataset, is_dry_run=True)


@pytest.mark.parametrize("status", [409, 412])
def test_who_is_overtaken_plans_anew(dataset: Path, hub: FakeHub, status: int) -> None:
    publish(dataset)
    changed = build(dataset.parent, runs=2)
    if status == 412:
        hub.before_commit = [hub.overtake]
    else:
        hub.fails = [("/commit/", 409)]
    done, told = publish(changed)
    assert done
    assert "planning anew" in told
    assert hub.files.items() >= whole(changed).items()


def test_a_refusal_is_no_reason_to_try_again(dataset: Path, hub: FakeHub) -> None:
    hub.fails = [("/repos/create", 403)] * 2
    with pytest.raises(PublishError, match="403"):
        publish(dataset)
    assert len(hub.fails) == 1


def test_a_tag_is_never_moved(dataset: Path, hub: FakeHub) -> None:
    publish(dataset, tag="v1")
    assert publish(dataset, tag="v1")[0] is False
    changed = build(dataset.parent, runs=2)
    with pytest.raises(PublishError, match="name a new version"):
        publish(changed, tag="v1")
    assert len(hub.commits) == 1


def test_a_dataset_that_fails_validation_is_refused(dataset: Path, hub: FakeHub) -> None:
    (dataset / "ideas.parquet").unlink()
    with pytest.raises(UnfitError, match="fails validation"):
        publish(dataset)
    assert hub.seen == []


KEYS = [
    "sk-" + "proj-" + "a1B2" * 6,
    "hf_" + "abcDEF" * 5,
    "AKIA" + "ABCDEFGH12345678",
    "ghp_" + "a1B2c3" * 6,
    "-----BEGIN " + "RSA PRIVATE KEY-----",
    "plain-value-of-a-variable",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_the_archive_blocks_publishing_and_is_never_told(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """It is not in the dataset either; who has looked at all places may publish what is left."""
    monkeypatch.setenv("SOME_API_KEY", "plain-value-of-a-variable")
    dataset = build(tmp_path, note=f"I used {key} today")
    place = r"1 places: v1/codex/scratchpad/runs\.jsonl, line 1 \(.*\).*runs\.parquet, column note, row 0"
    with pytest.raises(UnfitError, match=place) as caught:
        publish(dataset)
    assert hub.seen == []
    told = str(caught.value)
    word = told.rpartition("--accept ")[2].rstrip(".")
    assert key not in told
    assert not any(key.encode() in data for data in whole(dataset).values())
    with pytest.raises(UnfitError):
        publish(dataset, accepted="another")
    done, told = publish(dataset, accepted=word)
    assert done
    assert key not in told + str(hub.messages)


def test_another_key_needs_another_word(tmp_path: Path, hub: FakeHub) -> None:
    words = []
    for note in (KEYS[0], f"{KEYS[0]} {KEYS[1]}"):
        with pytest.raises(UnfitError) as caught:
            publish(build(tmp_path, note=note))
        words.append(str(caught.value).rpartition("--accept ")[2])
    assert words[0] != words[1]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_a_dataset_blocks_publishing(
    dataset: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """A build leaves none; one that a build of old, or a hand, has put there is found all the same."""
    monkeypatch.setenv("SOME_API_KEY", "plain-value-of-a-variable")
    plant(dataset, pl.lit(f"I used {key} today").alias("note"), pl.lit([f"{key}"]).alias("conflicts"))
    with pytest.raises(
        UnfitError, match=r"in 2 places: .* in runs\.parquet, column note, row 0; .*column conflicts"
    ) as caught:
        publish(dataset)
    assert key not in str(caught.value)
    assert hub.seen == []


def plant(dataset: Path, *columns: pl.Expr) -> None:
    """Put values into the runs of a dataset, in a way that its manifest agrees with."""
    from outputs.dataset import write_table
    from outputs.schemas import RUNS

    entry = write_table(RUNS, pl.read_parquet(dataset / "runs.parquet").with_columns(columns), dataset)
    manifest = read_manifest(dataset)
    files = tuple(entry if each.name == entry.name else each for each in manifest.files)
    text = manifest.model_copy(update={"files": files}).model_dump_json(indent=2)
    (dataset / "manifest.json").write_text(text)


def test_a_token_that_cannot_be_sent_is_not_told(
    dataset: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", f"{TOKEN}\nX-Other: {TOKEN}")
    with pytest.raises(Exception) as caught:
        publish(dataset)
    assert TOKEN not in "".join(traceback.format_exception(caught.value))


def test_a_key_in_a_text_file_blocks_too(dataset: Path, hub: FakeHub) -> None:
    from outputs.publishing.leaks import find_leaks

    (dataset / "card.md").write_text("fine\n" + KEYS[1])
    assert [leak.place for leak in find_leaks(dataset, ["card.md"], ())] == ["line 2"]


def test_words_that_only_look_like_keys_do_not_block(tmp_path: Path, hub: FakeHub) -> None:
    assert publish(build(tmp_path, note="ask-me-about-sk-learn, hf_token, AKIArms and a public key"))[0]


def test_a_folder_gets_the_same_files(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "published"
    assert publish(dataset, to=str(target))[0]
    found = {
        path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()
    }
    assert found == whole(dataset)
    assert publish(dataset, to=str(target))[0] is False
    (target / "old.txt").write_text("x")
    assert "keep" in publish(dataset, to=str(target))[1]
    assert publish(dataset, to=str(target), is_pruning=True)[0]
    assert not (target / "old.txt").exists()


@pytest.mark.parametrize("broken", range(0, 14, 3))
def test_a_folder_is_exchanged_whole_or_not_at_all(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    """Whichever file cannot be copied; what else lies there stays, also where it is no file of ours."""
    target = tmp_path / "published"
    publish(dataset, to=str(target))
    (target / "notes").mkdir()
    (target / "notes/mine.txt").write_text("mine")
    (target / "empty").mkdir()
    (target / "link").symlink_to("notes/mine.txt")
    before = tree(target)
    changed = build(dataset.parent, runs=2)
    num_copied = 0
    copy = shutil.copyfile

    def breaking(source: Path, to: Path) -> None:
        nonlocal num_copied
        if Path(source).parent != changed and Path(source).parents[1] != changed:
            copy(source, to)
            return
        num_copied += 1
        if num_copied > broken:
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(source, to)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", breaking)
        try:
            publish(changed, to=str(target))
        except PublishError as error:
            assert "No space left on device" in str(error)
            assert tree(target) == before
    publish(changed, to=str(target))
    assert {name: data for name, data in tree(target).items() if name in whole(changed)} == whole(changed)
    assert (target / "notes/mine.txt").read_text() == "mine"
    assert (target / "empty").is_dir()
    assert (target / "link").readlink() == Path("notes/mine.txt")
    assert {path.name for path in tmp_path.iterdir()} == {"archive", "dataset", "published"}


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_whoever_has_a_published_file_open_reads_on(dataset: Path, tmp_path: Path) -> None:
    target = tmp_path / "published"
    publish(dataset, to=str(target))
    before = (target / "runs.parquet").read_bytes()
    with (target / "runs.parquet").open("rb") as opened:
        publish(build(dataset.parent, runs=2), to=str(target))
        assert opened.read() == before
    assert (target / "runs.parquet").read_bytes() != before


def test_a_folder_with_other_things_is_not_replaced(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.txt").write_text("x")
    with pytest.raises(OutputError, match="no dataset"):
        publish(dataset, to=str(tmp_path / "other"))


def test_two_publications_to_one_folder_are_told_of_each_other(dataset: Path, tmp_path: Path) -> None:
    with output_lock(tmp_path / "published"), pytest.raises(LockedError):
        publish(dataset, to=str(tmp_path / "published"))
    publish(dataset, to=str(tmp_path / "published"), is_dry_run=True)
    assert not (tmp_path / "published").exists()


def test_a_bucket_is_a_folder_too(dataset: Path) -> None:
    import fsspec

    assert publish(dataset, to="memory://bucket/data")[0]
    memory = fsspec.filesystem("memory")
    assert memory.cat_file("/bucket/data/manifest.json") == (dataset / "manifest.json").read_bytes()
    changed = build(dataset.parent, runs=2)
    assert "| runs | 1 | 2 | 1 | 0 |" in publish(changed, to="memory://bucket/data")[1]


def test_an_address_without_its_package_is_said_in_a_sentence(dataset: Path) -> None:
    with pytest.raises(PublishError, match="cannot be reached"):
        publish(dataset, to="nonsense://bucket/data")
