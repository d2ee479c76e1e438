import ServiceRuntime
import Testing

@testable import AccountLife

@Suite("I-04: when an unused guest is deleted")
struct UnusedGuestRuleTests {
    private static let day = Duration.seconds(86_400)
    private let rule = UnusedGuestRule(kept: day * 180, upgradedAt: Self.moment(1_000))

    private static func moment(_ days: Int) -> Timestamp {
        Timestamp(milliseconds: 0) + day * days
    }

    @Test(
        "180 days after its last use, its creation or the upgrade, whichever is the latest",
        arguments: [
            (0, nil, 1_180), (0, 900, 1_180), (999, 1_000, 1_180), (1_001, nil, 1_181),
            (1_001, 1_200, 1_380),
        ] as [(Int, Int?, Int)])
    func deletion(created: Int, seen: Int?, deleted: Int) {
        let deletion = rule.deletion(
            createdAt: Self.moment(created), lastSeenAt: seen.map(Self.moment))
        #expect(deletion == Self.moment(deleted))
    }

    @Test("guest-kept=forever deletes none")
    func forever() {
        let rule = UnusedGuestRule(kept: nil, upgradedAt: Self.moment(0))
        #expect(rule.deletion(createdAt: Self.moment(0), lastSeenAt: nil) == nil)
        #expect(rule.createdBefore(Self.moment(100_000)) == nil)
    }

    @Test("no guest is due before the upgrade's 180 days, then those that are as old")
    func createdBefore() {
        #expect(rule.createdBefore(Self.moment(1_180) - .milliseconds(1)) == nil)
        #expect(rule.createdBefore(Self.moment(1_180)) == Self.moment(1_000))
        #expect(rule.createdBefore(Self.moment(1_300)) == Self.moment(1_120))
    }
}
