"""Addresses of own parts."""

from django.urls import path

from designer.pages.parts import views

urlpatterns = [
    path("parts/", views.own_parts, name="own-parts"),
    path("parts/new/<slug:kind>/", views.own_part_new, name="own-part-new"),
    path("parts/<uuid:pk>/", views.own_part, name="own-part"),
    path("parts/<uuid:pk>/delete/", views.own_part_delete, name="own-part-delete"),
]
