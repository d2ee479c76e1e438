import JSON
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
        sessionID: "ses_1", methods: ["pwd", "otp"], assurance: "aal2",
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
        (least.identifier, least.audience, least.assurance) = (nil, ["apps", "web"], nil)
        #expect(try verifier.verify(signer.sign(least), at: now) == least)
    }

    @Test("I-10: roles and further claims are read back; of equal names ours come first")
    func custom() throws {
        var claims = claims
        claims.roles = ["admin", "a:b"]
        claims.custom = ["team": .string("blue"), "deep": .array([.null, .integer(1)])]
        #expect(try verifier.verify(signer.sign(claims), at: now) == claims)
        var hostile = claims
        hostile.custom = [
            "sub": .string("acc_2"), "acr": .string("aal3"), "roles": .array([.string("root")]),
            "team": .string("blue"),
        ]
        let read = try verifier.verify(signer.sign(hostile), at: now)
        #expect(read.subject == "acc_1" && read.assurance == "aal2")
        #expect(read.roles == ["admin", "a:b"] && read.custom == ["team": .string("blue")])
        hostile.assurance = nil
        #expect(try verifier.verify(signer.sign(hostile), at: now).assurance == nil)
        // Without roles of its own a token has none of its claims either: they are no texts.
        hostile.roles = []
        hostile.custom = ["roles": .string("root")]
        #expect(try verifier.verify(signer.sign(hostile), at: now).roles == [])
    }

    @Test("S-01: of equal names the operator's claim is in the token")
    func operators() throws {
        var claims = claims
        claims.roles = ["admin"]
        claims.custom = ["team": .string("blue"), "level": .integer(1)]
        let extra = try #require(ExtraClaims(json: #"{"team":"red","roles":["none"]}"#))
        claims.extra = extra
        let read = try verifier.verify(signer.sign(claims), at: now)
        #expect(read.roles == ["none"])
        #expect(read.custom == ["team": .string("red"), "level": .integer(1)])
        for (custom, hasRoles, replaces) in [
            (["team": .integer(1)], false, true), (["level": .integer(1)], true, true),
            (["level": .integer(1)], false, false), ([:], false, false),
        ] as [(JSONObject, Bool, Bool)] {
            #expect(extra.replaces(custom, hasRoles: hasRoles) == replaces)
        }
    }

    @Test("a token with the most and the deepest claims is read")
    func largest() throws {
        var claims = claims
        var (custom, deep) = (JSONObject(), JSONValue.integer(1))
        for _ in 1..<TokenClaims.depthMax { deep = .array([deep]) }
        for number in 0..<63 { _ = custom.add("c\(number)", .integer(0)) }
        _ = custom.add("deep", deep)
        (claims.custom, claims.roles) = (custom, (0..<32).map { "r\($0)" })
        let members = (0..<50).map { "\"e\($0)\":1" }.joined(separator: ",")
        claims.extra = ExtraClaims(json: "{\(members)}")
        let read = try verifier.verify(signer.sign(claims), at: now)
        #expect(read.custom.members.count == 114 && read.roles.count == 32)
        #expect(read.custom["deep"] == deep)
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
