import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-14: adding and removing sign-in methods", .timeLimit(.minutes(1)))
struct MethodTests {
    let house: IdentityFixture

    init() throws { house = try IdentityFixture() }

    private let google = IdentityV1.ProviderToken.token("g1", email: "ada.g@example.org")

    private func signedIn() async throws -> (account: String, session: String) {
        let account = try await house.registerProved().accountId
        return (account, house.devices.open(account))
    }

    @Test("G-14: an owner links any identity, whatever its email; it is mailed and audited")
    func link() async throws {
        let ada = try await signedIn()
        let account = try await house.link(google, in: ada.session)
        #expect(account.methods == ["password", "google"] && account.email == "ada@example.org")
        #expect(try await house.signIn(by: google).account?.accountId == ada.account)
        try await house.relay()
        #expect(house.templates.contains("method-added"))
        #expect(try await house.audited("identity.linked") == 1)
        #expect(house.sessions.ended.isEmpty)
    }

    @Test("G-14: linking is refused for a used identity and for a second one of a provider")
    func refused() async throws {
        let ada = try await signedIn()
        _ = try await house.signIn(by: .token("other"))
        func code(_ token: IdentityV1.ProviderToken) async throws -> ErrorCode {
            try await refusal { try await house.link(token, in: ada.session) }.code
        }
        #expect(try await code(.token("other")) == .credentialAlreadyInUse)
        _ = try await house.link(google, in: ada.session)
        #expect(try await code(google) == .providerAlreadyLinked)
        #expect(try await code(.token("g2")) == .providerAlreadyLinked)
        #expect(try await house.audited("identity.linking-refused") == 3)
        #expect(try await house.count("identities") == 2)
    }

    @Test("G-13: linking and unlinking need a recent sign-in, and the error names usable methods")
    func recentProof() async throws {
        let ada = try await signedIn()
        house.time.advance(by: .seconds(300))
        for error in [
            try await refusal { try await house.link(google, in: ada.session) },
            try await refusal { try await house.unlink("password", in: ada.session) },
        ] {
            #expect(error.code == .requiresRecentLogin)
            #expect(error.fields.contains("password"))
        }
        #expect(try await house.count("identities") == 0)
    }

