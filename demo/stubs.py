"""Launch stubs: one shell script a run, and scripts that several runs share."""

from collections.abc import Callable

from demo.model import Run, ScopePlan
from demo.paths import worktree_path
from demo.rng import rng

File = tuple[str, str]

_SBATCH = (
    "#!/bin/bash\n#SBATCH --partition=preempt\n#SBATCH --gres=gpu:8\n#SBATCH --time=00:30:00\n"
    "#SBATCH --job-name={name}\n#SBATCH --output=runs/{name}.log\n\nset -euo pipefail\n"
)
_SHARED_SIZE = 6


def write_stubs(plan: ScopePlan) -> list[File]:
    """Write the stubs of a scope.

    Args:
        plan: What the scope holds.

    Returns:
        Paths relative to the scratchpad, with texts.
    """
    files = [_own(plan, run) for run in plan.runs if run.evidence.stub == "own"]
    shared = [run for run in plan.runs if run.evidence.stub == "shared"]
    for start in range(0, len(shared), _SHARED_SIZE):
        batch = shared[start : start + _SHARED_SIZE]
        number = start // _SHARED_SIZE + 1
        name = "run_variant_once.sh" if number == 1 else f"run_batch_{number:02d}.sh"
        files.append((name, _shared(plan, batch)))
    return files


def _own(plan: ScopePlan, run: Run) -> File:
    source = rng(plan.scope, run.run_id, "stub")
    variant = _other_variant(plan, run) if run.evidence.is_stub_stale else run.variant
    path = worktree_path(run, f"scratchpad/variants/{variant}.py")
    forms = _CODEX if plan.scope.agent == "codex" else _CLAUDE
    body = source.choice(forms)(path, _other_variant(plan, run))
    return f"sbatch-stubs/{run.run_id}.sh", _SBATCH.format(name=run.run_id) + body


def _other_variant(plan: ScopePlan, run: Run) -> str:
    others = [variant.stem for variant in plan.variants if variant.stem != run.variant]
    return rng(plan.scope, run.run_id, "other").choice(others)


def _quoted(path: str, other: str) -> str:
    return f'cd /beegfs/mlresearch\nexport OMP_NUM_THREADS=1\npython parse_and_index.py --variant "{path}"\n'


def _continued(path: str, other: str) -> str:
    options = " \\\n  ".join(("--train-log-every 1", f"--variant '{path}'", "--index runs.jsonl"))
    return f"python parse_and_index.py \\\n  {options}\n"


def _with_variables(path: str, other: str) -> str:
    folder, name = path.rsplit("/", 1)
    assigned = f'VARIANTS={folder}\nNAME="{name}"\nVARIANT="${{VARIANTS}}/$NAME"\n'
    return f'{assigned}python parse_and_index.py --variant "$VARIANT"\n'


def _torchrun(path: str, other: str) -> str:
    return f"torchrun --standalone --nproc_per_node=8 {path}\n"


def _torchrun_continued(path: str, other: str) -> str:
    return f"exec torchrun --standalone \\\n    --nproc_per_node=8 \\\n    {path} \\\n    2>&1\n"


def _commented(path: str, other: str) -> str:
    old = path.rsplit("/", 1)[0] + f"/{other}.py"
    return (
        f"# torchrun --standalone --nproc_per_node=8 {old}\ntorchrun --standalone --nproc_per_node=8 {path}\n"
    )


def _torchrun_variables(path: str, other: str) -> str:
    folder, name = path.rsplit("/", 1)
    assigned = f'SCRATCH="{folder.removesuffix("/variants")}"\n'
    return f'{assigned}torchrun --standalone --nproc_per_node=8 "$SCRATCH/variants/{name}"\n'


_CODEX: tuple[Callable[[str, str], str], ...] = (_quoted, _quoted, _continued, _with_variables)
_CLAUDE: tuple[Callable[[str, str], str], ...] = (
    _torchrun, _torchrun, _torchrun_continued, _commented, _torchrun_variables,
)  # fmt: skip


def _shared(plan: ScopePlan, batch: list[Run]) -> str:
    scratch = worktree_path(batch[0], "scratchpad")
    calls = "".join(f'run_variant "{run.run_id}" "{run.variant}.py"\n' for run in batch)
    other = _other_variant(plan, batch[0])
    return (
        f'#!/bin/bash\nset -u\nSCRATCH="{scratch}"\n\n'
        'run_variant() {\n  local run_id="$1"\n  local variant="$2"\n'
        '  python parse_and_index.py --run-id "$run_id" --variant "${SCRATCH}/variants/${variant}" \\\n'
        '    > "${SCRATCH}/runs/${run_id}.log" 2>&1\n}\n\n'
        f'{calls}# run_variant "{batch[0].run_id}" "{other}.py"\n'
    )
