import TestSupport
import Testing

/// The proof of the two theorems on the page of the rotation rule. With a device key: no false
/// sign-out, and a stolen token is worth nothing, without limit of time. Without one: no sign-out
/// for a retry within the grace, and every theft is found at the first use that is stale after the
/// grace or after its child was confirmed.
///
/// `History` says what the theorems demand of each use, from all that has happened; `World` asks
/// the rule, which sees one row; `Exploration` compares them in every schedule.
@Suite("G-10, S-04: schedules of a family's life", .timeLimit(.minutes(10)))
struct ScheduleTests {
    /// Refreshes of each client in the exhaustive part.
    private static let refreshes = SoakRounds.isLong ? 4 : 2

    @Test("G-10: without a key, every schedule of three clients, whoever of them is a thief")
    func withoutKey() {
        expectNoTrouble(
            World(
                Self.clients(hasKey: [false, false, false]), isBound: false, grace: 2))
    }

    @Test("S-04: with a key, every schedule of a device in two tabs and a thief")
    func withKey() {
        expectNoTrouble(
            World(Self.clients(hasKey: [true, true, false]), isBound: true, grace: 2))
    }

    @Test("a rule that forgives a millisecond longer, or less long, is found", arguments: [1, 3])
    func twins(grace: Int64) {
        var exploration = Exploration()
        exploration.run(
            from: World(
                Self.clients(hasKey: [false, false, false]), isBound: false, grace: 2,
                ruleGrace: grace))
        #expect(exploration.trouble != nil)
    }

    @Test("a rule that takes a thief for the device is found")
    func thief() {
        var world = World(Self.clients(hasKey: [true, true, false]), isBound: true, grace: 2)
        #expect(world.take(.copy(2, from: 0)) == nil)
        #expect(world.verdict(on: world.clients[2]) == .refusal)
        #expect(world.verdict(on: world.clients[0]) == .child)
    }

    private static func clients(hasKey: [Bool]) -> [Client] {
        hasKey.enumerated().map { place, hasKey in
            Client(held: place == 0 ? 1 : 0, left: refreshes, hasKey: hasKey)
        }
    }

    private func expectNoTrouble(
        _ world: World, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var exploration = Exploration()
        exploration.run(from: world)
        print("schedules: \(exploration.worlds) worlds, \(exploration.steps) steps")
        #expect(exploration.trouble == nil, sourceLocation: sourceLocation)
        #expect(exploration.worlds > 1_000, sourceLocation: sourceLocation)
    }
}
