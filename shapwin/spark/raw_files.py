"""What a user's file is before Spark reads it: its form, encoding, headers and lines."""

from __future__ import annotations

import bz2
import codecs
import gzip
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import ArgumentError

SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
}
_COMPRESSED: dict[str, Callable[[str], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
# What Hadoop takes for a pattern or a scheme when it stands in the name of a file.
ODD = set("[]{}*?:\\")


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from, and how to read them.

    Parameters
    ----------
    path : str
        A file or a folder of files; a URL that Spark knows works as well.
    format : str, optional
        ``csv``, ``json`` or ``parquet``; by default what the suffix says.
    delimiter : str, optional
        Between the fields of a CSV file; by default a comma, a tab in a ``.tsv``.
    null_value : str
        The text that means NULL in a CSV file, besides an empty field.
    time_format : str, optional
        How to read a time column of text or numbers: a Spark datetime pattern, ``seconds``,
        ``milliseconds`` or ``microseconds`` since 1970. By default as a timestamp of SQL.
    skip_bad : bool
        Leave rows out that are broken, or whose time or value cannot be read.
    encoding : str
        Of a CSV file.
    """

    path: str
    format: str | None = None
    delimiter: str | None = None
    null_value: str = ""
    time_format: str | None = None
    skip_bad: bool = False
    encoding: str = "utf-8"


def size(path: str) -> float:
    """Return the bytes of a local file or folder; unknown ones are infinite."""
    if not os.path.exists(path):
        return float("inf")
    names = names_in(path) if os.path.isdir(path) else [path]
    return float(sum(os.path.getsize(name) for name in names))


def form_of(source: Source) -> str:
    """Return csv, json or parquet: as told, or what the suffix says of the file or in the folder.

    Raises
    ------
    ArgumentError
        If there is no such file, or no known suffix.
    """
    path = source.path
    if "://" not in path and not os.path.exists(path):
        raise ArgumentError(f"there is no file or folder {path}")
    if source.format is not None:
        return source.format
    names = names_in(path) if os.path.isdir(path) else [path]
    for name in names:
        stem, suffix = os.path.splitext(name.lower())
        suffix = os.path.splitext(stem)[1] if suffix in _COMPRESSED else suffix
        if suffix in SUFFIXES:
            return SUFFIXES[suffix]
    raise ArgumentError(f"{path} tells no format: add --format csv, json or parquet")


def names_in(folder: str) -> list[str]:
    """The data files below a folder, in order; Spark skips what starts with _ or a dot."""
    files = sorted(Path(folder).rglob("*"))
    return [str(file) for file in files if file.is_file() and file.name[0] not in "_."]


@contextmanager
def plain_name(path: str) -> Iterator[str]:
    """A name for a local file or folder that Hadoop takes literally."""
    if "://" in path:
        yield path
        return
    absolute = os.path.abspath(path)
    if not ODD & set(absolute):
        yield absolute
        return
    with tempfile.TemporaryDirectory(prefix="shapwin-") as folder:
        suffixes = "".join(s for s in Path(absolute).suffixes[-2:] if not ODD & set(s))
        link = os.path.join(folder, "data" + suffixes)
        os.symlink(absolute, link)
        yield link


def headers(source: Source, path: str) -> tuple[dict[str, list[str]], bool, bool]:
    """The files by their first lines, whether fields span lines, and whether all were seen.

    Files at remote addresses and in some compressed forms can be read by Spark alone.
    """
    found: dict[str, list[str]] = {}
    spans_lines, all_seen = False, True
    if "://" in path:
        return found, spans_lines, False
    files = [path]
    if os.path.isdir(path):
        # Spark takes the files of the folder and of its folders such as year=2024.
        files = [
            name
            for name in names_in(path)
            if all("=" in part for part in Path(name).relative_to(path).parts[:-1])
        ]
    codec = codec_of(source.encoding)
    for name in files:
        suffix = os.path.splitext(name.lower())[1]
        if suffix in (".zst", ".lz4", ".snappy", ".deflate"):
            all_seen = False
            continue
        opener: Callable[..., Any] = _COMPRESSED.get(suffix, open)
        try:
            with opener(name, "rt", encoding=codec, newline="") as file:
                header, spans = _scan(file)
        except UnicodeDecodeError:
            raise ArgumentError(
                f"{_told(source, path, name)} is not {source.encoding}: name its encoding, as in "
                "--encoding latin1"
            ) from None
        except (OSError, EOFError) as error:
            told = getattr(error, "strerror", None) or error
            raise ArgumentError(f"cannot read {_told(source, path, name)} as csv: {told}") from None
        spans_lines |= spans
        if header:
            found.setdefault(header, []).append(name)
    if not found and all_seen and files == [path]:
        raise ArgumentError(f"cannot read {source.path} as csv: it is empty")
    return found, spans_lines, all_seen


def _scan(file: Any) -> tuple[str, bool]:
    """The first line that is not blank, and whether a line has an odd number of quotes."""
    block = file.read(1 << 20)
    header = next((line for line in re.split(r"[\r\n]+", block) if line.strip()), "")
    carry, spans = "", False
    while block:
        if not spans:
            *lines, carry = (carry + block).split("\n") if '"' in block or carry else ("",)
            spans = any(line.count('"') % 2 for line in lines)
        block = file.read(1 << 20)
    return header, spans or bool(carry.count('"') % 2)


def codec_of(encoding: str) -> str:
    """Python's name of an encoding; a byte order mark is none of the first field."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ArgumentError(
            f"--encoding {encoding!r} is unknown: use one such as utf-8, utf-16 or latin1"
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


def _told(source: Source, path: str, name: str) -> str:
    """The name of a file as the user knows it, which may be below a link of ours."""
    return source.path + name[len(path) :]


def json_spans_lines(path: str) -> bool:
    """Whether a JSON file is an array or pretty-printed, not one object a line."""
    if "://" in path:
        return False
    name = next(iter(names_in(path)), path) if os.path.isdir(path) else path
    opener: Callable[..., Any] = _COMPRESSED.get(os.path.splitext(name.lower())[1], open)
    try:
        with opener(name, "rb") as file:
            return not _is_json_object(_first_line(file))
    except OSError as error:
        raise ArgumentError(f"cannot read {path} as json: {error.strerror or error}") from None


def _first_line(file: BinaryIO) -> bytes:
    return next((line for line in file if line.strip()), b"{}")


def _is_json_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
