"""Addresses of the pages."""

from typing import Any

from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from designer.pages.calibrations import views as calibration_views
from designer.pages.design import session as studio_views
from designer.pages.design import views
from designer.pages.reading import validation as validation_views
from designer.pages.result import asbuilt as compare_views
from designer.pages.result.cost import what_if as cost_views


class FaviconView(RedirectView):
    """Browsers ask for this name where a page names no icon: a JSON answer, a downloaded diagram."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        """The icon under its hashed name, which is known once static files were collected."""
        return static("designer/favicon.svg")


urlpatterns = [
    path("favicon.ico", FaviconView.as_view(), name="favicon"),
    path("", views.home, name="home"),
    path("designs/", views.designs, name="designs"),
    path("designs/new/", views.design_new, name="design-new"),
    path("designs/<uuid:design_id>/", views.design, name="design"),
    path("designs/new/edits/", studio_views.edit_new, name="edit-new"),
    path("designs/<uuid:design_id>/edits/", studio_views.edit, name="edit"),
    path("designs/<uuid:design_id>/undo/", studio_views.undo, name="undo"),
    path("designs/<uuid:design_id>/redo/", studio_views.redo, name="redo"),
    path("designs/<uuid:design_id>/state/", studio_views.state, name="state"),
    path("designs/<uuid:design_id>/result/", studio_views.result, name="result"),
    path("designs/<uuid:design_id>/diagram/", studio_views.diagram, name="diagram"),
    path("designs/<uuid:design_id>/settle/", studio_views.settle, name="settle"),
    path("designs/<uuid:design_id>/delete/", views.design_delete, name="design-delete"),
    path("designs/<uuid:design_id>/revisions/<int:number>/restore/", views.revision_restore, name="revision-restore"),
    path("designs/<uuid:design_id>/floor-plan/", views.floor_plan, name="floor-plan"),
    path("", include("designer.pages.design.urls")),
    path("", include("designer.pages.start.urls")),
    path("", include("designer.pages.comparisons.urls")),
    path("", include("designer.pages.prices.urls")),
    path("", include("designer.pages.quotes.urls")),
    path("validation/", validation_views.validation, name="validation"),
    path("calibrations/", calibration_views.calibrations, name="calibrations"),
    path("calibrations/new/", calibration_views.calibration_new, name="calibration-new"),
    path("calibrations/read/", calibration_views.calibration_read, name="calibration-read"),
    path("calibrations/use/", calibration_views.calibration_use, name="calibration-use"),
    path("calibrations/<uuid:pk>/", calibration_views.calibration, name="calibration"),
    path("calibrations/<uuid:pk>/rename/", calibration_views.calibration_rename, name="calibration-rename"),
    path("calibrations/<uuid:pk>/delete/", calibration_views.calibration_delete, name="calibration-delete"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/", views.estimate_status, name="estimate-status"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cancel/", views.estimate_cancel, name="estimate-cancel"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/tabs/", views.estimate_tab, name="estimate-tab"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/apply/", views.design_apply, name="design-apply"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/links/compare/",
        compare_views.links_compare,
        name="links-compare",
    ),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/cost/what-if/", cost_views.cost_what_if, name="cost-what-if"
    ),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cost/apply/", cost_views.cost_apply, name="cost-apply"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/bom/", views.estimate_bom, name="estimate-bom"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/racks.svg", views.estimate_racks, name="estimate-racks"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/fabric.svg", views.estimate_diagram, name="estimate-diagram"
    ),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/fabric-view.svg",
        views.estimate_fabric_view,
        name="estimate-fabric-view",
    ),
]
