"""The command `driftsieve`: its subcommands, and the one place where errors become sentences."""

import io
import os
import signal
import sys
from typing import Any, NoReturn

import click

from driftsieve import __version__
from driftsieve.cli import compare, demo, evaluate, generate, merge, rank
from driftsieve.cli.working import terminated_like_interrupted
from driftsieve.report.markup import printable

EXPECTED = (ValueError, OSError, ImportError, MemoryError)
"""What goes wrong by way of data, files, options and missing extras. The rest is a bug of ours,
whose traceback we want to see. State files raise ValueErrors, and polars' own errors are added
when polars is there."""

WORDS = {
    "listing in features=[...] those": "naming in --columns those",
    "list in features=[...]": "name in --columns",
    'features="open"': "--open-features",
    "give separator=": "give --format csv:separator=",
    "give header=False": "give --format csv:header=false",
    "with n_features=": "with --format svmlight:n_features=N",
    "with format= (": "with --format (",
}
"""What the library calls one thing and the command another."""

EXAMPLES = """\b
Examples:
  driftsieve demo
  driftsieve rank clicks.parquet --target clicked -k 50
  driftsieve rank clicks.parquet --target clicked --half-life 10000 --save clicks.sieve
  driftsieve evaluate clicks.parquet --target clicked --selector t --learner sgd
  driftsieve compare clicks.parquet --target clicked --selectors t,fisher,t:window=5000
  driftsieve generate linear --rows 500000 linear.parquet
  driftsieve merge day1.sieve day2.sieve -o both.sieve
"""


class Sentences(click.Group):
    """A group of commands in which whatever goes wrong is said in one sentence, with exit code 2.

    Set DRIFTSIEVE_TRACEBACK=1 to see where it came from.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("standalone_mode", True):
            return super().main(*args, **kwargs)
        accept_every_letter()
        try:
            with terminated_like_interrupted():
                code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            sys.exit(0)
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else "driftsieve"
            message = error.format_message().rstrip(".?")
            fail(f"{message}: see '{path} --help'.")
        except click.ClickException as error:
            fail(error.format_message())
        except (click.Abort, KeyboardInterrupt):
            fail("interrupted", 128 + signal.SIGINT)
        except BrokenPipeError:  # `driftsieve rank ... | head` has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except Exception as error:
            if not is_expected(error) or os.environ.get("DRIFTSIEVE_TRACEBACK"):
                raise
            fail(sentence(error))
        sys.exit(code if isinstance(code, int) else 0)


def accept_every_letter() -> None:
    """Let letters that the terminal lacks become question marks instead of errors."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def is_expected(error: Exception) -> bool:
    """Tell what users can mend from what we have to."""
    polars = sys.modules.get("polars")
    theirs = (polars.exceptions.PolarsError,) if polars else ()
    return isinstance(error, (*EXPECTED, *theirs))


def sentence(error: Exception) -> str:
    """Say an error in one line, in the words of the command line."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror:
        return f"the output could not be written: {error.strerror}"
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, MemoryError):
        text = f"the memory does not suffice, so choose fewer features or rows: {text}"
    for said_in_python, said_here in WORDS.items():
        text = text.replace(said_in_python, said_here)
    return text


def fail(message: str, code: int = 2) -> NoReturn:
    """Say what is wrong on stderr and leave."""
    click.echo(click.style("Error: ", fg="red", bold=True) + printable(message), err=True)
    sys.exit(code)


@click.group(
    cls=Sentences, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="driftsieve", message="%(prog)s %(version)s")
def main() -> None:
    """Which features of this stream matter now, and how has that changed?

    Reads Parquet, CSV, Arrow IPC, JSON lines and svmlight files of any size in one pass and
    bounded memory.
    """


for module in (demo, rank, evaluate, compare, generate, merge):
    main.add_command(module.command)
