"""Addresses of price books under /api/v1/."""

from django.urls import path

from designer.api.resources.price_books import views

urlpatterns = [
    path("price-books/", views.PriceBooksView.as_view(), name="price-books"),
    *(
        path(f"price-books/{book}/", views.catalog_book_view(book).as_view(), name=f"price-book-{book}")
        for book in views.CATALOG_BOOKS
    ),
    *(
        path(f"price-books/{book}/file/", views.catalog_book_file_view(book).as_view(), name=f"price-book-{book}-file")
        for book in views.CATALOG_BOOKS
    ),
    path("price-books/<uuid:pk>/file/", views.PriceBookFileView.as_view(), name="price-book-file"),
    path("price-books/<uuid:pk>/", views.PriceBookView.as_view(), name="price-book"),
    path("price-books/<uuid:pk>/import/", views.PriceImportView.as_view(), name="price-book-import"),
    path(
        "price-books/<uuid:pk>/revisions/<int:number>/",
        views.PriceBookRevisionView.as_view(),
        name="price-book-revision",
    ),
]
