import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("The error catalogue over the wire")
struct ServiceErrorWireTests {
    @Test("X-01: every error code keeps its details over the wire", arguments: ErrorCode.allCases)
    func roundTrip(code: ErrorCode) throws {
        var error = ServiceError(
            code, retryAfter: .milliseconds(1_500), fields: ["email"], unavailablePart: "store",
            detail: "secret", notProcessed: true)
        error.acceptableProofs = ["password", "device_key"]
        error.alternatives = ["google"]
        let proof = ServiceError.SecondProof(
            challenge: "c1", kinds: ["phone_code"], expiresAtMs: 1_795_248_340_254,
            hints: ["••• 0100"])
        error.secondProof = proof
        let response = WireV1.Response(call: 7, error)
        #expect(response.call == 7)
        #expect(response.status == UInt32(code.entry.status.rawValue))
        #expect(response.status != 0)
        #expect(response.payload.isEmpty)
        let entry = try #require(response.error)
        #expect(entry.code == code.rawValue)
        #expect(entry.userMessage == code.sentence(in: .english))
        #expect(entry.action == code.entry.next.rawValue)
        let back = ServiceError(response)
        #expect(back.code == code)
        #expect(back.retryAfter == .milliseconds(1_500))
        #expect(back.violations == [.init(field: "email")])
        #expect(back.acceptableProofs == ["password", "device_key"])
        #expect(back.alternatives == ["google"])
        #expect(back.secondProof == proof)
        #expect(back.unavailablePart == "store")
        #expect(back.notProcessed)
    }

    @Test("X-01: a rule's sentence is sent in English, and worded by the program that has a caller")
    func rules() throws {
        let inner = ServiceError.weakPassword([.digit], field: "password")
        let sent = WireV1.Response(call: 1, inner)
        let sentence = PasswordRule.digit.sentence(in: .english)
        #expect(
            sent.error?.violations
                == [.init(field: "password", rule: "digit", sentence: sentence)])
        let read = ServiceError(sent)
        #expect(read.violations == inner.violations)
        let worded = ServiceError(WireV1.Response(call: 2, read.worded(in: Voice(.japanese))))
        #expect(worded.violations[0].sentence == PasswordRule.digit.sentence(in: Voice(.japanese)))
    }

    @Test("G-29: the reason of a session's end is worded by the program that has a caller")
    func sessionEnd() {
        let reason = EndReason.accountDeleted
        let read = ServiceError(WireV1.Response(call: 1, .sessionEnded(reason)))
        #expect(read.code == .sessionEnded && read.sentence == nil)
        #expect(read.userMessage == "This account no longer exists.")
        let german = reason.sentence(in: Voice(.german))
        let worded = ServiceError(WireV1.Response(call: 2, read.worded(in: Voice(.german))))
        #expect(worded.userMessage == german)
        #expect(worded.violations.map(\.rule) == ["account-deleted"])
    }

    @Test("X-01: a rule of a newer peer keeps its sentence")
    func newerRule() {
        let message = WireV1.Violation(field: "password", rule: "new", sentence: "Neu.")
        let response = WireV1.Response(
            status: 3, error: WireV1.Error(code: "auth/weak-password", violations: [message]))
        let read = ServiceError(response).worded(in: Voice(.french))
        #expect(WireV1.Response(call: 1, read).error?.violations == [message])
    }

    @Test("X-01: an error's detail is not sent")
    func detail() {
        let error = ServiceError(.internalError, detail: "canary")
        #expect(!"\(WireV1.Response(call: 1, error))".contains("canary"))
    }

    @Test(
        "an unknown code of a newer peer becomes the nearest known one of its status",
        arguments: [
            (UInt32(1), ErrorCode.cancelled), (3, .invalidArgument), (4, .deadlineExceeded),
            (5, .notFound), (7, .permissionDenied), (8, .resourceExhausted), (9, .invalidArgument),
            (11, .invalidArgument), (12, .unknownMethod), (13, .internalError), (14, .unavailable),
            (16, .unauthenticated), (2, .internalError), (17, .internalError),
            (.max, .internalError),
        ])
    func nearest(status: UInt32, code: ErrorCode) {
        let response = WireV1.Response(status: status, error: WireV1.Error(code: "x/new"))
        #expect(ServiceError(response).code == code)
        #expect(ServiceError(WireV1.Response(status: status)).code == code)
    }

    @Test(
        "an extreme retry_after_ms neither traps nor overflows; a negative one is none",
        arguments: [Int64(0), 1, .max, -1, .min])
    func figures(milliseconds: Int64) {
        let response = WireV1.Response(
            status: 8, error: WireV1.Error(retryAfterMs: milliseconds))
        let error = ServiceError(response)
        #expect((error.retryAfter == nil) == (milliseconds <= 0))
        #expect(WireV1.Response(call: 1, error).error?.retryAfterMs == max(0, milliseconds))
    }

    @Test("a negative wait is sent as 0")
    func negative() {
        let error = ServiceError(.unavailable, retryAfter: .seconds(-1))
        #expect(WireV1.Response(call: 1, error).error?.retryAfterMs == 0)
    }
}
