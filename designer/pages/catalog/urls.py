"""Addresses of the catalog."""

from django.urls import path

from designer.pages.catalog import views

urlpatterns = [
    path("catalog/", views.catalog, name="catalog"),
    path("catalog/<str:part>/", views.catalog_part, name="catalog-part"),
]
