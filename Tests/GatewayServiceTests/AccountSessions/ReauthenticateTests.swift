import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-13: a user re-authenticates through the gateway")
struct ReauthenticateTests {
    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    private func reauthenticate(
        _ token: String, _ password: String?, in context: CallContext? = nil
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await fixture.accountSessions.reauthenticate(
            .init(
                device: .init(deviceId: "d1", platform: "cli"),
                proof: password.map { .password(.init(text: $0)) }),
            (context ?? fixture.context()).bearing(token))
    }

    @Test("G-13: the password gives a token with a new auth_time for the same session")
    func right() async throws {
        let person = try await fixture.signUp()
        fixture.time.advance(by: .seconds(400))
        let answer = try await reauthenticate(person.session.accessToken, "Correct7Horse")
        #expect(answer.authenticatedAtMs == fixture.time.now().milliseconds)
        #expect(try await fixture.check(answer.accessToken).authenticated)
        let entries = try await fixture.accountSessions.listSessions(
            .init(), fixture.context().bearing(answer.accessToken)
        ).sessions
        #expect(entries.count == 1 && entries.first?.authenticatedAtMs == answer.authenticatedAtMs)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
    }

    @Test("G-13: a wrong password changes nothing and counts as a failed sign-in")
    func wrong() async throws {
        let person = try await fixture.signUp()
        for _ in 0..<5 {
            let error = try await refusal {
                try await reauthenticate(person.session.accessToken, "Wrong7Horse")
            }
            #expect(error.code == .invalidCredential)
        }
        let limited = try await refusal {
            try await reauthenticate(person.session.accessToken, "Correct7Horse")
        }
        #expect(limited.code == .tooManyRequests)
        let signIn = try await refusal { try await fixture.signIn() }
        #expect(signIn.code == .tooManyRequests, "one limit for both")
        #expect(try await fixture.check(person.session.accessToken).authenticated)
    }

    @Test("R-03: right passwords, each a row of the audit trail, count as writes of the account")
    func counted() async throws {
        let person = try await fixture.signUp()
        for _ in 0..<3 { _ = try await reauthenticate(person.session.accessToken, "Correct7Horse") }
        let writes = "document-write-by-account"
        #expect(try fixture.inner.left(writes, person.account.accountId) == 60 - 3)
        _ = try await refusal {
            try await reauthenticate(person.session.accessToken, "Wrong7Horse")
        }
        #expect(try fixture.inner.left(writes, person.account.accountId) == 60 - 3)
    }

    @Test("G-13: without a proof or a live session, no password is verified")
    func refused() async throws {
        let person = try await fixture.signUp()
        let token = person.session.accessToken
        #expect(try await refusal { try await reauthenticate(token, nil) }.code == .invalidArgument)
        #expect(
            try await refusal { try await reauthenticate("x", "Correct7Horse") }.code
                == .invalidAccessToken)
        _ = try await fixture.signOut(.accessToken(token))
        #expect(
            try await refusal { try await reauthenticate(token, "Correct7Horse") }.code
                == .sessionEnded)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
    }

    @Test("G-13: another account's password is not a proof for this account")
    func stranger() async throws {
        let ada = try await fixture.signUp()
        _ = try await fixture.signUp("eve@example.org", password: "Evil7Password")
        let error = try await refusal {
            try await reauthenticate(ada.session.accessToken, "Evil7Password")
        }
        #expect(error.code == .invalidCredential)
    }
}
