/// How a request and its response carry messages: the protocol's framing and the codec. The
/// request's content type names both.
///
/// Sources: https://connectrpc.com/docs/protocol, and gRPC's documents "gRPC over HTTP2" and
/// "gRPC Web" (`doc` in https://github.com/grpc/grpc).
struct CallFormat: Hashable, Sendable {
    let framing: Framing
    let codec: Codec

    /// The protocol, as far as it decides how messages and the result of a call are framed.
    enum Framing: String, CaseIterable, Sendable {
        /// A unary call of Connect: the body is the message.
        case connectUnary = "application/"
        /// Streams of Connect: messages in frames; the last frame is the result.
        case connectStream = "application/connect+"
        /// gRPC: messages in frames; the result is in the trailers. Only HTTP/2 has them for
        /// every client.
        case grpc = "application/grpc+"
        /// gRPC-Web: as gRPC, but the trailers are the last frame.
        case grpcWeb = "application/grpc-web+"
        /// The same in base64, for browsers that cannot read binary responses as they arrive.
        case grpcWebText = "application/grpc-web-text+"

        /// gRPC and gRPC-Web, which share their fields.
        var isGRPC: Bool { self == .grpc || self == .grpcWeb || self == .grpcWebText }
    }

    /// The encoding of messages.
    enum Codec: String, CaseIterable, Sendable {
        /// JSON, in the mapping of proto3.
        case json
        /// The wire format.
        case proto
    }

    init(_ framing: Framing, _ codec: Codec) {
        self.framing = framing
        self.codec = codec
    }

    /// The format that a content type names; nil for another type. Parameters are ignored: JSON is
    /// UTF-8 in any case. gRPC's types name no codec if it is protobuf.
    init?(contentType: String) {
        // Most clients write a type as it is listed.
        guard
            let known = Self.byContentType[contentType]
                ?? Self.byContentType[Self.bare(contentType)]
        else { return nil }
        self = known
    }

    /// A content type without its parameters and blanks, in lower case.
    private static func bare(_ contentType: String) -> String {
        contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// The content type of the responses.
    var contentType: String { framing.rawValue + codec.rawValue }

    private static let byContentType = Dictionary(
        uniqueKeysWithValues: Framing.allCases.flatMap { framing in
            let formats = Codec.allCases.map { codec in
                let format = CallFormat(framing, codec)
                return (format.contentType, format)
            }
            guard framing.isGRPC else { return formats }
            // Without the "+" of "application/grpc+proto".
            return formats + [(String(framing.rawValue.dropLast()), CallFormat(framing, .proto))]
        })

    /// The content types with which a method may be called, for `Accept-Post` and messages.
    static func contentTypes(isStream: Bool) -> [String] {
        let excluded: Framing = isStream ? .connectUnary : .connectStream
        return Framing.allCases.filter { $0 != excluded }.flatMap { framing in
            Codec.allCases.map { CallFormat(framing, $0).contentType }
        }
    }

    /// Whether a method can be called in this format. A unary call of Connect is no stream of one
    /// item: a client that does not know Connect would take the status 200 of a stream for
    /// success.
    func fits(isStream: Bool) -> Bool {
        switch framing {
        case .connectUnary: !isStream
        case .connectStream: isStream
        case .grpc, .grpcWeb, .grpcWebText: true
        }
    }
}
