import ServiceRuntime
import Testing

@testable import PersonalData

@Suite("G-16: the states of a migration, and the side that is kept")
struct MigrationRuleTests {
    private static let events: [MigrationEvent] = [
        .received, .begun, .tried(issues: 0), .tried(issues: 2), .retried, .dropped, .released,
    ]

    /// The states after each of `events`.
    private static let table: [(MigrationState, [MigrationState])] = [
        (
            .receiving,
            [.waiting, .receiving, .receiving, .receiving, .receiving, .receiving, .receiving]
        ),
        (.waiting, [.waiting, .running, .waiting, .waiting, .waiting, .waiting, .succeeded]),
        (
            .running,
            [.running, .running, .succeeded, .needsAttention, .running, .running, .succeeded]
        ),
        (
            .needsAttention,
            [
                .needsAttention, .needsAttention, .needsAttention, .needsAttention, .waiting,
                .succeeded, .succeeded,
            ]
        ),
        (
            .succeeded,
            [.succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .succeeded]
        ),
    ]

    @Test("each event in each state", arguments: table)
    func states(row: (MigrationState, [MigrationState])) {
        for (event, after) in zip(Self.events, row.1) {
            #expect(MigrationRule.state(row.0, after: event) == after, "\(row.0), \(event)")
        }
    }

    @Test("all states are in the table, and the job works in two of them")
    func complete() {
        #expect(Set(Self.table.map(\.0)) == Set(MigrationState.allCases))
        #expect(MigrationState.allCases.filter(\.isActive) == [.waiting, .running])
    }

    @Test("the newer document is kept unless a side is picked")
    func kept() {
        func kept(
            _ guest: Int64, _ account: Int64?, _ picked: DocumentSide? = nil
        ) -> DocumentSide {
            MigrationRule.kept(
                guest: Timestamp(milliseconds: guest),
                account: account.map { Timestamp(milliseconds: $0) }, picked: picked)
        }
        #expect(kept(5, nil) == .guest && kept(5, 4) == .guest)
        #expect(kept(5, 5) == .account && kept(5, 6) == .account)
        for account in [nil, 4, 5, 6] as [Int64?] {
            #expect(kept(5, account, .guest) == .guest)
            #expect(kept(5, account, .account) == .account)
        }
    }
}
