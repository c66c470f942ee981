"""Proposers as real processes over the snapshots of a dataset: what is kept, scored, failed and taken up again."""

import json
import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from outputs.spending.errors import SpendingError
from parsers.lines import MAX_TEXT_BYTES
from scorers.candidates import Candidate
from scorers.classes import Classification
from scorers.judging import Finding, Judgement
from scorers.pools import Benchmark, Similarities, SnapshotPools
from scorers.proposer_command import ProposerCommand, ProposerFailedError
from scorers.proposer_results import ResultLine, ResultsFile, Split
from scorers.proposer_runs import MAX_KEPT, Proposer, Score, keep_candidates, run_proposer
from scorers.results import ScoringResult
from scorers.scoring import score
from scorers.workspace import read_standing, render_workspace
from tests.scorers.small import candidate_text

GOOD = f"(folder / 'idea.md').write_text({candidate_text()!r})"


@pytest.fixture(scope="module")
def benchmark(built_dataset: Path) -> Benchmark:
    return Benchmark.load(built_dataset, "lexical")


@pytest.fixture(scope="module")
def splits(benchmark: Benchmark) -> dict[str, Split]:
    return {
        name: "dev" if name in benchmark.snapshot_ids("dev") else "test" for name in benchmark.snapshot_ids()
    }


class Run:
    """A proposer with its files.

    Attributes:
        diary: A line for each time that it was started, with what it saw.
    """

    def __init__(self, folder: Path, dataset: Path, splits: Mapping[str, Split], scored: Score) -> None:
        self.out = folder / "results.jsonl"
        self.diary = folder / "diary"
        self._script = folder / "agent.py"
        self._dataset = dataset
        self._splits = splits
        self.scored = scored
        self.timeout_s = 60.0
        self.max_candidates = 5

    def __call__(
        self, code: str, wanted: Sequence[str], *, workers: int = 1, retry: bool = False
    ) -> tuple[ResultLine, ...]:
        """Run a proposer of some code; `folder` is where it leaves candidates, `number` how often it ran before."""
        self._script.write_text(
            "import json, os, pathlib, sys, time\n"
            f"diary = pathlib.Path({str(self.diary)!r})\n"
            "folder = pathlib.Path('candidates')\n"
            "number = len(diary.read_text().splitlines()) if diary.exists() else 0\n"
            "seen = {'argv': sys.argv[1:], 'cwd': os.getcwd(), 'env': dict(os.environ),"
            " 'files': sorted(os.listdir()), 'readme': open('README.md').read()}\n"
            "with diary.open('a') as file: file.write(json.dumps(seen) + '\\n')\n" + textwrap.dedent(code)
        )
        arguments = (sys.executable, str(self._script), "{workspace}")
        command = ProposerCommand(arguments, self.timeout_s, {"PATH": os.environ["PATH"]})
        proposer = Proposer("agent", self._dataset, command, self.max_candidates)
        file = ResultsFile(self.out, {"judge": "cosine"})
        return run_proposer(
            proposer, self._splits, wanted, self.scored, file, num_workers=workers, is_retrying=retry
        )

    def entries(self) -> list[dict[str, object]]:
        """What the proposer saw, each time that it was started."""
        return (
            [json.loads(line) for line in self.diary.read_text().splitlines()] if self.diary.exists() else []
        )

    def lines(self) -> list[str]:
        """The snapshots in the file."""
        return [json.loads(line)["snapshot_id"] for line in self.out.read_text().splitlines()]


@pytest.fixture
def run(tmp_path: Path, built_dataset: Path, benchmark: Benchmark, splits: Mapping[str, Split]) -> Run:
    return Run(tmp_path, built_dataset, splits, lambda name, candidates: score(benchmark, name, candidates))


@pytest.fixture
def few(splits: Mapping[str, Split]) -> list[str]:
    return [name for name, split in splits.items() if split == "test"][:4]


def test_every_snapshot_gets_a_line_in_their_order_and_is_scored_as_by_hand(
    run: Run, few: list[str], benchmark: Benchmark, tmp_path: Path
) -> None:
    lines = run(GOOD, few[::-1], workers=3)
    (tmp_path / "idea.md").write_text(candidate_text())
    for line, name in zip(lines, few[::-1], strict=True):
        assert (line.snapshot_id, line.status, line.split, line.proposer) == (name, "scored", "test", "agent")
        wanted = score(benchmark, name, [tmp_path / "idea.md"])
        assert line.result is not None
        assert line.result.set_score == wanted.set_score
        assert line.result.candidates[0].path == f"{name}/candidates/00-idea.md"
        assert str(tmp_path) not in line.model_dump_json()
    assert run.lines() == few


