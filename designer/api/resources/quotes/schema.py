"""What calls of quotes take and answer."""

from designer.api.calls import BODY, call, delete_call, example, file_call, filed_call, json_body, list_call
from designer.api.components import body, component
from designer.api.resources.quotes.serializers import QuoteDetailSerializer, QuoteSerializer, TakenPrices
from designer.exports.downloads import CSV_TYPE
from estimator.catalog.currency import CURRENCIES
from estimator.quotes.columns import FIELDS

TAG = "quotes"
_PLACE = {"type": ["string", "integer", "null"], "description": "A letter, the text of the header, or a place from 0."}
_COLUMNS = {
    "type": "object",
    "description": "Of one sheet, or of all that have its header where no sheet is named; what is left out is guessed.",
    "properties": {
        "sheet": {"type": "string"},
        "header_row": {"type": "integer", "minimum": 0, "description": "0: there is none."},
        "fields": {"type": "object", "properties": dict.fromkeys(FIELDS, _PLACE), "additionalProperties": False},
        "decimal": {"type": ["string", "null"], "enum": [".", ",", None]},
        "currency": {"type": ["string", "null"], "enum": [*CURRENCIES, None]},
        "is_used": {"type": "boolean"},
        "discount": {
            "type": ["number", "string", "null"],
            "description": "Per cent that come off each price of the sheet that has no discount of its own; of this file alone.",
        },
    },
    "additionalProperties": False,
}
_NAME = {"type": "string", "minLength": 1, "maxLength": 200}
_VENDOR = {"type": "string", "maxLength": 200}
_COLUMNS = component("QuoteColumnsRequest", _COLUMNS)
CHANGE = component(
    "QuoteChange",
    body(
        {
            "name": _NAME,
            "vendor": _VENDOR,
            "columns": {"anyOf": [_COLUMNS, {"type": "array", "items": _COLUMNS}]},
            "discount": {
                "type": ["number", "string", "null"],
                "description": "Per cent that come off each price of all sheets; null for none.",
            },
            "matches": {
                "type": "object",
                "additionalProperties": {"type": ["string", "null"]},
                "description": 'Line id → key of an item; null: not in the design; "auto": what is found.',
            },
        },
        minProperties=1,
    ),
)
TAKE = component(
    "QuotePricesRequest",
    body(
        {
            "book": {"type": ["string", "null"], "format": "uuid", "description": "Without it, a new book."},
            "name": {**_NAME, "description": "Of a new book."},
            "as_of": {"type": "string", "format": "date", "description": "Day of the quote; today without it."},
        }
    ),
)
_TEXT = {"type": "string"}

quote_list = list_call("list_quotes", "List quotes", QuoteSerializer, TAG)
quote_create = call(
    "check_quote",
    "Hold a vendor's quote against a design's bill of materials",
    {201: QuoteDetailSerializer},
    (403, 404, 409, 413, 415, 503),
    request={
        "multipart/form-data": component(
            "QuoteRequest",
            body(
                {
                    "file": {"type": "string", "format": "binary", "description": "XLSX, CSV or a PDF with text."},
                    "design": {"type": "string", "format": "uuid", "description": "One of design, estimate and spec."},
                    "estimate": {"type": "string", "format": "uuid"},
                    "spec": {**_TEXT, "description": "JSON of a design."},
                    "columns": {
                        **_TEXT,
                        "description": "JSON: which column is what; taken from the header if left out.",
                    },
                    "name": _NAME,
                    "vendor": _VENDOR,
                },
                required=["file"],
            ),
        )
    },
    takes_key=True,
    tags=[TAG],
)
quote_read = filed_call("get_quote", "A quote and its report", QuoteDetailSerializer, TAG)
quote_read_file = file_call("download_quote", "The report of a quote as CSV", [CSV_TYPE], TAG)
quote_update = call(
    "update_quote",
    "Rename a quote, read it by other columns, or set matches",
    {200: QuoteDetailSerializer},
    (*BODY, 404, 412, 503),
    request=json_body(CHANGE),
    examples=[
        example("columns", {"columns": {"fields": {"part_number": "B", "quantity": "Qty", "unit_price": 4}}}),
        example("matches", {"matches": {"0:7": "nvidia-qm9700", "0:9": None}}),
    ],
    tags=[TAG],
)
quote_delete = delete_call("delete_quote", "Delete a quote", TAG)
quote_prices = call(
    "take_quote_prices",
    "Take a quote's prices into a price book",
    {200: TakenPrices, 201: TakenPrices},
    (*BODY, 404, 412, 503),
    request=json_body(TAKE),
    takes_key=True,
    examples=[example("a new book", {"name": "ACME", "as_of": "2026-11-02"})],
    tags=[TAG],
)
