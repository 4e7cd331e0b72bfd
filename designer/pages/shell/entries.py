"""What can be found from anywhere: the owner's designs and versions, the catalog's parts, published designs, help, actions."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse

from designer.forms.parts.part import KIND_WORDS
from designer.models import Design, DesignRevision, OwnPart
from designer.pages.catalog.page import KINDS, part_rows
from designer.pages.reading.help import help_texts
from designer.pages.reading.views import documents
from designer.pages.result.job import job_of
from designer.pages.result.tabs import TABS
from designer.services.parts.catalog import parts_of
from designer.wording.glossary import entries as glossary_entries
from estimator.catalog.loader import load_catalog
from estimator.handoff.formats import FORMATS
from estimator.jobs.models import EstimateJob
from estimator.published.designs import published

MOST_OF_OWNER = 200  # designs, and as many versions, that have all words: the newest of them are ranked
PLACES = (  # name of an address, what it is called, what one does there
    ("design-new", "New design", "Begin with a blank form"),
    ("explore", "Explore", "Every network that could be built for a cluster"),
    ("comparison-new", "Compare designs", "Two to eight beside each other"),
    ("designs", "Designs", "The list of them"),
    ("comparisons", "Comparisons", "The list of them"),
    ("start", "Start", "Samples, published designs, workloads"),
    ("design-import", "Import a design", "Out of JSON, or out of a dump of a network"),
    ("price-books", "Prices", "Price books, and exchange rates"),
    ("quotes", "Quotes", "A vendor’s offer beside a bill of materials"),
    ("quote-new", "Check a quote", "Read a vendor’s file"),
    ("calibrations", "Calibrations", "The model fitted to your NCCL logs"),
    ("calibration-new", "Calibrate", "Read NCCL logs"),
    ("own-parts", "Parts", "Your team’s own switches, NICs, servers and cables"),
    ("catalog", "Catalog", "Parts with the source of each figure"),
    ("published", "Published designs", "Published figures against computed ones"),
    ("advice", "InfiniBand or RoCE", "What speaks for either"),
    ("help", "Help", "Every field and figure"),
    ("glossary", "Glossary", "Terms and what they mean"),
    ("validation", "Validation", "Predicted against measured"),
    ("account", "Currency and units", "What amounts, bandwidths and lengths of pages are in"),
    ("api-docs", "API documentation", "REST, with a form for each call"),
)
OF_DESIGN = (
    ("revisions", "Versions of this design", "Save one, or go back to one"),
    ("comments", "Comments on this design", "Read and write them"),
    ("share", "Share this design", "Links for others"),
    ("checklist", "Checklist of this design", "The order of work on site"),
    ("spec", "JSON of this design", "Copy or paste"),
)
FILES = (  # address of the API, form, what it is
    ("bom", "pdf", "Design report"),
    ("bom", "xlsx", "Bill of materials"),
    ("cost", "xlsx", "Cost of ownership, workbook"),
    ("cost", "pdf", "Cost of ownership, report"),
    ("cost", "csv", "Cash flow"),
)


class Entry(NamedTuple):
    """Something to go to; ``text`` is what else a search looks at."""

    kind: str
    title: str
    note: str
    address: str
    text: str = ""


def fixed_entries() -> tuple[Entry, ...]:
    """What everybody has: actions, help, terms, documents, published designs, parts."""
    return _fixed(load_catalog().version)


@lru_cache(maxsize=2)
def _fixed(catalog_version: str) -> tuple[Entry, ...]:
    return (*_places(), *_reading(), *_published(), *_parts())


def _places() -> Iterator[Entry]:
    for name, title, note in PLACES:
        yield Entry("Action", title, note, reverse(name))


def _reading() -> Iterator[Entry]:
    page, terms = reverse("help"), reverse("glossary")
    for text in help_texts().values():
        yield Entry("Help", text.title, text.what, f"{page}#{text.key}", f"{text.key} {text.why}")
    for entry in glossary_entries():
        for term, anchor in entry.terms:
            yield Entry("Term", term, entry.meaning, f"{terms}#{anchor}")
    for name, title in documents().items():
        yield Entry("Document", title, f"{name}.md", reverse("document", args=[name]))


def _published() -> Iterator[Entry]:
    page = reverse("published")
    for one in published().designs.values():
        yield Entry("Published design", one.name, one.source.title, f"{page}#{one.id}", f"{one.group} {one.note}")


def _parts() -> Iterator[Entry]:
    for kind, title in KINDS.items():
        for row in part_rows(kind):
            note = f"{title}, {row.status}"
            yield Entry("Part", row.name, note, reverse("catalog-part", args=[row.id]), row.text)


def entries_of(owner: User, words: list[str]) -> Iterator[Entry]:
    """The owner's designs and named versions that may have all words, the newest first."""
    designs, versions = Q(), Q()
    for word in words:
        designs &= Q(name__icontains=word) | Q(tags__icontains=word)
        versions &= Q(name__icontains=word) | Q(note__icontains=word) | Q(design__name__icontains=word)
    for one in Design.objects.filter(designs, owner=owner).only("name", "tags", "archived_at", "updated_at")[
        :MOST_OF_OWNER
    ]:
        if one.archived_at is None or words:
            state = "Archived" if one.archived_at else f"Changed {one.updated_at:%d %b %Y}"
            yield Entry("Design", one.name, ", ".join([state, *one.tag_list]), reverse("design", args=[one.pk]))
    if not words:
        return
    saved = DesignRevision.objects.filter(versions, design__owner=owner).order_by("-created_at")
    for made in saved.select_related("design").only("number", "name", "note", "by", "design__name")[:MOST_OF_OWNER]:
        said = f"Version {made.number} of {made.design.name}{made.by and f', by {made.by}'}"
        yield Entry("Version", made.name, said, reverse("version", args=[made.design_id, made.number]), made.note)
    yield from _own_parts(owner)


def _own_parts(owner: User) -> Iterator[Entry]:
    """The parts that the owner's team keeps, as their newest revisions call them."""
    for row in OwnPart.with_latest(parts_of(owner)):
        latest = row.latest
        name = f"{latest.values.get('vendor', '')} {latest.values.get('model', '')}".strip()
        note = f"Your own {KIND_WORDS[row.kind]}, revision {latest.number}"
        text = f"{row.key} {latest.values.get('part_number', '')}"
        yield Entry("Part", name, note, reverse("own-part", args=[row.pk]), text)


def entries_beside(design: Design) -> Iterator[Entry]:
    """What can be done with the design that is open: its tabs, what hangs on it, and files of its estimate."""
    page = reverse("design", args=[design.pk])
    for tab in TABS:
        yield Entry("This design", tab.title, "Tab of the result", f"{page}?tab={tab.key}#result")
    for name, title, note in OF_DESIGN:
        yield Entry("This design", title, note, reverse(name, args=[design.pk]))
    for name, title in (("explore", "Find a better network"), ("comparison-new", "Compare this design")):
        yield Entry("This design", title, "", f"{reverse(name)}?design={design.pk}")
    job = job_of(design, design.spec_hash)
    if job is None or job.state != EstimateJob.State.SUCCEEDED:
        return
    for name, form, title in FILES:
        yield Entry("Export", title, f".{form}", f"{reverse(f'api:{name}', args=[job.pk])}?format={form}")
    links = reverse("api:links", args=[job.pk])
    for key, form_of in FORMATS.items():
        yield Entry("Export", form_of.label, form_of.purpose, f"{links}?format={key}", form_of.extension)
