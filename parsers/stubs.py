"""A launch stub to the training runs that it launches: which run, which file, with which arguments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from parsers.kinds import FileKind
from parsers.lines import Place, decode
from parsers.quarantine import Reason
from parsers.records import Parsed
from parsers.shell import Command, commands
from parsers.shell_expand import UNKNOWN, is_known, without_marks
from parsers.shell_reader import ScriptTooComplexError

MAX_STUB_BYTES = 200_000


class Launcher(StrEnum):
    """What starts the training."""

    TORCHRUN = "torchrun"
    PYTHON = "python"
    SHELL = "shell"


class RunIdOrigin(StrEnum):
    """How a launch names its run."""

    FILE_NAME = "file_name"
    OPTION = "option"
    VARIABLE = "variable"
    OUTPUT = "output"
    JOB_NAME = "job_name"


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """A command that trains. Lines that are commented out give none.

    Attributes:
        path: POSIX path of the stub, relative to the archive's root.
        line: 1-based line of the command.
        run_id: The run that it launches, if the stub says so.
        run_id_origin: How it says so.
        launcher: What starts the training.
        script_path: The file that the launcher is given, as far as it was resolved.
        variant_path: The variant that is trained: the value of `--variant`, what was copied to the script's
            place, or else the script. None where a shared script is called without a Python file.
        is_resolved: Whether the file name of the variant is known. Its folder may still hold a variable.
        arguments: What follows the script.
        partition: Slurm partition.
        time_limit: Slurm time limit, as written.
    """

    path: str
    line: int
    run_id: str | None
    run_id_origin: RunIdOrigin | None
    launcher: Launcher
    script_path: str
    variant_path: str | None
    is_resolved: bool
    arguments: tuple[str, ...]
    partition: str | None = None
    time_limit: str | None = None


_RUN_VARIABLES = ("RUN_ID", "RUN_NAME", "RUN_TAG", "RUN", "run_id", "run_name", "TAG", "NAME")
_RUN_OPTIONS = ("--run-id", "--run_id", "--run-name", "--run_name", "--tag", "--job-name", "-J")
_VARIANT_OPTIONS = ("--variant", "--variant-path", "--variant_path")
_SBATCH = re.compile(r"^[ \t]*#SBATCH[ \t]([^\n]{1,2000})", re.MULTILINE)
_DIRECTIVE = re.compile(
    r"(?<!\S)(?:--(?P<long>partition|time|job-name)[= \t]|-(?P<short>[ptJ])[ \t]?)[ \t]*"
    r"(?P<value>[^\s#]{1,200})"
)
_DIRECTIVE_OF = {"p": "partition", "t": "time", "J": "job-name"}
_WRAPPERS = frozenset(
    {
        *(
            "env",
            "srun",
            "exec",
            "nohup",
            "time",
            "timeout",
            "uv",
            "conda",
            "run",
            "singularity",
            "apptainer",
        ),
        *("numactl", "nice", "stdbuf", "command", "mpirun", "sudo", "ssh", "setsid", "xvfb-run", "poetry"),
    }
)
_PYTHON = re.compile(r"(?:pypy|python)[\d.]*")
_SHELLS = frozenset({"bash", "sh", "zsh", "sbatch", "source", "."})
_FLAGS_WITHOUT_VALUE = frozenset({"--standalone", "--no-python", "--no_python", "--run-path", "--run_path"})
_MODULES_THAT_LAUNCH = frozenset({"torch.distributed.run", "torch.distributed.launch"})
_LOG_SUFFIXES = (".console.log", ".sbatch.log", ".sbatch.out", ".log", ".out", ".txt")


def parse_stub(data: bytes, path: str) -> Parsed[LaunchCommand]:
    r"""Find the launches of a stub without running anything.

    >>> stub = b'V="variants/x.py"\n# torchrun old.py\ntorchrun --nproc_per_node 8 \\\n  "$V" --seed 1\n'
    >>> found = parse_stub(stub, "sbatch-stubs/x-s1.sh").records[0]
    >>> found.run_id, found.variant_path, found.line, found.arguments
    ('x-s1', 'variants/x.py', 3, ('--seed', '1'))
    """
    place = Place(FileKind.STUB, path, data)
    if rejected := place.unusable():
        return Parsed((), (rejected,))
    if len(data) > MAX_STUB_BYTES:
        detail = f"The stub has {len(data)} bytes, more than the {MAX_STUB_BYTES} that a stub may have."
        return Parsed((), (place.reject(Reason.FILE_TOO_LARGE, detail),))
    text = decode(data).replace("\r\n", "\n").replace(UNKNOWN, "\ufffd").replace("\ue001", "\ufffd")
    reader = _StubReader(path, text)
    launches: dict[LaunchCommand, None] = {}
    try:
        for command in commands(text, _RUN_VARIABLES):
            launches.update(dict.fromkeys(reader.launches(command)))
    except ScriptTooComplexError as error:
        return Parsed(tuple(launches), (place.reject(Reason.TOO_COMPLEX, str(error)),))
    if not launches:
        rejected = place.reject(Reason.NO_COMMAND, "The script launches no Python file.")
        return Parsed((), (rejected,))
    return Parsed(tuple(launches))


@dataclass(frozen=True, slots=True)
class _Target:
    launcher: Launcher
    script: str
    arguments: tuple[str, ...]


class _StubReader:
    """Turns commands into launches, in the order of the script, as copies change what a later one trains."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._copies: dict[str, str] = {}
        self._directives: dict[str, str] = {}
        for options in _SBATCH.findall(text):
            for match in _DIRECTIVE.finditer(options):
                name = match["long"] or _DIRECTIVE_OF[match["short"]]
                self._directives.setdefault(name, match["value"].strip("\"'"))
        pure = PurePosixPath(path)
        self._file_run = pure.stem if pure.parent.name == "sbatch-stubs" else None

    def launches(self, command: Command) -> Iterator[LaunchCommand]:
        words = command.words
        if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in {"cp", "ln", "mv", "install", "rsync"}:
            self._note_copy([word for word in words[1:] if not word.startswith("-")])
        target = _target(words)
        if target is None:
            return
        variant = self._variant(target)
        if variant is None and not (target.launcher is Launcher.SHELL and target.arguments):
            return
        run_id, origin = self._run(command)
        yield LaunchCommand(
            path=self._path,
            line=command.line,
            run_id=run_id,
            run_id_origin=origin,
            launcher=target.launcher,
            script_path=without_marks(target.script),
            variant_path=None if variant is None else without_marks(variant),
            is_resolved=variant is not None and is_known(_name(variant)),
            arguments=tuple(map(without_marks, target.arguments)),
            partition=self._directives.get("partition"),
            time_limit=self._directives.get("time"),
        )

    def _note_copy(self, operands: Sequence[str]) -> None:
        if len(operands) != 2:
            return
        source, target = operands
        if _name(source).endswith(".py") or not is_known(source):
            is_file = _name(target).endswith(".py")
            self._copies[target if is_file else f"{target.rstrip('/')}/{_name(source)}"] = source

    def _variant(self, target: _Target) -> str | None:
        """The file that is trained, by the strongest sign in the command."""
        variant = _option(target.arguments, _VARIANT_OPTIONS)
        if variant is None and target.launcher is Launcher.SHELL:
            variant = next((word for word in target.arguments if word.endswith(".py")), None)
        elif variant is None and "variants/" not in target.script:
            named = (word for word in target.arguments if "variants/" in word and word.endswith(".py"))
            is_indexer = _name(target.script).startswith(("parse_", "index_"))
            variant = next(named, None if is_indexer else target.script)
        elif variant is None:
            variant = target.script
        return None if variant is None else self._copied_from(variant)

    def _copied_from(self, path: str) -> str:
        if path in self._copies:
            return self._copies[path]
        same_name = [source for target, source in self._copies.items() if _name(target) == _name(path)]
        return same_name[-1] if same_name else path

    def _run(self, command: Command) -> tuple[str | None, RunIdOrigin | None]:
        if self._file_run:
            return self._file_run, RunIdOrigin.FILE_NAME
        variables = dict(command.variables)
        option = _option(command.words, _RUN_OPTIONS)
        variable = next((variables[name] for name in _RUN_VARIABLES if name in variables), None)
        output = next((_log_stem(name) for name in command.outputs if _log_stem(name)), None)
        candidates = (
            (option, RunIdOrigin.OPTION),
            (variable, RunIdOrigin.VARIABLE),
            (output, RunIdOrigin.OUTPUT),
            (self._directives.get("job-name"), RunIdOrigin.JOB_NAME),
        )
        for run_id, origin in candidates:
            if run_id and is_known(run_id):
                return run_id, origin
        return None, None


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _log_stem(path: str) -> str | None:
    name = _name(path)
    suffix = next((suffix for suffix in _LOG_SUFFIXES if name.endswith(suffix)), None)
    return name.removesuffix(suffix) if suffix else None


