import Contracts
import JSON
import NIOCore
import RPC
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Calls over HTTP/1.1, through a listener and a client of the gateway")
struct CallResponderTests {
    private static let signIn = "postern.gateway.v1.Auth/SignInWithPassword"
    private static let request = #"{"email":"a@example.com","password":"correct horse","new":1}"#

    @Test("JSON is answered by JSON, and the gateway gets the caller's address and fields")
    func json() async throws {
        try await WebFixture.run { web in
            let response = try await web.post(
                Self.signIn, Self.request,
                [
                    "accept-language": "de", "client-address": "10.0.0.1",
                    "connect-timeout-ms": "2000",
                ])
            #expect(response.status == 200)
            #expect(response.fields["content-type"] == "application/json")
            #expect(response.fields["cache-control"] == "no-store")
            #expect(
                response.text == #"{"account":{"accountId":"a1","email":"a@example.com"}}"#)
            #expect(web.gateway.metadata("client-address") == "127.0.0.1")
            #expect(web.gateway.metadata("accept-language") == "de")
            #expect(web.gateway.timeLeft.map { $0 <= .seconds(2) } == true)
        }
    }

    /// The clock of a responder whose clients take so long for their bodies that 400 ms are left
    /// before the deadline.
    private struct LateTime: Time {
        private let system = SystemTime()
        private let late = AuthDescription.signInWithPassword.timeout - .milliseconds(400)

        var boot: String? { system.boot }
        var isWallClockSynchronised: Bool { system.isWallClockSynchronised }
        func now() -> Timestamp { system.now() }
        func uptime() -> Duration { system.uptime() - late }
        func wallClock() -> Timestamp { system.wallClock() }
        func goOn(from moment: Timestamp) { system.goOn(from: moment) }
        func sleep(for duration: Duration) async throws { try await system.sleep(for: duration) }
    }

