/// Roughly where a call comes from, by the person's address (G-08, G-22). Only the gateway looks it
/// up; the others have it from the gateway's metadata and from their stores. It may be wrong: a
/// phone's address is often registered elsewhere in its country.
package struct Place: Hashable, Sendable {
    /// A position in tenths of a degree (WGS 84), some 10 km: a finer one says more about a person
    /// than about a sign-in, and an address does not have it.
    package struct Position: Hashable, Sendable {
        /// -900 to 900, positive in the north.
        package let latitude: Int
        /// -1800 to 1800, positive in the east.
        package let longitude: Int

        /// Nil outside of these ranges.
        package init?(latitude: Int, longitude: Int) {
            guard (-900...900).contains(latitude), (-1_800...1_800).contains(longitude) else {
                return nil
            }
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// The longest name of a city, in bytes.
    package static let cityBytesMax = 100

    /// The country's two letters (ISO 3166-1), for example `DE`.
    package let country: String
    /// The city's English name; empty if it is unknown.
    package let city: String
    /// Where the city is; nil if it is unknown.
    package let position: Position?

    /// Nil if the country is not two capital letters. A name of a city that is too long, or that
    /// has control characters, counts as none.
    package init?(country: String, city: String = "", position: Position? = nil) {
        guard country.isName(2...2, [.upper]) else { return nil }
        self.country = country
        let isShown =
            city.utf8.count <= Self.cityBytesMax
            && city.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        self.city = isShown ? city : ""
        self.position = position
    }

    /// As people read it: `Berlin, DE`, or `DE` alone.
    package var shown: String { city.isEmpty ? country : "\(city), \(country)" }

    /// As metadata and stores have it: country, latitude, longitude and city, separated by
    /// semicolons, of which the city may have more.
    package var text: String {
        let latitude = position.map { String($0.latitude) } ?? ""
        let longitude = position.map { String($0.longitude) } ?? ""
        return [country, latitude, longitude, city].joined(separator: ";")
    }

    /// Reads `text`; nil if it is malformed.
    package init?(text: String) {
        let parts = text.split(separator: ";", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var position: Position?
        if !parts[1].isEmpty || !parts[2].isEmpty {
            guard let latitude = Int(parts[1]), let longitude = Int(parts[2]),
                let read = Position(latitude: latitude, longitude: longitude)
            else { return nil }
            position = read
        }
        self.init(country: String(parts[0]), city: String(parts[3]), position: position)
    }
}
