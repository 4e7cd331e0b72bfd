"""Addresses of comparisons."""

from django.urls import path

from designer.pages.comparisons import views

urlpatterns = [
    path("comparisons/", views.comparisons, name="comparisons"),
    path("comparisons/new/", views.comparison_new, name="comparison-new"),
    path("comparisons/<uuid:pk>/", views.comparison, name="comparison"),
    path("comparisons/<uuid:pk>/change/", views.comparison_change, name="comparison-change"),
    path("comparisons/<uuid:pk>/open/", views.comparison_open, name="comparison-open"),
    path("comparisons/<uuid:pk>/board-pack/", views.board_pack, name="board-pack"),
    path("comparisons/<uuid:pk>/delete/", views.comparison_delete, name="comparison-delete"),
    path("designs/<uuid:design_id>/families/", views.comparison_families, name="comparison-families"),
]
