"""Addresses of calibrations."""

from django.urls import path

from designer.pages.calibrations import views

urlpatterns = [
    path("calibrations/", views.calibrations, name="calibrations"),
    path("calibrations/new/", views.calibration_new, name="calibration-new"),
    path("calibrations/read/", views.calibration_read, name="calibration-read"),
    path("calibrations/use/", views.calibration_use, name="calibration-use"),
    path("calibrations/<uuid:pk>/", views.calibration, name="calibration"),
    path("calibrations/<uuid:pk>/rename/", views.calibration_rename, name="calibration-rename"),
    path("calibrations/<uuid:pk>/delete/", views.calibration_delete, name="calibration-delete"),
]
