import Outbound

/// The redirect URIs of Apple's dialog on the web and on Android, by client id (G-05).
///
/// Apple accepts a code only with the `redirect_uri` of its authorization request, if there was one
/// (RFC 6749, 4.1.3), and returns `invalid_grant` otherwise. The dialog on Apple's own devices has
/// none, and the apps there have client ids of their own. So one entry for each web client id
/// suffices, and callers need not pass the URI with each sign-in. Apple rejects a URI that is not
/// registered for the client in any case.
package struct AppleRedirects: Hashable, Sendable {
    /// No client id has a redirect URI.
    package static let none = AppleRedirects(places: [:])

    private let places: [String: String]

    private init(places: [String: String]) {
        self.places = places
    }

    /// Parses `client=https://…` entries, one for each client id; nil if an entry is malformed or a
    /// client id is repeated.
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

    /// The client ids that have a redirect URI.
    package var clients: Set<String> { Set(places.keys) }

    /// The redirect URI of the app `client`, as registered at Apple; nil for none.
    func place(of client: String) -> String? { places[client] }
}
