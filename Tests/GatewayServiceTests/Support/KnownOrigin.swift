import Foundation

/// Where a person of a test is, and with what: an address of the place file of tests, whose places
/// are invented (`Tests/PlacesTests/make_places.py`), and a browser.
enum KnownOrigin {
    /// The gateway's setting of the place file.
    static let flag = "--place-file=\(placeFile)"
    static let placeFile = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "PlacesTests/places.mmdb").path

    /// In Berlin, DE.
    static let address = "192.0.2.1"
    static let userAgent = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/131.0"
    /// The gateway's words for it.
    static let agent = "firefox 131, linux"
}
