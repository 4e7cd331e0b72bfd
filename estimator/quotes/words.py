"""Words by which vendors call the columns of a quote, and mark totals, charges and options, in several languages."""

import re
import unicodedata
from collections.abc import Sequence

from estimator.catalog.currency import CURRENCIES
from estimator.tables.numbers import currency_of


def _pattern(text: str) -> re.Pattern[str]:
    """One expression of lines of alternatives."""
    return re.compile("|".join(line.strip().strip("|") for line in text.strip().splitlines()), re.I)


# In this order: a header has the meaning of the first pattern that it meets as a whole.
_HEADERS = {
    "option": _pattern(r"""optional|options?|alternat(?:e|ive)|opt|wahlweise"""),
    "discount": _pattern(r"""
        .*discount.*|disc|rabatt.*|nachlass.*|remise.*|descuento.*|sconto.*|korting.*|折扣"""),
    "list_price": _pattern(r"""
        .*list ?price.*|.*msrp.*|.*gross (?:unit )?price.*|list|listenpreis.*|bruttopreis.*|prix (?:catalogue|public).*
        .*precio (?:de )?lista.*|prezzo (?:di )?listino.*|adviesprijs"""),
    "extended_price": _pattern(r"""
        ext.*|.*line total.*|.*total ?(?:net )?(?:price|amount|value|cost|usd|eur|gbp|chf)?|.*gesamt ?preis.*|gesamt.*
        g preis|gp|.*summe|betrag.*|positionspreis.*|montant.*|prix total.*|total ht|importe.*|importo.*|prezzo totale.*
        totaal.*|totalpris|(?:net )?amount|line (?:price|amount|value)|tot|total.*|sum|总价.*|金额.*|合計.*|金額.*"""),
    "unit_price": _pattern(r"""
        .*unit ?(?:net )?(?:price|cost|value).*|.*price (?:per |/ ?)?(?:unit|each|piece|ea|pc).*|.*einzel ?preis.*
        .*stück ?preis.*|e preis|ep|ek|prix unitaire.*|p ?u(?: ht)?|precio unitario.*|precio|prezzo unitario.*|prezzo
        stukprijs.*|eenheidsprijs.*|.*net price.*|nettopreis.*|your price|sell(?:ing)? price|.*customer price.*
        quoted price|price.*|preis.*|prix.*|cost|unit (?:usd|eur|gbp|chf)|rate|à ?pris|单价.*|単価.*"""),
    "quantity": _pattern(r"""
        qty.*|.*quantity.*|quantit.*|qt[eé]?|count|menge.*|anzahl.*|stück(?:zahl)?|stk|q ty|cantidad.*|cant|aantal.*
        antal|pcs|pieces|nombre|nb|units?|数量.*"""),
    "counted_in": _pattern(r"""
        uom|u o m|u ?m|unit of (?:measure|issue|sale|quote).*|units of measure|sales unit|qty unit|einheit|mengeneinheit|me
        vpe|unité(?: de (?:mesure|vente))?|unidad(?: de medida)?|u ?d ?m|unità(?: di misura)?|eenheid|enhet|enhed|单位|単位"""),
    "lead_time": _pattern(r"""
        .*lead ?time.*|.*delivery.*|lieferzeit.*|liefertermin.*|verfügbarkeit|availability|eta\b.*|délai.*|delai.*
        plazo.*|consegna.*|levertijd.*|交期.*"""),
    "currency": _pattern(r""".*currency.*|curr?|währung.*|waehrung.*|devise.*|moneda|valuta|币种|通貨"""),
    "part_number": _pattern(r"""
        .*(?:manufacturer|mfr?g?|mfgr|vendor|oem|nvidia|mellanox) ?(?:part|p/?n|sku|no|number).*|mpn
        .*part ?(?:no|nr|num|number|code|id)s?\b.*|part|p ?n|pn|opn|.*ordering.*(?:no|number|code).*
        order (?:code|no|number)|artikel ?(?:nr|nummer).*|art ?nr.*|teile ?nr.*|teilenummer.*|bestell ?nr.*
        bestellnummer.*|herstellernummer.*|référence.*|reference.*|ref|réf|referencia.*|codice.*|código.*|codigo.*
        .*sku.*|product (?:code|no|number|id)|item (?:code|no|number|id)|material(?: ?(?:no|nr|number|nummer))?
        catalog(?:ue)? (?:no|number)|stock code|型号.*|料号.*|型番.*"""),
    "description": _pattern(r"""
        .*desc.*|bezeichnung.*|beschreibung.*|artikel(?:bezeichnung|text)?|désignation.*|designation.*|libellé.*
        descrizione.*|descripción.*|descripcion.*|omschrijving.*|beskrivelse|product name|item name|name|details?
        text|品名.*|描述.*|名称.*|品目.*"""),
}
# before "total", which is a price
_COUNT = _pattern(r"""
    (?:total|order(?:ed)?|required|requested|needed|gesamt) ?(?:count|qty|quantity|pieces|pcs|units|menge|anzahl|stück)""")
_EITHER = _pattern(r"""
    items?|products?|model|produkt|produit|producto|prodotto|equipment|hardware|component|position""")
