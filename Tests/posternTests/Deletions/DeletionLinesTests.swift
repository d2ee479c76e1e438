import JSON
import Messages
import ServiceRuntime
import Testing

@testable import postern

@Suite("postern deletions")
struct DeletionLinesTests {
    private static let day: Int64 = 86_400_000

    /// As identity sends it: one that has begun is due at no time.
    private func deleting(overdue: Bool) -> GatewayV1.AdminDeletion {
        GatewayV1.AdminDeletion(
            accountId: "acc_1", deletion: .init(state: .deleting, requestedAtMs: Self.day),
            step: "sessions", attempts: 3, nextAttemptAtMs: 41 * Self.day, source: "owner",
            overdue: overdue)
    }

    @Test("a deletion is overdue if identity says so")
    func overdue() {
        #expect(deleting(overdue: true).row.line.hasSuffix("by owner  OVERDUE"))
        #expect(deleting(overdue: false).row.line.hasSuffix("by owner"))
    }

    @Test("a line has the state, the step, the tries and who asked")
    func lines() {
        let line = deleting(overdue: false).row.line
        #expect(line.hasPrefix("acc_1  deleting  sessions  3 tries  again at 1970-02-11T"))
        let waiting = GatewayV1.AdminDeletion(
            accountId: "acc_2",
            deletion: .init(
                state: .waiting, requestedAtMs: 43 * Self.day, dueAtMs: 50 * Self.day),
            nextAttemptAtMs: 50 * Self.day, source: "operator")
        #expect(waiting.row.line == "acc_2  waiting until 1970-02-20T00:00:00.000Z  by operator")
        #expect(waiting.deletion?.phrase == "waiting until 1970-02-20T00:00:00.000Z")
    }
}
