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

    @Test("the first rejection for a session and reason is recorded, the rest are counted")
    func window() {
        let uses = RejectedTokenCounter()
        #expect(uses.record(Self.kind(1), at: Self.start))
        for _ in 0..<1_000 { #expect(!uses.record(Self.kind(1), at: Self.start)) }
        #expect(uses.record(Self.kind(1, .invalidDeviceProof), at: Self.start), "another reason")
        #expect(uses.record(Self.kind(2), at: Self.start), "another session")
        for kind in [Self.kind(1, .invalidDeviceProof), Self.kind(2)] { uses.confirm(kind) }
        #expect(uses.take(overAt: Self.start + .milliseconds(599_999)) == [])
        let over = uses.take(overAt: Self.start + .seconds(600))
        #expect(over == [RejectedTokenCounter.Count(kind: Self.kind(1), uses: 1_001)])
        #expect(uses.count == 0)
        #expect(uses.record(Self.kind(1), at: Self.start + .seconds(600)), "a new window")
    }

    @Test("a first rejection whose record was rolled back is reported when its window ends")
    func undone() {
        let uses = RejectedTokenCounter()
        #expect(!uses.countFurther(Self.kind(1)), "the first needs its record")
        for session in [Int64(1), 2] { #expect(uses.record(Self.kind(session), at: Self.start)) }
        uses.confirm(Self.kind(2))
        #expect(uses.take(overAt: nil) == [RejectedTokenCounter.Count(kind: Self.kind(1), uses: 1)])
        uses.confirm(Self.kind(1))
        #expect(uses.count == 0, "a late confirmation opens no window")
    }

    @Test("A-01: a rejection whose transaction is rolled back is still recorded")
    func undoneRecord() async throws {
        let fixture = try await SessionFixture()
        let tokens = try await fixture.open(on: try .p256())
        _ = try await fixture.store.writeUnchecked { transaction in
            try transaction.execute(
                "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT raise(ABORT, 'full'); END")
        }
        await #expect(throws: (any Error).self) {
            try await fixture.refresh(tokens.refreshToken)
        }
        _ = try await fixture.store.writeUnchecked { try $0.execute("DROP TRIGGER full") }
        #expect(try await fixture.audited(.refreshRefused) == 0)
        fixture.time.advance(by: .seconds(600))
        await fixture.service.background.maintenance.writeRejectedTokens()
        #expect(try await fixture.audited(.refreshRefused) == 1)
    }

    @Test("a clock that goes backwards and a stop end all windows")
    func clock() {
        let uses = RejectedTokenCounter()
        for _ in 0..<2 { _ = uses.record(Self.kind(1), at: Self.start) }
        #expect(uses.take(overAt: Self.start - .seconds(1)).map(\.uses) == [2])
        for _ in 0..<3 { _ = uses.record(Self.kind(1), at: Self.start) }
        #expect(uses.take(overAt: nil).map(\.uses) == [3])
    }

    @Test("the number of windows has a maximum")
    func bounded() {
        let uses = RejectedTokenCounter()
        let recorded = (1...Int64(RejectedTokenCounter.windowsMax) + 10).filter {
            uses.record(Self.kind($0), at: Self.start)
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