def _option(arguments: Sequence[str], names: Sequence[str]) -> str | None:
    for index, argument in enumerate(arguments):
        name, has_value, value = argument.partition("=")
        if name in names:
            return value if has_value else next(iter(arguments[index + 1 : index + 2]), None)
    return None


def _target(words: Sequence[str]) -> _Target | None:
    """Find the launcher of a command behind wrappers such as `srun`, and the script that it is given."""
    may_launch = True
    for index, word in enumerate(words):
        program, rest = _name(word), words[index + 1 :]
        if program == "torchrun":
            return _torchrun_target(rest)
        if _PYTHON.fullmatch(program):
            return _python_target(rest)
        if program in _SHELLS:
            return _shell_target(rest)
        is_wrapper_part = program in _WRAPPERS or index > 0
        may_launch = may_launch and is_wrapper_part
        if not may_launch:
            is_script = index == 0 and program.endswith(".sh")
            return _Target(Launcher.SHELL, word, tuple(rest)) if is_script else None
    return None


def _torchrun_target(words: Sequence[str]) -> _Target | None:
    index = 0
    while index < len(words):
        word = words[index]
        following = words[index + 1] if index + 1 < len(words) else ""
        if word in {"-m", "--module"}:
            return _Target(Launcher.TORCHRUN, following, tuple(words[index + 2 :])) if following else None
        if not word.startswith("-"):
            return _Target(Launcher.TORCHRUN, word, tuple(words[index + 1 :]))
        takes_value = "=" not in word and word not in _FLAGS_WITHOUT_VALUE and not following.endswith(".py")
        index += 2 if takes_value else 1
    return None


def _python_target(words: Sequence[str]) -> _Target | None:
    index = 0
    while index < len(words):
        word = words[index]
        if word == "-m":
            module = words[index + 1] if index + 1 < len(words) else ""
            return _torchrun_target(words[index + 2 :]) if module in _MODULES_THAT_LAUNCH else None
        if word == "-" or word.startswith("-c"):
            return None
        if not word.startswith("-"):
            is_file = word.endswith(".py") or not is_known(_name(word))
            return _Target(Launcher.PYTHON, word, tuple(words[index + 1 :])) if is_file else None
        index += 2 if word in {"-W", "-X"} else 1
    return None


def _shell_target(words: Sequence[str]) -> _Target | None:
    for index, word in enumerate(words):
        if word.startswith("-"):
            if re.fullmatch(r"-[a-z]{0,3}c|--wrap(?:=.*)?", word, re.DOTALL):
                return None
        elif word.endswith((".sh", ".sbatch", ".slurm")):
            return _Target(Launcher.SHELL, word, tuple(words[index + 1 :]))
    return None
