"""``lmk``: the commands put together, and the one place where errors become exit codes.

0: done. 1: something failed, and the message says what. 2: wrong use. 130: stopped by Ctrl-C.
"""

import errno
import io
import os
import sys
from pathlib import Path

import typer

from indexer.cli import (
    archive,
    doctor,
    evaluate,
    grep,
    index,
    model,
    reencode,
    remove,
    search,
    similar,
    status,
    train,
    ui,
    verify,
    watch,
)
from indexer.cli.options import shown
from lmk_encoder.errors import LmkError

app = typer.Typer(
    name="lmk",
    help="Long-document search: the right document and the right place in it, offline.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("index")(index.index)
app.command("search")(search.search)
app.command("similar")(similar.similar)
app.command("grep")(grep.grep)
app.command("status")(status.status)
app.command("ui")(ui.ui)
app.command("remove")(remove.remove)
app.command("verify")(verify.verify)
app.command("doctor")(doctor.doctor)
app.command("watch")(watch.watch)
app.command("reencode")(reencode.reencode)
app.command("export")(archive.export)
app.command("import")(archive.import_)
app.add_typer(train.train, name="train")
app.command("eval", cls=evaluate.EvaluateCommand)(evaluate.evaluate)

app.add_typer(model.app)


def main() -> None:
    """Run ``lmk``. An expected error is one line on standard error; ``LMK_DEBUG=1`` raises it."""
    _prepare_output()
    try:
        try:
            app()
        except SystemExit as ended:
            if isinstance(ended.__context__, BrokenPipeError):  # Typer makes 1 of it
                raise ended.__context__ from None
            raise
        finally:
            sys.stdout.flush()  # what cannot be written is told here, not when Python ends
    except LmkError as error:
        if os.environ.get("LMK_DEBUG"):
            raise
        print(f"lmk: {shown(str(error))}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of our output has gone (`lmk search ... | head`): nothing to report, but
        # Python would complain when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            print(f"lmk: The output cannot be written: {error.strerror}.", file=sys.stderr)
            sys.exit(1)
        # A file that a person named cannot be made or read. Without a name it is our own fault.
        if os.environ.get("LMK_DEBUG") or error.filename is None:
            raise
        reason = f"{shown(str(error.filename))} cannot be used: {error.strerror}."
        print(f"lmk: {reason} Name another path, or change its rights.", file=sys.stderr)
        sys.exit(1)


def _prepare_output() -> None:
    """Have outputs that are there, take every character, and are wider than nothing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who started us
            null = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115, for all that comes
            setattr(sys, name, null)
    if isinstance(sys.stdout, io.TextIOWrapper):  # what ASCII lacks is escaped
        sys.stdout.reconfigure(errors="backslashreplace")
    if os.environ.get("COLUMNS") == "0":  # not known, but rich takes it for a width
        del os.environ["COLUMNS"]


if __name__ == "__main__":  # accelerate launch -m indexer.cli.main train ...
    main()
