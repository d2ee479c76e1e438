import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("F-01: challenges for passkeys")
struct PasskeyChallengeTests {
    private let stage: PasskeyStage

    init() throws { stage = try PasskeyStage() }

    private func read(
        _ text: String, for purposes: [PasskeyChallenge.Purpose], at now: Timestamp? = nil
    ) throws -> (challenge: PasskeyChallenge, used: UsedNonce) {
        try stage.challenges.read(text, for: purposes, at: now ?? stage.time.now())
    }

    @Test("a challenge is valid for ten minutes, to the millisecond")
    func life() throws {
        let (text, end) = stage.challenges.issue(for: .signIn)
        #expect(end - stage.time.now() == .seconds(600))
        let before = Timestamp(milliseconds: end.milliseconds - 1)
        let read = try read(text, for: [.signIn], at: before)
        #expect(read.challenge == PasskeyChallenge(text: text, purpose: .signIn))
        #expect(read.used.expiresAt == end + .seconds(60), "kept for longer than it is accepted")
        #expect(read.used.isIssued, "a restore voids it")
        #expect(throws: PasskeyRefusal.challengeExpired) {
            try self.read(text, for: [.signIn], at: end)
        }
    }

    @Test("each challenge differs and has one key as used; browsers return it as it was")
    func uses() throws {
        let texts = (0..<1_000).map { _ in stage.challenges.issue(for: .signIn).text }
        let keys = try texts.map { try read($0, for: [.signIn]).used.key }
        #expect(Set(texts).count == 1_000 && Set(keys).count == 1_000)
        #expect(try read(texts[0], for: [.signIn]).used.key == keys[0])
        #expect(keys[0].count == KeyedHash.lookUpKeyBytes)
        let bytes = try #require(Base64URL.decode(texts[0].utf8))
        #expect(bytes.count == 40 && Base64URL.encode(bytes) == texts[0])
    }

    @Test("a challenge is for one purpose, one holder and one id of the relying party")
    func purposes() throws {
        let randomness = SeededRandomness(seed: 8)
        let (account, session) = (stage.account, stage.session)
        let other = (
            account: AccountID.drawn(from: randomness), session: SessionID.drawn(from: randomness)
        )
        let purposes: [PasskeyChallenge.Purpose] = [
            .signIn, .adding(account, session, isAutomatic: false),
            .adding(account, session, isAutomatic: true),
            .adding(other.account, session, isAutomatic: false),
            .adding(account, other.session, isAutomatic: false), .sessionProof(session),
            .sessionProof(other.session), .signInProof([1, 2, 3]), .signInProof([1, 2, 4]),
            .signInProof([]), .signInProof(session.key.bigEndianBytes),
        ]
        for purpose in purposes {
            let text = stage.challenges.issue(for: purpose).text
            #expect(try read(text, for: purposes).challenge.purpose == purpose)
            let others = purposes.filter { $0 != purpose }
            #expect(throws: PasskeyRefusal.challengeUnknown) { try read(text, for: others) }
            #expect(throws: PasskeyRefusal.challengeUnknown) { try read(text, for: []) }
            let elsewhere = PasskeyChallenges(
                key: stage.challenges.key,
                relyingParty: try #require(PasskeyRPID("example.com")), time: stage.time,
                randomness: randomness)
            #expect(throws: PasskeyRefusal.challengeUnknown) {
                try elsewhere.read(text, for: [purpose], at: stage.time.now())
            }
        }
    }

    @Test("a challenge with any changed character or another length is refused")
    func changes() throws {
        let issued = Array(stage.challenges.issue(for: .signIn).text.utf8)
        for place in issued.indices {
            var changed = issued
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 65
            #expect(throws: PasskeyRefusal.challengeUnknown) {
                try read(String(decoding: changed, as: UTF8.self), for: [.signIn])
            }
        }
        for count in [0, 1, issued.count - 1, issued.count + 1, 100_000] {
            let text = String(repeating: "A", count: count)
            #expect(throws: PasskeyRefusal.challengeUnknown) { try read(text, for: [.signIn]) }
        }
    }

    @Test("a nonce for a provider is no challenge, although its key may be the same")
    func nonces() throws {
        let message = [UInt8](repeating: 1, count: 24)
        let mac = stage.challenges.key.hash(
            DelimitedParts.joined([Array("nonce".utf8), Array("google".utf8), message]))
        let text = Base64URL.encode(message + mac.prefix(16))
        #expect(throws: PasskeyRefusal.challengeUnknown) { try read(text, for: [.signIn]) }
    }
}
