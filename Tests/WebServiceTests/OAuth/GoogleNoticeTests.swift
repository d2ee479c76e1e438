import Contracts
import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("Google's security events by HTTP", .timeLimit(.minutes(1)))
struct GoogleNoticeTests {
    /// A token whose signature nobody verifies here.
    private static let token = [#"{"alg":"RS256"}"#, #"{"iss":"i"}"#, "signature"]
        .map { Base64URL.encode($0.utf8) }.joined(separator: ".")

    private func run(
        _ notices: FakeNotices,
        _ body:
            @Sendable (
                _ send: @Sendable (_ request: String, _ body: String) async throws -> HTTP1Response
            ) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let responder = GoogleNoticeResponder(notices: notices, time: SystemTime())
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0), group: group, time: SystemTime(),
            randomness: SecureRandomness(), logger: CapturedLog().logger()
        ) { exchange in
            try await responder.respond(to: exchange)
        }
        let client = HTTP1Client(group: group, port: listener.port)
        try await body { request, text in
            try await client.send(
                "\(request) HTTP/1.1", Array(text.utf8),
                [
                    "content-type": "application/secevent+jwt",
                    "content-length": "\(text.utf8.count)",
                ])
        }
        await listener.drain()
        try await group.shutdownGracefully()
    }

    @Test("G-04: an event is handed on as Google's, and the answer is 202 without a body")
    func accepted() async throws {
        let notices = FakeNotices()
        try await run(notices) { send in
            let answer = try await send("POST /google/notifications", Self.token)
            #expect(answer.status == 202 && answer.body.isEmpty)
        }
        #expect(notices.received == [Self.token])
    }

    @Test("G-04: a body that is no token is 400 in the form of RFC 8935, and is not handed on")
    func noToken() async throws {
        let notices = FakeNotices()
        let parts = Self.token.split(separator: ".")
        let bodies = [
            "", "x", "a.b.c", "{}", "{\"payload\":\"\(Self.token)\"}", "\(parts[0]).\(parts[1])",
            "\(parts[0]).\(parts[1]).", "\(Self.token).\(parts[2])", "\(Self.token)\n",
            "Bearer \(Self.token)", "\(parts[2]).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[2]).\(parts[2])", "\(parts[0])=.\(parts[1]).\(parts[2])",
        ]
        try await run(notices) { send in
            for body in bodies {
                let answer = try await send("POST /google/notifications", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.fields["content-type"] == "application/json")
                #expect(answer.text.contains("\"err\":\"invalid_request\""), "\(answer.text)")
            }
        }
        #expect(notices.received.isEmpty)
    }

    @Test("G-04: while keys or stores are away, the answer is 503, so that Google sends it again")
    func away() async throws {
        for code in [ErrorCode.providerUnavailable, .unavailable, .operationNotAllowed] {
            try await run(FakeNotices(failing: code)) { send in
                let answer = try await send("POST /google/notifications", Self.token)
                #expect(answer.status == 503, "\(code)")
            }
        }
    }

    @Test("only POST is answered")
    func methods() async throws {
        try await run(FakeNotices()) { send in
            let answer = try await send("GET /google/notifications", "")
            #expect(answer.status == 405 && answer.fields["allow"] == "POST")
        }
    }
}

/// The gateway's part: it takes all notices, or fails.
private final class FakeNotices: ProviderNoticesAPI {
    private let failure: ErrorCode?
    private let payloads = Mutex<[String]>([])

    init(failing failure: ErrorCode? = nil) {
        self.failure = failure
    }

    /// What it took, in order.
    var received: [String] { payloads.withLock { $0 } }

    func receiveProviderNotice(
        _ request: GatewayV1.ReceiveProviderNoticeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReceiveProviderNoticeResponse {
        if let failure { throw ServiceError(failure) }
        #expect(request.provider == "google")
        payloads.withLock { $0.append(request.payload) }
        return GatewayV1.ReceiveProviderNoticeResponse()
    }

    func describeProviderOutcome(
        _ request: GatewayV1.DescribeProviderOutcomeRequest, _ context: CallContext
    ) async throws -> GatewayV1.DescribeProviderOutcomeResponse {
        throw ServiceError(.unknownMethod)
    }
}
