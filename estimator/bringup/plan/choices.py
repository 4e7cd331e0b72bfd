"""What a plan leaves to whoever asks for it: addresses, how the data class is protected, weeks of work at the site."""

from typing import Literal, NamedTuple, get_args

from estimator.errors import Problem, SpecError
from estimator.record import Record

Addressing = Literal["port", "rail"]
DataClass = Literal["lossless", "trimming"]
ADDRESSINGS: dict[Addressing, str] = {
    "port": "a /31 for every node port",
    "rail": "a subnet for the node ports of every leaf, a rail each where leaves serve rails",
}
DATA_CLASSES: dict[DataClass, str] = {
    "lossless": "PFC pauses the data class",
    "trimming": "lossy: full queues cut packets to their headers, and NICs send again",
}
WEEKS = 6.0
MOST_WEEKS = 260
CHANGES: dict[str, str] = {
    "addressing": "a VLAN and a gateway on every leaf in place of an address on each port, addresses and ARP of hosts, "
    "pools of addresses in Kubernetes",
    "data_class": "PFC, headroom and watchdog of switches, trimming of full queues, mlnx_qos and firmware of NICs",
    "weeks": "crews and days of the checklist; no device is set otherwise",
}
"""What a choice other than the usual one changes."""


class ChoicesMade(Record):
    """Choices of a plan as they are answered."""

    addressing: Addressing
    data_class: DataClass
    weeks: float


class Choices(NamedTuple):
    """Choices of a plan; the defaults are what is taken where nobody chooses."""

    addressing: Addressing = "port"
    data_class: DataClass = "lossless"
    weeks: float = WEEKS

    @property
    def circumstances(self) -> dict[str, str]:
        """What facts can depend on: nothing where the choice is the usual one."""
        out = {"addressing": "rail"} if self.addressing == "rail" else {}
        return out | ({"trimming": "yes"} if self.data_class == "trimming" else {})

    @property
    def unusual(self) -> dict[str, str]:
        """Those that are not the usual ones, as an address has them."""
        shown = {"addressing": self.addressing, "data_class": self.data_class, "weeks": f"{self.weeks:g}"}
        return {key: word for key, word in shown.items() if getattr(self, key) != getattr(USUAL, key)}

    @property
    def of_devices(self) -> dict[str, str]:
        """Those of ``unusual`` that devices are set otherwise for."""
        return {key: word for key, word in self.unusual.items() if key != "weeks"}

    @property
    def answer(self) -> ChoicesMade:
        """All of them, for answers."""
        return ChoicesMade(addressing=self.addressing, data_class=self.data_class, weeks=self.weeks)


USUAL = Choices()


def choices(addressing: str = "port", data_class: str = "lossless", weeks: float = WEEKS) -> Choices:
    """The choices, by their words.

    Raises
    ------
    SpecError
        For a word that is none of them, and for weeks out of range.
    """
    if addressing not in get_args(Addressing):
        raise _no_choice("addressing", addressing, list(ADDRESSINGS))
    if data_class not in get_args(DataClass):
        raise _no_choice("data_class", data_class, list(DATA_CLASSES))
    way: Addressing = "rail" if addressing == "rail" else "port"
    flow: DataClass = "trimming" if data_class == "trimming" else "lossless"
    return Choices(way, flow, checked_weeks(weeks))


def checked_weeks(weeks: float) -> float:
    """Weeks that there can be.

    Raises
    ------
    SpecError
        If they are out of range.
    """
    if not 0 < weeks <= MOST_WEEKS:
        message = (
            f"Weeks are above 0 and at most {MOST_WEEKS}, and {weeks:g} were requested. Leave them out for {WEEKS:g}."
        )
        raise SpecError([Problem("weeks", "out_of_range", message)])
    return float(weeks)


def _no_choice(key: str, found: str, known: list[str]) -> SpecError:
    message = f"Choices of {key} are {', '.join(known)}, and {found[:40]} was requested."
    return SpecError([Problem(key, "not_a_choice", message)])
