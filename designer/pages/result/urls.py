"""Addresses of a result: its tabs, its files."""

from django.urls import path

from designer.pages.result import acceptance, asbuilt, own_model, views
from designer.pages.result.bringup import checklist
from designer.pages.result.cost import what_if
from designer.pages.result.settings import archives, changes, check, files

ARCHIVES = "designs/<uuid:design_id>/estimates/<uuid:job_id>/settings/archives/"
urlpatterns = [
    path("designs/<uuid:design_id>/checklist/", checklist.checklist, name="checklist"),
    path("designs/<uuid:design_id>/checklist/news/", checklist.checklist_news, name="checklist-news"),
    path("designs/<uuid:design_id>/checklist/tick/", checklist.checklist_tick, name="checklist-tick"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/", views.estimate_status, name="estimate-status"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cancel/", views.estimate_cancel, name="estimate-cancel"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/tabs/", views.estimate_tab, name="estimate-tab"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/own-model/", own_model.own_model, name="own-model"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/links/compare/",
        asbuilt.links_compare,
        name="links-compare",
    ),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/settings/", files.settings_files, name="settings-files"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/settings/archive/",
        files.settings_archive,
        name="settings-archive",
    ),
    path(f"{ARCHIVES}new/", archives.archive_new, name="archive-new"),
    path(f"{ARCHIVES}<uuid:pk>/", archives.archive_page, name="archive-job"),
    path(f"{ARCHIVES}<uuid:pk>/cancel/", archives.archive_cancel, name="archive-cancel"),
    path(f"{ARCHIVES}<uuid:pk>/file/", archives.archive_file, name="archive-file"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/settings/plan/", files.settings_plan, name="settings-plan"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/settings/check/", check.settings_check, name="settings-check"
    ),
    path("designs/<uuid:design_id>/settings/changes/", changes.settings_changes, name="settings-changes"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/acceptance/", acceptance.acceptance, name="acceptance"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cost/what-if/", what_if.cost_what_if, name="cost-what-if"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cost/apply/", what_if.cost_apply, name="cost-apply"),
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
