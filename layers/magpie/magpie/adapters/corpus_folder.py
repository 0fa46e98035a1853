"""A corpus in a local folder."""

import asyncio
import errno
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from magpie.errors import CorpusInvalid, DocumentRefused
from magpie.model import Document


class CorpusFolder:
    """
    The `CorpusStore` port over a folder. Links that lead out of the folder are refused when
    read; linked folders are not entered.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    async def paths(self) -> AsyncIterator[tuple[str, int]]:
        """Sorted by path. Raises: CorpusInvalid where the folder can't be listed."""
        for path, size in await asyncio.to_thread(self._listed):
            yield path, size

    async def read(self, path: str) -> Document:
        """Raises: DocumentRefused `missing`, `is_folder`, `outside`, `unreadable`."""
        # Not in a thread: a local read takes less time than handing it over.
        raw = self._bytes(path)
        return Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())

    async def write(self, path: str, raw: bytes) -> None:
        """
        Raises: DocumentRefused `outside`, `unwritable`.
        """
        whole = self._place(path)
        try:
            whole.parent.mkdir(parents=True, exist_ok=True)
            # Beside its place and then over it: a power cut leaves the old file or the new one.
            with tempfile.NamedTemporaryFile(dir=whole.parent, prefix=".", delete=False) as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            os.replace(file.name, whole)
        except OSError as exc:
            raise DocumentRefused(path, "unwritable", f"can't be written: {exc.strerror}") from exc

    async def remove(self, path: str) -> None:
        """Folders that become empty go too."""
        whole = self._place(path)
        try:
            whole.unlink(missing_ok=True)
            for folder in whole.relative_to(self._root).parents[:-1]:
                (self._root / folder).rmdir()
        except OSError as exc:
            if exc.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise DocumentRefused(path, "unwritable", f"can't be removed: {exc.strerror}") from exc

    def _place(self, path: str) -> Path:
        """Raises: DocumentRefused `outside`, also where a link leads out."""
        whole = self._root / path
        if ".." in path.split("/") or not whole.parent.resolve().is_relative_to(self._root):
            raise DocumentRefused(path, "outside", "leads out of the corpus folder")
        return whole

    def _listed(self) -> list[tuple[str, int]]:
        try:
            return sorted(self._walk(str(self._root), ""))
        except OSError as exc:
            raise CorpusInvalid(f"the corpus folder {self._root} can't be listed: {exc.strerror}") from exc

    def _walk(self, folder: str, prefix: str) -> Iterator[tuple[str, int]]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from self._walk(entry.path, f"{prefix}{entry.name}/")
                elif entry.is_file() or entry.is_symlink():
                    yield prefix + entry.name, entry.stat(follow_symlinks=entry.is_file()).st_size

    def _bytes(self, path: str) -> bytes:
        name = os.path.join(self._root, path)
        if os.path.islink(name) or ".." in path.split("/"):
            self._check_inside(path)
        try:
            with open(name, "rb") as file:
                return file.read()
        except FileNotFoundError as exc:
            raise DocumentRefused(path, "missing", "is not in the corpus") from exc
        except IsADirectoryError as exc:
            raise DocumentRefused(path, "is_folder", "is a folder; name a file in it") from exc
        except OSError as exc:
            raise DocumentRefused(path, "unreadable", f"can't be read: {exc.strerror}") from exc

    def _check_inside(self, path: str) -> None:
        if not (self._root / path).resolve().is_relative_to(self._root):
            raise DocumentRefused(path, "outside", "leads out of the corpus folder")
