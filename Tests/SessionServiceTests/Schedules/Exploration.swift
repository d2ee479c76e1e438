/// Explores every schedule of a few clients, none of them twice.
///
/// A schedule is a sequence of steps. From each world, every step that a client could take is
/// followed. Each client with refreshes left uses its token, with each fate of the response. It
/// falls back to any older token. It uses its access token. It copies any other client's tokens. A
/// millisecond passes; the grace is two, so that there is a time within it and its exact end. The
/// service crashes. Following all steps depth first gives every interleaving of every such
/// schedule.
///
/// Two schedules that lead to the same world have the same future, so the second one is not
/// followed (`WorldKey`). Two worlds count as the same if they differ only
///   - in which of two equal clients is which: all clients are equal without a key, and those with
///     the key where there is one;
///   - in the time of something longer ago than the grace: neither the rule nor the theorems can
///     distinguish such times, because both compare ages only with the grace;
///   - in the schedule that led there.
/// Everything else that the rule or the theorems can see is in the key: row, confirmation, history.
struct Exploration {
    private(set) var worlds = 0
    private(set) var steps = 0
    /// The first disagreement and the world in which it occurs.
    private(set) var failure: String?
    private var known: Set<WorldKey> = []

    /// Follows every schedule from `first`.
    mutating func run(from first: World) {
        var open = [first]
        known.insert(WorldKey(first))
        while let world = open.popLast(), failure == nil {
            worlds += 1
            // After the end every use is rejected. One round of uses shows that.
            for step in Self.steps(from: world) {
                var next = world
                steps += 1
                if let wrong = next.take(step) {
                    failure = "\(step): \(wrong), in \(world)"
                    return
                }
                if !world.isOver, known.insert(WorldKey(next)).inserted { open.append(next) }
            }
        }
    }

    private static func steps(from world: World) -> [Step] {
        var steps: [Step] = []
        for (place, client) in world.clients.enumerated() where client.left > 0 {
            for other in world.clients.indices where world.clients[other].held > 0 {
                if world.clients[other].held != client.held {
                    steps.append(.copy(place, from: other))
                }
            }
            guard client.held > 0 else { continue }
            for fate in Step.Fate.allCases { steps.append(.refresh(place, fate)) }
            if client.held == world.leaf, world.seen < world.leaf { steps.append(.validate(place)) }
            for counter in 1..<client.held { steps.append(.restore(place, to: counter)) }
        }
        if world.now - world.rotatedAt < world.grace { steps.append(.pause(1)) }
        if world.seen >= world.leaf { steps.append(.restart) }
        return steps
    }
}

/// The identity of a world.
struct WorldKey: Hashable {
    private let server: UInt64
    private let history: UInt64

    init(_ world: World) {
        let clients = world.clients.map { client -> UInt64 in
            let kind: UInt64 = client.hasKey ? 1 : 0
            return kind << 8 | UInt64(client.held) << 4 | UInt64(client.left)
        }
        let age = UInt64(min(world.now - world.rotatedAt, world.grace))
        let confirmed: UInt64 = world.seen >= world.leaf ? 1 : 0
        let row = UInt64(world.leaf) << 3 | age << 1 | confirmed
        server = clients.sorted().reduce(row) { $0 << 9 | $1 }
        history = world.history.packed(grace: world.grace, at: world.now)
    }
}
