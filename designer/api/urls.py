"""Addresses under /api/v1/."""

from django.urls import path, re_path

from designer.api import base
from designer.api.resources import (
    acceptance,
    calibrations,
    catalog,
    checklists,
    costs,
    designs,
    estimates,
    link_check,
    links,
    placements,
    scaling,
    searches,
    what_if,
    workloads,
)
from designer.api.resources.bringup import urls as bringup_urls
from designer.api.resources.comparisons import views as comparison_views
from designer.api.resources.price_books import urls as price_book_urls
from designer.api.resources.quotes import views as quote_views

app_name = "api"
urlpatterns = [
    path("preview/", estimates.PreviewView.as_view(), name="preview"),
    path("predictions/", estimates.PredictionsView.as_view(), name="predictions"),
    path("training/", workloads.TrainingView.as_view(), name="training"),
    path("inference/", workloads.InferenceView.as_view(), name="inference"),
    path("placements/", placements.PlacementsView.as_view(), name="placements"),
    path("placements/file/", placements.PlacementFileView.as_view(), name="placements-file"),
    path("acceptance/", acceptance.AcceptanceView.as_view(), name="acceptance"),
    path("searches/", searches.SearchesView.as_view(), name="searches"),
    path("sweeps/", searches.SweepsView.as_view(), name="sweeps"),
    path("calibrations/", calibrations.CalibrationsView.as_view(), name="calibrations"),
    path("calibrations/<uuid:pk>/", calibrations.CalibrationView.as_view(), name="calibration"),
    path("spec-schema/", designs.SpecSchemaView.as_view(), name="spec-schema"),
    path("designs/", designs.DesignsView.as_view(), name="designs"),
    path("designs/<uuid:pk>/", designs.DesignView.as_view(), name="design"),
    path("designs/<uuid:pk>/checklist/", checklists.ChecklistView.as_view(), name="checklist"),
    path("designs/<uuid:pk>/revisions/", designs.RevisionsView.as_view(), name="revisions"),
    path("designs/<uuid:pk>/revisions/<int:number>/", designs.RevisionView.as_view(), name="revision"),
    path("estimates/", estimates.EstimatesView.as_view(), name="estimates"),
    path("estimates/<uuid:pk>/", estimates.EstimateView.as_view(), name="estimate"),
    path("estimates/<uuid:pk>/state/", estimates.EstimateStateView.as_view(), name="estimate-state"),
    path("estimates/<uuid:pk>/result/", estimates.EstimateResultView.as_view(), name="estimate-result"),
    path("estimates/<uuid:pk>/cancel/", estimates.CancelView.as_view(), name="cancel"),
    path("estimates/<uuid:pk>/bom/", estimates.BomView.as_view(), name="bom"),
    path("estimates/<uuid:pk>/bom/file/", estimates.BomFileView.as_view(), name="bom-file"),
    path("estimates/<uuid:pk>/links/", links.LinksView.as_view(), name="links"),
    path("estimates/<uuid:pk>/links/compare/", link_check.EstimateCompareView.as_view(), name="links-compare"),
    path("designs/<uuid:pk>/links/compare/", link_check.DesignCompareView.as_view(), name="design-links-compare"),
    path("estimates/<uuid:pk>/cabling/", links.CablingView.as_view(), name="cabling"),
    path("estimates/<uuid:pk>/sensitivity/", scaling.SensitivityView.as_view(), name="sensitivity"),
    path("estimates/<uuid:pk>/cost/", costs.CostView.as_view(), name="cost"),
    path("estimates/<uuid:pk>/cost/file/", costs.CostFileView.as_view(), name="cost-file"),
    path("estimates/<uuid:pk>/cost/what-if/", what_if.WhatIfView.as_view(), name="what-if"),
    path("estimates/<uuid:pk>/workloads/", workloads.EstimateWorkloadsView.as_view(), name="workloads"),
    path("estimates/<uuid:pk>/workloads/file/", workloads.EstimateWorkloadsFileView.as_view(), name="workloads-file"),
    path("estimates/<uuid:pk>/placement/", placements.EstimatePlacementView.as_view(), name="placement"),
    path("estimates/<uuid:pk>/racks/", links.RacksView.as_view(), name="racks"),
    path("comparisons/", comparison_views.ComparisonsView.as_view(), name="comparisons"),
    path("comparisons/<uuid:pk>/", comparison_views.ComparisonView.as_view(), name="comparison"),
    path("comparisons/<uuid:pk>/file/", comparison_views.ComparisonFileView.as_view(), name="comparison-file"),
    path("comparisons/<uuid:pk>/workloads/", comparison_views.WorkloadsView.as_view(), name="comparison-workloads"),
    path(
        "comparisons/<uuid:pk>/workloads/file/",
        comparison_views.WorkloadsFileView.as_view(),
        name="comparison-workloads-file",
    ),
    path("comparisons/<uuid:pk>/refresh/", comparison_views.RefreshView.as_view(), name="comparison-refresh"),
    *bringup_urls.urlpatterns,
    *price_book_urls.urlpatterns,
    path("quotes/", quote_views.QuotesView.as_view(), name="quotes"),
    path("quotes/<uuid:pk>/", quote_views.QuoteView.as_view(), name="quote"),
    path("quotes/<uuid:pk>/file/", quote_views.QuoteFileView.as_view(), name="quote-file"),
    path("quotes/<uuid:pk>/prices/", quote_views.QuotePricesView.as_view(), name="quote-prices"),
    path("catalog/", catalog.CatalogView.as_view(), name="catalog"),
    path("catalog/<slug:kind>/", catalog.CatalogKindView.as_view(), name="catalog-kind"),
    re_path(r"^", base.UnknownView.as_view(), name="unknown"),
]
