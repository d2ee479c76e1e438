import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-14: adding and removing sign-in methods", .timeLimit(.minutes(1)))
struct MethodTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private let google = GatewayV1.ProviderToken.token("g1", email: "ada.g@example.org")

    private func signedIn() async throws -> (account: String, session: String) {
        let account = try await fixture.registerProved().accountId
        return (account, fixture.devices.open(account))
    }

    @Test("G-14: an owner links any identity, whatever its email; it is mailed and audited")
    func link() async throws {
        let ada = try await signedIn()
        let account = try await fixture.link(google, in: ada.session)
        #expect(account.methods == ["password", "google"] && account.email == "ada@example.org")
        #expect(try await fixture.signIn(by: google).account?.accountId == ada.account)
        try await fixture.relay()
        #expect(fixture.templates.contains("method-added"))
        #expect(try await fixture.audited("identity.linked") == 1)
        #expect(fixture.sessions.ended.isEmpty)
    }

    @Test("N-07: a method that is added is told where the owner was before, not where it leads")
    func told() async throws {
        let phone = PhoneCodeFixture(fixture)
        let account = try await phone.account().accountId
        let session = fixture.devices.open(account)
        fixture.pushes.register(account, session: fixture.devices.session(of: session))
        let linked = try await fixture.link(google, in: session)
        #expect(linked.emailVerified)
        try await fixture.relay()
        #expect(!fixture.templates.contains("method-added"))
        #expect(fixture.pushes.pushes.isEmpty, "the acting session's device")
        #expect(fixture.texts.texts.map(\.template) == ["phone-code", "method-added"])
        let other = try await signedIn()
        let sent = try await phone.sent("+4915112345679", .link, accessToken: other.session)
        _ = try await phone.link(sent, other.session, "+4915112345679")
        try await fixture.relay()
        #expect(fixture.templates.contains("method-added"))
        #expect(fixture.texts.texts.last?.template == "phone-code")
    }

    @Test("G-14: linking is refused for a used identity and for a second one of a provider")
    func refused() async throws {
        let ada = try await signedIn()
        _ = try await fixture.signIn(by: .token("other"))
        func code(_ token: GatewayV1.ProviderToken) async throws -> ErrorCode {
            try await refusal { try await fixture.link(token, in: ada.session) }.code
        }
        #expect(try await code(.token("other")) == .credentialAlreadyInUse)
        _ = try await fixture.link(google, in: ada.session)
        #expect(try await code(google) == .providerAlreadyLinked)
        #expect(try await code(.token("g2")) == .providerAlreadyLinked)
        #expect(try await fixture.audited("identity.linking-refused") == 3)
        #expect(try await fixture.count("identities") == 2)
    }

    @Test("G-13: linking and unlinking need a recent sign-in, and the error names usable methods")
    func recentProof() async throws {
        let ada = try await signedIn()
        fixture.time.advance(by: .seconds(300))
        for error in [
            try await refusal { try await fixture.link(google, in: ada.session) },
            try await refusal { try await fixture.unlink("password", in: ada.session) },
        ] {
            #expect(error.code == .requiresRecentLogin)
            #expect(error.acceptableProofs.contains("password"))
        }
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("B4: a guest cannot link, since its session would stay valid in the account; it upgrades")
    func guest() async throws {
        let guest = try await fixture.guest()
        #expect(
            try await refusal { try await fixture.link(google, in: guest.token) }
                == ServiceError(.operationNotAllowed))
        #expect(try await fixture.count("identities") == 0)
        let signedIn = try await fixture.signIn(by: google, guest: guest.token)
        #expect(signedIn.account?.accountId == guest.account && signedIn.isUpgraded)
        try await fixture.relay()
        #expect(fixture.sessions.ended.first?.exceptSessionId == "")
    }

    @Test("G-12: linking an identity with the account's own verified email proves the address")
    func provesAddress() async throws {
        let account = try #require(try await fixture.register().account).accountId
        let session = fixture.devices.open(account)
        let other = try await fixture.link(google, in: session)
        #expect(!other.emailVerified)
        let proved = try await fixture.link(
            .token("a1", email: "ada@example.org", by: "apple"), in: session)
        #expect(proved.emailVerified && proved.methods == ["password", "apple", "google"])
        #expect(try await fixture.count("links", where: "purpose <> 8") == 0)
    }

    @Test("X-04: linking an identity with an unverified email proves and adds no address")
    func unverified() async throws {
        let account = try #require(try await fixture.register().account).accountId
        let session = fixture.devices.open(account)
        let linked = try await fixture.link(
            .token("g1", email: "ada@example.org", isVerified: false), in: session)
        #expect(!linked.emailVerified)
        let unnamed = try await fixture.signIn(
            by: .token("g2", email: "bare@example.org", isVerified: false))
        let bare = try #require(unnamed.account).accountId
        let gained = try await fixture.link(
            .token("a1", email: "free@example.org", isVerified: false, by: "apple"),
            in: fixture.devices.open(bare))
        #expect(gained.email.isEmpty)
    }

    @Test("G-14: unlinking keeps the other methods, ends other sessions, and is mailed and audited")
    func unlink() async throws {
        let ada = try await signedIn()
        _ = try await fixture.link(google, in: ada.session)
        let account = try await fixture.unlink("google", in: ada.session)
        #expect(account.methods == ["password"])
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(end.exceptSessionId == fixture.devices.session(of: ada.session))
        #expect(fixture.templates.contains("method-removed"))
        #expect(try await fixture.audited("identity.unlinked") == 1)
        // The audit trail identifies the identity: both events have the same subject.
        let subjects = try await fixture.store.read { session in
            try session.query(
                "SELECT DISTINCT subject FROM audit WHERE kind LIKE 'identity.%linked'"
            ) { try $0.blob(0) }
        }
        #expect(subjects.count == 1)
        let next = try await fixture.signIn(by: google)
        #expect(next.isNewUser && next.account?.accountId != ada.account)
    }

    @Test("G-14: the last method cannot be removed: password, provider or phone number")
    func last() async throws {
        let ada = try await signedIn()
        #expect(
            try await refusal { try await fixture.unlink("password", in: ada.session) }.code
                == .lastMethod)
        _ = try await fixture.link(google, in: ada.session)
        _ = try await fixture.unlink("password", in: ada.session)
        #expect(
            try await refusal { try await fixture.unlink("google", in: ada.session) }.code
                == .lastMethod)
        #expect(
            try await refusal { try await fixture.unlink("apple", in: ada.session) }.code
                == .methodNotLinked)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        #expect(try await fixture.signIn(by: google).account?.accountId == ada.account)
    }

    @Test("G-14: of two parallel removals of the last two methods one is refused", arguments: 0..<5)
    func race(round: Int) async throws {
        let ada = try await signedIn()
        _ = try await fixture.link(google, in: ada.session)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for method in ["google", "password"] {
                group.addTask {
                    do {
                        _ = try await fixture.unlink(method, in: ada.session)
                        return nil
                    } catch { return (error as? ServiceError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.compactMap { $0 } == [.lastMethod])
        let left =
            try await fixture.count("identities") + fixture.count("passwords")
        #expect(left == 1)
    }

    @Test("G-14: removing the password deletes the links that could set it")
    func password() async throws {
        let ada = try await signedIn()
        _ = try await fixture.link(google, in: ada.session)
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        _ = try await fixture.unlink("password", in: ada.session)
        #expect(try await fixture.count("links", where: "purpose <> 8") == 0)
    }

    @Test("G-14: methods are listed oldest first, each with a hint for the owner")
    func list() async throws {
        let ada = try await signedIn()
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.link(google, in: ada.session)
        let methods = try await fixture.identities.listSignInMethods(
            .init(), fixture.relayed(ada.session)
        ).methods
        #expect(methods.map(\.method) == ["password", "google"])
        #expect(methods.map(\.hint) == ["ada@example.org", "ada.g@example.org"])
        #expect(methods.allSatisfy { $0.addedAtMs > 0 })
    }

    @Test("G-06: a phone number is a method, shown in full to its owner and masked in the list")
    func phone() async throws {
        let answer = try await fixture.signIn(PhoneIdentity.proved("+4915112345678"))
        let account = try #require(answer.account)
        #expect(account.phoneNumber == "+4915112345678" && account.methods == ["phone"])
        #expect(answer.proof?.amr == ["sms", "otp"])
        let session = fixture.devices.open(account.accountId)
        let methods = try await fixture.identities.listSignInMethods(
            .init(), fixture.relayed(session)
        ).methods
        #expect(methods.map(\.hint) == ["…5678"])
        #expect(
            try await refusal { try await fixture.unlink("phone", in: session) }.code
                == .lastMethod)
    }

    @Test("G-13: a fresh token of a linked identity proves the owner, and any other is refused")
    func proof() async throws {
        let ada = try await signedIn()
        _ = try await fixture.link(google, in: ada.session)
        func prove(_ token: GatewayV1.ProviderToken) async throws -> IdentityV1.SignInProof? {
            try await fixture.identities.proveByProvider(
                .init(device: IdentityFixture.device, proof: .providerToken(token)),
                fixture.relayed(ada.session)
            ).proof
        }
        let proof = try #require(try await prove(google))
        #expect(proof.accountId == ada.account && proof.amr == ["fed"])
        #expect(fixture.keys.proofs.isGenuine(proof))
        _ = try await fixture.signIn(by: .token("other"))
        for subject in ["other", "unknown"] {
            let error = try await refusal { try await prove(.token(subject)) }
            #expect(error.code == .methodNotLinked)
        }
        #expect(try await fixture.count("identities") == 2)
        #expect(try await fixture.audited("sign-in.failed", outcome: "auth/no-such-provider") == 2)
    }

    @Test("G-25: a repeated proof has the time of the first, and is no newer authentication")
    func repeatedProof() async throws {
        let ada = try await signedIn()
        _ = try await fixture.link(google, in: ada.session)
        var proofs: [IdentityV1.SignInProof] = []
        for _ in 0..<2 {
            let answer = try await fixture.identities.proveByProvider(
                .init(device: IdentityFixture.device, proof: .providerToken(google)),
                fixture.relayed(ada.session, "k1"))
            proofs.append(try #require(answer.proof))
            fixture.time.advance(by: .seconds(60))
        }
        #expect(proofs[0].authTimeMs == proofs[1].authTimeMs)
        #expect(proofs[0].provedAtMs < proofs[1].provedAtMs)
    }

    @Test("G-25: repeated link and unlink calls have one effect, and a reused key is refused")
    func repeats() async throws {
        let ada = try await signedIn()
        for _ in 0..<2 {
            let account = try await fixture.link(google, in: ada.session, key: "k1")
            #expect(account.methods == ["password", "google"])
        }
        for _ in 0..<2 {
            let account = try await fixture.unlink("google", in: ada.session, key: "k2")
            #expect(account.methods == ["password"])
        }
        let reused = try await refusal {
            try await fixture.unlink("password", in: ada.session, key: "k2")
        }
        #expect(reused.code == .idempotencyKeyReused)
        try await fixture.relay()
        #expect(fixture.templates.filter { $0.hasPrefix("method-") }.count == 2)
    }

    @Test("X-04: a disabled account and an invalid access token link nothing")
    func stopped() async throws {
        let ada = try await signedIn()
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(
            try await refusal { try await fixture.link(google, in: ada.session) }.code
                == .accountDisabled)
        #expect(
            try await refusal { try await fixture.link(google, in: "made up") }.code
                == .sessionEnded)
        #expect(try await fixture.count("identities") == 0)
    }
}
