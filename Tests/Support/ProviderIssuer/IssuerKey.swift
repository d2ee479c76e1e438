package import Cryptography
package import JSON
import Synchronization

/// A key of a provider in a test, and what it publishes of it.
package struct IssuerKey: Sendable {
    private enum Secret: Sendable {
        case rsa(RSASigningKey)
        case p256(SigningKey)
    }

    /// A new RSA key takes a tenth of a second and more: tests that are over lend theirs on.
    private static let spare = Mutex<[RSASigningKey]>([])

    private let secret: Secret
    /// The name under which it is published.
    package let identifier: String
    /// As it is published (RFC 7517).
    package let jsonWebKey: JSONObject

    /// A key that no other issuer uses at the moment.
    package init(_ algorithm: SignatureAlgorithm) throws {
        switch algorithm {
        case .rs256:
            let key = try Self.spare.withLock { $0.popLast() } ?? .generate()
            let numbers = RSAPublicParts(publicDER: key.publicDER)
            secret = .rsa(key)
            identifier = Base64URL.encode(SHA256.hash(key.publicDER))
            jsonWebKey = [
                "kty": .string("RSA"), "use": .string("sig"), "alg": .string("RS256"),
                "kid": .string(identifier), "n": .string(Base64URL.encode(numbers.modulus)),
                "e": .string(Base64URL.encode(numbers.exponent)),
            ]
        case .es256:
            let key = try SigningKey.generate()
            secret = .p256(key)
            identifier = key.identifier
            jsonWebKey = [
                "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"),
                "alg": .string("ES256"), "kid": .string(key.identifier),
                "x": .string(Base64URL.encode(key.verifyingKey.x)),
                "y": .string(Base64URL.encode(key.verifyingKey.y)),
            ]
        }
    }

    /// `alg` of what it signs.
    package var algorithm: String {
        switch secret {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// Its signature over `message`.
    package func sign(_ message: String) throws -> [UInt8] {
        switch secret {
        case .rsa(let key): try key.sign(message.utf8)
        case .p256(let key): try key.sign(message.utf8)
        }
    }

    /// A token whose payload is `payload`, whatever that is.
    /// - Parameter header: members beside `alg`, `typ` and `kid`, or instead of them.
    package func token(_ payload: String, header: [(String, JSONValue)] = []) throws -> String {
        let head = IssuedClaims([
            ("alg", .string(algorithm)), ("typ", .string("JWT")), ("kid", .string(identifier)),
        ]).with(header)
        let message = Base64URL.encode(head.text.utf8) + "." + Base64URL.encode(payload.utf8)
        return message + "." + Base64URL.encode(try sign(message))
    }

    /// Lets the next test have it.
    func giveBack() {
        guard case .rsa(let key) = secret else { return }
        Self.spare.withLock { $0.append(key) }
    }
}

/// The two numbers in the SubjectPublicKeyInfo of one of our own RSA keys.
struct RSAPublicParts {
    let modulus: [UInt8]
    let exponent: [UInt8]

    /// `SEQUENCE { SEQUENCE …, BIT STRING { SEQUENCE { INTEGER n, INTEGER e } } }`, of 2,048 bits.
    init(publicDER der: [UInt8]) {
        var numbers: [[UInt8]] = []
        // Behind the outer heads, the algorithm (15 bytes), the bit string's and the inner heads.
        var place = 4 + 15 + 5 + 4
        while place + 2 <= der.count, numbers.count < 2 {
            var length = Int(der[place + 1])
            place += 2
            if length == 0x82 {
                length = Int(der[place]) << 8 | Int(der[place + 1])
                place += 2
            }
            numbers.append(Array(der[place..<place + length].drop { $0 == 0 }))
            place += length
        }
        precondition(numbers.count == 2, "a public key of 2,048 bits")
        (modulus, exponent) = (numbers[0], numbers[1])
    }
}
