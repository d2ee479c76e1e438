import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-10: accounts that a backend changes and deletes", .timeLimit(.minutes(1)))
struct ChangeAccountTests {
    let fixture: BackendAccountsFixture
    /// An account with a password and an unverified address.
    let ada: String
    private var identity: IdentityFixture { fixture.identity }

    init() async throws {
        fixture = try BackendAccountsFixture()
        ada = try await fixture.identity.member().id
        try await fixture.identity.relay()
    }

    private var templates: [String] { identity.notifications.mails.map(\.template) }

    /// What the records of changes say, in any order.
    private func details() async throws -> [String] {
        let found = try await identity.store.read { session in
            try session.query(
                """
                SELECT detail FROM audit
                WHERE kind = 'account.changed-by-backend' AND actor = 'crm/ann'
                """
            ) { try $0.text(0) }
        }
        return found.sorted()
    }

    private static func email(
        _ email: String, verified: Bool = false
    ) -> GatewayV1.ChangeAccountRequest {
        var request = GatewayV1.ChangeAccountRequest(emailVerified: verified)
        request.address = .email(email)
        return request
    }

    private static func number(_ number: String) -> GatewayV1.ChangeAccountRequest {
        var request = GatewayV1.ChangeAccountRequest()
        request.number = .phoneNumber(number)
        return request
    }

    private static func name(_ name: String) -> GatewayV1.ChangeAccountRequest {
        var request = GatewayV1.ChangeAccountRequest()
        request.name = .displayName(name)
        return request
    }

