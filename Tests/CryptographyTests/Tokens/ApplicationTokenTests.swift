import JSON
import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("Application tokens")
struct ApplicationTokenTests {
    private static let method = "postern.gateway.v1.Auth/SignInWithPassword"
    private static let audience = "https://auth.example.org"
    private static let sound: JSONObject = [
        "iss": .string("billing"), "sub": .string("billing"), "aud": .string(audience),
        "iat": .integer(1_000), "exp": .integer(1_060), "method": .string(method),
        "bh": .string("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"),
        "client_address": .string("192.0.2.7"), "client_agent": .string("Firefox/131.0"),
    ]
    private static let header: JSONObject = [
        "alg": .string("EdDSA"), "typ": .string("client-authentication+jwt"),
        "kid": .string("billing.k1"),
    ]

    private let key: Ed25519SigningKey

    init() throws { key = try Self.key(1) }

    private static func key(_ byte: UInt8) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    /// A token of any header and claims, signed by `key`.
    private func token(_ header: JSONObject, _ claims: JSONObject) throws -> String {
        let message =
            Base64URL.encode(JSONWriter.text(header).utf8) + "."
            + Base64URL.encode(JSONWriter.text(claims).utf8)
        return message + "." + Base64URL.encode(try key.sign(message.utf8))
    }

    private func refusal(
        _ token: String, by key: Ed25519VerifyingKey? = nil, of application: String = "billing",
        idempotencyKey: String? = nil, at seconds: Int64 = 1_010
    ) -> ApplicationToken.Refusal? {
        do throws(ApplicationToken.Refusal) {
            _ = try ApplicationToken(token).verified(
                by: key ?? self.key.verifyingKey, of: application, method: Self.method,
                idempotencyKey: idempotencyKey.map { Array($0.utf8) },
                audiences: ["http://localhost:7480", Self.audience],
                at: Timestamp(milliseconds: seconds * 1_000))
            return nil
        } catch { return error }
    }

    /// `object` with the member `name` replaced, or removed for nil.
    private static func changed(
        _ object: JSONObject, _ name: String, _ value: JSONValue?
    ) -> JSONObject {
        var changed = JSONObject()
        for member in object.members where member.name != name {
            _ = changed.add(member.name, member.value)
        }
        if let value { _ = changed.add(name, value) }
        return changed
    }

    @Test("X-03: a signed token is read back")
    func roundTrip() throws {
        let claims = ApplicationToken.Claims(
            application: "billing", audience: Self.audience,
            issuedAt: Timestamp(milliseconds: 1_000_000),
            expiresAt: Timestamp(milliseconds: 1_060_000), method: Self.method,
            bodyHash: ApplicationToken.bodyHash(of: []), idempotencyKey: "k-1",
            clientAddress: "192.0.2.7", clientAgent: "Firefox/131.0")
        let text = try ApplicationToken.sign(claims, key: key, keyIdentifier: "billing.k1")
        let token = try ApplicationToken(text)
        #expect(token.keyIdentifier == "billing.k1")
        let read = try token.verified(
            by: key.verifyingKey, of: "billing", method: Self.method,
            idempotencyKey: Array("k-1".utf8), audiences: [Self.audience],
            at: Timestamp(milliseconds: 1_000_000))
        #expect(read == claims)
        #expect(refusal(try self.token(Self.header, Self.sound)) == nil)
    }

    @Test("X-03: a token that Python's cryptography has signed is valid, with unknown claims")
    func python() {
        // json.dumps and Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32).sign
        let token = """
            eyJhbGciOiAiRWREU0EiLCAia2lkIjogImJpbGxpbmcuazEiLCAidHlwIjogImNsaWVudC1hdXRoZW50aWNhdG\
            lvbitqd3QifQ.eyJpc3MiOiAiYmlsbGluZyIsICJzdWIiOiAiYmlsbGluZyIsICJhdWQiOiAiaHR0cHM6Ly9hd\
            XRoLmV4YW1wbGUub3JnIiwgImlhdCI6IDEwMDAsICJleHAiOiAxMDYwLCAibWV0aG9kIjogInBvc3Rlcm4uZ2F\
            0ZXdheS52MS5BdXRoL1NpZ25JbldpdGhQYXNzd29yZCIsICJqdGkiOiAieCIsICJiaCI6ICI0N0RFUXBqOEhCU\
            2EtX1RJbVctNUpDZXVRZVJrbTVOTXBKV1pHM2hTdUZVIn0.TQYEkiU2Gr3iM8fSDnluGWIYLsrTIn8mGMrZQ8_\
            -YH4xhWkRiQgQRZ8EpSUa6Sk_GAE0o6J3vJZZf1Lf2uH-BA
            """
        #expect(refusal(token) == nil)
    }

