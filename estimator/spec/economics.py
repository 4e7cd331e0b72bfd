"""Keys of a request about money: price book, years, running cost, spares. Types, bounds and the words of each."""

from operator import attrgetter
from typing import Literal

from pydantic import Field

from estimator.catalog.records import Economic
from estimator.spec.checking import Section, empty, left_out, quantity
from estimator.spec.own.owned import MAX_OWNED, OwnedPart
from estimator.spec.price_book import OwnPrices


class Spares(Section):
    """Spare parts, as a share of what is installed. What is left out is the catalog's share; 0 buys none."""

    switches: float | None = Field(
        None, ge=0, le=1, title="Spare switches", description="Share of the switches of a model."
    )
    optics: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Spare transceivers",
        description="Share of the transceivers and optical cables of a part number.",
    )
    cables: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Spare cables",
        description="Share of the copper cables and fibres of a part and length.",
    )
    nics: float | None = Field(None, ge=0, le=1, title="Spare NICs", description="Share of the NICs of a model.")


class Economics(Section):
    """Prices and running cost. What is left out is the catalog's own figure, marked as its row marks it."""

    price_book: Literal["street", "anchors", "dealer", "branded"] = Field(
        "street",
        title="Price book",
        description=(
            "Street: prices seen in the market. Anchors: planning prices a port and a NIC. Dealer or branded: switches and "
            "NICs by that channel alone."
        ),
    )
    prices: OwnPrices | None = Field(
        None,
        title="Your prices",
        description="A price book of your own, whole: its prices come before those of the catalog's book.",
    )
    owned: list[OwnedPart] = Field(
        default_factory=empty,
        max_length=MAX_OWNED,
        title="Already owned",
        description="Parts that are there already: counted, cabled and powered, and not bought.",
    )
    years: int = quantity("Years", "How long the cluster is used.", "years", 4, ge=1, le=15)
    electricity_usd_per_kwh: float | None = quantity("Electricity", "Price of electricity.", "USD/kWh", ge=0, le=10)
    pue: float | None = Field(
        None, ge=1, le=5, title="PUE", description=("Power of the whole facility over power of its IT equipment.")
    )
    load_factor: float | None = Field(
        None, gt=0, le=1, title="Load factor", description=("Average draw over the maximum draw.")
    )
    utilization: float | None = Field(
        None,
        ge=0.001,
        le=1,
        title="Utilization",
        description=("Share of the hours in which the GPUs work; it sets the dollars a GPU-hour."),
    )
    discount_rate: float | None = Field(
        None, ge=0, le=1, title="Discount rate", description="Yearly rate at which later money counts less."
    )
    facility: Literal["colocation", "own-building", "existing"] = Field(
        "colocation",
        title="Space",
        description=(
            "Colocation: rent for each kW. Own building: built once, a price a MW. Existing: a hall that costs nothing more."
        ),
    )
    colocation_usd_per_kw_month: float | None = quantity(
        "Rent of space",
        "Colocation without electricity, for each kW of the largest IT load.",
        "USD/kW-month",
        ge=0,
        le=10_000,
    )
    support_server: float | None = Field(
        None, ge=0, le=1, title="Server support", description="Yearly support of servers, as a share of their price."
    )
    support_switch: float | None = Field(
        None, ge=0, le=1, title="Switch support", description="Yearly support of switches, as a share of their price."
    )
    support_other: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Other support",
        description="Yearly support of NICs, transceivers and cables, as a share of their price.",
    )
    network_licences: bool = Field(
        True,
        title="Network licences",
        description="Licences of the fabric manager (InfiniBand) or of the switches' operating system (Ethernet).",
    )
    gpu_licences: bool = Field(
        False, title="GPU software licences", description="A yearly subscription for each GPU (NVIDIA AI Enterprise)."
    )
    staff: bool = Field(False, title="Operations staff", description="Engineers by the number of GPUs.")
    design_labour: bool = Field(False, title="Design labour", description="A network design paid for once.")
    freight: float | None = Field(
        None, ge=0, le=1, title="Freight", description="Freight and insurance, as a share of the purchase price."
    )
    contingency: float | None = Field(
        None, ge=0, le=1, title="Contingency", description="A reserve, as a share of the purchase price."
    )
    sales_tax: float | None = Field(
        None, ge=0, le=1, title="Tax and duty", description="Sales tax, VAT, duty, as a share of the purchase price."
    )
    volume_discount: float = Field(
        0, ge=0, lt=1, title="Discount", description="Off every price of the book, as a share; prices of your own stay."
    )
    depreciation_years: float | None = quantity(
        "Depreciation", "Years over which equipment loses its value, down to what is left.", "years", ge=1, le=15
    )
    residual_value: float | None = Field(
        None,
        ge=0,
        le=1,
        title="Value left",
        description="Share of the purchase price left once depreciation has ended.",
    )
    warranty_years: float | None = quantity(
        "Warranty", "Years in which a failed network part is replaced for nothing.", "years", ge=0, le=15
    )
    cloud_usd_per_gpu_hour: float | None = quantity(
        "Cloud price",
        "What renting the same GPU costs, for rent or buy. Without it, only the break-even price is stated.",
        "USD/GPU-hour",
        gt=0,
        le=1_000,
    )
    tokens_per_s_per_gpu: float | None = quantity(
        "Tokens a second",
        "Throughput of your workload, for the dollars a million tokens.",
        "tokens/s per GPU",
        gt=0,
        le=1_000_000,
    )
    spares: Spares = Field(
        default_factory=left_out(Spares),
        title="Spares",
        description="Shares of spare parts by class.",
    )

    def in_place_of(self, row: Economic) -> float | None:
        """The figure that the request gives in place of a row of economics.csv (its ``request_key``), or None."""
        if row.request_key is None:
            return None
        given: float | None = attrgetter(row.request_key)(self)
        return given
