/// Where the web service serves photos (G-17). The store has only their names.
package struct PhotoURLs: Sendable {
    /// The first of the web service's origins; empty without any, for URLs relative to it.
    private let origin: String

    /// The URLs below the first of the web service's origins.
    init(_ origins: [String]) { origin = origins.first ?? "" }

    /// The URL of a photo.
    package func url(of name: String) -> String { "\(origin)/v1/photos/\(name)" }
}
