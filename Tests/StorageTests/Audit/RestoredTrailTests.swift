import TestSupport
import Testing

@testable import Storage

@Suite("A-02: the audit trail of a restored store", .enabled(if: TestStore.runs("Restore*")))
struct RestoredTrailTests {
    @Test("a settled restore begins a new trail, after what the copy had")
    func restored() async throws {
        let original = try TrailFixture("original")
        try await original.linked(3)
        try await original.write(2)
        try await original.store.backup(to: original.folder.file("copy.sqlite"))
        try await original.linked(2)
        let copy = try TrailFixture("copy", in: original.folder, time: original.time)
        try await copy.store.settleRestoredCopy(about: []) { _ in 0 }
        try await copy.linked(1)
        let trails = try await copy.links().map(\.trail)
        #expect(try await copy.links().map { [$0.first, $0.last] } == [[1, 3], [4, 5], [6, 7]])
        #expect(trails[0] == trails[1] && trails[1] != trails[2])
        #expect(try await original.links().map(\.trail) == [trails[0], trails[0]])
        try await copy.expectWhole(7)
        try await original.expectWhole(7)
    }
}
