import Messages
import ServiceRuntime
import Testing

@testable import RPC

@Suite("What the end of a call says about its server")
struct OutcomeTests {
    @Test(
        "X-06: a breaker counts lost calls; a deadline here counts only on a silent connection",
        arguments: [
            (ServiceError(.unavailable), false, CircuitBreaker.Outcome?.some(.failed)),
            (ServiceError(.unavailable, notProcessed: true), false, .abandoned),
            (ServiceError(.unavailable), true, .answered),
            (ServiceError(.unavailable, notProcessed: true), true, .answered),
            (ServiceError(.deadlineExceeded), false, nil),
            (ServiceError(.deadlineExceeded), true, .answered),
            (ServiceError(.deadlineExceeded, notProcessed: true), true, .abandoned),
            (ServiceError(.deadlineExceeded, notProcessed: true), false, .abandoned),
            (ServiceError(.cancelled), false, .abandoned),
            (ServiceError(.invalidArgument), false, .abandoned),
            (ServiceError(.invalidArgument), true, .answered),
            (ServiceError(.internalError), true, .answered),
            (ServiceError(.resourceExhausted, notProcessed: true), true, .answered),
        ])
    func outcome(error: ServiceError, isAnswered: Bool, outcome: CircuitBreaker.Outcome?) {
        let result = Result<BorrowedResponse, ServiceError>.failure(error)
        #expect(ClientEndpoint.Placement.outcome(result, isAnswered: isAnswered) == outcome)
    }

    @Test(
        "the error of a health stream decides the instance's health",
        arguments: [
            (ErrorCode.unknownMethod, WatchedHealth.Verdict.unsupported),
            (.permissionDenied, .unsupported),
            (.unauthenticated, .unsupported),
            (.resourceExhausted, .unchanged),
            (.unavailable, .state(.notServing)),
            (.deadlineExceeded, .unchanged),
            (.internalError, .state(.notServing)),
        ])
    func verdict(code: ErrorCode, verdict: WatchedHealth.Verdict) {
        #expect(WatchedHealth.verdict(on: .failure(ServiceError(code))) == verdict)
    }

    @Test("a health stream that ends without an error means not serving")
    func ended() {
        [UInt8]().withUnsafeBytes { payload in
            let answer = BorrowedResponse(payload: payload, arena: Arena())
            #expect(WatchedHealth.verdict(on: .success(answer)) == .state(.notServing))
        }
    }
}
