import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Somebody has taken the gateway over, and has the requests of an honest backend.
@Suite("I-10: a gateway that lies about accounts", .timeLimit(.minutes(1)))
struct LyingAboutAccountsTests {
    let fixture: BackendAccountsFixture
    /// "acc_…"
    let ada: String
    let eve: String

    init() async throws {
        fixture = try BackendAccountsFixture()
        ada = try await fixture.identity.member().id
        eve = try await fixture.identity.member("eve@example.org").id
    }

    private typealias Claim = BackendAccountsFixture.Claim
    private typealias Send = @Sendable () async throws -> Void

    private func altered<Request: Sendable>(
        _ request: Request, _ changes: [@Sendable (inout Request) -> Void],
        _ send: @escaping @Sendable (Request) async throws -> Void
    ) -> [Send] {
        changes.map { change in
            var altered = request
            change(&altered)
            let request = altered
            return { try await send(request) }
        }
    }

    private var creations: [Send] {
        get throws {
            let request = try fixture.signed(
                GatewayV1.CreateAccountRequest(
                    email: "new@example.org", phoneNumber: "+4915112345678",
                    password: "Correct7Horse", displayName: "New", mailLanguage: "de",
                    roles: ["editor"], claimsJson: "{}", sendVerification: true))
            return altered(
                request,
                [
                    { $0.email = "eve@example.org" }, { $0.email = "" },
                    { $0.emailVerified = true }, { $0.phoneNumber = "" },
                    { $0.phoneNumber = "+4915112345679" }, { $0.password = "Another7Horse" },
                    { $0.password = "" }, { $0.displayName = "" }, { $0.mailLanguage = "en" },
                    { $0.roles = ["admin"] }, { $0.roles.append("admin") }, { $0.roles = [] },
                    { $0.claimsJson = #"{"a":1}"# }, { $0.sendVerification = false },
                    { $0.call?.accountId = ada }, { $0.call?.actor = "bob" },
                    {
                        $0.mailLanguage = ""
                        $0.displayName = "Newde"
                    },
                ]
            ) { [handler = fixture.handler, context = fixture.context()] in
                _ = try await handler.createAccount($0, context)
            }
        }
    }

    private var changes: [Send] {
        get throws {
            var request = GatewayV1.ChangeAccountRequest(password: "Another7Horse")
            request.name = .displayName("Ada")
            let signed = try fixture.signed(request, on: ada)
            return altered(
                signed,
                [
                    { $0.address = .email("thief@example.org") }, { $0.emailVerified = true },
                    // "Leave it" must not become "remove it".
                    { $0.number = .phoneNumber("") }, { $0.name = .displayName("") },
                    { $0.name = nil }, { $0.password = "" }, { $0.password = "Thief7Horse" },
                    { $0.call?.accountId = eve }, { $0.call?.actor = "" },
                ]
            ) { [handler = fixture.handler, context = fixture.context()] in
                _ = try await handler.changeAccount($0, context)
            }
        }
    }

    private var claims: [Send] {
        get throws {
            var request = GatewayV1.SetAccountClaimsRequest(roles: ["editor"])
            request.base = .baseVersion(0)
            let signed = try fixture.signed(request, on: ada)
            return altered(
                signed,
                [
                    { $0.roles = ["admin"] }, { $0.claimsJson = #"{"plan":"a"}"# },
                    { $0.base = nil }, { $0.base = .baseVersion(1) }, { $0.effect = .atOnce },
                    { $0.effect = .nextRefresh }, { $0.call?.accountId = eve },
                    { $0.call?.actor = "bob" },
                ]
            ) { [handler = fixture.handler, context = fixture.context()] in
                _ = try await handler.setAccountClaims($0, context)
            }
        }
    }

    private var others: [Send] {
        get throws {
            let (handler, context) = (fixture.handler, fixture.context())
            let link = try fixture.signed(
                GatewayV1.IssueLinkRequest(purpose: .verifyEmail), on: ada)
            let links = altered(
                link,
                [
                    { $0.purpose = .resetPassword }, { $0.newEmail = "thief@example.org" },
                    { $0.call?.accountId = eve }, { $0.call?.actor = "bob" },
                ]
            ) { _ = try await handler.issueLink($0, context) }
            let deletion = try fixture.signedDeletion(of: ada, wait: true)
            let deletions = altered(
                deletion,
                [
                    { $0.wait = false }, { $0.call?.accountId = eve }, { $0.call?.actor = "bob" },
                ]
            ) { _ = try await handler.deleteManagedAccount($0, context) }
            let reading = GatewayV1.GetAccountClaimsRequest(
                call: try fixture.call(BackendAccountsDescription.getAccountClaims, on: ada, []))
            let readings = altered(
                reading, [{ $0.call?.accountId = eve }, { $0.call?.actor = "bob" }]
            ) { _ = try await handler.getAccountClaims($0, context) }
            return links + deletions + readings
        }
    }

    @Test("each field, actor and account that differs from the signed one is refused")
    func fields() async throws {
        let before = try await fixture.rows()
        let all = try creations + changes + claims + others
        for (number, send) in all.enumerated() {
            let error = try await refusal { try await send() }
            #expect(error.violations.map(\.rule) == ["body"], "\(number)")
            #expect(error.fields == ["call.application_token"])
        }
        #expect(try await fixture.rows() == before)
    }

    @Test("a token for another rpc, service, place or key is refused")
    func tokens() async throws {
        let before = try await fixture.rows()
        let wrong: [(rule: String, change: @Sendable (inout Claim) -> Void)] = [
            ("method", { $0.method = BackendAccountsDescription.changeAccount.name }),
            // The inner one, which the gateway calls.
            ("method", { $0.method = ManagedAccountsDescription.createAccount.name }),
            ("body", { $0.label = "postern push v1" }),
            ("audience", { $0.audience = "https://x.example" }),
            ("signature", { $0.key = 2 }), ("signature", { $0.keyID = "k2" }),
            ("body", { $0.account = "acc_0000000000001" }), ("body", { $0.actor = "" }),
        ]
        for (rule, change) in wrong {
            let request = try fixture.signed(
                GatewayV1.CreateAccountRequest(email: "new@example.org"), changing: change)
            let error = try await refusal {
                try await fixture.handler.createAccount(request, fixture.context())
            }
            #expect(error.code == .unauthenticated && error.violations.map(\.rule) == [rule])
        }
        #expect(try await fixture.rows() == before)
    }

    @Test("what passed through it does nothing again, under another key or two minutes later")
    func replayed() async throws {
        let request = try fixture.signed(
            GatewayV1.CreateAccountRequest(email: "new@example.org", roles: ["editor"]))
        let first = try await fixture.handler.createAccount(request, fixture.context("one"))
        let link = try fixture.signed(
            GatewayV1.IssueLinkRequest(purpose: .resetPassword), on: ada, key: "l")
        let url = try await fixture.handler.issueLink(link, fixture.context("one")).url
        let after = try await fixture.rows()
        fixture.identity.time.advance(by: .seconds(90))
        #expect(try await fixture.handler.createAccount(request, fixture.context("two")) == first)
        #expect(try await fixture.handler.issueLink(link, fixture.context(nil)).url == url)
        fixture.identity.time.advance(by: .seconds(31))
        for send in [
            { _ = try await fixture.handler.createAccount(request, fixture.context("three")) },
            { _ = try await fixture.handler.issueLink(link, fixture.context("three")) },
        ] as [Send] {
            let error = try await refusal { try await send() }
            #expect(error.violations.map(\.rule) == ["expired"])
        }
        #expect(try await fixture.rows() == after)
    }

    @Test("a backend that account-managers does not name is refused; by default none is named")
    func unnamed() async throws {
        #expect(IdentitySettings().accountManagers.isEmpty)
        // It may push messages, which is another setting.
        let pusher = try BackendAccountsFixture(fixture.identity, managers: [])
        let before = try await fixture.rows()
        let refusals = [
            try await refusal { try await pusher.create(.init(email: "new@example.org")) },
            try await refusal { try await pusher.change(ada, .init(password: "Another7Horse")) },
            try await refusal { try await pusher.setClaims(ada, .init(roles: ["admin"])) },
            try await refusal { try await pusher.claims(of: ada) },
            try await refusal { try await pusher.link(ada, .resetPassword) },
            try await refusal { try await pusher.delete(ada) },
        ]
        #expect(refusals.map(\.code) == Array(repeating: .permissionDenied, count: 6))
        #expect(try await fixture.rows() == before)
    }

    @Test("the tool's own connection takes the place of a token, and no other does")
    func tool() async throws {
        let request = GatewayV1.CreateAccountRequest(
            call: .init(actor: "ann"), email: "new@example.org")
        let made = try await fixture.handler.createAccount(
            request, fixture.identity.context("t", application: "tool"))
        let account = try #require(made.account).accountId
        #expect(
            try await fixture.identity.count(
                "audit", where: "kind = 'account.created-by-backend' AND actor = 'tool/ann'") == 1)
        let call = GatewayV1.BackendCall(accountId: account)
        let tool = fixture.identity.context("u", application: "tool")
        let set = try await fixture.handler.setAccountClaims(
            .init(call: call, roles: ["editor"]), tool)
        #expect(set.version > 0)
        for application in ["gateway", "web", "session", "crm", ""] {
            let context = fixture.identity.context("v", application: application)
            let error = try await refusal {
                try await fixture.handler.setAccountClaims(
                    .init(call: call, roles: ["admin"]), context)
            }
            let expected: ErrorCode =
                application == "gateway" ? .unauthenticated : .permissionDenied
            #expect(error.code == expected, "\(application)")
        }
        #expect(try await fixture.claims(of: account).roles == ["editor"])
    }

    @Test("a call without a proof, a key or an account that it needs is refused with the field")
    func arguments() async throws {
        let none = try await refusal {
            try await fixture.handler.createAccount(
                .init(email: "a@example.org"), fixture.context())
        }
        #expect(none == ServiceError(.invalidArgument, fields: ["call"]))
        let keyless = try await refusal {
            try await fixture.handler.createAccount(
                try fixture.signed(.init(email: "a@example.org"), key: nil), fixture.context())
        }
        #expect(keyless.fields == ["idempotency-key"])
        let nameless = try await refusal { try await fixture.link("", .resetPassword) }
        #expect(nameless == ServiceError(.invalidArgument, fields: ["call.account_id"]))
        let malformed = try await refusal { try await fixture.delete("ada") }
        #expect(malformed == ServiceError(.invalidArgument, fields: ["call.account_id"]))
        let unknown = try await refusal { try await fixture.delete("acc_0000000000001") }
        #expect(unknown == ServiceError(.notFound, fields: ["call.account_id"]))
    }
}
