"""``lmk model``: what a checkpoint is, and a folder of ours made of anybody's."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lmk_encoder.errors import ConfigError

app = typer.Typer(
    name="model",
    help="Look at a model, or make one that others can load.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_SOURCE = "Folder of a checkpoint, or name of an installed package or of the hub."


@app.command("info")
def info(
    model: Annotated[str | None, typer.Argument(help=f"{_SOURCE} None: the built-in one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what a model is: architecture, pooling, window, dimension, size, licence, fingerprint."""
    from lmk_encoder.formats.info import describe
    from lmk_encoder.formats.reading import read_checkpoint

    facts = asdict(describe(read_checkpoint(model)))
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    notes = facts.pop("notes")
    for key, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else value
        typer.echo(f"{key.replace('_', ' '):<16}{'-' if value in (None, '') else shown}")
    for note in notes:
        typer.echo(f"{'note':<16}{note}")


@app.command("convert")
def convert(
    source: Annotated[str, typer.Argument(metavar="SRC", help=_SOURCE)],
    target: Annotated[Path, typer.Argument(metavar="DST", help="A new folder.")],
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="A key of lmk.json, as pooling=mean. May be repeated."),
    ] = None,
) -> None:
    """Make a folder that lmk and sentence-transformers load, with all settings written down.

    The weights are copied as they are. The new model is loaded once to see that it works.
    """
    from lmk_encoder.encoder import LandmarkEncoder
    from lmk_encoder.formats.reading import read_checkpoint
    from lmk_encoder.formats.writing import save_checkpoint

    checkpoint = read_checkpoint(source, parse_settings(setting or []))
    for note in checkpoint.notes:
        typer.echo(f"note: {note}", err=True)
    save_checkpoint(checkpoint, target)
    encoder = LandmarkEncoder(target)
    encoder.encode(["Does it work?"])
    typer.echo(
        f"{target}: {encoder.name}, {encoder.config.pooling}, {encoder.dimension} dimensions"
    )


def parse_settings(pairs: list[str]) -> dict[str, str | int | bool]:
    """``["granularity=32", "query_prompt=query: "]`` -> values of the types the keys have.

    Raises:
        ConfigError: a pair has no ``=``, or a number is none.
    """
    from lmk_encoder.config import EncoderConfig

    defaults = asdict(EncoderConfig())
    settings: dict[str, str | int | bool] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair!r} has no '='.", "Write KEY=VALUE, as pooling=mean.")
        match defaults.get(key):
            case bool():
                words = {"true": True, "false": False}
                if value.lower() not in words:
                    raise ConfigError(
                        f"{key}={value!r} is not a truth value.", "Write true or false."
                    )
                settings[key] = words[value.lower()]
            case int():
                if not value.removeprefix("-").isdecimal():
                    raise ConfigError(f"{key}={value!r} is not a number.", "Write a whole number.")
                settings[key] = int(value)
            case _:
                settings[key] = value
    return settings
