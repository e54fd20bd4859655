"""The model of an index: the one that was given, that was asked for, or that made the rows."""

import secrets
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.config import Settings
from indexer.errors import IndexMismatch, IndexNotFound
from indexer.store.manifest import Manifest, read_manifest
from lmk_encoder.errors import ModelError

if TYPE_CHECKING:
    from lmk_encoder.lazy import LazyEncoder
    from lmk_encoder.types import DocumentEncoder


def require_here(index_path: Path, name: str | None) -> None:
    """Raise ModelError if the model that an index names is not on this machine: an index may come
    from anywhere, and only what its user names is fetched."""
    from lmk_encoder.checkpoint import is_here

    if not is_here(name):
        raise ModelError(
            f"The index in {index_path} was made with the model {name}, "
            "which is not on this machine.",
            f"Name a folder that holds it, or have it fetched from the hub: --model {name}",
        )


class IndexModel:
    """Knows which encoder an index takes, and what an index made with it says of itself."""

    def __init__(self, path: Path, settings: Settings, given: "DocumentEncoder | None") -> None:
        self._path, self._settings, self._given = path, settings, given
        self._own: LazyEncoder | None = None
        self._own_name: str | None = None
        self._guard = threading.RLock()

    @property
    def encoder(self) -> "DocumentEncoder":
        """The encoder; its model is loaded when it first has to encode."""
        if self._given is not None:
            return self._given
        from lmk_encoder.lazy import LazyEncoder

        with self._guard:
            name = self.name()
            if self._own is None or self._own_name != name:
                if self._settings.model is None:
                    require_here(self._path, name)
                self._own, self._own_name = LazyEncoder(name), name
            return self._own

    def name(self) -> str | None:
        """The checkpoint that was asked for, else the one the index was made with."""
        if self._settings.model is not None:
            folder = Path(self._settings.model).expanduser()
            return str(folder.absolute()) if folder.is_dir() else self._settings.model
        try:
            return read_manifest(self._path).model_path
        except (IndexNotFound, IndexMismatch):
            return None

    def warm_up(self) -> None:
        """Load what encoding a question takes, which of most models is not torch."""
        from lmk_encoder.lazy import LazyEncoder

        if isinstance(self.encoder, LazyEncoder):
            self.encoder.encode_query(["warm up"])

    def load(self) -> None:
        """Load the model; raise now what it or the policies have against one another."""
        from indexer.policy import policies
        from lmk_encoder.lazy import LazyEncoder
        from lmk_encoder.types import TextInput

        if isinstance(self.encoder, LazyEncoder):
            self.encoder.load()
            self.encoder.encode_document([TextInput("", p) for p in policies(self._settings)])

    def manifest(self) -> Manifest:
        """What an index that is made now would say of itself."""
        from indexer.parsing import PARSER_VERSION
        from indexer.policy import policy_name

        return Manifest(
            model=self.encoder.name,
            fingerprint=self.encoder.fingerprint,
            dimension=self.encoder.dimension,
            policy=policy_name(self._settings),
            parser=PARSER_VERSION,
            model_path=self.name(),
            identity=secrets.token_hex(8),
        )
