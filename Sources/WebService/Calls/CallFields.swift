import HTTPTypes
import ServiceRuntime

/// Fields of the protocols, and those of our metadata that calls take from HTTP. The fields about
/// the caller are in `CallerField`.
extension HTTPField.Name {
    static let acceptPost = Self.known("accept-post")
    static let connectAcceptEncoding = Self.known("connect-accept-encoding")
    static let connectContentEncoding = Self.known("connect-content-encoding")
    static let connectTimeout = Self.known("connect-timeout-ms")
    static let grpcAcceptEncoding = Self.known("grpc-accept-encoding")
    static let grpcEncoding = Self.known("grpc-encoding")
    static let grpcMessage = Self.known("grpc-message")
    static let grpcStatus = Self.known("grpc-status")
    static let grpcStatusDetails = Self.known("grpc-status-details-bin")
    static let grpcTimeout = Self.known("grpc-timeout")
    static let idempotencyKey = Self.known("idempotency-key")

    /// The name of a field that `HTTPTypes` has no constant for.
    static func known(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else {
            preconditionFailure("\(name) is no name of a field")
        }
        return name
    }
}

extension FormalLanguages {
    /// The voice of the sentences in an error, for the client that sent these fields.
    func voice(for fields: HTTPFields) -> Voice {
        let accepted = fields.value(of: .acceptLanguage).map { AcceptedLanguages($0) }
        return voice(of: accepted?.best?.language ?? .english)
    }
}

extension HTTPFields {
    /// The value of a field. It is what the subscript returns, which takes thousands of
    /// instructions to join the only value with no others.
    func value(of name: HTTPField.Name) -> String? {
        var value: String?
        let count = name.canonicalName.utf8.count
        // Most names differ in length, which is compared at once.
        for field in self
        where field.name.canonicalName.utf8.count == count && field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }

    /// Adds a field that is not there. The subscript looks for it first.
    mutating func add(_ name: HTTPField.Name, _ value: String) {
        append(HTTPField(name: name, value: value))
    }
}
