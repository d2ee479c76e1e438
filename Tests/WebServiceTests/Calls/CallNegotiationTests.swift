import HTTPTypes
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Which requests are calls")
struct CallNegotiationTests {
    private static let unary = "postern.gateway.v1.Auth/SignInWithPassword"
    private static let stream = "postern.gateway.v1.Verification/WatchRevocations"
    private static let both = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo"

    private func format(
        _ name: String, _ type: String?, verb: HTTPRequest.Method = .post, isHTTP2: Bool = true
    ) throws(CallFailure) -> CallFormat {
        var head = HTTPRequest(
            method: verb, scheme: "http", authority: "localhost", path: "/" + name)
        head.headerFields[.contentType] = type
        let methods: CallMethods
        do {
            methods = try TestMethods.all
        } catch {
            throw CallFailure(error)
        }
        return try CallFormat(negotiating: head, isHTTP2: isHTTP2, methods[name])
    }

    @Test("each kind of method is called by its content types, over HTTP/1.1 too but for gRPC")
    func accepted() throws {
        for type in CallFormat.contentTypes(isStream: false) {
            let isHTTP2 = type.hasPrefix("application/grpc+")
            #expect(try format(Self.unary, type, isHTTP2: isHTTP2).contentType == type)
        }
        for type in CallFormat.contentTypes(isStream: true) {
            let isHTTP2 = type.hasPrefix("application/grpc+")
            #expect(try format(Self.stream, type, isHTTP2: isHTTP2).contentType == type)
            #expect(try format(Self.both, type).contentType == type)
        }
    }

    @Test(
        "a content type that cannot be used is refused with the list and with advice",
        arguments: [
            (nil, "no content-type"), ("application/x-www-form-urlencoded", "curl -d"),
            ("text/plain", "cannot be used"), ("application/connect+json", "cannot be used"),
        ])
    func contentType(type: String?, advice: String) {
        let failure = #expect(throws: CallFailure.self) { try format(Self.unary, type) }
        #expect(failure?.status == .unsupportedMediaType)
        #expect(failure?.message.contains(advice) == true)
        #expect(failure?.message.contains("content-type: application/json") == true)
        #expect(failure?.fields[.acceptPost]?.hasPrefix("application/json, ") == true)
    }

    @Test("a stream is not called by the content type of a unary call")
    func streamAsUnary() {
        let failure = #expect(throws: CallFailure.self) {
            try format(Self.stream, "application/json")
        }
        #expect(failure?.fields[.acceptPost]?.hasPrefix("application/connect+json, ") == true)
    }

    @Test("other verbs are refused with those that are allowed")
    func verbs() throws {
        for verb in [HTTPRequest.Method.get, .put, .delete, .head, .patch] {
            let failure = #expect(throws: CallFailure.self) {
                try format(Self.unary, "application/json", verb: verb)
            }
            #expect(failure?.status == .methodNotAllowed)
            #expect(failure?.fields[.allow] == "POST")
        }
    }

    @Test("gRPC, and streams in both directions, need HTTP/2")
    func version() {
        for (name, type) in [
            (Self.unary, "application/grpc"), (Self.both, "application/connect+proto"),
        ] {
            let failure = #expect(throws: CallFailure.self) {
                try format(name, type, isHTTP2: false)
            }
            #expect(failure?.status == .httpVersionNotSupported)
        }
    }

    @Test("an unknown method is refused in the request's format, or as JSON if it has none")
    func unknown() throws {
        #expect(try format("a.B/C", "application/grpc") == CallFormat(.grpc, .proto))
        #expect(try format("a.B/C", "application/grpc", isHTTP2: false) == .unaryJSON)
        #expect(try format("a.B/C", nil) == .unaryJSON)
        #expect(try format("a.B/C", "text/html", verb: .get) == .unaryJSON)
    }

    @Test(
        "a compressed request is refused with the encodings that are supported",
        arguments: [
            (
                CallFormat.Framing.connectUnary, HTTPField.Name.contentEncoding,
                HTTPField.Name.acceptEncoding
            ),
            (.connectStream, .connectContentEncoding, .connectAcceptEncoding),
            (.grpc, .grpcEncoding, .grpcAcceptEncoding),
            (.grpcWeb, .grpcEncoding, .grpcAcceptEncoding),
        ])
    func compression(
        framing: CallFormat.Framing, field: HTTPField.Name, accepted: HTTPField.Name
    ) throws {
        let format = CallFormat(framing, .proto)
        try format.checkFields([field: "identity"])
        try format.checkFields([:])
        let failure = #expect(throws: CallFailure.self) { try format.checkFields([field: "gzip"]) }
        #expect(failure?.error.status == .unimplemented)
        #expect(failure?.fields[accepted] == "identity")
    }

    @Test("another version of Connect is refused")
    func connectVersion() throws {
        try CallFormat.unaryJSON.checkFields([CallerField.connectProtocolVersion: "1"])
        #expect(throws: CallFailure.self) {
            try CallFormat.unaryJSON.checkFields([CallerField.connectProtocolVersion: "2"])
        }
    }

    @Test("each protocol reads its own timeout")
    func timeouts() throws {
        let fields: HTTPFields = [.grpcTimeout: "2S", .connectTimeout: "3000"]
        #expect(try CallFormat(.grpc, .proto).timeout(fields) == .seconds(2))
        #expect(try CallFormat(.connectStream, .proto).timeout(fields) == .seconds(3))
        #expect(try CallFormat.unaryJSON.timeout([:]) == nil)
        let failure = #expect(throws: CallFailure.self) {
            try CallFormat.unaryJSON.timeout([.connectTimeout: "soon"])
        }
        #expect(failure?.error.fields == ["connect-timeout-ms"])
    }
}
