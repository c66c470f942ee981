"""Launch stubs: every way in which a script may say which file it trains, and comments that do not."""

import pytest

from parsers.quarantine import Reason
from parsers.stubs import LaunchCommand, Launcher, RunIdOrigin, parse_stub

OWN = "v2/codex/scratchpad/sbatch-stubs/v12-ts3000.sh"
SHARED = "v2/codex/scratchpad/run_batch.sh"


def launches(script: str, path: str = SHARED) -> tuple[LaunchCommand, ...]:
    parsed = parse_stub(script.encode(), path)
    assert not [q for q in parsed.quarantined if q.reason is not Reason.NO_COMMAND]
    return parsed.records


def variants(script: str) -> list[tuple[str | None, bool]]:
    return [(launch.variant_path, launch.is_resolved) for launch in launches(script)]


def test_a_stub_of_one_run_with_its_slurm_settings() -> None:
    script = (
        "#!/bin/bash\r\n#SBATCH --partition=preempt --gres=gpu:8 --time=00:30:00\r\nset -euo pipefail\r\n"
        "cd /beegfs/u/w\r\npython parse_and_index.py \\\r\n"
        "  --variant \".../variants/x y.py\" --log 'a.log'\r\n"
    )
    assert launches(script, OWN) == (
        LaunchCommand(
            path=OWN,
            line=5,
            run_id="v12-ts3000",
            run_id_origin=RunIdOrigin.FILE_NAME,
            launcher=Launcher.PYTHON,
            script_path="parse_and_index.py",
            variant_path=".../variants/x y.py",
            is_resolved=True,
            arguments=("--variant", ".../variants/x y.py", "--log", "a.log"),
            partition="preempt",
            time_limit="00:30:00",
        ),
    )


@pytest.mark.parametrize(
    "script",
    [
        "torchrun --standalone --nproc_per_node=8 variants/x.py",
        "torchrun --standalone --nproc_per_node 8 --rdzv-id 7 variants/x.py --seed 1",
        "srun --gres=gpu:8 torchrun --nnodes 1 variants/x.py 2>&1 | tee x.log",
        "CUDA_VISIBLE_DEVICES=0,1 nohup /opt/bin/torchrun variants/x.py &",
        "python -u variants/x.py",
        "python3.11 -X dev -m torch.distributed.run --standalone variants/x.py",
        "python wrap.py --variant=variants/x.py",
        "python wrap.py variants/x.py",
        "V=variants/x.py\ntorchrun $V",
        "export V='variants/x.py'; torchrun \"${V}\"",
        "torchrun ${V:-variants/x.py}",
        "N=x; torchrun variants/${N}.py",
        "N=x.txt; torchrun variants/${N%.txt}.py",
        "F=a/b/x.txt; torchrun variants/$(basename $F .txt).py",
        "for v in x; do torchrun variants/$v.py; done",
        'L=(x)\nfor v in "${L[@]}"\ndo\n  torchrun variants/$v.py\ndone',
        'go() {\n  torchrun "variants/$1.py"\n}\ngo x',
        'function go { local n="$2"; torchrun variants/$n.py; }\ngo 1 x',
        "cp variants/x.py train_gpt_simple.py\ntorchrun train_gpt_simple.py",
        'cp variants/x.py "$WORK/train_gpt_simple.py" && cd $WORK && torchrun train_gpt_simple.py',
        "cp -f variants/x.py /tmp/w/ && torchrun /tmp/w/x.py",
        "bash -lc 'cd /w && torchrun variants/x.py'",
        'sbatch --wrap="torchrun variants/x.py"',
        "sbatch <<EOF\n#!/bin/bash\ntorchrun variants/x.py\nEOF\n",
        "bash run_variant_once.sh variants/x.py",
        "case ab in a*) ;; esac\nif true; then torchrun variants/x.py; fi",
        "case b in a) V=y ;; b) V=x ;; esac; torchrun variants/$V.py",
    ],
)
def test_the_variant_is_found(script: str) -> None:
    assert variants(script) == [("variants/x.py", True)]


