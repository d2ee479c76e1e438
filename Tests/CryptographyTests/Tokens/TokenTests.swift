import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("Signed tokens")
struct TokenTests {
    private let key: SigningKey
    private let verifier: TokenVerifier
    private let signer: TokenSigner

    init() throws {
        key = try SigningKey.generate()
        verifier = TokenVerifier(
            keys: try JSONWebKeySet([key.verifyingKey]), type: "at+jwt", issuer: "https://a.test",
            audience: "apps")
        signer = TokenSigner(key: key, type: "at+jwt")
    }

    private let claims = TokenClaims(
        issuer: "https://a.test", subject: "acc_1", audience: ["apps"],
        expiresAt: Timestamp(milliseconds: 600_000), issuedAt: Timestamp(milliseconds: 0),
        sessionID: "ses_1", methods: ["pwd", "otp"],
        authenticatedAt: Timestamp(milliseconds: 0), identifier: "j\"1\u{1F}é")

    private let now = Timestamp(milliseconds: 300_000)

    private func refusal(_ token: String, at moment: Timestamp? = nil) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try verifier.verify(token, at: moment ?? now)
            return nil
        } catch { return error }
    }

    @Test("S-01: a signed token is read back, with and without its optional claims")
    func roundTrip() throws {
        #expect(try verifier.verify(signer.sign(claims), at: now) == claims)
        var least = claims
        (least.sessionID, least.methods, least.authenticatedAt) = (nil, [], nil)
        (least.identifier, least.audience) = (nil, ["apps", "web"])
        #expect(try verifier.verify(signer.sign(least), at: now) == least)
    }

    @Test("a token is valid until 60 s after its expiry, exact to the millisecond")
    func expiry() throws {
        let token = try signer.sign(claims)
        #expect(refusal(token, at: Timestamp(milliseconds: 659_999)) == nil)
        #expect(refusal(token, at: Timestamp(milliseconds: 660_000)) == .expired)
        #expect(refusal(token, at: Timestamp(milliseconds: .max)) == .expired)
        #expect(refusal(token, at: Timestamp(milliseconds: .min)) == nil, "iat is never refused")
        #expect(try verifier.verifyExceptExpiry(token) == claims)
    }

    @Test("every truncation and every changed character is rejected")
    func changes() throws {
        let token = Array(try signer.sign(claims).utf8)
        for count in token.indices {
            #expect(refusal(String(decoding: token.prefix(count), as: UTF8.self)) != nil)
        }
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : 65
            #expect(refusal(String(decoding: changed, as: UTF8.self)) != nil)
        }
    }

    @Test("parts of two good tokens do not make a valid third one")
    func swapped() throws {
        var other = claims
        other.subject = "acc_2"
        let first = try signer.sign(claims).split(separator: ".")
        let second = try signer.sign(other).split(separator: ".")
        #expect(refusal("\(first[0]).\(second[1]).\(first[2])") == .signature)
        #expect(refusal("\(first[0]).\(first[1]).\(second[2])") == .signature)
        #expect(refusal("\(first[1]).\(first[0]).\(first[2])") == .algorithm)
    }

    @Test("the form is strict: three parts, no padding, spaces, unused bits or other text")
    func form() throws {
        let token = try signer.sign(claims)
        let parts = token.split(separator: ".").map(String.init)
        let empty = "\(parts[0]).\(parts[1])."
        let broken = [
            "", ".", "..", "...", "a.b", "a.b.c", token + ".", "." + token, token + "." + parts[2],
            token + "=", token + " ", " " + token, "\n" + token, token + "\n", token + "\0",
            "..\(parts[2])", "\(parts[0])\(parts[1]).\(parts[2])",
            "\(parts[0]) .\(parts[1]).\(parts[2])", "Bearer " + token, token + "é",
        ]
        for text in broken { #expect(refusal(text) == .malformed, "\(text)") }
        #expect(refusal(empty) == .signature)
        #expect(refusal(parts[0] + "..") == .signature)
        // 64 bytes end in a character with two significant bits; its lower four must be zero.
        let last = try #require(token.utf8.last)
        let unused = String(decoding: [last + 1], as: UTF8.self)
        #expect(refusal(token.dropLast() + unused) == .malformed)
    }

    @Test("a token of 4,096 bytes is parsed, and a longer one is not")
    func size() {
        #expect(refusal(String(repeating: "a", count: 4_096)) == .malformed)
        #expect(refusal(String(repeating: "a", count: 4_097)) == .tooLong)
    }

    @Test("another kind of our tokens, signed by the same key, is rejected")
    func kinds() throws {
        let link = TokenSigner(key: key, type: "verify+jwt")
        #expect(refusal(try link.sign(claims)) == .type)
        #expect(refusal(try TokenSigner(key: key, type: "AT+JWT").sign(claims)) == .type)
    }

    @Test("keys rotate: tokens of every listed key are accepted, of a removed key none")
    func rotation() throws {
        let next = try SigningKey.generate()
        let token = try signer.sign(claims)
        let newer = try TokenSigner(key: next, type: "at+jwt").sign(claims)
        func verifier(_ keys: [VerifyingKey]) throws -> TokenVerifier {
            TokenVerifier(
                keys: try JSONWebKeySet(keys), type: "at+jwt", issuer: "https://a.test",
                audience: "apps")
        }
        let both = try verifier([key.verifyingKey, next.verifyingKey])
        #expect(try both.verify(token, at: now) == both.verify(newer, at: now))
        let later = try verifier([next.verifyingKey])
        #expect(throws: TokenRefusal.unknownKey) { try later.verify(token, at: now) }
    }

    @Test("a key with another key's identifier does not verify that key's tokens")
    func impostor() throws {
        let stranger = try SigningKey.generate()
        let named = try VerifyingKey(
            x: stranger.verifyingKey.x, y: stranger.verifyingKey.y, identifier: key.identifier)
        let set = try JSONWebKeySet([named])
        let other = TokenVerifier(
            keys: set, type: "at+jwt", issuer: "https://a.test", audience: "apps")
        #expect(throws: TokenRefusal.signature) {
            try other.verify(signer.sign(claims), at: now)
        }
    }
}
