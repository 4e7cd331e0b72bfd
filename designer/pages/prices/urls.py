"""Addresses of price books."""

from django.urls import path

from designer.pages.prices import views

urlpatterns = [
    path("prices/", views.price_books, name="price-books"),
    path("prices/template/", views.price_template, name="price-template"),
    path("prices/use/", views.price_book_use, name="price-book-use"),
    path("prices/catalog/<slug:book>/", views.catalog_book, name="price-book-catalog"),
    path("prices/catalog/<slug:book>/export/", views.catalog_export, name="price-book-catalog-export"),
    path("prices/<uuid:pk>/", views.price_book, name="price-book"),
    path("prices/<uuid:pk>/price/", views.price_save, name="price-book-save"),
    path("prices/<uuid:pk>/price/delete/", views.price_delete, name="price-book-price-delete"),
    path("prices/<uuid:pk>/rates/", views.price_rates, name="price-book-rates"),
    path("prices/<uuid:pk>/describe/", views.price_describe, name="price-book-describe"),
    path("prices/<uuid:pk>/delete/", views.price_book_delete, name="price-book-delete"),
    path("prices/<uuid:pk>/export/", views.price_book_export, name="price-book-export"),
    path("prices/<uuid:pk>/history/", views.price_book_history, name="price-book-history"),
    path("prices/<uuid:pk>/history/<int:number>/restore/", views.price_book_restore, name="price-book-restore"),
    path("prices/<uuid:pk>/import/", views.price_book_import, name="price-book-import"),
    path("prices/<uuid:pk>/import/apply/", views.price_book_apply, name="price-book-apply"),
]
