"""`driftsieve rank`: one pass over a file, and the table of what matters in it."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from driftsieve.cli import options
from driftsieve.cli.output import print_json
from driftsieve.cli.selectors import described, make_selector, name_of, needs_labels
from driftsieve.cli.working import announce_compilation, progress, remark

SAVE_EVERY = 100_000


@click.command("rank", short_help="The table of what matters in a file.")
@options.stream_options
@options.selector_option
@options.selection_options
@click.option("--top", type=click.IntRange(1), metavar="N", help="Show only the best N.")
@click.option("--save", type=options.FILE, metavar="FILE", help="Write a state to go on from.")
@click.option(
    "--save-every",
    type=click.IntRange(1),
    default=SAVE_EVERY,
    show_default=True,
    metavar="ROWS",
    help="Save while working, too.",
)
@click.option("--resume", type=options.FILE, metavar="FILE", help="Go on from a saved state.")
@options.report_option
@options.output_options
@click.pass_context
def command(
    context: click.Context,
    /,
    source: str,
    top: int | None,
    save: Path | None,
    save_every: int,
    resume: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    **wishes: Any,
) -> int:
    """Rank the features of SOURCE by what they tell about the target, in one pass.

    \b
    Examples:
      driftsieve rank clicks.parquet --target clicked -k 50
      driftsieve rank clicks.csv --target clicked --score fisher --window 5000 --json
      driftsieve rank clicks.csv -t clicked --resume clicks.sieve --save clicks.sieve

    When interrupted, the state is saved where --save says, and --resume goes on from the very
    row. If SOURCE is not the file the state stands in, it is read from its beginning.
    """
    from driftsieve.cli.passing import Evaluated, Pass, learning
    from driftsieve.cli.source import open_source

    hidden = as_json or quiet
    options.require_outputs(source, save=save, report=report)
    selector = None if resume is None else resumed(resume, context, wishes)
    stream = open_source(source, **options.part(wishes, options.STREAM))
    if selector is None:  # not before: importing it takes longer than to miss a file
        selector = make_selector(wishes["selector"], **options.selection_of(wishes, stream))
    stream.needs_labels = needs_labels(selector)
    if resume is not None:
        go_on(stream, selector, resume, hidden)
    announce_compilation(hidden)
    run = Pass(selector, save, save_every)
    history = None if report is None else Evaluated(stream, selector)
    with progress("ranking", stream, hidden) as bar, stream.located():
        run.run(history or learning(stream, selector), bar)
    if not run.known:
        raise ValueError(f"{source} has no rows")
    if run.rows == 0:
        remark(f"There is nothing new in {source} since row {selector.n_samples_seen_:,}.", hidden)
    if report is not None and history is not None:  # before printing, which `| head` may end
        from driftsieve.report.page import write_report

        title = f"{stream.file}: which features matter"
        name = name_of(selector)
        write_report(report, {name: history.run()}, title=title)
        remark(f"The report is in {report}: open it in a browser.", hidden)
    if as_json:
        print_json(as_values(run, source, wishes["target"], top))
    else:
        show(run, source, wishes["target"], top)
    if run.interrupted:
        rows = f"Interrupted after {run.rows:,} rows"
        if save is None:
            remark(f"{rows}; nothing is kept, since --save was not given.")
        else:
            remark(f"{rows}; the state is in {save}: go on with --resume {save}.")
        return 130
    return 0


def resumed(path: Path, context: click.Context, wishes: dict[str, Any]) -> Any:
    """Load a selector, and refuse what was asked for where its state has decided otherwise."""
    import driftsieve

    if not path.exists():
        raise ValueError(f"there is no state {path} to resume: begin one with --save {path}")
    selector = driftsieve.load(path)
    position = getattr(selector, "position_", None)
    target = wishes["target"]
    if isinstance(position, dict) and position.get("target") != target:
        known = position.get("target")
        raise ValueError(
            f"the state in {path} is about the target {known!r}, not {target!r}: "
            f"use --target {known}, or begin a new state"
        )

    def given(*names: str) -> bool:
        sources = map(context.get_parameter_source, names)
        return ParameterSource.COMMANDLINE in sources

    asked = make_selector(wishes["selector"], **options.part(wishes, options.SELECTION))
    decided = {"memory"} if given(*options.MEMORY) else set()
    decided |= {"features"} if given("open_features") else set()
    if given("selector"):
        if type(asked) is not type(selector):
            kinds = type(selector).__name__, type(asked).__name__
            raise ValueError(f"the state in {path} is of a {kinds[0]}, not of a {kinds[1]}")
        decided |= {*asked.get_params(deep=False)} - {"k", "n_jobs", "memory", "features"}
        decided -= set() if given("categorical") else {"categorical"}
        decided |= {"memory"} if getattr(asked, "memory", None) is not None else set()
    for name in sorted(decided):
        was, now = getattr(selector, name, None), getattr(asked, name)
        if was != now:
            raise ValueError(
                f"the state in {path} has the {name} {was!r}, not {now!r}: leave that option out, "
                "or begin a new state"
            )
    for name, option in {"k": "k", "n_jobs": "jobs"}.items():
        if given(option) and name in selector.get_params(deep=False):
            selector.set_params(**{name: wishes[option]})
    return selector


def go_on(stream: Any, selector: Any, path: Path, hidden: bool) -> None:
    """Let a stream go on where a selector stood, if they belong together."""
    known = getattr(selector, "feature_names_in_", None)
    if known is not None and stream.names is not None and selector.features == "closed":
        require_same_columns(stream, [str(name) for name in known], path)
    position = getattr(selector, "position_", None)
    stream.seek(position)
    if not stream.knows(position):
        stood = f"stood in {position['file']}" if isinstance(position, dict) else "names no file"
        remark(f"{path} {stood}: {stream.file} is read from its beginning.", hidden)


def require_same_columns(stream: Any, known: list[str], path: Path) -> None:
    """Refuse a file whose columns are not those of the state."""
    lacks = [name for name in known if name not in set(stream.names)]
    new = [name for name in stream.names if name not in set(known)]
    if lacks or new:
        name, but = (lacks[0], "lacks") if lacks else (new[0], "has a new")
        more = len(lacks or new) - 1
        raise ValueError(
            f"{stream.file} {but} column {name!r}{f' and {more} others' if more else ''}, so it "
            f"does not fit the state in {path}: choose --target and --columns as they were, "
            "or begin a state with --open-features"
        )


def ranking(run: Any, top: int | None) -> list[dict[str, Any]]:
    """Return the selected features, best first, with the ranks they had about half-way."""
    selection = run.selector.selection_
    ranks = run.earlier.ranks(selection.step)
    return [
        {"rank": i + 1, "name": name, "score": float(score), "earlier": ranks.get(name)}
        for i, (name, score) in enumerate(zip(selection.names, selection.scores))
    ][:top]


def as_values(run: Any, source: str, target: str | None, top: int | None) -> dict[str, Any]:
    """Return the answer for machines."""
    selector = run.selector
    return {
        "source": source,
        "target": target,
        "rows": selector.n_samples_seen_,
        "new_rows": run.rows,
        "features": selector.n_features_in_,
        "classes": run.classes,
        "selector": described(selector),
        "earlier_row": run.earlier.row(selector.n_samples_seen_),
        "ranking": ranking(run, top),
        "interrupted": run.interrupted,
    }


def show(run: Any, source: str, target: str | None, top: int | None) -> None:
    """Print the answer for people."""
    from driftsieve.report.terminal import print_ranking

    print_ranking(
        ranking(run, top),
        title=f"{source} · {target}" if target else source,
        about=described(run.selector),
        rows=run.selector.n_samples_seen_,
        features=run.selector.n_features_in_,
        classes=run.classes,
        new_rows=run.rows,
        earlier_row=run.earlier.row(run.selector.n_samples_seen_),
    )
