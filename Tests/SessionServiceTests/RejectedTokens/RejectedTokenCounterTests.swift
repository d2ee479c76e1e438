import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("A-01: rejected tokens are recorded once a window and counted")
struct RejectedTokenCounterTests {
    private static let start = Timestamp(milliseconds: 1_000_000_000)

    private static func kind(
        _ session: Int64, _ code: ErrorCode = .deviceProofRequired
    ) -> RejectedTokenCounter.Kind {
        RejectedTokenCounter.Kind(session: session, account: 1, event: .refreshRefused, code: code)
    }

    /// A use in a transaction that is committed at once.
    /// - Returns: whether it is recorded.
    private static func use(
        _ kind: RejectedTokenCounter.Kind, _ uses: RejectedTokenCounter, at now: Timestamp = start
    ) -> Bool {
        let isRecorded = uses.needsRecord(kind)
        uses.count(
            RejectedTokenCounter.Use(
                kind: kind, at: now, isRecorded: isRecorded, newcomersOrigin: nil))
        return isRecorded
    }

    @Test("the first rejection for a session and reason is recorded, the rest are counted")
    func window() {
        let uses = RejectedTokenCounter()
        #expect(Self.use(Self.kind(1), uses))
        for _ in 0..<1_000 { #expect(!Self.use(Self.kind(1), uses)) }
        #expect(Self.use(Self.kind(1, .invalidDeviceProof), uses), "another reason")
        #expect(Self.use(Self.kind(2), uses), "another session")
        #expect(uses.take(overAt: Self.start + .milliseconds(599_999)) == [])
        let over = uses.take(overAt: Self.start + .seconds(600))
        #expect(over == [RejectedTokenCounter.Count(kind: Self.kind(1), uses: 1_001)])
        #expect(uses.count == 0)
        #expect(Self.use(Self.kind(1), uses, at: Self.start + .seconds(600)), "a new window")
    }

    @Test("a transaction that is run again counts once: nothing is counted before its commit")
    func again() {
        let uses = RejectedTokenCounter()
        #expect(!uses.countFurther(Self.kind(1)), "the first needs its record")
        for _ in 0..<3 { #expect(uses.needsRecord(Self.kind(1))) }
        #expect(uses.count == 0)
        #expect(Self.use(Self.kind(1), uses))
        #expect(uses.countFurther(Self.kind(1)))
        #expect(uses.take(overAt: nil) == [RejectedTokenCounter.Count(kind: Self.kind(1), uses: 2)])
    }

    @Test("a rejection without a record, because a window ended meanwhile, is reported later")
    func unrecorded() {
        let uses = RejectedTokenCounter()
        uses.count(
            .init(kind: Self.kind(1), at: Self.start, isRecorded: false, newcomersOrigin: nil))
        #expect(uses.take(overAt: nil) == [RejectedTokenCounter.Count(kind: Self.kind(1), uses: 1)])
    }

    @Test("A-01: after a rejection whose transaction is rolled back, the next one is recorded")
    func undoneRecord() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open(on: try .p256())
        try await fixture.store.refuse("BEFORE INSERT ON audit")
        await #expect(throws: (any Error).self) {
            try await fixture.refresh(tokens.refreshToken)
        }
        try await fixture.store.unplant()
        #expect(try await fixture.audited(.refreshRefused) == 0)
        await expectRefused(.deviceProofRequired) {
            try await fixture.refresh(tokens.refreshToken)
        }
        #expect(try await fixture.audited(.refreshRefused) == 1)
    }

    @Test("a clock that goes backwards and a stop end all windows")
    func clock() {
        let uses = RejectedTokenCounter()
        for _ in 0..<2 { _ = Self.use(Self.kind(1), uses) }
        #expect(uses.take(overAt: Self.start - .seconds(1)).map(\.uses) == [2])
        for _ in 0..<3 { _ = Self.use(Self.kind(1), uses) }
        #expect(uses.take(overAt: nil).map(\.uses) == [3])
    }

    @Test("the number of windows has a maximum")
    func bounded() {
        let uses = RejectedTokenCounter()
        let recorded = (1...Int64(RejectedTokenCounter.windowsMax) + 10).filter {
            Self.use(Self.kind($0), uses)
        }
        #expect(recorded.count == RejectedTokenCounter.windowsMax)
        #expect(uses.count == RejectedTokenCounter.windowsMax)
    }

    @Test("S-04: a thief with many attempts leaves two records, one of them with the count")
    func thief() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open(on: try .p256())
        for _ in 0..<200 {
            await expectRefused(.deviceProofRequired) {
                try await fixture.refresh(tokens.refreshToken)
            }
        }
        #expect(try await fixture.audited(.refreshRefused) == 1)
        await fixture.service.background.maintenance.writeRejectedTokens()
        #expect(try await fixture.audited(.refreshRefused) == 1, "the window is not over")
        fixture.time.advance(by: .seconds(600))
        await fixture.service.background.maintenance.writeRejectedTokens()
        #expect(try await fixture.audited(.refreshRefused) == 2)
        let kind = AuditKind.refreshRefused.rawValue
        #expect(
            try await fixture.number(
                "SELECT max(attempt) FROM audit WHERE kind = ?", [.text(kind)]) == 200)
        #expect(
            try await fixture.number(
                "SELECT count(DISTINCT session) FROM audit WHERE kind = ?", [.text(kind)]) == 1)
    }

    @Test("a stop writes the counts")
    func stop() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open(on: try .p256())
        for _ in 0..<5 {
            await expectRefused(.deviceProofRequired) {
                try await fixture.refresh(tokens.refreshToken)
            }
        }
        await fixture.service.background.writeRemaining()
        #expect(
            try await fixture.number(
                "SELECT max(attempt) FROM audit WHERE kind = ?",
                [.text(AuditKind.refreshRefused.rawValue)]) == 5)
    }
}