def test_how_many_work_at_once_changes_nothing_but_the_time(run: Run, few: list[str]) -> None:
    def told() -> list[object]:
        return [{**json.loads(line), "seconds": 0} for line in run.out.read_text().splitlines()]

    run(GOOD, few, workers=1)
    alone = told()
    run.out = run.out.with_name("other.jsonl")
    run(GOOD, few, workers=4)
    assert told() == alone


def test_a_proposer_sees_its_workspace_and_nothing_else(
    run: Run, few: list[str], built_dataset: Path
) -> None:
    run(GOOD, few[:2])
    for seen, name in zip(run.entries(), few, strict=False):
        texts = render_workspace(read_standing(built_dataset, name))
        assert seen["files"] == sorted([*texts, "candidates"])
        assert seen["readme"] == texts["README.md"]
        assert seen["argv"] == [seen["cwd"]]
        told = json.dumps([seen["argv"], seen["cwd"], seen["env"]])
        assert str(built_dataset) not in told
        assert name not in told
        assert not Path(str(seen["cwd"])).exists(), "the workspace is gone afterwards"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (GOOD + "; sys.exit(3)", "The command ended with exit code 3."),
        (GOOD + "; time.sleep(600)", "The command took longer than 8 s and was ended."),
        ("pass", "It left no candidate: no file *.md in the folder candidates."),
        ("folder.rmdir()", "It left no candidate"),
        (
            "(folder / 'idea.txt').write_text('x'); (folder / '.idea.md').write_text('x')",
            "It left no candidate",
        ),
        ("(folder / 'a.md').symlink_to('/etc/passwd'); os.mkfifo(folder / 'b.md')", "It left no candidate"),
        ("(folder / 'a.md').mkdir()", "It left no candidate"),
        ("folder.rmdir(); folder.symlink_to('/etc')", "It left no candidate"),
    ],
)
def test_what_fails_is_told_with_the_reason_and_is_no_zero(
    run: Run, few: list[str], code: str, reason: str
) -> None:
    """The third snapshot fails, and the others are none the worse."""
    run.timeout_s = 8.0 if "sleep" in code else 60.0
    lines = run(f"exec({GOOD!r} if number != 2 else {code!r})", few)
    assert [line.status for line in lines] == ["scored", "scored", "failed", "scored"]
    assert (lines[2].result, lines[2].is_complete) == (None, False)
    assert (lines[2].reason or "").startswith(reason)
    assert not (run.out.with_name("results.jsonl.work") / few[2] / "candidates").exists()


def test_what_it_prints_is_kept_a_snapshot_each(run: Run, few: list[str]) -> None:
    run("print('number', number); sys.exit(1)", few)
    logs = [(run.out.with_name("results.jsonl.work") / name / "output.log").read_text() for name in few]
    assert logs == [f"number {place}\n" for place in range(4)]


def test_a_badly_formed_candidate_is_scored_as_such(run: Run, few: list[str]) -> None:
    """Invalid ones earn -1 each, and no term adds to it."""
    (line,) = run("(folder / 'a.md').write_text('# Too short'); (folder / 'b.md').write_bytes(b'')", few[:1])
    assert line.result is not None
    assert [each.classification for each in line.result.candidates] == [Classification.INVALID] * 2
    assert (line.status, line.result.set_score) == ("scored", -2.0)


def test_the_first_candidates_by_name_count(run: Run, few: list[str]) -> None:
    run.max_candidates = 2
    code = f"[(folder / f'{{c}}.md').write_text({candidate_text('T')!r} + c) for c in 'dbca']"
    (line,) = run(code, few[:1])
    assert line.result is not None
    assert [Path(each.path).name for each in line.result.candidates] == ["00-a.md", "01-b.md"]
    assert line.num_left_out == 2