    @Test("a new password ends all sessions, voids links, and the owner gets a notice")
    func password() async throws {
        let reset = try await fixture.link(ada, .resetPassword, key: "l")
        let generation = try await generation()
        _ = try await fixture.change(ada, .init(password: "Another7Horse"))
        #expect(try await identity.signIn(password: "Another7Horse").account?.accountId == ada)
        #expect(
            try await refusal { try await identity.signIn() }.code == .invalidCredential)
        #expect(try await self.generation() > generation)
        try await identity.relay()
        #expect(identity.sessions.ended.map(\.accountId) == [ada])
        #expect(templates.contains("password-changed"))
        let void = try await refusal {
            try await identity.credentials.resetPassword(
                .init(
                    token: BackendAccountsFixture.token(reset), password: "Third7Horse",
                    device: IdentityFixture.device), identity.context())
        }
        #expect(void.code == .invalidLink)
        #expect(try await details() == ["password"])
    }

    private func generation() async throws -> Int64 {
        let account = try #require(AccountID(text: ada))
        let found = try await identity.store.read { try $0.sessionGeneration(of: account) }
        return try #require(found)
    }

    @Test("the notice of a new email goes to the former one, which signs in no more")
    func email() async throws {
        let changed = try await fixture.change(
            ada, Self.email("Ada@example.com", verified: true))
        #expect(changed?.email == "Ada@example.com" && changed?.emailVerified == true)
        try await identity.relay()
        let mail = try #require(
            identity.notifications.mails.last { $0.template == "email-changed" })
        #expect(mail.recipient == "ada@example.org")
        #expect(identity.sessions.ended.map(\.accountId) == [ada])
        #expect(try await identity.signIn("ada@example.com").account?.accountId == ada)
        #expect(
            try await refusal { try await identity.signIn() }.code == .invalidCredential)
        // A new email without the backend's word is not verified.
        let next = try await fixture.change(ada, Self.email("ada@example.net"), key: "2")
        #expect(next?.emailVerified == false)
        #expect(try await details() == ["email", "email"])
    }

    @Test("notices of a new email and password go to both addresses")
    func both() async throws {
        var request = Self.email("ada@example.com", verified: true)
        request.password = "Another7Horse"
        _ = try await fixture.change(ada, request)
        try await identity.relay()
        let told = identity.notifications.mails.filter { $0.template == "password-changed" }
        #expect(Set(told.map(\.recipient)) == ["ada@example.org", "ada@example.com"])
    }

    @Test("the account's own email becomes verified by the backend's word, and nothing ends")
    func verified() async throws {
        let changed = try await fixture.change(ada, Self.email("ADA@example.org", verified: true))
        #expect(changed?.emailVerified == true && changed?.email == "ADA@example.org")
        try await identity.relay()
        #expect(identity.sessions.ended.isEmpty && !templates.contains("email-changed"))
        #expect(try await details() == ["email-verified"])
        let word = try await refusal {
            try await fixture.change(ada, .init(emailVerified: true), key: "2")
        }
        #expect(word == ServiceError(.invalidArgument, fields: ["email_verified"]))
    }

    @Test("a number is added, replaced, and removed, but not as the last way to sign in")
    func number() async throws {
        let added = try await fixture.change(ada, Self.number("+4915112345678"), key: "1")
        #expect(added?.methods == ["password", "phone"])
        try await identity.relay()
        #expect(identity.sessions.ended.isEmpty && templates.contains("method-added"))
        let same = try await fixture.change(ada, Self.number("+4915112345678"), key: "2")
        #expect(same?.phoneNumber == "+4915112345678")
        let replaced = try await fixture.change(ada, Self.number("+4915112345679"), key: "3")
        #expect(replaced?.phoneNumber == "+4915112345679")
        try await identity.relay()
        #expect(identity.sessions.ended.count == 1)
        let removed = try await fixture.change(ada, Self.number(""), key: "4")
        #expect(removed?.methods == ["password"])
        #expect(try await details() == Array(repeating: "phone-number", count: 3))
        let alone = try await fixture.create(.init(phoneNumber: "+4915112345678"), key: "5")
        let last = try await refusal {
            try await fixture.change(
                try #require(alone.account).accountId, Self.number(""), key: "6")
        }
        #expect(last == ServiceError(.lastMethod, fields: ["phone_number"]))
    }

    @Test("a name is changed and removed; a change of nothing writes no record")
    func name() async throws {
        #expect(
            try await fixture.change(ada, Self.name("Countess"), key: "1")?.displayName
                == "Countess")
        #expect(try await fixture.change(ada, Self.name(""), key: "2")?.displayName == "")
        #expect(try await fixture.change(ada, .init(), key: "3")?.displayName == "")
        #expect(try await details() == ["display-name", "display-name"])
        try await identity.relay()
        #expect(identity.sessions.ended.isEmpty)
    }

    @Test("what another account has is refused, and so is a guest's change")
    func refused() async throws {
        _ = try await identity.member("eve@example.org")
        let email = try await refusal {
            try await fixture.change(ada, Self.email("eve@example.org", verified: true))
        }
        #expect(email == ServiceError(.emailAlreadyInUse, fields: ["email"]))
        _ = try await fixture.create(.init(phoneNumber: "+4915112345678"), key: "p")
        let number = try await refusal {
            try await fixture.change(ada, Self.number("+4915112345678"))
        }
        #expect(number == ServiceError(.credentialAlreadyInUse, fields: ["phone_number"]))
        let weak = try await refusal { try await fixture.change(ada, .init(password: "short")) }
        #expect(weak.code == .weakPassword)
        let guest = try await identity.guest().account
        let guests = try await refusal {
            try await fixture.change(guest, Self.email("guest@example.org", verified: true))
        }
        #expect(guests.code == .operationNotAllowed)
        let phone = try await fixture.create(.init(phoneNumber: "+4915112345679"), key: "q")
        let addressless = try await refusal {
            try await fixture.change(
                try #require(phone.account).accountId, .init(password: "Another7Horse"))
        }
        #expect(addressless == ServiceError(.operationNotAllowed, fields: ["password"]))
    }

    @Test("G-25: a repeat changes nothing, also after the account was changed again")
    func repeats() async throws {
        _ = try await fixture.change(ada, .init(password: "Another7Horse"), key: "1")
        _ = try await fixture.change(ada, .init(password: "Third7Horse"), key: "2")
        let rows = try await fixture.rows()
        _ = try await fixture.change(ada, .init(password: "Another7Horse"), key: "1")
        #expect(try await fixture.rows() == rows)
        #expect(try await identity.signIn(password: "Third7Horse").account?.accountId == ada)
    }

    // MARK: Deletion

    @Test("G-20: a deletion begins at once, or waits; a repeat begins no other")
    func deletion() async throws {
        let eve = try await identity.member("eve@example.org").id
        let waiting = try await fixture.delete(eve, wait: true, key: "1")
        #expect(waiting?.state == .waiting)
        try await identity.change("DELETE FROM deletions")
        #expect(
            try await fixture.delete(eve, wait: true, key: "1")?.state
                == GatewayV1.DeletionState.none)
        #expect(try await identity.count("deletions") == 0)
        #expect(try await fixture.delete(ada, key: "2")?.state == .deleting)
        let record = "kind = 'account.deletion-requested' AND actor = 'crm/ann'"
        #expect(try await identity.count("audit", where: record) == 2)
        // What is being deleted is not changed any more.
        let gone = try await refusal { try await fixture.change(ada, Self.name("x"), key: "3") }
        #expect(gone == ServiceError(.notFound, fields: ["call.account_id"]))
    }
}
