import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// A relying party, a passkey, and challenges for all purposes.
struct PasskeyStage: Sendable {
    let relyingParty: PasskeyRelyingParty
    let challenges: PasskeyChallenges
    let passkey: TestPasskey
    let account: AccountID
    let session: SessionID
    let time = ManualTime()

    init() throws {
        let id = try #require(PasskeyRPID("example.org"))
        let randomness = SeededRandomness(seed: 5)
        relyingParty = PasskeyRelyingParty(
            id: id,
            origins: try [
                "https://example.org", "https://app.example.org:8443",
                "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 0x28, count: 32)),
            ].map { try #require(PasskeyOrigin($0, of: id)) },
            related: [try #require(PasskeyOrigin(related: "https://example.com", to: id))])
        challenges = PasskeyChallenges(
            key: KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 3, count: 32))),
            relyingParty: id, time: time, randomness: randomness)
        passkey = try TestPasskey(randomness: randomness)
        account = .drawn(from: randomness)
        session = .drawn(from: randomness)
    }

    /// The handle of the passkey's account.
    static let userHandle = [UInt8](repeating: 0xA1, count: 32)

    var adding: PasskeyChallenge.Purpose { .adding(account, session, isAutomatic: false) }

    /// A ceremony for a new challenge.
    func ceremony(_ purpose: PasskeyChallenge.Purpose) -> TestCeremony {
        TestCeremony(challenge: challenges.issue(for: purpose).text)
    }

    /// The passkey as it was added, with this count.
    func known(signCount: UInt32 = 0) -> KnownPasskey {
        KnownPasskey(
            id: passkey.id, key: passkey.publicKey, userHandle: Self.userHandle,
            relyingParty: "example.org", signCount: signCount,
            backup: [.backupEligible, .backedUp])
    }

    /// All that a registration goes through, except for the store.
    func add(
        _ response: TestRegistration, for purposes: [PasskeyChallenge.Purpose]? = nil
    ) throws -> NewPasskey {
        let response = try RegistrationResponse(response)
        let (challenge, _) = try challenges.read(
            response.clientData.challenge, for: purposes ?? [adding], at: time.now())
        return try PasskeyRule.registered(
            by: response, answering: challenge, at: relyingParty)
    }

    /// All that a sign-in goes through, except for the store.
    func use(
        _ response: TestAssertion, of known: KnownPasskey? = nil, allowed: [[UInt8]]? = nil,
        for purposes: [PasskeyChallenge.Purpose] = [.signIn]
    ) throws -> PasskeyUse {
        let response = try AssertionResponse(response)
        let (challenge, _) = try challenges.read(
            response.clientData.challenge, for: purposes, at: time.now())
        return try PasskeyRule.use(
            of: known ?? self.known(), by: response, answering: challenge, allowed: allowed,
            at: relyingParty)
    }
}

extension RegistrationResponse {
    init(_ response: TestRegistration) throws {
        try self.init(
            id: response.id, rawID: response.rawID, type: response.type,
            clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject)
    }
}

extension AssertionResponse {
    init(_ response: TestAssertion) throws {
        try self.init(
            id: response.id, rawID: response.rawID, type: response.type,
            clientDataJSON: response.clientDataJSON, authenticatorData: response.authenticatorData,
            signature: response.signature, userHandle: response.userHandle)
    }
}
