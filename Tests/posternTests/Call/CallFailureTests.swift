import RPC
import ServiceRuntime
import Testing

@testable import postern

@Suite("Errors of services on the operator's terminal")
struct CallFailureTests {
    private func lines(_ error: ServiceError, hints: [String: String] = [:]) -> [String] {
        CallFailure(error: error, service: "identity", address: "127.0.0.1:7401", hints: hints)
            .lines
    }

    @Test("an unreachable service is named with its address, the reason and what to do")
    func unreachable() {
        let lines = lines(ServiceError(.unavailable, detail: "refused"))
        #expect(lines.first == "Error: identity at 127.0.0.1:7401: rpc/unavailable: refused")
        #expect(lines.last?.contains("postern status") == true)
        #expect(lines.last?.contains("POSTERN_ENDPOINTS") == true)
    }

    @Test("a deadline that passed before a connection was made is no sign of load")
    func unreachedInTime() {
        var error = ServiceError(.deadlineExceeded, detail: "refused", notProcessed: true)
        #expect(lines(error).last?.contains("is it running there?") == true)
        error.notProcessed = false
        #expect(lines(error).last?.contains("postern top") == true)
    }

    @Test("a rejected field is named, with the hint of the command")
    func field() {
        let error = ServiceError(
            .invalidArgument, fields: ["url"], detail: "peer error: must be an https URL")
        #expect(
            lines(error, hints: ["url": "url: https", "events": "events: a name"]) == [
                "Error: identity at 127.0.0.1:7401: rpc/invalid-argument: must be an https URL",
                "  not accepted: url", "  url: https",
            ])
    }

    @Test("what a peer wrote contains no terminal escapes and makes no lines of its own")
    func hostile() {
        let message = "\u{1b}]52;c;eA==\u{7}\nError: done"
        let error = ServiceError(.invalidArgument, fields: ["a\u{9b}2J"], detail: message)
        let lines = lines(error)
        #expect(lines.first?.hasSuffix(": \u{FFFD}]52;c;eA==\u{FFFD}\u{FFFD}Error: done") == true)
        #expect(lines.contains("  not accepted: a\u{FFFD}2J"))
    }

    @Test("without a detail the cause is the sentence of the catalogue")
    func sentence() {
        let sentence = ErrorCode.notFound.sentence(in: .english)
        #expect(
            lines(ServiceError(.notFound)).first
                == "Error: identity at 127.0.0.1:7401: rpc/not-found: \(sentence)")
    }

    @Test("a message that repeats the code, as one without details does, is not printed twice")
    func repeated() {
        let error = ServiceError(.notFound, detail: "peer error: rpc/not-found")
        #expect(lines(error).first == lines(ServiceError(.notFound)).first)
    }

    @Test("a service that cannot be reached is not called a failing part of itself")
    func unreached() {
        var error = ServiceError(.unavailable, detail: "refused")
        error.unavailablePart = "identity"
        #expect(lines(error).last?.contains("is it running there?") == true)
        error.unavailablePart = "store"
        #expect(lines(error).last == "  its part store fails: `postern status`, then its log")
    }

    @Test("X-07: a part that did not answer in time is named")
    func late() {
        var error = ServiceError(.deadlineExceeded)
        error.unavailablePart = "identity"
        #expect(lines(error).last?.contains("`postern top`") == true)
        error.unavailablePart = "identity.session"
        #expect(
            lines(error).last
                == "  its part identity.session did not answer in time: `postern status`, then its log"
        )
    }

    @Test("a misspelt method gets the similar names as advice")
    func suggestion() {
        let failure = CallFailure(
            error: ServiceError(.unknownMethod), service: "gateway", address: "",
            suggestion: "did you mean x?")
        #expect(failure.lines.last == "  did you mean x?")
    }

    @Test("what was not found is named, if the command knows it; a list of methods is no help")
    func notFound() {
        let failure = CallFailure(
            error: ServiceError(.notFound), service: "identity", address: "",
            notFound: AccountsCommand.notFound("nobody@example.org"))
        #expect(failure.lines.last == "  no account has this email address")
        #expect(lines(ServiceError(.notFound)).last == "  check for a typing mistake")
    }

    @Test("a wait is the first advice")
    func wait() {
        let lines = lines(ServiceError(.tooManyRequests, retryAfter: .seconds(2)))
        #expect(lines.last == "  try again in 2000 ms")
    }
}