    @Test("B4: a guest cannot link, since its session would stay valid in the account; it upgrades")
    func guest() async throws {
        let guest = try await house.guest()
        #expect(
            try await refusal { try await house.link(google, in: guest.token) }
                == ServiceError(.operationNotAllowed))
        #expect(try await house.count("identities") == 0)
        let signedIn = try await house.signIn(by: google, guest: guest.token)
        #expect(signedIn.account?.accountId == guest.account && signedIn.isUpgraded)
        try await house.relay()
        #expect(house.sessions.ended.first?.exceptSessionId == "")
    }

    @Test("G-12: linking an identity with the account's own verified email proves the address")
    func provesAddress() async throws {
        let account = try #require(try await house.register().account).accountId
        let session = house.devices.open(account)
        let other = try await house.link(google, in: session)
        #expect(!other.emailVerified)
        let proved = try await house.link(
            .token("a1", email: "ada@example.org", by: "apple"), in: session)
        #expect(proved.emailVerified && proved.methods == ["password", "apple", "google"])
        #expect(try await house.count("links") == 0)
    }

    @Test("X-04: linking an identity with an unverified email proves and adds no address")
    func unverified() async throws {
        let account = try #require(try await house.register().account).accountId
        let session = house.devices.open(account)
        let linked = try await house.link(
            .token("g1", email: "ada@example.org", isVerified: false), in: session)
        #expect(!linked.emailVerified)
        let unnamed = try await house.signIn(
            by: .token("g2", email: "bare@example.org", isVerified: false))
        let bare = try #require(unnamed.account).accountId
        let gained = try await house.link(
            .token("a1", email: "free@example.org", isVerified: false, by: "apple"),
            in: house.devices.open(bare))
        #expect(gained.email.isEmpty)
    }

    @Test("G-14: unlinking keeps the other methods, ends other sessions, and is mailed and audited")
    func unlink() async throws {
        let ada = try await signedIn()
        _ = try await house.link(google, in: ada.session)
        let account = try await house.unlink("google", in: ada.session)
        #expect(account.methods == ["password"])
        try await house.relay()
        let end = try #require(house.sessions.ended.first)
        #expect(end.exceptSessionId == house.devices.session(of: ada.session))
        #expect(house.templates.contains("method-removed"))
        #expect(try await house.audited("identity.unlinked") == 1)
        // The audit trail identifies the identity: both events have the same subject.
        let subjects = try await house.store.read { session in
            try session.query(
                "SELECT DISTINCT subject FROM audit WHERE kind LIKE 'identity.%linked'"
            ) { try $0.blob(0) }
        }
        #expect(subjects.count == 1)
        let next = try await house.signIn(by: google)
        #expect(next.isNewUser && next.account?.accountId != ada.account)
    }

    @Test("G-14: the last method cannot be removed: password, provider or phone number")
    func last() async throws {
        let ada = try await signedIn()
        #expect(
            try await refusal { try await house.unlink("password", in: ada.session) }.code
                == .lastMethod)
        _ = try await house.link(google, in: ada.session)
        _ = try await house.unlink("password", in: ada.session)
        #expect(
            try await refusal { try await house.unlink("google", in: ada.session) }.code
                == .lastMethod)
        #expect(
            try await refusal { try await house.unlink("apple", in: ada.session) }.code
                == .methodNotLinked)
        #expect(try await refusal { try await house.signIn() }.code == .invalidCredential)
        #expect(try await house.signIn(by: google).account?.accountId == ada.account)
    }

    @Test("G-14: of two parallel removals of the last two methods one is refused", arguments: 0..<5)
    func race(round: Int) async throws {
        let ada = try await signedIn()
        _ = try await house.link(google, in: ada.session)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for method in ["google", "password"] {
                group.addTask {
                    do {
                        _ = try await house.unlink(method, in: ada.session)
                        return nil
                    } catch { return (error as? ServiceError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.compactMap { $0 } == [.lastMethod])
        let left =
            try await house.count("identities") + house.count("passwords")
        #expect(left == 1)
    }

    @Test("G-14: removing the password deletes the links that could set it")
    func password() async throws {
        let ada = try await signedIn()
        _ = try await house.link(google, in: ada.session)
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "ada@example.org", origin: IdentityFixture.origin), house.context())
        try await house.relay()
        _ = try await house.unlink("password", in: ada.session)
        #expect(try await house.count("links") == 0)
    }

    @Test("G-14: methods are listed oldest first, each with a hint for the owner")
    func list() async throws {
        let ada = try await signedIn()
        house.time.advance(by: .seconds(1))
        _ = try await house.link(google, in: ada.session)
        let methods = try await house.identities.listMethods(
            .init(accessToken: ada.session), house.context()
        ).methods
        #expect(methods.map(\.method) == ["password", "google"])
        #expect(methods.map(\.hint) == ["ada@example.org", "ada.g@example.org"])
        #expect(methods.allSatisfy { $0.addedAtMs > 0 })
    }

    @Test("G-06: a phone number is a method, shown in full to its owner and masked in the list")
    func phone() async throws {
        let proved = ProvedIdentity(
            method: "phone", issuer: "phone", subject: "+4915112345678", amr: ["sms", "otp"])
        let answer = try await house.signIn(proved)
        let account = try #require(answer.account)
        #expect(account.phoneNumber == "+4915112345678" && account.methods == ["phone"])
        #expect(answer.proof?.amr == ["sms", "otp"])
        let session = house.devices.open(account.accountId)
        let methods = try await house.identities.listMethods(
            .init(accessToken: session), house.context()
        ).methods
        #expect(methods.map(\.hint) == ["…5678"])
        #expect(
            try await refusal { try await house.unlink("phone", in: session) }.code
                == .lastMethod)
    }

    @Test("G-13: a fresh token of a linked identity proves the owner, and any other is refused")
    func proof() async throws {
        let ada = try await signedIn()
        _ = try await house.link(google, in: ada.session)
        func prove(_ token: IdentityV1.ProviderToken) async throws -> IdentityV1.SignInProof? {
            try await house.identities.proveByProvider(
                .init(accessToken: ada.session, token: token, origin: IdentityFixture.origin),
                house.context()
            ).proof
        }
        let proof = try #require(try await prove(google))
        #expect(proof.accountId == ada.account && proof.amr == ["fed"])
        #expect(house.keys.proofs.isGenuine(proof))
        _ = try await house.signIn(by: .token("other"))
        for subject in ["other", "unknown"] {
            let error = try await refusal { try await prove(.token(subject)) }
            #expect(error.code == .methodNotLinked)
        }
        #expect(try await house.count("identities") == 2)
        #expect(try await house.audited("sign-in.failed", outcome: "auth/no-such-provider") == 2)
    }

    @Test("G-25: repeated link and unlink calls have one effect, and a reused key is refused")
    func repeats() async throws {
        let ada = try await signedIn()
        for _ in 0..<2 {
            let account = try await house.link(google, in: ada.session, key: "k1")
            #expect(account.methods == ["password", "google"])
        }
        for _ in 0..<2 {
            let account = try await house.unlink("google", in: ada.session, key: "k2")
            #expect(account.methods == ["password"])
        }
        let reused = try await refusal {
            try await house.unlink("password", in: ada.session, key: "k2")
        }
        #expect(reused.code == .idempotencyKeyReused)
        try await house.relay()
        #expect(house.templates.filter { $0.hasPrefix("method-") }.count == 2)
    }

    @Test("X-04: a disabled account and an invalid access token link nothing")
    func stopped() async throws {
        let ada = try await signedIn()
        try await house.change("UPDATE accounts SET status = 2")
        #expect(
            try await refusal { try await house.link(google, in: ada.session) }.code
                == .accountDisabled)
        #expect(
            try await refusal { try await house.link(google, in: "made up") }.code
                == .sessionEnded)
        #expect(try await house.count("identities") == 0)
    }
}
