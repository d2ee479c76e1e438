import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("I-10: accounts in a backend's hands, at the gateway", .timeLimit(.minutes(1)))
struct BackendAccountsTests {
    private static let limit = "backend-account-by-application"

    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    /// A field as a token covers it; nil for an absent one.
    private static func parts(_ fields: [String?]) -> [[UInt8]] {
        fields.map { text in
            guard let text else { return [0] }
            return [1] + Array(text.utf8)
        }
    }

    private func call(
        _ method: MethodDescription, on account: String, _ fields: [String?], key: String?
    ) throws -> GatewayV1.BackendCall {
        try fixture.inner.backend.call(
            on: account, method, "postern accounts v1", Self.parts(fields), idempotencyKey: key,
            at: fixture.time.now())
    }

    private func context(_ key: String? = "k") -> CallContext {
        fixture.context(key, application: BackendSigner.application)
    }

    /// A new account with a password.
    private func creation(
        _ email: String, verified: Bool = false, key: String = "k"
    ) throws -> GatewayV1.CreateAccountRequest {
        GatewayV1.CreateAccountRequest(
            call: try call(
                BackendAccountsDescription.createAccount, on: "",
                [
                    email, verified ? "true" : nil, nil, "Correct7Horse", nil, nil, nil, nil, nil,
                ], key: key),
            email: email, emailVerified: verified, password: "Correct7Horse")
    }

    private func setPassword(
        of account: String, _ password: String, key: String = "k"
    ) async throws {
        let request = GatewayV1.ChangeAccountRequest(
            call: try call(
                BackendAccountsDescription.changeAccount, on: account,
                [nil, nil, nil, password, nil], key: key),
            password: .init(text: password))
        _ = try await fixture.backendAccounts.changeAccount(request, context(key))
    }

    private var left: UInt32 {
        get throws { try fixture.inner.left(Self.limit, BackendSigner.application) }
    }

    @Test("an account that a backend creates is signed in to, and deleted by it")
    func way() async throws {
        let made = try await fixture.backendAccounts.createAccount(
            try creation("new@example.org", verified: true), context())
        let account = try #require(made.account).accountId
        let signedIn = try await fixture.signIn("new@example.org")
        #expect(signedIn.account.accountId == account)
        let deletion = try await fixture.backendAccounts.deleteManagedAccount(
            .init(
                call: try call(
                    BackendAccountsDescription.deleteManagedAccount, on: account, [nil], key: "d")),
            context("d"))
        #expect(deletion.deletion?.state == .deleting)
        let gone = try await refusal { try await fixture.signIn("new@example.org") }
        #expect(gone.code == .invalidCredential || gone.code == .accountDisabled)
    }

    @Test("a link that a backend gets opens the page's method, and a claim is set and read")
    func links() async throws {
        let ada = try await fixture.signUp().account.accountId
        let link = try await fixture.backendAccounts.issueLink(
            .init(
                call: try call(
                    BackendAccountsDescription.issueLink, on: ada,
                    ["LINK_PURPOSE_RESET_PASSWORD", nil], key: "l"), purpose: .resetPassword),
            context("l"))
        let token = try #require(link.url.split(separator: "?token=").last)
        let reset = try await fixture.passwords.resetPassword(
            .init(
                token: String(token), password: "Owner8Password",
                device: GatewayFixture.device("d1")), fixture.context("r"))
        #expect(reset.account?.accountId == ada)
        let set = try await fixture.backendAccounts.setAccountClaims(
            .init(
                call: try call(
                    BackendAccountsDescription.setAccountClaims, on: ada,
                    [#"["editor"]"#, nil, nil, nil], key: "c"), roles: ["editor"]), context("c"))
        let found = try await fixture.backendAccounts.getAccountClaims(
            .init(
                call: try call(
                    BackendAccountsDescription.getAccountClaims, on: ada, [], key: nil)),
            context(nil))
        #expect(found.roles == ["editor"] && found.version == set.version)
    }

    /// Attack: a thief has signed in, and the thief's device is known. It would have a limit on
    /// failures of its own.
    @Test("R-03: the devices that are known of an account are forgotten with its password")
    func devices() async throws {
        let ada = try await fixture.signUp().account.accountId
        fixture.time.advance(by: .seconds(1))
        try await setPassword(of: ada, "Another7Horse")
        for _ in 0..<20 {
            _ = try await refusal {
                try await fixture.signIn(
                    password: "Wrong7Horse", device: "d9",
                    in: fixture.context(address: "192.0.2.99"))
            }
        }
        let error = try await refusal {
            try await fixture.signIn(password: "Another7Horse", device: "d1")
        }
        #expect(error.code == .tooManyRequests)
    }

    @Test("R-03: each call charges the backend, refused ones too; one token charges once")
    func charged() async throws {
        let before = try left
        let request = try creation("new@example.org")
        for _ in 0..<3 {
            _ = try await fixture.backendAccounts.createAccount(request, context())
        }
        #expect(try before - left == 1)
        // Another token under the same key is another charge, and the same answer.
        fixture.time.advance(by: .seconds(1))
        let next = try await fixture.backendAccounts.createAccount(
            try creation("new@example.org"), context())
        #expect(next.account?.email == "new@example.org")
        var altered = try creation("other@example.org", key: "o")
        altered.email = "thief@example.org"
        let lie = altered
        let error = try await refusal {
            try await fixture.backendAccounts.createAccount(lie, context("o"))
        }
        #expect(error.code == .unauthenticated && error.fields == ["call.application_token"])
        #expect(try left < before)
        #expect(try fixture.inner.left(Self.limit, "app") == before)
    }

    @Test("R-07: without the rate limiter the account is created")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let call = try fixture.inner.backend.call(
            on: "", BackendAccountsDescription.createAccount, "postern accounts v1",
            Self.parts(["new@example.org", nil, nil, nil, nil, nil, nil, nil, nil]),
            idempotencyKey: "k", at: fixture.time.now())
        let made = try await fixture.backendAccounts.createAccount(
            .init(call: call, email: "new@example.org"),
            fixture.context("k", application: BackendSigner.application))
        #expect(made.account?.email == "new@example.org")
    }
}
