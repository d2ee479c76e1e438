import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("A-01: what identity's records say beside their kind", .timeLimit(.minutes(1)))
struct RecordDetailsTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func details(_ kind: AuditKind) async throws -> [String?] {
        try await fixture.store.number(.audit)
        return try await fixture.store.read {
            try $0.query(
                "SELECT detail FROM audit WHERE kind = ? ORDER BY number", [.text(kind.rawValue)]
            ) { try $0.optionalText(0) }
        }
    }

    @Test("a sign-in has its method, whether it succeeds, fails or is counted")
    func signIns() async throws {
        _ = try await fixture.register()
        _ = try await refusal { try await fixture.signIn(password: "Wrong7Horse") }
        _ = try await refusal { try await fixture.signIn("nobody@example.org") }
        _ = try await fixture.signIn()
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        _ = try await refusal {
            try await fixture.signIn(by: .init(provider: "google", idToken: "nonsense"))
        }
        #expect(try await details(.signInFailed) == ["password"])
        #expect(try await details(.signInSucceeded) == ["password", "google"])
        for method in ["password", "google"] {
            let counted = "kind = 'sign-in.failed' AND detail = '\(method)' AND refusals = 1"
            #expect(try await fixture.count("refusal_count", where: counted) == 1, "\(method)")
        }
        #expect(try await details(.accountRegistered) == [nil, nil], "a kind without a detail")
    }

    @Test("a linked or removed method is named, and a name that the account does not have is not")
    func methods() async throws {
        let account = try await fixture.registerProved().accountId
        let session = fixture.devices.open(account)
        _ = try await fixture.link(.token("g1"), in: session)
        _ = try await refusal { try await fixture.unlink("canary-7q9", in: session) }
        _ = try await fixture.unlink("google", in: session)
        _ = try await refusal { try await fixture.unlink("password", in: session) }
        #expect(try await details(.identityLinked) == ["google"])
        #expect(try await details(.identityUnlinked) == ["google"])
        #expect(try await details(.linkingRefused) == [nil, "password"])
    }

    @Test("a replaced password says why: changed, reset, or taken over")
    func passwords() async throws {
        let account = try await fixture.registerProved().accountId
        _ = try await fixture.credentials.changePassword(
            .init(
                currentPassword: "Correct7Horse", newPassword: "Another8Horse",
                device: IdentityFixture.device), fixture.relayed(fixture.devices.open(account)))
        try await fixture.resetPassword()
        #expect(try await details(.passwordReplaced) == ["change", "reset"])
        _ = try await fixture.register("eve@example.org")
        try await fixture.relay()
        try await fixture.resetPassword(of: "eve@example.org")
        #expect(try await details(.passwordReplaced).last == "takeover")
    }

    @Test("country and agent are the gateway's words, and the trail has no city")
    func origins() async throws {
        _ = try await fixture.register()
        var context = fixture.context()
        context.metadata[Metadata.Key.place] = "DE;525;134;Canaryville"
        context.metadata[Metadata.Key.agent] = "firefox 131, linux"
        _ = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: IdentityFixture.device)), context)
        let known = "kind = 'sign-in.succeeded' AND country = 'DE' AND agent = 'firefox 131, linux'"
        #expect(try await fixture.count("audit", where: known) == 1)
    }

    /// Attack: what people type into wrong fields, and what strangers send, outlives the account in
    /// the trail.
    @Test("A-02: no text of a caller is in a column of the trail")
    func canaries() async throws {
        let account = try await fixture.register("canary@example.org", password: "Finch7Pass")
            .account?.accountId
        let session = fixture.devices.open(try #require(account))
        var context = fixture.context()
        context.metadata[Metadata.Key.place] = "DE;;;Canaryville"
        context.metadata[Metadata.Key.agent] = "Canary/1 (canary)"
        for email in ["canary@example.org", "Finch7Pass", "nobody-canary@example.org"] {
            _ = try? await fixture.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: email, password: "Finch8Pass", device: IdentityFixture.device)),
                context)
        }
        _ = try? await fixture.signIn(by: .init(provider: "canary", idToken: "canary"))
        _ = try? await fixture.signIn(by: .init(provider: "google", idToken: "canary"))
        _ = try? await fixture.unlink("canary", in: session)
        let texts = try await fixture.store.read { store in
            try store.query("SELECT kind, outcome, actor, app, detail, country, agent FROM audit") {
                $0.values
            } + store.query("SELECT kind, detail, outcome FROM refusal_count") { $0.values }
        }
        #expect(texts.count > 3)
        for row in texts {
            for canary in ["canary", "finch"] {
                #expect(!"\(row)".lowercased().contains(canary), "\(row)")
            }
        }
    }
}
