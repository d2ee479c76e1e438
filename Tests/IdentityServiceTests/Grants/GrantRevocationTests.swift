import HTTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Revocation of Apple's grants", .timeLimit(.minutes(1)))
struct GrantRevocationTests {
    /// An account with a grant, and an Apple that answers revocations with `answers`.
    private static func fixture(
        _ answers: [HTTPSink.Answer]
    ) async throws -> (fixture: GrantFixture, account: AccountID) {
        let script = AnswerScript(answers)
        let fixture = try await GrantFixture(timeout: .seconds(2)) { request in
            request.path == "/auth/token" ? GrantFixture.granted() : script.answer()
        }
        let account = try await fixture.signIn()
        try await fixture.settle()
        try #require(try await fixture.grant() != nil)
        return (fixture, account)
    }

    @Test("G-05: the grant of an unlinked identity is revoked by the app that received it")
    func revoked() async throws {
        let (fixture, account) = try await Self.fixture([.answer(200)])
        try await fixture.unlink(account)
        try await fixture.settle()
        let request = try #require(fixture.sink.requests.last)
        #expect(request.path == "/auth/revoke")
        let fields = request.text.split(separator: "&").map(String.init)
        #expect(fields.contains("token=refresh-canary"))
        #expect(fields.contains("token_type_hint=refresh_token"))
        #expect(fields.contains("client_id=com.example.app"))
        #expect(try await fixture.count(.grantRevoked) == 1)
        await fixture.close()
    }

    @Test("G-05: a revocation is retried until it succeeds, even after our key was rejected")
    func retried() async throws {
        let (fixture, account) = try await Self.fixture([
            .answer(503), .reset, .stall, GrantFixture.error("invalid_client"), .answer(200),
        ])
        try await fixture.unlink(account)
        try await fixture.settle()
        #expect(fixture.sink.requests.filter { $0.path == "/auth/revoke" }.count == 5)
        #expect(try await fixture.count(.grantRevoked) == 1)
        await fixture.close()
    }

    @Test("G-05: a revocation of a grant unknown to Apple is given up and audited")
    func unknown() async throws {
        let (fixture, account) = try await Self.fixture([GrantFixture.error("invalid_grant")])
        try await fixture.unlink(account)
        try await fixture.settle()
        #expect(fixture.sink.requests.count == 2)
        #expect(try await fixture.count(.grantRevocationGivenUp) == 1)
        #expect(try await fixture.count(.grantRevoked) == 0)
        await fixture.close()
    }

    @Test("G-05: a crash after the unlink loses no revocation, even if the account is deleted")
    func crash() async throws {
        let (fixture, account) = try await Self.fixture([.answer(200)])
        try await fixture.unlink(account)
        // The account's keys are deleted too. The queued message does not need them.
        try await fixture.identity.change("DELETE FROM account_keys")
        fixture.identity.store.close()
        let next = try await GrantFixture(
            identity: IdentityFixture(
                folder: fixture.identity.folder, time: fixture.identity.time, seed: 2)
        ) { _ in .answer(200) }
        try await next.settle()
        #expect(next.sink.requests.map(\.path) == ["/auth/revoke"])
        #expect(next.sink.requests.first?.text.contains("token=refresh-canary") == true)
        #expect(try await next.count(.grantRevoked) == 1)
        await fixture.close()
        await next.close()
    }

    @Test("G-05: an identity that is linked again before the revocation gets its grant back")
    func linkedAgain() async throws {
        let (fixture, account) = try await Self.fixture([.answer(200)])
        try await fixture.unlink(account)
        try await fixture.signIn("")
        try await fixture.settle()
        #expect(fixture.sink.requests.map(\.path) == ["/auth/token"])
        #expect(try await fixture.grant()?.refreshToken == "refresh-canary")
        #expect(try await fixture.count(.grantRevocationGivenUp) == 1)
        await fixture.close()
    }

    @Test("without Apple's key a revocation is retried for thirty days")
    func noKey() async throws {
        let (fixture, account) = try await Self.fixture([.answer(200)])
        try await fixture.unlink(account)
        let waiting = try await GrantFixture(identity: fixture.identity, hasKey: false) { _ in
            .answer(200)
        }
        try await waiting.run(until: {
            try await fixture.identity.count("outbox", where: "attempts > 3") == 1
        })
        #expect(try await fixture.identity.waiting() == 1)
        fixture.identity.time.advance(by: Grants.revocationLife)
        try await waiting.settle()
        #expect(waiting.sink.requests.isEmpty)
        #expect(try await fixture.count(.grantRevocationGivenUp) == 1)
        await fixture.close()
        await waiting.close()
    }
}
