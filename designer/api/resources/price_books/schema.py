"""What calls of price books take and answer."""

from typing import Any

from designer.api.calls import BODY, call, delete_call, example, file_call, filed_call, json_body, list_call
from designer.api.components import body, component
from designer.api.resources.price_books.serializers import (
    BookFileQuery,
    PriceBookDetailSerializer,
    PriceBookRevisionDetailSerializer,
    PriceBookSerializer,
    PriceImport,
)
from designer.exports.downloads import CSV_TYPE, XLSX_TYPE
from designer.services.prices.books import BASES, MAX_REASON
from estimator.catalog.currency import CURRENCIES
from estimator.record import Json
from estimator.spec.price_book import BASES as PRICE_BASES
from estimator.spec.price_book import MAX_NAME, MAX_PRICES, MAX_RATES, MAX_REGION

TAG = "price books"
PRICE = {
    "part": "nvidia-qm9700",
    "low": 3000000,
    "typical": 3100000,
    "high": 3200000,
    "currency": "EUR",
    "basis": "quote",
    "as_of": "2026-11-02",
    "source": "Offer 7",
    "min_quantity": 10,
}
RATE = {"currency": "EUR", "usd": 1.08, "as_of": "2026-11-01", "source": "Bank"}
_KEYS: Json = {
    "name": {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
    "base": {"type": "string", "enum": list(BASES), "description": "The catalog's book for parts that this one lacks."},
    "region": {"type": "string", "maxLength": MAX_REGION, "description": "The buyer's; empty: prices of all count."},
    "prices": {"type": "array", "maxItems": MAX_PRICES, "items": {"$ref": "#/components/schemas/OwnPrice"}},
    "rates": {"type": "array", "maxItems": MAX_RATES, "items": {"$ref": "#/components/schemas/OwnRate"}},
    "reason": {"type": "string", "maxLength": MAX_REASON, "description": "Why, for the history."},
}
NEW = component("PriceBookRequest", body(_KEYS, required=["name"]))
CHANGE = component("PriceBookChange", body(_KEYS, minProperties=1))
SNAPSHOT = {"$ref": "#/components/schemas/OwnPrices"}
_FILES = (CSV_TYPE, XLSX_TYPE)

book_list = list_call("list_price_books", "List price books", PriceBookSerializer, TAG)
book_create = call(
    "create_price_book",
    "Make a price book",
    {201: PriceBookDetailSerializer},
    (*BODY, 503),
    request=json_body(NEW),
    takes_key=True,
    examples=[example("one quotation", {"name": "Vendor A", "prices": [PRICE], "rates": [RATE]})],
    tags=[TAG],
)
book_read = filed_call("get_price_book", "A price book with its history", PriceBookDetailSerializer, TAG)
book_read_file = file_call("download_price_book", "A price book as a file", _FILES, TAG, parameters=[BookFileQuery])
book_update = call(
    "update_price_book",
    "Rename a price book, or give it other prices or rates as its next revision",
    {200: PriceBookDetailSerializer},
    (*BODY, 404, 412, 503),
    request=json_body(CHANGE),
    examples=[example("new prices", {"prices": [PRICE], "reason": "Round two"})],
    tags=[TAG],
)
book_delete = delete_call("delete_price_book", "Delete a price book with its history", TAG)
revision_read = call(
    "get_price_book_revision",
    "One revision of a price book",
    {200: PriceBookRevisionDetailSerializer},
    (404,),
    tags=[TAG],
)
book_import = call(
    "import_prices",
    "Put the prices of a file into a book",
    {200: PriceImport},
    (403, 404, 412, 413, 415, 503),
    request={
        "multipart/form-data": component(
            "PriceFile",
            body(
                {
                    "file": {"type": "string", "format": "binary", "description": "CSV or XLSX."},
                    "mode": {
                        "type": "string",
                        "enum": ["merge", "replace"],
                        "default": "merge",
                        "description": "Whether prices that the file lacks stay or go.",
                    },
                    "dry_run": {
                        "type": "string",
                        "enum": ["true", "false"],
                        "default": "false",
                        "description": "Only say what would change.",
                    },
                    "basis": {"type": "string", "enum": list(PRICE_BASES), "default": "quote"},
                    "currency": {"type": "string", "enum": list(CURRENCIES), "default": "USD"},
                    "as_of": {"type": "string", "format": "date"},
                    "source": {"type": "string"},
                    "discount": {
                        "type": "string",
                        "maxLength": 12,
                        "description": "Per cent that come off every price of the file that has no discount of its own: 30.",
                    },
                },
                required=["file"],
            ),
        )
    },
    takes_key=True,
    description="The header names a part and a price; parts go by id or part number. Rows that cannot be read are reported and "
    "left out. `basis`, `currency`, `as_of` and `source` hold where a row does not say them.",
    tags=[TAG],
)


def catalog_book(book: str) -> Any:
    """The call for one of the catalog's books."""
    return filed_call(f"get_price_book_{book}", f"The catalog's book {book}, in the form of yours", SNAPSHOT, TAG, 503)


def catalog_book_file(book: str) -> Any:
    """The call for a file of one of the catalog's books."""
    return file_call(
        f"download_price_book_{book}",
        f"The catalog's book {book} as a file",
        _FILES,
        TAG,
        503,
        parameters=[BookFileQuery],
    )
