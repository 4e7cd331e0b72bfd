"""How static files are collected: entries of pages linked (``designer.runtime.bundles``), hashed names, gzip beside each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

from designer.runtime.bundles import linked
from estimator.record import Json

ENTRIES = ("designer/css/entry/", "designer/js/entry/")


class LinkedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """What a page names is collected with all that it imports; the parts are collected too, and nothing asks for them."""

    def post_process(self, paths: Json, dry_run: bool = False, **options: Any) -> Iterator[Any]:
        for name, (storage, source) in paths.items():
            if name.startswith(ENTRIES) and not dry_run:
                Path(self.path(name)).write_text(linked(Path(storage.path(source))))
                paths[name] = (self, name)  # what is hashed and compressed
        yield from super().post_process(paths, dry_run=dry_run, **options)
