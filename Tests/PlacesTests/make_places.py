"""Writes places.mmdb: the documentation networks (RFC 5737, RFC 3849) with invented places, by another
implementation of the format (mmdb_writer).

Run it with the Python environment of Tests/Interop/requirements.txt after a change; the file is
committed, so that the tests need no Python.
"""

import ipaddress
import pathlib

from mmdb_writer import MMDBWriter
from netaddr import IPSet


def place(country, city=None, latitude=None, longitude=None):
    record = {"country": {"iso_code": country, "names": {"en": "A country"}}}
    if city is not None:
        record["city"] = {"names": {"en": city, "de": "Anderswo"}}
    if latitude is not None:
        record["location"] = {
            "latitude": latitude, "longitude": longitude, "accuracy_radius": 20}
    return record


PLACES = {
    "192.0.2.0/25": place("DE", "Berlin", 52.5244, 13.4105),
    "192.0.2.128/25": place("FR"),
    "198.51.100.0/24": place("JP", "Tōkyō", 35.6895, 139.6917),
    # What a hostile or broken file could have instead of a place.
    "203.0.113.0/28": place("Deutschland"),
    "203.0.113.16/28": place("BR", "São\nPaulo", -23.5475, -46.6361),
    "203.0.113.32/28": place("AR", "x" * 101, -34.6131, -58.3772),
    "203.0.113.48/28": place("US", "Nowhere", 1e300, -1e300),
    "203.0.113.64/28": {"country": "DE"},
    "203.0.113.80/28": {"traits": {"is_anycast": True}},
    "203.0.113.96/28": {"country": {"iso_code": 276}},
    "2001:db8:1::/48": place("NL", "Amsterdam", 52.374, 4.8897),
}


def main():
    writer = MMDBWriter(
        ip_version=6, ipv4_compatible=True, database_type="Postern-Test-City",
        languages=["en", "de"], description="Documentation networks", float_type="f64")
    for network, record in PLACES.items():
        ipaddress.ip_network(network)
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(pathlib.Path(__file__).parent / "places.mmdb"))


if __name__ == "__main__":
    main()
