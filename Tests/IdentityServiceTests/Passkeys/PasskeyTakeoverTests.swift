import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite(
    "X-04: the owner of an address takes its account, with passkeys on both sides",
    .timeLimit(.minutes(1)))
struct PasskeyTakeoverTests {
    /// How the owner of an address gets its account.
    enum Way: CaseIterable, Sendable {
        /// The link of the sign-up's mail, and another password than the stranger's.
        case otherPassword
        /// A new password by a mailed link.
        case resetLink
        /// A provider that has verified the address.
        case provider
    }

    private static let email = "eve@example.org"

    private func take(_ way: Way, in identity: IdentityFixture) async throws {
        switch way {
        case .otherPassword:
            let token = try identity.latestToken(to: Self.email)
            _ = try await identity.accounts.confirmEmail(
                .init(token: token, password: .init(text: "Owner8Password")), identity.context())
        case .resetLink:
            _ = try await identity.reset(try await identity.resetToken(Self.email))
        case .provider:
            _ = try await identity.signIn(by: .token("g1", email: Self.email))
        }
        try await identity.relay()
        identity.time.advance(by: .seconds(1))
    }

    @Test(
        "a stranger's passkeys go, an addition that waits ends, and the owner's own one signs in",
        arguments: Way.allCases)
    func unverified(way: Way) async throws {
        let person = try await PasskeyPerson()
        let identity = person.identity
        let account = try #require(try await identity.register(Self.email).account).accountId
        try await identity.relay()
        let stranger = identity.devices.open(account)
        let planted = try TestPasskey(randomness: identity.randomness)
        try await person.add(planted, in: stranger)
        let open = TestCeremony(challenge: try await person.beginAdd(in: stranger).challenge)
        let waiting = TestCeremony(challenge: try await person.signInChallenge())

        try await take(way, in: identity)
        #expect(try await identity.count("passkeys") == 0)
        let signIn = try await refusal { try await person.signIn(waiting, by: planted) }
        #expect(signIn.code == .unknownPasskey)
        let late = try TestPasskey(randomness: identity.randomness)
        _ = try await refusal { try await person.add(open, of: late, in: stranger) }
        #expect(try await identity.count("passkeys") == 0)

        let owner = identity.devices.open(account)
        try await person.add(in: owner)
        let answer = try await person.signIn()
        #expect(answer.account?.accountId == account)
        #expect(answer.account?.methods.contains("passkey") == true)
        #expect(try await refusal { try await person.signIn(planted) }.code == .unknownPasskey)
    }

    @Test(
        "a verified account keeps its passkeys; no other account gets or loses one",
        arguments: [Way.resetLink, .provider])
    func verified(way: Way) async throws {
        let person = try await PasskeyPerson()
        let identity = person.identity
        try await person.add()
        let account = try await identity.registerProved(Self.email).accountId
        let hers = try TestPasskey(randomness: identity.randomness)
        try await person.add(hers, in: identity.devices.open(account))
        try await take(way, in: identity)
        #expect(try await person.signIn(hers).account?.accountId == account)
        #expect(try await person.signIn().account?.accountId == person.account)
    }
}
