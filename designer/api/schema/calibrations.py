"""Constants of a site, out of logs."""

from designer.api.answers import estimate as answers
from designer.api.calls import call, delete_call, list_call, read_call
from designer.api.components import body, component, values_by
from designer.api.schema.requests import LOG_TEXT, UPLOAD
from designer.api.serializers import CalibrationDetailSerializer, CalibrationSerializer

_KEPT_NAME = {"type": "string", "maxLength": 200, "description": "Keeps the calibration under this name."}
calibration_create = call(
    "calibrate",
    "Constants of a site, and what is wrong with it, from logs of nccl-tests or rccl-tests and from single paths",
    {200: answers.CalibrationAnswer, 201: CalibrationDetailSerializer},
    (403, 413, 415, 503),
    request={
        "application/json": component(
            "LogTexts",
            body(
                {
                    "logs": {
                        "type": "array",
                        "items": component("LogText", body(LOG_TEXT, required=["file", "text"])),
                    },
                    "system": values_by("key of a prediction's system that the logs do not say"),
                    "name": _KEPT_NAME,
                },
                required=["logs"],
            ),
        ),
        "multipart/form-data": component(
            "LogFiles",
            body(
                {
                    "log": {"type": "array", "items": UPLOAD, "description": "One or several."},
                    "system": {
                        "type": "string",
                        "description": "JSON: keys of a prediction's system that the logs do not say.",
                    },
                    "name": _KEPT_NAME,
                },
                required=["log"],
            ),
        ),
    },
    description="Takes the log as the body as well, as `text/plain`.",
    takes_key=True,
    tags=["calibrations"],
)
calibration_list = list_call("list_calibrations", "List calibrations", CalibrationSerializer, "calibrations")
calibration_read = read_call("get_calibration", "A calibration", CalibrationDetailSerializer, "calibrations")
calibration_delete = delete_call("delete_calibration", "Delete a calibration", "calibrations")
