import HTTPTypes
import NIOCore
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Failures of calls")
struct CallFailureTests {
    @Test(
        "retry-after is in whole seconds, rounded up",
        arguments: [(1, "1"), (1_000, "1"), (1_001, "2"), (59_999, "60")])
    func retryAfter(milliseconds: Int, seconds: String) {
        let wait = Duration.milliseconds(milliseconds)
        for code in [ErrorCode.tooManyRequests, .unavailable] {
            let failure = CallFailure(ServiceError(code, retryAfter: wait))
            #expect(failure.fields[.retryAfter] == seconds)
        }
        #expect(CallFailure(ServiceError(.invalidLink, retryAfter: wait)).fields.isEmpty)
    }

    @Test("the message has the code, the sentence and the fields, and not the log's detail")
    func message() {
        let failure = CallFailure(
            ServiceError(.invalidArgument, fields: ["email", "password"], detail: "canary"))
        #expect(
            failure.message
                == "rpc/invalid-argument: This request is not valid. (email; password)")
        #expect(failure.status == .badRequest)
    }

    @Test("a rule without a sentence is in the message, such as why a backend's token is refused")
    func rule() {
        var error = ServiceError(.unauthenticated)
        error.violations = [.init(field: "application-token", rule: "audience")]
        #expect(CallFailure(error).message.hasSuffix(" (application-token: audience)"))
    }

    @Test("an unexpected error does not leave the program, and its type is logged")
    func unexpected() {
        struct Mishap: Error { let text = "canary" }
        let log = CapturedLog()
        let failure = CallFailure(Mishap(), logger: log.logger())
        #expect(failure.error.code == .internalError)
        #expect(!failure.message.contains("canary"))
        #expect(log.lines.count == 1)
        #expect(log.lines.allSatisfy { $0.contains("Mishap") && !$0.contains("canary") })
    }

    @Test("what the client or the gateway is responsible for is not logged")
    func expected() {
        let log = CapturedLog()
        let errors: [any Error] = [
            ServiceError(.internalError), ServiceError(.invalidArgument),
            CallFailure(.invalidArgument, "x"), HTTPFailure(.badRequest, "x"),
        ]
        for error in errors { _ = CallFailure(error, logger: log.logger()) }
        #expect(log.lines.isEmpty)
    }

    @Test("a refusal in HTTP's terms keeps its status")
    func http() {
        let failure = CallFailure(HTTPFailure(.contentTooLarge, "the body is too large"))
        #expect(failure.status == .contentTooLarge)
        #expect(failure.error.code == .invalidArgument)
        #expect(failure.callStatus == .resourceExhausted)
        #expect(CallFailure(HTTPFailure(.requestTimeout, "x")).callStatus == .deadlineExceeded)
        #expect(CallFailure(HTTPFailure(.serviceUnavailable, "x")).error.code == .unavailable)
    }

    @Test("JSON that does not fit names the field as the .proto does, and the reason")
    func json() throws {
        let method = try #require(try TestMethods.all["postern.gateway.v1.Auth/SignInWithPassword"])
        let failure = #expect(throws: CallFailure.self) {
            try method.packedRequest(ByteBuffer(string: #"{"device":{"deviceId":1}}"#), .json)
        }
        #expect(failure?.error.fields == ["device.device_id"])
        #expect(failure?.message.contains("device.deviceId: a string is needed") == true)
    }

    @Test("a quoted value of the caller is cut, since gRPC sends the message in a field")
    func quoted() throws {
        let method = try #require(try TestMethods.all["postern.gateway.v1.Auth/SignInWithPassword"])
        let kind = String(repeating: "x", count: 10_000)
        let failure = #expect(throws: CallFailure.self) {
            try method.packedRequest(
                ByteBuffer(string: #"{"device":{"key":{"kind":"\#(kind)"}}}"#), .json)
        }
        #expect((300..<600).contains(failure?.message.utf8.count ?? 0))
    }
}
