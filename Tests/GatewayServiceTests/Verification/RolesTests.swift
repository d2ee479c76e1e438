import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService

@Suite("I-10: a role from the backend's call to the token", .timeLimit(.minutes(1)))
struct RolesTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        try await fixture.inner.settle()
    }

    private func set(_ roles: [String], _ json: String = "", ending: Bool = false) async throws {
        let core = fixture.inner.identity.core
        let writer = AccountClaimsWriter(writer: core.writer)
        let account = try #require(AccountID(text: ada.account.accountId))
        let claims = try AccountClaims.checked(roles: roles, json: json)
        _ = try await core.store.write(about: [.account(account)]) {
            try writer.set(claims, of: account, base: nil, endSessions: ending, $0)
        }
    }

    private func introspect(_ token: String) async throws -> GatewayV1.IntrospectTokenResponse {
        try await fixture.verification.introspectToken(
            .init(accessToken: token), fixture.context())
    }

    @Test("I-10: it is in the next refresh once it is delivered, and in the owner's account")
    func nextRefresh() async throws {
        try await set(["admin"], #"{"team":"blue"}"#)
        #expect(try await introspect(ada.session.accessToken).roles == [])
        try await fixture.inner.settle()
        let old = try await introspect(ada.session.accessToken)
        #expect(old.active && old.roles == [] && old.claimsJson == "")
        let child = try await fixture.refresh(ada.session.refreshToken)
        let token = try await introspect(child.accessToken)
        #expect(token.roles == ["admin"] && token.claimsJson == #"{"team":"blue"}"#)
        #expect(try await fixture.check(child.accessToken).account?.roles == ["admin"])
    }

    @Test("a sign-in has it before anything is delivered")
    func undelivered() async throws {
        try await set(["admin"])
        let next = try await fixture.signIn()
        #expect(next.account.roles == ["admin"])
        #expect(try await introspect(next.session.accessToken).roles == ["admin"])
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(
            try await introspect(child.accessToken).roles == ["admin"],
            "the proof of the new session has told session")
    }

    @Test("a role that is taken away at once: the old token is refused, the next sign-in lacks it")
    func atOnce() async throws {
        try await set(["admin"])
        try await fixture.inner.settle()
        let child = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await introspect(child.accessToken).roles == ["admin"])
        try await set([], ending: true)
        // A proof from after the end has a later time.
        fixture.time.advance(by: .milliseconds(2))
        let next = try await fixture.signIn()
        let fresh = try await introspect(next.session.accessToken)
        #expect(fresh.active && fresh.roles == [])
        try await fixture.inner.settle()
        #expect(try await introspect(child.accessToken) == .init())
        let ended = try await refusal { try await fixture.refresh(child.refreshToken) }
        #expect(ended.code == .sessionEnded)
        #expect(try await introspect(next.session.accessToken) == fresh)
        let later = try await fixture.refresh(next.session.refreshToken)
        #expect(try await introspect(later.accessToken).roles == [])
    }
}
