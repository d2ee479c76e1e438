import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite(
    "I-07: a removal and a write that meet", .enabled(if: TestStore.runs("*InterleavingsTests")))
struct RemovalInterleavingsTests {
    @Test("a removal meets another write before its own, with and without a base version")
    func removal() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(#"{"a":1}"#)
        let writer = HeldWriter()
        let store = fixture.identity.store
        async let held: Void = store.write(about: []) { _ in writer.hold() }
        await writer.untilHeld(1)
        let account = try #require(AccountID(text: fixture.account))
        async let other: Void = store.write(about: [.account(account)]) { transaction in
            try ChangeDocumentsTests.write(
                #"{"a":2}"#, fixture.handler, account, transaction)
        }
        while store.waitingWrites < 1 { await Task.yield() }
        async let error = refusal { try await fixture.remove(base: 1) }
        while store.waitingWrites < 2 { await Task.yield() }
        writer.release()
        _ = try await (held, other)
        #expect(try await error.currentVersion == 2)
        #expect(try await fixture.remove())
        #expect(try await !fixture.remove())
    }
}
