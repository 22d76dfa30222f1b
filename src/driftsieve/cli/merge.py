"""`driftsieve merge`: several states become one."""

from pathlib import Path

import click

from driftsieve.cli import options
from driftsieve.cli.output import print_json
from driftsieve.cli.selectors import described
from driftsieve.cli.working import remark


@click.command("merge", short_help="Join the states of several files.")
@click.argument("states", nargs=-1, required=True, type=options.FILE)
@click.option("--output", "-o", type=options.FILE, required=True, metavar="FILE")
@options.output_options
def command(states: tuple[Path, ...], output: Path, as_json: bool, quiet: bool) -> None:
    """Join STATES, as if the rows of each had come after those of the one before.

    \b
    Example:
      driftsieve merge day1.sieve day2.sieve -o both.sieve
    """
    import driftsieve

    options.require_writable(output, "--output")
    merged = driftsieve.load(states[0])
    for path in states[1:]:
        other = driftsieve.load(path)
        try:
            merged.merge(other)
        except ValueError as error:
            raise ValueError(f"{path} cannot be merged into {states[0]}: {error}") from error
    merged.save(output)
    rows = merged.n_samples_seen_
    if as_json:
        print_json({"path": str(output), "rows": rows, "selector": described(merged)})
    else:
        remark(f"{output} holds what was learnt from {rows:,} rows.", quiet)
