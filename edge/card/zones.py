"""Names of common time zones -> their rules now (POSIX TZ, as the last line of a TZif file has it; RFC 8536, 3.3).

An image has no zone files (4 MB); the C library follows a rule in TZ without any. Past changes of a zone are in no
rule, and need none here: what is recorded is recorded in UTC.
"""

from __future__ import annotations

_RULES = {
    "UTC0": "UTC Etc/UTC",
    "GMT0": "GMT",
    "GMT0BST,M3.5.0/1,M10.5.0": "Europe/London",
    "IST-1GMT0,M10.5.0,M3.5.0/1": "Europe/Dublin",
    "WET0WEST,M3.5.0/1,M10.5.0": "Europe/Lisbon",
    "CET-1CEST,M3.5.0,M10.5.0/3": (
        "Europe/Berlin Europe/Paris Europe/Madrid Europe/Rome Europe/Vienna Europe/Zurich Europe/Amsterdam "
        "Europe/Brussels Europe/Copenhagen Europe/Oslo Europe/Stockholm Europe/Prague Europe/Warsaw Europe/Budapest "
        "Europe/Belgrade"
    ),
    "EET-2EEST,M3.5.0/3,M10.5.0/4": (
        "Europe/Athens Europe/Bucharest Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Sofia"
    ),
    "<+03>-3": "Europe/Istanbul Asia/Riyadh",
    "MSK-3": "Europe/Moscow",
    "EST5EDT,M3.2.0,M11.1.0": "America/New_York America/Toronto",
    "CST6CDT,M3.2.0,M11.1.0": "America/Chicago",
    "MST7MDT,M3.2.0,M11.1.0": "America/Denver",
    "MST7": "America/Phoenix",
    "PST8PDT,M3.2.0,M11.1.0": "America/Los_Angeles",
    "AKST9AKDT,M3.2.0,M11.1.0": "America/Anchorage",
    "<-03>3": "America/Sao_Paulo America/Argentina/Buenos_Aires",
    "CST6": "America/Mexico_City",
    "<-05>5": "America/Bogota America/Lima",
    "<-04>4<-03>,M9.1.6/24,M4.1.6/24": "America/Santiago",
    "EET-2EEST,M4.5.5/0,M10.5.4/24": "Africa/Cairo",
    "SAST-2": "Africa/Johannesburg",
    "WAT-1": "Africa/Lagos",
    "EAT-3": "Africa/Nairobi",
    "IST-2IDT,M3.4.4/26,M10.5.0": "Asia/Jerusalem",
    "<+04>-4": "Asia/Dubai",
    "PKT-5": "Asia/Karachi",
    "IST-5:30": "Asia/Kolkata",
    "<+0545>-5:45": "Asia/Kathmandu",
    "<+06>-6": "Asia/Dhaka",
    "<+07>-7": "Asia/Bangkok",
    "WIB-7": "Asia/Jakarta",
    "CST-8": "Asia/Shanghai Asia/Taipei",
    "HKT-8": "Asia/Hong_Kong",
    "<+08>-8": "Asia/Singapore",
    "PST-8": "Asia/Manila",
    "JST-9": "Asia/Tokyo",
    "KST-9": "Asia/Seoul",
    "AWST-8": "Australia/Perth",
    "ACST-9:30ACDT,M10.1.0,M4.1.0/3": "Australia/Adelaide",
    "AEST-10": "Australia/Brisbane",
    "AEST-10AEDT,M10.1.0,M4.1.0/3": "Australia/Sydney Australia/Melbourne",
    "NZST-12NZDT,M9.5.0,M4.1.0/3": "Pacific/Auckland",
    "HST10": "Pacific/Honolulu",
}
ZONES = {name: rule for rule, names in _RULES.items() for name in names.split()}
