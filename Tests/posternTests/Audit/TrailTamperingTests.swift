import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import postern

@Suite(
    "A-02: whatever is changed in a linked trail is found, and nothing else",
    .timeLimit(.minutes(10)))
struct TrailTamperingTests {
    /// How often each change is made. `docker/soak.sh` makes a thousand changes.
    private static let rounds = SoakRounds.count(ordinarily: 8)

    @Test("random changes of records and links", arguments: TrailChange.allCases)
    func changed(change: TrailChange) async throws {
        let trail = try TrailStore()
        // Some of it is cut off, so that the trail begins with an anchor.
        for hour in 0..<2 { try await trail.hour(from: hour * 100) }
        await trail.pass(TrailStore.kept - .seconds(86_400))
        for hour in 2..<4 { try await trail.hour(from: hour * 100) }
        await trail.pass(.seconds(86_400))
        await trail.pass(.seconds(60))
        let older = try await trail.tables()
        for hour in 4..<6 { try await trail.hour(from: hour * 100) }
        let (sound, witness) = (try await trail.tables(), try await trail.witness())
        let heads = try await trail.headPositions()
        #expect(try await trail.findings(witness).isEmpty)
        #expect(heads.count >= 4)
        for seed in 1...UInt64(Self.rounds) {
            let drawn = change.made(
                to: sound, older: older, heads: heads, SeededRandomness(seed: seed))
            guard let (tables, positions) = drawn else { continue }
            try await trail.set(tables)
            let findings = try await trail.findings(
                change.needsWitness ? witness : TrailWitness()
            ).filter(\.isBad)
            #expect(!findings.isEmpty, "\(change.rawValue), seed \(seed)")
            guard !positions.isEmpty, let text = findings.first?.text else { continue }
            let ends = text.split(separator: " ").compactMap { Int64($0) }
            let isNamed = positions.contains { position in
                ends.count >= 2 && (ends[0]...max(ends[0], ends[1])).contains(position)
            }
            #expect(isNamed, "\(change.rawValue), seed \(seed): \(text), not \(positions)")
        }
        try await trail.set(sound)
        #expect(try await trail.findings(witness).isEmpty)
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
