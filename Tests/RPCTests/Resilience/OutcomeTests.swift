import Messages
import ServiceRuntime
import Testing

@testable import RPC

@Suite("What the end of a call says of its server")
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
            Placement.outcome(result, isAnswered: isAnswered, callersTime: nil) == outcome)
    }

    @Test(
        "M2: a deadline that a caller set fails the server from 1 s on, where it did not answer",
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
                Placement.outcome(result, isAnswered: isAnswered, callersTime: callersTime)
                    == expected)
        }
    }

    @Test(
        "the end of a stream of health, and what stands for one",
        arguments: [
            (ErrorCode.unknownMethod, WatchedHealth.Verdict.never),
            (.permissionDenied, .never),
            (.unauthenticated, .never),
            (.resourceExhausted, .unsaid),
            (.unavailable, .state(.notServing)),
            (.deadlineExceeded, .unsaid),
            (.internalError, .state(.notServing)),
        ])
    func verdict(code: ErrorCode, verdict: WatchedHealth.Verdict) {
        #expect(WatchedHealth.verdict(on: .failure(ServiceError(code))) == verdict)
    }

    @Test("a server that ends the stream without an error stops")
    func ended() {
        [UInt8]().withUnsafeBytes { payload in
            let answer = BorrowedResponse(payload: payload, arena: Arena())
            #expect(WatchedHealth.verdict(on: .success(answer)) == .state(.notServing))
        }
    }
}
