"""`driftsieve generate`: a synthetic stream, written to a file."""

from pathlib import Path
from typing import Any

import click

from driftsieve.cli import options
from driftsieve.cli.output import print_json
from driftsieve.cli.selectors import suggestion
from driftsieve.cli.working import progress, remark, take_interrupts_back


@click.command("generate", short_help="Write a synthetic stream with known relevant features.")
@click.argument("generator", required=False)
@click.argument("path", type=options.FILE, required=False)
@click.option(
    "--rows",
    type=click.IntRange(1),
    metavar="N",
    help="By default 100,000, or 500,000 where a paper has as many.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the generator, such as its drift; may be repeated.",
)
@click.option("--scenario", metavar="NAME", help="Let the rows arrive in another order.")
@click.option("--target", default="y", show_default=True, metavar="COLUMN")
@click.option("--list", "list_them", is_flag=True, help="List generators, options and scenarios.")
@options.output_options
def command(
    generator: str | None,
    path: Path | None,
    rows: int | None,
    seed: int,
    settings: tuple[str, ...],
    scenario: str | None,
    target: str,
    list_them: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the stream of GENERATOR to PATH, whose ending chooses the format.

    \b
    Examples:
      driftsieve generate --list
      driftsieve generate linear --rows 500000 linear.parquet
      driftsieve generate agrawal --set functions=2,7 --set drift_every=50000 agrawal.parquet
      driftsieve generate linear --set n_features=50 --set k=5 --set shift_every=10000 drift.csv

    A Parquet file also holds which features are truly relevant, and when, and which columns hold
    codes of categories. The streams of a paper drift where they do there.
    """
    if list_them:
        print_json(listing()) if as_json else show(listing())
        return
    if generator is None or path is None:
        raise click.UsageError("name a generator and a file to write, or ask for --list")
    options.require_writable(path, "PATH")
    from driftsieve.streams.registry import generator as make
    from driftsieve.streams.write import has_names, write_stream

    take_interrupts_back()
    wishes = options.settings_of(settings, lists=True)
    if rows is not None:
        wishes["n_rows"] = rows
    stream: Any = make(generator, seed=seed, **wishes)
    nominal = getattr(stream, "categorical", ())
    if scenario is not None:
        stream = arranged(scenario, stream)
    with progress("writing", stream, as_json or quiet) as bar:
        written = write_stream(bar.watching(stream), path, target=target, categorical=nominal)
    named = has_names(path)
    if as_json:
        print_json({"path": str(path), "rows": written, "target": target if named else None})
    else:
        where = f"the target is column {target!r}" if named else "each line begins with its label"
        remark(f"{path} holds {written:,} rows; {where}.", quiet)


def arranged(scenario: str, stream: Any) -> Any:
    """Let the rows of a stream arrive in the order of a scenario."""
    from driftsieve.streams.scenarios import SCENARIOS

    if scenario not in SCENARIOS:
        raise ValueError(
            f"there is no scenario {scenario!r}: {suggestion(scenario, list(SCENARIOS))}"
        )
    return SCENARIOS[scenario](stream)


def listing() -> dict[str, Any]:
    """Return the generators with their options and defaults, and the scenarios."""
    from inspect import Parameter, signature

    from driftsieve.streams.registry import GENERATORS
    from driftsieve.streams.scenarios import SCENARIOS

    def defaults(name: str) -> dict[str, Any]:
        parameters = signature(GENERATORS[name]).parameters.values()
        return {
            parameter.name: None if parameter.default is Parameter.empty else parameter.default
            for parameter in parameters
            if parameter.name not in ("n_rows", "seed", "batch")
        }

    return {
        "generators": {name: defaults(name) for name in sorted(GENERATORS)},
        "scenarios": sorted(SCENARIOS),
    }


def show(found: dict[str, Any]) -> None:
    """Print the listing for people."""
    for name, defaults in found["generators"].items():
        click.echo(name)
        for option, default in defaults.items():
            click.echo(f"  --set {option}={as_typed(default)}")
    click.echo(f"scenarios: {', '.join(found['scenarios'])}")


def as_typed(value: Any) -> str:
    """Write a value as it is typed behind `--set`, as far as it can be."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple) and not any(isinstance(one, tuple) for one in value):
        return ",".join(map(str, value))
    return str(value)
