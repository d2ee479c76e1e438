import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("I-08: ids of another system are deleted after their time")
struct ImportedIDPurgeTests {
    @Test("an id goes when it is older than the setting, the account stays")
    func purge() async throws {
        let identity = try IdentityFixture()
        let fixture = ImportFixture(identity)
        _ = try await fixture.take([ImportFixture.record("old", email: "ada@example.org")])
        identity.time.advance(by: .seconds(3_600))
        _ = try await fixture.take([ImportFixture.record("new", email: "eve@example.org")])
        let purge = ImportedIDPurge(
            store: identity.store, retention: .seconds(86_400), time: identity.time)
        identity.time.advance(by: .seconds(82_800))
        #expect(try await !purge.step())
        #expect(try await identity.count("imported_accounts") == 2)
        identity.time.advance(by: .milliseconds(1))
        #expect(try await !purge.step())
        #expect(try await identity.count("imported_accounts") == 1)
        #expect(try await identity.count("accounts") == 2)
    }

    @Test("an id that was imported again since it was found stays")
    func importedAgain() async throws {
        let identity = try IdentityFixture()
        let before = identity.time.now() + .milliseconds(1)
        identity.time.advance(by: .milliseconds(1))
        _ = try await ImportFixture(identity).take([ImportFixture.record("new")])
        let account = try #require(
            try await identity.store.read { session in
                try session.queryOne("SELECT account FROM imported_accounts") {
                    try AccountID(stored: $0.integer(0))
                }
            })
        for (moment, left) in [(before, 1), (before + .milliseconds(1), 0)] {
            try await identity.store.write(about: [.account(account)]) {
                try $0.forgetImportedID(of: account, importedBefore: moment)
            }
            #expect(try await identity.count("imported_accounts") == left)
        }
    }
}
