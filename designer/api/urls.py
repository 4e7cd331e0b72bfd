"""Addresses under /api/v1/."""

from django.urls import path, re_path

from designer.api.resources import calibrations as calibration_views
from designer.api.resources import catalog as catalog_views
from designer.api.resources import costs as cost_views
from designer.api.resources import designs as views
from designer.api.resources import link_check as compare_views
from designer.api.resources import links as link_views
from designer.api.resources import scaling as scaling_views
from designer.api.resources import what_if as what_if_views
from designer.api.resources.comparisons import views as comparison_views
from designer.api.resources.price_books import urls as price_book_urls
from designer.api.resources.quotes import views as quote_views

app_name = "api"
urlpatterns = [
    path("preview/", views.PreviewView.as_view(), name="preview"),
    path("predictions/", views.PredictionsView.as_view(), name="predictions"),
    path("calibrations/", calibration_views.CalibrationsView.as_view(), name="calibrations"),
    path("calibrations/<uuid:pk>/", calibration_views.CalibrationView.as_view(), name="calibration"),
    path("spec-schema/", views.SpecSchemaView.as_view(), name="spec-schema"),
    path("designs/", views.DesignsView.as_view(), name="designs"),
    path("designs/<uuid:pk>/", views.DesignView.as_view(), name="design"),
    path("designs/<uuid:pk>/revisions/", views.RevisionsView.as_view(), name="revisions"),
    path("designs/<uuid:pk>/revisions/<int:number>/", views.RevisionView.as_view(), name="revision"),
    path("estimates/", views.EstimatesView.as_view(), name="estimates"),
    path("estimates/<uuid:pk>/", views.EstimateView.as_view(), name="estimate"),
    path("estimates/<uuid:pk>/state/", views.EstimateStateView.as_view(), name="estimate-state"),
    path("estimates/<uuid:pk>/result/", views.EstimateResultView.as_view(), name="estimate-result"),
    path("estimates/<uuid:pk>/cancel/", views.CancelView.as_view(), name="cancel"),
    path("estimates/<uuid:pk>/bom/", views.BomView.as_view(), name="bom"),
    path("estimates/<uuid:pk>/bom/file/", views.BomFileView.as_view(), name="bom-file"),
    path("estimates/<uuid:pk>/links/", link_views.LinksView.as_view(), name="links"),
    path("estimates/<uuid:pk>/links/compare/", compare_views.EstimateCompareView.as_view(), name="links-compare"),
    path("designs/<uuid:pk>/links/compare/", compare_views.DesignCompareView.as_view(), name="design-links-compare"),
    path("estimates/<uuid:pk>/cabling/", link_views.CablingView.as_view(), name="cabling"),
    path("estimates/<uuid:pk>/sensitivity/", scaling_views.SensitivityView.as_view(), name="sensitivity"),
    path("estimates/<uuid:pk>/cost/", cost_views.CostView.as_view(), name="cost"),
    path("estimates/<uuid:pk>/cost/file/", cost_views.CostFileView.as_view(), name="cost-file"),
    path("estimates/<uuid:pk>/cost/what-if/", what_if_views.WhatIfView.as_view(), name="what-if"),
    path("estimates/<uuid:pk>/racks/", link_views.RacksView.as_view(), name="racks"),
    path("comparisons/", comparison_views.ComparisonsView.as_view(), name="comparisons"),
    path("comparisons/<uuid:pk>/", comparison_views.ComparisonView.as_view(), name="comparison"),
    path("comparisons/<uuid:pk>/file/", comparison_views.ComparisonFileView.as_view(), name="comparison-file"),
    path("comparisons/<uuid:pk>/refresh/", comparison_views.RefreshView.as_view(), name="comparison-refresh"),
    *price_book_urls.urlpatterns,
    path("quotes/", quote_views.QuotesView.as_view(), name="quotes"),
    path("quotes/<uuid:pk>/", quote_views.QuoteView.as_view(), name="quote"),
    path("quotes/<uuid:pk>/file/", quote_views.QuoteFileView.as_view(), name="quote-file"),
    path("quotes/<uuid:pk>/prices/", quote_views.QuotePricesView.as_view(), name="quote-prices"),
    path("catalog/", catalog_views.CatalogView.as_view(), name="catalog"),
    path("catalog/<slug:kind>/", catalog_views.CatalogKindView.as_view(), name="catalog-kind"),
    re_path(r"^", views.UnknownView.as_view(), name="unknown"),
]
