import TestSupport
import Testing

/// The proof of the two theorems in `RefreshTokens/README.md`. With a device key there is no false
/// sign-out, and a stolen token is useless without limit of time. Without a key no retry within the
/// grace signs out, and every theft is detected at the first use that is stale after the grace or
/// after its child was confirmed.
///
/// `History` says what the theorems require of each use, from everything that has happened. `World`
/// applies the rule, which sees one row. `Exploration` compares them in every schedule.
@Suite("G-10, S-04: the rotation rule agrees with the theorems", .timeLimit(.minutes(10)))
struct ScheduleTests {
    /// Refreshes of each client in the exhaustive part.
    private static let refreshes = SoakRounds.isLong ? 4 : 2

    @Test("G-10: without a key, every schedule of three clients agrees, whichever is a thief")
    func withoutKey() {
        expectNoViolation(
            World(
                Self.clients(hasKey: [false, false, false]), isBound: false, grace: 2))
    }

    @Test("S-04: with a key, every schedule of a device in two tabs and a thief agrees")
    func withKey() {
        expectNoViolation(
            World(Self.clients(hasKey: [true, true, false]), isBound: true, grace: 2))
    }

    @Test("a grace wrong by one millisecond is detected", arguments: [1, 3])
    func twins(grace: Int64) {
        var exploration = Exploration()
        exploration.run(
            from: World(
                Self.clients(hasKey: [false, false, false]), isBound: false, grace: 2,
                ruleGrace: grace))
        #expect(exploration.failure != nil)
    }

    @Test("a rule that takes a thief for the device would be detected")
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

    private func expectNoViolation(
        _ world: World, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var exploration = Exploration()
        exploration.run(from: world)
        print("schedules: \(exploration.worlds) worlds, \(exploration.steps) steps")
        #expect(exploration.failure == nil, sourceLocation: sourceLocation)
        #expect(exploration.worlds > 1_000, sourceLocation: sourceLocation)
    }
}
