import Outbound

/// The redirect URIs of a provider's dialog, by client id (G-04, G-05).
///
/// A provider accepts a code only with the `redirect_uri` of its authorization request, if there was
/// one (RFC 6749, 4.1.3), and returns an error otherwise. Callers need not pass the URI with each
/// sign-in: one entry for each client id suffices.
///
/// | | codes of apps | codes of the web |
/// |---|---|---|
/// | Apple | client ids of their own, without a URI | the URI of the dialog, also on Android |
/// | Google | as of the web, if there is an entry | the URI, or `postmessage` of a popup |
///
/// A provider rejects a URI that is not registered for the client in any case.
package struct GrantRedirects: Hashable, Sendable {
    /// No client id has a redirect URI.
    package static let none = GrantRedirects(places: [:])
    /// What Google's popup has in place of a URI.
    static let googlePopup = "postmessage"

    private let places: [String: String]

    private init(places: [String: String]) {
        self.places = places
    }

    /// Parses `client=https://…` entries, one for each client id; nil if an entry is malformed or a
    /// client id is repeated.
    /// - Parameter word: A value that is accepted although it is no URL.
    package init?(_ entries: [String], word: String? = nil) {
        var places: [String: String] = [:]
        for entry in entries {
            let halves = entry.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            guard halves.count == 2, !halves[0].isEmpty,
                halves[1] == word || HTTPURL(halves[1], allowsPlain: false) != nil,
                places.updateValue(halves[1], forKey: halves[0]) == nil
            else { return nil }
        }
        self.places = places
    }

    /// The client ids that have a redirect URI.
    package var clients: Set<String> { Set(places.keys) }

    /// The redirect URI of the app `client`, as registered at the provider; nil for none.
    func place(of client: String) -> String? { places[client] }
}
