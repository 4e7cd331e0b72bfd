"""Addresses of a design: its page, its session, versions, baselines, shared links."""

from django.urls import path

from designer.pages.design import baselines, comments, copying, offered, revisions, session, share, spec_json, views

urlpatterns = [
    path("", views.home, name="home"),
    path("designs/", views.designs, name="designs"),
    path("designs/change/", views.designs_change, name="designs-change"),
    path("designs/new/", views.design_new, name="design-new"),
    path("designs/<uuid:design_id>/", views.design, name="design"),
    path("designs/new/edits/", session.edit_new, name="edit-new"),
    path("designs/<uuid:design_id>/edits/", session.edit, name="edit"),
    path("designs/<uuid:design_id>/undo/", session.undo, name="undo"),
    path("designs/<uuid:design_id>/redo/", session.redo, name="redo"),
    path("designs/<uuid:design_id>/state/", session.state, name="state"),
    path("designs/<uuid:design_id>/result/", session.result, name="result"),
    path("designs/<uuid:design_id>/diagram/", session.diagram, name="diagram"),
    path("designs/<uuid:design_id>/settle/", session.settle, name="settle"),
    path("designs/<uuid:design_id>/delete/", views.design_delete, name="design-delete"),
    path("designs/<uuid:design_id>/revisions/<int:number>/restore/", views.revision_restore, name="revision-restore"),
    path("designs/<uuid:design_id>/floor-plan/", views.floor_plan, name="floor-plan"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/apply/", views.design_apply, name="design-apply"),
    path("designs/new/parts/", offered.parts_of_new, name="parts-offered-new"),
    path("designs/<uuid:design_id>/parts/", offered.parts_of_design, name="parts-offered"),
    path("designs/new/spec/", spec_json.spec_new, name="spec-new"),
    path("designs/<uuid:design_id>/spec/", spec_json.spec, name="spec"),
    path("designs/<uuid:design_id>/revisions/", revisions.revisions, name="revisions"),
    path("designs/<uuid:design_id>/revisions/<int:number>/", revisions.version, name="version"),
    path(
        "designs/<uuid:design_id>/revisions/<int:number>/compare/",
        revisions.version_compare,
        name="version-compare",
    ),
    path("designs/<uuid:design_id>/variant/", revisions.variant, name="variant"),
    path("designs/<uuid:design_id>/copy/", copying.design_copy, name="design-copy"),
    path("designs/<uuid:design_id>/baselines/", baselines.baselines, name="baselines"),
    path("designs/<uuid:design_id>/baselines/compare/", baselines.baselines_compare, name="baselines-compare"),
    path("designs/<uuid:design_id>/baselines/<uuid:pk>/remove/", baselines.baseline_remove, name="baseline-remove"),
    path("designs/<uuid:design_id>/comments/", comments.comments, name="comments"),
    path("designs/<uuid:design_id>/comments/<int:pk>/", comments.comment_change, name="comment-change"),
    path("designs/<uuid:design_id>/share/", share.share, name="share"),
    path("designs/<uuid:design_id>/share/<int:link_id>/withdraw/", share.share_withdraw, name="share-withdraw"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/files/<slug:kind>.<slug:form>",
        share.shared_file,
        name="shared-file",
    ),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/files/workloads/<slug:form>/",
        share.shared_workloads,
        name="shared-workloads",
    ),
    path("shared/<str:secret>/", share.shared, name="shared"),
]
