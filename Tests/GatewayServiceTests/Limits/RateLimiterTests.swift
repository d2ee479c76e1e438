import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-04: charges are settled after a flow", .timeLimit(.minutes(1)))
struct RateLimiterTests {
    @Test("R-04: a charge is refunded even when the flow's deadline has passed (X-06)")
    func late() async throws {
        let limits = WatchedLimits()
        let time = ManualTime()
        let logger = CapturedLog().logger(time: time)
        let limitGuard = RateLimiter(
            limits: limits, failures: [:], signals: UnreachableSignInSignals(), time: time,
            randomness: SeededRandomness(), logger: logger)
        let context = CallContext(deadline: time.uptime() + .seconds(10))
        let charge = try await limitGuard.begin(
            .signIn(email: "ada@example.org", device: "d1", caller: .address("192.0.2.7")),
            context)
        time.advance(by: .seconds(11))
        await limitGuard.refund(charge, context)
        await limitGuard.succeed(charge, context)
        let end = time.uptime() + .milliseconds(250)
        #expect(limits.deadlines == [end, end])
    }

    @Test(
        "H2: a guess that may have been compared stands; one that was not begun is refunded",
        arguments: [
            (ServiceError(.deadlineExceeded), true), (ServiceError(.cancelled), true),
            (ServiceError(.unavailable), true), (ServiceError(.internalError), true),
            (ServiceError(.invalidCredential), true), (ServiceError(.accountDisabled), false),
            (ServiceError(.deadlineExceeded, notProcessed: true), false),
            (ServiceError(.resourceExhausted), false), (ServiceError(.weakPassword), false),
        ])
    func guesses(error: ServiceError, stays: Bool) async throws {
        let fixture = try await GatewayFixture()
        let limits = RateLimiter(
            limits: fixture.inner.limits, failures: [:], signals: UnreachableSignInSignals(),
            time: fixture.time, randomness: SeededRandomness(seed: 2),
            logger: fixture.log.logger(time: fixture.time))
        let expected = try await refusal {
            try await limits.countingPasswordGuess(
                email: "ada@example.org", device: "d1", fixture.context()
            ) { _ async throws -> Int in throw error }
        }
        #expect(expected == error)
        for (limit, subject, all) in [
            ("failed-sign-in-by-account", "ada@example.org", UInt32(5)),
            ("failed-sign-in-by-address", "192.0.2.7", 50),
            ("failed-sign-in-by-device", "192.0.2.7|d1", 5),
        ] {
            #expect(try fixture.inner.left(limit, subject) == (stays ? all - 1 : all))
        }
    }

    @Test("B13: a charge is settled even when the caller has cancelled")
    func cancelled() async throws {
        let limits = WatchedLimits()
        let time = ManualTime()
        let limitGuard = RateLimiter(
            limits: limits, failures: [:], signals: UnreachableSignInSignals(), time: time,
            randomness: SeededRandomness(), logger: CapturedLog().logger(time: time))
        let context = CallContext(deadline: time.uptime() + .seconds(10))
        let charge = try await limitGuard.begin(
            .signIn(email: "ada@example.org", device: "d1", caller: .address("192.0.2.7")),
            context)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await limitGuard.succeed(charge, context)
        }.value
        #expect(limits.deadlines.count == 1)
    }

    @Test("R-04: a right password is reported to the limiter even if session fails")
    func sessionFails() async throws {
        let limits = WatchedLimits()
        let fixture = try await GatewayFixture(limits: limits)
        _ = try await fixture.signUp()
        let before = limits.deadlines.count
        fixture.inner.sessionStore.close()
        _ = try await refusal { try await fixture.signIn() }
        #expect(limits.deadlines.count == before + 1)
    }

    @Test(
        "B13: a charge whose response was lost is refunded by its id",
        arguments: [
            (.cancelled, .cancelled), (.deadlineExceeded, .unavailable),
        ] as [(ErrorCode, ErrorCode)])
    func unanswered(lost: ErrorCode, expected: ErrorCode) async throws {
        let fixture = try await GatewayFixture()
        let limits = FailingLimits(lost, behind: fixture.inner.limits)
        let limitGuard = guarding(limits, fixture)
        let error = try await refusal {
            try await limitGuard.begin(
                .signIn(email: "ada@example.org", device: "d1", caller: .address("192.0.2.7")),
                fixture.context())
        }
        #expect(error.code == expected)
        #expect(limits.charged.count == 1 && limits.charged != [""])
        // The refund is not awaited, so it may still be running.
        for (limit, subject, all) in [
            ("failed-sign-in-by-account", "ada@example.org", UInt32(5)),
            ("failed-sign-in-by-address", "192.0.2.7", 50),
        ] {
            while try fixture.inner.left(limit, subject) < all { await Task.yield() }
        }
    }

    @Test("B13: a charge under an idempotency key has no id and remains for the repeat")
    func unansweredUnderKey() async throws {
        let fixture = try await GatewayFixture()
        let limits = FailingLimits(.cancelled, behind: fixture.inner.limits)
        let limitGuard = guarding(limits, fixture)
        for _ in 0..<2 {
            let error = try await refusal {
                try await limitGuard.begin(
                    .passwordReset(email: "ada@example.org", caller: .address("192.0.2.7")),
                    fixture.context("k"), chargedOnceFor: "k")
            }
            #expect(error.code == .cancelled)
        }
        #expect(limits.charged == ["", ""])
        #expect(try fixture.inner.left("password-reset-by-email", "ada@example.org") == 2)
    }

    private func guarding(_ limits: FailingLimits, _ fixture: GatewayFixture) -> RateLimiter {
        RateLimiter(
            limits: limits, failures: [:], signals: UnreachableSignInSignals(),
            time: fixture.time, randomness: SeededRandomness(seed: 2),
            logger: fixture.log.logger(time: fixture.time))
    }
}
