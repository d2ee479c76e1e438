import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-10: links that a backend mails, and claims that it sets", .timeLimit(.minutes(1)))
struct IssueLinkTests {
    let fixture: BackendAccountsFixture
    let ada: String
    private var identity: IdentityFixture { fixture.identity }

    init() async throws {
        fixture = try BackendAccountsFixture()
        ada = try await fixture.identity.member().id
        try await fixture.identity.relay()
    }

    private func reset(_ link: GatewayV1.IssueLinkResponse) async throws -> String? {
        try await identity.credentials.resetPassword(
            .init(
                token: BackendAccountsFixture.token(link), password: "Owner8Password",
                device: IdentityFixture.device), identity.context()
        ).account?.accountId
    }

    @Test("a link to set a password works once, lives an hour, and voids the one before")
    func password() async throws {
        let mails = identity.notifications.mails.count
        let first = try await fixture.link(ada, .resetPassword, key: "1")
        let second = try await fixture.link(ada, .resetPassword, key: "2")
        #expect(first.url != second.url)
        #expect(second.url.hasPrefix("https://app.example/reset-password?token="))
        #expect(second.expiresAtMs == (identity.time.now() + .seconds(3_600)).milliseconds)
        try await identity.relay()
        #expect(identity.notifications.mails.count == mails)
        #expect(try await refusal { try await reset(first) }.code == .invalidLink)
        #expect(try await reset(second) == ada)
        #expect(try await refusal { try await reset(second) }.code == .invalidLink)
        // Only its use causes a notice.
        try await identity.relay()
        #expect(identity.notifications.mails.map(\.template).contains("password-changed"))
        let record = "kind = 'account.link-issued' AND detail = 'reset-password'"
        #expect(try await identity.count("audit", where: "\(record) AND actor = 'crm/ann'") == 2)
    }

    @Test("a link to verify the email confirms with the account's password, as a mailed one")
    func verification() async throws {
        let link = try await fixture.link(ada, .verifyEmail, key: "1")
        let confirmed = try await identity.accounts.confirmEmail(
            .init(
                token: BackendAccountsFixture.token(link), password: "Correct7Horse",
                device: IdentityFixture.device), identity.context())
        #expect(confirmed.account?.emailVerified == true)
        let again = try await refusal { try await fixture.link(ada, .verifyEmail, key: "2") }
        #expect(again.code == .operationNotAllowed)
    }

    @Test("a link to change the email changes it, with the account's password")
    func change() async throws {
        let link = try await fixture.link(ada, .changeEmail, newEmail: "ada@example.com")
        let confirmed = try await identity.emails.confirmEmailChange(
            .init(
                token: BackendAccountsFixture.token(link), password: "Correct7Horse",
                device: IdentityFixture.device), identity.context())
        #expect(confirmed.account?.email == "ada@example.com")
    }

    /// Attack: somebody reads a backup, and makes the link of a stored response.
    @Test("G-25: a repeat gets the same link, of which no row has the token")
    func repeats() async throws {
        let link = try await fixture.link(ada, .resetPassword)
        identity.time.advance(by: .seconds(60))
        #expect(try await fixture.link(ada, .resetPassword) == link)
        #expect(try await identity.count("links", where: "purpose = 2") == 1)
        let token = try #require(LinkToken(text: BackendAccountsFixture.token(link)))
        let hash = token.hash(.resetPassword, identity.keys.links)
        let stored = try await identity.store.read { session in
            try session.query("SELECT answer FROM idempotency") { try $0.blob(0) }
        }
        let seeds = try stored.map { try IdentityV1.StoredResponse($0).linkSeed }
        #expect(seeds.contains { $0.count == LinkToken.seedBytes })
        #expect(seeds.allSatisfy { !BackendAccountsFixture.token(link).utf8.elementsEqual($0) })
        let found = try await identity.store.read { [time = identity.time] session in
            try session.link(.resetPassword, tokenHash: hash, at: time.now())
        }
        #expect(found != nil)
    }

