import HTTPTypes

/// The part of a document that a request asks for (RFC 9110, 14). Of several ranges none is served:
/// a server may ignore the field.
struct ByteRange: Hashable, Sendable {
    /// The first byte.
    let first: Int64
    /// How many; at least one.
    let count: Int64

    /// `content-range` of a document of that length.
    func field(ofLength length: Int64) -> String {
        "bytes \(first)-\(first + count - 1)/\(length)"
    }

    /// What a request asks for.
    enum Request: Hashable, Sendable {
        /// The whole document: there is no field, or one that is ignored.
        case whole
        case part(ByteRange)
        /// It begins behind the end: 416.
        case unsatisfiable
    }
}

extension ByteRange.Request {
    /// Reads `Range` and `If-Range` of a `GET`.
    /// - Parameters:
    ///   - tag: the document's version; a part of another one does not fit.
    ///   - length: the document's length; more than 0.
    init(_ fields: HTTPFields, tag: EntityTag, length: Int64) {
        self = .whole
        guard let text = fields[.range], fields[.ifRange].map({ $0 == tag.text }) ?? true,
            text.prefix(6).lowercased() == "bytes="
        else { return }
        let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 2, parts.allSatisfy(Self.isNumber), !(parts[0] + parts[1]).isEmpty
        else { return }
        // A number that is too large is behind any end.
        guard !parts[0].isEmpty else {
            let last = Int64(parts[1]) ?? .max
            self = last == 0 ? .unsatisfiable : Self.part(from: length - min(last, length), length)
            return
        }
        let first = Int64(parts[0]) ?? .max
        let last = parts[1].isEmpty ? Int64.max : Int64(parts[1]) ?? .max
        guard first <= last else { return }
        self =
            first < length
            ? .part(ByteRange(first: first, count: min(last, length - 1) - first + 1))
            : .unsatisfiable
    }

    private static func part(from first: Int64, _ length: Int64) -> ByteRange.Request {
        .part(ByteRange(first: first, count: length - first))
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
