import Addresses
import Cryptography
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// The truth tables of `ChallengeRule`, `ChallengeToken`, `ChallengedCall` and `ChallengeHint`.
@Suite("F-03: challenges of sign-ins")
struct ChallengeRuleTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    private let keys: IdentityKeys

    init() throws {
        keys = try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: SeededRandomness(seed: 1))
    }

    private func challenge(
        attempts: Int64 = 0, expiresIn: Int64 = 1, isUsed: Bool = false
    ) throws -> StoredChallenge {
        StoredChallenge(
            challenge: 7, account: try #require(AccountID(key: 42)), generation: 3,
            reasons: .numberChanged, kinds: [.email], device: [1], isOnKnownDevice: false,
            sealedDetails: [], attempts: attempts,
            expiresAt: Self.now + .milliseconds(expiresIn), usedAt: isUsed ? Self.now : nil)
    }

    @Test("a proof is compared for ten minutes, five times, once, and in its session generation")
    func open() throws {
        func isOpen(_ challenge: StoredChallenge, generation: Int64 = 3) -> Bool {
            ChallengeRule.isOpen(challenge, generation: generation, at: Self.now)
        }
        #expect(try isOpen(challenge()))
        #expect(try isOpen(challenge(attempts: 4)))
        #expect(try !isOpen(challenge(attempts: 5)))
        #expect(try !isOpen(challenge(expiresIn: 0)))
        #expect(try !isOpen(challenge(isUsed: true)))
        #expect(try !isOpen(challenge(), generation: 4))
        #expect(ChallengeRule.life == .seconds(600))
    }

    @Test("a code is compared if one of its kind was sent, less than five minutes ago")
    func codes() {
        let code = StoredChallenge.Code(
            kind: .email, hash: [1], expiresAt: Self.now + .milliseconds(1))
        #expect(ChallengeRule.refusal(code, .email, at: Self.now) == nil)
        #expect(ChallengeRule.refusal(code, .phone, at: Self.now) == .invalidCode)
        #expect(ChallengeRule.refusal(nil, .email, at: Self.now) == .invalidCode)
        let late = Self.now + .milliseconds(1)
        #expect(ChallengeRule.refusal(code, .email, at: late) == .codeExpired)
    }

    @Test("the code of one challenge, or of another kind, is wrong for another")
    func codeHashes() throws {
        let code = try #require(PhoneCode(typed: "123456"))
        let other = try #require(PhoneCode(typed: "123457"))
        let own = try challenge()
        func sent(_ kind: SecondProofKind) -> StoredChallenge.Code {
            .init(kind: kind, hash: own.hash(of: code, .email, keys), expiresAt: Self.now)
        }
        #expect(own.isRight(code, sent(.email), keys))
        #expect(!own.isRight(other, sent(.email), keys))
        #expect(!own.isRight(code, sent(.phone), keys))
        let another = StoredChallenge(
            challenge: 8, account: own.account, generation: 3, reasons: .numberChanged,
            kinds: [.email], device: [1], isOnKnownDevice: false, sealedDetails: [],
            expiresAt: own.expiresAt)
        #expect(!another.isRight(code, sent(.email), keys))
    }

    @Test("I-06: a token is read as it was made, and its hash, which is stored, is another")
    func tokens() {
        let token = ChallengeToken(of: 7, keys)
        #expect(ChallengeToken(text: token.text) == token)
        #expect(ChallengeToken(of: 7, keys) == token)
        #expect(ChallengeToken(of: 8, keys) != token)
        #expect(token.hash(keys) != token.bytes)
        for text in ["", "x", token.text + "A", String(token.text.dropLast()), token.text + "="] {
            #expect(ChallengeToken(text: text) == nil, "\(text)")
        }
    }

    /// A call from an address of an app.
    private func call(
        _ device: String, from address: String? = "192.0.2.7", app: String? = nil,
        charge: String? = nil
    ) -> ChallengedCall {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = address
        metadata[Metadata.Key.app] = app
        metadata[Metadata.Key.charge] = charge
        return ChallengedCall(
            CallContext(deadline: .seconds(1), metadata: metadata), deviceID: device, keys)
    }

    @Test("a device is known by app and id, or without an id by app and network")
    func devices() {
        #expect(call("d1") == call("d1", from: "198.51.100.1"))
        #expect(call("d1") != call("d2"))
        #expect(call("d1") != call("d1", app: "shop-web"))
        #expect(call("") == call("", from: "192.0.2.99"))
        #expect(call("") != call("", from: "192.0.3.7"))
        #expect(call("", from: "2001:db8:1:2::1") == call("", from: "2001:db8:1:3::9"))
        #expect(call("", from: "2001:db8:1::1") != call("", from: "2001:db8:2::1"))
        #expect(call("", from: nil) == call("", from: nil))
        #expect(call("", from: nil) != call(""))
    }

    @Test("a charge is kept if it can be one")
    func charges() {
        #expect(call("d1", charge: "1k").chargeID == "1k")
        for charge in [nil, "", "no number"] {
            #expect(call("d1", charge: charge).chargeID == "")
        }
    }

    @Test("a hint has the end of a number, and the first letters of an address")
    func hints() throws {
        let number = try #require(PhoneNumber("+49 151 12345678"))
        #expect(ChallengeHint.text(of: number) == "••• 5678")
        let address = try #require(EmailAddress("Ada.Lovelace@example.org"))
        #expect(ChallengeHint.text(of: address).lowercased() == "a•••@e•••")
    }
}
