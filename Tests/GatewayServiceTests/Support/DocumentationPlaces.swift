import Foundation

/// The place file of the tests: invented places of the documentation networks (RFC 5737), written
/// by `Tests/PlacesTests/make_places.py`.
enum DocumentationPlaces {
    static let file = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "PlacesTests/places.mmdb").path

    /// An address in Berlin, DE.
    static let berlin = "192.0.2.1"

    /// The gateway's setting.
    static let flag = "--place-file=\(file)"
}

/// A browser that calls: its name, and how the gateway says it.
enum NamedBrowser {
    static let userAgent = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/131.0"
    static let agent = "firefox 131, linux"
}
