import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import postern

@Suite("A-02: a witness of a restored store", .enabled(if: TestStore.runs("Restore*")))
struct RestoredWitnessTests {
    @Test("a head that only the witness has is no change if a restore has replaced its trail")
    func restored() async throws {
        let original = try TrailStore("original")
        try await original.hour(from: 0)
        try await original.store.backup(to: original.folder.file("copy.sqlite"))
        try await original.hour(from: 100)
        let witness = try await original.witness()
        #expect(try await original.findings(witness).isEmpty)
        let copy = try TrailStore("copy", in: original.folder, time: original.time)
        try await copy.store.settleRestoredCopy(about: []) { _ in 0 }
        for _ in 0..<2 { await copy.pass(.seconds(60)) }
        let findings = try await copy.findings(witness)
        #expect(findings.allSatisfy { !$0.isBad })
        #expect(findings.first?.text.contains("of a trail that a restore replaced") == true)
    }
}
