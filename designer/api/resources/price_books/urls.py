"""Addresses of price books under /api/v1/."""

from django.urls import path

from designer.api.resources.price_books import views

urlpatterns = [
    path("price-books/", views.PriceBooksView.as_view(), name="price-books"),
    path("price-books/anchors/", views.AnchorsView.as_view(), name="price-book-anchors"),
    path("price-books/street/", views.StreetView.as_view(), name="price-book-street"),
    path("price-books/dealer/", views.DealerView.as_view(), name="price-book-dealer"),
    path("price-books/branded/", views.BrandedView.as_view(), name="price-book-branded"),
    path("price-books/anchors/file/", views.AnchorsFileView.as_view(), name="price-book-anchors-file"),
    path("price-books/street/file/", views.StreetFileView.as_view(), name="price-book-street-file"),
    path("price-books/dealer/file/", views.DealerFileView.as_view(), name="price-book-dealer-file"),
    path("price-books/branded/file/", views.BrandedFileView.as_view(), name="price-book-branded-file"),
    path("price-books/<uuid:pk>/file/", views.PriceBookFileView.as_view(), name="price-book-file"),
    path("price-books/<uuid:pk>/", views.PriceBookView.as_view(), name="price-book"),
    path("price-books/<uuid:pk>/import/", views.PriceImportView.as_view(), name="price-book-import"),
    path(
        "price-books/<uuid:pk>/revisions/<int:number>/",
        views.PriceBookRevisionView.as_view(),
        name="price-book-revision",
    ),
]
