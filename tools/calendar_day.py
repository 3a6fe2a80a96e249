"""Day and time in the Gregorian calendar, without a module that costs start-up. Pure."""

from __future__ import annotations


def day(days: int) -> tuple[int, int, int]:
    """Year, month and day of so many days since 1970-01-01, also before it (proleptic)."""
    # Counted from 0000-03-01, so that a leap day ends its year; 400 years are 146,097 days.
    era, of_era = divmod(days + 719468, 146097)
    of_years = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * of_years + of_years // 4 - of_years // 100)
    month = (5 * of_year + 2) // 153
    first = (153 * month + 2) // 5
    month += 3 if month < 10 else -9
    return of_years + era * 400 + (month <= 2), month, of_year - first + 1


def moment(seconds: int) -> str:
    """Seconds since 1970-01-01 as date and time in UTC: `2026-05-20 10:00:00`."""
    days, rest = divmod(seconds, 86400)
    year, month, of_month = day(days)
    return f"{year:04}-{month:02}-{of_month:02} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