_UNIT = re.compile(r"units?|ea")
_RESELLER = _pattern(r""".*(?:reseller|supplier|distributor|our|internal|customer|sap|lieferanten).*""")
_NUMBERING = re.compile(r"(?:line|pos|position|no|nr|lfd|ln|row|line ?(?:item)|sr|s|№)(?: ?(?:no|nr|number))?")
_BESIDE = re.compile(rf"\b(?:(?:in|per) )?(?:{'|'.join(CURRENCIES).lower()}|excl? vat|ex vat|net|netto|ht)\b")
PART_NUMBER = re.compile(
    r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9\-_/.+#]{4,39}|\d{3}-[\dA-Z]{5}-[\dA-Z]{4,}(?:-[\dA-Z]{3})?"
)
TOTAL = _pattern(r"""
    (?:sub|grand|net|gross|order|quote|section|page|overall|carry|hardware|project|contract)[ -]?total.*|totals?\b.*|sum\b.*
    .*\btotal:?|(?:zwischen|gesamt|end|netto|brutto)-?summe.*|summe.*|(?:gesamt|netto|brutto)(?:preis|betrag).*|gesamt
    sous[ -]total.*|montant total.*|importe total.*|totale.*|totaal.*|subtotaal.*
    balance due.*|amount due.*|小计.*|合计.*|总计.*|合計.*""")
CHARGE = _pattern(r"""
    .*\b(?:freight|shipping|handling|insurance|customs|duty|duties|surcharge|vat|sales tax|tax|gst|mwst|ust|umsatzsteuer)\b.*
    .*(?:mehrwertsteuer|versand|fracht|transport|livraison|frais de port|envío|envio|spedizione|verzend).*
    .*\b(?:tva|iva|btw)\b.*
    (?:(?:special|project|volume|additional|extra|trade[- ]in) )?(?:discount|rebate|rabatt|nachlass|remise|descuento|sconto).*
    [a-zäöü]*(?:rabatt|nachlass)\b.*""")
OPTION = re.compile(
    r"\b(?:optional(?:ly)?|options?|alternat(?:e|es|ive|ives|ively)|wahlweise|en option|opcional|opzionale|"
    r"alternativ(?:position)?)\b",
    re.I,
)
OPTION_TAG = re.compile(
    r"^\W*(?:option(?:al)?|alt(?:ernat(?:e|ive))?|opt)\b\W*|\W(?:optional|alternative|alternate|option)\W*$", re.I
)
YES = frozenset(
    {
        "x",
        "y",
        "yes",
        "ja",
        "oui",
        "si",
        "sí",
        "true",
        "1",
        "option",
        "optional",
        "opt",
        "alt",
        "alternate",
        "alternative",
        "o",
        "wahlweise",
    }
)
SERVICE = re.compile(
    r"\b(?:support|licen[cs]es?|subscriptions?|warrant(?:y|ies)|installations?|training|services?|maintenance|care ?pack|rma|"
    r"software|wartung|garantie|lizenz|schulung|entitlement|nbd|business[- ]critical)\b",
    re.I,
)


def plain_words(cell: str) -> str:
    """A header without case, signs and doubled spaces: "Unit Price (EUR)" → "unit price eur"."""
    text = unicodedata.normalize("NFKC", cell).lower().replace("#", " no ").replace("№", " no ")
    return re.sub(r"[\W_]+", " ", text).strip()[:80]


def header_fields(cells: Sequence[str]) -> dict[str, int]:
    """Fields that the cells of a header row name, with their places."""
    fields: dict[str, int] = {}
    either, units = [], []
    named: dict[str, list[int]] = {}
    for place, cell in enumerate(cells):
        words = plain_words(cell)
        if not words or len(cell) > 60:
            continue
        if _UNIT.fullmatch(words):
            units.append(place)
            continue
        name = _meaning(words)
        if name == "part_number" and (_RESELLER.fullmatch(words) or name in fields):
            name = "other_number"
        if name:
            fields.setdefault(name, place)
            named.setdefault(name, []).append(place)
        elif _EITHER.fullmatch(words):
            either.append(place)
    for place in units:  # what is counted, or how much of it
        fields.setdefault("counted_in" if "quantity" in fields else "quantity", place)
    for place in either:  # "Item" and "Product" may be a number or words
        if free := next((name for name in ("description", "part_number") if name not in fields), None):
            fields[free] = place
    if "other_number" in fields and "part_number" not in fields:
        fields["part_number"] = fields.pop("other_number")
    if "list_price" in fields and not {"unit_price", "discount"} & set(fields):
        fields["unit_price"] = fields.pop("list_price")
    return fields | _of_one_currency(cells, named)


def _of_one_currency(cells: Sequence[str], named: dict[str, list[int]]) -> dict[str, int]:
    """Of prices that stand in several currencies beside each other, the first unit price that has an extended one in its own."""
    for unit in named.get("unit_price", ()):
        for extended in named.get("extended_price", ()):
            if (money := currency_of(cells[unit])) and money == currency_of(cells[extended]):
                return {"unit_price": unit, "extended_price": extended}
    return {}


def _meaning(words: str) -> str | None:
    if _NUMBERING.fullmatch(words):
        return None
    if _COUNT.fullmatch(words):
        return "quantity"
    bare = re.sub(r"\s+", " ", _BESIDE.sub(" ", words)).strip()
    for name, pattern in _HEADERS.items():
        if pattern.fullmatch(words) or (bare and pattern.fullmatch(bare)):
            return name
    return None
