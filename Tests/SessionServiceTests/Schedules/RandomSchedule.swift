import TestSupport

/// Schedules that are too long to explore exhaustively, random from a seed.
struct RandomSchedule {
    /// The default grace, in milliseconds.
    static let grace: Int64 = 30_000
    /// Pauses: short ones, within the grace, its exact end and the millisecond before, and far
    /// beyond.
    private static let pauses: [Int64] = [1, 500, 10_000, grace - 1, grace, 100_000, 86_400_000]

    let isBound: Bool
    private let randomness: SeededRandomness

    init(seed: UInt64) {
        randomness = SeededRandomness(seed: seed)
        isBound = seed.isMultiple(of: 2)
    }

    /// The first world: two clients of the owner and a thief.
    var first: World {
        World(
            [true, true, false].enumerated().map { place, isOwners in
                Client(held: place == 0 ? 1 : 0, left: .max, hasKey: isBound && isOwners)
            }, isBound: isBound, grace: Self.grace)
    }

    /// The next step in `world`, one that can always be taken.
    func step(in world: World) -> Step {
        let client = draw(world.clients.count)
        let held = world.clients[client].held
        guard held > 0 else { return .copy(client, from: 0) }
        switch draw(100) {
        case 0..<50: return .refresh(client, Step.Fate.allCases[draw(10) < 6 ? 0 : 1 + draw(2)])
        case 50..<65: return .validate(client)
        case 65..<72: return .copy(client, from: draw(world.clients.count, holdingIn: world))
        case 72..<76: return .restore(client, to: 1 + Int64(draw(Int(held))))
        case 76..<98: return .pause(Self.pauses[draw(Self.pauses.count)])
        default: return .restart
        }
    }

    private func draw(_ count: Int) -> Int { Int(randomness.next() % UInt64(count)) }

    private func draw(_ count: Int, holdingIn world: World) -> Int {
        let place = draw(count)
        return world.clients[place].held > 0 ? place : 0
    }
}
