"""Addresses of what stands around a design's session: versions, variants, baselines, shared links, its spec as JSON."""

from django.urls import path

from designer.pages.design import baselines as baseline_views
from designer.pages.design import revisions as revisions_views
from designer.pages.design import share as share_views
from designer.pages.design import spec_json as spec_transfer

urlpatterns = [
    path("designs/new/spec/", spec_transfer.spec_new, name="spec-new"),
    path("designs/<uuid:design_id>/spec/", spec_transfer.spec, name="spec"),
    path("designs/<uuid:design_id>/revisions/", revisions_views.revisions, name="revisions"),
    path("designs/<uuid:design_id>/revisions/<int:number>/", revisions_views.version, name="version"),
    path(
        "designs/<uuid:design_id>/revisions/<int:number>/compare/",
        revisions_views.version_compare,
        name="version-compare",
    ),
    path("designs/<uuid:design_id>/variant/", revisions_views.variant, name="variant"),
    path("designs/<uuid:design_id>/baselines/", baseline_views.baselines, name="baselines"),
    path("designs/<uuid:design_id>/baselines/compare/", baseline_views.baselines_compare, name="baselines-compare"),
    path(
        "designs/<uuid:design_id>/baselines/<uuid:pk>/remove/", baseline_views.baseline_remove, name="baseline-remove"
    ),
    path("designs/<uuid:design_id>/share/", share_views.share, name="share"),
    path("designs/<uuid:design_id>/share/<int:link_id>/withdraw/", share_views.share_withdraw, name="share-withdraw"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/files/<slug:kind>.<slug:form>",
        share_views.shared_file,
        name="shared-file",
    ),
    path("shared/<str:secret>/", share_views.shared, name="shared"),
]
