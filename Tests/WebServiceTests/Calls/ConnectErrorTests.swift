import JSON
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Errors of Connect")
struct ConnectErrorTests {
    @Test("an error has our error as its detail, packed and readable")
    func body() {
        let error = ServiceError(
            .tooManyRequests, retryAfter: .milliseconds(1_500), fields: ["email"])
        let sentence = "Too many attempts. Please wait before trying again."
        // Field 1 of postern.wire.v1.Error is the code, 22 bytes long.
        let start = "ChZhdXRoL3Rvby1tYW55LXJlcXVlc3Rz"
        let json = CallFailure(error).connectError
        #expect(json["code"] == .string("resource_exhausted"))
        #expect(json["message"] == .string("auth/too-many-requests: \(sentence) (email)"))
        let detail = json["details"]?.array?.first?.object
        #expect(detail?["type"] == .string("postern.wire.v1.Error"))
        #expect(detail?["value"]?.string?.hasPrefix(start) == true)
        #expect(detail?["value"]?.string?.contains("=") == false)
        #expect(
            detail?["debug"]
                == .object([
                    "code": .string("auth/too-many-requests"), "userMessage": .string(sentence),
                    "retryable": .boolean(true), "retryAfterMs": .string("1500"),
                    "action": .string("wait"),
                    "violations": .array([.object(["field": .string("email")])]),
                ]))
    }

    @Test("X-01: code, sentence, action and wait are also at the top, beside Connect's own members")
    func topLevel() {
        let wait = ServiceError(.tooManyRequests, retryAfter: .milliseconds(1_500))
        let body = CallFailure(wait).connectError
        #expect(
            body.members.map(\.name) == [
                "code", "message", "errorCode", "userMessage", "action", "retryAfterMs", "details",
            ])
        #expect(body["code"] == .string("resource_exhausted"))
        #expect(body["errorCode"] == .string("auth/too-many-requests"))
        let debug = body["details"]?.array?.first?.object?["debug"]?.object
        for name in ["userMessage", "action", "retryAfterMs"] {
            #expect(body[name] != nil && body[name] == debug?[name], "\(name)")
        }
        #expect(CallFailure(ServiceError(.notFound)).connectError["retryAfterMs"] == nil)
    }

    @Test("a challenge, which is good for a second proof, is in the detail alone")
    func challenge() {
        var error = ServiceError(.secondProofRequired)
        error.secondProof = ServiceError.SecondProof(
            challenge: "c1", kinds: ["totp_code"], expiresAtMs: 1, hints: [""])
        let body = CallFailure(error).connectError
        let names = ["code", "message", "errorCode", "userMessage", "action", "details"]
        #expect(body.members.map(\.name) == names)
    }

    @Test("X-08: what else would do, in its order")
    func alternatives() {
        var error = ServiceError(.invalidCredential)
        error.alternatives = ["reset-password", "google"]
        let debug = CallFailure(error).connectError["details"]?.array?.first?.object?["debug"]
        #expect(
            debug?.object?["alternatives"]
                == .array([.string("reset-password"), .string("google")]))
    }

    @Test("I-07: a document's current version, and the account's quota")
    func documents() {
        func debug(_ error: ServiceError) -> JSONObject? {
            CallFailure(error).connectError["details"]?.array?.first?.object?["debug"]?.object
        }
        var conflict = ServiceError(.documentConflict)
        conflict.currentVersion = 3
        #expect(debug(conflict)?["currentVersion"] == .string("3"))
        var full = ServiceError(.documentQuota)
        full.documentQuota = .init(documents: 200, documentsMax: 200, bytes: 9, bytesMax: 10)
        #expect(
            debug(full)?["documentQuota"]
                == .object([
                    "documents": .integer(200), "documentsMax": .integer(200),
                    "bytes": .integer(9), "bytesMax": .integer(10),
                ]))
        #expect(debug(ServiceError(.notFound))?["documentQuota"] == nil)
    }

    @Test("a stream ends with an empty object, or with its error and the fields of the failure")
    func endOfStream() {
        #expect(JSONWriter.text(CallFailure.endOfStream(nil)) == "{}")
        let failure = CallFailure.unsupportedEncoding(accepted: .connectAcceptEncoding)
        let end = CallFailure.endOfStream(failure)
        #expect(end["error"]?.object?["code"] == .string("unimplemented"))
        #expect(
            end["metadata"]
                == .object(["connect-accept-encoding": .array([.string("identity")])]))
    }
}
