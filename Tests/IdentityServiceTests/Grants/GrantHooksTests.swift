import Contracts
import HTTPSink
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Which changes exchange a code or revoke a grant at Apple", .timeLimit(.minutes(1)))
struct GrantHooksTests {
    private let identity: IdentityFixture
    private let ada = GatewayV1.ProviderToken.token("g1", email: "ada@example.org")
    private let apple = GatewayV1.ProviderToken.token("a1", by: "apple")

    init() throws { identity = try IdentityFixture() }

    /// An account with Ada's address and an Apple identity with a stored grant.
    private func granted(proved: Bool) async throws -> (account: String, session: String) {
        let account =
            proved
            ? try await identity.registerProved()
            : try #require(try await identity.register().account)
        let session = identity.devices.open(account.accountId)
        _ = try await identity.link(apple, in: session)
        let grants = Grants(writer: identity.writer)
        let stored = StoredGrant(
            provider: .apple, client: "com.example.app", refreshToken: "refresh", order: "o")
        try await identity.store.writeUnchecked { transaction in
            let key = try transaction.queryOne("SELECT look_up_key FROM identities") {
                try $0.blob(0)
            }
            guard let key, let holder = try transaction.grantHolder(lookUpKey: key) else { return }
            let sealed = try grants.vault(holder)
                .seal(stored.text, .identityGrant(holder.identity))
            try transaction.setGrant(holder.identity, sealed)
        }
        return (account.accountId, session)
    }

    /// The grants whose revocation is queued.
    private func revocations() async throws -> [String] {
        let messages = try await identity.store.read { session in
            try session.query(
                "SELECT topic, message_key, payload FROM outbox WHERE topic = 'grant-revocation'"
            ) {
                OutboxMessage(
                    topic: try $0.text(0), key: try $0.text(1), payload: try $0.blob(2))
            }
        }
        return try messages.map { try GrantOrder($0, under: identity.keys.outbox).secret }
    }

    @Test("G-05: unlinking Apple revokes its grant, and unlinking another method does not")
    func unlink() async throws {
        let (_, session) = try await granted(proved: true)
        _ = try await identity.link(ada, in: session)
        _ = try await identity.unlink("google", in: session)
        #expect(try await revocations() == [])
        _ = try await identity.unlink("apple", in: session)
        #expect(try await revocations() == ["refresh"])
    }

    @Test("G-05: a takeover revokes the grant of the stranger's identity")
    func takeover() async throws {
        _ = try await granted(proved: false)
        let answer = try await identity.signIn(by: ada)
        #expect(answer.removedMethods == ["password", "apple"])
        #expect(try await revocations() == ["refresh"])
    }

    @Test("G-05: linking with a code exchanges the code, once for each idempotency key")
    func link() async throws {
        let fixture = try await GrantFixture(identity: identity) { _ in GrantFixture.granted() }
        let answer = try await identity.registerProved()
        let account = try #require(AccountID(text: answer.accountId))
        let session = try #require(SessionID(key: 7)).text
        let proved = GrantFixture.proved()
        let (context, device) = (identity.context("once"), IdentityFixture.device)
        for _ in 0..<2 {
            let call = MethodCall(
                of: SessionOwner(
                    account: account, session: session, provedAt: identity.time.now()),
                from: CallOrigin(context, on: device, identity.keys), on: device,
                try RepeatableCall(
                    IdentitiesDescription.linkProvider,
                    GatewayV1.LinkProviderRequest(device: device), by: account.text,
                    proving: identity.keys.lookUpKey(of: proved), context, identity.keys))
            _ = try await MethodAdding(
                store: identity.store, writer: identity.writer, grantEndpoints: fixture.endpoints,
                newcomers: identity.settings.newcomers
            ).add(proved, call)
        }
        try await fixture.settle()
        #expect(fixture.sink.requests.map(\.path) == ["/auth/token"])
        #expect(try await fixture.grant()?.refreshToken == "refresh-canary")
        await fixture.close()
    }

    @Test("G-05: without Apple's key no code is stored")
    func noKey() async throws {
        var proved = GrantFixture.proved()
        proved.email = nil
        let endpoints = identity.identities.signIn.grantEndpoints
        _ = try await identity.signIn(
            proved, on: IdentityFixture.device, grantsAt: endpoints)
        #expect(try await identity.count("outbox", where: "topic = 'grant-exchange'") == 0)
    }

    @Test("G-04, G-05: a code is used with its provider's token only, for the token's app")
    func codes() {
        func token(_ provider: String, _ code: String) -> GatewayV1.ProviderToken {
            .init(provider: provider, authorizationCode: code)
        }
        var proved = GrantFixture.proved("")
        proved.audience = "com.example.two"
        #expect(GrantCode(of: token("apple", "c1"), to: proved)?.client == "com.example.two")
        #expect(GrantCode(of: token("apple", "c1"), to: proved)?.provider == .apple)
        #expect(GrantCode(of: token("google", "c1"), to: proved)?.provider == .google)
        #expect(GrantCode(of: token("corporate", "c1"), to: proved) == nil)
        #expect(GrantCode(of: token("apple", ""), to: proved) == nil)
    }
}