    @Test("bodies that end just before the deadline do not open the gateway's breaker")
    func lateBodies() async throws {
        try await WebFixture.run(time: LateTime()) { web in
            let slow = #"{"email":"\#(FakeGateway.slowEmail)"}"#
            try await withThrowingTaskGroup(of: Int.self) { calls in
                for _ in 0..<(2 * CircuitBreaker.failuresMax) {
                    calls.addTask { try await web.post(Self.signIn, slow).status }
                }
                for try await status in calls { #expect(status == 504) }
            }
            #expect(try await web.post(Self.signIn, Self.request).status == 200)
        }
    }

    @Test("no browser may guess a response's type")
    func nosniff() async throws {
        try await WebFixture.run { web in
            for response in [
                try await web.post(Self.signIn, Self.request),
                try await web.post(Self.signIn, #"{"password":"x"}"#),
                try await web.get("postern.gateway.v1.Auth/None"),
            ] {
                #expect(response.fields["x-content-type-options"] == "nosniff")
            }
        }
    }

    @Test("an error of the gateway has Connect's status and body, in the user's language")
    func errors() async throws {
        try await WebFixture.run { web in
            let wrong = try await web.post(
                Self.signIn, #"{"password":"x"}"#, ["accept-language": "de"])
            #expect(wrong.status == 401)
            #expect(wrong.fields["www-authenticate"] == "Bearer")
            let error = JSONReader.object(in: wrong.body)
            #expect(error?["code"] == .string("unauthenticated"))
            #expect(error?["errorCode"] == .string("auth/invalid-credential"))
            let debug = error?["details"]?.array?.first?.object?["debug"]?.object
            #expect(debug?["code"] == .string("auth/invalid-credential"))
            #expect(debug?["userMessage"] != .string("The email or password is incorrect."))
            let busy = try await web.post("postern.gateway.v1.Auth/RefreshSession", "{}")
            #expect(busy.status == 429)
            #expect(busy.fields["retry-after"] == "2")
        }
    }

    @Test("a mistake of a developer is answered by JSON that says what to do")
    func mistakes() async throws {
        try await WebFixture.run { web in
            let json = try await web.post(Self.signIn, #"{"email":1}"#)
            #expect(json.status == 400)
            #expect(json.text.contains("email: a string is needed"))
            let form = try await web.post(
                Self.signIn, "a=b", type: "application/x-www-form-urlencoded")
            #expect(form.status == 415)
            #expect(form.fields["accept-post"]?.hasPrefix("application/json") == true)
            let name = try await web.post("postern.gateway.v1.Auth/signinwithpassword", "{}")
            #expect(name.status == 404)
            #expect(name.text.contains("Did you mean /\(Self.signIn)?"))
            let zipped = try await web.post(Self.signIn, "{}", ["content-encoding": "gzip"])
            #expect(zipped.status == 501)
            let large = try await web.post(Self.signIn, String(repeating: " ", count: 140_000))
            #expect(large.status == 413)
            let admin = try await web.post("postern.gateway.v1.Admin/LookUpAccount", "{}")
            #expect(admin.status == 403)
        }
    }

    @Test("a method without side effects is called by GET, and no other one")
    func get() async throws {
        try await WebFixture.run { web in
            let query = "?connect=v1&encoding=json&message=%7B%7D"
            let keys = try await web.get("postern.gateway.v1.Verification/GetKeySet" + query)
            #expect(keys.status == 200)
            #expect(keys.text == #"{"jwks":"{}"}"#)
            let signIn = try await web.get(Self.signIn + query)
            #expect(signIn.status == 405)
            #expect(signIn.fields["allow"] == "POST")
        }
    }

    @Test("gRPC-Web has its message and its trailers in frames, also for an error")
    func grpcWeb() async throws {
        try await WebFixture.run { web in
            // email = 1, password = 2
            let message = [UInt8]([10, 1, 97, 18, 13]) + Array("correct horse".utf8)
            let frame = Array(MessageFrame.bytes(message).readableBytesView)
            let response = try await web.post(
                Self.signIn, frame, type: "application/grpc-web+proto")
            #expect(response.status == 200)
            var reader = MessageFrameReader(messageBytesMax: 1_000)
            reader.append(ByteBuffer(bytes: response.body))
            #expect(try reader.next()?.flags == 0)
            let trailers = try reader.next()
            #expect(trailers?.flags == MessageFrame.trailers)
            #expect(trailers.map { String(buffer: $0.message) } == "grpc-status: 0\r\n")

            let empty = Array(MessageFrame.bytes([]).readableBytesView)
            let failed = try await web.post(Self.signIn, empty, type: "application/grpc-web")
            reader = MessageFrameReader(messageBytesMax: 1_000)
            reader.append(ByteBuffer(bytes: failed.body))
            let end = try reader.next()
            #expect(end?.flags == MessageFrame.trailers)
            #expect(end.map { String(buffer: $0.message).hasPrefix("grpc-status: 16\r\n") } == true)
        }
    }

    @Test("health is answered by the web service itself, and a stream ends with its result")
    func health() async throws {
        try await WebFixture.run { web in
            let check = try await web.post("grpc.health.v1.Health/Check", "{}")
            #expect(check.text == #"{"status":"SERVING"}"#)
            let json = Array(MessageFrame.bytes(Array("{}".utf8)).readableBytesView)
            let watch = try await web.post(
                "grpc.health.v1.Health/Watch", json, ["connect-timeout-ms": "50"],
                type: "application/connect+json")
            #expect(watch.status == 200)
            var reader = MessageFrameReader(messageBytesMax: 10_000)
            reader.append(ByteBuffer(bytes: watch.body))
            let first = try reader.next()
            #expect(first.map { String(buffer: $0.message) } == #"{"status":"SERVING"}"#)
            let end = try reader.next()
            #expect(end?.flags == MessageFrame.endOfConnectStream)
            #expect(end.map { String(buffer: $0.message).contains("deadline_exceeded") } == true)
            #expect(reader.isEmpty)
        }
    }
}
