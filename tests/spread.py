"""How tests are spread over the cores: a file stays together, and the longest begin."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Files that look at the account in which every page has something to show: looking at every page of it takes longest.
PICTURED = {"test_browser_looks", "test_browser_pages"}


class FilesTogether(LoadScopeScheduling):
    """Hands out files in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid.split("::", 1)[0]


def scheduler(config: pytest.Config, log: Any) -> FilesTogether | None:
    """Ours for the usual way of spreading; another way that was asked for by name stays xdist's."""
    if config.getoption("dist") != "loadscope":
        return None
    config.option.loadscopereorder = False  # by number of tests, which says little of how long they take
    return FilesTogether(config, log)


def name_apart(items: list[pytest.Item]) -> None:
    """Give each test an id of its own: made-up calls share one, and of those with one id xdist would run the first alone.

    Raises
    ------
    pytest.UsageError
        Where two tests have the same name in one place.
    """
    shared = ids_of_several(items)
    for item in items:
        if item.nodeid in shared and item.id.params is None:
            item._id = item.id.with_params(item.name.partition("[")[2].removesuffix("]"))
    if same := ids_of_several(items):
        raise pytest.UsageError(f"Tests of one name, of which all but one would be lost: {', '.join(sorted(same))}")


def ids_of_several(items: list[pytest.Item]) -> set[str]:
    return {nodeid for nodeid, number in Counter(item.nodeid for item in items).items() if number > 1}


def start_rank(item: pytest.Item) -> int:
    """Browsers begin, then what starts processes; the order is otherwise that of the files."""
    if item.path.stem in PICTURED:
        return 0
    if item.get_closest_marker("browser"):
        return 1
    return 2 if item.get_closest_marker("processes") else 3
