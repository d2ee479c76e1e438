package import ServiceRuntime

/// The place in a list after which a page begins, as a text for its readers: parts with slashes in
/// between. Only the last part may have slashes of its own.
package enum PageToken {
    /// The token of the page after a place.
    package static func text(_ parts: String...) -> String { parts.joined(separator: "/") }

    /// The place of a token in a request; nil for the first page.
    /// - Parameter read: Makes the place of exactly `count` parts; nil if they are none.
    /// - Throws: `rpc/invalid-argument` for a token that no page has.
    package static func place<Place>(
        _ token: String, parts count: Int, _ read: ([String]) -> Place?
    ) throws(ServiceError) -> Place? {
        if token.isEmpty { return nil }
        // By scalars: the name of a document may begin with one that combines with the slash.
        let parts = token.unicodeScalars.split(
            separator: "/", maxSplits: count - 1, omittingEmptySubsequences: false
        ).map { String($0) }
        guard parts.count == count, let place = read(parts) else {
            throw ServiceError(.invalidArgument, fields: ["page_token"])
        }
        return place
    }
}
