"""Whole numbers as text. Beside ``units``, as a process that only reads a spreadsheet starts without numpy."""


def is_whole_number(text: str, max_digits: int) -> bool:
    """Whether a text is 1 to ``max_digits`` of the digits 0 to 9, so that int() takes it.

    str.isdigit() says the same of ² and ①, which int() refuses, and of numbers that are too long for an array.
    """
    return text.isascii() and text.isdecimal() and len(text) <= max_digits
