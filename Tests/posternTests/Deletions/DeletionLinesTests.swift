import JSON
import Messages
import ServiceRuntime
import Testing

@testable import postern

@Suite("postern deletions")
struct DeletionLinesTests {
    private static let day: Int64 = 86_400_000
    /// The 41st day: deletions that began before the eleventh are overdue.
    private let latest = Timestamp(milliseconds: 10 * day)

    private func deletion(
        _ state: IdentityV1.DeletionState, due: Int64, step: String = "sessions"
    ) -> IdentityV1.AdminDeletion {
        IdentityV1.AdminDeletion(
            accountId: "acc_1",
            deletion: .init(state: state, requestedAtMs: Self.day, dueAtMs: due), step: step,
            attempts: 3, nextAttemptAtMs: 41 * Self.day, source: "owner")
    }

    @Test("a deletion is overdue if it began more than 30 days ago, and one that waits never is")
    func overdue() {
        let old = deletion(.deleting, due: 10 * Self.day - 1)
        #expect(old.isOverdue(since: latest))
        #expect(old.row(overdueSince: latest).line.hasSuffix("by owner  OVERDUE"))
        #expect(!deletion(.deleting, due: 10 * Self.day).isOverdue(since: latest))
        #expect(!deletion(.waiting, due: 0).isOverdue(since: latest))
    }

    @Test("a line has the state, the step, the tries and who asked")
    func lines() {
        let line = deletion(.deleting, due: 20 * Self.day).row(overdueSince: latest).line
        #expect(line.hasPrefix("acc_1  deleting  sessions  3 tries  again at 1970-02-11T"))
        #expect(line.hasSuffix("by owner"))
        let waiting = IdentityV1.AdminDeletion(
            accountId: "acc_2", deletion: .init(state: .waiting, dueAtMs: 50 * Self.day),
            source: "operator")
        #expect(
            waiting.row(overdueSince: latest).line
                == "acc_2  waiting until 1970-02-20T00:00:00.000Z  by operator")
        #expect(waiting.deletion?.phrase == "waiting until 1970-02-20T00:00:00.000Z")
    }
}
