"""Addresses of the pages to start from and of those that explain."""

from django.urls import path

from designer.pages.advice import views as advice_views
from designer.pages.catalog import views as catalog_views
from designer.pages.reading import views as reading_views
from designer.pages.start import views as gallery_views
from designer.pages.start import workloads as workload_views

urlpatterns = [
    path("start/", gallery_views.start, name="start"),
    path("start/workloads/<slug:key>/", workload_views.workload, name="workload"),
    path("start/workloads/<slug:key>/variant/", workload_views.workload_variant, name="workload-variant"),
    path("published/", gallery_views.published, name="published"),
    path("catalog/", catalog_views.catalog, name="catalog"),
    path("catalog/<str:part>/", catalog_views.catalog_part, name="catalog-part"),
    path("import/", gallery_views.design_import, name="design-import"),
    path("tour/skip/", gallery_views.tour_skip, name="tour-skip"),
    path("advice/", advice_views.advice, name="advice"),
    path("designs/<uuid:design_id>/advice/", advice_views.advice_panel, name="advice-panel"),
    path("help/", reading_views.help_page, name="help"),
    path("help/<str:key>/", reading_views.help_card, name="help-card"),
    path("glossary/", reading_views.glossary, name="glossary"),
    path("docs/<slug:name>/", reading_views.document, name="document"),
]
