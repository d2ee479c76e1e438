import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("X-01: errors in the language that the call requests", .timeLimit(.minutes(1)))
struct LanguageTests {
    private static let german: [WireV1.Metadata] = [
        WireV1.Metadata(key: "accept-language", value: Array("de-CH,en;q=0.5".utf8))
    ]

    /// The sentence in the error of call `call`.
    private func sentence(_ peer: RawPeer, _ call: UInt64) throws -> String? {
        try peer.response(call).error?.userMessage
    }

    @Test(
        "errors from handlers, broken payloads and unknown methods are in that language",
        arguments: [
            (EchoService.limited.name, [UInt8](), ErrorCode.tooManyRequests),
            (EchoService.fails.name, [], .internalError),
            (EchoService.failsOnLoop.name, [], .internalError),
            (EchoService.async.name, [0xff], .invalidArgument),
            (EchoService.onLoop.name, [0xff], .invalidArgument),
            ("test.v1.Echo/Nothing", [], .unknownMethod),
        ])
    func refused(method: String, payload: [UInt8], code: ErrorCode) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(
                .request(
                    WireV1.Request(
                        call: 1, method: method, metadata: Self.german, payload: payload)))
            #expect(try sentence(peer, 1) == code.sentence(in: Voice(.german)))
            // The next call on the connection does not name a language.
            peer.send(
                .request(WireV1.Request(call: 2, method: method, payload: payload)))
            #expect(try sentence(peer, 2) == code.sentence(in: .english))
        }
    }

    @Test("errors have the formal voice of a language if the operator chose it")
    func formal() async throws {
        try await Loopback.run(limits: Loopback.Limits(formalLanguages: .all)) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(
                .request(
                    WireV1.Request(
                        call: 1, method: EchoService.limited.name, metadata: Self.german)))
            let sentence = try sentence(peer, 1)
            #expect(
                sentence == ErrorCode.tooManyRequests.sentence(in: Voice(.german, isFormal: true)))
            #expect(sentence != ErrorCode.tooManyRequests.sentence(in: Voice(.german)))
        }
    }

    @Test("a successful call does not leave its language to the next call")
    func succeeded() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            for (call, method) in [(1, EchoService.onLoop), (2, EchoService.async)] {
                peer.send(
                    .request(
                        WireV1.Request(
                            call: UInt64(call), method: method.name, metadata: Self.german)))
                #expect(try peer.response(UInt64(call)).status == 0)
            }
            peer.send(.request(WireV1.Request(call: 3, method: EchoService.limited.name)))
            let sentence = try sentence(peer, 3)
            #expect(sentence == ErrorCode.tooManyRequests.sentence(in: .english))
        }
    }
}
