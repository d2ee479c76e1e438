import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport

/// Invalid signatures, headers and keys (RFC 8725).
extension TokenMutation {
    static let form: [TokenMutation] = algorithms + ownKeys + names + types + cuts

    private static func unsigned(_ algorithm: String, _ fixture: TokenMutationFixture) -> String {
        let header = #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(fixture.key.identifier)"}"#
        return Base64URL.encode(header.utf8) + "." + fixture.parts[1]
    }

    private static func hmac(under key: [UInt8], _ fixture: TokenMutationFixture) -> HandedIn {
        let message = unsigned("HS256", fixture)
        let mac = KeyedHash(key: SecretBytes(copying: key)).hash(message.utf8)
        return fixture.handIn(message + "." + Base64URL.encode(mac))
    }

    private static let algorithms: [TokenMutation] = [
        TokenMutation("alg none, no signature", "algorithm") {
            $0.handIn(unsigned("none", $0) + ".")
        },
        TokenMutation("alg none, the real signature", "algorithm") {
            $0.handIn(unsigned("none", $0) + "." + $0.parts[2])
        },
        TokenMutation("alg nOnE", "algorithm") { $0.handIn(unsigned("nOnE", $0) + ".") },
        TokenMutation("HS256 with the key set's text as the secret", "algorithm") {
            hmac(under: Array($0.providers.google.keySet.utf8), $0)
        },
        TokenMutation("HS256 with the modulus as the secret", "algorithm") {
            hmac(
                under: Base64URL.decode(($0.key.jsonWebKey["n"]?.string ?? "").utf8) ?? [], $0)
        },
        TokenMutation("alg PS256 over RS256's signature", "algorithm") {
            try $0.header([("alg", .string("PS256"))])
        },
        TokenMutation("alg ES256, which this provider does not use", "algorithm") {
            try $0.header([("alg", .string("ES256"))])
        },
        TokenMutation("alg as a list", "algorithm") {
            try $0.header([("alg", .array([.string("RS256")]))])
        },
    ]

    private static let ownKeys: [TokenMutation] = [
        TokenMutation("jwk in the header, and its signature", "own-key") {
            try $0.header([("jwk", .object($0.stranger.jsonWebKey))], by: $0.stranger)
        },
        TokenMutation("jku with the attacker's key set", "own-key") {
            try $0.header(
                [
                    ("jku", .string($0.providers.apple.keysURL)),
                    ("kid", .string($0.key.identifier)),
                ],
                by: $0.stranger)
        },
        TokenMutation("x5u", "own-key") {
            try $0.header([("x5u", .string("http://127.0.0.1:9/"))])
        },
        TokenMutation("x5c", "own-key") { try $0.header([("x5c", .array([.string("MAA=")]))]) },
        TokenMutation("an unknown key with the real kid", "signature") {
            try $0.header([("kid", .string($0.key.identifier))], by: $0.stranger)
        },
        TokenMutation("a key of the other provider with the real kid", "signature") {
            try $0.header([("kid", .string($0.key.identifier))], by: $0.providers.apple.key)
        },
    ]

    private static let names: [TokenMutation] = [
        TokenMutation("kid a number", "unknown-key") { try $0.header([("kid", .integer(0))]) },
        TokenMutation("kid null", "unknown-key") { try $0.header([("kid", .null)]) },
        TokenMutation("kid empty", "unknown-key") { try $0.header([("kid", .string(""))]) },
        TokenMutation("kid of 257 bytes", "unknown-key") {
            try $0.header([("kid", .string(String(repeating: "k", count: 257)))])
        },
        TokenMutation("kid with a space", "unknown-key") {
            try $0.header([("kid", .string($0.key.identifier + " "))])
        },
        TokenMutation("kid with a NUL", "malformed") {
            let header = #"{"alg":"RS256","kid":"\#($0.key.identifier)\u0000"}"#
            let message = Base64URL.encode(header.utf8) + "." + $0.parts[1]
            return $0.handIn(message + "." + Base64URL.encode(try $0.key.sign(message)))
        },
    ]

    private static let types: [TokenMutation] = [
        TokenMutation("typ of an access token", "type") {
            try $0.header([("typ", .string("at+jwt"))])
        },
        TokenMutation("typ of a logout token", "type") {
            try $0.header([("typ", .string("logout+jwt"))])
        },
        TokenMutation("typ a number", "type") { try $0.header([("typ", .integer(1))]) },
        TokenMutation("crit", "critical") {
            try $0.header([("crit", .array([.string("exp")]))])
        },
    ]

    private static let cuts: [TokenMutation] = [
        TokenMutation("empty", "malformed") { $0.handIn("") },
        TokenMutation("no signature part", "malformed") {
            $0.handIn($0.parts[0] + "." + $0.parts[1])
        },
        TokenMutation("an empty signature", "signature") {
            $0.handIn($0.parts[0] + "." + $0.parts[1] + ".")
        },
        TokenMutation("four parts", "malformed") { $0.handIn($0.good + "." + $0.parts[2]) },
        TokenMutation("the signature cut by a byte", "signature") {
            $0.handIn("\($0.parts[0]).\($0.parts[1]).\($0.cut(2, by: 1))")
        },
        TokenMutation("the payload cut by a byte", "signature") {
            $0.handIn("\($0.parts[0]).\($0.cut(1, by: 1)).\($0.parts[2])")
        },
        TokenMutation("header and payload swapped", "algorithm") {
            $0.handIn([$0.parts[1], $0.parts[0], $0.parts[2]].joined(separator: "."))
        },
        TokenMutation("another token's payload", "signature") {
            let other = try $0.providers.google.token($0.claims.with([("sub", .string("118"))]))
            let payload = other.split(separator: ".")[1]
            return $0.handIn("\($0.parts[0]).\(payload).\($0.parts[2])")
        },
        TokenMutation("padding", "malformed") { $0.handIn($0.good + "=") },
        TokenMutation("a line break", "malformed") { $0.handIn($0.good + "\n") },
        TokenMutation("a Bearer prefix", "malformed") { $0.handIn("Bearer " + $0.good) },
        TokenMutation("more than 8 KiB, validly signed", "too-long") {
            try $0.saying([("groups", .string(String(repeating: "g", count: 8_192)))])
        },
    ]
}