    @Test("what has no such link is refused")
    func refused() async throws {
        let number = try await fixture.create(.init(phoneNumber: "+4915112345678"), key: "c")
        let phone = try #require(number.account).accountId
        let guest = try await identity.guest().account
        _ = try await identity.member("eve@example.org")
        let rows: [(String, GatewayV1.LinkPurpose, String, ErrorCode, [String])] = [
            (phone, .verifyEmail, "", .operationNotAllowed, []),
            (phone, .resetPassword, "", .operationNotAllowed, []),
            (guest, .changeEmail, "g@example.org", .operationNotAllowed, []),
            (ada, .changeEmail, "ada@example.org", .invalidEmail, ["new_email"]),
            (ada, .changeEmail, "eve@example.org", .emailAlreadyInUse, ["new_email"]),
            (ada, .changeEmail, "", .invalidEmail, ["new_email"]),
            (ada, .resetPassword, "x@example.org", .invalidArgument, ["new_email"]),
            (ada, .deleteAccount, "", .invalidArgument, ["purpose"]),
            (ada, .unspecified, "", .invalidArgument, ["purpose"]),
            ("acc_0000000000001", .resetPassword, "", .notFound, ["call.account_id"]),
        ]
        for (account, purpose, email, code, fields) in rows {
            let error = try await refusal {
                try await fixture.link(account, purpose, newEmail: email)
            }
            #expect(error.code == code && error.fields == fields, "\(purpose) \(email)")
        }
        // An account with a number alone gets an email by such a link.
        let link = try await fixture.link(phone, .changeEmail, newEmail: "phone@example.org")
        #expect(!link.url.isEmpty)
        for event in [AccountEvent.suspend, .beginDeletion] {
            let account = try #require(AccountID(text: ada))
            _ = try await identity.store.write(about: [.account(account)]) {
                try $0.apply(event, account)
            }
            let error = try await refusal {
                try await fixture.link(ada, .resetPassword, key: "\(event)")
            }
            #expect(error.code == .accountDisabled)
        }
    }

    // MARK: Claims

    @Test("I-10: claims are replaced by their version; AT_ONCE ends the sessions too")
    func claims() async throws {
        #expect(try await fixture.claims(of: ada) == .init())
        var request = GatewayV1.SetAccountClaimsRequest(
            roles: ["editor", "admin"], claimsJson: #"{ "plan": "a" }"#)
        request.base = .baseVersion(0)
        let first = try await fixture.setClaims(ada, request, key: "1")
        let found = try await fixture.claims(of: ada)
        #expect(found.roles == ["editor", "admin"] && found.claimsJson == #"{"plan":"a"}"#)
        #expect(found.version == first)
        let conflict = try await refusal { try await fixture.setClaims(ada, request, key: "2") }
        #expect(conflict.code == .documentConflict && conflict.currentVersion == first)
        // A repeat is none.
        #expect(try await fixture.setClaims(ada, request, key: "1") == first)
        try await identity.relay()
        #expect(identity.sessions.ended.isEmpty)
        let second = try await fixture.setClaims(
            ada, .init(roles: ["editor"], effect: .atOnce), key: "3")
        #expect(second > first)
        try await identity.relay()
        #expect(identity.sessions.ended.map(\.accountId) == [ada])
        #expect(identity.sessions.ended.map(\.reason) == [.revoked])
        let record = "kind = 'account.claims-set' AND actor = 'crm/ann'"
        #expect(try await identity.count("audit", where: record) == 2)
        for (request, field) in [
            (.init(roles: ["a", "a"]), "roles"), (.init(claimsJson: "[]"), "claims_json"),
            (.init(effect: .init(rawValue: 9)), "effect"),
        ] as [(GatewayV1.SetAccountClaimsRequest, String)] {
            let error = try await refusal {
                var signed = try fixture.signed(request, on: ada, key: "4")
                if request.effect.rawValue == 9 {
                    signed.call = try fixture.call(
                        BackendAccountsDescription.setAccountClaims, on: ada, [nil, nil, nil, "9"],
                        key: "4")
                }
                return try await fixture.handler.setAccountClaims(signed, fixture.context())
            }
            #expect(error == ServiceError(.invalidArgument, fields: [field]))
        }
    }
}
