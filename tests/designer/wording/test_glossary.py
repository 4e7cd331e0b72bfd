"""Terms in texts that cannot hold links themselves, such as the axes of a chart."""

from designer.wording.glossary import EVERYDAY, anchors, entries_in


def shown(*texts: str) -> list[str]:
    return [entry.shown for entry in entries_in(texts)]


def test_a_term_is_found_however_a_chart_writes_it() -> None:
    assert shown("Bus bandwidth, GB/s") == ["algbw, busbw, bus bandwidth"]
    assert shown("MFU", "Goodput") == ["MFU", "goodput"]
    assert shown("P50 price") == shown("Percentiles") == ["P5, P50, P95, percentile"]
    assert shown("Time to first token, ms") == shown("TTFT") == ["time per token (TPOT), time to first token (TTFT)"]
    assert shown("TP 8 · PP 4") == shown("Pipeline stages") == ["TP, PP, CP, EP, DP"]
    assert shown("Scaling efficiency", "MFU") == shown("MFU", "Scaling efficiency") == ["scaling efficiency", "MFU"]


def test_what_is_part_of_another_word_or_known_to_all_is_not() -> None:
    assert shown("All GPUs of a node, by link", "Springs", "Messages", "sdp step, tp", "Pipeline") == []
    assert shown("Ring-fenced", "PP-like", "MFUs") == []


def test_a_word_that_is_left_out_is_one_of_the_glossary() -> None:
    assert anchors() >= EVERYDAY
