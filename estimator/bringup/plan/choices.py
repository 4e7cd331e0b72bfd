"""What a plan leaves to whoever asks for it: addresses, how the data class is protected, weeks of work at the site."""

from typing import Literal, NamedTuple, get_args

from estimator.errors import Problem, SpecError

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


USUAL = Choices()


def choices(addressing: str = "port", data_class: str = "lossless", weeks: float = WEEKS) -> Choices:
    """The choices, by their words.

    Raises
    ------
    SpecError
        For a word that is none of them.
    """
    if addressing not in get_args(Addressing):
        raise _no_choice("addressing", addressing, list(ADDRESSINGS))
    if data_class not in get_args(DataClass):
        raise _no_choice("data_class", data_class, list(DATA_CLASSES))
    way: Addressing = "rail" if addressing == "rail" else "port"
    flow: DataClass = "trimming" if data_class == "trimming" else "lossless"
    return Choices(way, flow, weeks)


def _no_choice(key: str, found: str, known: list[str]) -> SpecError:
    message = f"Choices of {key} are {', '.join(known)}, and {found[:40]} was requested."
    return SpecError([Problem(key, "not_a_choice", message)])