@pytest.mark.parametrize(
    "script",
    [
        "# torchrun variants/x.py",
        "true # ; torchrun variants/x.py",
        "echo torchrun variants/x.py",
        "echo 'torchrun variants/x.py'",
        "cat <<EOF\ntorchrun variants/x.py\nEOF",
        "python -c 'import x.py'",
        "python -m pytest x.py",
        "python parse_and_index.py --log a.log",
        "torchrun --standalone",
        "never() { torchrun variants/x.py; }",
    ],
)
def test_what_launches_nothing_gives_nothing(script: str) -> None:
    parsed = parse_stub(script.encode(), SHARED)
    assert parsed.records == ()
    assert [q.reason for q in parsed.quarantined] == [Reason.NO_COMMAND]


def test_what_the_script_does_not_tell_stays_as_written() -> None:
    assert variants('VARIANT="$1"\ntorchrun "$VARIANT"') == [("$1", False)]
    assert variants("torchrun variants/$(pick_one).py") == [("variants/$(pick_one).py", False)]
    assert variants("torchrun '$V'") == [("$V", True)]


def test_an_unknown_folder_does_not_hide_the_file() -> None:
    script = 'ROOT="$(cd "$(dirname "$0")/.." && pwd)"\ntorchrun "$ROOT/variants/x.py"'
    assert variants(script) == [('$(cd "$(dirname "$0")/.." && pwd)/variants/x.py', True)]


def test_branches_that_disagree_leave_a_variable_unknown() -> None:
    assert variants("if [ $A ]; then V=a.py; else V=b.py; fi\ntorchrun $V") == [("$V", False)]
    assert variants('V=a.py\n[ -n "$A" ] && V=b.py\ntorchrun $V') == [("$V", False)]
    assert variants('case "$1" in a) V=a.py;; *) V=b.py;; esac; torchrun $V') == [("$V", False)]


def test_a_later_assignment_holds_from_there_on() -> None:
    assert variants("V=a.py; torchrun $V; V=b.py; torchrun $V") == [("a.py", True), ("b.py", True)]


def test_loops_name_a_run_for_each_turn() -> None:
    script = (
        'run() {\n  torchrun "variants/$2.py" > "runs/$1.log" 2>&1\n}\n'
        'for s in {0..1}; do run "a-s$s" a; done\nRUN_ID=b-s0 torchrun variants/b.py\n'
        "sbatch --job-name=c-s0 run_once.sh variants/c.py\n"
    )
    assert [(x.run_id, x.run_id_origin, x.variant_path, x.line) for x in launches(script)] == [
        ("a-s0", RunIdOrigin.OUTPUT, "variants/a.py", 2),
        ("a-s1", RunIdOrigin.OUTPUT, "variants/a.py", 2),
        ("b-s0", RunIdOrigin.VARIABLE, "variants/b.py", 5),
        ("c-s0", RunIdOrigin.OPTION, "variants/c.py", 6),
    ]


def test_a_copy_made_in_a_loop_counts_for_its_turn() -> None:
    script = "for n in a b; do cp variants/$n.py train_gpt_simple.py; torchrun train_gpt_simple.py; done"
    assert variants(script) == [("variants/a.py", True), ("variants/b.py", True)]


def test_a_shared_script_called_without_a_file_keeps_its_arguments() -> None:
    found = launches("bash run_variant_once.sh ngi001_t3450 0")[0]
    assert (found.variant_path, found.is_resolved) == (None, False)
    assert found.arguments == ("ngi001_t3450", "0")


@pytest.mark.parametrize(
    "script",
    ["for a in {1..99}; do " * 4 + "torchrun x.py" + "; done" * 4, "(" * 100_000, "if true; then " * 1_000],
)
def test_a_script_that_explodes_is_set_aside(script: str) -> None:
    assert [q.reason for q in parse_stub(script.encode(), SHARED).quarantined] == [Reason.TOO_COMPLEX]


def test_recursion_doubling_and_unclosed_quotes_come_to_an_end() -> None:
    assert variants("f() { f; f; torchrun x.py; }; f") == [("x.py", True)]
    assert variants("A=aaaa\n" + 'A="$A$A"\n' * 60 + "torchrun $A.py")[0][1] is False
    assert variants('torchrun a.py\necho "never closed\ntorchrun b.py') == [("a.py", True)]


def test_an_empty_and_a_huge_stub_are_set_aside() -> None:
    assert parse_stub(b"", SHARED).quarantined[0].reason is Reason.EMPTY_FILE
    assert parse_stub(b"#" * 200_001, SHARED).quarantined[0].reason is Reason.FILE_TOO_LARGE
