"""What a request may say of the floor that short messages stand on: a stack that is known by one, or a measured time."""

from typing import Literal

Stack = Literal["lean", "slow-host", "kubernetes", "efa-blackwell", "two-racks-nvl72"]
MOST_SMALL_US = 100_000.0
STACK_WORDS = (
    "A host, launcher and plugin that are known by a measured floor of short messages; null where it is not known, and the "
    "band then holds what sites differ by."
)
SMALL_MESSAGE_WORDS = (
    "Measured time of a message of 1 KiB or less, in µs: all latencies follow it. Of the requested collective; of a design's "
    "curves, an all-reduce."
)
SMALL_GPUS_WORDS = (
    "GPUs of that measurement; where left out, the request's largest count, and of a design one scale-up domain."
)