    @Test(
        "X-03: a header that chooses another algorithm, type or key is rejected",
        arguments: [
            ("alg", "none", .algorithm), ("alg", "HS256", .algorithm), ("alg", "ES256", .algorithm),
            ("alg", "eddsa", .algorithm), ("alg", nil, .algorithm), ("typ", "JWT", .type),
            ("typ", "at+jwt", .type), ("typ", nil, .type), ("kid", nil, .malformed),
            ("jwk", "x", .malformed), ("jku", "https://evil.example", .malformed),
            ("crit", "x", .malformed),
        ] as [(String, String?, ApplicationToken.Refusal)])
    func header(name: String, value: String?, expected: ApplicationToken.Refusal) throws {
        let header = Self.changed(Self.header, name, value.map { .string($0) })
        #expect(refusal(try token(header, Self.sound)) == expected)
    }

    @Test("X-03: HMAC with the public key as the secret is rejected, also under alg EdDSA")
    func confusion() throws {
        for algorithm in ["HS256", "EdDSA"] {
            let header = Self.changed(Self.header, "alg", .string(algorithm))
            let message =
                Base64URL.encode(JSONWriter.text(header).utf8) + "."
                + Base64URL.encode(JSONWriter.text(Self.sound).utf8)
            for secret in [key.verifyingKey.bytes, key.verifyingKey.pem] {
                let hash = KeyedHash(key: SecretBytes(copying: secret)).hash(message.utf8)
                let refusal = refusal(message + "." + Base64URL.encode(hash))
                #expect(refusal == (algorithm == "HS256" ? .algorithm : .signature))
            }
            #expect(refusal(message + ".") != nil)
        }
    }

    @Test(
        "X-03: a claim that is missing, of a wrong type or of somebody else is rejected",
        arguments: [
            ("iss", .string("shop"), .claims), ("iss", nil, .claims), ("sub", nil, .claims),
            ("aud", .string("https://other.example"), .audience),
            ("aud", .string("https://auth.example.org/"), .audience),
            ("aud", .array([.string("https://auth.example.org"), .string("https://x")]), .claims),
            ("aud", nil, .claims), ("iat", nil, .claims), ("iat", .string("1000"), .claims),
            ("exp", nil, .claims), ("exp", .integer(1_061), .lifetime),
            ("exp", .integer(1_000), .lifetime), ("exp", .integer(999), .lifetime),
            ("exp", .integer(.max), .claims), ("iat", .integer(-1), .claims),
            ("method", nil, .claims), ("method", .string(""), .method),
            ("method", .string("postern.gateway.v1.Auth/*"), .method),
            ("method", .string("postern.gateway.v1.Auth/SignOut"), .method),
            ("bh", .integer(1), .claims), ("client_address", .integer(1), .claims),
            ("client_agent", .integer(1), .claims), ("client_agent", nil, nil),
            ("idempotency_key", .integer(1), .claims),
            ("idempotency_key", .string("k-1"), .idempotencyKey),
            ("bh", nil, nil), ("client_address", nil, nil),
        ] as [(String, JSONValue?, ApplicationToken.Refusal?)])
    func claims(name: String, value: JSONValue?, expected: ApplicationToken.Refusal?) throws {
        let token = try token(Self.header, Self.changed(Self.sound, name, value))
        #expect(refusal(token) == expected)
    }

    @Test("X-03: a token is valid with its own idempotency key only, byte for byte")
    func idempotencyKeys() throws {
        let bound = try token(
            Self.header, Self.changed(Self.sound, "idempotency_key", .string("k-\u{E9}")))
        #expect(refusal(bound, idempotencyKey: "k-\u{E9}") == nil)
        for key in ["k-e\u{301}", "k-2", "", nil] {
            #expect(refusal(bound, idempotencyKey: key) == .idempotencyKey)
        }
        let free = try token(Self.header, Self.sound)
        #expect(refusal(free, idempotencyKey: "k-1") == .idempotencyKey)
    }

    @Test("X-03: a token is valid from a minute before iat until a minute after exp")
    func times() throws {
        let token = try token(Self.header, Self.sound)
        #expect(refusal(token, at: 939) == .notYetValid)
        #expect(refusal(token, at: 940) == nil)
        #expect(refusal(token, at: 1_119) == nil)
        #expect(refusal(token, at: 1_120) == .expired)
    }

    @Test("X-03: another key and another application are rejected")
    func others() throws {
        let token = try token(Self.header, Self.sound)
        #expect(refusal(token, by: try Self.key(2).verifyingKey) == .signature)
        #expect(refusal(token, of: "shop") == .application)
    }

    @Test("X-03: every truncation, every changed character and an oversized token are rejected")
    func changes() throws {
        let token = Array(try token(Self.header, Self.sound).utf8)
        for count in token.indices {
            #expect(refusal(String(decoding: token.prefix(count), as: UTF8.self)) != nil)
        }
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
            #expect(refusal(String(decoding: changed, as: UTF8.self)) != nil, "\(index)")
        }
        let long = Self.changed(
            Self.sound, "pad", .string(String(repeating: "x", count: TokenVerifier.bytesMax)))
        #expect(refusal(try self.token(Self.header, long)) == .malformed)
    }
}
