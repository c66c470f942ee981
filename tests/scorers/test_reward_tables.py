"""Tables of rewards: the same from every kind of file, and refused where they are not clear."""

import json
from pathlib import Path

import polars as pl
import pytest

from scorers.preference import Answer, PreferenceError
from scorers.reward_tables import read_rewards

LONG = """prompt,writer,reward,subset,answer,refused
p1,a,1.5,pro,text,
p1,b,-2,pro,"two
lines",false

p2,a,,amateur,text,no
p2,b,NaN,amateur,text,
p2,c,3,amateur, ,
p2,d,3,amateur,I cannot,true
"""
READ = [
    Answer("p1", "a", 1.5, "pro"),
    Answer("p1", "b", -2.0, "pro"),
    Answer("p2", "a", None, "amateur"),
    Answer("p2", "b", None, "amateur"),
    Answer("p2", "c", None, "amateur"),
    Answer("p2", "d", None, "amateur"),
]


def written(folder: Path, text: str, name: str = "rewards.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def refusal(path: Path, names: dict[str, str] | None = None) -> str:
    with pytest.raises(PreferenceError) as caught:
        read_rewards(path, names)
    return str(caught.value).replace(str(path.parent) + "/", "")


def test_a_long_table(tmp_path: Path) -> None:
    assert read_rewards(written(tmp_path, LONG)) == READ


def test_line_ends_and_a_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    text = "\ufeff" + LONG.replace("\n", "\r\n")
    assert read_rewards(written(tmp_path, text)) == READ


def test_line_separators_inside_an_answer_end_no_line(tmp_path: Path) -> None:
    path = written(tmp_path, "prompt,writer,reward,answer\np,a,1,one\u2028two\x0bthree\np,b,x,y\n")
    assert refusal(path).startswith("rewards.csv:3 ")


def test_an_answer_may_be_long(tmp_path: Path) -> None:
    path = written(tmp_path, f"prompt,writer,reward,answer\np,a,1,{'word ' * 60_000}\n")
    assert read_rewards(path) == [Answer("p", "a", 1.0)]


def test_json_lines_and_parquet_say_the_same(tmp_path: Path) -> None:
    rows = [
        {"prompt": "p1", "writer": "a", "reward": 1.5, "answer": "x", "refused": False},
        {"prompt": "p1", "writer": "b", "reward": None, "answer": "x", "refused": False},
        {"prompt": "p2", "writer": "a", "reward": 2.0, "answer": "", "refused": False},
        {"prompt": "p2", "writer": "b", "reward": 2.0, "answer": "x", "refused": True},
    ]
    wanted = [
        Answer("p1", "a", 1.5),
        Answer("p1", "b", None),
        Answer("p2", "a", None),
        Answer("p2", "b", None),
    ]
    lines = written(tmp_path, "\n\n".join(map(json.dumps, rows)), "rewards.jsonl")
    pl.DataFrame(rows).write_parquet(tmp_path / "rewards.parquet")
    assert read_rewards(lines) == read_rewards(tmp_path / "rewards.parquet") == wanted


def test_a_wide_table_has_a_column_for_each_writer(tmp_path: Path) -> None:
    path = written(tmp_path, "prompt,subset,model,human\np1,pro,1,2\np2,,,0.5\n")
    assert read_rewards(path) == [
        Answer("p1", "model", 1.0, "pro"),
        Answer("p1", "human", 2.0, "pro"),
        Answer("p2", "model", None),
        Answer("p2", "human", 0.5),
    ]


def test_other_names_can_be_told(tmp_path: Path) -> None:
    path = written(tmp_path, "task,model,score\np,a,1\n")
    names = {"prompt": "task", "writer": "model", "reward": "score"}
    assert read_rewards(path, names) == [Answer("p", "a", 1.0)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prompt,writer,reward,note\np,a,1,x\n", "rewards.csv:1 has the unknown column 'note'"),
        (",prompt,writer,reward\n0,p,a,1\n", "rewards.csv:1 has the unknown column ''"),
        ("prompt,writer,rewrd\np,a,1\n", "rewards.csv has no column 'reward': it has prompt, writer, rewrd."),
        ("prompt,prompt,writer,reward\np,p,a,1\n", "rewards.csv:1 has the column 'prompt' twice."),
        ("prompt\np\n", "rewards.csv is no table of rewards: it needs prompt, writer, reward"),
        ("a,b\n1,2\n", "rewards.csv is no table of rewards"),
        ("", "rewards.csv is no table of rewards"),
        ("prompt,writer,reward\n", "rewards.csv holds no rewards."),
        ("prompt,writer,reward\np,a,high\n", "rewards.csv:2 has 'high' as reward: write a finite number"),
        ("prompt,writer,reward\np,a,inf\n", "rewards.csv:2 has 'inf' as reward"),
        ("prompt,writer,reward\np,a,1\n\np,,1\n", "rewards.csv:4 names no writer."),
        ("prompt,writer,reward\n ,a,1\n", "rewards.csv:2 names no prompt."),
        ('prompt,writer,reward\np,"a\nb",1\np,a\n', "rewards.csv:4 has 2 fields, and the head has 3."),
        (
            "prompt,writer,reward\np,a,1\np,b,2\np,a,\n",
            "rewards.csv:4 is a second answer of 'a' to the prompt 'p'",
        ),
        ("prompt,writer,reward\np,a,1\np,a,1\n", "after rewards.csv:2: keep one."),
        (
            "prompt,writer,reward,subset\np,a,1,x\np,b,1,y\n",
            "rewards.csv:3 puts the prompt 'p' into a second",
        ),
        ("prompt,writer,reward,refused\np,a,1,perhaps\n", "rewards.csv:2 has 'perhaps' as refused"),
        ('prompt,writer,reward\np,a,"1\n', "rewards.csv:2 is no CSV"),
        ("prompt,model,human\np,1,2\np,1,2\n", "rewards.csv:3 is a second answer of 'model'"),
    ],
)
def test_what_is_not_clear_is_refused_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"prompt": "p", "writer": "a", "reward": 1}\n{"prompt"\n', "rewards.jsonl:2 is no JSON object."),
        ("[1]\n", "rewards.jsonl:1 is no JSON object."),
        ("[" * 100_000, "rewards.jsonl:1 is no JSON object."),
        (
            '{"prompt": "p", "writer": "a", "reward": 1}\n\n{"prompt": "q", "writer": "a", "rewrad": 1}\n',
            "rewards.jsonl:3 has the unknown column 'rewrad'",
        ),
        ('{"prompt": "p", "writer": "a", "reward": true}\n', "rewards.jsonl:1 has 'True' as reward"),
    ],
)
def test_json_lines_are_refused_with_their_line(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(written(tmp_path, text, "rewards.jsonl"))


def test_parquet_is_refused_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "rewards.parquet"
    pl.DataFrame({"prompt": ["p", "p"], "writer": ["a", "a"], "reward": [1.0, 2.0]}).write_parquet(path)
    assert "rewards.parquet, row 2, is a second answer" in refusal(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "gone.csv") == "gone.csv cannot be read: FileNotFoundError."
    assert "name a .csv, .jsonl or .parquet file" in refusal(written(tmp_path, LONG, "rewards.txt"))
    (tmp_path / "latin.csv").write_bytes(b"prompt,writer,reward\np,\xe9,1\n")
    assert refusal(tmp_path / "latin.csv") == "latin.csv cannot be read: UnicodeDecodeError."
    assert "cannot be read" in refusal(written(tmp_path, "no", "rewards.parquet"))


def test_names_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, LONG)
    assert "has no column 'model'" in refusal(path, {"writer": "model"})
    assert "'author' is no column of rewards" in refusal(path, {"author": "writer"})
    assert "has a column 'reward' beside 'subset': which one counts?" in refusal(path, {"reward": "subset"})
