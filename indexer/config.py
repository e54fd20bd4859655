"""Settings: arguments > environment (``LMK_*``) > ``lmk.toml`` in the index > defaults."""

import difflib
import os
import threading
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from lmk_encoder.errors import ConfigError

DEFAULT_INDEX = ".lmk"
EngineName = Literal["auto", "exact", "lance", "faiss", "faiss-gpu"]
SETTINGS_FILE = "lmk.toml"


class Settings(BaseSettings):
    """Everything that can be set. Unknown keys in ``lmk.toml`` are an error, not ignored."""

    model_config = SettingsConfigDict(
        env_prefix="LMK_",
        env_ignore_empty=True,  # LMK_MODEL= says nothing, as files of services write it
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,  # a clock cannot wait for ever
    )

    model: str | None = Field(None, description="Checkpoint folder; none is the built-in model.")
    prose_tokens: int = Field(64, ge=1, description="Most tokens a landmark of prose speaks for.")
    code_tokens: int = Field(64, ge=1, description="Most tokens a landmark of code speaks for.")
    other_tokens: int = Field(64, ge=1, description="Tokens a landmark of other text speaks for.")
    parse_workers: int = Field(
        default_factory=lambda: max(1, min(8, (os.cpu_count() or 2) - 1)),
        ge=1,
        description="Parser processes.",
    )
    parse_timeout_s: float = Field(
        300,
        gt=0,
        le=threading.TIMEOUT_MAX,
        description="Longest time one file may take, waiting for a processor not counted.",
    )
    parse_memory_mb: int = Field(4096, ge=256, description="Most memory one parser may use.")
    max_file_mb: float = Field(512, gt=0, description="Larger files are excluded, and listed.")
    max_document_chars: int = Field(
        300_000_000, ge=1, description="Longer texts are excluded, and listed."
    )
    batch_chars: int = Field(
        200_000, ge=1, description="Characters encoded before the documents are published."
    )
    password: SecretStr | None = Field(None, description="Tried on encrypted files.")
    password_file: Path | None = Field(
        None, description="File of passwords, one a line, tried on encrypted files."
    )
    ocr_pages: int = Field(
        100, ge=0, description="Most pages of a document read by OCR, where it is installed."
    )
    all_code: bool = Field(False, description="Read generated, minified and vendored code, too.")
    archives: bool = Field(False, description="Read the files in zip and tar archives.")
    hidden_files: bool = Field(False, description="Read files and folders that begin with a dot.")
    engine: EngineName = Field("auto", description="What compares vectors.")

    def passwords(self) -> tuple[str, ...]:
        """What to try on encrypted files. Raises ConfigError if the file cannot be read."""
        given = [self.password.get_secret_value()] if self.password is not None else []
        if self.password_file is not None:
            try:
                given += self.password_file.read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeError) as error:
                what = f"The password file {self.password_file} cannot be read: {error}."
                raise ConfigError(what, "Name a text file with a password on each line.") from error
        return tuple(dict.fromkeys(filter(None, given)))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment; ``load_settings`` adds the file of the index."""
        toml = settings_cls.model_config.get("toml_file")
        sources: tuple[PydanticBaseSettingsSource, ...] = (init_settings, env_settings)
        return (*sources, TomlConfigSettingsSource(settings_cls)) if toml else sources


def load_settings(index_path: Path | None = None, **arguments: Any) -> Settings:
    """Settings for one index.

    Raises ConfigError naming the key, its value and the nearest valid key.
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    file = index_path / SETTINGS_FILE if index_path else None
    has_file = file is not None and os.path.isfile(file)  # noqa: PTH113 - no error either

    class FileSettings(Settings):
        model_config = SettingsConfigDict(toml_file=file if has_file else None)

    try:
        loaded = FileSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(*_explain(first, file)) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}.", "Correct that line.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8: {error}.", "Save it as UTF-8.") from error
    except OSError as error:
        what = f"{file} cannot be read: {error.strerror}."
        raise ConfigError(what, "Make it readable, or remove it.") from error
    return Settings(**loaded.model_dump())


def _explain(error: Any, file: Path | None) -> tuple[str, str]:
    key = ".".join(str(part) for part in error["loc"])
    where = f" ({file}, an argument or LMK_{key.upper()})" if file else ""
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, Settings.model_fields, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(Settings.model_fields)}."
        return f"There is no setting {key!r}{where}.", hint
    return f"Setting {key} = {error['input']!r}: {error['msg']}{where}.", "Correct the value."
