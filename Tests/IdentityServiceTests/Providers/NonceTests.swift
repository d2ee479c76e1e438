import Cryptography
import Messages
import Outbound
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Nonces for provider tokens")
struct NonceTests {
    private let time = ManualTime()
    private let nonces: Nonces

    init() {
        nonces = Nonces(
            key: KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 3, count: 32))),
            time: time, randomness: SeededRandomness(seed: 7))
    }

    private func provider(
        _ name: String = "google", _ policy: Provider.NoncePolicy = .required
    ) throws -> Provider {
        Provider(
            name: name, issuers: ["https://\(name).example"], audiences: ["a"],
            jwksLocation: .at(
                try #require(HTTPURL("https://\(name).example/keys", allowsPlain: false))),
            emailTrust: .verified, noncePolicy: policy, hashesNonce: name == "apple")
    }

    @Test("G-05: a nonce is valid for ten minutes, to the millisecond")
    func life() throws {
        let google = try provider()
        let issued = nonces.issue(for: google)
        let end = Timestamp(milliseconds: issued.expiresAtMs)
        #expect(end - time.now() == .seconds(600))
        let before = Timestamp(milliseconds: end.milliseconds - 1)
        let used = try nonces.read(issued.nonce, for: google, at: before)
        #expect(used?.expiresAt == end + .seconds(60), "stored for longer than it is accepted")
        #expect(throws: ProviderTokenCheck.Refusal.self) {
            try nonces.read(issued.nonce, for: google, at: end)
        }
    }

    @Test("G-05: each nonce is unique and has one stored key")
    func uses() throws {
        let google = try provider()
        let issued = (0..<1_000).map { _ in nonces.issue(for: google).nonce }
        let keys = try issued.map { try nonces.read($0, for: google, at: time.now())?.key }
        #expect(Set(issued).count == 1_000)
        #expect(Set(keys).count == 1_000)
        let again = try nonces.read(issued[0], for: google, at: time.now())
        #expect(again?.key == keys[0])
        #expect(again?.key.count == 16)
    }

    @Test("G-05: a nonce is valid only for its provider")
    func providers() throws {
        let issued = nonces.issue(for: try provider("google")).nonce
        for other in ["apple", "googl", "google2"] {
            #expect(throws: ProviderTokenCheck.Refusal.self) {
                try nonces.read(issued, for: try provider(other), at: time.now())
            }
        }
    }

    @Test("a nonce with any changed character or another length is refused")
    func changes() throws {
        let google = try provider()
        let issued = Array(nonces.issue(for: google).nonce.utf8)
        for place in issued.indices {
            var changed = issued
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 65
            #expect(throws: ProviderTokenCheck.Refusal.self) {
                try nonces.read(
                    String(decoding: changed, as: UTF8.self), for: google, at: time.now())
            }
        }
        for count in [1, issued.count - 1, issued.count + 1, 100_000] {
            let text = String(repeating: "A", count: count)
            #expect(throws: ProviderTokenCheck.Refusal.self) {
                try nonces.read(text, for: google, at: time.now())
            }
        }
    }

    @Test("a missing nonce is accepted only if the operator allows it, a wrong one never")
    func optional() throws {
        let strict = try provider()
        let easy = try provider("google", .optional)
        #expect(throws: ProviderTokenCheck.Refusal.self) {
            try nonces.read("", for: strict, at: time.now())
        }
        #expect(try nonces.read("", for: easy, at: time.now()) == nil)
        #expect(throws: ProviderTokenCheck.Refusal.self) {
            try nonces.read("x", for: easy, at: time.now())
        }
        let good = nonces.issue(for: easy).nonce
        #expect(try nonces.read(good, for: easy, at: time.now()) != nil)
    }

    @Test("matching a token's nonce follows its truth table")
    func match() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Nonces.Match.hash("abc") == hash, "FIPS 180-4, appendix B.1")
        func isRight(_ inToken: String?, _ handedIn: String) -> Bool {
            do throws(ProviderTokenCheck.Refusal) {
                try Nonces.Match.check(inToken, against: handedIn)
                return true
            } catch {
                return false
            }
        }
        #expect(isRight("abc", "abc"))
        #expect(isRight(hash, "abc"))
        #expect(!isRight(hash.uppercased(), "abc"))
        #expect(!isRight("abc", hash), "the hash alone is not enough")
        #expect(!isRight("abd", "abc"))
        #expect(!isRight("", "abc"))
        #expect(!isRight(nil, "abc"))
        #expect(!isRight("abc", ""))
        #expect(!isRight(Nonces.Match.hash(""), ""))
        #expect(!isRight("", ""))
        #expect(isRight(nil, ""))
    }
}