def test_candidates_are_kept_under_safe_names_in_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "candidates"
    folder.mkdir()
    odd = [
        b"a\n\x1b[31m.md",
        b"b\xff\xfe.md",
        "c über 'x'.md".encode(),
        b"d" * 200 + b".md",
        b"e..md",
        b"f.md.md",
    ]
    for number, name in enumerate(odd):
        (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text(str(number))
    keep_candidates(folder, tmp_path / "kept")
    kept = sorted((tmp_path / "kept").iterdir())
    assert [path.name for path in kept] == [
        "00-a-31m.md", "01-b-.md", "02-c-ber-x-.md", f"03-{'d' * 80}.md", "04-e..md", "05-f.md.md"
    ]  # fmt: skip
    assert [path.read_text() for path in kept] == ["0", "1", "2", "3", "4", "5"]


def test_no_number_and_no_size_of_candidates_fills_the_disk(tmp_path: Path) -> None:
    folder = tmp_path / "candidates"
    folder.mkdir()
    for number in range(MAX_KEPT + 20):
        (folder / f"{number:04d}.md").touch()
    with (folder / "0000.md").open("wb") as file:
        file.truncate(20 * MAX_TEXT_BYTES)
    keep_candidates(folder, tmp_path / "kept")
    sizes = sorted(path.stat().st_size for path in (tmp_path / "kept").iterdir())
    assert (len(sizes), sizes[-1]) == (MAX_KEPT, MAX_TEXT_BYTES + 1)


def test_a_candidate_that_cannot_be_read_fails_the_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may read everything, so that the refusal is played."""
    (tmp_path / "candidates").mkdir()
    (tmp_path / "candidates/a.md").touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ProposerFailedError, match="cannot be read"):
        keep_candidates(tmp_path / "candidates", tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_run_goes_on_where_it_was_left(run: Run, few: list[str]) -> None:
    run(GOOD, few[:2])
    before = run.out.read_text()
    lines = run(GOOD, few)
    assert [line.snapshot_id for line in lines] == few
    assert len(run.entries()) == 4
    assert run.out.read_text().startswith(before)
    run(GOOD, few)
    assert len(run.entries()) == 4


def test_what_failed_is_done_anew_only_when_asked(run: Run, few: list[str]) -> None:
    code = f"exec({GOOD!r} if number != 1 else 'sys.exit(1)')"
    assert [line.status for line in run(code, few)] == ["scored", "failed", "scored", "scored"]
    assert [line.status for line in run(code, few)] == ["scored", "failed", "scored", "scored"]
    assert len(run.entries()) == 4
    assert [line.status for line in run(code, few, retry=True)] == ["scored"] * 4
    assert (len(run.entries()), run.lines()) == (5, few)


class Silent:
    """A judge that answers for some candidates only."""

    name = "silent"
    threshold = None

    def __init__(self, num_answers: int) -> None:
        self.num_answers = num_answers

    def judge(
        self, candidates: Sequence[Candidate], pools: SnapshotPools, similarities: Similarities
    ) -> Judgement:
        """Judge the first candidates."""
        return Judgement(
            tuple(
                Finding(Classification.NOVEL_UNVALIDATED)
                if place < self.num_answers
                else Finding(Classification.UNJUDGED, confidence=0.0, reason="It does not say.")
                for place in range(len(candidates))
            )
        )


def judged_by(benchmark: Benchmark, judge: Silent) -> Callable[[str, Sequence[Candidate]], ScoringResult]:
    return lambda name, candidates: score(benchmark, name, candidates, judge=judge)


TWO = GOOD + f"; (folder / 'other.md').write_text({candidate_text('Another')!r})"


def test_a_judge_that_fails_costs_no_proposal(run: Run, few: list[str], benchmark: Benchmark) -> None:
    """First it says nothing, then something, then all; the proposer ran once."""
    judge = Silent(0)
    run.scored = judged_by(benchmark, judge)
    (line,) = run(TWO, few[:1])
    assert (line.status, line.result) == ("failed", None)
    assert line.reason == "None of 2 candidates could be judged: It does not say."
    judge.num_answers = 1
    (line,) = run(TWO, few[:1], retry=True)
    assert line.result is not None
    assert (line.status, line.result.num_unjudged, line.is_complete) == ("scored", 1, False)
    judge.num_answers = 2
    (line,) = run(TWO, few[:1], retry=True)
    assert line.is_complete
    assert (len(run.entries()), len(run.lines())) == (1, 1)


def test_without_money_the_run_stops_and_goes_on_later(run: Run, few: list[str]) -> None:
    """Of four snapshots the third cannot be paid for: it is neither scored nor failed, and is not proposed again."""
    enough, calls = run.scored, list[str]()

    def poor(name: str, candidates: Sequence[Candidate]) -> ScoringResult:
        calls.append(name)
        if len(calls) > 2:
            raise SpendingError("There is no money left.")
        return enough(name, candidates)

    run.scored = poor
    with pytest.raises(SpendingError):
        run(GOOD, few)
    assert run.lines() == few[:2]
    proposed = len(run.entries())
    assert proposed in (3, 4), "the fourth may have been begun"
    run.scored = enough
    assert all(line.is_complete for line in run(GOOD, few))
    assert len(run.entries()) == 4
