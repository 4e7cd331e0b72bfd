"""Addresses of the pages."""

from django.urls import path

from designer import views

urlpatterns = [
    path("", views.home, name="home"),
    path("designs/", views.designs, name="designs"),
    path("designs/new/", views.design_new, name="design-new"),
    path("designs/<uuid:design_id>/", views.design, name="design"),
    path("designs/<uuid:design_id>/delete/", views.design_delete, name="design-delete"),
    path("preview/", views.preview, name="preview"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/", views.estimate_status, name="estimate-status"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/cancel/", views.estimate_cancel, name="estimate-cancel"),
    path("designs/<uuid:design_id>/estimates/<uuid:job_id>/bom/", views.estimate_bom, name="estimate-bom"),
    path(
        "designs/<uuid:design_id>/estimates/<uuid:job_id>/fabric.svg", views.estimate_diagram, name="estimate-diagram"
    ),
]
