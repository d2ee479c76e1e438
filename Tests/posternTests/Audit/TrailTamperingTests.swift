import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import postern

@Suite(
    "A-02: whatever is changed in a linked trail is found, and nothing else",
    .timeLimit(.minutes(10)))
struct TrailTamperingTests {
    /// How often each change is made in each store. `docker/soak.sh` makes more than a thousand.
    private static let rounds = (SoakRounds.count(ordinarily: 8) + 3) / 4

    /// A trail before it is changed.
    private struct Sound {
        let tables: TrailStore.Tables
        /// An older copy of them.
        let older: TrailStore.Tables
        /// What was kept elsewhere.
        let witness: TrailWitness
        let heads: [Int64]
    }

    /// Six hours of which two are cut off, so that the trail begins with an anchor.
    private static func sound(_ trail: TrailStore) async throws -> Sound {
        for hour in 0..<2 { try await trail.hour(from: hour * 100) }
        await trail.pass(TrailStore.kept - .seconds(86_400))
        for hour in 2..<4 { try await trail.hour(from: hour * 100) }
        await trail.pass(.seconds(86_400))
        await trail.pass(.seconds(60))
        let older = try await trail.tables()
        for hour in 4..<6 { try await trail.hour(from: hour * 100) }
        return Sound(
            tables: try await trail.tables(), older: older, witness: try await trail.witness(),
            heads: try await trail.headPositions())
    }

    @Test(
        "random changes of records and links in the store of each service",
        arguments: zip(TrailStore.Service.allCases, UInt64(1)...4))
    func changed(service: TrailStore.Service, seed: UInt64) async throws {
        let trail = try TrailStore(of: service)
        let sound = try await Self.sound(trail)
        #expect(try await trail.findings(sound.witness).isEmpty)
        #expect(sound.heads.count >= 4)
        let random = SeededRandomness(seed: seed)
        for change in TrailChange.allCases {
            for round in 0..<Self.rounds {
                try await make(change, in: trail, sound, random, "\(change.rawValue), \(round)")
            }
        }
        try await trail.set(sound.tables)
        #expect(try await trail.findings(sound.witness).isEmpty)
    }

    /// Makes a change, and expects that it is found and named.
    private func make(
        _ change: TrailChange, in trail: TrailStore, _ sound: Sound, _ random: SeededRandomness,
        _ name: String
    ) async throws {
        let drawn = change.made(
            to: sound.tables, older: sound.older, heads: sound.heads, random)
        guard let (tables, positions) = drawn else { return }
        try await trail.set(tables)
        let findings = try await trail.findings(
            change.needsWitness ? sound.witness : TrailWitness()
        ).filter(\.isBad)
        #expect(!findings.isEmpty, "\(name)")
        guard !positions.isEmpty, let text = findings.first?.text else { return }
        let ends = text.split(separator: " ").compactMap { Int64($0) }
        let isNamed = positions.contains { position in
            ends.count >= 2 && (ends[0]...max(ends[0], ends[1])).contains(position)
        }
        #expect(isNamed, "\(name): \(text), not \(positions)")
    }

    @Test("nothing is found in a store of an earlier version, before and after its links")
    func upgraded() async throws {
        let trail = try TrailStore()
        try await trail.write(30, from: 0)
        var tables = try await trail.tables()
        tables.records.removeSubrange(3..<5)
        try await trail.set(tables)
        #expect(try await trail.findings().isEmpty)
        await trail.pass(.seconds(60))
        await trail.pass(.seconds(3_600))
        await trail.pass(.seconds(60))
        #expect(try await trail.findings(try await trail.witness()).isEmpty)
    }
}
