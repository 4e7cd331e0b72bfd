"""Queries and answers. A design itself is checked and described by estimator.spec alone, and its wrapping by bodies.py."""

from collections.abc import Sequence
from typing import Any, cast

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from designer.api.answers import estimate as answers
from designer.api.answers.shapes import shape, shapes
from designer.exports.downloads import FORMATS, PHASE_FILES
from designer.exports.placements import PLACEMENT_TYPES
from designer.exports.workloads import TABLES, WORKLOAD_FORMATS
from designer.forms.asking import AskForm
from designer.forms.workloads import PlacementForm, ServingForm, TrainingForm
from designer.models import Calibration, Design, DesignRevision
from designer.services.calibrations import calibrated_of
from estimator.asbuilt.counts import MOST_NETWORKS
from estimator.asbuilt.kinds import MOST_PATTERNS
from estimator.asbuilt.readers.files import AUTO
from estimator.asbuilt.readers.files import FORMATS as READ_FORMATS
from estimator.bringup.acceptance.exports.formats import ACCEPTANCE_FORMATS
from estimator.bringup.checklist.files import CHECKLIST_FORMATS
from estimator.bringup.plan.choices import MOST_WEEKS, WEEKS
from estimator.calibration.result import Curve, Fault, FitErrors, Log, Parameter, PathResult
from estimator.errors import Problem
from estimator.handoff.formats import FORMATS as LINK_FORMATS
from estimator.jobs.models import EstimateJob, SearchJob
from estimator.result import Versions

MAX_PAGE = 1_000_000
MOST_TYPED = 2_000  # a packed model of its own


def _url(serializer: serializers.BaseSerializer[Any], name: str, **kwargs: Any) -> str:
    return serializer.context["request"].build_absolute_uri(reverse(f"api:{name}", kwargs=kwargs))


def _choice(values: Sequence[str], **options: Any) -> serializers.ChoiceField:
    """One of these words; anything else is answered with all of them."""
    message = f"{{input}} is not available here. Available: {', '.join(values)}."
    return serializers.ChoiceField(list(values), error_messages={"invalid_choice": message}, **options)


# --- Queries -----------------------------------------------------------------------------------------------------
class NoQuery(serializers.Serializer[Any]):
    """An address that takes no query parameters."""


class PageQuery(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1, max_value=MAX_PAGE, default=1, help_text="Page of the list, from 1.")
    page_size = serializers.IntegerField(min_value=1, max_value=200, default=50, help_text="Rows on a page.")


class DesignQuery(PageQuery):
    search = serializers.CharField(max_length=200, required=False, help_text="Part of the name, in any case.")


class EstimateQuery(PageQuery):
    state = _choice(EstimateJob.State.values, required=False, help_text="Only jobs in this state.")
    spec_hash = serializers.CharField(max_length=64, required=False, help_text="Only estimates of this spec.")


class CatalogQuery(PageQuery):
    search = serializers.CharField(
        max_length=200, required=False, help_text="Text that any value of a record has in it."
    )


class BomQuery(serializers.Serializer[Any]):
    format = _choice(FORMATS, required=False, help_text="The form of the answer; without it Accept says, else JSON.")


class PhasesQuery(serializers.Serializer[Any]):
    format = _choice(("json", *PHASE_FILES), required=False, help_text="The form; without it Accept says, else JSON.")


class FileQuery(serializers.Serializer[Any]):
    format = _choice(FORMATS[1:], required=False, help_text="The form of the file; without it Accept says, else CSV.")


def _typed_fields(*forms: type[AskForm]) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """The fields of a tab's forms, as its address has them."""
    return {
        name: serializers.CharField(max_length=MOST_TYPED, required=False, help_text=_of_field(field))
        for form in forms
        for name, field in form.base_fields.items()
    }


def _of_field(field: Any) -> str:
    """A form's field in a line: its label and its unit."""
    return f"{field.label}, {field.unit}." if field.unit else f"{field.label}."


class TabQuery(serializers.Serializer[Any]):
    """Fields of the forms of workloads, with their defaults."""

    format = _choice(
        WORKLOAD_FORMATS, required=False, help_text="The form of the answer; without it Accept says, else JSON."
    )

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | _typed_fields(TrainingForm, ServingForm)


class TabFileQuery(TabQuery):
    format = _choice(
        WORKLOAD_FORMATS[1:], required=False, help_text="The form of the file; without it Accept says, else CSV."
    )


class WorkloadsQuery(TabQuery):
    table = _choice(tuple(TABLES), default="layouts", help_text="The table of a CSV; a workbook has all.")


class WorkloadsFileQuery(TabFileQuery, WorkloadsQuery):
    """The same for a file."""


class PlacementQuery(serializers.Serializer[Any]):
    format = _choice(
        tuple(PLACEMENT_TYPES),
        required=False,
        help_text="The form of the file; without it Accept says, else the summary.",
    )


