import Outbound

/// Where Apple's dialog sends people back to on the web and on Android, by client id (G-05).
///
/// Apple takes a code only together with the `redirect_uri` that it was asked for with, where there
/// was one (RFC 6749, 4.1.3), and answers `invalid_grant` otherwise. The dialog of Apple's own
/// devices has none, and its apps have client ids of their own. So one line for each client id of
/// the web says all, and no caller has to hand it on with each sign-in: what Apple has not registered
/// for the client would be refused in any case.
package struct AppleRedirects: Hashable, Sendable {
    /// No app has one.
    package static let none = AppleRedirects(places: [:])

    private let places: [String: String]

    private init(places: [String: String]) {
        self.places = places
    }

    /// Reads `client=https://…` entries, one for each client id; nil where one is none.
    package init?(_ entries: [String]) {
        var places: [String: String] = [:]
        for entry in entries {
            let halves = entry.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty,
                let place = HTTPURL(String(halves[1]), allowsPlain: false),
                places.updateValue(place.text, forKey: String(halves[0])) == nil
            else { return nil }
        }
        self.places = places
    }

    /// The client ids that have one.
    package var clients: Set<String> { Set(places.keys) }

    /// That of the app `client`, as Apple has it; nil for none.
    func place(of client: String) -> String? { places[client] }
}
