"""How far a judge can be trusted: cases whose answer is known, a sweep of the threshold, figures a class."""

from scorers.calibration.calibrate import calibrate
from scorers.calibration.cases import Case, Kind, make_cases
from scorers.calibration.results import CalibrationResult, read_calibration

__all__ = ["CalibrationResult", "Case", "Kind", "calibrate", "make_cases", "read_calibration"]