class EstimatePlacementQuery(PlacementQuery):
    """Fields of the workloads tab, with its defaults; ``placed`` is the layout, the best one to train without it."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return super().get_fields() | _typed_fields(TrainingForm, ServingForm, PlacementForm)


class FabricQuery(serializers.Serializer[Any]):
    fabric = serializers.CharField(max_length=80, default="compute", help_text="One of the estimate's fabrics.")


class BuiltQuery(FabricQuery):
    phase = serializers.IntegerField(
        min_value=1, required=False, help_text="Of a design with phases: the links as this one is built, from 1."
    )


class LinksQuery(BuiltQuery):
    format = _choice(
        tuple(LINK_FORMATS), required=False, help_text="The form of the download; without it Accept says, else CSV."
    )


class CompareQuery(BuiltQuery):
    format = _choice(
        (AUTO, *READ_FORMATS), default=AUTO, help_text="The form of the file; auto detects it from the content."
    )


class DumpQuery(serializers.Serializer[Any]):
    format = _choice(
        (AUTO, *READ_FORMATS), default=AUTO, help_text="The form of the file; auto detects it from the content."
    )
    network = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_NETWORKS,
        help_text="One network of the file alone, from 1, the one with most links first; without it all.",
    )
    servers = serializers.CharField(
        max_length=MOST_PATTERNS,
        default="",
        help_text="Names of servers, where the file does not say which devices are: patterns with commas between, such as gpu*.",
    )


class WeeksQuery(serializers.Serializer[Any]):
    weeks = serializers.FloatField(
        required=False, help_text=f"Of work at the site: above 0, at most {MOST_WEEKS}; without it {WEEKS:g}."
    )


class ChecklistQuery(WeeksQuery):
    format = _choice(tuple(CHECKLIST_FORMATS), default="json", help_text="JSON with ticks, or a file of all items.")


class AcceptanceQuery(serializers.Serializer[Any]):
    format = _choice(
        tuple(ACCEPTANCE_FORMATS),
        default="json",
        help_text="JSON with verdicts, or a file that runs or states the gates.",
    )


# --- Answers -----------------------------------------------------------------------------------------------------
class ErrorSerializer(serializers.Serializer[Any]):
    """Every refusal has this shape."""

    code = serializers.CharField()
    problems = shapes(Problem)


@extend_schema_field(answers.Estimate)
class ResultField(serializers.JSONField):
    """A stored Estimate, as it is."""


class RevisionSerializer(serializers.ModelSerializer[DesignRevision]):
    url = serializers.SerializerMethodField()

    class Meta:
        model = DesignRevision
        fields = ["number", "url", "name", "note", "spec_hash", "created_at"]

    def get_url(self, revision: DesignRevision) -> str:
        return _url(self, "revision", pk=revision.design_id, number=revision.number)


GIVEN_HELP = "The request as it was given: what was left out takes the defaults of the day it is used."


class RevisionDetailSerializer(RevisionSerializer):
    spec = answers.SpecField(help_text="The normalized spec: every default is printed.")
    given = answers.SpecField(help_text=GIVEN_HELP)

    class Meta(RevisionSerializer.Meta):
        fields = [*RevisionSerializer.Meta.fields, "spec", "given"]


class DesignSerializer(serializers.ModelSerializer[Design]):
    """A design in a list. ``spec_hash`` and ``state_number`` are of its current state, which is the design."""

    url = serializers.SerializerMethodField()
    revision = serializers.IntegerField(help_text="Number of the newest named version; 0 where none was saved.")
    spec_hash = serializers.CharField()
    state_number = serializers.IntegerField(help_text="Counts changes: another number, another state.")

    class Meta:
        model = Design
        fields = ["id", "url", "name", "revision", "spec_hash", "state_number", "created_at", "updated_at"]

    def get_url(self, design: Design) -> str:
        return _url(self, "design", pk=design.pk)


class DesignDetailSerializer(DesignSerializer):
    """A design as it is now, and the list of all its named versions, oldest first."""

    spec = answers.SpecField(help_text="The current state, normalized: every default is printed.")
    given = answers.SpecField(help_text=GIVEN_HELP)
    revisions = RevisionSerializer(many=True)

    class Meta(DesignSerializer.Meta):
        fields = [*DesignSerializer.Meta.fields, "spec", "given", "revisions"]


class EstimateJobSerializer(serializers.ModelSerializer[EstimateJob]):
    """An estimate in a list: all but its result."""

    url = serializers.SerializerMethodField()
    state_url = serializers.SerializerMethodField()
    result_url = serializers.SerializerMethodField()
    bom_url = serializers.SerializerMethodField()
    links_url = serializers.SerializerMethodField()
    cabling_url = serializers.SerializerMethodField()
    racks_url = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    progress = serializers.FloatField(min_value=0, max_value=1)
    error = ErrorSerializer(allow_null=True, help_text="Why it failed; null otherwise.")

    class Meta:
        model = EstimateJob
        fields = [
            "id",
            "url",
            "state_url",
            "result_url",
            "bom_url",
            "links_url",
            "cabling_url",
            "racks_url",
            "name",
            "state",
            "progress",
            "spec_hash",
            "versions",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]

    def get_url(self, job: EstimateJob) -> str:
        return _url(self, "estimate", pk=job.pk)

    def get_state_url(self, job: EstimateJob) -> str:
        return _url(self, "estimate-state", pk=job.pk)

    def get_result_url(self, job: EstimateJob) -> str:
        return _url(self, "estimate-result", pk=job.pk)

    def get_bom_url(self, job: EstimateJob) -> str:
        return _url(self, "bom", pk=job.pk)

    def get_links_url(self, job: EstimateJob) -> str:
        return _url(self, "links", pk=job.pk)

    def get_cabling_url(self, job: EstimateJob) -> str:
        return _url(self, "cabling", pk=job.pk)

    def get_racks_url(self, job: EstimateJob) -> str:
        return _url(self, "racks", pk=job.pk)

    def get_name(self, job: EstimateJob) -> str:
        return str(job.spec.get("name", ""))

    @extend_schema_field(cast(Any, Versions))
    def get_versions(self, job: EstimateJob) -> dict[str, str]:
        return {"model": job.model_version, "catalog": job.catalog_version}


class EstimateStateSerializer(serializers.ModelSerializer[EstimateJob]):
    """How far an estimate is, and where its result is once ``state`` is succeeded."""

    url = serializers.SerializerMethodField()
    result_url = serializers.SerializerMethodField()
    progress = serializers.FloatField(min_value=0, max_value=1)
    error = ErrorSerializer(allow_null=True, help_text="Why it failed; null otherwise.")

    class Meta:
        model = EstimateJob
        fields = ["id", "url", "result_url", "state", "progress", "error", "created_at", "started_at", "finished_at"]

    def get_url(self, job: EstimateJob) -> str:
        return _url(self, "estimate", pk=job.pk)

    def get_result_url(self, job: EstimateJob) -> str:
        return _url(self, "estimate-result", pk=job.pk)


class EstimateJobDetailSerializer(EstimateJobSerializer):
    """One estimate: the spec it is of and, when ``state`` is succeeded, its result."""

    spec = answers.SpecField(help_text="The normalized spec.")
    result = ResultField(allow_null=True, help_text="The Estimate; null until the job has succeeded.")

    class Meta(EstimateJobSerializer.Meta):
        fields = [*EstimateJobSerializer.Meta.fields, "spec", "result"]


@extend_schema_field({"description": "As docs/search.md has it."})
class AnyValueField(serializers.JSONField):
    """A value of a search's request or answer, as it is."""


