import HTTPTypes
import RPC
import ServiceRuntime

/// Whether a request is a call that can be understood at all. What fails here is answered in the
/// form of a unary error of Connect, which a person can read, whatever the request's format is.
extension CallFormat {
    /// JSON as a unary call of Connect: the format of errors where the request has none.
    static let unaryJSON = CallFormat(.connectUnary, .json)

    /// The format of a call.
    /// - Parameter method: nil for an unknown one, which is refused in the request's format.
    /// - Throws: `CallFailure` with status 405, 415 or 505.
    init(
        negotiating head: HTTPRequest, isHTTP2: Bool, _ method: CallMethod?
    ) throws(CallFailure) {
        let contentType = head.headerFields.value(of: .contentType)
        let named = contentType.flatMap { CallFormat(contentType: $0) }
        guard let method else {
            self = named.flatMap { $0.framing == .grpc && !isHTTP2 ? nil : $0 } ?? .unaryJSON
            return
        }
        switch head.method {
        case .post: break
        case .get where method.allowsGet:
            self = .unaryJSON  // the query names the codec
            return
        default: throw Self.wrongVerb(method)
        }
        guard let named, named.fits(isStream: method.isStream) else {
            throw Self.unsupportedType(contentType, isStream: method.isStream)
        }
        guard isHTTP2 || (named.framing != .grpc && method.description.streams != .both) else {
            throw CallFailure(
                .invalidArgument,
                "gRPC and streams in both directions need HTTP/2. Connect and gRPC-Web do not.",
                status: .httpVersionNotSupported)
        }
        self = named
    }

    private static func wrongVerb(_ method: CallMethod) -> CallFailure {
        let verbs = method.allowsGet ? "GET, POST" : "POST"
        return CallFailure(
            .invalidArgument, "Call this method with \(verbs).", status: .methodNotAllowed,
            fields: [.allow: verbs])
    }

    private static func unsupportedType(_ type: String?, isStream: Bool) -> CallFailure {
        let accepted = contentTypes(isStream: isStream).joined(separator: ", ")
        let advice =
            isStream
            ? "This method is a stream; send one of: \(accepted)."
            : "Send the request as JSON with the header field content-type: application/json."
        let problem =
            switch type {
            case nil: "The request has no content-type."
            case let type? where type.hasPrefix("application/x-www-form-urlencoded"):
                "application/x-www-form-urlencoded is what curl -d sends by itself."
            default: "This content-type cannot be used here."
            }
        return CallFailure(
            .invalidArgument, "\(problem) \(advice)", status: .unsupportedMediaType,
            fields: [.acceptPost: accepted])
    }

    /// Checks the fields of the format: the version of Connect, and that nothing is compressed.
    /// - Throws: `CallFailure`.
    func checkFields(_ fields: HTTPFields) throws(CallFailure) {
        let (encoding, accepted): (HTTPField.Name, HTTPField.Name) =
            switch framing {
            case .connectUnary: (.contentEncoding, .acceptEncoding)
            case .connectStream: (.connectContentEncoding, .connectAcceptEncoding)
            case .grpc, .grpcWeb, .grpcWebText: (.grpcEncoding, .grpcAcceptEncoding)
            }
        if let name = fields.value(of: encoding), name != "identity" {
            throw .unsupportedEncoding(accepted: accepted)
        }
        if !framing.isGRPC, let version = fields.value(of: CallerField.connectProtocolVersion),
            version != "1"
        {
            throw CallFailure(.invalidArgument, "connect-protocol-version must be 1.")
        }
    }

    /// The client's timeout; nil if it sets none.
    /// - Throws: `CallFailure` for a text that is no timeout.
    func timeout(_ fields: HTTPFields) throws(CallFailure) -> Duration? {
        let name: HTTPField.Name = framing.isGRPC ? .grpcTimeout : .connectTimeout
        guard let text = fields.value(of: name) else { return nil }
        guard
            let timeout =
                framing.isGRPC ? CallTimeout.grpc(text) : CallTimeout.connect(text)
        else {
            throw CallFailure(
                .invalidArgument,
                framing.isGRPC
                    ? "grpc-timeout is at most 8 digits and one of H, M, S, m, u, n."
                    : "connect-timeout-ms is a number of milliseconds of at most 10 digits.",
                violations: [name.canonicalName])
        }
        return timeout
    }
}

extension CallFailure {
    /// A request that is compressed. The module's README says why none may be.
    /// - Parameter accepted: The field that lists the encodings that are supported.
    static func unsupportedEncoding(accepted: HTTPField.Name) -> CallFailure {
        CallFailure(
            .unknownMethod,
            "Compressed requests are not supported. Supported encodings: identity. With connectrpc "
                + "for Python, set send_compression=None.",
            fields: [accepted: "identity"])
    }
}

/// The timeouts that clients send.
enum CallTimeout {
    /// Connect's `connect-timeout-ms`: at most 10 digits. Nil for another text.
    static func connect(_ text: some StringProtocol) -> Duration? {
        number(text, digitsMax: 10).map { .milliseconds($0) }
    }

    /// gRPC's `grpc-timeout`: at most 8 digits and a unit. Nil for another text.
    static func grpc(_ text: some StringProtocol) -> Duration? {
        guard let unit = text.last, let count = number(text.dropLast(), digitsMax: 8) else {
            return nil
        }
        switch unit {
        case "H": return .seconds(count * 3_600)
        case "M": return .seconds(count * 60)
        case "S": return .seconds(count)
        case "m": return .milliseconds(count)
        case "u": return .microseconds(count)
        case "n": return .nanoseconds(count)
        default: return nil
        }
    }

    private static func number(_ text: some StringProtocol, digitsMax: Int) -> Int64? {
        guard (1...digitsMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
