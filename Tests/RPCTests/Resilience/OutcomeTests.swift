import Messages
import ServiceRuntime
import Testing

@testable import RPC

@Suite("What the end of a call says about its server")
struct OutcomeTests {
    @Test(
        "Protos/README.md, Client: the breaker counts calls that transport or deadline ended",
        arguments: [
            (ServiceError(.unavailable), false, CircuitBreaker.Outcome.failed),
            (ServiceError(.unavailable, notProcessed: true), false, .abandoned),
            (ServiceError(.unavailable), true, .answered),
            (ServiceError(.unavailable, notProcessed: true), true, .answered),
            (ServiceError(.deadlineExceeded), false, .failed),
            (ServiceError(.deadlineExceeded), true, .failed),
            (ServiceError(.deadlineExceeded, notProcessed: true), true, .abandoned),
            (ServiceError(.cancelled), false, .abandoned),
            (ServiceError(.invalidArgument), false, .abandoned),
            (ServiceError(.invalidArgument), true, .answered),
            (ServiceError(.internalError), true, .answered),
        ])
    func outcome(error: ServiceError, isAnswered: Bool, outcome: CircuitBreaker.Outcome) {
        let result = Result<BorrowedResponse, ServiceError>.failure(error)
        #expect(
            ClientEndpoint.Placement.outcome(result, isAnswered: isAnswered, callersTime: nil)
                == outcome)
    }

    @Test(
        "M2: a caller's own deadline counts as a failure only from 1 s and without an answer",
        arguments: [
            (Duration.milliseconds(40), false, CircuitBreaker.Outcome.abandoned),
            (.milliseconds(999), false, .abandoned),
            (.seconds(1), false, .failed),
            (.milliseconds(40), true, .answered),
            (.seconds(10), true, .answered),
        ])
    func callersDeadline(
        callersTime: Duration, isAnswered: Bool, outcome: CircuitBreaker.Outcome
    ) {
        for (error, expected) in [
            (ServiceError(.deadlineExceeded), outcome),
            (ServiceError(.deadlineExceeded, notProcessed: true), .abandoned),
        ] {
            let result = Result<BorrowedResponse, ServiceError>.failure(error)
            #expect(
                ClientEndpoint.Placement.outcome(
                    result, isAnswered: isAnswered, callersTime: callersTime)
                    == expected)
        }
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
