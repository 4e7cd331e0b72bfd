"""Addresses of InfiniBand or RoCE."""

from django.urls import path

from designer.pages.advice import views

urlpatterns = [
    path("advice/", views.advice, name="advice"),
    path("designs/<uuid:design_id>/advice/", views.advice_panel, name="advice-panel"),
]
