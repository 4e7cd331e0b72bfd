"""Keeps secrets that stand in addresses out of the logs: a copy of a log must open nothing."""

import logging
import re

IN_ADDRESS = re.compile(r"/(shared|sign-in)/[^/\s?#\"']+")


class HideSecrets(logging.Filter):
    """Cuts the secret out of "/shared/SECRET/" and "/sign-in/SECRET/" wherever a record's words have it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always True: the record is written, without the secret."""
        words = record.getMessage()
        hidden = IN_ADDRESS.sub(r"/\1/…", words)
        if hidden != words:
            record.msg, record.args = hidden, ()
        return True
