package import ServiceRuntime

/// The result of a request.
package enum HTTPOutcome: Sendable {
    /// The server responded, with any status.
    case answered(HTTPResponse)
    /// There was no response, or an invalid one.
    case failed(TransferFailure)
}

/// A complete response within its limits.
package struct HTTPResponse: Sendable {
    /// The status code (RFC 9110, 15).
    package let status: Int
    /// The header fields.
    package let fields: HTTPFields
    /// The body.
    package let body: [UInt8]

    /// A response.
    package init(status: Int, fields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Whether the status is 2xx.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// The time that the server asks to wait (RFC 9110, 10.2.3), as seconds or a date. Nil where
    /// the header is missing or invalid. Limited to a day, so that one response cannot stop all
    /// further requests.
    package func retryAfter(at now: Timestamp) -> Duration? {
        guard let text = fields["retry-after"] else { return nil }
        let longest: Duration = .seconds(24 * 3_600)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(text).map { min(.seconds($0), longest) } ?? longest
        }
        guard let moment = Timestamp(httpDate: text) else { return nil }
        return min(max(moment - now, .zero), longest)
    }
}

/// The header fields of a response, in order of arrival.
package struct HTTPFields: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// These fields.
    package init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
    }

    /// The value of the first field with this name. Case is ignored.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name == wanted }?.value
    }

    /// Adds a line of a head, `name: value`. Other lines are skipped.
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
