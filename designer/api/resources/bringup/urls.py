"""Addresses of bring-up under /api/v1/."""

from django.urls import path

from designer.api.resources.bringup import views

urlpatterns = [
    path("designs/<uuid:pk>/bring-up/", views.PlanView.as_view(), name="settings-plan"),
    path("designs/<uuid:pk>/bring-up/files/", views.SettingsFilesView.as_view(), name="settings-files"),
    path("designs/<uuid:pk>/bring-up/file/", views.SettingsFileView.as_view(), name="settings-file"),
    path("designs/<uuid:pk>/bring-up/archive/", views.SettingsArchiveView.as_view(), name="settings-archive"),
    path("settings-checks/", views.SettingsChecksView.as_view(), name="settings-checks"),
]
