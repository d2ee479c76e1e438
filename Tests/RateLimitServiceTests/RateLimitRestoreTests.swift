import Contracts
import Glibc
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("O-01: a restored rate limiter keeps its limits")
struct RateLimitRestoreTests {
    /// Replaces the store's database with a backup of it, beside the journals.
    private func restored(_ fixture: LimitsFixture) async throws -> LimitsFixture {
        let copy = fixture.folder.file("copy.sqlite")
        await fixture.service.flush()
        try await fixture.store.backup(to: copy)
        fixture.service.closeJournals()
        fixture.store.close()
        try fixture.store.replace(by: copy)
        return try await LimitsFixture(folder: fixture.folder, time: fixture.time, seed: 2)
    }

    @Test("R-06: failures, waits and the secrets of the hashes are as in the backup, recorded once")
    func limits() async throws {
        let fixture = try await LimitsFixture()
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        let restored = try await restored(fixture)
        #expect(try restored.peek(.failedSignInByAccount, "ada@example.org").limited)
        #expect(try !restored.peek(.failedSignInByAccount, "bob@example.org").limited)
        #expect(restored.service.subjectKeys.ring.number == 1)
        let again = try await restored.restarted()
        let kinds = try await again.audited().map(\.kind)
        #expect(kinds.count { $0 == "store.backup-restored" } == 1)
        #expect(try again.peek(.failedSignInByAccount, "ada@example.org").limited)
    }
}
