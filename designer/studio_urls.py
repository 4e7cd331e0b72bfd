"""Addresses of what stands around a design's session: revisions, variants, pins, shared links, its spec as JSON."""

from django.urls import path

from designer import revisions_views, share_views, spec_transfer

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
    path("designs/<uuid:design_id>/pin/", revisions_views.pin_change, name="pin"),
    path("designs/<uuid:design_id>/pins/", revisions_views.pins, name="pins"),
    path("designs/<uuid:design_id>/pins/compare/", revisions_views.pins_compare, name="pins-compare"),
    path("designs/<uuid:design_id>/share/", share_views.share, name="share"),
    path("designs/<uuid:design_id>/share/<int:link_id>/withdraw/", share_views.share_withdraw, name="share-withdraw"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/files/<slug:kind>.<slug:form>",
        share_views.shared_file,
        name="shared-file",
    ),
    path("shared/<str:secret>/", share_views.shared, name="shared"),
]
