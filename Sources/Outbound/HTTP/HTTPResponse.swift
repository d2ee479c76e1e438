package import ServiceRuntime

/// How a request ended.
package enum HTTPOutcome: Sendable {
    /// The server has answered, whatever it said.
    case answered(HTTPResponse)
    /// It has not, or not in a form that is taken.
    case failed(TransferFailure)
}

/// An answer, whole and within the bounds of its terms.
package struct HTTPResponse: Sendable {
    /// The status (RFC 9110, 15).
    package let status: Int
    /// The fields of its head.
    package let fields: HTTPFields
    /// Its content.
    package let body: [UInt8]

    /// An answer.
    package init(status: Int, fields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the request was done.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// For how long the server wants to be left alone (RFC 9110, 10.2.3): seconds, or a date; nil
    /// where it does not say. Held to a day, lest one answer silence us for good.
    package func retryAfter(at now: Timestamp) -> Duration? {
        guard let text = fields["retry-after"] else { return nil }
        let longest: Duration = .seconds(24 * 3_600)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(text).map { min(.seconds($0), longest) } ?? longest
        }
        guard let moment = HTTPDate.moment(text) else { return nil }
        return min(max(moment - now, .zero), longest)
    }
}

/// The fields of an answer's head in the order of their arrival.
package struct HTTPFields: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// These fields.
    package init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
    }

    /// The value of the first field of this name, in whatever case either is written.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name == wanted }?.value
    }

    /// Adds a line of a head, `name: value`; another line is left out.
    mutating func add(_ line: some Collection<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = line[line.index(after: colon)...].drop(while: Self.isSpace)
        var bytes = Array(value)
        while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
        fields.append((name, String(decoding: bytes, as: UTF8.self)))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
