import ServiceRuntime
import Testing

@testable import AccountLife

@Suite("G-19, G-20: the states of a deletion")
struct DeletionRuleTests {
    private static let now = Timestamp(milliseconds: 1_000)
    private static let later = Timestamp(milliseconds: 1_001)
    private static let latest = Timestamp(milliseconds: 9_000)

    struct Row: Sendable {
        let before: DeletionState
        let event: DeletionEvent
        let after: DeletionState
    }

    private static let table: [Row] = [
        .init(before: .none, event: .requested(due: later), after: .waiting(until: later)),
        .init(before: .none, event: .requested(due: now), after: .deleting(.tombstone)),
        .init(before: .none, event: .cancelled, after: .none),
        .init(before: .none, event: .checked, after: .none),
        .init(before: .none, event: .stepDone, after: .none),
        .init(
            before: .waiting(until: later), event: .requested(due: latest),
            after: .waiting(until: later)),
        .init(
            before: .waiting(until: latest), event: .requested(due: later),
            after: .waiting(until: latest)),
        .init(
            before: .waiting(until: later), event: .requested(due: now),
            after: .deleting(.tombstone)),
        .init(before: .waiting(until: later), event: .cancelled, after: .none),
        .init(before: .waiting(until: now), event: .cancelled, after: .none),
        .init(before: .waiting(until: later), event: .checked, after: .waiting(until: later)),
        .init(before: .waiting(until: now), event: .checked, after: .deleting(.tombstone)),
        .init(before: .waiting(until: later), event: .stepDone, after: .waiting(until: later)),
        .init(
            before: .deleting(.sessions), event: .requested(due: now),
            after: .deleting(.sessions)),
        .init(before: .deleting(.tombstone), event: .cancelled, after: .deleting(.tombstone)),
        .init(before: .deleting(.end), event: .checked, after: .deleting(.end)),
        .init(before: .deleting(.tombstone), event: .stepDone, after: .deleting(.release)),
        .init(before: .deleting(.end), event: .stepDone, after: .none),
    ]

    @Test("each state and event, with the moment of a wait's end", arguments: table)
    func transitions(row: Row) {
        #expect(DeletionRule.state(row.before, after: row.event, at: Self.now) == row.after)
    }

    @Test("no event leads from deleting back to waiting or to none before the last step is done")
    func noWayBack() {
        let events: [DeletionEvent] = [
            .requested(due: Self.now), .requested(due: Self.later), .cancelled, .checked, .stepDone,
        ]
        for step in DeletionStep.allCases where step != .end {
            for event in events {
                let after = DeletionRule.state(.deleting(step), after: event, at: Self.now)
                guard case .deleting(let next) = after else {
                    Issue.record("\(step) and \(event) lead to \(after)")
                    continue
                }
                #expect(next.rawValue >= step.rawValue)
            }
        }
    }

    @Test("the steps are in the order of their numbers, each with its name")
    func steps() {
        var step: DeletionStep? = .tombstone
        var found: [String] = []
        while let current = step {
            found.append(current.name)
            step = current.next
        }
        #expect(
            found == [
                "tombstone", "release", "sessions", "push-devices", "backend", "content",
                "other-services", "rows", "notice", "grants", "end",
            ])
    }
}