class SearchJobSerializer(serializers.ModelSerializer[SearchJob]):
    """A search that workers do: how far it is."""

    url = serializers.SerializerMethodField()
    progress = serializers.FloatField(
        source="share_done", min_value=0, max_value=1, help_text="Share of the candidates that were looked at."
    )
    versions = serializers.SerializerMethodField()
    error = ErrorSerializer(allow_null=True, help_text="Why it failed; null otherwise.")

    class Meta:
        model = SearchJob
        fields = [
            "id",
            "url",
            "state",
            "progress",
            "n_candidates",
            "versions",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]

    def get_url(self, job: SearchJob) -> str:
        return _url(self, "search-job", pk=job.pk)

    @extend_schema_field(shape(Versions))
    def get_versions(self, job: SearchJob) -> dict[str, str]:
        return {"model": job.model_version, "catalog": job.catalog_version}


class SearchJobDetailSerializer(SearchJobSerializer):
    """One search: its request and, when ``state`` is succeeded, what it found."""

    request = serializers.DictField(
        child=AnyValueField(), help_text="The request, a saved design in its place, by key of a search."
    )
    result = serializers.DictField(
        child=AnyValueField(),
        allow_null=True,
        help_text="The answer of the verb search, by key; null until the job has succeeded.",
    )

    class Meta(SearchJobSerializer.Meta):
        fields = [*SearchJobSerializer.Meta.fields, "request", "result"]


class CalibrationSerializer(serializers.ModelSerializer[Calibration]):
    """A calibration in a list. ``hash`` is of its values."""

    url = serializers.SerializerMethodField()
    hash = serializers.SerializerMethodField()

    class Meta:
        model = Calibration
        fields = ["id", "url", "name", "hash", "model_version", "catalog_version", "created_at"]

    def get_url(self, calibration: Calibration) -> str:
        return _url(self, "calibration", pk=calibration.pk)

    def get_hash(self, calibration: Calibration) -> str:
        return calibrated_of(calibration).hash


class CalibrationDetailSerializer(CalibrationSerializer):
    """A calibration with its logs; ``calibration`` is what ``workload.calibration`` of a design and a prediction take."""

    calibration = serializers.SerializerMethodField()
    parameters = serializers.DictField(child=shape(Parameter), help_text="Constants by name and index.")
    logs = shapes(Log)
    error = shape(FitErrors)
    diagnosis = shapes(Fault)
    curves = shapes(Curve)
    paths = shapes(PathResult)

    class Meta(CalibrationSerializer.Meta):
        fields = [
            *CalibrationSerializer.Meta.fields,
            "calibration",
            "system",
            "parameters",
            "logs",
            "error",
            "diagnosis",
            "curves",
            "paths",
        ]

    def get_calibration(self, calibration: Calibration) -> answers.NamedConstants:
        return calibrated_of(calibration).model_dump()  # type: ignore[return-value]
